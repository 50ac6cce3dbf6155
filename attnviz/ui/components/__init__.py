"""Components of the page that Streamlit has no match for: each is a Python function and a module in browser/."""

from attnviz.ui.components.address import address
from attnviz.ui.components.chart import ChartClick, ChartDrag, chart
from attnviz.ui.components.matrix import MatrixAsk, MatrixClick, MatrixValue, matrix
from attnviz.ui.components.scene import (
    SceneAdd,
    SceneEvent,
    SceneHead,
    SceneHeadSwitch,
    ScenePlace,
    SceneRemove,
    SceneRename,
    SceneRoad,
    SceneSelect,
    SceneUser,
    scene,
)
from attnviz.ui.components.share import share
from attnviz.ui.components.sliders import SliderGroup, SliderNumber, sliders
from attnviz.ui.components.story import story
from attnviz.ui.components.theme import theme
from attnviz.ui.components.tokens import ShownToken, TokenClick, tokens

__all__ = [
    "ChartClick",
    "ChartDrag",
    "MatrixAsk",
    "MatrixClick",
    "MatrixValue",
    "SceneAdd",
    "SceneEvent",
    "SceneHead",
    "SceneHeadSwitch",
    "ScenePlace",
    "SceneRemove",
    "SceneRename",
    "SceneRoad",
    "SceneSelect",
    "SceneUser",
    "ShownToken",
    "SliderGroup",
    "SliderNumber",
    "TokenClick",
    "address",
    "chart",
    "matrix",
    "scene",
    "share",
    "sliders",
    "story",
    "theme",
    "tokens",
]
