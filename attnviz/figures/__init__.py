"""Functions from an `Attention` or arrays to a Plotly figure, with siblings that say the same as text and table."""

from attnviz.figures.arrows import arrows, describe_arrows, table_arrows
from attnviz.figures.codes import code_colours, codes, decode
from attnviz.figures.head_grid import describe_head_grid, head_grid, table_head_grid
from attnviz.figures.heatmap import describe_heatmap, heatmap, table_heatmap
from attnviz.figures.number_grid import (
    Grid,
    describe_number_grid,
    number_grid,
    table_number_grid,
)
from attnviz.figures.palette import thickness

__all__ = [
    "Grid",
    "arrows",
    "code_colours",
    "codes",
    "decode",
    "describe_arrows",
    "describe_head_grid",
    "describe_heatmap",
    "describe_number_grid",
    "head_grid",
    "heatmap",
    "number_grid",
    "table_arrows",
    "table_head_grid",
    "table_heatmap",
    "table_number_grid",
    "thickness",
]
