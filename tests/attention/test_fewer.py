"""Fewer tokens: pooling against torch's own, matching written out, sizes that keep the attention."""

import math

import pytest
import torch

from attnviz.attention import fewer
from attnviz.attention.fewer import Fewer
from attnviz.base.errors import InputError


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(("rows", "columns", "side"), [(6, 8, 2), (6, 9, 3), (5, 7, 2), (4, 4, 1), (3, 3, 5)])
def test_blocks_are_the_average_pooling_of_torch(rows, columns, side):
    """At the edges over what is there: count_include_pad=False with ceil_mode."""
    vectors = drawn(rows * columns, 3)
    picture = vectors.mT.reshape(1, 3, rows, columns)
    pooled = torch.nn.functional.avg_pool2d(picture, side, ceil_mode=True, count_include_pad=False)
    found = fewer.in_blocks(rows, columns, side)
    torch.testing.assert_close(found.mean(vectors), pooled[0].flatten(1).mT, atol=1e-12, rtol=0)
    assert int(found.sizes.sum()) == rows * columns


def test_blocks_are_squares_of_the_picture_not_runs_of_the_list():
    assert fewer.in_blocks(4, 4, 2).became.tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]
    assert fewer.in_runs(5, 2).became.tolist() == [0, 0, 1, 1, 2]


def test_cells_of_the_ground_by_hand():
    places = torch.tensor([[0.0, 0.0], [3.9, 0.1], [4.1, 0.1], [-0.1, 0.1], [1.0, 1.0]])
    assert fewer.in_cells(places, 4.0).became.tolist() == [0, 0, 1, 2, 0]
    assert fewer.in_cells(places, 4.0, protected=[0]).became.tolist() == [0, 1, 2, 3, 1]


def test_one_round_by_hand():
    """0 and 2 look among 1 and 3: 2 is 3 turned by a little, 0 is nearer to 1, by more. The closer pair is merged."""

    def at(degrees):
        return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]

    metric = torch.tensor([at(0), at(20), at(90), at(95)])
    assert fewer.match(metric, 2) == [(2, 3), (0, 1)]
    assert fewer.similar(metric, 3).became.tolist() == [0, 1, 2, 2]
    assert fewer.similar(metric, 2).became.tolist() == [0, 0, 1, 1]
    # Length does not matter, direction does.
    assert fewer.similar(metric * torch.tensor([[1.0], [9], [1], [5]]), 3).became.tolist() == [0, 1, 2, 2]


def test_a_round_is_the_papers_matching_written_out():
    """For each even token the odd one with the greatest cosine; the r greatest of these are merged."""
    metric = drawn(20, 6)
    edges = []
    for source in range(0, 20, 2):
        cosines = {
            target: float(metric[source] @ metric[target] / metric[source].norm() / metric[target].norm())
            for target in range(1, 20, 2)
        }
        best = max(cosines, key=cosines.get)
        edges.append((cosines[best], source, best))
    expected = [(source, target) for _cosine, source, target in sorted(edges, reverse=True)[:7]]
    assert fewer.match(metric, 7) == expected
    found = fewer.similar(metric, 13)
    assert len(found.sizes) == 13
    assert all(found.became[source] == found.became[target] for source, target in expected)


def test_rounds_go_on_until_so_many_are_left():
    metric = drawn(33, 4)
    for keep in (1, 2, 5, 16, 17, 32, 33):
        found = fewer.similar(metric, keep)
        assert len(found.sizes) == keep
        assert int(found.sizes.sum()) == 33


def test_the_protected_stay_alone():
    found = fewer.similar(torch.ones(6, 2), 2, protected=[3])
    assert found.company(3) == ()
    assert found.company(0) == (1, 2, 4, 5)


def test_means_are_weighted_by_size():
    """Three tokens in two rounds: the mean of all three, not of a mean and the third."""
    found = Fewer.of_groups(torch.tensor([7, 7, 7, -1, 2]))
    vectors = torch.tensor([[1.0], [2.0], [6.0], [50.0], [4.0]])
    assert found.mean(vectors).tolist() == [[3.0], [4.0]]
    assert found.sizes.tolist() == [3, 1]
    assert found.stand_in(found.mean(vectors))[:3].tolist() == [[3.0], [3.0], [3.0]]
    assert bool(found.stand_in(found.mean(vectors))[3].isnan())


def test_equal_tokens_can_be_merged_without_loss():
    """With log sizes the merged token has the sum of the weights and the output is the same; without them it is not."""
    kinds = drawn(3, 4)
    tokens = kinds[[0, 1, 0, 2, 0, 1]]
    found = Fewer.of_groups(torch.tensor([0, 1, 0, 2, 0, 1]))
    query = drawn(2, 4, seed=1)
    full = fewer.attend(query, tokens)
    merged = found.mean(tokens)
    small = fewer.attend(query, merged, found.sizes)
    torch.testing.assert_close(small[:, 0], full[:, [0, 2, 4]].sum(-1), atol=1e-12, rtol=0)
    torch.testing.assert_close(small @ merged, full @ tokens, atol=1e-12, rtol=0)
    assert fewer.lost(tokens, found).max() < 1e-12
    assert (fewer.attend(query, merged) @ merged - full @ tokens).abs().max() > 0.01


def test_attention_over_all_is_torchs_own():
    query, key = drawn(2, 5, 4), drawn(2, 7, 4, seed=1)
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, torch.eye(7).double().expand(2, 7, 7))
    torch.testing.assert_close(fewer.attend(query, key), expected, atol=1e-12, rtol=0)


def test_what_is_lost_by_hand():
    """(3, 4) and (3, −4) become (3, 0): each is 4 away and 5 long. What is left out has no number."""
    vectors = torch.tensor([[3.0, 4.0], [3.0, -4.0], [1.0, 0.0], [2.0, 0.0]])
    found = fewer.lost(vectors, Fewer.of_groups(torch.tensor([0, 0, 1, -1])))
    assert found[:3].tolist() == pytest.approx([0.8, 0.8, 0.0])
    assert fewer.moved(vectors, Fewer.of_groups(torch.tensor([0, 0, 1, -1])))[:3].tolist() == [4.0, 4.0, 0.0]
    assert bool(found[3].isnan())


def test_cropping_leaves_out():
    found = fewer.left_out(torch.tensor([True, False, True]))
    assert found.became.tolist() == [0, -1, 1]
    assert found.company(1) == ()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: fewer.similar(torch.ones(4, 2), 0), "0 of 4 tokens"),
        (lambda: fewer.similar(torch.ones(4, 2), 5), "5 of 4 tokens"),
        (lambda: fewer.similar(torch.ones(4, 2), 1, protected=[0]), "2 to 4 can"),
        (lambda: fewer.in_blocks(2, 2, 0), "0 was asked for"),
        (lambda: fewer.in_cells(torch.ones(2, 2), 0.0), "above 0"),
    ],
)
def test_what_does_not_go_is_said_in_a_sentence(wrong, said):
    with pytest.raises(InputError, match=said):
        wrong()
