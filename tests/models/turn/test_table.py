"""The table in docs/turn.md is what study.json holds."""

import statistics
from pathlib import Path

from attnviz.models.turn import shipped, study
from attnviz.models.turn.shipped import Cell

DOCUMENT = Path(__file__).parents[3] / "docs" / "turn.md"
HEAD = (
    "| hazard | run-outs | truth | one layer: probability | without the vehicle | weight on it | missed | accuracy "
    "| two layers: probability | weight, last layer | missed |"
)


def spread(numbers, digits=2):
    return f"{statistics.median(numbers):.{digits}f} ({min(numbers):.{digits}f} – {max(numbers):.{digits}f})"


def row(found, hazard, runouts):
    ego, both = (found.of_cell(Cell(kind, hazard, runouts)) for kind in ("ego", "self"))
    cells = [f"{hazard:g}", f"{runouts:,}", f"{found.truth[hazard]:.3f}"]
    cells += [
        spread([getattr(one, name) for one in ego]) for name in ("with_vehicle", "without_vehicle", "mean_weight")
    ]
    cells += [missed(ego), spread([one.accuracy for one in ego], 3)]
    cells += [spread([one.with_vehicle for one in both]), spread([one.mean_weight for one in both]), missed(both)]
    return "| " + " | ".join(cells) + " |"


def missed(models):
    return spread([one.missed_avoidable / one.avoidable for one in models])


def test_the_table_holds_the_median_and_the_range_of_all_seeds():
    found = study.study()
    rows = [row(found, hazard, runouts) for hazard in shipped.HAZARDS for runouts in shipped.RUNOUTS]
    assert "\n".join([HEAD, "|---" * 11 + "|", *rows]) in DOCUMENT.read_text(encoding="utf-8")
