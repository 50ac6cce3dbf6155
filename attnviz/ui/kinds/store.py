"""The store of the Kinds page."""

from attnviz.ui.state import Store
from attnviz.ui.views.kinds import KindsView

KindsStore = Store[KindsView]
