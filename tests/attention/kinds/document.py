"""The page of the documentation about kinds of attention: `python -m tests.attention.kinds.document` writes it."""

from dataclasses import replace
from pathlib import Path

from attnviz.attention.kinds import KINDS, Inputs, Kind, Outcome, Settings
from attnviz.cost.layer import Layer
from attnviz.cost.price import Price, price, worked_out

PAGE = Path(__file__).parents[3] / "docs" / "kinds.md"

POSITIONS, WIDTH = 256, 64
SETTINGS = Settings(window=8, stride=16, block=16, heads=4, kv_heads=1)

HEAD = """# Kinds of attention

One notation for all of them: n queries, m keys, h heads; in each head d is the width of queries and keys and d_v that
of values; S are scores, A weights, O outputs; i counts queries and j keys, both from 0. T is the temperature, which is
1 in every paper named here: scores are divided by it just before the softmax, after scale, softcap and bias. A window
of w counts positions on each side, so a query looks at 2w + 1 keys, or at w + 1 where it looks back alone. Mistral's
window counts the query's own key and so is w + 1; Longformer's counts both sides and so is 2w.

Each kind is a few lines of torch in `attnviz/attention/kinds`, held in float64 against PyTorch's own functions, against
FlexAttention and against its own other form. Two kinds on the same numbers, without training, show what a mechanism
does; they do not say which one would learn better.

## Pairs and state

Counted for {positions} positions of width {width} in {heads} heads, w = {window}, l = {stride}, blocks of {block}, {kv_heads} key
head where they are grouped, everything else as it is set at first; cross-attention looks at half as many keys.
**Live** is who may look at whom. **Computed** is what the usual implementation works out, which the kind's section
names: a window written as a mask computes every pair and throws most of them away. **State** is how many numbers have
to be kept to answer one more query, in all heads together. **FLOPs** and **bytes** are estimates in closed form for the
computed pairs: two FLOPs for a multiply-add, softmax, biases and projections left out; 16-bit numbers, what is held
beyond the inputs and the output. An em dash: there is no fused kernel of it.

| kind | live pairs | computed pairs | FLOPs of the core | bytes, weights written down | bytes, fused | state | paper |
|---|---|---|---|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    inputs = Inputs.drawn(POSITIONS, width=WIDTH)
    rows = [_row(each, each.run(inputs, SETTINGS)) for each in KINDS]
    groups = dict.fromkeys(each.group for each in KINDS)
    parts = [_group(group) for group in groups]
    return _head() + "\n".join(rows) + "\n\n" + "\n".join(parts)


def _head() -> str:
    return HEAD.format(
        positions=POSITIONS,
        width=WIDTH,
        heads=SETTINGS.heads,
        window=SETTINGS.window,
        stride=SETTINGS.stride,
        block=SETTINGS.block,
        kv_heads=SETTINGS.kv_heads,
    )


def _row(kind: Kind, found: Outcome) -> str:
    cost = _price(kind, found)
    computed = int(found.computed.sum())
    numbers = (int(found.live.sum()), computed, cost.operations.core, cost.plain_bytes, cost.fused_bytes, found.state)
    shown = ("—" if number is None else f"{number:,}" for number in numbers)
    cells = (kind.name, *shown, f"[{kind.paper}]({kind.paper.address})")
    return f"| {' | '.join(cells)} |"


def _price(kind: Kind, found: Outcome) -> Price:
    layer = Layer(WIDTH, SETTINGS.heads, SETTINGS.kv_heads if "kv_heads" in kind.sliders else SETTINGS.heads)
    layer = replace(layer, bytes_per_number=2)
    return worked_out(price(kind.id, *found.live.shape, layer, SETTINGS), int(found.computed.sum()))


def _group(group: str) -> str:
    return f"## {group}\n\n" + "\n".join(_section(each) for each in KINDS if each.group == group)


def _section(kind: Kind) -> str:
    formula = " \\\\\n".join(kind.formula)
    told = [
        ("Who looks at whom", kind.who_looks),
        ("Gives up", kind.gives_up),
        ("Computes", kind.computes),
        ("State", f"${kind.state}$ numbers."),
        ("Papers", "; ".join(f"[{paper}]({paper.address})" for paper in kind.papers) + "."),
        ("In PyTorch", f"`{kind.torch_function}`." if kind.torch_function else "no function."),
        ("Mind", kind.trap),
        ("Parameters", kind.drawn),
        ("Sliders", ", ".join(f"`{name}`" for name in kind.sliders) + "."),
    ]
    lines = [f"- **{what}:** {said}" for what, said in told if said]
    shapes = "\n".join(f"${line}$  " for line in kind.shapes)
    return (
        f"### {kind.name}\n\n$$\n\\begin{{gathered}}\n{formula}\n\\end{{gathered}}\n$$\n\n{shapes}\n\n"
        + "\n".join(lines)
        + "\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
