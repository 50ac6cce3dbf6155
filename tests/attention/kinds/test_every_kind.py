"""What holds for every kind: the picture is of the output, what is live is computed, and sliders do what they say."""

from dataclasses import replace

import pytest
import torch

from attnviz.attention.kinds import KINDS, Inputs, Settings, kind
from attnviz.base.errors import InputError

EVERY = pytest.mark.parametrize("each", KINDS, ids=lambda each: each.id)
IDS = [
    "self",
    "cross",
    "causal",
    "grouped",
    "additive",
    "strided",
    "fixed",
    "global_window_random",
    "window",
    "block",
    "linear",
    "deformable",
    "squeeze",
    "relative",
    "alibi",
    "rotary",
    "sinks",
    "softcap",
    "differential",
]
# Settings away from the defaults, all of which change something in a kind that reads them.
CHANGED = Settings(
    window=1,
    stride=5,
    block=2,
    global_tokens=2,
    random_keys=3,
    seed=3,
    heads=4,
    kv_heads=2,
    temperature=0.3,
    softcap=0.5,
    sink=3.0,
    slope=4.0,
    lambda_=0.9,
    points=2,
    reduction=2,
    causal=True,
)


@pytest.fixture(scope="module", params=[None, (4, 6)], ids=["sequence", "image"])
def inputs(request):
    return Inputs.drawn(24, width=16, grid=request.param, dtype=torch.float64)


def test_all_kinds_are_there_once():
    assert sorted(each.id for each in KINDS) == sorted(IDS)
    assert all(kind(each.id) is each for each in KINDS)


@EVERY
@pytest.mark.parametrize("settings", [Settings(), CHANGED], ids=["default", "changed"])
def test_weights_times_values_is_the_output(each, inputs, settings):
    found = each.run(inputs, settings)
    assert found.output.dtype == torch.float64
    assert found.output.isfinite().all()
    if found.attention is None:
        assert found.gates is not None
    else:
        torch.testing.assert_close(found.attention.output(), found.output.float(), rtol=1e-5, atol=1e-5)


@EVERY
@pytest.mark.parametrize("settings", [Settings(), CHANGED], ids=["default", "changed"])
def test_what_is_not_live_has_no_weight_and_rows_sum_to_1_where_they_are_a_softmax(each, inputs, settings):
    found = each.run(inputs, settings)
    if found.attention is None:
        return
    weights = found.attention.weights(None)
    assert found.live.shape == weights.shape[1:]
    assert (weights[:, ~found.live] == 0).all()
    assert bool(found.live.any(1).all())
    if found.attention.normalised:
        total = weights.sum(-1) + found.attention.sink_mass()
        torch.testing.assert_close(total, torch.ones_like(total))


@pytest.mark.parametrize(
    "each", [each for each in KINDS if each.id not in ("deformable", "squeeze")], ids=lambda each: each.id
)
@pytest.mark.parametrize("settings", [Settings(), CHANGED], ids=["default", "changed"])
def test_what_is_not_live_is_shown_as_absent_and_not_as_zero(each, inputs, settings):
    # Deformable attention hides nothing: what no point touches has the weight 0.
    found = each.run(inputs, settings)
    assert torch.equal(found.attention.allowed(None), found.live.expand(found.attention.heads, -1, -1))


@EVERY
def test_what_is_live_is_computed_unless_no_pair_is(each, inputs):
    for settings in (Settings(), CHANGED):
        found = each.run(inputs, settings)
        assert bool((found.computed | ~found.live).all()) or not bool(found.computed.any())


@EVERY
def test_every_slider_of_a_kind_changes_its_outcome_and_no_other_does(each, inputs):
    """From the defaults or to them: where a stride fits the blocks, the blocks alone change nothing."""
    before, after = each.run(inputs, Settings()), each.run(inputs, CHANGED)
    for name in Settings.__dataclass_fields__:
        if name == "kv_heads":
            continue  # for 2 heads it is 1 or 2, tested below
        there = each.run(inputs, Settings(**{name: getattr(CHANGED, name)}))
        back = each.run(inputs, replace(CHANGED, **{name: getattr(Settings(), name)}))
        assert (_differ(before, there) or _differ(after, back)) == (name in each.sliders), name


