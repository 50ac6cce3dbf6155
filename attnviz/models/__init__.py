"""What can be chosen: shipped models, a folder, a Hugging Face id, and typed examples."""

from attnviz.models.card import Card
from attnviz.models.loading import catalogue, load
from attnviz.models.text_model import TextModel

__all__ = ["Card", "TextModel", "catalogue", "load"]
