"""How the Cost page writes numbers and names what it draws."""

import pytest

from attnviz.cost.fit import ways
from attnviz.ui.cost import curves, fitting, given
from attnviz.ui.views.cost import CostView


def cost_view(**inside):
    view = CostView()
    for name, fields in inside.items():
        view = CostView(**(dict(view) | (view.inside(name, **fields) if isinstance(fields, dict) else {name: fields})))
    return view


@pytest.mark.parametrize(
    ("kept", "written"),
    [(1.0, "100 %"), (0.999_687, "99.97 %"), (0.999_999, "99.99 %"), (0.0123, "1.23 %"), (1e-10, "1.00·10⁻⁸ %")],
)
def test_what_is_kept_is_all_only_where_all_is(kept, written):
    assert fitting.share(kept) == written


def test_one_token_is_one():
    assert given.tokens_sentence(cost_view(source="number", number=1)).startswith("**1** token; ")
    assert given.tokens_sentence(cost_view(source="number", number=2)).endswith("**4** pairs.")


def test_a_window_that_sees_both_ways_counts_the_keys_on_both_sides():
    view = cost_view(priced={"causal": True}, compared={"kinds": ("self", "global_window_random"), "window": 24})
    said = " ".join(curves.windows(view))
    assert "49 keys" in said
    assert "25 keys" not in said
    assert "has no causal form here: its curve" in said


def test_a_window_that_looks_back_counts_what_lies_before():
    view = cost_view(
        priced={"causal": True}, compared={"kinds": ("self", "window", "additive", "deformable"), "window": 4}
    )
    said = " ".join(curves.windows(view))
    assert "A window that looks back counts 5 keys" in said
    assert "have no causal form here" in said


def test_squares_are_no_higher_than_an_image_of_one_row():
    view = cost_view(
        source="image", image={"width": 1600, "height": 16, "stride": 16},
        budget={"unit": "operations", "gigaflop": 0.005, "projections": False},
    )  # fmt: skip
    found = {way.name: fitting.called(way, view) for way in ways(fitting.need_of(view), *fitting.costing(view))}
    assert found["window"].endswith("55 × 1")
    assert found["block"].endswith(" × 1")


@pytest.mark.parametrize("tokens", [1, 1_000_000])
def test_times_have_no_letter_e(tokens):
    view = cost_view(source="number", number=tokens, budget={"unit": "time"})
    for way in ways(fitting.need_of(view), *fitting.costing(view)):
        written = fitting.written(way.cost, view.budget)
        assert "e" not in written, written


def test_operations_say_what_they_are():
    view = cost_view(budget={"unit": "operations"})
    assert fitting.written(39_700_000.0, view.budget) == "39.7\u202fM operations"
    assert fitting.written(39_700_000.0, view.budget, unit=False) == "39.7\u202fM"
