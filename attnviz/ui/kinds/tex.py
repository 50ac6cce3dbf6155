"""The words inside formulas, in the current language."""

import re

from attnviz.base.language import _, _m

WORDS = {
    "otherwise": _m("otherwise"),
    "in an image": _m("in an image"),
    "where it is broadcast": _m("where it is broadcast"),
    "(fixed, not learnt)": _m("(fixed, not learnt)"),
    "(a head)": _m("(a head)"),
    "(interpolated between the positions around it)": _m("(interpolated between the positions around it)"),
    "(weights a row)": _m("(weights a row)"),
    "(implicit, never computed)": _m("(implicit, never computed)"),
    "blocks, nothing learnt": _m("blocks, nothing learnt"),
    "(learnt; here set by hand)": _m("(learnt; here set by hand)"),
    "(no softmax: their sum is not 1)": _m("(no softmax: their sum is not 1)"),
    "(a table)": _m("(a table)"),
}
"""All words of the formulas, as they stand in the source."""

_TEXT = re.compile(r"\\text\{( *)([^{}]*?)( *)\}")


def spoken(tex: str) -> str:
    """The same formula with its words in the current language."""
    return _TEXT.sub(lambda found: rf"\text{{{found[1]}{_(WORDS[found[2]])}{found[3]}}}", tex)
