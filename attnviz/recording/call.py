"""One attention call: what is kept while the model runs, and what it means, worked out afterwards."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnviz.attention import Bias, Form, Given, Mask
from attnviz.attention.function_scores import ScoreFunction
from attnviz.recording.masks import Masks
from attnviz.recording.roles import Part
from attnviz.recording.sample import Sample, Samples
from attnviz.recording.windows.chains import Trail
from attnviz.tokens import Tokens


@dataclass(frozen=True, eq=False)
class Meaning:
    """A call in the terms of `Attention.from_qk`.

    causal: no query sees a later key. elsewhere: the keys come from another sequence than the queries;
    None where that cannot be seen. modify: changes the scores; adds: by an addition alone. note: a message id, or "".
    sample: what the model's own output is compared by. query_tokens, key_tokens: where the call itself tells what they stand for. own: the
    tensors are copies, which the model cannot overwrite.
    """

    query: Float[Tensor, "items heads n d"]
    key: Float[Tensor, "items kv_heads m d"]
    value: Float[Tensor, "items kv_heads m dv"] | None
    scale: float
    mask: Mask | None
    bias: Float[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"] | Bias | None = None
    softcap: float | None = None
    sinks: Float[Tensor, " heads"] | None = None
    modify: ScoreFunction | None = None
    adds: bool = False
    note: str = ""
    causal: bool = False
    elsewhere: bool | None = None
    sample: Sample | Samples | None = None
    query_tokens: Tokens | None = None
    key_tokens: Tokens | None = None
    own: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Queries, keys."""
        return self.query.shape[2], self.key.shape[2]


@dataclass(frozen=True, eq=False)
class Weights:
    """A call of which the weights are known, but not as a softmax of q·k; the rest as in `Meaning`.

    form: what the attention is. normalised: each row is a softmax. note: a message id, or "".
    """

    scores: Given
    value: Float[Tensor, "items value_heads m dv"] | None = None
    mask: Mask | None = None
    form: Form = "stored"
    normalised: bool = True
    note: str = ""
    causal: bool = False
    elsewhere: bool | None = None
    sample: Sample | Samples | None = None
    query_tokens: Tokens | None = None
    key_tokens: Tokens | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Queries, keys."""
        return self.scores.sizes[2:]


class NotRecorded(Exception):  # noqa: N818  not an error: the model ran, and the message says what is missing
    """Why a call has no weights to show: a message id with {name} for the layer, and its other fields."""

    def __init__(self, message: str, **fields: str | int | float) -> None:
        super().__init__(message, fields)
        self.message = message
        self.fields = fields


@dataclass(slots=True, eq=False, kw_only=True)
class Call(ABC):
    """What is kept of a call: references to its tensors, detached; as little as possible is copied or computed.

    module: the one that attended. run: which forward pass of the model, from 0. trail: how its queries and keys
    came about, where that may mean windows. picture: number, height and width of what the model was given to
    look at.
    name: of the part of the module that attended, where the module does not run it as a module of its own.
    """

    module: nn.Module
    run: int
    trail: Trail | None = None
    picture: tuple[int, int, int] | None = None
    name: str | None = None

    @abstractmethod
    def meaning(self, masks: Masks, part: Part | None) -> Meaning | Weights:
        """What the call computed, in this part of the model. Raises `NotRecorded` where that cannot be told."""

    @abstractmethod
    def tensors(self) -> tuple[Any, ...]:
        """Everything the meaning depends on."""

    def large(self) -> tuple[str, ...]:
        """The attributes that hold the tensors which make up the memory of a recording."""
        return ()

    def keys(self) -> Tensor | None:
        """The keys, where they are known."""
        return None


@dataclass(slots=True, eq=False, kw_only=True)
class QueryKeyCall(Call):
    """A call whose queries and keys are known.

    autocast: the type that PyTorch cast the tensors to. column: one column of the values, and of some rows of the
    output, as `Sample` needs them, in the dimensions that they had; None where the output does not tell.
    """

    query: Tensor
    key: Tensor
    value: Tensor | None
    mask: Any
    autocast: torch.dtype | None = None
    column: tuple[Tensor, Tensor] | None = None

    def tensors(self) -> tuple[Any, ...]:
        """Queries, keys, then the rest."""
        return (self.query, self.key, self.value, self.mask)

    def large(self) -> tuple[str, ...]:
        """Queries, keys, values."""
        return ("query", "key", "value")

    def keys(self) -> Tensor:
        """The keys."""
        return self.key
