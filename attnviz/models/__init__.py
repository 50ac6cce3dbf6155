"""What can be chosen: shipped models, a folder, a Hugging Face id, and typed examples."""

from attnviz.models.card import Card
from attnviz.models.loading import catalogue, load
from attnviz.models.seq2seq import Seq2Seq
from attnviz.models.text_model import TextModel
from attnviz.models.translation.translator import GrammarTranslator
from attnviz.models.translators import translator

__all__ = ["Card", "GrammarTranslator", "Seq2Seq", "TextModel", "catalogue", "load", "translator"]
