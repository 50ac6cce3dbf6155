"""The formula of attention with this moment's numbers in it, as LaTeX for Streamlit's Markdown (KaTeX)."""

import math
from collections.abc import Sequence

from attnviz.attention.by_hand import Steps
from attnviz.base.language import _n
from attnviz.figures.escape import labels
from attnviz.tokens import Tokens

# More terms than this make a line that nobody reads.
MOST_TERMS = 6
MOST_COORDINATES = 3

# What fits beside each other on a page of usual width.
KEYS_ON_ONE_LINE = 4
NUMBERS_ON_ONE_LINE = 3
VECTORS_ON_ONE_LINE = 2

BREAK = " \\\\\n"
COMMA = r",\ "

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


def row_formula(steps: Steps, head: int, query: int, key_labels: Tokens | Sequence[str] | None = None) -> str:
    """The weights and the output of one query in one head: softmax of its scores, then the sum of the values.

    At most six terms are written out; how many follow is said. Masked keys have the score −∞ and no term.
    """
    names = labels(key_labels, steps.weights.shape[-1])
    scores = [f"{dot:.2f}" if here else r"-\infty" for dot, here in _pairs(steps, head, query)]
    weights = [_weight(float(weight)) for weight in steps.weights[head, query]]
    equals = f"{BREAK}&= " if len(scores) > KEYS_ON_ONE_LINE else " = "
    lines = [
        rf"w &= \operatorname{{softmax}}\left({_divided(_listed(scores), steps)}\right){equals}{_listed(weights)}",
        f"o &= {_sum(steps, head, query, names)}",
        f"&= {_vector(steps.output[head, query].tolist())}",
    ]
    return f"$$\n\\begin{{aligned}}\n{BREAK.join(lines)}\n\\end{{aligned}}\n$$"


def latex_text(text: str) -> str:
    """Text as KaTeX shows it as it is, inside \\text{…}."""
    return "".join(_LATEX.get(letter, letter) for letter in text)


def _pairs(steps: Steps, head: int, query: int) -> list[tuple[float, bool]]:
    return list(zip(steps.dots[head, query].tolist(), steps.allowed[head, query].tolist(), strict=True))


def _divided(scores: str, steps: Steps) -> str:
    """The scores over what they are divided by: √d, the temperature, both or nothing."""
    width = steps.query.shape[-1]
    factors = [rf"\sqrt{{{width}}}"] if steps.scale else []
    if steps.temperature != 1:
        factors.append(f"{steps.temperature:g}")
    below = r" \cdot ".join(factors)
    return rf"\frac{{{scores}}}{{{below}}}" if factors else scores


def _sum(steps: Steps, head: int, query: int, names: Sequence[str]) -> str:
    """weight · value for every allowed key, each weight over its key's name."""
    terms = [
        rf"\underset{{\text{{{latex_text(name)}}}}}{{{_weight(float(weight))}}} \cdot {_vector(value.tolist())}"
        for name, weight, value, here in zip(
            names, steps.weights[head, query], steps.value[head], steps.allowed[head, query].tolist(), strict=True
        )
        if here
    ]
    shown = _most(terms)
    together = NUMBERS_ON_ONE_LINE if steps.value.shape[-1] == 1 else VECTORS_ON_ONE_LINE
    lines = [" + ".join(shown[start : start + together]) for start in range(0, len(shown), together)]
    return rf"{BREAK}&\quad + ".join(lines) or "0"


def _listed(items: Sequence[str]) -> str:
    return "[" + COMMA.join(_most(items)) + "]"


def _most(items: Sequence[str]) -> list[str]:
    """The first six, and how many more there are."""
    if len(items) <= MOST_TERMS:
        return list(items)
    left = len(items) - MOST_TERMS
    more = latex_text(_n("{count} more", "{count} more", left))
    return [*items[:MOST_TERMS], rf"\ldots\ (\text{{{more}}})"]


def _vector(numbers: Sequence[float]) -> str:
    """A number, in brackets where it is negative so that no two signs meet, or up to three coordinates."""
    if len(numbers) == 1:
        return f"{numbers[0]:.3f}" if numbers[0] >= 0 else f"({numbers[0]:.3f})"
    written = [f"{number:.3f}" for number in numbers[:MOST_COORDINATES]]
    return "(" + COMMA.join([*written, *([r"\ldots"] if len(numbers) > MOST_COORDINATES else [])]) + ")"


def _weight(weight: float) -> str:
    """Three decimals, or two significant digits where those would hide it."""
    if math.isnan(weight):
        return r"\mathrm{NaN}"
    if weight == 0 or weight >= 0.0995:
        return f"{weight:.3f}" if weight else "0"
    if weight >= 1e-4:
        return f"{weight:.{1 - math.floor(math.log10(weight))}f}"
    mantissa, exponent = f"{weight:.1e}".split("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
