"""Formulas fit into half a page, and none of them loses anything."""

import pytest

from attnviz.attention import kinds
from attnviz.ui.kinds import card


@pytest.mark.parametrize("kind", kinds.KINDS, ids=lambda kind: kind.id)
def test_a_formula_that_is_cut_keeps_every_sign(kind):
    for line in kind.formula:
        joined = r", \qquad ".join(card._short(line))
        for size in (r"{\footnotesize ", r"{\small "):
            joined = joined.replace(size, "")
        assert joined.replace("}", "") == line.replace("}", "")


def test_a_short_line_stays_as_it_is():
    assert card._short("O = A V") == ["O = A V"]
