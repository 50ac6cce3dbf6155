import csv
import io

import torch

from attnviz.attention import Attention, Causal
from attnviz.tokens import Tokens
from attnviz.ui.heads.head import _csv
from attnviz.ui.heads.look import Look


def test_the_csv_of_a_head_holds_its_exact_weights_and_labels_that_no_sheet_executes():
    tokens = Tokens(texts=("=1+1", "a", "a"))
    query = torch.tensor([[0.0], [0.0], [0.0]])
    attention = Attention.from_qk(query, query, mask=Causal(), query_tokens=tokens, key_tokens=tokens)
    look = Look(attention, 0, (0, 1, 2), (0, 1, 2), False, None, None)
    rows = list(csv.reader(io.StringIO(_csv(look).decode())))
    assert rows[0] == ["", "0 =1+1", "1 a", "2 a"]
    # Queries of zeros share evenly over the keys that the causal mask lets them see.
    assert [row[1:] for row in rows[1:]] == [
        ["1", "", ""],
        ["0.5", "0.5", ""],
        ["0.333333343", "0.333333343", "0.333333343"],
    ]
