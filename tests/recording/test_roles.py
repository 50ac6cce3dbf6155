import pytest
from torch import nn

from attnviz.recording.modules import modules_of
from attnviz.recording.roles import layer_numbers, part_of, role_of, says_cross


def test_the_number_in_the_name_is_the_layer_so_layers_without_attention_keep_theirs():
    calls = [("decoder", f"model.layers.{number}.self_attn", 0) for number in (3, 7, 11)]
    assert layer_numbers(calls) == [3, 7, 11]


def test_each_role_is_numbered_for_itself_and_each_run_again():
    one_run = [
        ("encoder", "encoder.block.0.layer.0.SelfAttention"),
        ("encoder", "encoder.block.1.layer.0.SelfAttention"),
    ]
    one_run += [
        ("cross", "decoder.block.0.layer.1.EncDecAttention"),
        ("cross", "decoder.block.1.layer.1.EncDecAttention"),
    ]
    calls = [(role, name, run) for run in (0, 1) for role, name in one_run]
    assert layer_numbers(calls) == [0, 1, 0, 1] * 2


def test_blocks_are_counted_through_the_stages_also_those_without_attention():
    modules = [f"stages.{stage}.blocks.{block}.{part}" for stage in (0, 1, 2) for block in (0, 1, 2) for part in "ab"]
    calls = [("encoder", f"stages.{stage}.blocks.{block}.attn", 0) for stage, block in ((0, 1), (1, 0), (1, 2), (2, 2))]
    assert layer_numbers(calls, modules) == [1, 3, 5, 8]
    # With nothing known but what ran, they are counted among themselves.
    assert layer_numbers(calls) == [0, 1, 2, 3]


def test_a_number_with_more_than_one_digit_comes_after_one_with_one():
    calls = [("encoder", f"net.{stage}.{block}.attn", 0) for stage, block in ((0, 9), (0, 10), (1, 2))]
    assert layer_numbers(calls, [f"net.0.{block}" for block in range(12)]) == [9, 10, 12]


@pytest.mark.parametrize(
    "names",
    [
        ["stages.0.blocks.0.attn", "stages.0.blocks.1.attn", "stages.1.blocks.0.attn"],
        ["groups.0.layer.attn", "groups.0.layer.attn", "groups.0.layer.attn"],
        ["first.attn", "second.attn", "layers.0.attn"],
    ],
    ids=["stages", "one layer used again", "no number"],
)
def test_where_names_do_not_tell_layers_are_counted_as_they_run(names):
    calls = [("encoder", name, run) for run in (0, 1) for name in names]
    assert layer_numbers(calls) == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize(
    ("causal", "elsewhere", "part", "role"),
    [
        (False, False, None, "encoder"),
        (False, False, "encoder", "encoder"),
        (True, False, None, "decoder"),
        (True, False, "encoder", "decoder"),
        (False, False, "decoder", "decoder"),
        (False, True, "decoder", "cross"),
    ],
)
def test_roles_follow_from_facts(causal, elsewhere, part, role):
    assert role_of(causal=causal, elsewhere=elsewhere, part=part) == role


class TinyDecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.Identity()


class EncoderDecoderModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.ModuleList([nn.Identity()])
        self.decoder = nn.ModuleDict({"encoder": nn.Identity(), "layer": nn.Identity()})
        self.stack = TinyDecoderLayer()
        self.other = nn.Identity()


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("encoder.0", "encoder"),
        ("decoder.layer", "decoder"),
        ("decoder.encoder", "encoder"),
        ("stack.attn", "decoder"),
        ("other", None),
        ("", None),
    ],
)
def test_the_innermost_word_says_which_part_a_layer_is_in(name, part):
    assert part_of(name, modules_of(EncoderDecoderModel()).by_name()) == part


def test_modules_have_the_names_of_named_modules():
    model = nn.Transformer(8, 2, 1, 1, 8)
    model.again = model.encoder.layers[0]
    found = modules_of(model)
    assert found.by_name() == dict(model.named_modules())
    assert list(found.by_name()) == [name for name, _ in model.named_modules()]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("decoder.0.cross_attention", True), ("layer.1.crossattention.self", True), ("layers.2.encoder_attn", True),
     ("cross_encoder.layers.0.attention", False), ("decoder.0.self_attention", False), ("", False)],
)  # fmt: skip
def test_a_layer_may_say_by_its_name_that_it_looks_elsewhere(name: str, expected: bool) -> None:
    assert says_cross(name) is expected
