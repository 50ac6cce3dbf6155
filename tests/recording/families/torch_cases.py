"""What PyTorch itself attends with, on its fast paths, compiled and closed, held against float64."""

import warnings
from copy import deepcopy
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import attnviz
from tests.recording.families.measure import EAGER, FLOAT64, Case, Run, Spy
from tests.recording.models import closed
from tests.recording.models.flex import HEADS, Flex, N, block, drawn, right_pairs, right_scores, windowed

PADDING = torch.tensor([[False] * 7, [False] * 5 + [True] * 2])
CAUSAL = torch.ones(7, 7, dtype=torch.bool).triu(1)


def rows_of(*shape: int) -> Tensor:
    """Random input, always the same."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


def peaked(model: nn.Module, factor: float = 5.0) -> nn.Module:
    """Queries of each nn.MultiheadAttention larger, so that attention is not nearly uniform."""
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, nn.MultiheadAttention):
                module.in_proj_weight[: module.embed_dim] *= factor
    return model.eval()


def weights_of(module: nn.MultiheadAttention, rows: Tensor, forbidden: Tensor) -> Tensor:
    """As the documentation of nn.MultiheadAttention states it, in float64. forbidden: "items 1 n_or_1 m"."""
    projected = rows.double() @ module.in_proj_weight.double().T + module.in_proj_bias.double()
    query, key, _ = projected.unflatten(-1, (3, module.num_heads, module.head_dim)).permute(2, 0, 3, 1, 4)
    scores = query @ key.mT * module.head_dim**-0.5
    return scores.masked_fill(forbidden, -torch.inf).softmax(-1)


def multi_head(need_weights: bool) -> Run:
    """Weights asked for, each head its own; or not, which lets PyTorch compute everything at once."""
    torch.manual_seed(0)
    module, rows = peaked(nn.MultiheadAttention(32, 4, batch_first=True)), rows_of(2, 7, 32)
    given = {"need_weights": need_weights, "average_attn_weights": False}
    with torch.no_grad():
        with attnviz.capture(module) as trace:
            _, own = module(rows, rows, rows, **given, key_padding_mask=PADDING)
        if need_weights:
            return Run(trace, [own], EAGER)
        assert any("fast path" in str(note) for note in trace.notes)
        return Run(trace, [weights_of(module, rows, PADDING[:, None, None])], FLOAT64)


def causal_multi_head() -> Run:
    """With gradients and a causal mask: off the fast path, through F.scaled_dot_product_attention."""
    torch.manual_seed(0)
    module, rows = peaked(nn.MultiheadAttention(32, 4, batch_first=True)), rows_of(2, 7, 32)
    with attnviz.capture(module) as trace:
        module(rows, rows, rows, need_weights=False, attn_mask=CAUSAL, is_causal=True)
    return Run(trace, [weights_of(module, rows, CAUSAL).detach()], FLOAT64)


def encoder(padded: bool) -> Run:
    """nn.TransformerEncoder in inference, where PyTorch computes each layer in one function."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    model, rows = peaked(nn.TransformerEncoder(layer, 2)), rows_of(2, 7, 32)
    padding = PADDING if padded else torch.zeros_like(PADDING)
    with torch.no_grad():
        with attnviz.capture(model) as trace:
            model(rows, src_key_padding_mask=PADDING if padded else None)
        assert any("fast path" in str(note) for note in trace.notes)
        states, references = rows.double(), []
        for one in deepcopy(model).double().layers:
            references.append(weights_of(one.self_attn, states, padding[:, None, None]))
            states = one(states, src_key_padding_mask=padding)
    return Run(trace, references, f"{FLOAT64}, as all of the model")


