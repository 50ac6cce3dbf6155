"""Functions from an `Attention` or arrays to a Plotly figure, with siblings that say the same as text and table."""

from attnviz.figures.alignment_lines import alignment_lines, describe_alignment_lines, table_alignment_lines
from attnviz.figures.alignment_map import alignment_map, describe_alignment_map, table_alignment_map
from attnviz.figures.arrows import arrows, describe_arrows, table_arrows
from attnviz.figures.atlas import Atlas, atlas, overview_codes
from attnviz.figures.block_diagram import (
    Box,
    Branch,
    OnTheLine,
    block_diagram,
    describe_block_diagram,
    table_block_diagram,
)
from attnviz.figures.block_shares import block_shares, describe_block_shares, table_block_shares
from attnviz.figures.budget_bars import budget_bars, budget_bars_height, describe_budget_bars, table_budget_bars
from attnviz.figures.codes import code_colours, codes, decode
from attnviz.figures.cones import Cones, cones, describe_cones, table_cones
from attnviz.figures.cost_curve import cost_curve, describe_cost_curve, table_cost_curve
from attnviz.figures.cost_over_tokens import (
    Crossing,
    cost_over_tokens,
    describe_cost_over_tokens,
    table_cost_over_tokens,
)
from attnviz.figures.cost_over_tokens import Unit as CostUnit
from attnviz.figures.cost_parts import cost_parts, describe_cost_parts, table_cost_parts
from attnviz.figures.depth_curve import depth_curve, describe_depth_curve, table_depth_curve
from attnviz.figures.effect_map import describe_effect_map, effect_map, table_effect_map
from attnviz.figures.fixed_and_asked import Looked, describe_fixed_and_asked, fixed_and_asked, table_fixed_and_asked
from attnviz.figures.formula import row_formula
from attnviz.figures.gate_bars import describe_gate_bars, gate_bars, table_gate_bars
from attnviz.figures.growth import describe_growth, growth, table_growth
from attnviz.figures.head_grid import describe_head_grid, head_grid, table_head_grid
from attnviz.figures.heatmap import describe_heatmap, heatmap, table_heatmap
from attnviz.figures.lanes import Lane, describe_lanes, lanes, table_lanes
from attnviz.figures.layer_row import RowLayer, describe_layer_row, layer_row, table_layer_row
from attnviz.figures.length_curve import describe_length_curve, length_curve, table_length_curve
from attnviz.figures.merged_picture import describe_merged_picture, merged_picture, table_merged_picture
from attnviz.figures.merged_street import SharedTokens, describe_merged_street, merged_street, table_merged_street
from attnviz.figures.next_words import describe_next_words, next_words, table_next_words
from attnviz.figures.number_grid import Grid, describe_number_grid, number_grid, table_number_grid
from attnviz.figures.order_changes import describe_order_changes, order_changes, table_order_changes
from attnviz.figures.output_gauge import GaugeRow, describe_output_gauge, output_gauge, table_output_gauge
from attnviz.figures.pair_map import describe_pair_map, pair_map, table_pair_map
from attnviz.figures.palette import thickness
from attnviz.figures.patch_map import Dots, describe_patch_map, patch_map, table_patch_map
from attnviz.figures.pattern_map import describe_pattern_map, pattern_map, table_pattern_map
from attnviz.figures.peak_curve import describe_peak_curve, peak_curve, table_peak_curve
from attnviz.figures.reach_map import describe_reach_map, reach_map, table_reach_map
from attnviz.figures.reliability import Bin, describe_reliability, reliability, table_reliability
from attnviz.figures.scaling_curve import describe_scaling_curve, scaling_curve, table_scaling_curve
from attnviz.figures.score_dots import ScoreRow, describe_score_dots, score_dots, table_score_dots
from attnviz.figures.seed_dots import describe_seed_dots, seed_dots, table_seed_dots
from attnviz.figures.share_bars import describe_share_bars, share_bars, table_share_bars
from attnviz.figures.share_effect import Acting, describe_share_effect, share_effect, table_share_effect
from attnviz.figures.signed_map import describe_signed_map, signed_map, table_signed_map
from attnviz.figures.street_lines import Body, describe_street_lines, street_lines, table_street_lines
from attnviz.figures.tile import Cut, Head, Tile, cut
from attnviz.figures.time_curve import TimeDots, TimeLine, describe_time_curve, table_time_curve, time_curve
from attnviz.figures.token_changes import describe_token_changes, table_token_changes, token_changes
from attnviz.figures.token_lines import describe_token_lines, table_token_lines, token_lines
from attnviz.figures.weight_bars import describe_weight_bars, table_weight_bars, weight_bars
from attnviz.figures.weight_pair import Weighed, describe_weight_pair, table_weight_pair, weight_pair

