"""The choice between light and dark."""

from collections.abc import Sequence

from attnviz.base.language import _
from attnviz.ui.components.mount import Component

_component = Component("theme")


def theme(key: str, paths: Sequence[str]) -> None:
    """Show the choice of system, light or dark theme; `paths` are the `url_path`s of all pages.

    The page changes at once. Streamlit keeps the choice apart for each page, so it is stored for all of them.
    """
    labels = {
        "theme": _("Theme"),
        "System": _("System"),
        "Light": _("Light"),
        "Dark": _("Dark"),
    }
    _component.show(key, {"labels": labels, "paths": list(paths)})
