"""Where detectors place attention: shares, tokens and sizes, against what was counted and read elsewhere."""

import pytest

from attnviz.base.errors import InputError
from attnviz.cost.detectors import TABLE, Family, families, letterboxed, shares, tokens
from attnviz.cost.tables import read

# Attention % of parameters, of operations; with its feed-forward % of parameters, of operations; q kᵀ and weights × values %.
YOLO26 = {
    "n": (3.99, 3.34, 9.15, 5.07, 2.02),
    "s": (4.02, 2.48, 9.28, 4.32, 1.08),
    "m": (1.84, 0.75, 4.24, 1.31, 0.33),
    "l": (2.29, 0.91, 5.30, 1.58, 0.39),
    "x": (2.28, 0.78, 5.29, 1.45, 0.26),
}
YOLO11 = {"n": (1.96, 1.55), "s": (2.12, 1.31), "m": (1.00, 0.41), "l": (1.58, 0.65), "x": (1.58, 0.55)}


@pytest.mark.parametrize("letter", "nsmlx")
def test_shares_at_640(letter):
    found = shares(families()["yolo26"].scales[letter], 640, 640)
    parts = (found.attention_parameters, found.attention, found.block_parameters, found.block, found.core)
    assert tuple(round(100 * part, 2) for part in parts) == YOLO26[letter]
    older = shares(families()["yolo11"].scales[letter], 640, 640)
    assert tuple(round(100 * part, 2) for part in (older.attention_parameters, older.attention)) == YOLO11[letter]


def test_heads_calls_widths_and_parameters():
    found = {letter: (scale.width, scale.heads, scale.calls, scale.parameters) for letter, scale in families()["yolo26"].scales.items()}  # fmt: skip
    assert found == {
        "n": (128, 2, 2, 2_572_280),
        "s": (256, 4, 2, 10_009_784),
        "m": (256, 4, 2, 21_896_248),
        "l": (256, 4, 3, 26_299_704),
        "x": (384, 6, 3, 58_993_368),
    }
    assert [scale.calls for scale in families()["yolo11"].scales.values()] == [1, 1, 1, 2, 2]


@pytest.mark.parametrize(("letter", "gigaflop"), [("n", 6.08), ("s", 22.78), ("m", 75.01), ("l", 93.38), ("x", 208.91)])
def test_operations_at_640(letter, gigaflop):
    assert round(shares(families()["yolo26"].scales[letter], 640, 640).operations / 1e9, 2) == gigaflop


def test_the_core_is_two_products_over_the_softmax_s_positions():
    # Each call: 2·n²·32 for q kᵀ and 2·n²·64 for weights × values in each head.
    for family in families().values():
        for scale in family.scales.values():
            assert scale.core_operations == scale.calls * scale.heads * 2 * 400**2 * (32 + 64)


def test_at_1088_by_1920_the_core_is_nearly_a_tenth():
    assert round(100 * shares(families()["yolo26"].scales["n"], 1920, 1088).core, 1) == 9.5


def test_attention_stands_where_the_map_is_smallest():
    for name, numbers in (("yolo26", {10: "C2PSA", 22: "C3k2"}), ("yolo11", {10: "C2PSA"})):
        family = families()[name]
        assert {number: family.layers[number][0] for number in family.attention} == numbers
        assert {family.layers[number][1] for number in family.attention} == {(32,)}
        assert len(family.layers) == 24


@pytest.mark.parametrize(
    ("image", "longest", "square", "stride", "given", "count"),
    [
        ((640, 640), 640, True, 32, (640, 640), 400),
        ((1280, 1280), 1280, True, 32, (1280, 1280), 1600),
        ((1920, 1080), 640, True, 32, (640, 640), 400),
        ((1920, 1080), 640, False, 32, (640, 384), 240),
        ((1920, 1080), 1920, False, 32, (1920, 1088), 2040),
        ((640, 640), 640, True, 64, (640, 640), 100),
        ((1080, 1920), 640, False, 32, (384, 640), 240),
        ((10, 8000), 640, False, 32, (32, 640), 20),
    ],
)
def test_tokens_of_an_image(image, longest, square, stride, given, count):
    found = letterboxed(*image, longest, square=square, stride=stride)
    assert found == given
    assert tokens(*found, stride) == count


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("heads = 2", "heads = 0", "yolo26 › scales › n › heads"),
        ("core_operations = 122_880_000", "core_operations = 222_880_000_000", "more than the whole"),
        ("[yolo26]", "[yolo26", "detectors.toml could not be read"),
    ],
)
def test_a_broken_table_is_refused_in_a_sentence(tmp_path, before, after, said):
    table = tmp_path / "detectors.toml"
    table.write_text(TABLE.read_text(encoding="utf-8").replace(before, after, 1), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read(table, Family)
    assert said in str(refused.value)