def test_key_heads_change_the_grouped_kind_alone(inputs):
    changing = [
        each.id for each in KINDS if _differ(each.run(inputs, Settings()), each.run(inputs, Settings(kv_heads=2)))
    ]
    assert changing == ["grouped"]


@EVERY
def test_it_says_what_it_is(each):
    assert each.name
    assert each.who_looks
    assert each.gives_up
    assert each.computes
    assert each.formula
    assert each.shapes
    assert each.state
    assert set(each.sliders) <= set(Settings.__dataclass_fields__)
    assert all(1990 < paper.year < 2030 and len(paper.arxiv) in (9, 10) for paper in each.papers)
    assert str(each.paper).startswith(each.paper.authors)
    assert each.paper.address == f"https://arxiv.org/abs/{each.paper.arxiv}"


@EVERY
def test_a_temperature_means_the_same_for_every_kind(each, inputs):
    """Scores divided by T just before the softmax make weights w^(1/T), shared out again; the sink takes part."""
    if "temperature" not in each.sliders or each.id == "differential":
        return
    plain, cooled = (each.run(inputs, Settings(temperature=T)) for T in (1.0, 0.4))
    if plain.points is not None:
        before, after = plain.points.weights, cooled.points.weights
    else:
        before, after = (
            torch.cat([one.attention.weights(None), one.attention.sink_mass()[..., None]], -1)
            for one in (plain, cooled)
        )
    sharpened = before ** (1 / 0.4)
    torch.testing.assert_close(after, sharpened / sharpened.sum(-1, keepdim=True), rtol=1e-4, atol=1e-6)


def test_where_no_softmax_is_there_is_no_temperature():
    assert [each.id for each in KINDS if "temperature" not in each.sliders] == ["linear", "squeeze"]


def test_an_unknown_kind_is_named():
    with pytest.raises(InputError, match="no kind of attention “sideways”"):
        kind("sideways")


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [
        ("window", -1),
        ("stride", 0),
        ("heads", 0),
        ("temperature", 0.0),
        ("temperature", float("nan")),
        ("softcap", -1.0),
    ],
)
def test_settings_without_a_meaning_are_refused(setting, wrong):
    with pytest.raises(InputError, match=f"“{setting}” is"):
        Settings(**{setting: wrong})


def test_a_width_that_does_not_divide_is_refused():
    with pytest.raises(InputError, match="width of 16 cannot be split into 3"):
        kind("self").run(Inputs.drawn(), Settings(heads=3))


def test_a_grid_of_another_size_is_refused():
    with pytest.raises(InputError, match="3 × 4 cells does not have 16 positions"):
        Inputs.drawn(16, grid=(3, 4))


def test_cut_into_other_heads_the_numbers_stay_the_same():
    inputs = Inputs.drawn(5, width=12, heads=2)
    again = inputs.in_heads(6).in_heads(2)
    assert torch.equal(inputs.query, again.query)
    assert torch.equal(inputs.in_heads(6).query[1, 0], inputs.query[0, 0, 2:4])


def test_shared_key_heads_are_repeated_for_the_heads_that_share_them():
    query, key = torch.randn(4, 5, 2), torch.randn(2, 5, 2)
    cut = Inputs(query, key, key).in_heads(4)
    assert torch.equal(cut.key, key[[0, 0, 1, 1]])


def test_the_same_numbers_in_either_precision():
    single, double = (Inputs.drawn(dtype=dtype).query for dtype in (torch.float32, torch.float64))
    assert torch.equal(single.double(), double)


def _differ(first, second):
    """Whether outputs, pairs or state differ."""
    return (
        first.output.shape != second.output.shape
        or not torch.allclose(first.output, second.output)
        or not torch.equal(first.live, second.live)
        or not torch.equal(first.computed, second.computed)
        or first.state != second.state
    )
