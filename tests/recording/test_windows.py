"""Attention over windows in the positions of the input, against the model's own weights window by window."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import attnviz
from attnviz.attention import DotProduct, Groups, SlotBias
from tests.recording.models.windows import Block, by_hand, in_the_picture, places

SHAPES = {"square": (32, 32), "rectangle": (32, 16), "padded": (26, 30)}


def eager_weights(model, pixels):
    """What every attention module of the "eager" model gives back, in order."""
    found = []
    handles = [
        module.register_forward_hook(lambda module, args, output: found.append(output[1]))
        for name, module in model.named_modules()
        if name.endswith(".attention")
    ]
    model(pixels)
    for handle in handles:
        handle.remove()
    return found


@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
@pytest.mark.parametrize("shape", SHAPES)
def test_swin_in_the_positions_of_the_picture(tiny, implementation, shape):
    model = tiny("swin", implementation)
    pixels = torch.randn(2, 3, *SHAPES[shape], generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        plain = model(pixels).last_hidden_state
        with attnviz.capture(model) as trace:
            recorded = model(pixels).last_hidden_state
        eager = eager_weights(tiny("swin", "eager"), pixels)
    assert torch.equal(plain, recorded)
    assert not trace.notes
    assert trace.roles() == ("encoder",)
    # Four blocks in two stages, counted through.
    assert trace.layers("encoder") == (0, 1, 2, 3)
    assert [found.name for found in trace][2] == "encoder.layers.1.blocks.0.attention"
    rows, columns = SHAPES[shape][0] // 2, SHAPES[shape][1] // 2
    for number, (found, weights) in enumerate(zip(trace, eager, strict=True)):
        if number == 2:
            # Between the stages, patches are merged two by two.
            rows, columns = -(-rows // 2), -(-columns // 2)
        # A picture that is no larger than a window is not shifted.
        shift = 2 if number % 2 and min(rows, columns) > 4 else 0
        assert found.items == 2
        for item in (0, 1):
            expected, absent = in_the_picture(weights.chunk(2)[item], rows, columns, 4, shift)
            assert found.shape == (rows * columns + absent,) * 2
            assert (found.weights(None, item) - expected).abs().max() < 1e-5
            assert not found.weights(None, item)[~found.allowed(None, item)].any()
        assert found.logits(None)[found.allowed(None)].abs().max() < 64
        assert found.weights(None).std() > 0.02
        assert found.check.agrees
        tokens = found.query_tokens
        assert tokens.kind == "patch"
        assert tokens.texts[columns + 1] == "row 1, column 1"
        assert [tokens.is_padding(position) for position in range(len(tokens))] == [False] * rows * columns + [
            True
        ] * absent


def test_nothing_is_kept_for_each_pair_of_positions(tiny):
    model = tiny("swin", "sdpa")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(torch.randn(2, 3, 64, 64))
    for found in trace:
        assert isinstance(found.mask, Groups)
        assert isinstance(found.scores.bias, SlotBias)
        assert tuple(found.scores.bias.table.shape) == (1, 1, found.heads, 16, 16)
        products = found.scores.query.nbytes + found.scores.key.nbytes
        assert (
            found.nbytes() - found.scores.bias.table.nbytes == products == 2 * 2 * found.shape[0] * 4 * found.heads * 4
        )


def test_a_trace_of_windows_comes_back_from_its_file(tiny, tmp_path):
    model = tiny("swin", "sdpa")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(torch.randn(1, 3, 26, 30))
    trace.save(tmp_path / "run.safetensors")
    for found, again in zip(trace, attnviz.load(tmp_path / "run.safetensors"), strict=True):
        assert torch.equal(found.weights(None).nan_to_num(-1), again.weights(None).nan_to_num(-1))
        assert again.query_tokens == found.query_tokens


def test_autograd_and_values(tiny):
    """With gradients, what is recorded is detached; the chain is found all the same."""
    model = tiny("swin", "sdpa")
    found = []
    model.encoder.layers[0].blocks[1].attention.o_proj.register_forward_pre_hook(
        lambda module, args: found.append(args[0])
    )
    with attnviz.capture(model, values=True) as trace:
        model(torch.randn(1, 3, 16, 16)).last_hidden_state.sum().backward()
    output = trace[1].output(None).transpose(0, 1).flatten(1)
    slots = [r * 8 + c for window in places(8, 8, 4, 2) for r, c in window]
    torch.testing.assert_close(output[slots], found[0].detach().reshape(64, 8), atol=1e-6, rtol=0)


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("shift", [0, 2])
@pytest.mark.parametrize("size", [(8, 12), (7, 10)])
def test_windows_as_timm_cuts_them(shift, size, fused):
    torch.manual_seed(0)
    block, x = Block(shift=shift, fused=fused), torch.randn(3, *size, 8)
    with torch.no_grad(), attnviz.capture(block) as trace:
        block(x)
    with torch.no_grad():
        expected = by_hand(block, x)
    (found,) = trace
    assert not trace.notes
    assert (found.name, found.items) == ("attn", 3)
    assert found.check.agrees
    for item in range(3):
        dense, _ = in_the_picture(expected[item], *size, 4, shift)
        torch.testing.assert_close(found.weights(None, item), dense.float(), atol=1e-5, rtol=0)


@pytest.mark.parametrize("shift", [0, 2])
def test_windows_with_cosines_and_a_temperature_for_each_head(shift):
    torch.manual_seed(0)
    block, x = Block(shift=shift, fused=False), torch.randn(2, 8, 8, 8)
    block.attn.cosine = torch.tensor([4.0, 9.0]).view(2, 1, 1)
    with torch.no_grad(), attnviz.capture(block) as trace:
        block(x)
    (found,) = trace
    assert not trace.notes
    assert (found.items, found.shape) == (2, (64, 64))
    assert found.check.agrees
    # The window of the first position holds the first four of the first four rows, in both pictures.
    q, k, _ = (
        block.attn.qkv(block.norm(x.roll((-shift, -shift), (1, 2)))[1, :4, :4].reshape(16, 8))
        .unflatten(-1, (3, 2, 4))
        .unbind(1)
    )
    cosines = torch.einsum("ihd,jhd->hij", F.normalize(q.double(), dim=-1), F.normalize(k.double(), dim=-1))
    expected = (cosines * block.attn.cosine + block.attn.bias).softmax(-1)
    where = [(row + shift) % 8 * 8 + (column + shift) % 8 for row in range(4) for column in range(4)]
    here = found.weights(None, 1, where, where)
    torch.testing.assert_close(here, expected.float(), atol=1e-5, rtol=0)


def test_a_barrier_that_is_not_high_enough_stays_a_number():
    """Scores of some dozens overcome −60: then pairs across it do have a weight, and it is shown."""
    torch.manual_seed(0)
    block, x = Block(scale=60.0, far=-60.0), torch.randn(1, 8, 8, 8)
    with torch.no_grad(), attnviz.capture(block) as trace:
        block(x)
    with torch.no_grad():
        expected = by_hand(block, x)
    dense, _ = in_the_picture(expected[0], 8, 8, 4, 2)
    torch.testing.assert_close(trace[0].weights(None), dense.float(), atol=2e-5, rtol=0)
    assert trace[0].scores.bias.table.shape[1] == 4
    # All sixteen slots of each window are allowed.
    assert trace[0].allowed(0).sum(-1).tolist() == [16] * 64


class GridAttention(nn.Module):
    """MaxViT's grid: each group takes every second row and column of a picture with the features second."""

    def forward(self, x):
        items, width, rows, columns = x.shape
        x = x.reshape(items, width, 2, rows // 2, 2, columns // 2).permute(0, 3, 5, 2, 4, 1)
        x = x.reshape(-1, 4, width)[:, None]
        return F.scaled_dot_product_attention(x, x, x)


def test_a_dilated_grid_of_a_picture_with_the_features_second():
    torch.manual_seed(0)
    model, x = GridAttention(), torch.randn(2, 8, 4, 6)
    with attnviz.capture(model) as trace:
        model(x)
    (found,) = trace
    assert (found.items, found.shape) == (2, (24, 24))
    rows = x.double().flatten(2).mT
    score = rows @ rows.mT * 8**-0.5
    place = torch.arange(24)
    row, column = place // 6, place % 6
    together = (row[:, None] % 2 == row % 2) & (column[:, None] % 3 == column % 3)
    expected = score.masked_fill(~together, -torch.inf).softmax(-1)
    for item in (0, 1):
        torch.testing.assert_close(found.weights(0, item).double(), expected[item], atol=1e-6, rtol=0)
    assert found.query_tokens.texts[7] == "row 1, column 1"


class Axial(nn.Module):
    """Each row of a picture by itself, causal within it."""

    def forward(self, x):
        rows = x.flatten(0, 1)[:, None]
        return F.scaled_dot_product_attention(rows, rows, rows, is_causal=True)


def test_a_rule_within_each_window_is_kept_slot_by_slot():
    torch.manual_seed(0)
    model, x = Axial(), torch.randn(2, 3, 4, 8)
    with attnviz.capture(model) as trace:
        model(x)
    (found,) = trace
    assert (found.items, found.shape) == (2, (12, 12))
    rows = x.double().flatten(1, 2)
    place = torch.arange(12)
    allowed = (place[:, None] // 4 == place // 4) & (place <= place[:, None])
    expected = (rows @ rows.mT * 8**-0.5).masked_fill(~allowed, -torch.inf).softmax(-1)
    torch.testing.assert_close(found.weights(0, 1).double(), expected[1], atol=1e-6, rtol=0)
    assert torch.equal(found.allowed(0), allowed)


def test_sam_cuts_windows_and_pads_them():
    from transformers import SamVisionConfig
    from transformers.models.sam.modeling_sam import SamVisionEncoder

    torch.manual_seed(0)
    config = SamVisionConfig(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=48,
        patch_size=8,
        window_size=4,
        global_attn_indexes=[1],
        mlp_dim=16,
        output_channels=8,
        attn_implementation="sdpa",
    )
    model = SamVisionEncoder(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "rel_pos" in name or "qkv" in name:
                parameter.normal_()
        with attnviz.capture(model) as trace:
            model(torch.randn(2, 3, 48, 48))
    windowed, whole = trace
    # Six patches each way: windows of four need two rows and columns of padding.
    assert (windowed.items, windowed.shape) == (2, (64, 64))
    assert (whole.items, whole.shape) == (2, (36, 36))
    assert windowed.query_tokens.texts[7] == "row 1, column 1"
    assert sum(windowed.query_tokens.padding) == 28
    assert windowed.check.agrees
    assert whole.check.agrees
    # Position 0 sees its window: rows and columns 0 to 3.
    seen = [r * 6 + c for r in range(4) for c in range(4)]
    assert windowed.allowed(0)[0].nonzero().flatten().tolist() == seen
    assert not trace.notes


class Picked(nn.Module):
    """Windows that are picked by numbers."""

    def __init__(self):
        super().__init__()
        self.attn = Heads()
        self.order = torch.tensor([0, 3, 1, 4, 2, 5])

    def forward(self, x):
        return self.attn(x[:, self.order].reshape(-1, 2, 8))


class Stacked(nn.Module):
    """Windows that are slices, put together again."""

    def __init__(self):
        super().__init__()
        self.attn = Heads()

    def forward(self, x):
        return self.attn(torch.stack([x[:, first::3] for first in range(3)], 1).flatten(0, 1))


class Joined(nn.Module):
    """The windows of all items one after the other, put together by hand."""

    def __init__(self):
        super().__init__()
        self.attn = Heads()

    def forward(self, x):
        windows = x.new_empty(6, 2, 8)
        for item in range(2):
            for first in range(3):
                windows[3 * item + first] = x[item, first::3]
        return self.attn(windows)


class Heads(nn.Module):
    def forward(self, x):
        x = x[:, None]
        return F.scaled_dot_product_attention(x, x, x)


class Around(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


@pytest.mark.parametrize("kind", [Picked, Stacked])
def test_windows_are_placed_however_they_were_cut(kind):
    """Both put positions 0 and 3, 1 and 4, 2 and 5 together."""
    torch.manual_seed(0)
    model, x = Around(kind()), torch.randn(2, 6, 8)
    with attnviz.capture(model) as trace:
        model(x)
    (found,) = trace
    assert (found.items, found.shape) == (2, (6, 6))
    place = torch.arange(6)
    together = place[:, None] % 3 == place % 3
    score = x.double() @ x.double().mT * 8**-0.5
    expected = score.masked_fill(~together, -torch.inf).softmax(-1)
    for item in (0, 1):
        torch.testing.assert_close(found.weights(0, item).double(), expected[item], atol=1e-6, rtol=0)
    assert found.check.agrees
    assert not trace.notes


def test_windows_that_cannot_be_placed_stay_items_and_a_note_says_so():
    model = Around(Joined())
    with attnviz.capture(model) as trace:
        model(torch.randn(2, 6, 8))
    assert (trace[0].items, trace[0].shape) == (6, (2, 2))
    assert ["“inner.attn” attends within windows" in str(note) for note in trace.notes] == [True]


class Overlapping(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = Heads()

    def forward(self, x):
        return self.attn(x.unfold(1, 4, 2).transpose(2, 3).reshape(-1, 4, 8))


def test_windows_that_overlap_stay_items_and_a_note_says_so():
    with attnviz.capture(model := Overlapping()) as trace:
        model(torch.randn(2, 6, 8))
    assert (trace[0].items, trace[0].shape) == (4, (4, 4))
    assert len(trace.notes) == 1


class Folded(nn.Module):
    """Heads among the items, as in models that multiply with bmm: no windows."""

    def forward(self, x):
        items, length, width = x.shape
        heads = x.view(items, length, 2, width // 2).transpose(1, 2).reshape(items * 2, 1, length, width // 2)
        return F.scaled_dot_product_attention(heads, heads, heads)


class SequenceFirst(nn.Module):
    def forward(self, x):
        heads = x.view(*x.shape[:2], 2, -1).permute(1, 2, 0, 3)
        return F.scaled_dot_product_attention(heads, heads, heads)


@pytest.mark.parametrize(
    ("model", "shape", "items"),
    [
        (Folded(), (3, 5, 8), 6),
        (SequenceFirst(), (2, 4, 8), 4),
        (SequenceFirst(), (1, 4, 8), 4),
        (SequenceFirst(), (3, 6, 8), 6),
    ],
)
def test_items_that_are_no_windows_stay_items(model, shape, items):
    around = Around(model)
    with attnviz.capture(around) as trace:
        around(torch.randn(*shape))
    assert trace[0].items == items
    assert not trace.notes


def test_a_picture_changed_after_it_was_cut_is_not_mistaken():
    class Changed(nn.Module):
        def forward(self, x):
            windows = x.view(2, 2, 4, 8).clone()
            windows[:, :1] = windows[:, 1:]
            x = windows.flatten(0, 1)[:, None]
            return F.scaled_dot_product_attention(x, x, x)

    with attnviz.capture(model := Changed()) as trace:
        model(torch.randn(2, 8, 8))
    # The first window is now a copy of the second: in the input's positions it would be wrong.
    assert (trace[0].items, trace[0].shape) == (4, (4, 4))


def test_windows_are_scores_of_queries_and_keys(tiny):
    model = tiny("swin", "sdpa")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(torch.randn(1, 3, 16, 16))
    assert all(isinstance(found.scores, DotProduct) for found in trace)
    assert (trace[1].overview(8).row_state == 0).all()
