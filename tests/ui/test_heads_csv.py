import csv
import io

import torch

from attnviz.attention import Attention, Causal
from attnviz.tokens import Tokens
from attnviz.ui.heads import glance
from attnviz.ui.heads.head import _csv
from attnviz.ui.heads.look import Look


def test_the_csv_of_a_head_holds_its_exact_weights_and_labels_that_no_sheet_executes():
    tokens = Tokens(texts=("=1+1", "a", "a"))
    query = torch.tensor([[0.0], [0.0], [0.0]])
    attention = Attention.from_qk(query, query, mask=Causal(), query_tokens=tokens, key_tokens=tokens)
    look = Look(attention, 0, 0, (0, 1, 2), (0, 1, 2), False, None, None)
    rows = list(csv.reader(io.StringIO(_csv(look).decode())))
    assert rows[0] == ["", "0 =1+1", "1 a", "2 a"]
    # Queries of zeros share evenly over the keys that the causal mask lets them see.
    assert [row[1:] for row in rows[1:]] == [
        ["1", "", ""],
        ["0.5", "0.5", ""],
        ["0.333333343", "0.333333343", "0.333333343"],
    ]


def test_the_csv_of_the_maps_holds_the_largest_weight_of_every_cell():
    weights = torch.tensor([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3], [0.0, 0.25, 0.75]])
    attention = Attention.from_weights(weights)
    rows = list(csv.reader(io.StringIO(glance._csv([4], [attention.overview(size=2)]).decode())))
    # Cells of 2 × 2 positions; the last ones hold fewer.
    assert rows[1:] == [
        ["4", "0", "0", "0", "0.899999976"],
        ["4", "0", "0", "2", "0.300000012"],
        ["4", "0", "2", "0", "0.25"],
        ["4", "0", "2", "2", "0.75"],
    ]
