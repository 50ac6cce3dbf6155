"""How strongly each block of a stack would be moved by training: the size of the gradient of its weights."""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.block import BlockWeights, NormPlace, block, normal


def gradient_sizes(
    x: Float[Tensor, "n d"], target: Float[Tensor, "n d"], blocks: list[BlockWeights], norm: NormPlace
) -> Float[Tensor, " layers"]:
    """The Euclidean length of the gradient of the mean squared error, over all weights of each block.

    With the norm before its parts, a stack ends with one more norm, as pre-LN models have it. Of untrained stacks, Xiong
    et al. 2020 (arXiv 2002.04745, theorem 1) show of the last layer: with the norm before, its gradient shrinks as
    1 / √layers; with the norm after, it stays as large however many layers there are.
    """
    leaves = [[w.detach().requires_grad_() for w in (one.qkv, one.out, one.up, one.down)] for one in blocks]
    with torch.enable_grad():
        for one, (qkv, out, up, down) in zip(blocks, leaves, strict=True):
            x = block(x, replace(one, qkv=qkv, out=out, up=up, down=down), norm)
        error = (((normal(x) if norm == "before" else x) - target) ** 2).mean()
        gradients = torch.autograd.grad(error, [weight for layer in leaves for weight in layer])
    squares = torch.stack([gradient.square().sum() for gradient in gradients])
    sizes: Tensor = squares.view(-1, 4).sum(-1).sqrt()
    return sizes
