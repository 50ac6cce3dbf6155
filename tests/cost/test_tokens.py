import pytest
import torch

from attnviz.base.errors import InputError
from attnviz.cost.tokens import image_tokens


@pytest.mark.parametrize(
    ("width", "height", "stride", "padding", "count", "pairs"),
    [
        (1920, 1080, 16, "cut", 8_040, 64_641_600),
        (1920, 1080, 16, "pad", 8_160, 66_585_600),
        (640, 640, 32, "cut", 400, 160_000),
        (640, 640, 8, "cut", 6_400, 40_960_000),
        (640, 640, 32, "pad", 400, 160_000),
        (640, 384, 32, "cut", 240, 57_600),
        (224, 224, 16, "cut", 196, 38_416),
    ],
)
def test_an_image_has_the_tokens_of_the_lessons(width, height, stride, padding, count, pairs):
    made = image_tokens(width, height, stride, padding)
    assert (made.count, made.pairs) == (count, pairs)


def test_a_class_token_counts_in_tokens_and_in_pairs():
    assert image_tokens(224, 224, 16, "cut", 1).count == 197
    assert image_tokens(1920, 1080, 16, "pad", 1).count == 8_161
    assert image_tokens(1920, 1080, 16, "pad", 1).pairs == 66_601_921  # 8,161²


def test_eight_rows_of_pixels_are_cut_or_added():
    assert image_tokens(1920, 1080, 16, "cut").rest_below == -8
    assert image_tokens(1920, 1080, 16, "pad").rest_below == 8
    assert image_tokens(1920, 1080, 16, "cut").rest_right == 0


@pytest.mark.parametrize(("width", "height", "stride"), [(1920, 1080, 16), (100, 37, 7), (33, 33, 32)])
def test_cut_is_what_a_convolution_without_padding_does(width, height, stride):
    laid = torch.nn.Conv2d(1, 1, stride, stride)(torch.zeros(1, 1, height, width))
    made = image_tokens(width, height, stride, "cut")
    assert (made.rows, made.columns) == tuple(laid.shape[2:])


def test_an_image_smaller_than_its_patch_is_one_sentence():
    with pytest.raises(InputError, match="no whole patch of 32"):
        image_tokens(31, 640, 32)
    assert image_tokens(31, 640, 32, "pad").count == 20
