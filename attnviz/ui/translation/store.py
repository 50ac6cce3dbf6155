"""The Translation page's store, by its short name, and what begins anew with another sentence."""

from typing import Any

from attnviz.ui.state import Store
from attnviz.ui.views.translation import TranslationView

TranslationStore = Store[TranslationView]

# Positions in another sentence are other words; a translation given belongs to the sentence that it translates.
NOTHING_CHOSEN: dict[str, Any] = {"step": None, "word": None}
OTHER_SENTENCE: dict[str, Any] = {**NOTHING_CHOSEN, "target": ""}
