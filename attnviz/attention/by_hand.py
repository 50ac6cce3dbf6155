"""Attention step by step, as one works it out with pencil and paper.

dots = q·k, scaled = dots / (√d · temperature), weights = softmax(scaled over the keys that the mask allows),
output = Σ weight · value (Vaswani et al. 2017, arXiv 1706.03762, equation 1). The weights are those of
`Attention`, so that a picture of the steps and a picture of a model come down the same path.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.attention import SDPBackend

from attnviz.attention.attention import Attention
from attnviz.attention.function_scores import FunctionScores
from attnviz.attention.masks import Causal
from attnviz.attention.scores import DotProduct
from attnviz.base.errors import InputError
from attnviz.base.language import _m


@dataclass(frozen=True, eq=False)
class Steps:
    """Every number on the way from queries, keys and values to the outputs, for all heads, in float32.

    scale: whether scores are divided by √d, d being the width of one head. factor: 1 / (√d · temperature), or
    1 / temperature. dots: q·k. scaled: dots · factor, what the softmax gets. contributions: weight · value.
    shares: the part of the output vector o that each contribution is, (w v)·o / ‖o‖²; they sum to 1, can be
    negative or above 1, and are NaN where the output is the zero vector.
    """

    attention: Attention
    scale: bool
    temperature: float
    factor: float
    query: Float[Tensor, "heads n d"]
    key: Float[Tensor, "heads m d"]
    value: Float[Tensor, "heads m dv"]
    dots: Float[Tensor, "heads n m"]
    scaled: Float[Tensor, "heads n m"]
    allowed: Bool[Tensor, "heads n m"]
    weights: Float[Tensor, "heads n m"]
    contributions: Float[Tensor, "heads n m dv"]
    output: Float[Tensor, "heads n dv"]
    shares: Float[Tensor, "heads n m"]

    @property
    def heads(self) -> int:
        """How many heads the width was split into."""
        return self.dots.shape[0]

    @property
    def concatenated(self) -> Float[Tensor, "n width"]:
        """The heads' outputs side by side, before the output projection."""
        return self.output.transpose(0, 1).flatten(1)


def steps(
    query: Float[Tensor, "n d"],
    key: Float[Tensor, "m d"],
    value: Float[Tensor, "m dv"],
    *,
    heads: int = 1,
    scale: bool = True,
    temperature: float | int = 1.0,
    causal: bool = False,
) -> Steps:
    """Attention of n queries over m keys with values of width dv, split into `heads` equal parts.

    scale: whether to divide by √(d / heads). temperature: above 1 flattens the weights, below 1 sharpens them.
    causal: key j only for queries i ≥ j. Raises `InputError` where the widths cannot be split into the heads
    or the temperature is not a positive number.
    """
    if not (math.isfinite(temperature) and temperature > 0):
        raise InputError(
            _m("The temperature must be a number above 0; {temperature} was given."), temperature=temperature
        )
    q, k, v = split(query, heads), split(key, heads), split(value, heads)
    factor = (1 / math.sqrt(q.shape[-1]) if scale else 1.0) / temperature
    attention = Attention.from_qk(q, k, value=v, scale=factor, mask=Causal() if causal else None, name="by-hand")
    return _worked(attention, scale, float(temperature))


def steps_of(attention: Attention) -> Steps:
    """The steps of an attention whose queries, keys and values are known, for its first item.

    Raises `InputError` where they are not, or where something else than a mask comes between the dot products
    and the softmax (bias, softcap, sinks).
    """
    scores = _plain(attention)
    scaled = math.isclose(scores.scale * math.sqrt(scores.query.shape[-1]), 1)
    return _worked(attention, scaled, 1.0 if scaled else 1 / scores.scale)


def _plain(attention: Attention) -> DotProduct:
    """The scores, if they are dot products that a mask alone comes after."""
    scores = attention.scores
    if (
        isinstance(scores, DotProduct)
        and not isinstance(scores, FunctionScores)
        and attention.value is not None
        and attention.kv_heads == attention.heads
        and (scores.bias, scores.softcap, scores.sinks) == (None, None, None)
    ):
        return scores
    raise InputError(
        _m("“{name}” cannot be worked out by hand: queries, keys and values of plain dot products are needed."),
        name=attention.name,
    )


def _worked(attention: Attention, scale: bool, temperature: float) -> Steps:
    scores, value = _plain(attention), attention.value
    if value is None:
        raise ValueError("values were there a moment ago")
    q, k, v = scores.query[0].float(), scores.key[0].float(), value[0].float()
    weights = attention.weights(None)
    contributions = weights[..., None] * v[:, None]
    return Steps(
        attention=attention,
        scale=scale,
        temperature=temperature,
        factor=scores.scale,
        query=q,
        key=k,
        value=v,
        dots=q @ k.mT,
        scaled=attention.logits(None),
        allowed=attention.allowed(None),
        weights=weights,
        contributions=contributions,
        output=contributions.sum(-2),
        shares=shares(contributions),
    )


def shares(contributions: Float[Tensor, "*any m dv"]) -> Float[Tensor, "*any m"]:
    """The part of the output vector o = Σ c that each contribution c is: c·o / ‖o‖². NaN for a zero output."""
    output = contributions.sum(-2, keepdim=True)
    return (contributions * output).sum(-1) / (output * output).sum(-1)


def split(features: Float[Tensor, "n width"], heads: int) -> Float[Tensor, "heads n part"]:
    """The width cut into equal parts, one for each head. Raises `InputError` where it does not divide."""
    width = features.shape[1]
    if heads < 1 or width % heads:
        raise InputError(_m("A width of {width} cannot be split into {heads} equal heads."), width=width, heads=heads)
    return features.reshape(len(features), heads, -1).transpose(0, 1)


def project(features: Float[Tensor, "n model"], weights: Float[Tensor, "heads model d"]) -> Float[Tensor, "heads n d"]:
    """x W for each head: how queries, keys and values are made from the features."""
    return features @ weights


def project_output(
    outputs: Float[Tensor, "heads n d"], weights: Float[Tensor, "heads d model"]
) -> Float[Tensor, "n model"]:
    """The heads side by side times W_O: Concat(o₁ … o_h) W_O, which is Σ over heads of o W."""
    return (outputs @ weights).sum(0)


@dataclass(frozen=True)
class Comparison:
    """The steps beside PyTorch's own attention.

    equal: within rtol 1.3e-6 and atol 1e-5, the tolerances of `torch.testing` for float32.
    backend: what PyTorch chose for these very tensors: FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION or MATH.
    """

    equal: bool
    largest_difference: float
    backend: str


def compare_with_torch(found: Steps) -> Comparison:
    """The output of `F.scaled_dot_product_attention` on the same queries, keys, values, scale and mask.

    It is called on 4-D tensors, as models call it: for 3-D ones PyTorch does not take its fused kernels.
    """
    query, key, value = (tensor[None].contiguous() for tensor in (found.query, found.key, found.value))
    causal = not bool(found.allowed.all())
    theirs = F.scaled_dot_product_attention(query, key, value, is_causal=causal, scale=found.factor)[0]
    choice = torch._fused_sdp_choice(query, key, value, None, 0.0, causal, scale=found.factor)
    return Comparison(
        equal=torch.allclose(found.output, theirs, rtol=1.3e-6, atol=1e-5),
        largest_difference=float((found.output - theirs).abs().max()),
        backend=SDPBackend(choice).name,
    )