def flex(softcap: float | None) -> Run:
    """A sliding window, grouped heads and a softcap, as functions of the positions."""

    def capped(score, _item, _head, _query, _key):
        return softcap * torch.tanh(score / softcap)

    query, key, value = drawn()
    query = query * 3
    with torch.no_grad(), warnings.catch_warnings(), attnviz.capture(model := Flex()) as trace:
        warnings.simplefilter("ignore")
        model(query, key, value, score_mod=capped if softcap else None, block_mask=block(windowed))
    scores = right_scores(query, key, 8**-0.5)
    if softcap:
        scores = softcap * (scores / softcap).tanh()
    pairs = right_pairs(windowed).expand(2, HEADS, N, N)
    return Run(trace, [scores.masked_fill(~pairs, -torch.inf).softmax(-1)], FLOAT64)


class Packed(nn.Module):
    """Queries, keys and values in one product, and PyTorch's fused function."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(32, 96)

    def forward(self, rows: Tensor) -> Tensor:
        """Causal attention of 4 heads."""
        query, key, value = self.project(rows).unflatten(-1, (3, 4, 8)).permute(2, 0, 3, 1, 4)
        return F.scaled_dot_product_attention(query * 8, key, value, is_causal=True).transpose(1, 2).flatten(2)


def fused(compiled: bool) -> Run:
    """F.scaled_dot_product_attention in two layers, as they are or after torch.compile."""
    torch.manual_seed(0)
    model, spy = nn.Sequential(Packed(), Packed()).eval(), Spy()
    ready = torch.compile(model, backend="eager") if compiled else model
    rows = rows_of(2, 7, 32) * 2
    with torch.no_grad():
        ready(rows)
        with spy, warnings.catch_warnings(), attnviz.capture(ready) as trace:
            warnings.simplefilter("ignore")
            ready(rows)
    return Run(trace, spy.weights, FLOAT64)


def closed_model(how: str) -> Run:
    """A layer with the fused function and one written by hand, in a graph without Python."""
    torch.manual_seed(0)
    model, rows = closed.Model().eval(), rows_of(2, 6, 8) * 2
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ready = closed.closed(how, model, rows)
        with attnviz.capture(ready) as trace:
            ready(rows)
        return Run(trace, closed.expected(model, rows), FLOAT64)


def whole_layer() -> Run:
    """A scripted nn.TransformerEncoderLayer is one operator of PyTorch's, which hands out nothing of its inside."""
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ready = torch.jit.script(layer)
        with attnviz.capture(ready) as trace:
            ready(rows_of(1, 4, 8))
    return Run(trace, (), "", without=1)


def nested() -> Run:
    """Sequences of unequal length in one nested tensor."""
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    model = nn.TransformerEncoder(layer, 2).eval()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = torch.nested.nested_tensor([rows_of(7, 32), rows_of(5, 32)])
        with attnviz.capture(model) as trace:
            model(rows)
    return Run(trace, (), "", without=2)


ATTENTION, ENCODER = "nn.MultiheadAttention", "nn.TransformerEncoder"

CASES = [
    Case(ATTENTION, "need_weights=True, padded", partial(multi_head, True)),
    Case(ATTENTION, "need_weights=False, fast path, padded", partial(multi_head, False)),
    Case(ATTENTION, "need_weights=False, causal, with gradients", causal_multi_head),
    Case(ENCODER, "fast path", partial(encoder, False)),
    Case(ENCODER, "fast path, padded", partial(encoder, True)),
    Case(ENCODER, "nested tensor", nested),
    Case("nn.TransformerEncoderLayer", "TorchScript, whole", whole_layer),
    Case("F.scaled_dot_product_attention", "causal", partial(fused, False)),
    Case("F.scaled_dot_product_attention", "torch.compile", partial(fused, True)),
    Case("F.scaled_dot_product_attention and by hand", "torch.jit.trace", partial(closed_model, "trace")),
    Case("F.scaled_dot_product_attention and by hand", "torch.jit.script", partial(closed_model, "script")),
    Case("F.scaled_dot_product_attention and by hand", "torch.export", partial(closed_model, "export")),
    Case("flex_attention", "window, grouped heads", partial(flex, None)),
    Case("flex_attention", "window, grouped heads, softcap", partial(flex, 10.0)),
]
