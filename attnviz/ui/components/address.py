"""Writes the state of a page into the browser's address bar."""

from attnviz.base.language import _
from attnviz.ui.address import ADDRESS_LIMIT, PARAMETER, View, encode
from attnviz.ui.components.mount import Component, pack

_component = Component("address")


def address_of(view: View) -> None:
    """Put the view into the address: once a control is released, without a new entry in the history.

    A view that is too long for an address is not written; the page says that a view file can hold it.
    """
    text = encode(view)
    long = len(text) > ADDRESS_LIMIT
    said = _("This view is too long for an address; save it as a view file instead.") if long else ""
    _component.show("address", pack({"name": PARAMETER, "value": None if long else text, "said": said}))
