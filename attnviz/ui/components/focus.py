"""The keyboard's focus, given back to whom a redrawn page has taken it from."""

from attnviz.ui.components.mount import Component

_component = Component("focus")


def focus(key: str, target: str, turn: int) -> None:
    """Give the focus to the button of the widget with the key `target`, and keep it there until something is pressed.

    Streamlit draws what has moved anew; where that comes slowly, the focus is lost or stays with another. turn: another number each
    time that it is to be given; nothing happens at 0. To be shown after what it points to.
    """
    _component.show(key, {"target": target, "turn": turn})
