"""One attention operation as it ran; asked for weights, it computes just the part that is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float, Int8, Shaped
from torch import Tensor

from attnviz.attention import inputs
from attnviz.attention.bias import Bias
from attnviz.attention.check import Check
from attnviz.attention.masks import Mask
from attnviz.attention.overview import Overview, survey
from attnviz.attention.rows import (
    RowState,
    RowStatistics,
    masked_logits,
    row_statistics,
    row_strips,
    statistics_of,
    stored_states,
)
from attnviz.attention.scores import DotProduct, Given, Stored, bias_on, grouped_product, shared
from attnviz.attention.tiles import Index, Wanted, cols_index, count, positions, rows_index
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.base.memory import amount, free_bytes
from attnviz.tokens import Tokens

Role = Literal["encoder", "decoder", "cross", "ego"]
Form = Literal["dot-product", "additive", "linear", "deformable", "stored"]
ROLES: tuple[str, ...] = get_args(Role)
FORMS: tuple[str, ...] = get_args(Form)

# Below this many bytes nobody asks how much memory is free.
_LARGE = 256 << 20

_QUERY_TOKENS = _m("The number of query tokens, {found}, is not the number of queries, {expected}.")
_KEY_TOKENS = _m("The number of key tokens, {found}, is not the number of keys, {expected}.")


@dataclass(frozen=True, eq=False, repr=False)
class Attention:
    """All heads of one attention over n queries and m keys, for every item of the batch.

    Numbers come as float32, computed in float32 (float64 where the queries are), on the device of the queries.
    `head=None` means all heads, with an axis for them in front; rows (queries) and cols (keys) are slices or
    positions counted from 0. Whatever is out of range raises `InputError`.

    name: the model's own name of the layer. layer: 0-based among the layers of its role.
    normalised: each row is a softmax; False for gates, sigmoid and differential attention.
    note: a message id that says what a person should know about this attention, or "".
    check: how the weights compare with the model's own output, where that could be seen.
    """

    name: str
    role: Role
    form: Form
    layer: int
    scores: DotProduct | Given
    query_tokens_by_item: tuple[Tokens, ...]
    key_tokens_by_item: tuple[Tokens, ...]
    mask: Mask | None = None
    value: Float[Tensor, "items value_heads m dv"] | None = None
    normalised: bool = True
    note: str = ""
    check: Check | None = None
    _known: dict[tuple[int, int | None], RowStatistics] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def from_qk(
        cls,
        query: Float[Tensor, "..."],
        key: Float[Tensor, "..."],
        *,
        value: Float[Tensor, "..."] | None = None,
        scale: float | None = None,
        mask: Mask | Shaped[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | Bias | None = None,
        softcap: float | None = None,
        sinks: Float[Tensor, "..."] | None = None,
        name: str = "",
        role: Role = "encoder",
        layer: int = 0,
        query_tokens: Tokens | Sequence[Tokens] | None = None,
        key_tokens: Tokens | Sequence[Tokens] | None = None,
        note: str = "",
    ) -> "Attention":
        """softmax(softcap(scale · q kᵀ) + bias, masked), with sinks where there are any.

        query, key: "n d", "heads n d" or "items heads n d"; the keys may have fewer heads, shared in order.
        scale: 1/√d if not given. mask: a rule, truth values (True allows) or an additive mask; tensors
        broadcast from the right as PyTorch's `attn_mask` does. bias: added to the scores; where it is so low
        that it forbids, it counts as a mask. Raises `InputError` where sizes do not fit.
        """
        query, key = inputs.with_items_and_heads(query, "query"), inputs.with_items_and_heads(key, "key")
        inputs.check_query_and_key(query, key)
        rule, added = inputs.split_mask(mask, bias)
        inputs.check_extras((*query.shape[:3], key.shape[2]), added, softcap, sinks)
        scores = DotProduct(
            query=query,
            key=key.to(query.device),
            scale=query.shape[-1] ** -0.5 if scale is None else float(scale),
            bias=bias_on(added, query.device),
            softcap=softcap,
            sinks=None if sinks is None else sinks.detach().to(query.device),
        )
        return cls.from_scores(
            scores,
            mask=rule,
            value=value,
            query_tokens=query_tokens,
            key_tokens=key_tokens,
            name=name,
            role=role,
            layer=layer,
            form="dot-product",
            note=note,
        )

    @classmethod
    def from_weights(
        cls,
        weights: Float[Tensor, "..."],
        *,
        mask: Mask | Bool[Tensor, "..."] | None = None,
        value: Float[Tensor, "..."] | None = None,
        normalised: bool = True,
        form: Form = "stored",
        name: str = "",
        role: Role = "encoder",
        layer: int = 0,
        query_tokens: Tokens | Sequence[Tokens] | None = None,
        key_tokens: Tokens | Sequence[Tokens] | None = None,
        note: str = "",
    ) -> "Attention":
        """Weights that something else computed: "n m", "heads n m" or "items heads n m".

        They are shown as they are; the mask only tells which pairs were allowed and which rows have no key.
        Raises `InputError` where sizes do not fit.
        """
        scores = Stored(inputs.with_items_and_heads(weights, "weights"))
        rule, _ = inputs.split_mask(mask, None)
        return cls.from_scores(
            scores,
            mask=rule,
            value=value,
            query_tokens=query_tokens,
            key_tokens=key_tokens,
            name=name,
            role=role,
            layer=layer,
            form=form,
            note=note,
            normalised=normalised,
        )

    @classmethod
    def from_scores(
        cls,
        scores: DotProduct | Given,
        *,
        form: Form,
        mask: Mask | None = None,
        value: Float[Tensor, "..."] | None = None,
        normalised: bool = True,
        name: str = "",
        role: Role = "encoder",
        layer: int = 0,
        query_tokens: Tokens | Sequence[Tokens] | None = None,
        key_tokens: Tokens | Sequence[Tokens] | None = None,
        note: str = "",
        check: Check | None = None,
    ) -> "Attention":
        """Scores or weights of any kind, and a rule. Raises `InputError` where sizes do not fit."""
        items, _, queries, keys = scores.sizes
        device = scores.device
        if mask is not None:
            mask.check(*scores.sizes)
            mask = mask.on(device)
        if value is not None:
            value = inputs.with_items_and_heads(value, "value").to(device)
            inputs.check_value(value, scores.sizes, scores.kv_heads)
        return cls(
            name=name,
            role=role,
            form=form,
            layer=layer,
            scores=scores,
            query_tokens_by_item=inputs.tokens_by_item(query_tokens, items, queries, _QUERY_TOKENS),
            key_tokens_by_item=inputs.tokens_by_item(key_tokens, items, keys, _KEY_TOKENS),
            mask=mask,
            value=value,
            normalised=normalised,
            note=note,
            check=check,
        )

    @property
    def items(self) -> int:
        """How many sequences were computed together."""
        return self.scores.sizes[0]

    @property
    def heads(self) -> int:
        """How many heads the queries have."""
        return self.scores.sizes[1]

    @property
    def kv_heads(self) -> int:
        """How many heads the keys have: fewer than `heads` where several share one."""
        return self.scores.kv_heads

    @property
    def shape(self) -> tuple[int, int]:
        """Queries, keys."""
        return self.scores.sizes[2:]

    @property
    def has_values(self) -> bool:
        """Whether the output can be computed."""
        return self.value is not None

    @property
    def device(self) -> torch.device:
        """Where everything is kept and computed."""
        return self.scores.device

    @property
    def query_tokens(self) -> Tokens:
        """What the queries of the first item stand for."""
        return self.query_tokens_by_item[0]

    @property
    def key_tokens(self) -> Tokens:
        """What the keys of the first item stand for."""
        return self.key_tokens_by_item[0]

    def query_tokens_of(self, item: int) -> Tokens:
        """What the queries of an item stand for."""
        self._check(None, item)
        return self.query_tokens_by_item[item]

    def key_tokens_of(self, item: int) -> Tokens:
        """What the keys of an item stand for."""
        self._check(None, item)
        return self.key_tokens_by_item[item]

    def weights(
        self, head: int | None = None, item: int = 0, rows: Wanted = None, cols: Wanted = None
    ) -> Float[Tensor, "*heads n m"]:
        """exp(score − row maximum) / row sum: 0 where forbidden, NaN in rows that are masked or hold NaN."""
        row_index, col_index = self._indices(head, item, rows, cols)
        if isinstance(self.scores, Given):
            return self._out(self._stored_weights(self.scores, head, item, row_index, col_index), head)
        logits = masked_logits(self.scores, self.mask, item, head, row_index, col_index)
        found = self._statistics(head, item, row_index, logits if cols is None else None)
        return self._out(logits.sub_(found.maximum[..., None]).exp_().div_(found.total[..., None]), head)

    def logits(
        self, head: int | None = None, item: int = 0, rows: Wanted = None, cols: Wanted = None
    ) -> Float[Tensor, "*heads n m"]:
        """softcap(scale · q kᵀ) + bias, before the mask. Raises `InputError` where only weights are stored."""
        row_index, col_index = self._indices(head, item, rows, cols)
        return self._out(self._dot_product().logits(item, head, row_index, col_index), head)

    def allowed(
        self, head: int | None = None, item: int = 0, rows: Wanted = None, cols: Wanted = None
    ) -> Bool[Tensor, "*heads n m"]:
        """Which pairs the mask lets through."""
        row_index, col_index = self._indices(head, item, rows, cols)
        heads = self.heads if head is None else 1
        if self.mask is None:
            tile = torch.ones(1, count(row_index), count(col_index), dtype=torch.bool, device=self.device)
        else:
            tile = self.mask.allowed(item, positions(row_index, self.device), positions(col_index, self.device), head)
        tile = tile.expand(heads, -1, -1)
        return tile if head is None else tile[0]

    def lse(self, item: int = 0) -> Float[Tensor, "heads n"]:
        """Natural logarithm of the sum of exp(score) over a row, sinks included; −∞ where all is masked."""
        self._check(None, item)
        self._dot_product()
        return self._statistics(None, item, slice(0, self.shape[0])).lse().to(torch.float32)

    def sink_mass(self, head: int | None = None, item: int = 0) -> Float[Tensor, "*heads n"]:
        """The part of each row that went to the sink: 0 without sinks, NaN in rows that have no weights.

        A normal row's weights and this sum to 1.
        """
        self._check(head, item)
        sinks = self.scores.sinks_of(head) if isinstance(self.scores, DotProduct) else None
        if sinks is None:
            mass = torch.zeros(self.heads if head is None else 1, self.shape[0], device=self.device)
        else:
            found = self._statistics(head, item, slice(0, self.shape[0]))
            mass = ((sinks - found.maximum).exp() / found.total).masked_fill(found.maximum == -torch.inf, torch.nan)
        return self._out(mass, head)

    def row_state(self, head: int | None = None, item: int = 0) -> Int8[Tensor, "*heads n"]:
        """A `RowState` for each query: why a row has no weights to look at."""
        self._check(head, item)
        every = slice(0, self.shape[0])
        if isinstance(self.scores, Given):
            state = stored_states(self.scores, self.mask, item, head, every)
        else:
            state = self._statistics(head, item, every).state()
        return state if head is None else state[0]

    def output(self, head: int | None = None, item: int = 0) -> Float[Tensor, "*heads n dv"]:
        """Weights × values, NaN in masked rows. Raises `InputError` where the values were not kept."""
        self._check(head, item)
        if self.value is None:
            raise InputError(
                _m("The values of “{name}” were not kept, so its output cannot be computed."), name=self.name
            )
        value = shared(self.value[item], self.heads, head).to(self.scores.dtype)
        parts = []
        for strip, _ in row_strips(self.scores, None, item, head, slice(0, self.shape[0])):
            weights = self.weights(None, item, strip) if head is None else self.weights(head, item, strip)[None]
            parts.append(grouped_product(weights.to(value.dtype), value))
        return self._out(torch.cat(parts, 1), head)

    def overview(self, size: int = 512, item: int = 0, head: int | None = None) -> Overview:
        """Maximum and mean maps of at most size × size cells, entropy, top keys, mass received; no n × n."""
        self._check(head, item)
        tokens = self.query_tokens_by_item[item]
        present = None
        if tokens.padding is not None and any(tokens.padding):
            present = ~torch.tensor(tokens.padding, device=self.device)
        found, rows = survey(self.scores, self.mask, item, head, size, present)
        if isinstance(self.scores, DotProduct):
            self._known.setdefault((item, head), rows)
        return found

    def on(self, device: torch.device) -> "Attention":
        """The same attention on another device."""
        return replace(
            self,
            scores=self.scores.on(device),
            mask=None if self.mask is None else self.mask.on(device),
            value=None if self.value is None else self.value.to(device),
        )

    def nbytes(self) -> int:
        """Bytes of all tensors that are kept."""
        kept = [*self.scores.tensors(), *(self.mask.tensors().values() if self.mask else ())]
        kept += [] if self.value is None else [self.value]
        return sum(tensor.nbytes for tensor in kept)

    def __repr__(self) -> str:
        queries, keys = self.shape
        return f"Attention({self.name}: {self.role}, {self.form}, {self.heads} heads, {queries} × {keys})"

    def _check(self, head: int | None, item: int) -> None:
        if head is not None and not 0 <= head < self.heads:
            raise InputError(
                _m("Head {found} does not exist: heads are counted from 0, and their number is {count}."),
                count=self.heads,
                found=head,
            )
        if not 0 <= item < self.items:
            raise InputError(
                _m("Item {found} does not exist: items are counted from 0, and their number is {count}."),
                count=self.items,
                found=item,
            )

    def _indices(self, head: int | None, item: int, rows: Wanted, cols: Wanted) -> tuple[Index, Index]:
        self._check(head, item)
        queries, keys = self.shape
        row_index, col_index = rows_index(rows, queries, self.device), cols_index(cols, keys, self.device)
        self._check_memory((self.heads if head is None else 1) * count(row_index) * count(col_index))
        return row_index, col_index

    def _check_memory(self, numbers: int) -> None:
        needed = numbers * self.scores.dtype.itemsize
        free = free_bytes(self.device) if needed >= _LARGE else None
        if free is not None and needed > free // 2:
            raise InputError(
                _m(
                    "These weights would take {needed} twice over, and {free} are free; "
                    "ask for one head, or for fewer rows or columns."
                ),
                needed=amount(needed),
                free=amount(free),
            )

    def _dot_product(self) -> DotProduct:
        if isinstance(self.scores, Given):
            raise InputError(_m("“{name}” holds stored weights alone, so its scores are not known."), name=self.name)
        return self.scores

    def _stored_weights(
        self, scores: Given, head: int | None, item: int, rows: Index, cols: Index
    ) -> Float[Tensor, "h n m"]:
        tile = scores.tile(item, head, rows, cols)
        if self.mask is None:
            return tile.clone()
        masked = stored_states(scores, self.mask, item, head, rows) == RowState.MASKED
        return tile.masked_fill(masked[..., None], torch.nan)

    def _statistics(
        self, head: int | None, item: int, rows: Index, logits: Float[Tensor, "h n m"] | None = None
    ) -> RowStatistics:
        """From the rows' scores if given, or else what is known about them already, or else worked out.

        Given scores go first: another product may have rounded them otherwise, and a row would not sum to 1.
        """
        scores = self._dot_product()
        for known in ((item, head), (item, None)):
            if logits is None and known in self._known:
                heads = slice(None) if known[1] == head else slice(head, (head or 0) + 1)
                return self._known[known].of(heads, rows)
        found = (
            row_statistics(scores, self.mask, item, head, rows)
            if logits is None
            else statistics_of(logits, scores.sinks_of(head))
        )
        if isinstance(rows, slice) and count(rows) == self.shape[0]:
            self._known[item, head] = found
        return found

    @staticmethod
    def _out(numbers: Float[Tensor, "h n *rest"], head: int | None) -> Float[Tensor, "..."]:
        numbers = numbers.to(torch.float32)
        return numbers if head is None else numbers[0]
