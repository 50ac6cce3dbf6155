"""What can be chosen: shipped models, a folder, a Hugging Face id, and typed examples."""

from attnviz.models.card import Card
from attnviz.models.loading import catalogue, load, load_reader
from attnviz.models.seq2seq import Seq2Seq
from attnviz.models.text_model import TextModel
from attnviz.models.translation.translator import GrammarTranslator
from attnviz.models.translators import translator
from attnviz.models.turn.turn_model import TurnModel

__all__ = [
    "Card",
    "GrammarTranslator",
    "Seq2Seq",
    "TextModel",
    "TurnModel",
    "catalogue",
    "load",
    "load_reader",
    "translator",
]
