"""Functions from an `Attention` or arrays to a Plotly figure, with siblings that say the same as text and table."""

from attnviz.figures.arrows import arrows, describe_arrows, table_arrows
from attnviz.figures.atlas import Atlas, atlas, overview_codes
from attnviz.figures.codes import code_colours, codes, decode
from attnviz.figures.formula import row_formula
from attnviz.figures.head_grid import describe_head_grid, head_grid, table_head_grid
from attnviz.figures.heatmap import describe_heatmap, heatmap, table_heatmap
from attnviz.figures.number_grid import Grid, describe_number_grid, number_grid, table_number_grid
from attnviz.figures.output_gauge import GaugeRow, describe_output_gauge, output_gauge, table_output_gauge
from attnviz.figures.palette import thickness
from attnviz.figures.scaling_curve import describe_scaling_curve, scaling_curve, table_scaling_curve
from attnviz.figures.tile import Cut, Head, Tile, cut
from attnviz.figures.token_lines import describe_token_lines, table_token_lines, token_lines
from attnviz.figures.weight_bars import describe_weight_bars, table_weight_bars, weight_bars

__all__ = [
    "Atlas",
    "Cut",
    "GaugeRow",
    "Grid",
    "Head",
    "Tile",
    "arrows",
    "atlas",
    "code_colours",
    "codes",
    "cut",
    "decode",
    "describe_arrows",
    "describe_head_grid",
    "describe_heatmap",
    "describe_number_grid",
    "describe_output_gauge",
    "describe_scaling_curve",
    "describe_token_lines",
    "describe_weight_bars",
    "head_grid",
    "heatmap",
    "number_grid",
    "output_gauge",
    "overview_codes",
    "row_formula",
    "scaling_curve",
    "table_arrows",
    "table_head_grid",
    "table_heatmap",
    "table_number_grid",
    "table_output_gauge",
    "table_scaling_curve",
    "table_token_lines",
    "table_weight_bars",
    "thickness",
    "token_lines",
    "weight_bars",
]
