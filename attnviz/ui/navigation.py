"""Which pages there are, in which group, under which address."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from attnviz.__main__ import site
from attnviz.base.language import _, _m
from attnviz.ui.address import View
from attnviz.ui.views.block import BlockView
from attnviz.ui.views.cost import CostView
from attnviz.ui.views.heads import HeadsView
from attnviz.ui.views.intersection import IntersectionView
from attnviz.ui.views.kinds import KindsView
from attnviz.ui.views.playground import PlaygroundView
from attnviz.ui.views.quiz import QuizView
from attnviz.ui.views.stories import StoriesView
from attnviz.ui.views.translation import TranslationView


class Place(NamedTuple):
    """One page: its group, file, address, title (a message id), symbol, and the view it shows, if any."""

    group: str
    file: str
    path: str
    title: str
    icon: str
    view: type[View] | None = None
    start: Callable[[], View] | None = None


# A group appears with its first page.
PLACES = (
    Place(_m("Learn"), "start.py", "start", _m("Start"), ":material/home:"),
    Place(
        _m("Learn"), "playground.py", "playground", _m("Playground"), ":material/tune:",
        PlaygroundView, PlaygroundView.start,
    ),
    Place(_m("Learn"), "kinds.py", "kinds", _m("Kinds"), ":material/category:", KindsView, KindsView),
    Place(
        _m("Learn"), "intersection.py", "intersection", _m("Intersection"), ":material/traffic:",
        IntersectionView, IntersectionView,
    ),
    Place(_m("Learn"), "cost.py", "cost", _m("Cost"), ":material/stacked_line_chart:", CostView, CostView),
    Place(_m("Learn"), "quiz.py", "quiz", _m("Quiz"), ":material/quiz:", QuizView, QuizView),
    Place(_m("Look"), "heads.py", "heads", _m("Heads"), ":material/grid_view:", HeadsView, HeadsView.start),
    Place(_m("Look"), "block.py", "block", _m("Block"), ":material/layers:", BlockView, BlockView.start),
    Place(
        _m("Look"), "translation.py", "translation", _m("Translation"), ":material/translate:",
        TranslationView, TranslationView.start,
    ),
    Place(_m("Present"), "stories.py", "stories", _m("Stories"), ":material/slideshow:", StoriesView, StoriesView),
)  # fmt: skip


@functools.cache
def folder() -> Path:
    """The folder that holds the pages' scripts."""
    return site() / "pages"


def page(path: str) -> "st.Page":
    """The page at this address, for links and switches."""
    return _page(find(path))


def find(path: str) -> Place:
    """The place with this address; the root is the first page's."""
    return next(place for place in PLACES if place.path == (path or PLACES[0].path))


def navigation() -> "st.Page":
    """Draws the menu in the current language; returns the page to run."""
    groups: dict[str, list[st.Page]] = {}
    for place in PLACES:
        groups.setdefault(_(place.group), []).append(_page(place))
    return st.navigation(groups, position="sidebar", expanded=True)


def _page(place: Place) -> "st.Page":
    return st.Page(
        folder() / place.file,
        title=_(place.title),
        icon=place.icon,
        url_path=place.path,
        default=place is PLACES[0],
    )
