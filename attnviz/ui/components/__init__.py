"""Components of the page that Streamlit has no match for: each is a Python function and a module in browser/."""

from attnviz.ui.components.chart import ChartClick, ChartDrag, chart

__all__ = ["ChartClick", "ChartDrag", "chart"]
