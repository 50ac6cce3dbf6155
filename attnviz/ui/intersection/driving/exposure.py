"""How often must a model have seen it? One dot a seed, against the number of run-outs in its training."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from attnviz import figures
from attnviz.base.errors import InputError
from attnviz.base.grouping import grouped
from attnviz.base.language import _, _m
from attnviz.figures import Bin
from attnviz.models.turn import networks, shipped, study
from attnviz.models.turn.study import Measured, Study
from attnviz.ui import panels, presenting
from attnviz.ui.components import ChartClick
from attnviz.ui.intersection.driving import choices
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.page import complain
from attnviz.ui.panels import Picture
from attnviz.ui.views.driving import Drive


@dataclass(frozen=True)
class Question:
    """What is asked of every model: a name, a sentence, a number; whether truth and the even share stand beside it."""

    name: str
    sentence: str
    number: Callable[[Measured], float]
    truth: bool = False
    even: bool = False


def _missed(found: Measured) -> float:
    return found.missed_avoidable / found.avoidable if found.avoidable else math.nan


def _missed_unavoidable(found: Measured) -> float:
    return found.missed_unavoidable / found.unavoidable if found.unavoidable else math.nan


QUESTIONS = {
    "weight": Question(
        _m("weight on the parked vehicle"),
        _m(
            "While the child is hidden, the parked vehicle is all that tells of it. Mean of the heads, in the last layer; dotted: "
            "the even share. A low weight is right where the hazard is low, and wrong nowhere by itself; look at the probability."
        ),
        lambda found: found.mean_weight if found.mean_weight is not None else math.nan,
        even=True,
    ),
    "probability": Question(
        _m("probability of a conflict"),
        _m(
            "In scenes where nobody else is in the way. Dashed: the truth, found by drawing what is hidden many times. A "
            "dot far below its line is a model that does not know the danger."
        ),
        lambda found: found.with_vehicle,
        truth=True,
    ),
    "difference": Question(
        _m("what the vehicle adds to it"),
        _m(
            "The same scenes with and without the vehicle: the difference is free of the model's background error, which "
            "would swamp a small hazard. Dashed: the truth."
        ),
        lambda found: found.with_vehicle - found.without_vehicle,
        truth=True,
    ),
    "missed": Question(
        _m("missed at first sight"),
        _m(
            "The child has just come into view: a token at last. Of the run-outs that a driver who reacts after 0.75 s and "
            "brakes fully, with 0.774 g, another 0.6 s later would still avoid, the share to which the model gives less than a half."
        ),
        _missed,
    ),
    "unavoidable": Question(
        _m("missed, though no driver could help"),
        _m("The same for run-outs that this driver could not avoid any more: a finding about speed, not about looking."),
        _missed_unavoidable,
    ),
    "accuracy": Question(
        _m("accuracy over all scenes"),
        _m(
            "On a street where one scene in a hundred has such a vehicle, at a probability of a half. Models of one kind look alike, "
            "whether they know the danger or not: this number hides it."
        ),
        lambda found: found.accuracy,
    ),
    "agreement": Question(
        _m("does weight rank as effect does?"),
        _m(
            "Spearman's rank correlation within ordinary scenes, between the ego's weights in the last layer and the size of "
            "the effect of removing each object. 1: the same order; 0: none."
        ),
        lambda found: found.spearman[-1] if found.spearman else math.nan,
    ),
}  # fmt: skip


def exposure(store: IntersectionStore) -> None:
    """The study as dots; a click chooses that model."""
    try:
        found = study.study()
    except InputError as error:
        complain(error)
        return
    drive = store.view.drive
    presenting.leave_out(_introduction, lambda: choices.kind(store))
    asked(store)
    question = QUESTIONS[drive.question]
    panels.show(
        "intersection-exposure",
        {"dots": _picture(drive, found, question)} | _of_chosen(drive, found),
        columns_min_width=520,
        on_click=lambda click: _clicked(store, click),
    )
    st.caption(
        _(question.sentence)
        + " "
        + _(
            "A click on a dot chooses that model, for the street too. Without run-outs there is no such vehicle in training, and the "
            "same ten models stand for every hazard. “Reliability”: does a conflict follow as often as the chosen model says, in scenes with a "
            "vehicle near the way? Hollow: less often than once in a thousand."
        )
    )


def _of_chosen(drive: Drive, found: Study) -> dict[str, Picture]:
    """How far the chosen model can be believed; nothing for a model of one's own, which nobody has measured."""
    one = None if drive.own else found.of(shipped.Cell(drive.kind, drive.hazard, drive.runouts), drive.seed)
    return {} if one is None else {"reliability": _reliability(drive, one)}


