"""Functions from an `Attention` or arrays to a Plotly figure, with siblings that say the same as text and table."""

from attnviz.figures.alignment_lines import alignment_lines, describe_alignment_lines, table_alignment_lines
from attnviz.figures.alignment_map import alignment_map, describe_alignment_map, table_alignment_map
from attnviz.figures.arrows import arrows, describe_arrows, table_arrows
from attnviz.figures.atlas import Atlas, atlas, overview_codes
from attnviz.figures.codes import code_colours, codes, decode
from attnviz.figures.cost_curve import cost_curve, describe_cost_curve, table_cost_curve
from attnviz.figures.effect_map import describe_effect_map, effect_map, table_effect_map
from attnviz.figures.formula import row_formula
from attnviz.figures.growth import describe_growth, growth, table_growth
from attnviz.figures.head_grid import describe_head_grid, head_grid, table_head_grid
from attnviz.figures.heatmap import describe_heatmap, heatmap, table_heatmap
from attnviz.figures.lanes import Lane, describe_lanes, lanes, table_lanes
from attnviz.figures.length_curve import describe_length_curve, length_curve, table_length_curve
from attnviz.figures.next_words import describe_next_words, next_words, table_next_words
from attnviz.figures.number_grid import Grid, describe_number_grid, number_grid, table_number_grid
from attnviz.figures.output_gauge import GaugeRow, describe_output_gauge, output_gauge, table_output_gauge
from attnviz.figures.palette import thickness
from attnviz.figures.reliability import Bin, describe_reliability, reliability, table_reliability
from attnviz.figures.scaling_curve import describe_scaling_curve, scaling_curve, table_scaling_curve
from attnviz.figures.score_dots import ScoreRow, describe_score_dots, score_dots, table_score_dots
from attnviz.figures.seed_dots import describe_seed_dots, seed_dots, table_seed_dots
from attnviz.figures.tile import Cut, Head, Tile, cut
from attnviz.figures.token_lines import describe_token_lines, table_token_lines, token_lines
from attnviz.figures.weight_bars import describe_weight_bars, table_weight_bars, weight_bars

__all__ = [
    "Atlas",
    "Bin",
    "Cut",
    "GaugeRow",
    "Grid",
    "Head",
    "Lane",
    "ScoreRow",
    "Tile",
    "alignment_lines",
    "alignment_map",
    "arrows",
    "atlas",
    "code_colours",
    "codes",
    "cost_curve",
    "cut",
    "decode",
    "describe_alignment_lines",
    "describe_alignment_map",
    "describe_arrows",
    "describe_cost_curve",
    "describe_effect_map",
    "describe_growth",
    "describe_head_grid",
    "describe_heatmap",
    "describe_lanes",
    "describe_length_curve",
    "describe_next_words",
    "describe_number_grid",
    "describe_output_gauge",
    "describe_reliability",
    "describe_scaling_curve",
    "describe_score_dots",
    "describe_seed_dots",
    "describe_token_lines",
    "describe_weight_bars",
    "effect_map",
    "growth",
    "head_grid",
    "heatmap",
    "lanes",
    "length_curve",
    "next_words",
    "number_grid",
    "output_gauge",
    "overview_codes",
    "reliability",
    "row_formula",
    "scaling_curve",
    "score_dots",
    "seed_dots",
    "table_alignment_lines",
    "table_alignment_map",
    "table_arrows",
    "table_cost_curve",
    "table_effect_map",
    "table_growth",
    "table_head_grid",
    "table_heatmap",
    "table_lanes",
    "table_length_curve",
    "table_next_words",
    "table_number_grid",
    "table_output_gauge",
    "table_reliability",
    "table_scaling_curve",
    "table_score_dots",
    "table_seed_dots",
    "table_token_lines",
    "table_weight_bars",
    "thickness",
    "token_lines",
    "weight_bars",
]
