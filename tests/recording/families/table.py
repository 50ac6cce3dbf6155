"""The page of the documentation that says what recording was measured on."""

from pathlib import Path

import torch

from tests.recording.families.measure import BOUND, MOST, PEAKED, Case, Measured

PAGE = Path(__file__).parents[3] / "docs" / "families.md"

HEAD = """# What recording was measured on

`attnviz.capture` shows the attention of models that were not made for it. This table says for which kinds of models
that was tried, and how far the weights that it shows are from those that the model really used.

Each row is one run on a CPU (torch {torch}, transformers {transformers}) of a small model with random weights. No model
is downloaded: what matters here is how a model computes, not what it has learnt. Queries are enlarged until attention
is peaked, because weights that are nearly uniform would be right by chance. Nearly all runs are of two or
more sequences or pictures at once, and many of them contain padding. `make families` writes this page; `make test`
runs the same cases, and fails where one of them does not keep to what is said below.

- **family**: the model, or the function of PyTorch. “Rewritten” is a layer that computes as the library does that is
  named, without that library. “By hand” is a layer that writes attention out of single operations, which are named.
- **mechanism**: by which way it attends. “Eager” is a model's own code, which can hand out its weights, “sdpa”
  PyTorch's fused function, which cannot.
- **layers**, **found**: how many attentions the model has, and how many were recorded: all of them, except in the
  rows that say why there is nothing to record.
- **greatest score**: the greatest |score| that a softmax was taken of; at most {most:g}, because the greater a
  score is, the more coarsely float32 rounds it, and a softmax passes that on to the weights. “–” stands where weights
  are not a softmax of products of queries and keys.
- **peak**: the greatest weight of a row, in the mean of all rows; at least {peaked}. “–” stands where
  rows are no softmax.
- **error**: the greatest difference of any single weight, over all layers, items, heads, queries and keys; at most
  {bound:g}: 1e-05 is a hundred-thousandth, and a weight is at most 1.
- **held against**: what the weights were compared with. “Its own weights, same pass”: those that the model handed out
  in the very run that was recorded. “In float64”: worked out beside the recording in double precision, with the
  formula in the documentation of the function or in the paper. Where nothing was recorded, the column holds
  what recording said about it instead.
- **rows without a key**: queries from which the mask hides every key. A softmax of nothing has no value, so they are
  counted apart and not compared. Neither are queries that are padding.
- **checked by output**: recording checks itself. It multiplies weights by values in some rows and compares with what
  the layer gave out. This many layers were confirmed that way: all that were found.

| family | mechanism | layers | found | greatest score | peak | error | held against | rows without a key | checked by output |
|---|---|---|---|---|---|---|---|---|---|
"""


def row(case: Case, found: Measured) -> str:
    """One line of the table."""
    if found.reason:
        numbers = ("–", "–", "–", f"not compared: {found.reason}", "–", "–")
    else:
        numbers = (
            "–" if found.largest_score is None else f"{found.largest_score:.3g}",
            "–" if found.peak is None else f"{found.peak:.2f}",
            f"{found.error:.1e}",
            found.against,
            found.masked,
            f"{found.checked} of {found.layers}",
        )
    cells = (case.family, case.mechanism, found.expected, found.layers, *numbers)
    return f"| {' | '.join(map(str, cells))} |"


def page(rows: list[str]) -> str:
    """The whole page."""
    import transformers

    head = HEAD.format(
        torch=torch.__version__.partition("+")[0],
        transformers=transformers.__version__,
        most=MOST,
        peaked=PEAKED,
        bound=BOUND,
    )
    return head + "".join(f"{one}\n" for one in rows)


def listed() -> set[tuple[str, str]]:
    """Families and mechanisms that the page has a row for."""
    lines = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    return {(cells[1].strip(), cells[2].strip()) for cells in lines[1:]}
