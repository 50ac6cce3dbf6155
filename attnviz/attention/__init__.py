"""The maths of attention: scores, masks, weights, statistics, combining heads, and overviews without n × n."""

from attnviz.attention.additive import split_additive
from attnviz.attention.attention import FORMS, ROLES, Attention, Form, Role
from attnviz.attention.bias import Bias
from attnviz.attention.block_files import bias_from_json
from attnviz.attention.block_masks import BlockBias, Blocks, GlobalWindow, Groups, SlotPairs
from attnviz.attention.check import Check
from attnviz.attention.function_masks import ByFunction, Ranges, mask_by_function
from attnviz.attention.function_scores import FunctionScores
from attnviz.attention.linear import Linear
from attnviz.attention.mask_files import mask_from_json
from attnviz.attention.masks import All, Causal, Dense, Lengths, Mask, Window
from attnviz.attention.overview import Overview
from attnviz.attention.points import Points, Sampled
from attnviz.attention.pointwise import Pointwise
from attnviz.attention.rows import RowState
from attnviz.attention.scores import DotProduct, Given, Stored
from attnviz.attention.slot_bias import SlotBias
from attnviz.attention.slots import Places

__all__ = [
    "FORMS",
    "ROLES",
    "All",
    "Attention",
    "Bias",
    "BlockBias",
    "Blocks",
    "ByFunction",
    "Causal",
    "Check",
    "Dense",
    "DotProduct",
    "Form",
    "FunctionScores",
    "Given",
    "GlobalWindow",
    "Groups",
    "Lengths",
    "Linear",
    "Mask",
    "Overview",
    "Places",
    "Points",
    "Pointwise",
    "Ranges",
    "Role",
    "RowState",
    "Sampled",
    "SlotBias",
    "SlotPairs",
    "Stored",
    "Window",
    "bias_from_json",
    "mask_by_function",
    "mask_from_json",
    "split_additive",
]
