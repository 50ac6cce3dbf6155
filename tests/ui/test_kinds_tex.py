"""Words inside formulas are said in the language of the page."""

import re

import pytest

from attnviz.attention.kinds import KINDS
from attnviz.ui.kinds.positions import FORMULAS
from attnviz.ui.kinds.tex import WORDS, spoken

LINES = [line for kind in KINDS for line in (*kind.formula, *kind.shapes)] + list(FORMULAS.values())


def test_every_word_of_every_formula_can_be_said_in_another_language():
    found = {words.strip() for line in LINES for words in re.findall(r"\\text\{([^}]*)\}", line)}
    assert found == set(WORDS)


@pytest.mark.parametrize("line", LINES)
def test_a_formula_in_english_stays_as_it_is(line):
    assert spoken(line) == line


def test_only_the_words_change(monkeypatch):
    monkeypatch.setattr("attnviz.ui.kinds.tex._", {"(a table)": "(таблица)", "otherwise": "иначе"}.__getitem__)
    line = r"a \;\text{ (a table) }\; b & \text{otherwise} \operatorname{softmax}"
    assert spoken(line) == r"a \;\text{ (таблица) }\; b & \text{иначе} \operatorname{softmax}"
