"""The Stories page: the stories that are there, and the one that is being made."""

import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _n
from attnviz.ui import navigation, presenting
from attnviz.ui.page import complain, plain
from attnviz.ui.stories import catalogue, draft, visits, walk
from attnviz.ui.stories.draft import DraftStore
from attnviz.ui.stories.model import (
    MOST_LETTERS,
    MOST_STEPS,
    MOST_TITLE,
    Step,
    from_json,
    said,
    step_of,
    to_json,
)

OPENED, NAMED, COUNT = "stories:opened", "stories:named", "stories:count"


def offered() -> None:
    """The stories that come with the site."""
    for name in catalogue.SHIPPED:
        story = catalogue.shipped(name)
        with st.container(border=True):
            st.subheader(plain(said(story.title)))
            st.caption(_n("{count} step", "{count} steps", len(story.steps)))
            with st.container(horizontal=True):
                st.button(
                    _("Walk through"), icon=":material/play_arrow:", key=f"walk:{name}",
                    on_click=walk.begin, args=(story, name),
                )  # fmt: skip
                if not presenting.is_on():
                    st.button(
                        _("Make my own from it"), icon=":material/content_copy:", key=f"copy:{name}",
                        on_click=draft.start_from, args=(story,),
                    )  # fmt: skip


def make(store: DraftStore) -> None:
    """One's own story: title, steps, and what can be done with it."""
    st.header(_("Make your own"))
    st.markdown(
        _(
            "Look at other pages; each view you stop at is listed below. Add the ones you need, say a sentence to each, "
            "and put them in order. The story lives in this session only: save it as a file to keep it."
        )
    )
    with st.expander(_("Open a story file"), icon=":material/folder_open:"):
        _open(store)
    complain(store.complaint)
    st.text_input(_("Title"), max_chars=MOST_TITLE, **store.field("title"))
    _deeds(store)
    _steps(store)


def _open(store: DraftStore) -> None:
    uploaded = st.file_uploader(_("Story file (.json)"), type=["json"], max_upload_size=1, key="stories:open")
    if uploaded is None or st.session_state.get(OPENED) == uploaded.file_id:
        return
    try:
        opened = from_json(uploaded.getvalue())
    except InputError as error:
        complain(error)
        return
    st.session_state[OPENED] = uploaded.file_id
    store.change(title=said(opened.title)[:MOST_TITLE], steps=opened.steps)


def _deeds(store: DraftStore) -> None:
    view = store.view
    empty = not view.steps
    with st.container(horizontal=True):
        st.button(
            _("Walk through"), icon=":material/play_arrow:", disabled=empty, key="stories:walk",
            on_click=lambda: walk.begin(store.view.story()),
        )  # fmt: skip
        st.download_button(
            _("Save as a file"), data=lambda: to_json(store.view.story()).encode(), file_name="story.attnviz.json",
            mime="application/json", on_click="ignore", disabled=empty, icon=":material/download:", key="stories:save",
        )  # fmt: skip
        st.button(
            _("Undo"), icon=":material/undo:", on_click=store.undo, disabled=not store.can_undo, key="stories:undo"
        )
        st.button(_("Reset"), icon=":material/restart_alt:", on_click=store.reset, disabled=empty, key="stories:reset")


def _steps(store: DraftStore) -> None:
    if not store.view.steps:
        st.caption(_("No steps yet."))
    for at, (step, name) in enumerate(zip(store.view.steps, _names(store.view.steps), strict=True)):
        _step(store, at, step, name)


def _names(steps: tuple[Step, ...]) -> list[str]:
    """A name for each step that stays with it when it is moved or its words change, and so does the focus."""
    before: list[tuple[Step, str]] = st.session_state.get(NAMED, [])
    left = [(step, name) for step, name in before if not any(step is other for other in steps)]
    named = []
    for step in steps:
        found = next((name for other, name in before if other is step), None)
        if found is None:  # new, or the same with other words
            same = next((pair for pair in left if (pair[0].page, pair[0].view) == (step.page, step.view)), None)
            if same is not None:
                left.remove(same)
            found = same[1] if same is not None else _new_name()
        named.append((step, found))
    st.session_state[NAMED] = named
    return [name for _step, name in named]


def _new_name() -> str:
    st.session_state[COUNT] = st.session_state.get(COUNT, 0) + 1
    return str(st.session_state[COUNT])


def _now(store: DraftStore, name: str, drawn: Step) -> Step:
    """The step of this name as it is now: its words may have changed since what is pressed was drawn."""
    steps = store.view.steps
    return next((step for step, known in zip(steps, _names(steps), strict=True) if known == name), drawn)


def _step(store: DraftStore, at: int, step: Step, name: str) -> None:
    with st.container(border=True, key=f"step-{name}"):
        st.markdown(f"**{at + 1} · {_described(step.page, _summary(step))}")
        st.text_area(
            _("What to say at step {number}", number=at + 1), height=90, max_chars=MOST_LETTERS,
            **store.widget(f"say-{name}", said(step.say), lambda words: {"steps": store.view.saying(_now(store, name, step), words)}),
        )  # fmt: skip
        with st.container(horizontal=True):
            st.button(
                _("Up"), icon=":material/arrow_upward:", key=f"up-{name}", disabled=at == 0,
                on_click=lambda: store.change(steps=store.view.moved(_now(store, name, step), -1)),
            )  # fmt: skip
            st.button(
                _("Down"), icon=":material/arrow_downward:", key=f"down-{name}", disabled=step is store.view.steps[-1],
                on_click=lambda: store.change(steps=store.view.moved(_now(store, name, step), 1)),
            )  # fmt: skip
            st.button(_("Go there"), icon=":material/open_in_new:", key=f"go-{name}", on_click=walk.ask, args=(step,))
            st.button(
                _("Remove"), icon=":material/delete:", key=f"remove-{name}",
                on_click=lambda: store.change(steps=store.view.without(_now(store, name, step))),
            )  # fmt: skip


def _summary(step: Step) -> str:
    shown = step.shown()
    return "" if shown is None else shown.summary()


def _described(page: str, summary: str) -> str:
    """The rest of a line that begins in bold: the page's title, and in plain letters what it shows."""
    return f"{plain(_(navigation.find(page).title))}**" + (f" — {plain(summary)}" if summary else "")


def visited(store: DraftStore) -> None:
    """The views that were looked at in this session, each to be added."""
    st.header(_("What you have looked at"))
    seen = visits.seen()
    if not seen:
        st.caption(_("Nothing yet in this session: look at another page and come back."))
    for number, visit in enumerate(seen):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                _("Add"), icon=":material/playlist_add:", key=f"stories:add:{number}",
                disabled=len(store.view.steps) >= MOST_STEPS,
                on_click=draft.add, args=(step_of(visit.page, visit.view),),
            )  # fmt: skip
            summary = "" if visit.view is None else visit.view.summary()
            st.markdown(f"**{_described(visit.page, summary)}")
