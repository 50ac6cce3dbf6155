"""Intersection: lines as thick as their weights, from an ego car to everything around it."""

import streamlit as st

from attnviz.base.language import _
from attnviz.ui import state
from attnviz.ui.page import show_address
from attnviz.ui.views.intersection import IntersectionView

store = state.store(IntersectionView, IntersectionView)
st.title(_("Intersection"))
show_address(store)
