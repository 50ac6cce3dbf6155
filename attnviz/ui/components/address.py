"""The state of a page in the query string, written when a control is released."""

from collections.abc import Mapping

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.ui.address import ADDRESS_LIMIT
from attnviz.ui.components.mount import Component

_component = Component("address")


def address(key: str, query: Mapping[str, str]) -> None:
    """Put these parameters into the address of the page; an empty value takes its parameter away.

    Nothing is seen. The browser writes a quarter of a second after the last change and not while a pointer is
    pressed, without an entry in its history; other parameters, such as lang, stay. Raises `InputError` for a
    value above 8 kB, which servers on the way might cut.
    """
    for name, value in query.items():
        if len(value) > ADDRESS_LIMIT:
            raise InputError(
                _m("{name} has {found} characters; at most {limit} fit into an address."),
                name=name,
                found=len(value),
                limit=ADDRESS_LIMIT,
            )
    _component.show(key, {"query": dict(query)})
