"""A model whose numbers can be followed on paper, and models that are put together in other ways."""

import gc

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.overrides import _get_current_function_mode_stack

import attnviz
from attnviz.recording.blocks import Stream


class Uniform(nn.Module):
    """An attention that looks at all positions alike: queries are zero."""

    def forward(self, x):
        return F.scaled_dot_product_attention(torch.zeros_like(x), x, x)


class Doubles(nn.Module):
    def forward(self, x):
        return 2 * torch.relu(x)


class Block(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.norm = norm
        self.attention, self.feed_forward = Uniform(), Doubles()
        self.first, self.second = nn.LayerNorm(2, eps=0.0), nn.LayerNorm(2, eps=0.0)

    def forward(self, x):
        if self.norm == "after":
            x = self.first(x + self.attention(x))
            return self.second(x + self.feed_forward(x))
        x = x + self.attention(x)
        return x + self.feed_forward(x)


def followed(model, *args, **options) -> Stream:
    with torch.no_grad(), attnviz.follow(model.eval(), **options) as stream:
        model(*args)
    return stream


def rows(*numbers):
    return torch.tensor([[float(number) for number in row] for row in numbers])


# Two positions, (4, 0) and (0, 2); their mean, which attention adds to both, is (2, 1).
GIVEN = torch.tensor([[[4.0, 0.0], [0.0, 2.0]]])


def test_without_a_norm_the_summands_are_what_was_added():
    (layer,) = followed(Block("none"), GIVEN)
    assert [summand.kind for summand in layer.summands] == ["carried", "attention", "feed-forward"]
    carried, attended, fed = (summand.vector for summand in layer.summands)
    assert torch.equal(carried, rows((4, 0), (0, 2)))
    assert torch.equal(attended, rows((2, 1), (2, 1)))
    # Twice what is there by then: 2 · (6, 1) and 2 · (2, 3).
    assert torch.equal(fed, rows((12, 2), (4, 6)))
    assert torch.equal(layer.left, rows((18, 3), (6, 9)))
    assert layer.error == 0.0
    # (4, 0) · (18, 3) = 72, (2, 1) · (18, 3) = 39, (12, 2) · (18, 3) = 222; the whole is 333 long, squared.
    share = layer.shares().share[:, 0]
    torch.testing.assert_close(share, torch.tensor([72 / 333, 39 / 333, 222 / 333], dtype=torch.float64))


def test_with_a_norm_after_each_sum_every_summand_goes_through_both():
    model = Block("after")
    with torch.no_grad():
        model.first.weight.copy_(torch.tensor([1.0, 3.0]))
        model.first.bias.copy_(torch.tensor([0.5, 0.0]))
        model.second.weight.copy_(torch.tensor([2.0, 1.0]))
        model.second.bias.copy_(torch.tensor([0.0, 0.25]))
    (layer,) = followed(model, GIVEN)
    first, second = layer.steps
    # Position 0: the sum (6, 1) has mean 3.5 and σ 2.5, so it becomes (1, −1) · γ + β = (1.5, −3).
    torch.testing.assert_close(first.left[0], torch.tensor([1.5, -3.0]))
    carried, attended, bias = (summand.vector[0] for summand in first.summands)
    # (4, 0) − 2 = (2, −2), over 2.5 and times (1, 3); (2, 1) − 1.5 = (0.5, −0.5) likewise.
    torch.testing.assert_close(carried, torch.tensor([0.8, -2.4]))
    torch.testing.assert_close(attended, torch.tensor([0.2, -0.6]))
    torch.testing.assert_close(bias, torch.tensor([0.5, 0.0]))
    # Feed-forward adds 2 · relu(1.5, −3) = (3, 0): the sum (4.5, −3) has mean 0.75 and σ 3.75.
    torch.testing.assert_close(second.parts[0].added[0], torch.tensor([3.0, 0.0]))
    torch.testing.assert_close(layer.left[0], torch.tensor([2.0, -0.75]))
    of_layer = {summand.kind: summand.vector[0] for summand in layer.summands}
    # (0.8, −2.4) has mean −0.8: (1.6, −1.6) / 3.75 · (2, 1).
    torch.testing.assert_close(of_layer["carried"], torch.tensor([3.2 / 3.75, -1.6 / 3.75]))
    torch.testing.assert_close(of_layer["attention"], torch.tensor([0.8 / 3.75, -0.4 / 3.75]))
    torch.testing.assert_close(of_layer["feed-forward"], torch.tensor([3.0 / 3.75, -1.5 / 3.75]))
    # The first bias (0.5, 0) goes through the second norm; the second joins it.
    torch.testing.assert_close(of_layer["bias"], torch.tensor([0.5 / 3.75, -0.25 / 3.75 + 0.25]))


def test_positions_and_items():
    x = torch.cat([GIVEN, 10 * GIVEN])
    stream = followed(Block("none"), x, positions=(1,), item=1)
    assert stream.positions == (1,)
    assert torch.equal(stream[0].came_in, rows((0, 20)))
    assert torch.equal(stream[0].left, rows((60, 90)))


def test_a_listed_position_that_is_not_there_is_said_and_a_range_is_cut():
    listed = followed(Block("none"), GIVEN, positions=[0, 9, -1, -7])
    assert len(listed[0].came_in) == 2
    assert torch.equal(listed[0].came_in, GIVEN[0, [0, -1]])
    assert [note.fields["positions"] for note in listed.notes] == ["9, -7"]
    cut = followed(Block("none"), GIVEN, positions=range(9))
    assert torch.equal(cut[0].came_in, GIVEN[0])
    assert not cut.notes


class InPlace(Block):
    """As frugal code has it: the stream is overwritten."""

    def forward(self, x):
        x = x.clone()
        x += self.attention(x)
        x += self.feed_forward(x)
        return x


class Turned(Block):
    """The stream is turned and flattened on its way."""

    def forward(self, x):
        turned = x.transpose(0, 1).contiguous()
        turned = turned + self.attention(x).transpose(0, 1)
        flat = turned.reshape(-1, 2)
        return (flat + self.feed_forward(flat)).view(2, 1, 2).transpose(0, 1)


@pytest.mark.parametrize("kind", [InPlace, Turned])
def test_ways_of_writing_do_not_matter(kind):
    (plain,) = followed(Block("none"), GIVEN)
    (other,) = followed(kind("none"), GIVEN)
    assert torch.equal(other.left, plain.left)
    for one, two in zip(other.summands, plain.summands, strict=True):
        assert one.kind == two.kind
        assert torch.equal(one.vector, two.vector)


class Inlined(nn.Module):
    """All layers written into one module, as lucidrains does."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.ModuleList([Uniform(), Doubles()]) for _ in range(3)])

    def forward(self, x):
        for attention, feed_forward in self.parts:
            x = attention(x) + x
            x = feed_forward(x) + x
        return x


def test_layers_written_into_one_module_are_told_apart():
    inlined = followed(Inlined(), GIVEN)
    apart = followed(nn.Sequential(*(Block("none") for _ in range(3))), GIVEN)
    assert [layer.number for layer in inlined] == [layer.number for layer in apart] == [0, 1, 2]
    for one, two in zip(inlined, apart, strict=True):
        assert torch.equal(one.came_in, two.came_in)
        assert torch.equal(one.left, two.left)
        assert [part.kind for part in one.parts] == ["attention", "feed-forward"]


class Gated(Block):
    """A stream that is not a sum: each part decides how much of it goes on."""

    def forward(self, x):
        x = x * torch.sigmoid(self.attention(x))
        return x * torch.sigmoid(self.feed_forward(x))


def test_what_is_no_sum_is_left_out_and_said():
    model = nn.Sequential(Gated("none"), Block("none"))
    stream = followed(model, GIVEN)
    assert [layer.name for layer in stream] == ["1"]
    assert [(note.message, note.fields["name"]) for note in stream.notes] == [
        (
            "“{name}” could not be followed: what leaves it is not what came in plus what its parts add, as far as that "
            "could be seen.",
            "0",
        )
    ]


def test_a_model_without_layers_says_so():
    stream = followed(nn.Linear(2, 2), GIVEN)
    assert len(stream) == 0
    assert "nothing to follow" in stream.notes[0].message


class Overwrites(Block):
    """What was added is changed afterwards behind the back of whoever kept it."""

    def forward(self, x):
        added = self.attention(x)
        x = x + added
        added.data.view(-1)[0] = 100.0
        return x + self.feed_forward(x)


def test_what_was_overwritten_is_not_shown():
    stream = followed(Overwrites("none"), GIVEN)
    assert len(stream) == 0
    assert "differ from what left by {error}" in stream.notes[0].message


def test_a_further_run_replaces_the_one_before():
    model = Block("none").eval()
    with torch.no_grad(), attnviz.follow(model) as stream:
        model(GIVEN)
        model(2 * GIVEN)
    assert len(stream) == 1
    assert torch.equal(stream[0].came_in, rows((8, 0), (0, 4)))


def test_a_run_that_fails_leaves_nothing_behind():
    model = Block("none").eval()
    with torch.no_grad(), attnviz.follow(model) as stream:
        with pytest.raises(RuntimeError):
            model(torch.zeros(1, 2, 3).long())
        model(GIVEN)
    assert torch.equal(stream[0].left, rows((18, 3), (6, 9)))


def test_vectors_of_other_positions_do_not_stay():
    """Of eight layers over 500 positions, what stays while the model runs is one layer's and the rows asked for."""
    model = nn.Sequential(*(Block("after") for _ in range(8))).eval()
    living = []

    def count(*_):
        found = [one for one in gc.get_objects() if type(one) is torch.Tensor and one.shape == (1, 500, 2)]
        living.append(len({one.data_ptr() for one in found}))

    for block in model:
        block.register_forward_pre_hook(count)
    stream = followed(model, torch.randn(1, 500, 2), positions=(7,))
    assert len(stream) == 8
    assert living[7] == living[2]
    assert sum(layer.bytes for layer in stream) < 500 * 2 * 4


def test_nothing_is_left_behind():
    model = Block("after")
    followed(model, GIVEN)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    assert not _get_current_function_mode_stack()


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("batch_first", [False, True])
def test_layers_of_torch_in_either_order(norm_first, batch_first):
    torch.manual_seed(0)
    options = {"norm_first": norm_first, "batch_first": batch_first, "dtype": torch.float64, "dropout": 0.0}
    model = nn.Transformer(16, 4, 2, 2, 32, **options).eval()
    source, target = torch.randn(2, 5, 16).double(), torch.randn(2, 3, 16).double()
    given = (source, target) if batch_first else (source.transpose(0, 1), target.transpose(0, 1))
    stream = followed(model, *given, item=1)
    assert stream.names == ("encoder.layers", "decoder.layers")
    # With gradients the layers take no fast path, so these are the formulas as torch writes them.
    x = given[0]
    for layer, mine in zip(model.encoder.layers, stream.of("encoder.layers"), strict=True):
        x = layer(x)
        torch.testing.assert_close(mine.left, (x[1] if batch_first else x[:, 1]).detach(), rtol=0, atol=1e-12)
        assert mine.error < 1e-14
    for layer in stream.of("decoder.layers"):
        assert [part.kind for part in layer.parts] == ["attention", "cross-attention", "feed-forward"]
        assert {tuple(step.normalised) for step in layer.steps} == {(norm_first, False, not norm_first)}
    assert stream.output.shape == (3, 16)


def test_a_single_layer_of_torch_is_a_layer():
    stream = followed(nn.TransformerEncoderLayer(16, 4, 32), torch.randn(5, 1, 16))
    assert [layer.stream for layer in stream] == ["TransformerEncoderLayer"]


def test_half_precision_is_followed_within_its_rounding():
    torch.manual_seed(0)
    model = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, dtype=torch.bfloat16)
    (layer,) = followed(model, torch.randn(1, 6, 32, dtype=torch.bfloat16))
    assert 1e-5 < layer.error < 8 * 2**-7


def test_not_a_module():
    with (
        pytest.raises(attnviz.InputError, match=r"A torch\.nn\.Module was expected; str was given\."),
        attnviz.follow("x"),
    ):
        pass


def test_an_item_that_is_not_there():
    with pytest.raises(attnviz.InputError, match="Item 2 was asked for; the model was given 1"):
        followed(Block("none"), GIVEN, item=2)


def test_torchscript_is_refused():
    model = torch.jit.trace(nn.Linear(2, 2), torch.zeros(1, 2))
    with pytest.raises(attnviz.InputError, match="closed path"), attnviz.follow(model):
        pass
