"""What all components share on Python's side: registering, packing bytes, answering messages."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from attnviz.ui import assets, garbage

Message = Mapping[str, Any]
"""What a component says: `kind`, and what goes with that kind. It comes from outside: check before use."""


class Component:
    """One kind of component, registered with Streamlit under its own name."""

    def __init__(self, module: str) -> None:
        # isolate_styles=False: Plotly measures in the document, and puts its style sheet there.
        self._mount = st.components.v2.component(f"attnviz_{module}", js=assets.loader(module), isolate_styles=False)

    def show(self, key: str, data: Any, receive: Callable[[Message], None] | None = None) -> None:
        """Show the component; `receive` is called before the script runs again, once a message."""

        def arrived() -> None:
            message = (st.session_state.get(key) or {}).get("message")
            if not isinstance(message, dict) or not isinstance(message.get("seq"), int):
                return
            st.session_state[_echo_name(key)] = message["seq"]
            if receive is not None:
                receive(message)

        garbage.spare_modules()
        self._mount(key=key, data=data, on_message_change=arrived)


def echo(key: str) -> int:
    """The number of the last message that Python has seen; the browser sends its next one only then."""
    return int(st.session_state.get(_echo_name(key), 0))


def pack(header: Mapping[str, Any], *parts: bytes) -> bytes:
    """Header and parts as one run of bytes: raw bytes are the only payload that Streamlit does not copy as text.

    Layout: length of the header (4 bytes, little-endian), the header as JSON, the parts one after another;
    the header's `parts` lists their lengths.
    """
    text = json.dumps({**header, "parts": [len(part) for part in parts]}, separators=(",", ":")).encode()
    return b"".join([len(text).to_bytes(4, "little"), text, *parts])


def _echo_name(key: str) -> str:
    return f"attnviz echo {key}"
