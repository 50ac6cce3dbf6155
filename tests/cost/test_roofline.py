"""The least time of the attention core, against a table that was computed elsewhere: fp16, d = 256, 4 heads, milliseconds."""

import pytest

from attnviz.cost.chips import chips
from attnviz.cost.roofline import Core, bound, most_tokens, pairs, work

# n → for each chip: fused, written out. Orin at 42.6 TFLOP/s (64 tensor cores × 512 × 1.3 GHz).
TABLE = {
    400: {"h200": (0.0002, 0.0012), "a100": (0.0005, 0.0029), "rtx4090": (0.0010, 0.0059), "orin": (0.0040, 0.0290), "thor": (0.0030, 0.0218)},
    1600: {"h200": (0.0026, 0.0177), "a100": (0.0084, 0.0418), "rtx4090": (0.0159, 0.0845), "orin": (0.0615, 0.4160), "thor": (0.0120, 0.3121)},
    6400: {"h200": (0.0424, 0.2758), "a100": (0.1344, 0.6493), "rtx4090": (0.2539, 1.3133), "orin": (0.9846, 6.4640), "thor": (0.1621, 4.8490)},
    8160: {"h200": (0.0689, 0.4474), "a100": (0.2185, 1.0532), "rtx4090": (0.4127, 2.1304), "orin": (1.6006, 10.486), "thor": (0.2635, 7.8660)},
    32640: {"h200": (1.1025, 7.116), "a100": (3.497, 16.75), "rtx4090": (6.604, 33.89), "orin": (25.61, 166.8), "thor": (4.216, 125.1)},
}  # fmt: skip
CASES = [(n, chip, *pair) for n, row in TABLE.items() for chip, pair in row.items()]


@pytest.mark.parametrize(("n", "chip", "fused", "plain"), CASES)
def test_least_milliseconds(n, chip, fused, plain):
    for form, expected in (("fused", fused), ("plain", plain)):
        found = 1000 * bound(work(n, Core(256, 4, form)), chips()[chip]).seconds
        # As exact as the table is printed: four places, or four digits.
        assert found == pytest.approx(expected, rel=4e-4, abs=5.1e-5), form


def test_operations_and_bytes_by_hand():
    # 2 matrix products of 2·n·n·d each; q, k, v and the output, 2 bytes a number; 4 passes over 4 heads of n × n.
    assert (work(400, Core()).operations, work(400, Core()).bytes) == (163_840_000, 819_200)
    assert work(400, Core(form="plain")).bytes == 819_200 + 5_120_000


def test_what_decides_changes_at_the_ridge_point():
    # Fused: 4n²d / 8nd = n/2 operations a byte. Thor's ridge is at 947.8: memory up to 1,895 tokens, computing from 1,896.
    assert bound(work(1895, Core()), chips()["thor"]).by == "memory"
    assert bound(work(1896, Core()), chips()["thor"]).by == "compute"


def test_written_out_never_leaves_the_memory_bound():
    # At most 4n²d / 8hn² = d/2h = 32 operations a byte, below every ridge.
    assert all(bound(work(100_000, Core(form="plain")), chip).by == "memory" for chip in chips().values())


def test_live_pairs_of_a_window():
    # n = 400, w = 8 on each side: 400·17 − 8·9. A window as wide as the row is all pairs.
    assert pairs(400, Core(form="window", window=8)) == 6728
    assert pairs(5, Core(form="window", window=4)) == pairs(5, Core(form="window", window=64)) == 25


@pytest.mark.parametrize("form", ["fused", "plain", "window"])
def test_the_most_tokens_fit_and_one_more_does_not(form):
    core, chip = Core(form=form), chips()["orin"]
    most = most_tokens(core, chip, 0.001)
    assert bound(work(most, core), chip).seconds <= 0.001 < bound(work(most + 1, core), chip).seconds


def test_the_most_tokens_by_hand():
    # 1 ms at 42.6 TFLOP/s is 42.6·10⁹ operations: n = √(42.6·10⁹ / 1024) = 6449.9.
    assert most_tokens(Core(), chips()["orin"], 0.001) == 6449
    assert most_tokens(Core(), chips()["orin"], 1e-12) == 0


def test_the_most_tokens_have_no_end_of_their_own():
    # 8 n · 256 bytes at 4.8 TB/s in a tenth of a second: a window of 64 is bound by memory there.
    assert most_tokens(Core(form="window", window=64), chips()["h200"], 0.1) == 234_375_000
