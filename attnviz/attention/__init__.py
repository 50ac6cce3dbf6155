"""The maths of attention: scores, masks, weights, statistics, combining heads, and overviews without n × n."""

from attnviz.attention.additive import split_additive
from attnviz.attention.attention import FORMS, ROLES, Attention, Form, Role
from attnviz.attention.check import Check
from attnviz.attention.function_masks import ByFunction, Ranges, mask_by_function
from attnviz.attention.function_scores import FunctionScores
from attnviz.attention.mask_files import mask_from_json
from attnviz.attention.masks import All, Causal, Dense, Lengths, Mask, Window
from attnviz.attention.overview import Overview
from attnviz.attention.rows import RowState
from attnviz.attention.scores import DotProduct, Given, Stored

__all__ = [
    "FORMS",
    "ROLES",
    "All",
    "Attention",
    "ByFunction",
    "Causal",
    "Check",
    "Dense",
    "DotProduct",
    "Form",
    "FunctionScores",
    "Given",
    "Lengths",
    "Mask",
    "Overview",
    "Ranges",
    "Role",
    "RowState",
    "Stored",
    "Window",
    "mask_by_function",
    "mask_from_json",
    "split_additive",
]
