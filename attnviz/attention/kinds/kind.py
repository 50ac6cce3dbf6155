"""What every kind of attention is described by, is given and gives back."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention.attention import Attention
from attnviz.attention.by_hand import split
from attnviz.attention.points import Points
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.tokens import Tokens

_TOO_SMALL = _m("“{setting}” is {found}; at least {least} was expected.")
_NOT_ABOVE = _m("“{setting}” is {found}; a number above {least} was expected.")


@dataclass(frozen=True)
class Settings:
    """Every slider. A kind reads those that `Kind.sliders` names and no others.

    window: positions on each side of the query's own, which is counted once more: 2·window + 1 keys, or
        window + 1 where it looks back alone. Mistral's W counts the query's own position, so W = window + 1;
        Longformer's w counts both sides, so w = 2·window.
    stride, block: in positions. global_tokens: the first of the sequence. random_keys: for each query.
    temperature: scores are divided by it just before the softmax, after scale, softcap and bias.
    softcap: the c of c·tanh(S/c). sink: the score that a sink has. slope: what ALiBi's slopes are multiplied by.
    lambda_: how much of the second softmax differential attention takes away. points: for each query and head.
    reduction: by what the gates' hidden layer is narrower. causal: a query sees no later key.
    Raises `InputError` where a setting has no meaning.
    """

    window: int = 2
    stride: int = 3
    block: int = 4
    global_tokens: int = 1
    random_keys: int = 1
    seed: int = 0
    heads: int = 2
    kv_heads: int = 1
    temperature: float = 1.0
    softcap: float = 3.0
    sink: float = 1.0
    slope: float = 1.0
    lambda_: float = 0.5
    points: int = 4
    reduction: int = 4
    causal: bool = False

    def __post_init__(self) -> None:
        for least, names in ((0, _FROM_NOTHING), (1, _FROM_ONE)):
            for name in names:
                if not getattr(self, name) >= least:
                    raise InputError(_TOO_SMALL, setting=name, found=getattr(self, name), least=least)
        for name in ("temperature", "softcap"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InputError(_NOT_ABOVE, setting=name, found=getattr(self, name), least=0)


_FROM_NOTHING = ("window", "global_tokens", "random_keys", "seed")
_FROM_ONE = ("stride", "block", "heads", "kv_heads", "points", "reduction")


@dataclass(frozen=True, eq=False)
class Memory:
    """Another sequence that cross-attention looks at."""

    key: Float[Tensor, "heads l d"]
    value: Float[Tensor, "heads l dv"]
    tokens: Tokens | None = None


@dataclass(frozen=True, eq=False)
class Inputs:
    """The same queries, keys and values for every kind. Fewer key heads than query heads: consecutive ones share one.

    grid: rows and columns where the positions are the cells of an image, row by row. other: what cross-attention
    looks at; drawn at random where it is None. tokens: what the positions stand for.
    """

    query: Float[Tensor, "heads n d"]
    key: Float[Tensor, "kv_heads m d"]
    value: Float[Tensor, "kv_heads m dv"]
    grid: tuple[int, int] | None = None
    other: Memory | None = None
    tokens: Tokens | None = None

    def __post_init__(self) -> None:
        if self.grid is not None and self.grid[0] * self.grid[1] != self.key.shape[1]:
            raise InputError(
                _m("A grid of {rows} × {columns} cells does not have {keys} positions."),
                rows=self.grid[0],
                columns=self.grid[1],
                keys=self.key.shape[1],
            )

    @classmethod
    def drawn(
        cls,
        positions: int = 16,
        *,
        width: int = 16,
        heads: int = 1,
        grid: tuple[int, int] | None = None,
        seed: int = 0,
        dtype: torch.dtype = torch.float32,
    ) -> "Inputs":
        """Queries, keys and values drawn from a standard normal: numbers without a meaning, to see a mechanism by.

        width: of all heads together. Raises `InputError` where it cannot be cut into the heads.
        """
        numbers = drawn(3, positions, width, seed=seed, dtype=dtype)
        query, key, value = (split(each, heads) for each in numbers)
        return cls(query, key, value, grid)

    @property
    def width(self) -> int:
        """Of all heads of the queries together."""
        return self.query.shape[0] * self.query.shape[2]

    @property
    def shape(self) -> tuple[int, int]:
        """Queries, keys."""
        return self.query.shape[1], self.key.shape[1]

    @property
    def dtype(self) -> torch.dtype:
        """What is computed in."""
        return self.query.dtype

    @property
    def joined(self) -> tuple[Float[Tensor, "n width"], Float[Tensor, "m width"], Float[Tensor, "m value_width"]]:
        """Queries, keys and values with their heads side by side."""
        shared_by = self.query.shape[0] // self.key.shape[0]
        key, value = (each.repeat_interleave(shared_by, 0) for each in (self.key, self.value))
        return _joined(self.query), _joined(key), _joined(value)

    def in_heads(self, heads: int) -> "Inputs":
        """The same numbers cut into another number of heads, each with keys of its own.

        Raises `InputError` where the width does not divide.
        """
        if heads == self.query.shape[0] == self.key.shape[0]:
            return self
        query, key, value = (split(each, heads) for each in self.joined)
        other = self.other
        if other is not None:
            other = Memory(split(_joined(other.key), heads), split(_joined(other.value), heads), other.tokens)
        return Inputs(query, key, value, self.grid, other, self.tokens)

    @cached_property
    def memory(self) -> Memory:
        """What cross-attention looks at: the other sequence, or one of half the length, drawn at random."""
        if self.other is not None:
            return self.other
        heads, keys, width = self.key.shape
        length = max(keys // 2, 1)
        return Memory(
            drawn(heads, length, width, seed=1, dtype=self.dtype).to(self.key.device),
            drawn(heads, length, self.value.shape[2], seed=2, dtype=self.dtype).to(self.key.device),
        )


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a kind makes of the inputs.

    output: one vector a query and head, in the type of the inputs. live: who may look at whom. computed: the pairs
    that the usual implementation works out, which `Kind.computes` names; the difference is thrown away.
    state: the numbers that have to be kept to answer one more query, in all heads together.
    attention: the weights as a picture shows them, None where there are no weights between positions.
    gates: one factor a channel, where a kind has those. points: where a kind looks at points between the positions.
    """

    output: Float[Tensor, "heads n dv"]
    live: Bool[Tensor, "n m"]
    computed: Bool[Tensor, "n m"]
    state: int
    attention: Attention | None = None
    gates: Float[Tensor, " channels"] | None = None
    points: Points | None = None


