import pytest

from attnviz.figures.magnitudes import bytes_text, count_text, linear_ticks, log_ticks


def plain(text):
    return text.replace("\u202f", " ")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"), (400, "400"), (6_400, "6,400"), (99_999, "99,999"), (160_000, "160 k"), (999_700, "1.00 M"),
        (40_960_000, "41.0 M"), (68.18e9, "68.2 G"), (2.413, "2.41"),
    ],
)  # fmt: skip
def test_large_counts_have_three_digits(value, written):
    assert plain(count_text(value)) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [(5, "5 B"), (1_023, "1023 B"), (1_024, "1.00 KiB"), (1_073_741_824, "1.00 GiB"), (81_920_000, "78.1 MiB")],
)
def test_bytes_go_by_1024(value, written):
    assert plain(bytes_text(value)) == written


def test_a_logarithmic_axis_has_few_round_ticks():
    assert log_ticks(16, 100_000, is_bytes=False)[1] == ["100", "1k", "10k", "100k"]
    values, written = log_ticks(3_000, 2e12, is_bytes=True)
    assert values == [2.0**power for power in (15, 20, 25, 30, 35, 40)]
    assert [plain(one) for one in written] == ["32 KiB", "1 MiB", "32 MiB", "1 GiB", "32 GiB", "1 TiB"]
    for most in (1e3, 1e6, 1e9, 1e15):
        assert 3 <= len(log_ticks(10, most, is_bytes=False)[0]) <= 8
    assert log_ticks(150, 900, is_bytes=False)[0] == [200, 500]


def test_a_linear_axis_begins_at_nothing():
    assert linear_ticks(68e9, is_bytes=False)[1] == ["0", "20G", "40G", "60G"]
    assert [plain(one) for one in linear_ticks(3e9, is_bytes=True)[1]] == ["0", "1 GiB", "2 GiB"]
    assert linear_ticks(0, is_bytes=False) == ([0.0], ["0"])


def test_ticks_far_below_one_are_powers():
    assert log_ticks(1e-5, 1e-2, is_bytes=False)[1] == ["10⁻⁵", "0.0001", "0.001", "0.01"]
