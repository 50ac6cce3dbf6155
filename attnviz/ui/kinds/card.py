"""What one kind is: its formula with shapes, who looks at whom, what it gives up, the paper, what does it in torch."""

import streamlit as st

from attnviz.attention.kinds import Kind
from attnviz.base.language import _
from attnviz.ui.kinds.tex import spoken

LONGEST = 90
"""Signs of TeX that half the page holds."""
_SIZES = ((170, r"\footnotesize "), (140, r"\small "))


# The longest line takes 440 pixels at full size: in a narrower column all of them are smaller.
_FITTED = """<style>
[class*="st-key-kinds-formula"] { container-type: inline-size; }
[class*="st-key-kinds-formula"] .katex-display .katex { font-size: clamp(0.8rem, 4.3cqw, 1.21rem); }
</style>"""


def formula(kind: Kind, side: str) -> None:
    """The formula, in one notation for all kinds, and the shapes under it. side: which of two it stands on."""
    lines = [spoken(part) for line in kind.formula for part in _short(line)]
    with st.container(key=f"kinds-formula-{side}"):
        st.html(_FITTED)
        st.latex(r"\begin{gathered}" + r" \\[2pt] ".join(lines) + r"\end{gathered}")
    # One by one, so that they wrap where it is narrow; in braces, so that none wraps within.
    st.caption(" &nbsp; ".join(f"${{{spoken(line)}}}$" for line in kind.shapes))


def _short(line: str) -> list[str]:
    """A line that is too long for half the page, cut where its parts stand apart, or set smaller."""
    if len(line) <= LONGEST:
        return [line]
    size = next((size for most, size in _SIZES if len(line) > most), "")
    return [f"{{{size}{part}}}" for part in line.split(r", \qquad ")] if size else line.split(r", \qquad ")


def meaning(kind: Kind, *, causal: bool = False) -> None:
    """Who may look at whom, and what is given up for it. causal: whether the page is set to look back alone."""
    looks = _(kind.who_looks)
    if causal and "causal" in kind.sliders:
        looks += " " + _("Set to look back alone, a position has only itself and what came before it.")
    st.markdown(f"**{_(kind.name)}** · {looks}")
    st.markdown(_("**Gives up:** {what}", what=_(kind.gives_up)))


def sources(kind: Kind, instead: str = "") -> None:
    """The papers, torch's own function and its trap, what is drawn at random; or what is there instead of that."""
    papers = "; ".join(f"[{paper.authors} {paper.year}]({paper.address})" for paper in kind.papers)
    lines = [f"**{_(kind.name)}**", _("Described by {papers}.", papers=papers)]
    if kind.torch_function:
        lines.append(_("In PyTorch: {function}", function=f"`{kind.torch_function}`"))
    elif not kind.trap:
        lines.append(_("PyTorch has no function for it."))
    if kind.trap:
        lines.append(_("Mind: {trap}", trap=_(kind.trap)))
    if instead or kind.drawn:
        lines.append(instead or _(kind.drawn))
    st.caption("  \n".join(lines))
