"""What a model of scenes offers, so that a page need not know which one it shows."""

from typing import Protocol

from attnviz.scenes.table import Scenes
from attnviz.trace import Trace


class SceneModel(Protocol):
    """A model, and how a moment of a scene becomes its tokens.

    name: how the model is called. uses_positions: whether moving a road user can change its weights.
    """

    name: str
    uses_positions: bool

    def trace(self, scenes: Scenes, scene_id: str = "scene", t: float = 0.0) -> Trace:
        """The attentions of one pass over the road users of this moment.

        Key tokens are of kind "road-user" and carry the road users' ids, which alone identify them.
        Raises `InputError` where the moment cannot be shown to the model.
        """
        ...
