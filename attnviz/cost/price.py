"""The price of every kind of attention: pairs, operations, bytes, state, parameters, and what is assumed.

A table of small functions, one for each kind, by the ids of `attnviz.attention.kinds`. What they have in common:
a multiply-add is two operations; softmax, biases, norms and activations are left out.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from attnviz.attention.kinds.kind import Settings
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.cost import live_pairs, memory, operations
from attnviz.cost.layer import Layer
from attnviz.cost.operations import Operations


@dataclass(frozen=True)
class Price:
    """live_pairs: query–key pairs that have a weight. computed_pairs: those whose score is worked out.

    operations: of one layer; feed-forward as in the block around it. plain_bytes, fused_bytes: held beyond the inputs
    and the output, by the formula as written and by a fused kernel. plain_traffic, fused_traffic: bytes read and
    written at the least. What has no fused kernel has None. state_bytes: what one more query needs of what came before.
    parameters: learnt numbers, without biases unless `assumption`, a message id, says otherwise.
    """

    live_pairs: int
    computed_pairs: int
    operations: Operations
    plain_bytes: int
    fused_bytes: int | None
    plain_traffic: int
    fused_traffic: int | None
    state_bytes: int
    parameters: int
    assumption: str


@dataclass(frozen=True)
class Asked:
    """What is priced. skips: whether the kernel leaves out what a mask hides. grid, extra: of an image's tokens."""

    queries: int
    keys: int
    layer: Layer
    settings: Settings = field(default_factory=Settings)
    skips: bool = True
    grid: tuple[int, int] | None = None

    @property
    def all_pairs(self) -> int:
        """Every query with every key."""
        return self.queries * self.keys

    @property
    def extra(self) -> int:
        """Tokens of an image that are no cell of its grid: class and register tokens."""
        return 0 if self.grid is None else self.keys - self.grid[0] * self.grid[1]

    @property
    def is_causal(self) -> bool:
        """Whether a query sees no later key."""
        return self.layer.causal or self.settings.causal


def price(
    kind_id: str,
    queries: int,
    keys: int,
    layer: Layer,
    settings: Settings | None = None,
    *,
    skips: bool = True,
    grid: tuple[int, int] | None = None,
) -> Price:
    """What one layer of this kind costs. Heads and key heads are the layer's, all else that kinds differ in the settings'.

    skips: whether the kernel leaves out masked pairs; as a mask over all pairs, a window saves nothing. grid: rows and
    columns of an image, whose windows reach in both directions; tokens beyond it see all and are seen by all.
    Raises `InputError` for a kind that is not known, for one over places of a single sequence that is given other
    keys than queries, and for a grid that has more cells than there are queries.
    """
    if kind_id not in PRICES:
        raise InputError(
            _m("There is no kind of attention “{name}”; there are: {known}."), name=kind_id, known=", ".join(PRICES)
        )
    if min(queries, keys) < 1:
        raise InputError(_m("At least one query and one key were expected."))
    if kind_id in OF_ONE_SEQUENCE and queries != keys:
        raise InputError(
            _m("“{name}” is of one sequence: as many queries as keys were expected, and {queries} and {keys} were given."),
            name=kind_id, queries=queries, keys=keys,
        )  # fmt: skip
    if grid is not None and not (min(grid) >= 1 and grid[0] * grid[1] <= queries):
        raise InputError(
            _m("A grid of {rows} × {columns} cells does not go with {queries} queries."),
            rows=grid[0], columns=grid[1], queries=queries,
        )  # fmt: skip
    return PRICES[kind_id](Asked(queries, keys, layer, settings or Settings(), skips, grid))


def worked_out(found: Price, computed: int) -> Price:
    """The price of so many computed pairs, those that are thrown away among them.

    Core and written-out weights in memory are proportional to the pairs; what works out none stays as it is.
    """
    if not found.computed_pairs:
        return found
    core = found.operations.core * computed // found.computed_pairs
    held = found.plain_bytes * computed // found.computed_pairs
    return replace(found, computed_pairs=computed, operations=replace(found.operations, core=core), plain_bytes=held)


