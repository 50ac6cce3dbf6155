"""A crossing with fewer tokens than road users: who shares one, with which weight, and what the model decides then."""

import functools
import math
from dataclasses import dataclass

import pandas as pd
import streamlit as st
import torch
from jaxtyping import Float
from torch import Tensor

from attnviz import figures
from attnviz.attention import fewer
from attnviz.base import language
from attnviz.base.language import _, _n
from attnviz.figures.merged_street import SharedTokens
from attnviz.figures.numerals import weight_text
from attnviz.figures.street_lines import Body
from attnviz.models import load
from attnviz.models.turn.merged import Decided, OneLook
from attnviz.models.turn.turn_model import TurnModel
from attnviz.scenes.kinds import NAMES, SIZES, Kind
from attnviz.ui import panels
from attnviz.ui.intersection.driving.compute import SCENE, moment, probability_of
from attnviz.ui.page import plain
from attnviz.ui.panels import Picture
from attnviz.ui.views.driving import Drive, Mover
from attnviz.ui.views.kinds_fewer import Fewer
from attnviz.ui.views.street import EGO, KNOWN, Place

PEOPLE: tuple[Kind, ...] = ("child", "pedestrian", "cyclist")


def _mover(name: str, kind: Kind, x: float, y: float, heading: int | float, speed: float = 0.0) -> Mover:
    return Mover(id=name, kind=kind, place=Place(x=x, y=y, heading=heading), speed=speed)


STREET = (
    _mover("child", "child", 12.9, 2.8, -90.0, 1.5),
    _mover("user-1", "parked-car", 10.2, 4.5, 0.0),
    _mover("user-2", "parked-car", 15.6, 4.5, 0.0),
    _mover("user-3", "parked-car", 21.0, 4.5, 0.0),
    Mover(id="oncoming", kind="car", known="oncoming car", place=Place(x=1.7, y=14.0, heading=-90)),
    _mover("user-4", "car", 16.0, -1.7, 180.0),
    _mover("user-5", "van", 22.5, -1.7, 180.0),
    _mover("user-6", "car", -1.7, -18.5, 90.0, 4.0),
    _mover("cyclist", "cyclist", -9.0, 2.4, 0.0, 3.0),
    _mover("user-7", "car", -16.0, 1.7, 0.0),
    _mover("user-8", "pedestrian", 9.0, -5.4, 0.0, 1.2),
    _mover("user-9", "pedestrian", 9.4, -7.6, 0.0, 1.2),
)


@dataclass(frozen=True, eq=False)
class Street:
    """The street as the model is about to look at it; the ego is the first body and the first token.

    without: the probability of a conflict where one road user has no token, for each; NaN for the ego.
    """

    look: OneLook
    bodies: tuple[Body, ...]
    places: Float[Tensor, "n 2"]
    people: tuple[int, ...]
    without: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Found:
    """Before and after. off: of each token, how far it is from the one that stands for it, against its length."""

    street: Street
    kept: fewer.Fewer
    before: Decided
    after: Decided
    off: Float[Tensor, " n"]

    @property
    def merged(self) -> list[int]:
        """The people who share a token with somebody."""
        return [at for at in self.street.people if self.kept.company(at)]

    @property
    def gone(self) -> list[int]:
        """The people who have no token."""
        return [at for at in self.street.people if self.kept.became[at] < 0]


def show(view: Fewer) -> None:
    """Before and after, a sentence, and the road users by what is lost."""
    found = seen(view.model_copy(update={"source": "scene"}), language.current())
    st.markdown(sentence(found))
    panels.show(
        "kinds-fewer-street", {"before": _before(found, view), "after": _after(found, view)}, columns_min_width=400
    )
    with st.container():
        warn(found, view.head)
    st.markdown(_("**What is lost**, worst first"))
    st.dataframe(lost(found, view.head), hide_index=True, height="content")
    st.caption(
        _(
            "The tokens, keys and weights are those of the trained turn model {name}, the first of its ten, measured here. It "
            "was trained with a token for everybody and not again for fewer; who is hidden from the ego has none in the "
            "first place. A token that stands for three counts as three (log 3 is added to its score). “Off by” is the "
            "distance to the token that stands for it, in per cent of its own length. “Without it” is the probability that the model "
            "judges where that road user alone has no token.",
            name=Drive().name,
        )
    )


@functools.lru_cache(maxsize=4)
def street(_code: str) -> Street:
    """The street, with names in the current language."""
    drive = Drive(users=STREET)
    scenes, t = moment(drive)
    model = load(drive.name)
    assert isinstance(model, TurnModel)  # noqa: S101 - the catalogue says so
    tokens = model.seen(scenes, SCENE, (t,))
    users, labels = {user.id: user for user in STREET}, names()
    bodies = tuple(
        _body(_(KNOWN["ego car"]), "car", drive.ego)
        if name == EGO
        else _body(labels[name], users[name].kind, users[name].place)
        for name in tokens.ids
    )
    people = tuple(at for at, name in enumerate(tokens.ids) if name != EGO and users[name].kind in PEOPLE)
    places = torch.tensor([[one.x, one.y] for one in bodies])
    look = OneLook.of(model, tokens)
    return Street(look, bodies, places, people, without_each(look))


