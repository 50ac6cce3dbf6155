"""What is shuffled on the Kinds page, into which order, and what tells attention the order."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from attnviz.attention.shuffling import Scheme
from attnviz.base.errors import InputError
from attnviz.base.language import _m

SENTENCE = "the dog bites the man"
MOST_TEXT = 80
MOST_WORDS = 10
HEADS = 4

Order = Annotated[tuple[Annotated[int, Field(ge=0, lt=MOST_WORDS)], ...], Field(max_length=MOST_WORDS)]


class Positions(BaseModel, frozen=True, extra="forbid"):
    """order: which word stands at each place after shuffling. shuffle: how often another order was asked for."""

    text: str = Field(default=SENTENCE, min_length=1, max_length=MOST_TEXT)
    order: Order = (0, 4, 2, 3, 1)
    scheme: Scheme = "none"
    head: int = Field(default=0, ge=0, lt=HEADS)
    shuffle: int = Field(default=0, ge=0, le=9999)

    @model_validator(mode="after")
    def _fits(self) -> "Positions":
        count = len(self.words)
        if not 2 <= count <= MOST_WORDS:
            raise InputError(
                _m("The number of words is {found}; {least} to {most} can be shuffled here."),
                found=count, least=2, most=MOST_WORDS,
            )  # fmt: skip
        if sorted(self.order) != list(range(count)):
            raise InputError(
                _m("An order of {count} tokens has to name each place from 0 to {last} once."),
                count=count, last=count - 1,
            )  # fmt: skip
        return self

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the sentence."""
        return tuple(self.text.split())

    @property
    def shuffled(self) -> str:
        """The sentence as it is read after shuffling."""
        return " ".join(self.words[place] for place in self.order)

    def but(self, **fields: Any) -> dict[str, Any]:
        """The fields of the page's view that change when these of mine do."""
        return {"positions": Positions(**{**dict(self), **fields})}

    def with_text(self, text: str) -> dict[str, Any]:
        """The fields that change with another sentence: its first and last word change places."""
        count = min(len(text.split()), MOST_WORDS)  # more are refused, and that is said
        order = list(range(count))
        if count > 1:
            order[0], order[-1] = order[-1], order[0]
        return self.but(text=text.strip(), order=tuple(order))

    def swapped(self, one: int, other: int) -> dict[str, Any]:
        """The fields that change when what stands at two places changes places."""
        order = list(self.order)
        order[one], order[other] = order[other], order[one]
        return self.but(order=tuple(order))
