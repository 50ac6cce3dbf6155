"""The formula has this moment's numbers and shows labels as they are."""

import pytest
import torch

from attnviz.attention import by_hand
from attnviz.figures import row_formula
from attnviz.figures.formula import latex_text


def test_the_intersection(intersection):
    found = row_formula(intersection, 0, 0, ["car ahead", "bike", "parked"])
    assert r"\frac{[4.00,\ 5.00,\ -1.00]}{\sqrt{2}}" in found
    assert r"= [0.327,\ 0.663,\ 0.0095]" in found
    assert r"\underset{\text{car ahead}}{0.327} \cdot 0.600" in found
    assert found.endswith("&= 0.794\n\\end{aligned}\n$$")


@pytest.mark.parametrize(
    ("options", "divisor"),
    [
        ({}, r"}{\sqrt{8}}"),
        ({"scale": False, "temperature": 2}, "}{2}"),
        ({"temperature": 0.5}, r"}{\sqrt{8} \cdot 0.5}"),
        ({"heads": 2}, r"}{\sqrt{4}}"),
    ],
)
def test_the_scores_are_over_what_they_were_divided_by(options, divisor):
    tensors = torch.randn(3, 4, 8, generator=torch.Generator().manual_seed(0)).unbind(0)
    assert divisor + r"\right)" in row_formula(by_hand.steps(*tensors, **options), 0, 0)


def test_undivided_scores_stand_alone(intersection):
    undivided = by_hand.steps(intersection.query[0], intersection.key[0], intersection.value[0], scale=False)
    assert r"\left([4.00,\ 5.00,\ -1.00]\right)" in row_formula(undivided, 0, 0)


def test_a_masked_key_has_no_term():
    tensors = torch.randn(3, 4, 8, generator=torch.Generator().manual_seed(0)).unbind(0)
    found = row_formula(by_hand.steps(*tensors, causal=True), 0, 1, ["a", "b", "c", "d"])
    assert found.count(r"-\infty") == 2
    assert r"\text{b}" in found
    assert r"\text{c}" not in found


def test_more_than_six_terms_are_counted():
    tensors = torch.randn(3, 12, 2, generator=torch.Generator().manual_seed(0)).unbind(0)
    found = row_formula(by_hand.steps(*tensors), 0, 0)
    assert found.count(r"\underset") == 6
    assert found.count("6 more") == 3


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("50% & {x}_1", r"50\% \& \{x\}\_1"),
        (r"a\b", r"a\textbackslash{}b"),
        ("$x^2$~", r"\$x\textasciicircum{}2\$\textasciitilde{}"),
        ("<s>", "<s>"),
    ],
)
def test_labels_are_escaped(text, latex):
    assert latex_text(text) == latex
