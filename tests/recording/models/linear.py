"""Linear attention as it is written, the weights that it amounts to in float64, and a state-space model."""

import torch
import torch.nn.functional as F
from torch import nn

ITEMS, HEADS, COUNT, WIDTH = 2, 3, 7, 4


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).float()


def features(rows):
    return F.elu(rows) + 1


def einsum(q, k, v):
    """As in the code of Katharopoulos et al.: length before heads, one product of three."""
    q, k, v = (tensor.transpose(1, 2) for tensor in (features(q), features(k), v))
    context = torch.einsum("nshd,nshm->nhmd", k, v)
    over = 1 / (torch.einsum("nlhd,nhd->nlh", q, k.sum(dim=1)) + 1e-6)
    return torch.einsum("nlhd,nhmd,nlh->nlhm", q, context, over).transpose(1, 2)


def matmul(q, k, v):
    q, k = features(q), features(k)
    return (q @ (k.transpose(-2, -1) @ v)) / (q @ k.sum(-2).unsqueeze(-1))


def times(q, k, v):
    q, k = q.relu() + 0.1, k.relu() + 0.1
    over = 1 / torch.einsum("...nd,...d->...n", q, k.sum(dim=-2))
    context = torch.einsum("...nd,...ne->...de", k, v)
    return torch.einsum("...de,...nd->...ne", context, q) * over.unsqueeze(-1)


def summed_up(q, k, v):
    q, k = features(q), features(k)
    context = torch.einsum("bhnd,bhne->bhnde", k, v).cumsum(2)
    return torch.einsum("bhnd,bhnde->bhne", q, context) / (q * k.cumsum(2)).sum(-1, keepdim=True)


def unnormalised(q, k, v):
    return features(q) @ (features(k).mT @ v) / COUNT


def softmax_features(q, k, v):
    """Efficient attention (Shen et al. 2021): its features are softmaxes of their own."""
    q, k = q.softmax(-1), k.softmax(-2)
    return torch.einsum("bhde,bhnd->bhne", torch.einsum("bhnd,bhne->bhde", k, v), q)


def products(q, k):
    return features(q).double() @ features(k).double().mT


def normalised(weights):
    return weights / weights.sum(-1, keepdim=True)


FORMS = {
    einsum: lambda q, k: normalised(products(q, k)),
    matmul: lambda q, k: normalised(products(q, k)),
    times: lambda q, k: normalised((q.double().relu() + 0.1) @ (k.double().relu() + 0.1).mT),
    summed_up: lambda q, k: normalised(products(q, k).tril()),
    unnormalised: lambda q, k: products(q, k) / COUNT,
    softmax_features: lambda q, k: q.double().softmax(-1) @ k.double().softmax(-2).mT,
}


class Attention(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form

    def forward(self, q, k, v):
        return self.form(q, k, v)


def tensors():
    return tuple(random(ITEMS, HEADS, COUNT, WIDTH, seed=seed) * 2 for seed in range(3))


def mamba():
    from transformers import MambaConfig, MambaModel

    return MambaModel(MambaConfig(vocab_size=64, hidden_size=32, state_size=4, num_hidden_layers=3, pad_token_id=0))
