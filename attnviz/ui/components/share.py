"""A button that copies the link to what is shown."""

from attnviz.base.language import _
from attnviz.ui.components.mount import Component

_component = Component("share")


def share(key: str) -> None:
    """Show "Copy link" with a confirmation, and the note that a link tells what is on the page."""
    _component.show(
        key,
        {
            "labels": {
                "copy": _("Copy link"),
                "copied": _("Copied."),
                "byHand": _("The browser does not allow copying; the link is selected for you."),
                "link": _("Link to this view"),
                "note": _("The text on the page is part of the link, and links reach the logs of servers."),
            }
        },
    )
