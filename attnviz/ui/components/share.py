"""A button that copies the address of what is shown."""

from attnviz.base.language import _
from attnviz.ui.components.mount import Component, pack

_component = Component("share")


def share(key: str) -> None:
    """Copies the address at the moment of the click, and says what is in it."""
    labels = {
        "copy": _("Copy link"),
        "copied": _("Copied."),
        "refused": _("The browser refused; copy it from here:"),
        "note": _("The link holds all that you typed on this page, and addresses reach the logs of servers."),
    }
    _component.show(key, pack({"labels": labels}))
