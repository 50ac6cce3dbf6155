"""Families of Hugging Face transformers, held against the weights that they return themselves, or float64."""

from functools import partial

import torch
from torch import Tensor, nn

import attnviz
from tests.recording.conftest import FAMILIES, PEAKED, tiny_model
from tests.recording.families.measure import EAGER, FLOAT64, Case, Run, Spy

# Which of the families go through PyTorch's fused function as well as through their own eager one.
FUSED = ("bert", "gpt2", "llama", "mistral", "t5", "bart")
EAGER_ONLY = ("gemma2", "gpt_oss")


def inputs_of(model: nn.Module) -> dict[str, Tensor]:
    """Two items, the second one padded on the right where the model takes text."""
    ids = torch.randint(3, 60, (2, 9), generator=torch.Generator().manual_seed(1))
    mask = torch.ones_like(ids)
    mask[1, 6:] = 0
    given = {"input_ids": ids, "attention_mask": mask}
    if model.config.is_encoder_decoder:
        given["decoder_input_ids"] = torch.randint(3, 60, (2, 5), generator=torch.Generator().manual_seed(2))
    return given


def eager(family: str) -> Run:
    """Recorded while the model hands out its own weights."""
    model = tiny_model(family, "eager")
    with torch.no_grad(), attnviz.capture(model) as trace:
        output = model(**inputs_of(model), output_attentions=True, use_cache=False)
    return Run(trace, in_order(trace, output), EAGER)


def fused(family: str) -> Run:
    """Recorded while the model uses F.scaled_dot_product_attention, which hands out none."""
    model, spy = tiny_model(family, "sdpa"), Spy()
    with torch.no_grad(), spy, attnviz.capture(model) as trace:
        model(**inputs_of(model), use_cache=False)
    return Run(trace, spy.weights, FLOAT64)


def in_order(trace, output) -> list[Tensor]:
    """The model's own weights in the order in which the trace has them."""
    sides = {
        "encoder": getattr(output, "encoder_attentions", None) or getattr(output, "attentions", None),
        "decoder": getattr(output, "decoder_attentions", None) or getattr(output, "attentions", None),
        "cross": getattr(output, "cross_attentions", None),
    }
    waiting = {role: iter(weights or ()) for role, weights in sides.items()}
    return [next(waiting[found.role]) for found in trace]


def title(family: str) -> str:
    """What the family is called where it comes from."""
    kind, _ = FAMILIES[family]()
    return kind.__name__.removesuffix("Model")


CASES = [
    *(Case(title(family), "transformers, eager", partial(eager, family)) for family in (*FUSED, *EAGER_ONLY)),
    *(Case(title(family), "transformers, sdpa", partial(fused, family)) for family in FUSED),
]
assert set(PEAKED) <= set(FAMILIES)
