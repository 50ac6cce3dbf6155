"""The formula of attention with this moment's numbers in it, as LaTeX for Streamlit's Markdown (KaTeX)."""

import math
from collections.abc import Sequence

from attnviz.attention.by_hand import Steps
from attnviz.base.language import _n
from attnviz.figures.escape import labels
from attnviz.tokens import Tokens

# More terms than this make a line that nobody reads.
MOST_TERMS = 8
MOST_COORDINATES = 3

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

    At most eight terms are written out; how many follow is said. Masked keys have the score −∞ and no term.
    """
    names = labels(key_labels, steps.weights.shape[-1])
    scores = [f"{dot:.2f}" if here else r"-\infty" for dot, here in _pairs(steps, head, query)]
    weights = [_weight(float(weight)) for weight in steps.weights[head, query]]
    lines = [
        rf"w &= \operatorname{{softmax}}\left({_divided(_listed(scores), steps)}\right) = {_listed(weights)}",
        rf"o &= {_sum(steps, head, query, names)} = {_vector(steps.output[head, query].tolist())}",
    ]
    body = " \\\\\n".join(lines)
    return f"$$\n\\begin{{aligned}}\n{body}\n\\end{{aligned}}\n$$"


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
    return _shortened(terms, " + ") or "0"


def _listed(items: Sequence[str]) -> str:
    return "[" + _shortened(items, COMMA) + "]"


def _shortened(items: Sequence[str], between: str) -> str:
    if len(items) <= MOST_TERMS:
        return between.join(items)
    left = len(items) - MOST_TERMS
    more = latex_text(_n("{count} more", "{count} more", left))
    return between.join([*items[:MOST_TERMS], rf"\ldots\ (\text{{{more}}})"])


def _vector(numbers: Sequence[float]) -> str:
    """A number, or up to three coordinates in brackets."""
    written = [_signed(number) for number in numbers[:MOST_COORDINATES]]
    if len(numbers) == 1:
        return written[0]
    return "(" + COMMA.join([*written, *([r"\ldots"] if len(numbers) > MOST_COORDINATES else [])]) + ")"


def _signed(number: float) -> str:
    """Three decimals; a negative number in brackets, so that no two signs meet."""
    return f"{number:.3f}" if number >= 0 else f"({number:.3f})"


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
