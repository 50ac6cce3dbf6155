"""The Translation page's state: which models, which sentence, how it is decoded, and what of the attention is shown."""

import textwrap
from typing import Annotated, Literal, get_args

from pydantic import Field, field_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.translation.heads import HeadName
from attnviz.translation.reading import Reading
from attnviz.ui.address import View

Pair = Literal["en-fr", "en-ja", "en-ru"]
Model = Literal["gru", "transformer", "bottleneck", "other"]
PAIRS: tuple[Pair, ...] = get_args(Pair)
MODELS: tuple[Model, ...] = get_args(Model)

SENTENCE = "The black cat"
NOIR = 2
MOST_TEXT = 2000
MOST_NAME = 500
MOST_BEAMS = 16
MOST_POSITION = 4096
MOST_SAID = 50

Text = Annotated[str, Field(max_length=MOST_TEXT)]
Position = Annotated[int, Field(ge=0, le=MOST_POSITION)]


class TranslationView(View, frozen=True):
    """Positions are those of tokens: `step` in what is predicted, `word` in the source; None: none is chosen.

    models: shown side by side, in this order of the page whatever the order here; "other" is the encoder–decoder
    named by `other`. beside: a second pair, for the same sentence in two languages. target: a translation that is
    given; "" lets the model write its own. layer, head: None is the mean, of all layers or of a layer's heads.
    drawn: how many held-out sentences were drawn so far.

    Of the lower part: part is the question, judged the name of the model that it is asked of ("": the first), on and
    sentences what is measured on, swap the word put in the place of the chosen source word.
    """

    page: Literal["translation"] = "translation"
    pair: Pair = "en-fr"
    beside: Pair | None = None
    models: tuple[Model, ...] = Field(default=("gru", "transformer"), min_length=1, max_length=len(MODELS))
    other: str = Field(default="", max_length=MOST_NAME)
    other_source: str = Field(default="", max_length=40)
    other_target: str = Field(default="", max_length=40)
    other_prefix: str = Field(default="", max_length=200)
    text: Text = SENTENCE
    target: Text = ""
    beams: int = Field(default=1, ge=1, le=MOST_BEAMS)
    drawn: int = Field(default=0, ge=0, le=10**6)
    step: Position | None = None
    word: Position | None = None
    layer: Position | None = None
    head: Position | None = None
    rows: Literal["predict", "consume"] = "predict"
    hide_special: bool = True
    hide_punctuation: bool = False
    renormalise: bool = False
    pieces: bool = False
    gold: bool = False
    part: Literal["gold", "effect", "length"] = "gold"
    judged: str = Field(default="", max_length=MOST_NAME)
    on: Literal["test", "unseen", "file"] = "test"
    sentences: Literal[100, 500, 1000] = 100
    swap: str = Field(default="", max_length=60)

    @field_validator("models")
    @classmethod
    def _in_order(cls, models: tuple[Model, ...]) -> tuple[Model, ...]:
        if len(set(models)) < len(models):
            raise InputError(_m("A model was named twice; each can be shown once."))
        return tuple(model for model in MODELS if model in models)

    @classmethod
    def start(cls) -> "TranslationView":
        """The lesson's own example, at the step that writes “noir”."""
        return cls(step=NOIR)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs shown side by side."""
        return (self.pair,) if self.beside in (None, self.pair) else (self.pair, self.beside)

    def reading(self) -> Reading:
        """How weights become an alignment."""
        return Reading(
            self.rows, self.hide_special, self.hide_punctuation,
            self.renormalise and (self.hide_special or self.hide_punctuation), self.pieces,
        )  # fmt: skip

    def head_name(self) -> HeadName:
        """The head, or the mean, that is looked at; a head belongs to a layer."""
        return HeadName(self.layer, self.head if self.layer is not None else None)

    def summary(self) -> str:
        """The pair, how many models, the beginning of the sentence."""
        beginning = textwrap.shorten(self.text, MOST_SAID, placeholder=" …")
        decoding = (
            _("forced") if self.target else _("greedy") if self.beams == 1 else _("beam {beams}", beams=self.beams)
        )
        return f"{', '.join(self.pairs)} · {', '.join(self.models)} · {decoding} · {beginning}"
