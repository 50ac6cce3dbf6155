"""What the Kinds page looks at, what it makes of it, and what a link to it may hold."""

import pytest
import torch
from pydantic import ValidationError

from attnviz.attention import kinds
from attnviz.base.errors import InputError
from attnviz.models import load
from attnviz.ui import address
from attnviz.ui.components import ChartClick
from attnviz.ui.kinds import change, drawing, numbers, pictures, sources
from attnviz.ui.kinds.compute import both
from attnviz.ui.kinds.sources import look, patch_features
from attnviz.ui.views.kinds import LAYERS, NATIVE_HEADS, WIDTHS, KindsView, heads_of

SOURCES = ("sentence", "picture", "scene")


def of_source(name, **fields):
    return KindsView(**{**KindsView().with_source(name), **fields})


@pytest.mark.parametrize("source", SOURCES)
def test_vectors_are_as_many_and_as_wide_as_the_view_takes_them_to_be(source):
    looked = look(of_source(source))
    heads, _n, width = looked.inputs.query.shape
    assert heads == NATIVE_HEADS[source]
    assert heads * width == WIDTHS[source]
    assert looked.inputs.value.shape == looked.inputs.query.shape
    assert len(looked.labels) == looked.tokens


def test_a_sentences_weights_are_those_that_the_model_itself_computes():
    view = KindsView(layer=3, head=7)
    side = both(view).left
    recorded = load("minilm").trace(view.text).of_role("encoder")[3].weights(7)
    torch.testing.assert_close(torch.from_numpy(side.tile.weights), recorded, atol=1e-6, rtol=1e-4)


def test_patches_are_asked_by_their_distance_in_what_their_head_compares():
    looked = look(of_source("picture"))
    for head, features in enumerate(patch_features()):
        wanted = -torch.cdist(features, features).square() * sources.SHARPNESS / 2
        found = looked.inputs.query[head] @ looked.inputs.key[head].T
        torch.testing.assert_close(found, wanted, atol=2e-3, rtol=1e-3)


def test_the_child_is_in_the_patch_that_the_picture_begins_with():
    yellow = torch.tensor(drawing.patches()[of_source("picture").query].reshape(-1, 3))
    coat = torch.tensor(drawing._COAT) / 255
    assert float(((yellow - coat).abs().sum(-1) < 1e-3).float().mean()) > 0.2


def test_everybody_on_the_crossing_has_a_place():
    looked = look(of_source("scene"))
    assert len(looked.bodies) == looked.tokens
    assert looked.labels[0] == "ego car"
    assert "child" in looked.labels


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", [kind.id for kind in kinds.KINDS])
def test_every_kind_has_a_picture_of_every_source(source, name):
    view = of_source(source, right=name)
    found = both(view)
    assert pictures._weights(view, found.looked, found.right).description
    assert numbers.table(view, found).shape[1] == 2
    if name != "squeeze":
        sums = torch.from_numpy(found.right.tile.weights).sum(1)
        most = 1 - view.lambda_ if name == "differential" else 1
        assert bool((sums <= most + 1e-5).all())


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", [kind.id for kind in kinds.KINDS])
def test_every_number_of_heads_that_is_offered_can_be_cut(source, name):
    for heads in heads_of(source)[:: len(heads_of(source)) - 1]:
        view = of_source(source, right=name)
        view = KindsView(**{**dict(view), **view.with_heads(heads)})
        assert both(view).right.outcome.output.shape[0] in (heads, NATIVE_HEADS[source])


def test_price_and_picture_count_the_same_pairs():
    """The price is worked out in closed form, the picture's pairs are counted one by one."""
    for source in SOURCES:
        for kind in kinds.KINDS:
            if kind.id == "deformable":  # points there, the positions around them here
                continue
            view = of_source(source, right=kind.id, causal=True)
            found = both(view)
            priced = numbers.priced(view, found.looked, found.right)
            assert priced.live_pairs == int(found.right.outcome.live.sum()), (source, kind.id)


def test_a_window_is_told_to_take_weight_away_from_what_lies_outside():
    view = KindsView(query=0, window=1)
    found = both(view)
    left, right = found.left.weights, found.right.weights
    # From the softmax of all scores to the softmax of the first two: each grows by the same factor.
    assert right[:2].tolist() == pytest.approx((left[:2] / left[:2].sum()).tolist(), abs=1e-5)
    assert "**absent**" in change.weight_sentence(found) or "changes most" in change.weight_sentence(found)


def test_what_has_other_keys_is_not_compared():
    found = both(KindsView(right="cross"))
    assert change.weight_sentence(found) == ("Their weights cannot be compared: they are not weights of the same keys.")
    assert "Its output, 32 numbers" in change.output_sentence(found)


def test_the_weights_of_the_same_kind_are_the_same():
    found = both(KindsView(right="self"))
    assert change.weight_sentence(found) == "No weight of this query changes."
    assert "moves by 0 %" in change.output_sentence(found)


