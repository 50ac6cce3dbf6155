"""What is always in sight: language, theme, device, and the ways to share what is shown."""

import streamlit as st

from attnviz.base import device, language
from attnviz.base.errors import InputError
from attnviz.base.language import _
from attnviz.ui import address, presenting, state
from attnviz.ui.components import address as address_bar
from attnviz.ui.components import share, theme
from attnviz.ui.navigation import PLACES, Place
from attnviz.ui.page import complain
from attnviz.ui.stories import draft, walk

LANGUAGE_PARAMETER = "lang"


def draw(place: Place) -> None:
    """The sidebar below the menu."""
    state.arrive(place.path)
    with st.sidebar:
        _language()
        presenting.switch()
        _address(place)
        theme("theme", [place.path for place in PLACES])
        _device()
        _share(place)


def follow_link() -> None:
    """The language that the address asks for when the session begins."""
    # Streamlit's own binding would put the language's name into the address, not its code.
    if "lang" not in st.session_state:
        asked = st.query_params.get(LANGUAGE_PARAMETER)
        st.session_state["lang"] = asked if asked in language.LANGUAGES else "en"


def _language() -> None:
    st.segmented_control(
        _("Language"), list(language.LANGUAGES), key="lang", required=True, persist_state="session",
        format_func=language.LANGUAGES.__getitem__,
    )  # fmt: skip


def _address(place: Place) -> None:
    """What every page's address says; a page that is left does not write into that of the next."""
    code = language.current()
    says = {
        LANGUAGE_PARAMETER: "" if code == "en" else code,
        presenting.PARAMETER: "1" if presenting.is_on() else "",
        **walk.parameters(),
    }
    address_bar(f"address-language:{place.path}", says)


def chosen_device() -> str:
    """The device that models run on in this session."""
    return str(st.session_state.get("device") or device.choose())


def _device() -> None:
    names = device.available()
    if len(names) > 1:
        st.selectbox(_("Device"), names, key="device", persist_state="session", format_func=_describe)
    else:
        st.caption(_("Device: {device}", device=_describe(names[0])))


def _describe(name: str) -> str:
    return device.describe(device.choose(name))


def _share(place: Place) -> None:
    with st.expander(_("Share this view"), icon=":material/link:"):
        share("share")
        draft.offer(place)
        if place.view is None or place.start is None:
            return
        kind, start = place.view, place.start
        shown = state.store(kind, start)
        st.download_button(
            _("Save as a view file"),
            data=lambda: address.to_json(shown.view).encode(),
            file_name=f"{place.path}.attnviz.json",
            mime="application/json",
            on_click="ignore",
        )
        uploaded = st.file_uploader(_("Open a view file"), type=["json"], max_upload_size=1, key=f"open:{place.path}")
        if uploaded is not None and st.session_state.get("opened") != uploaded.file_id:
            try:
                state.open_view(uploaded.getvalue(), kind, start)
                st.session_state["opened"] = uploaded.file_id
            except InputError as error:
                complain(error)
