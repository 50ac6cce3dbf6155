"""Global, window and random positions together (BigBird, Zaheer et al. 2020; the first two: Longformer)."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention.kinds.kind import SPARSE, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import in_touched_blocks, masked_attention, outcome
from attnviz.attention.kinds.window import BELTAGY, window_pairs
from attnviz.base.language import _m

ZAHEER = Paper("Zaheer et al.", 2020, "2007.14062")


def global_window_random_pairs(
    positions: int, window: int, global_tokens: int, random_keys: int, seed: int = 0
) -> Bool[Tensor, "n n"]:
    """The first g positions see all and are seen by all; the others see their window and r more keys, drawn at random.

    Random keys are drawn among those that the query does not see already.
    """
    pairs = window_pairs(positions, window)
    pairs[:global_tokens] = True
    pairs[:, :global_tokens] = True
    order = torch.rand(positions, positions, generator=torch.Generator().manual_seed(seed))
    unseen_first = order.masked_fill(pairs, 2.0)  # beyond every draw, so these come last
    chosen = unseen_first.argsort(1)[:, :random_keys]
    return pairs.scatter(1, chosen, torch.ones_like(chosen, dtype=torch.bool))


def global_window_random_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    pairs: Bool[Tensor, "n n"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """Softmax over these pairs alone; the same random keys for all heads."""
    return masked_attention(query, key, value, pairs, temperature)


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """A few positions for all, the neighbours, and a few at random."""
    inputs = inputs.in_heads(settings.heads)
    live = global_window_random_pairs(
        inputs.shape[0], settings.window, settings.global_tokens, settings.random_keys, settings.seed
    ).to(inputs.query.device)
    output = global_window_random_attention(inputs.query, inputs.key, inputs.value, live, settings.temperature)
    computed = in_touched_blocks(live, settings.block)
    return outcome(inputs, settings, GLOBAL_WINDOW_RANDOM.id, output, live=live, computed=computed)


GLOBAL_WINDOW_RANDOM = Kind(
    id="global_window_random",
    name=_m("Global, window and random"),
    group=SPARSE,
    formula=(
        r"S_{ij} = \begin{cases} q_i \cdot k_j / \sqrt{d} & \min(i, j) < g \;\lor\; |i - j| \le w \;\lor\; j \in R_i \\ -\infty & \text{otherwise} \end{cases}",
        r"O = \operatorname{softmax}_j(S / T)\, V, \qquad |R_i| = r",
    ),
    shapes=(
        r"Q, K \in \mathbb{R}^{n \times d},\; V \in \mathbb{R}^{n \times d_v}",
        r"A \in \mathbb{R}^{n \times n},\; \le g + 2w + 1 + r \text{ (weights a row)},\; i \ge g",
    ),
    state=r"h\,n\,(d + d_v)",
    who_looks=_m(
        "The first g positions look at all and are looked at by all; the others look at w on each side and at r random ones."
    ),
    gives_up=_m("Most pairs; with a global position any two meet within two layers. Which keys are random is chance."),
    computes=_m(
        "All pairs of every block that holds a live one. BigBird draws whole blocks at random, so that none are wasted; "
        "here single keys are drawn."
    ),
    papers=(ZAHEER, BELTAGY),
    torch_function="torch.nn.attention.flex_attention.flex_attention(q, k, v, block_mask=create_block_mask(...))",
    trap=_m("Single keys at random fall into most blocks, and then little is saved: draw whole blocks."),
    drawn=_m("Which keys are the random ones."),
    sliders=("global_tokens", "window", "random_keys", "seed", "block", "heads", "temperature"),
    run=run,
)