_FULL = _m("Every pair is worked out; softmax, biases and norms are not counted.")
_MASKED = _m(
    "Counted for a kernel that leaves out exactly what the mask hides. Real ones work in blocks and do somewhat more; "
    "a mask over all pairs saves nothing."
)
_BIAS = _m("As self-attention; adding the bias is not counted. A plain form holds the biases of all pairs as well.")


def _over_pairs(
    asked: Asked,
    live: int | None = None,
    *,
    assumption: str = _FULL,
    kept: int | None = None,
    unskipped: int | None = None,
    maps: int = 2,
    more_operations: int = 0,
    more_parameters: int = 0,
) -> Price:
    """Softmax over pairs. live: all if None. kept: keys that one more query needs. maps: n × m numbers held a head.

    unskipped: the pairs that are worked out where the kernel skips nothing; all if None.
    """
    n, m, layer = asked.queries, asked.keys, asked.layer
    live = asked.all_pairs if live is None else live
    computed = live if asked.skips else asked.all_pairs if unskipped is None else unskipped
    held = memory.weights(computed, layer)
    return Price(
        live_pairs=live,
        computed_pairs=computed,
        operations=Operations(
            operations.core(computed, layer),
            operations.projections(n, m, layer) + more_operations,
            operations.feed_forward(n, layer),
        ),
        plain_bytes=maps * held,
        fused_bytes=memory.fused_peak(n, layer),
        plain_traffic=memory.inputs_and_output(n, m, layer) + 2 * maps * held,
        fused_traffic=memory.fused_traffic(n, m, layer),
        state_bytes=memory.cache(m if kept is None else min(kept, m), layer),
        parameters=operations.parameters(layer) + more_parameters,
        assumption=assumption,
    )


def _self(asked: Asked) -> Price:
    return _causal(asked) if asked.is_causal else _over_pairs(asked)


def _cross(asked: Asked) -> Price:
    return _over_pairs(asked)


def _causal(asked: Asked) -> Price:
    return _over_pairs(asked, live_pairs.causal(asked.queries, asked.keys), assumption=_MASKED)


def _grouped(asked: Asked) -> Price:
    told = _m("Fewer key heads make projections and cache smaller; every query head still meets every key.")
    live = live_pairs.causal(asked.queries, asked.keys) if asked.is_causal else None
    return _over_pairs(asked, live, assumption=told)


def _additive(asked: Asked) -> Price:
    """vᵀ tanh(W q + U k), values as they are; the hidden layer is as wide as the model."""
    n, m, layer = asked.queries, asked.keys, asked.layer
    wide = layer.width
    pairs = asked.all_pairs
    held = (2 * wide + 2) * pairs * layer.bytes_per_number
    return Price(
        live_pairs=pairs,
        computed_pairs=pairs,
        operations=Operations(
            4 * pairs * wide + 2 * pairs * wide,
            2 * n * wide * wide + 2 * m * wide * wide,
            operations.feed_forward(n, layer),
        ),
        plain_bytes=held,
        fused_bytes=None,
        plain_traffic=memory.inputs_and_output(n, m, layer) + 2 * held,
        fused_traffic=None,
        state_bytes=2 * m * wide * layer.bytes_per_number,
        parameters=2 * wide * wide + wide,
        assumption=_m(
            "One head, its hidden layer as wide as the model. As broadcast, sum and tanh of all pairs are held: about "
            "2·n·m·d numbers. Values are taken as they are: no W_V, no W_O."
        ),
    )


def _strided(asked: Asked) -> Price:
    n = asked.queries
    return _over_pairs(
        asked, live_pairs.strided(n, asked.settings.stride, is_causal=asked.is_causal), assumption=_MASKED
    )


