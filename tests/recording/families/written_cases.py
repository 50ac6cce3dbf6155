"""Attention that models write themselves, held against their own weights or against the formula in float64."""

from copy import deepcopy
from functools import partial

import torch
from torch import nn

import attnviz
from tests.recording.families.measure import EAGER, FLOAT64, Case, Run, Spy
from tests.recording.models import forms, linear
from tests.recording.models.recurrent import Bahdanau, Joined, Luong, Translator
from tests.recording.models.vision import AreaAttention, VisionAttention
from tests.recording.models.vision import in_the_picture as areas_in_the_picture
from tests.recording.models.windows import Block, in_the_picture

BY_HAND = {
    forms.plain: "matmul, softmax",
    forms.masked_fill: "matmul, masked_fill, softmax",
    forms.where: "matmul, where, softmax",
    forms.additive_mask: "matmul, additive mask, softmax",
    forms.padded: "matmul, padding, softmax",
    forms.packed: "bmm, items and heads in one dimension",
    forms.baddbmm: "baddbmm with a bias",
    forms.einsum_in_another_order: "einsum, heads last",
    forms.softcap: "matmul, tanh, softmax",
    forms.sinks: "matmul, a sink beside the keys, softmax",
    forms.log_softmax: "log_softmax, exp",
    forms.masked_exponentials: "exp, divided by its sum",
    forms.softmax_over_another_dimension: "softmax over the first of the two",
}
GATES = {forms.sigmoid: "sigmoid", forms.masked_sigmoid: "masked_fill, sigmoid"}
LINEAR = {
    linear.matmul: "implicit weights, normalised",
    linear.summed_up: "implicit weights, causal",
    linear.softmax_features: "implicit weights, softmax features",
}


def by_hand(form) -> Run:
    """One of the ways to write it."""
    query, key, value = forms.tensors()
    with attnviz.capture(model := forms.Model(form)) as trace:
        model(query, key, value)
    weights = (
        forms.GATES[form](query, key)
        if form in GATES
        else forms.FORMS[form](query, key).softmax(-1)[..., : forms.QUERIES]
    )
    return Run(trace, [weights], "sigmoid(q·kᵀ) in float64" if form in GATES else FLOAT64)


def implicit(form) -> Run:
    """Linear attention makes no weights; these are what its output amounts to."""
    query, key, value = linear.tensors()
    with attnviz.capture(model := nn.Sequential(linear.Attention(form)), implicit=True) as trace:
        model[0](query, key, value)
    return Run(trace, [linear.FORMS[form](query, key)], "φ(q)·φ(k)ᵀ in float64")


def without_weights() -> Run:
    """Unless they are asked for, linear attention has none."""
    with attnviz.capture(model := nn.ModuleDict({"attn": linear.Attention(linear.matmul)})) as trace:
        model["attn"](*linear.tensors())
    return Run(trace, (), "", without=1)


def vision(fused: bool) -> Run:
    """Two layers as timm's vision transformers have them, with norms of queries and keys and rotary positions."""
    torch.manual_seed(0)
    layers = [VisionAttention(fused=fused, norms=True, rotary=True) for _ in range(2)]
    model, spy, own = nn.Sequential(*layers).eval(), Spy(), []
    for layer in layers:
        with torch.no_grad():
            layer.q_norm.weight.mul_(3)
        layer.attn_drop.register_forward_hook(lambda module, args, output: own.append(output))
    rows = torch.randn(2, 10, 32)
    with torch.no_grad(), spy, attnviz.capture(model) as trace:
        model(rows)
    return Run(trace, spy.weights if fused else own, FLOAT64 if fused else EAGER)


def windows(shift: int) -> Run:
    """Windows of 4 × 4 in a picture of 7 × 10, padded, as timm's Swin has them."""
    torch.manual_seed(0)
    block, spy = Block(shift=shift, scale=5.0), Spy()
    with torch.no_grad(), spy, attnviz.capture(block) as trace:
        block(torch.randn(2, 7, 10, 8))
    (weights,) = spy.weights
    return Run(trace, [torch.stack([in_the_picture(item, 7, 10, 4, shift)[0] for item in weights.chunk(2)])], FLOAT64)


def areas() -> Run:
    """Areas of a picture, channels before positions, as in YOLO12."""
    torch.manual_seed(0)
    model = AreaAttention().eval()
    with torch.no_grad():
        model.qkv.weight.mul_(5)
        with attnviz.capture(model) as trace:
            model(torch.randn(3, 32, 4, 4))
    return Run(trace, [areas_in_the_picture(model.kept, 4)], EAGER)


def recurrent(kind) -> Run:
    """Each step of the decoder is a row."""
    torch.manual_seed(0)
    model, rows, asked = Translator(kind, width=16), torch.randn(3, 6, 16), []
    model.attention.register_forward_pre_hook(lambda module, args: asked.append(args))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(10)
        with attnviz.capture(model) as trace:
            model(rows)
        exact = deepcopy(model.attention).double()
        steps = [exact(*(tensor.double() for tensor in step)) for step in list(asked)]
    return Run(trace, [torch.stack(steps, 1)[:, None]], "the same formula in float64")


CASES = [
    *(Case("By hand", how, partial(by_hand, form)) for form, how in {**BY_HAND, **GATES}.items()),
    Case("timm's Attention, rewritten", "fused", partial(vision, True)),
    Case("timm's Attention, rewritten", "not fused", partial(vision, False)),
    Case("timm's Swin block, rewritten", "windows, padded", partial(windows, 0)),
    Case("timm's Swin block, rewritten", "shifted windows, padded", partial(windows, 2)),
    Case("YOLO's area attention, rewritten", "areas of a picture", areas),
    Case("Recurrent decoder", "additive (Bahdanau)", partial(recurrent, Bahdanau)),
    Case("Recurrent decoder", "additive, side by side", partial(recurrent, Joined)),
    Case("Recurrent decoder", "dot products (Luong)", partial(recurrent, Luong)),
    *(Case("Linear attention", how, partial(implicit, form)) for form, how in LINEAR.items()),
    Case("Linear attention", "as it runs", without_weights),
]
