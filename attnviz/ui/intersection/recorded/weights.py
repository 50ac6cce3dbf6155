"""A recorded trace beside a scene: whose weight it is, found by id and never by position."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from jaxtyping import Float
from torch import Tensor

from attnviz import trace
from attnviz.attention import Attention
from attnviz.attention.combine import combine
from attnviz.attention.statistics import normal_rows
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m, _n
from attnviz.figures.numerals import weight_text
from attnviz.tokens import Tokens
from attnviz.trace import Trace
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.page import complain, is_public, plain
from attnviz.ui.source import allowed
from attnviz.ui.views.driving import MEAN

_KEY = "intersection:trace"
MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class Opened:
    """What was read of a file: its trace, or what is wrong with it."""

    key: str
    file: str
    trace: Trace | None
    error: InputError | None


@dataclass(frozen=True)
class Row:
    """The ego's row of one attention. weights: by id, NaN where the row has none. heads: how many there are; silent: how
    many of those that are asked have no weights in this row. among: N of the even share 1/N; None where rows are no shares."""

    weights: dict[str, float]
    heads: int
    silent: int
    among: int | None


def opened() -> Opened | None:
    """Asks for a file; what was read of it, once for each."""
    limits: dict[str, Any] = {"max_upload_size": allowed.MOST_PUBLIC_UPLOAD} if is_public() else {}
    uploaded = st.file_uploader(
        _("A trace of your model at this moment (.safetensors)"), type=["safetensors"], key="intersection:trace-file",
        help=_("Its tokens carry the ids of the road users, as `Tokens(…, kind=\"road-user\", ids=…)` in Python."),
        **limits,
    )  # fmt: skip
    if uploaded is None:
        return None
    found: Opened | None = st.session_state.get(_KEY)
    if found is None or found.key != uploaded.file_id:
        found = st.session_state[_KEY] = read(uploaded.getvalue(), uploaded.file_id, uploaded.name)
    return found


def read(raw: bytes, key: str, file: str) -> Opened:
    """The trace in a file's content, or the sentence that says why there is none."""
    try:
        allowed.check_bytes(len(raw))
        found = trace.load(raw)
        allowed.check_size(found)
        if not asked(found):
            raise InputError(
                _m("No attention of {file} has tokens with the ids of road users, so its weights belong to nobody here."),
                file=file[:60],
            )  # fmt: skip
    except InputError as error:
        return Opened(key, file, None, error)
    return Opened(key, file, found, None)


def asked(found: Trace) -> list[Attention]:
    """The attentions whose tokens, on both sides, carry ids."""
    return [one for one in found if one.query_tokens.ids is not None and one.key_tokens.ids is not None]


