"""The page about kinds of attention says what the code says, and its counts are those of closed forms."""

import re

import pytest

from tests.attention.kinds.document import PAGE, page


@pytest.fixture(scope="module")
def written():
    return PAGE.read_text(encoding="utf-8")


def test_it_is_up_to_date(written):
    assert written == page(), "write it again: python -m tests.attention.kinds.document"


@pytest.mark.parametrize(
    ("name", "live", "computed", "state"),
    [
        # n²; 2 · 256 · 64.
        ("Self-attention", 65_536, 65_536, 32_768),
        # n · n/2.
        ("Cross-attention", 32_768, 32_768, 16_384),
        # n(n + 1)/2.
        ("Causal attention with a cache", 32_896, 32_896, 32_768),
        # One key head of four.
        ("Grouped key heads", 65_536, 65_536, 8_192),
        # n(2w + 1) − w(w + 1); blocks of w: 32 · 3 − 2 pairs of blocks, 64 pairs in each; 17 positions.
        ("Sliding window", 4_280, 6_016, 2_176),
        # 16 blocks of 16 × 16; 16 positions.
        ("Block-local", 4_096, 4_096, 2_048),
        # 16 · 256 in the own block, and 15 last positions of other blocks for each.
        ("Sparse, fixed", 4_096 + 256 * 15, 65_536, 32_768),
        # h(d² + d) with 4 heads of 16.
        ("Linear", 65_536, 0, 1_088),
        # One mean for each channel.
        ("Squeeze-and-Excitation", 0, 0, 64),
    ],
)
def test_its_counts_are_those_of_closed_forms(written, name, live, computed, state):
    assert re.search(
        rf"^\| {re.escape(name)} \| {live:,} \| {computed:,} \| .* \| {state:,} \| \[", written, re.MULTILINE
    )


@pytest.mark.parametrize(
    ("name", "core", "plain", "fused"),
    [
        # 4 n² d; scores and weights of 4 heads in 2 bytes; one float32 a row and head.
        ("Self-attention", 4 * 65_536 * 64, 2 * 4 * 65_536 * 2, 4 * 256 * 4),
        # All pairs of the touched blocks, of which 4,280 have a weight.
        ("Sliding window", 4 * 6_016 * 64, 2 * 4 * 6_016 * 2, 4 * 256 * 4),
        # A stride of 16 with blocks of 16 touches every block.
        ("Sparse, strided", 4 * 65_536 * 64, 2 * 4 * 65_536 * 2, 4 * 256 * 4),
        # 4 n d²/h; h (d² + d) sums with d = 16.
        ("Linear", 4 * 256 * 64 * 16, 1_088 * 2, 1_088 * 2),
    ],
)
def test_its_prices_are_those_of_closed_forms(written, name, core, plain, fused):
    row = next(line for line in written.splitlines() if line.startswith(f"| {name} |"))
    assert [cell.strip() for cell in row.split("|")][4:7] == [f"{core:,}", f"{plain:,}", f"{fused:,}"]


def test_every_formula_is_balanced(written):
    for formula in re.findall(r"\$\$(.*?)\$\$", written, re.DOTALL):
        assert formula.count("{") == formula.count("}")
        assert formula.count(r"\begin") == formula.count(r"\end")
        assert formula.count(r"\left") == formula.count(r"\right")
