"""A scene model whose vectors are typed in: nothing in it was learnt, and it does not see where things stand."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from attnviz.attention import Attention
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes import Scenes
from attnviz.tokens import Tokens
from attnviz.trace import Origin, Trace

Vector = tuple[float, ...]


@dataclass(frozen=True)
class KeyValue:
    """What one road user hands over in each head: its key, and its value."""

    keys: tuple[Vector, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class TypedVectors:
    """The ego's query for each head, and by id what each road user hands over.

    Where the ego's own id is among them, the query looks at the ego itself too. labels: what road users are called;
    without one, the id. Attention of one layer, scores divided by √d (Vaswani et al. 2017, arXiv 1706.03762).
    """

    queries: tuple[Vector, ...]
    handed: Mapping[str, KeyValue]
    labels: Mapping[str, str]
    name: str = "typed vectors"
    uses_positions: bool = False

    def trace(self, scenes: Scenes, scene_id: str = "scene", t: float = 0.0) -> Trace:
        """One attention from the ego to everybody who has a key, in the order of the table.

        Raises `InputError` where nobody has one, or where vectors do not fit together.
        """
        moment = scenes.moment(scene_id, t)
        ids = [str(name) for name in moment["agent_id"]]
        ego, seen = ids[0], [name for name in ids if name in self.handed]
        if not seen:
            raise InputError(_m("There is nobody on the street whom the ego could look at."))
        for name in seen:
            self._check(name)
        attention = Attention.from_qk(
            torch.tensor(self.queries)[:, None],
            torch.tensor([self.handed[name].keys for name in seen]).transpose(0, 1),
            value=torch.tensor([self.handed[name].values for name in seen]).T[..., None],
            name=self.name,
            role="ego",
            query_tokens=self._tokens([ego]),
            key_tokens=self._tokens(seen),
        )
        return Trace([attention], origin=Origin(kind="typed"))

    def _tokens(self, ids: list[str]) -> Tokens:
        return Tokens(texts=tuple(self.labels.get(name, name) for name in ids), kind="road-user", ids=tuple(ids))

    def _check(self, name: str) -> None:
        handed, width = self.handed[name], len(self.queries[0])
        whole = len(handed.keys) == len(handed.values) == len(self.queries)
        if not whole or any(len(vector) != width for vector in (*self.queries, *handed.keys)):
            raise InputError(
                _m("“{name}” needs {heads} vectors of {width} numbers and as many values, one for each head."),
                name=name,
                heads=len(self.queries),
                width=width,
            )
