"""The choice of light, dark or the system's colours, always in sight."""

from collections.abc import Sequence

from attnviz.base.language import _
from attnviz.ui.components.mount import Component, pack

_component = Component("theme")


def theme(key: str, paths: Sequence[str]) -> None:
    """Three buttons that switch the theme at once and for every page.

    `paths` are the addresses of all pages: Streamlit remembers the theme for each one apart.
    """
    labels = {"group": _("Theme"), "System": _("System"), "Light": _("Light"), "Dark": _("Dark")}
    _component.show(key, pack({"paths": list(paths), "labels": labels}))
