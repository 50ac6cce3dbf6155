"""The Heads page's store, by its short name."""

from attnviz.ui.state import Store
from attnviz.ui.views.heads import HeadsView

HeadsStore = Store[HeadsView]
