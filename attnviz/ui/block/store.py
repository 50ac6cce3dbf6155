"""The Block page's store, by its short name."""

from attnviz.ui.state import Store
from attnviz.ui.views.block import BlockView

BlockStore = Store[BlockView]