@dataclass(frozen=True)
class Paper:
    """Where a kind was first described. arxiv: the number of the preprint."""

    authors: str
    year: int
    arxiv: str

    def __str__(self) -> str:
        return f"{self.authors} {self.year}, arXiv {self.arxiv}"

    @property
    def address(self) -> str:
        """Where it can be read."""
        return f"https://arxiv.org/abs/{self.arxiv}"


@dataclass(frozen=True)
class Kind:
    """One kind of attention.

    formula, shapes, state: lines of TeX, in one notation for all kinds: n queries, m keys, d the width of one head,
    d_v that of its values, S scores, A weights, O output; i counts queries, j keys, both from 0.
    who_looks, gives_up, computes, trap, drawn: message ids. computes: the implementation whose pairs
    `Outcome.computed` are. torch_function: what does it in PyTorch, "" where nothing does. trap: what goes wrong with
    that, or "". drawn: which parameters are random numbers here, or "".
    """

    id: str
    name: str
    group: str
    formula: tuple[str, ...]
    shapes: tuple[str, ...]
    state: str
    who_looks: str
    gives_up: str
    computes: str
    papers: tuple[Paper, ...]
    torch_function: str
    sliders: tuple[str, ...]
    run: Callable[[Inputs, Settings], Outcome]
    trap: str = ""
    drawn: str = ""

    @property
    def paper(self) -> Paper:
        """The paper that described it."""
        return self.papers[0]


# What a kind changes: the groups that a list of kinds is shown in.
FULL = _m("Every pair")
SPARSE = _m("Fewer pairs")
WITHOUT_PAIRS = _m("Without pairs")
POSITIONS = _m("With positions")
SOFTMAX = _m("Another softmax")


def drawn(*shape: int, seed: int, dtype: torch.dtype = torch.float32) -> Float[Tensor, "..."]:
    """Numbers from a standard normal, the same for the same seed, whatever type they are asked for in."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def _joined(tensor: Float[Tensor, "heads n d"]) -> Float[Tensor, "n width"]:
    return tensor.transpose(0, 1).flatten(1)
