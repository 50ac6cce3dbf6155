"""The Quiz on the screen: questions one below the other, each with its fields, its verdicts and its way out."""

import streamlit as st

from attnviz.base import language
from attnviz.base.language import _, _m
from attnviz.ui import address, navigation, presenting
from attnviz.ui.page import plain
from attnviz.ui.quiz.numbers import LONGEST
from attnviz.ui.quiz.question import Blank, Choice, Field, Question, State, Verdict, check, is_right
from attnviz.ui.quiz.questions import questions
from attnviz.ui.state import Store, worded_key
from attnviz.ui.views.quiz import QuizView

READING_WIDTH = 900
"""Pixels: lines longer than this are hard to follow on a projector."""
BLANK_WIDTH = 210

ANSWER = "quiz:answer:"
SPOKEN = "quiz:language"
CHECKED = "quiz:checked"
ASKED = "quiz:asked"


def board(store: Store[QuizView]) -> None:
    """All four questions, and how many are right so far."""
    _carry()
    asked = questions(store.view.seed)
    # Answers to other numbers, which a link or a button has replaced, say nothing about these.
    if st.session_state.get(ASKED) != store.view.seed:
        clear()
    st.session_state[ASKED] = store.view.seed
    # Large type fills the line of a projector by itself.
    with st.container(width="stretch" if presenting.is_on() else READING_WIDTH):
        _top(store, asked)
        for number, question in enumerate(asked, 1):
            _question(number, question)


def clear() -> None:
    """Forget every answer of this session."""
    st.session_state[CHECKED] = frozenset()
    for name in list(st.session_state):
        if str(name).startswith(ANSWER):
            st.session_state[name] = "" if isinstance(st.session_state[name], str) else None


def _top(store: Store[QuizView], asked: tuple[Question, ...]) -> None:
    right = [question.name in st.session_state[CHECKED] and is_right(question, _given(question)) for question in asked]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("Right so far: **{right} of {all}**", right=sum(right), all=len(right)), width="content")
        st.space("stretch")
        st.caption(_("Numbers: set {seed}", seed=store.view.seed), width="content")
        st.button(
            _("Other numbers"), icon=":material/casino:", key="quiz:other",
            on_click=lambda: store.change(**store.view.with_other_numbers()),
        )  # fmt: skip
        st.button(
            _("The lesson's numbers"), icon=":material/first_page:", key="quiz:lesson", disabled=store.view.seed == 0,
            on_click=lambda: store.change(seed=0),
        )  # fmt: skip
        st.button(_("Clear my answers"), icon=":material/ink_eraser:", key="quiz:clear", on_click=clear)


def _question(number: int, question: Question) -> None:
    checked = question.name in st.session_state[CHECKED]
    verdicts = {field.name: check(field, _answer(question, field)) for field in question.fields} if checked else {}
    with st.container(border=True):
        st.subheader(f"{number} · {question.title}", anchor=False)
        st.markdown(question.text)
        with st.form(f"quiz:form:{question.name}", border=False):
            for row in _rows(question.fields):
                with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
                    for field in row:
                        with st.container(width=BLANK_WIDTH if isinstance(field, Blank) else "stretch", gap="small"):
                            _field(question, field)
                            _verdict(verdicts.get(field.name))
            _remarks(question, verdicts)
            st.form_submit_button(_("Check"), key=f"quiz:check:{question.name}", on_click=_check, args=(question.name,))
        # Its place is kept, so that what follows is not made anew.
        with st.container():
            if checked:
                _why(question)


def _rows(fields: tuple[Field, ...]) -> list[tuple[Field, ...]]:
    """Numbers two by two, sentences to choose from one below the other."""
    step = 2 if isinstance(fields[0], Blank) else 1
    return [fields[first : first + step] for first in range(0, len(fields), step)]


def _remarks(question: Question, verdicts: dict[str, Verdict]) -> None:
    """What there is to say about the answers; the same about two of them once."""
    said: dict[str, list[str]] = {}
    for field in question.fields:
        if field.name in verdicts and verdicts[field.name].remark:
            said.setdefault(verdicts[field.name].remark, []).append(field.label)
    with st.container():
        for remark, labels in said.items():
            st.markdown(f"**{', '.join(map(plain, labels))}:** {plain(remark)}")


def _check(name: str) -> None:
    st.session_state[CHECKED] = st.session_state[CHECKED] | {name}


def _field(question: Question, field: Field) -> None:
    key = _key(question, field)
    if isinstance(field, Blank):
        st.text_input(
            field.label, key=key, max_chars=LONGEST, autocomplete="off", persist_state="session",
        )  # fmt: skip
    else:
        _choice(key, field)


def _choice(key: str, choice: Choice) -> None:
    st.radio(
        choice.label,
        [option.name for option in choice.options],
        index=None,
        format_func=lambda name: choice.option(name).label,
        horizontal=max(len(option.label) for option in choice.options) < 10,
        key=key,
        persist_state="session",
    )


def _verdict(verdict: Verdict | None) -> None:
    with st.container():
        if verdict is not None:
            sign, said = _SAID[verdict.state]
            st.markdown(sign.format(_(said)))


# A colour, a symbol and words, each of which says it alone.
_SAID: dict[State, tuple[str, str]] = {
    "right": (":green[:material/check_circle: **{}**]", _m("Right")),
    "wrong": (":red[:material/cancel: **{}**]", _m("Not right")),
    "unreadable": (":orange[:material/help: **{}**]", _m("Not a number")),
    "missing": (":gray[:material/radio_button_unchecked: **{}**]", _m("No answer yet")),
}


def _why(question: Question) -> None:
    with st.expander(_("Show how"), icon=":material/lightbulb:"):
        for step in question.steps:
            st.markdown(step)
    with st.container(horizontal=True):
        for link in question.links:
            st.page_link(
                navigation.page(link.view.page), label=link.label, icon=":material/play_circle:",
                query_params={address.PARAMETER: address.encode(link.view)},
            )  # fmt: skip


def _given(question: Question) -> dict[str, str | None]:
    return {field.name: _answer(question, field) for field in question.fields}


def _answer(question: Question, field: Field) -> str | None:
    given = st.session_state.get(_key(question, field))
    return given if isinstance(given, str) else None


def _key(question: Question, field: Field) -> str:
    return worded_key(f"{ANSWER}{question.name}:{field.name}")


def _carry() -> None:
    """Take the answers along into another language, where every field is another one."""
    spoken, before = language.current(), st.session_state.get(SPOKEN)
    st.session_state[SPOKEN] = spoken
    if before in (None, spoken):
        return
    with language.speaking(before):
        old = worded_key("")
    for name in [str(name) for name in st.session_state if str(name).startswith(ANSWER)]:
        bare = name.removesuffix(old)
        if name.endswith(old) and not bare.endswith(tuple(f":{code}" for code in language.LANGUAGES)):
            st.session_state[worded_key(bare)] = st.session_state[name]
