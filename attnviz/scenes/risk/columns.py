"""What each column of the table of measures is: its name, unit, formula, source, and what it ignores."""

from dataclasses import dataclass

from attnviz.base.language import _m

OURS = _m("ours")


@dataclass(frozen=True)
class Column:
    """How one measure is told to a reader: messages to be translated, and signs that are the same everywhere."""

    name: str
    unit: str
    formula: str
    source: str
    ignores: str


NAMES = ("scene_id", "t", "agent_id", "class", "path")

MEASURES: dict[str, Column] = {
    "distance": Column(
        _m("gap now"), "m", "d(0)", _m("geometry of boxes"), _m("all motion"),
    ),
    "ttc": Column(
        _m("time to collision, straight on"),
        "s",
        "min {t ≥ 0 : d(t) = 0}",
        "Hayward 1972",
        _m("turning and braking; whatever is not in the way, such as a parked car beside the path, has no value at all"),
    ),
    "ttc_path": Column(
        _m("time to collision, the ego on its path"),
        "s",
        "min {t ≥ 0 : d(t) = 0}",
        "Westhofen et al. 2022",
        _m("that others turn or brake; whoever is hidden"),
    ),
    "pet": Column(
        _m("post-encroachment time"),
        "s",
        "t_entry(2) − t_exit(1)",
        "Allen, Shin & Cooper 1978",
        _m("everything but the recorded tracks; one value for the whole recording"),
    ),
    "ttce": Column(
        _m("time of the closest encounter"),
        "s",
        "argmin d(t)",
        _m("Eggert 2014, as listed by CommonRoad-CriMe"),
        _m("how fast the two pass each other"),
    ),
    "dce": Column(
        _m("distance of the closest encounter"),
        "m",
        "min d(t)",
        _m("Eggert 2014, as listed by CommonRoad-CriMe"),
        _m("how fast the two pass each other"),
    ),
    "required_deceleration": Column(
        _m("required deceleration"),
        "m/s²",
        "min {b ≥ 0 : ∀t d(t) > 0, s = v·t − b·t²/2}",
        _m("Westhofen et al. 2022, after Jansson 2005"),
        _m("steering and the time to react"),
    ),
    "shadow_on_path": Column(
        _m("hidden area on the path itself"),
        "m²",
        "∫ |{d : |d| ≤ w/2}| ds",
        OURS,
        _m("whoever stands beside a straight path: there it is always 0"),
    ),
    "shadow_area": Column(
        _m("hidden area on the path and 4 m beside it"),
        "m²",
        "∫ |{d : |d| ≤ w/2 + 4 m}| ds",
        OURS,
        _m("whether anybody is there, and how soon the ego comes"),
    ),
    "step_out_time": Column(
        _m("step-out time"),
        "s",
        "min max(0, d − r − w/2)/u",
        OURS,
        _m("whether anybody is there; that walkers need time to start; other boxes"),
    ),
    "phantom_ttc": Column(
        _m("phantom time to collision"),
        "s",
        "min {t(s) : τ(s) ≤ t(s)}",
        OURS,
        _m("whether anybody is there; that the shadow moves; whoever runs into the ego's side"),
    ),
    "warning_time": Column(
        _m("warning time"),
        "s",
        "max {h : ∀η ≤ h ∃ line of sight at t − η}",
        OURS,
        _m("the time to notice and to react; other boxes"),
    ),
}  # fmt: skip

COLUMNS = (*NAMES, *MEASURES)


def describe() -> dict[str, Column]:
    """What each measure is, by the name of its column, in the order of the columns."""
    return dict(MEASURES)
