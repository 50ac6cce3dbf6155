"""One page's state in one session: the view shown, the views before it, and the widgets that follow it."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import streamlit as st
from pydantic import ValidationError

from attnviz.base import language
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.ui import address
from attnviz.ui.address import View

V = TypeVar("V", bound=View)

MOST_UNDO = 100
OUR_WRITING = 10.0
"""Seconds for which an address that we wrote may still come back from the browser."""
ONE_GESTURE = 1.5
"""Seconds within which changes of the same control count as one step back."""
WALK = "walk"
"""The gesture of a story, all of whose steps on a page are one step back, however long they take."""
_OPEN = "page open"


class Store(Generic[V]):
    """The view of one page. Every change goes through it, so that undo, reset and the address know."""

    def __init__(self, initial: V) -> None:
        self.initial = initial
        self.view = initial
        self.complaint: InputError | None = None
        self._past: list[V] = []
        self._gesture: tuple[str, float] = ("", 0.0)
        self._seen: str | None = None
        self._written: dict[str, float] = {}

    def address(self) -> str:
        """The view as text for the address, remembered as our own writing."""
        text = address.encode(self.view)
        now = time.monotonic()
        self._written = {old: when for old, when in self._written.items() if now - when < OUR_WRITING} | {text: now}
        return text

    def follow(self, text: str | None) -> None:
        """Show what the browser's address holds, if it is new and not what this page wrote itself.

        A link to a page that is open already, or the browser's way back, is followed; the address that lags a
        moment behind a moving slider is not.
        """
        if not text or text == self._seen:
            return
        self._seen = text
        if text in self._written:
            return
        try:
            view = address.decode(text, type(self.view))
        except InputError as error:
            self.complaint = error
            return
        if view is not None:
            self.complaint = None
            self.show(view)

    def arrive(self) -> None:
        """The page was left and is opened again: what its address holds now is a wish, even in our own writing."""
        self._seen = None
        self._written = {}

    def change(self, gesture: str = "", fields: Mapping[str, Any] | None = None, **named: Any) -> None:
        """Show another view; `gesture` names the control, so that one drag is one step to undo.

        What cannot be shown becomes a complaint, and the view stays as it was.
        """
        self.complaint = None
        try:
            changed = type(self.view)(**{**dict(self.view), **(fields or {}), **named})
        except ValidationError as reason:
            self.complaint = address.complaint(reason)
            return
        self.show(changed, gesture)

    def show(self, view: V, gesture: str = "") -> None:
        """Show this view, and remember the one before it."""
        if view == self.view:
            return
        now = time.monotonic()
        recent = gesture == WALK or now - self._gesture[1] < ONE_GESTURE
        same = bool(gesture) and gesture == self._gesture[0] and recent
        self._gesture = (gesture, now)
        if not same:
            self._past = [*self._past[-MOST_UNDO + 1 :], self.view]
        self.view = view
        if self._past and self._past[-1] == view:  # there and back again: nothing to undo
            self._past = self._past[:-1]

    def look(self, **fields: Any) -> None:
        """Look at something else without changing anything: no step to undo."""
        self.complaint = None
        self.view = type(self.view)(**{**dict(self.view), **fields})

    def undo(self) -> None:
        """Back to the view before the last gesture."""
        self.complaint = None
        if self._past:
            self.view = self._past.pop()
        self._gesture = ("", 0.0)

    def reset(self) -> None:
        """Back to what the page starts with; can be undone."""
        self.complaint = None
        self.show(self.initial)

    def forget(self) -> None:
        """What a session begins with is nothing to undo."""
        self._past = []

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def name(self) -> str:
        return self.view.page

    # Widgets: each shows a part of the view and changes it.

    def widget(self, name: str, shown: Any, changed: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """The arguments `key`, `on_change` that tie a Streamlit widget to the view.

        `shown` is what the view says the widget should show; `changed` turns what the user chose into
        fields of the view. The widget's own state is only written when it differs from the view (after
        undo, say): writing it on every run would push a slider back while it is being dragged.
        """
        key = worded_key(f"{self.name}:{name}")
        if key not in st.session_state or st.session_state[key] != shown:
            st.session_state[key] = shown

        def callback() -> None:
            chosen = st.session_state[key]
            if chosen is None:  # a pill that was pressed again: a choice is not taken back
                return
            try:
                fields = changed(chosen)
            except ValidationError as reason:  # a part of the view that is a model of its own
                self.complaint = address.complaint(reason)
                return
            except InputError as error:
                self.complaint = error
                return
            self.change(name, fields)

        return {"key": key, "on_change": callback}

    def field(self, name: str) -> dict[str, Any]:
        """As `widget`, for a widget that shows one field as it is."""
        return self.widget(name, getattr(self.view, name), lambda chosen: {name: chosen})


def worded_key(key: str) -> str:
    """The key of a widget in the current language.

    A browser says which option was chosen by its words, so that after a change of language it would name one
    that is not offered any more: in every language the widget is another one.
    """
    code = language.current()
    return key if code == "en" else f"{key}:{code}"


def store(kind: type[V], start: Callable[[], V]) -> Store[V]:
    """This session's store of a page; made on first use from the address, else from `start`."""
    key = _key(kind)
    if key not in st.session_state:
        made = Store(start())
        made.follow(st.query_params.get(address.PARAMETER))
        made.forget()
        st.session_state[key] = made
    found: Store[V] = st.session_state[key]
    found.follow(st.query_params.get(address.PARAMETER))
    return found


def arrive(path: str) -> None:
    """Note which page is open, so that a link followed for the second time is followed too."""
    if st.session_state.get(_OPEN) != path:
        st.session_state[_OPEN] = path
        found = st.session_state.get(f"store:{path}")
        if isinstance(found, Store):
            found.arrive()


def open_view(raw: bytes, kind: type[V], start: Callable[[], V]) -> None:
    """Show a view file's view on its page. Raises `InputError`."""
    view = address.from_json(raw, kind)
    if view is None:
        raise InputError(_m("The view file belongs to another page."))
    store(kind, start).show(view)


def _key(kind: type[View]) -> str:
    return f"store:{kind.model_fields['page'].default}"
