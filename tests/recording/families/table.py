"""The page of the documentation that says what recording was measured on."""

from pathlib import Path

import torch

from tests.recording.families.measure import Case, Measured

PAGE = Path(__file__).parents[3] / "docs" / "families.md"

HEAD = """# What recording was measured on

Written by `make families`, not by hand: each row is a run on this machine's CPU (torch {torch}, transformers
{transformers}) of a small model with random weights whose attention is peaked, not nearly uniform. `make test` runs
the same cases and fails where an attention is missing, where a weight is further off than the bound, or where a
layer's weights × v are not the model's own output.

*error*: the greatest difference of any weight, in all rows that have a key. *bound*: 1e-5 where no |score| is above
64; above, twice what a float32 softmax of the same scores errs by. *held against*: the weights that the model handed
out in the very pass that was recorded, or softmax(q·kᵀ) worked out in float64 beside it.

| family | mechanism | layers | found | greatest score | error | bound | held against | rows without a key | checked by output |
|---|---|---|---|---|---|---|---|---|---|
"""


def row(case: Case, found: Measured) -> str:
    """One line of the table."""
    largest = "–" if found.largest_score is None else f"{found.largest_score:.3g}"
    cells = (
        case.family,
        case.mechanism,
        found.expected,
        found.layers,
        largest,
        f"{found.error:.1e}",
        f"{found.bound:.1e}",
        found.against,
        found.masked,
        f"{found.checked} of {found.layers}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def page(rows: list[str]) -> str:
    """The whole page."""
    import transformers

    head = HEAD.format(torch=torch.__version__.partition("+")[0], transformers=transformers.__version__)
    return head + "".join(f"{one}\n" for one in rows)


def listed() -> set[tuple[str, str]]:
    """Families and mechanisms that the page has a row for."""
    lines = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    return {(cells[1].strip(), cells[2].strip()) for cells in lines[1:]}