def row_of(attention: Attention, ego: str, head: int) -> Row:
    """The weights with which the ego's token looks at each id; the mean over the heads for `MEAN`.

    Raises `InputError` where the ego asks nothing in this attention, or an id stands at two tokens.
    """
    asking, looked_at = _ids(attention.query_tokens), _ids(attention.key_tokens)
    for names in (asking, looked_at):
        twice = next((name for name, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            raise InputError(_m("Two tokens of the trace have the id “{name}”; one was expected."), name=twice[:40])
    if ego not in asking:
        raise InputError(
            _m("In the trace nobody asks with the id “{ego}”, who is the ego of this scene; those who ask: {names}."),
            ego=ego[:40], names=named(asking),
        )  # fmt: skip
    place = [asking.index(ego)]
    rows: Float[Tensor, "heads 1 m"] = attention.weights(None, rows=place).double()
    chosen = rows if head == MEAN else rows[min(head, len(rows) - 1) :][:1]
    shown = combine(chosen, "mean")[0]
    allowed = int(attention.allowed(None, rows=place).any(dim=0).sum())
    return Row(
        dict(zip(looked_at, shown.tolist(), strict=True)), len(rows), int((~normal_rows(chosen)).sum()),
        allowed if attention.normalised else None,
    )  # fmt: skip


def _ids(tokens: Tokens) -> list[str]:
    return [str(name) for name in tokens.ids or ()]


def named(names: Sequence[str]) -> str:
    """The first few of them, and that there are more."""
    return ", ".join(name[:40] for name in names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")


def weights(store: IntersectionStore, ego: str, ids: Sequence[str]) -> dict[str, float]:
    """Asks for a trace, its layer and head; the ego's weights by id, of those who stand here. {} without a trace."""
    with st.expander(_("Weights that your model gave"), icon=":material/polyline:", expanded=_KEY in st.session_state):
        file = opened()
        with st.container():
            if file is None:
                st.caption(_example())
                return {}
            complain(file.error)
            if file.trace is None:
                return {}
            try:
                return _shown(store, file.trace, ego, ids)
            except InputError as error:
                complain(error)
                return {}


def _shown(store: IntersectionStore, found: Trace, ego: str, ids: Sequence[str]) -> dict[str, float]:
    view, layers = store.view.recorded, asked(found)
    layer = min(view.layer, len(layers) - 1)
    row = row_of(layers[layer], ego, view.head)
    head = MEAN if view.head == MEAN else min(view.head, row.heads - 1)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Layer"), range(len(layers)), format_func=lambda place: layers[place].name, width=320,
            **_widget(store, "layer", layer, lambda chosen: {"layer": chosen}),
        )  # fmt: skip
        st.selectbox(
            _("Weights of"), [MEAN, *range(row.heads)], width=180,
            format_func=lambda one: _("mean of heads") if one == MEAN else _("head {number}", number=one + 1),
            **_widget(store, "head", head, lambda chosen: {"head": chosen}),
        )  # fmt: skip
    st.caption(" ".join(told(found, row, ids, layers[layer].items)))
    return {name: weight for name, weight in row.weights.items() if name in ids}


def _widget(
    store: IntersectionStore, name: str, shown: Any, changed: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    return store.widget(f"recorded {name}", shown, lambda chosen: store.view.recorded.but(**changed(chosen)))


def told(found: Trace, row: Row, ids: Sequence[str], items: int = 1) -> list[str]:
    """Where the weights come from, whether they are any, what of them stands nowhere here, who is no token, and what is
    not known. items: of the batch, of which the first is shown."""
    model = plain(found.origin.model) if found.origin.model else _("a model without a name")
    said = [_("Recorded weights of {model}, put to the road users by id.", model=model)]
    if items > 1:
        said.append(_("Item {item} of {count} is shown, counted from 0; the others are not.", item=0, count=items))
    said += _of_row(row)
    elsewhere = {name: weight for name, weight in row.weights.items() if name not in ids}
    if elsewhere:
        # A sum, not a share: gates and sigmoids do not add up to 1.
        total = math.fsum(weight for weight in elsewhere.values() if not math.isnan(weight))
        said.append(
            _("On tokens that are not drawn here stand weights of {total} together: {names}.",
              total=weight_text(total), names=plain(named(list(elsewhere))))
        )  # fmt: skip
    without = [name for name in ids if name not in row.weights]
    if without:
        said.append(_("No token, and so no line: {names}.", names=plain(named(without))))
    said.append(
        _(
            "A trace does not say which moment it belongs to, nor what the model decided: choose its moment, and take a "
            "low weight for no more than a low weight."
        )
    )
    return said


def _of_row(row: Row) -> list[str]:
    """The even share, and how many heads have no weights to look at."""
    said = []
    if row.among:
        said.append(
            _("An even share of {count} tokens would be {share}.", count=row.among, share=weight_text(1 / row.among))
        )
    if row.silent:
        said.append(
            _n(
                "In {count} head this row has no weights: all is masked, zero or no number. It is left out of a mean.",
                "In {count} heads this row has no weights: all is masked, zero or no number. They are left out of a mean.",
                row.silent,
            )
        )
    return said


def _example() -> str:
    return _(
        'In Python: `model.trace(scenes, scene_id, t).save("moment.safetensors")` with a turn model, or `attnviz.capture` '
        "around your own, with tokens that carry ids. The lines are then as thick as its weights."
    )
