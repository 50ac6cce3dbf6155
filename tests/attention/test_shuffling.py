"""What attention makes of the order: nothing without positions, something with them."""

import pytest
import torch

from attnviz.attention import positions
from attnviz.attention.shuffling import SCHEMES, Tokens, attend, compare
from attnviz.base.errors import InputError

NAMES = ["the", "dog", "bites", "the", "man", "today"]
ORDER = [3, 4, 2, 0, 1, 5]
ROUNDING = 1e-14


def test_the_scheme_none_is_torchs_own_attention():
    tokens = Tokens.drawn(NAMES)
    query, key, value = (tokens.vectors @ matrix for matrix in (tokens.query, tokens.key, tokens.value))
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(attend(tokens).output.unflatten(-1, (4, 4)).transpose(0, 1), expected)


def test_without_positions_every_output_goes_where_its_token_went():
    """Checked by hand, not by `compare`: output p of the shuffled sentence is that of the token now at p."""
    tokens, order = Tokens.drawn(NAMES), torch.tensor(ORDER)
    plain = attend(tokens)
    shuffled = attend(tokens.in_order(order))
    assert (shuffled.output - plain.output[order]).abs().max() < ROUNDING
    for place, token in enumerate(ORDER):
        for other, seen in enumerate(ORDER):
            assert abs(float(shuffled.weights[0, place, other] - plain.weights[0, token, seen])) < ROUNDING
    assert compare(tokens, ORDER).moved.max() < ROUNDING
    # The rows did move: this is no comparison of a thing with itself.
    assert (shuffled.output - plain.output).abs().max() > 0.1


def test_without_positions_the_same_word_has_the_same_output_wherever_it_stands():
    output = attend(Tokens.drawn(NAMES)).output
    torch.testing.assert_close(output[0], output[3], atol=ROUNDING, rtol=0)
    assert (attend(Tokens.drawn(NAMES), "sinusoidal").output.diff(dim=0).abs().amax(-1) > 0.01).all()


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "none"])
def test_with_positions_the_outputs_change(scheme):
    found = compare(Tokens.drawn(NAMES), ORDER, scheme)
    assert found.moved.max() > 1e-3
    assert found.weight_change.abs().max() > 1e-3
    # A row of weights is a softmax before and after, so what some keys win the others lose.
    assert found.weight_change.sum(-1).abs().max() < ROUNDING


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_order_as_it_is_changes_nothing(scheme):
    assert compare(Tokens.drawn(NAMES), range(6), scheme).moved.max() == 0


def test_symmetric_alibi_cannot_tell_a_sentence_from_its_mirror():
    """|i − j| is the same backwards; rotary and T5's buckets know before from after."""
    backwards = list(reversed(range(6)))
    assert compare(Tokens.drawn(NAMES), backwards, "alibi").moved.max() < ROUNDING
    assert compare(Tokens.drawn(NAMES), backwards, "rotary").moved.max() > 1e-3
    assert compare(Tokens.drawn(NAMES), backwards, "relative").moved.max() > 1e-3


def test_alibi_in_the_sentence_by_hand():
    """Log weights less those without positions differ along a row by −slope · |i − j|."""
    tokens = Tokens.drawn(NAMES)
    added = (attend(tokens, "alibi").weights / attend(tokens).weights).log()
    slopes = positions.alibi_slopes(4)
    torch.testing.assert_close(added[:, 0] - added[:, 0, :1], -slopes[:, None] * torch.arange(6))


def test_an_order_that_forgets_a_token_is_said():
    with pytest.raises(InputError, match="each place from 0 to 5 once"):
        compare(Tokens.drawn(NAMES), [0, 0, 1, 2, 3, 4])