def names() -> dict[str, str]:
    """What everybody is called, in the current language: those of a kind that there is more than once have a number."""
    kinds = [user.kind for user in STREET if not user.known]
    found, counted = {}, dict.fromkeys(kinds, 0)
    for user in STREET:
        found[user.id] = user.label()
        if not user.known:
            counted[user.kind] += 1
            called = _(NAMES[user.kind])
            found[user.id] = f"{called} {counted[user.kind]}" if kinds.count(user.kind) > 1 else called
    return found


def without_each(look: OneLook) -> tuple[float, ...]:
    """The probability of a conflict where one token is left out, for each but the ego's."""
    count = len(look.tokens)
    every = torch.arange(count)
    decided = (look.decide(fewer.left_out(every != token)) for token in range(1, count))
    return (math.nan, *(probability_of(one.log_odds) for one in decided))


@functools.lru_cache(maxsize=128)
def seen(view: Fewer, code: str) -> Found:
    """What the method makes of the street."""
    found = street(code)
    kept = _kept(view, found)
    return Found(found, kept, found.look.decide(), found.look.decide(kept), fewer.lost(found.look.tokens, kept))


def _kept(view: Fewer, found: Street) -> fewer.Fewer:
    if view.method == "pool":
        return fewer.in_cells(found.places, view.cell, protected=[0])
    if view.method == "merge":
        return fewer.similar(found.look.keys, min(view.users, len(found.bodies)), protected=[0])
    return fewer.left_out((found.places - found.places[0]).norm(dim=-1) <= view.radius)


def _body(label: str, kind: Kind, place: Place) -> Body:
    size = SIZES[kind]
    return Body(label, place.x, place.y, math.radians(place.heading), size.length, size.width)


def sentence(found: Found) -> str:
    """How many tokens are left, and what the model decides then."""
    before, after = (probability_of(one.log_odds) for one in (found.before, found.after))
    return _n(
        "**{users}** road users have become **{count}** token. The probability of a conflict if the ego turns now, as "
        "the model judges, goes from **{before}** to **{after}**.",
        "**{users}** road users have become **{count}** tokens. The probability of a conflict if the ego turns now, as "
        "the model judges, goes from **{before}** to **{after}**.",
        len(found.kept.sizes), users=len(found.street.bodies), before=weight_text(before), after=weight_text(after),
    )  # fmt: skip


def warn(found: Found, head: int) -> None:
    """Every person who has no token of its own any more."""
    with st.container():
        if found.merged:
            st.warning("\n".join(f"- {_merged(found, at, head)}" for at in found.merged), icon=":material/merge:")
    with st.container():
        if found.gone:
            st.warning("\n".join(f"- {_gone(found, at, head)}" for at in found.gone), icon=":material/crop:")


def _merged(found: Found, at: int, head: int) -> str:
    return _(
        "**{name}** has no token of its own any more: it is one with {others}. Its weight in head {head} was {before}; "
        "what they share gets {after}.",
        name=plain(found.street.bodies[at].label), others=plain(_company(found, at)), head=head + 1,
        before=weight_text(float(found.before.weights[head, at])),
        after=weight_text(float(found.after.weights[head, int(found.kept.became[at])])),
    )  # fmt: skip


def _gone(found: Found, at: int, head: int) -> str:
    return _(
        "**{name}** has no token: the model cannot look at it. Its weight in head {head} was {before}.",
        name=plain(found.street.bodies[at].label), head=head + 1,
        before=weight_text(float(found.before.weights[head, at])),
    )  # fmt: skip


def lost(found: Found, head: int) -> pd.DataFrame:
    """One row for each road user, worst first: without a token, then by how far they are off; people before things."""
    bodies = found.street.bodies
    off = found.off.nan_to_num(math.inf).tolist()
    order = sorted(range(1, len(bodies)), key=lambda at: (-off[at], at not in found.street.people))
    became = found.kept.became.tolist()
    return pd.DataFrame(
        {
            _("road user"): [bodies[at].label for at in order],
            _("stands with"): [_company(found, at) for at in order],
            _("off by, %"): [None if math.isinf(off[at]) else round(100 * off[at], 1) for at in order],
            _("weight before"): [float(found.before.weights[head, at]) for at in order],
            _("weight of its token"): [
                None if became[at] < 0 else float(found.after.weights[head, became[at]]) for at in order
            ],
            _("without it"): [found.street.without[at] for at in order],
        }
    )


def _company(found: Found, at: int) -> str:
    if found.kept.became[at] < 0:
        return _("no token")
    return ", ".join(found.street.bodies[other].label for other in found.kept.company(at)) or _("itself alone")


def _before(found: Found, view: Fewer) -> Picture:
    count = len(found.street.bodies)
    alone = tuple((at,) for at in range(count))
    shared = SharedTokens(alone, found.before.weights[view.head], found.street.people)
    return _picture(found, shared, _("Before: a token for everybody"))


def _after(found: Found, view: Fewer) -> Picture:
    members = tuple(found.kept.members(token) for token in range(len(found.kept.sizes)))
    shared = SharedTokens(members, found.after.weights[view.head], found.street.people)
    return _picture(found, shared, _("After: ◆ is what several share"))


def _picture(found: Found, shared: SharedTokens, title: str) -> Picture:
    bodies = found.street.bodies
    figure = figures.merged_street(bodies, shared, title=title, subtitle=_("Numbers: weights of the ego car's look."))
    return Picture(
        figure, figures.describe_merged_street(bodies, shared), lambda: figures.table_merged_street(bodies, shared),
        int(figure.layout.height),
    )  # fmt: skip
