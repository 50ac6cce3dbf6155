"""What the forms of the attention core are called."""

from attnviz.base.language import _m
from attnviz.cost.roofline import Form

FORMS: dict[Form, str] = {"fused": _m("fused"), "plain": _m("written out"), "window": _m("window")}