__all__ = [
    "Acting",
    "Atlas",
    "Bin",
    "Body",
    "Box",
    "Branch",
    "Cones",
    "CostUnit",
    "Crossing",
    "Cut",
    "Dots",
    "GaugeRow",
    "Grid",
    "Head",
    "Lane",
    "Looked",
    "OnTheLine",
    "RowLayer",
    "ScoreRow",
    "SharedTokens",
    "Tile",
    "TimeDots",
    "TimeLine",
    "Weighed",
    "alignment_lines",
    "alignment_map",
    "arrows",
    "atlas",
    "block_diagram",
    "block_shares",
    "budget_bars",
    "budget_bars_height",
    "code_colours",
    "codes",
    "cones",
    "cost_curve",
    "cost_over_tokens",
    "cost_parts",
    "cut",
    "decode",
    "depth_curve",
    "describe_alignment_lines",
    "describe_alignment_map",
    "describe_arrows",
    "describe_block_diagram",
    "describe_block_shares",
    "describe_budget_bars",
    "describe_cones",
    "describe_cost_curve",
    "describe_cost_over_tokens",
    "describe_cost_parts",
    "describe_depth_curve",
    "describe_effect_map",
    "describe_fixed_and_asked",
    "describe_gate_bars",
    "describe_growth",
    "describe_head_grid",
    "describe_heatmap",
    "describe_lanes",
    "describe_layer_row",
    "describe_length_curve",
    "describe_merged_picture",
    "describe_merged_street",
    "describe_next_words",
    "describe_number_grid",
    "describe_order_changes",
    "describe_output_gauge",
    "describe_pair_map",
    "describe_patch_map",
    "describe_pattern_map",
    "describe_peak_curve",
    "describe_reach_map",
    "describe_reliability",
    "describe_scaling_curve",
    "describe_score_dots",
    "describe_seed_dots",
    "describe_share_bars",
    "describe_share_effect",
    "describe_signed_map",
    "describe_street_lines",
    "describe_time_curve",
    "describe_token_changes",
    "describe_token_lines",
    "describe_weight_bars",
    "describe_weight_pair",
    "effect_map",
    "fixed_and_asked",
    "gate_bars",
    "growth",
    "head_grid",
    "heatmap",
    "lanes",
    "layer_row",
    "length_curve",
    "merged_picture",
    "merged_street",
    "next_words",
    "number_grid",
    "order_changes",
    "output_gauge",
    "overview_codes",
    "pair_map",
    "patch_map",
    "pattern_map",
    "peak_curve",
    "reach_map",
    "reliability",
    "row_formula",
    "scaling_curve",
    "score_dots",
    "seed_dots",
    "share_bars",
    "share_effect",
    "signed_map",
    "street_lines",
    "table_alignment_lines",
    "table_alignment_map",
    "table_arrows",
    "table_block_diagram",
    "table_block_shares",
    "table_budget_bars",
    "table_cones",
    "table_cost_curve",
    "table_cost_over_tokens",
    "table_cost_parts",
    "table_depth_curve",
    "table_effect_map",
    "table_fixed_and_asked",
    "table_gate_bars",
    "table_growth",
    "table_head_grid",
    "table_heatmap",
    "table_lanes",
    "table_layer_row",
    "table_length_curve",
    "table_merged_picture",
    "table_merged_street",
    "table_next_words",
    "table_number_grid",
    "table_order_changes",
    "table_output_gauge",
    "table_pair_map",
    "table_patch_map",
    "table_pattern_map",
    "table_peak_curve",
    "table_reach_map",
    "table_reliability",
    "table_scaling_curve",
    "table_score_dots",
    "table_seed_dots",
    "table_share_bars",
    "table_share_effect",
    "table_signed_map",
    "table_street_lines",
    "table_time_curve",
    "table_token_changes",
    "table_token_lines",
    "table_weight_bars",
    "table_weight_pair",
    "thickness",
    "time_curve",
    "token_changes",
    "token_lines",
    "weight_bars",
    "weight_pair",
]