def test_points_lie_on_the_picture_where_they_were_worked_out():
    view = of_source("picture", right="deformable", points=3, heads=1, head=0)
    found = both(view)
    dots = pictures.dots_of(found.right, found.looked.grid)
    weights = found.right.tile.weights[view.query].reshape(found.looked.grid)
    assert dots.weight.sum() == pytest.approx(1, abs=1e-5)
    inside = (dots.row >= 0) & (dots.row <= 7) & (dots.column >= 0) & (dots.column <= 11)
    # The weighted middle of the points is that of the weights that they give to the four patches around each.
    if inside.all():
        rows, columns = torch.meshgrid(torch.arange(8.0), torch.arange(12.0), indexing="ij")
        spread = torch.from_numpy(weights)
        assert float((spread * rows).sum()) == pytest.approx(float((dots.weight * dots.row).sum()), abs=1e-3)
        assert float((spread * columns).sum()) == pytest.approx(float((dots.weight * dots.column).sum()), abs=1e-3)


@pytest.mark.parametrize(
    ("figure", "custom", "point", "wanted"),
    [
        ("left-weights", [4.0, 2.0, 0.1, 0.2], (4, 2), 4),
        ("right-weights", ["query", 3], 3, 3),
        ("right-weights", ["key", 3], 3, None),
        ("right-weights", 17, (1, 5), 17),
        ("left-pairs", None, (6, 1), 6),
        ("left-weights", None, 0, None),
    ],
)
def test_a_click_chooses_the_query_it_is_on(figure, custom, point, wanted):
    assert pictures.clicked(ChartClick(figure, 0, 0, 0, 0, point, custom)) == wanted


@pytest.mark.parametrize(
    "fields",
    [
        {"left": "telepathy"},
        {"heads": 5},
        {"kv_heads": 5},
        {"source": "picture", "layer": 3},
        {"source": "scene", "head": 2},
        {"reduction": 3},
        {"length": 1000},
        {"temperature": 0.01},
        {"window": -1},
        {"text": "a" * 201},
    ],
)
def test_a_link_to_what_no_control_can_show_is_refused(fields):
    with pytest.raises((InputError, ValidationError)):
        KindsView(**fields)


def test_a_view_survives_its_address():
    view = of_source("scene", left="alibi", right="grouped", kv_heads=2, window=5, slope=0.3, query=3, layer=1)
    assert address.decode(address.encode(view), KindsView) == view


@pytest.mark.parametrize("source", SOURCES)
def test_changing_the_source_gives_a_view_that_fits(source):
    view = KindsView(layer=5, head=11, heads=0, kv_heads=12, query=9)
    changed = KindsView(**{**dict(view), **view.with_source(source)})
    assert changed.layer < LAYERS[source]
    assert changed.head < changed.head_count


def test_a_long_text_is_followed_at_its_last_token():
    assert both(KindsView(text="cat", query=200)).left.query == 2


def test_the_gates_on_the_picture_differ():
    """From values with means of 0 all of them would be 0.5, the gate of nothing."""
    found = kinds.kind("squeeze").run(look(KindsView(source="picture", head=0, layer=0)).inputs, kinds.Settings())
    assert (found.gates - 0.5).abs().max() > 0.05
    assert found.gates.std() > 0.01


@pytest.mark.parametrize("name", ["self", "differential"])
def test_a_matrix_of_many_patches_is_no_tower_and_its_labels_stand_apart(name):
    view = of_source("picture", left=name, as_map=True)
    found = both(view)
    figure = pictures._weights(view, found.looked, found.left).figure
    assert figure.layout.height <= 600
    room = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    assert room / len(figure.layout.yaxis.tickvals) >= 12
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]


def test_what_is_computed_and_thrown_away_is_paid_for():
    """10 tokens in blocks of 2: 3 · 5 − 2 pairs of blocks, 4 pairs in each; 44 of the 52 have a weight."""
    view = KindsView(right="window", window=2)
    found = both(view)
    priced = numbers.priced(view, found.looked, found.right)
    assert int(found.right.outcome.live.sum()) == 44
    assert priced.computed_pairs == 52
    # Q Kᵀ and A V, two operations a multiply-add, width 384; scores and weights of 12 heads in 16 bits.
    assert priced.operations.core == 4 * 52 * 384
    assert priced.plain_bytes == 2 * 12 * 52 * 2
    assert "has been paid for" in " ".join(numbers.assumed(view, found.looked, found.right))


@pytest.mark.parametrize("name", ["relative", "alibi", "rotary"])
def test_a_mask_over_all_pairs_saves_nothing_of_them(name):
    view = KindsView(right=name, causal=True)
    found = both(view)
    assert int(found.right.outcome.live.sum()) == 55
    assert numbers.priced(view, found.looked, found.right).operations.core == 4 * 100 * 384


def test_the_price_says_how_many_pairs_are_computed():
    for source in SOURCES:
        for kind in kinds.KINDS:
            view = of_source(source, right=kind.id, causal=True, window=3, stride=2)
            found = both(view)
            computed = int(found.right.outcome.computed.sum())
            assert numbers.priced(view, found.looked, found.right).computed_pairs == computed, (source, kind.id)


@pytest.mark.parametrize(("share", "written"), [(0.0, "0"), (23.44, "23.4"), (113.2, "113"), (1749.6, "1,750")])
def test_a_percentage_has_no_exponent(share, written):
    assert change.percent(share) == written


@pytest.mark.parametrize(("left", "right"), [("linear", "squeeze"), ("squeeze", "self")])
def test_gates_are_no_weights_of_keys(left, right):
    said = change.weight_sentence(both(KindsView(left=left, right=right)))
    assert said == "Weights cannot be compared: Squeeze-and-Excitation has no weights of keys."