def _fixed(asked: Asked) -> Price:
    n, size = asked.queries, asked.settings.stride
    # The newest block, and one summary of each block before it.
    kept = size + max(-(-n // size) - 1, 0) if asked.is_causal else None
    return _over_pairs(asked, live_pairs.fixed(n, size, is_causal=asked.is_causal), assumption=_MASKED, kept=kept)


def _global_window_random(asked: Asked) -> Price:
    chosen = asked.settings
    live = live_pairs.global_window_random(asked.queries, chosen.global_tokens, chosen.window, chosen.random_keys)
    return _over_pairs(asked, live, assumption=_MASKED)


def _window(asked: Asked) -> Price:
    reach, causal = asked.settings.window, asked.is_causal
    if asked.grid is not None:
        live = live_pairs.neighbourhood(asked.grid, reach, asked.extra, is_causal=causal)
        return _over_pairs(
            asked, live, assumption=_MASKED, kept=_kept_of_an_image(asked.grid, reach, causal) + asked.extra
        )
    live = live_pairs.window(asked.queries, reach, is_causal=causal)
    kept = reach + 1 if causal else 2 * reach + 1
    return _over_pairs(asked, live, assumption=_MASKED, kept=kept)


def _kept_of_an_image(grid: tuple[int, int], reach: int, is_causal: bool) -> int:
    """Cells between the first and the last that a query in the middle looks at: whole rows of the image."""
    rows, columns = grid
    back = min(reach, rows - 1) * columns + min(reach, columns - 1)
    return back + 1 if is_causal else 2 * back + 1


def _block(asked: Asked) -> Price:
    size, causal = asked.settings.block, asked.is_causal
    if asked.grid is None:
        within = live_pairs.blocks(asked.queries, size)
        live, kept = live_pairs.blocks(asked.queries, size, is_causal=causal), size
    else:
        within = live_pairs.tiles(asked.grid, size, asked.extra)
        live = live_pairs.tiles(asked.grid, size, asked.extra, is_causal=causal)
        kept = size**2 + asked.extra
    told = _m("Blocks side by side need no mask between them, so nothing beyond a block is worked out in vain.")
    return _over_pairs(asked, live, assumption=told, kept=kept, unskipped=within)


def _linear(asked: Asked) -> Price:
    """o = φ(q)ᵀ S / φ(q)ᵀ z with S = Σ φ(k) vᵀ: 2 · d²/h for each key and for each query.

    Heads that share a key head share its S and z: of keys it is h_kv · (d/h)².
    """
    n, m, layer = asked.queries, asked.keys, asked.layer
    sums = layer.kv_width * layer.head_width
    state = (sums + layer.kv_width) * layer.bytes_per_number
    traffic = memory.inputs_and_output(n, m, layer) + 2 * state
    return Price(
        live_pairs=live_pairs.causal(n, m) if asked.is_causal else asked.all_pairs,
        computed_pairs=0,
        operations=Operations(
            2 * m * sums + 2 * n * layer.width * layer.head_width,
            operations.projections(n, m, layer),
            operations.feed_forward(n, layer),
        ),
        plain_bytes=state,
        fused_bytes=state,
        plain_traffic=traffic,
        fused_traffic=traffic,
        state_bytes=state,
        parameters=operations.parameters(layer),
        assumption=_m(
            "No pair is worked out: keys and values are summed into d²/h + d numbers first, fewer where key heads are shared. "
            "The weights are still there, implicitly. Applying φ and dividing are not counted."
        ),
    )


def _deformable(asked: Asked) -> Price:
    """Offsets and weights are linear in the query: 2 n d · 3 h p; bilinear sampling about 10 n p d; value and output."""
    n, m, layer = asked.queries, asked.keys, asked.layer
    points = asked.settings.points
    told = 3 * layer.heads * points
    held = (n * told + n * points * layer.width) * layer.bytes_per_number
    return Price(
        live_pairs=n * points,
        computed_pairs=0,
        operations=Operations(
            10 * n * points * layer.width,
            2 * n * layer.width * told + 2 * m * layer.width**2 + 2 * n * layer.width**2,
            operations.feed_forward(n, layer),
        ),
        plain_bytes=held,
        fused_bytes=n * told * layer.bytes_per_number,
        plain_traffic=(n + m) * layer.width * layer.bytes_per_number + 2 * held,
        fused_traffic=((n + m) * layer.width + 2 * n * told) * layer.bytes_per_number,
        state_bytes=m * layer.width * layer.bytes_per_number,
        parameters=(layer.width + 1) * told + 2 * layer.width**2,
        assumption=_m(
            "Points instead of pairs: so many for each query and head, over all levels together. No keys, no dot "
            "products; sampling counted as about 10 operations a number. Biases of offsets and weights are parameters."
        ),
    )


def _squeeze(asked: Asked) -> Price:
    """Pooling and gating 2 n C, two small matrices 4 C²/r."""
    n, layer = asked.queries, asked.layer
    wide, hidden = layer.width, max(1, layer.width // asked.settings.reduction)
    moved = 2 * n * wide * layer.bytes_per_number
    return Price(
        live_pairs=0,
        computed_pairs=0,
        operations=Operations(2 * n * wide, 4 * wide * hidden, 0),
        plain_bytes=(2 * wide + hidden) * layer.bytes_per_number,
        fused_bytes=None,
        plain_traffic=moved + n * wide * layer.bytes_per_number,
        fused_traffic=None,
        state_bytes=wide * layer.bytes_per_number,
        parameters=2 * wide * hidden + wide + hidden,
        assumption=_m(
            "No pairs of positions: one gate for each of d channels, from their means. Biases are counted as parameters; "
            "there is no feed-forward part."
        ),
    )


def _relative(asked: Asked) -> Price:
    """A learnt number a head and distance, up to the window; in an image for rows and columns apart."""
    distances = 2 * asked.settings.window + 1
    return _biased(asked, asked.layer.heads * distances ** (1 if asked.grid is None else 2))


def _alibi(asked: Asked) -> Price:
    return _biased(asked, 0)


def _biased(asked: Asked, parameters: int) -> Price:
    live = live_pairs.causal(asked.queries, asked.keys) if asked.is_causal else None
    return _over_pairs(asked, live, assumption=_BIAS, maps=3, more_parameters=parameters)


def _rotary(asked: Asked) -> Price:
    told = _m("Turning each pair of numbers of q and k is six operations, counted with the projections.")
    turned = 3 * asked.queries * asked.layer.width + 3 * asked.keys * asked.layer.kv_width
    live = live_pairs.causal(asked.queries, asked.keys) if asked.is_causal else None
    return _over_pairs(asked, live, assumption=told, more_operations=turned)


def _sinks(asked: Asked) -> Price:
    told = _m("One learnt score a head takes part in the softmax: a number in each row, no key and no value.")
    live = live_pairs.causal(asked.queries, asked.keys) if asked.is_causal else None
    return _over_pairs(asked, live, assumption=told, more_parameters=asked.layer.heads)


def _softcap(asked: Asked) -> Price:
    live = live_pairs.causal(asked.queries, asked.keys) if asked.is_causal else None
    told = _m(
        "As self-attention; the tanh of every score is not counted. A plain form holds the capped scores as well."
    )
    return _over_pairs(asked, live, assumption=told, maps=3)


def _differential(asked: Asked) -> Price:
    live = live_pairs.causal(asked.queries, asked.keys) if asked.is_causal else None
    told = _m(
        "Two softmaxes a head, over halves of its queries and keys, then one sum of values: operations as in "
        "self-attention, twice the maps."
    )
    return _over_pairs(asked, live, assumption=told, maps=4)


OF_ONE_SEQUENCE = frozenset({"strided", "fixed", "global_window_random", "window", "block"})
"""The kinds whose pairs are told by how far apart two places of the same sequence are."""

PRICES: dict[str, Callable[[Asked], Price]] = {
    "self": _self,
    "cross": _cross,
    "causal": _causal,
    "grouped": _grouped,
    "additive": _additive,
    "strided": _strided,
    "fixed": _fixed,
    "global_window_random": _global_window_random,
    "window": _window,
    "block": _block,
    "linear": _linear,
    "deformable": _deformable,
    "squeeze": _squeeze,
    "relative": _relative,
    "alibi": _alibi,
    "rotary": _rotary,
    "sinks": _sinks,
    "softcap": _softcap,
    "differential": _differential,
}
