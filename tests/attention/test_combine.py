import pytest
import torch

from attnviz.attention.combine import combine, hide

TWO = torch.tensor([[[0.2, 0.8], [0.5, 0.5], [torch.nan] * 2], [[0.6, 0.4], [torch.nan] * 2, [torch.nan] * 2]])


def same(found, expected):
    torch.testing.assert_close(found, torch.tensor(expected), equal_nan=True)


def test_the_mean_of_heads_leaves_out_rows_without_weights():
    same(combine(TWO, "mean"), [[0.4, 0.6], [0.5, 0.5], [torch.nan] * 2])


def test_the_maximum_of_heads_leaves_out_rows_without_weights():
    same(combine(TWO, "maximum"), [[0.6, 0.8], [0.5, 0.5], [torch.nan] * 2])


@pytest.mark.parametrize("how", ["mean", "maximum"])
def test_a_row_that_is_zero_in_every_head_stays_zero(how):
    same(combine(torch.zeros(2, 1, 3), how), [[0.0, 0.0, 0.0]])
    same(combine(torch.tensor([[[0.0, 0.0]], [[0.3, 0.7]]]), how), [[0.3, 0.7]])


def test_hidden_columns_take_their_mass_with_them():
    shown, hidden = hide(torch.tensor([[0.7, 0.1, 0.2], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]), [0, 2], [1, 2])
    same(shown, [[0.1, 0.2], [0.0, 0.0]])
    same(hidden, [0.7, 1.0])


def test_renormalised_rows_sum_to_one_and_still_say_what_is_hidden():
    shown, hidden = hide(torch.tensor([[0.7, 0.1, 0.2], [1.0, 0.0, 0.0]]), [0, 1], [1, 2], renormalise=True)
    same(shown, [[1 / 3, 2 / 3], [torch.nan] * 2])
    same(hidden, [0.7, 1.0])


def test_hiding_works_on_all_heads_at_once():
    shown, hidden = hide(TWO, [0], [1])
    assert shown.shape == (2, 1, 1)
    same(hidden, [[0.2], [0.6]])


def test_keeping_everything_hides_nothing():
    shown, hidden = hide(torch.eye(3), range(3), range(3))
    assert torch.equal(shown, torch.eye(3))
    assert torch.equal(hidden, torch.zeros(3))
