import torch

from attnviz.cost.two_pictures import FILTER, PICTURES, SIZE, attention, features, filtered, picture


def test_the_filter_answers_an_upright_edge_by_hand_and_nothing_inside():
    answer = filtered(picture("corner"))
    # At (6, 4) the right column is 1 in three rows, the left one 0: 1 + 2 + 1.
    assert answer[6, 4] == 4
    assert answer[6, 3] == 4
    # At (4, 4) the row above is dark: 2 + 1 remain.
    assert answer[4, 4] == 3
    # Inside, and far away, both sides are alike.
    assert answer[6, 6] == answer[1, 1] == 0
    assert filtered(picture("bar"))[4, 3] == 4
    assert filtered(picture("bar"))[4, 4] == -4


def test_the_weights_of_attention_depend_on_the_picture_and_sum_to_one():
    maps = [attention(picture(name), 4, 4) for name in PICTURES]
    for one in maps:
        torch.testing.assert_close(one.sum(), torch.tensor(1.0, dtype=torch.float64))
        assert one.shape == (SIZE, SIZE)
    assert (maps[0] - maps[1]).abs().max() > 0.05


def test_attention_is_that_of_torch_on_the_same_features():
    image = picture("bar")
    found = features(image)
    expected = torch.nn.functional.scaled_dot_product_attention(
        4 * found[None, 3 * SIZE + 2 : 3 * SIZE + 3], found[None], torch.eye(SIZE * SIZE, dtype=torch.float64)[None]
    )
    torch.testing.assert_close(attention(image, 3, 2).flatten(), expected[0, 0])


def test_equal_places_get_equal_weights_however_far_away():
    # The bar is the same in every row but the first and the last, whose surroundings end at the edge.
    weights = attention(picture("bar"), 3, 3)
    torch.testing.assert_close(weights[1, 3], weights[6, 3])
    assert weights[1, 3] > weights[1, 0]
    assert len(FILTER) == 3