def asked(store: IntersectionStore) -> None:
    """Which number the dots are."""
    drive = store.view.drive
    st.segmented_control(
        _("What is measured"), list(QUESTIONS), required=True, format_func=lambda name: _(QUESTIONS[name].name),
        **store.widget("drive question", drive.question, lambda name: store.view.drive.but(question=name)),
    )  # fmt: skip


def _introduction() -> None:
    st.markdown(
        _(
            "Hazard is the probability that a child runs out if a parked vehicle stands near the way; exposure is how many "
            "such children the model has seen. A low weight at a low hazard is correct learning. A low weight at a high "
            "hazard, because it was hardly ever seen, is the danger. Each dot is one trained model; ten seeds a cell, all shown."
        )
    )


def series(drive: Drive, found: Study, question: Question) -> dict[str, list[list[float]]]:
    """By hazard, for each number of run-outs the numbers of all seeds; last the baseline without attention, where it has
    such a number."""

    def numbers(kind: networks.Kind, hazard: float, runouts: int) -> list[float]:
        measured = [found.of(shipped.Cell(kind, hazard, runouts), seed) for seed in range(shipped.SEEDS)]
        return [math.nan if one is None else question.number(one) for one in measured]

    made = {
        _hazard(hazard): [numbers(drive.kind, hazard, runouts) for runouts in shipped.RUNOUTS]
        for hazard in shipped.HAZARDS
    }
    baseline = [numbers("uniform", shipped.WITHOUT_ATTENTION_AT, runouts) for runouts in shipped.RUNOUTS]
    if any(not math.isnan(number) for seeds in baseline for number in seeds):
        made[_without_attention()] = baseline
    return made


def even(found: Study, question: Question) -> float | None:
    """The even share, the same for all models: they see the same scenes; None where it says nothing."""
    first = next(iter(found.models.values()), None)
    return first.even if question.even and first is not None else None


def _without_attention() -> str:
    return _("hazard {number}, without attention", number=f"{shipped.WITHOUT_ATTENTION_AT:g}")


def _hazard(hazard: float) -> str:
    return _("hazard {number}", number=f"{hazard:g}")


def _picture(drive: Drive, found: Study, question: Question) -> Picture:
    categories = [grouped(count) for count in shipped.RUNOUTS]
    dots = series(drive, found, question)
    truth = {_hazard(hazard): number for hazard, number in found.truth.items()} if question.truth else None
    axis, factor = _(question.name), _("run-outs seen in training")
    # A model of one's own is no dot.
    chosen = None if drive.own else (_hazard(drive.hazard), shipped.RUNOUTS.index(drive.runouts), drive.seed)
    figure = figures.seed_dots(
        categories, dots, axis=axis, factor=factor, truth=truth, chosen=chosen, title=axis,
        even=even(found, question),
    )  # fmt: skip
    return Picture(
        figure, figures.describe_seed_dots(categories, dots, axis=axis, truth=truth),
        lambda: figures.table_seed_dots(categories, dots, axis=axis, factor=factor), int(figure.layout.height),
    )  # fmt: skip


def _reliability(drive: Drive, one: Measured) -> Picture:
    bins = [
        Bin(int(row[0]), float(row[1]), round(row[0] * row[2])) if row[0] else Bin(0, 0.0, 0) for row in one.reliability
    ]
    title = _("Reliability: hazard {hazard}, {runouts} run-outs, seed {seed}", hazard=f"{drive.hazard:g}",
              runouts=grouped(drive.runouts), seed=drive.seed)  # fmt: skip
    figure = figures.reliability(bins, title=title)
    return Picture(
        figure, figures.describe_reliability(bins), lambda: figures.table_reliability(bins), int(figure.layout.height)
    )


def _clicked(store: IntersectionStore, click: ChartClick) -> None:
    custom = click.custom
    if not (isinstance(custom, list | tuple) and len(custom) == 3):
        return
    name, place, seed = custom
    if not (isinstance(place, int) and place in range(len(shipped.RUNOUTS)) and seed in range(shipped.SEEDS)):
        return
    for hazard in shipped.HAZARDS:
        if _hazard(hazard) == name:
            store.change(**store.view.drive.but(hazard=hazard, runouts=shipped.RUNOUTS[place], seed=seed, own=""))
