"""Families of Hugging Face transformers, held against the weights that they return themselves, or float64."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

import attnviz
from tests.recording.conftest import tiny_model
from tests.recording.families.measure import EAGER, FLOAT64, Case, Run, Spy
from tests.recording.models import pictures
from tests.recording.models.deformable import scattered
from tests.recording.models.generating import FIXED, IDS, LEFT, causal_lm
from tests.recording.models.linear import mamba
from tests.recording.models.longformer import dense
from tests.recording.models.windows import in_the_picture

Build = Callable[[str | None], tuple[nn.Module, dict[str, Any]]]

TITLES = {
    "bert": "BERT",
    "gpt2": "GPT-2",
    "llama": "Llama, grouped heads",
    "mistral": "Mistral, sliding window",
    "gemma2": "Gemma 2, softcap and sliding window",
    "gpt_oss": "gpt-oss, sinks and sliding window",
    "t5": "T5",
    "bart": "BART",
    "deberta": "DeBERTa-v2",
    "bloom": "BLOOM, ALiBi",
    "falcon": "Falcon, one key head",
    "falcon_alibi": "Falcon, ALiBi",
    "falcon_grouped": "Falcon, grouped heads",
}
# These have an own function alone; all others go through PyTorch's fused one as well.
EAGER_ONLY = ("gemma2", "gpt_oss", "deberta", "bloom")

PICTURES_AND_SOUND = {
    "Marian": (pictures.marian, 200.0),
    "Whisper": (pictures.whisper, 200.0),
    "ViT": (pictures.vit, 200.0),
    "DINOv2": (pictures.dinov2, 200.0),
    "DETR, ResNet backbone": (pictures.detr, 100.0),
    "CLIP, text and pictures": (pictures.clip, 40.0),
}


def of_text(family: str, implementation: str | None) -> tuple[nn.Module, dict[str, Any]]:
    """Two items, the second one padded: on the left where the model writes on, on the right elsewhere."""
    model = tiny_model(family, implementation or "sdpa")
    ids = torch.randint(3, 60, (2, 9), generator=torch.Generator().manual_seed(1))
    mask = torch.ones_like(ids)
    mask[1, slice(0, 3) if family in ("gpt2", "llama", "mistral") else slice(6, 9)] = 0
    given = {"input_ids": ids, "attention_mask": mask}
    if model.config.is_encoder_decoder:
        given["decoder_input_ids"] = torch.randint(3, 60, (2, 5), generator=torch.Generator().manual_seed(2))
    return model, given | ({} if family == "deberta" else {"use_cache": False})


def of_pictures_and_sound(family: str, implementation: str | None) -> tuple[nn.Module, dict[str, Any]]:
    """Two pictures, or two pieces of sound, or two sentences to translate."""
    build, factor = PICTURES_AND_SOUND[family]
    kind, config, inputs = build()
    if isinstance(inputs, tuple):
        inputs = {"pixel_values": pictures.drawn(2, 3, *inputs)}
    return pictures.peaked(kind, config, implementation, factor), inputs


def eager(build: Build) -> Run:
    """Recorded while the model hands out its own weights."""
    model, inputs = build("eager")
    with torch.no_grad(), attnviz.capture(model) as trace:
        output = model(**inputs, output_attentions=True)
    return Run(trace, in_order(trace, output), EAGER)


def fused(build: Build) -> Run:
    """Recorded while the model uses F.scaled_dot_product_attention, which hands out none."""
    (model, inputs), spy = build(None), Spy()
    with torch.no_grad(), spy, attnviz.capture(model) as trace:
        model(**inputs)
    return Run(trace, spy.weights, FLOAT64)


def in_order(trace, output) -> list[Tensor]:
    """The model's own weights in the order in which the trace has them; at the end those that the trace lacks."""
    text, picture = (getattr(output, f"{tower}_model_output", None) for tower in ("text", "vision"))
    given = [
        (("encoder",), getattr(picture or output, "attentions" if picture else "encoder_attentions", None)),
        (("decoder",), getattr(text or output, "attentions" if text else "decoder_attentions", None)),
        (("cross",), getattr(output, "cross_attentions", None)),
        (("encoder", "decoder"), getattr(output, "attentions", None)),
    ]
    waiting = [(roles, list(weights)) for roles, weights in given if weights]
    ordered = []
    for found in trace:
        mine = next((weights for roles, weights in waiting if weights and found.role in roles), None)
        ordered += [mine.pop(0)] if mine else []
    return ordered + [one for _, weights in waiting for one in weights]


@torch.no_grad()
def sharper(model: nn.Module, times: float, names: tuple[str, ...] = ("q_proj.weight", "query.weight")) -> nn.Module:
    """The model with greater scores than it is built with elsewhere."""
    for name, parameter in model.named_parameters():
        if name.endswith(names):
            parameter.mul_(times)
    return model


def perceiver(implementation: str | None) -> tuple[nn.Module, dict[str, Any]]:
    """Few latent rows look at all of the input."""
    return sharper(tiny_model("perceiver", implementation or "eager"), 10), {"inputs": pictures.drawn(2, 5, 32)}


def swin(implementation: str) -> Run:
    """A picture that is no multiple of the window: shifted windows and padding."""
    model, spy, own = sharper(tiny_model("swin", implementation), 2, ("bias_table",)), Spy(), []
    for name, module in model.named_modules():
        if name.endswith(".attention"):
            module.register_forward_hook(lambda module, args, output: own.append(output[1]))
    with torch.no_grad(), spy, attnviz.capture(model) as trace:
        model(pictures.drawn(2, 3, 18, 22))
    weights = own if implementation == "eager" else spy.weights
    # 9 × 11 patches, merged two by two between the stages; every second block is shifted.
    places = [(9, 11, 0), (9, 11, 2), (5, 6, 0), (5, 6, 2)]
    references = [
        torch.stack([in_the_picture(item, rows, columns, 4, shift)[0] for item in windows.chunk(2)])
        for windows, (rows, columns, shift) in zip(weights, places, strict=True)
    ]
    return Run(trace, references, EAGER if implementation == "eager" else FLOAT64)


def longformer() -> Run:
    """Windows of 5 and 9 positions, and other global positions in each item."""
    model = tiny_model("longformer", "eager")
    ids = torch.randint(3, 60, (2, 24), generator=torch.Generator().manual_seed(1))
    mask, far = torch.ones_like(ids), torch.zeros_like(ids)
    ids[1, -3:], mask[1, -3:] = 1, 0
    far[0, [0, 11]] = far[1, 5] = 1
    with torch.no_grad(), attnviz.capture(model) as trace:
        output = model(ids, attention_mask=mask, global_attention_mask=far, output_attentions=True)
    references = [
        torch.stack(
            [
                torch.stack(
                    [dense(*head, far[item].bool(), side) for head in zip(bands[item], rows[item], strict=True)]
                )
                for item in range(2)
            ]
        )
        for bands, rows, side in zip(output.attentions, output.global_attentions, (2, 4), strict=True)
    ]
    return Run(trace, references, EAGER)


def big_bird(training: bool) -> Run:
    """In training, blocks are drawn at random (dropout is 0). In inference the model draws block 0 for each of the two."""
    model, own = sharper(tiny_model("big_bird", "eager"), 5).train(training), []
    for module in model.modules():
        if hasattr(module, "bigbird_block_sparse_attention"):
            module.register_forward_hook(lambda module, args, output: own.append(output[1]))
    ids = torch.randint(3, 60, (2, 64), generator=torch.Generator().manual_seed(1))
    mask = torch.ones_like(ids)
    ids[1, -6:], mask[1, -6:] = 0, 0
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(ids, attention_mask=mask)
    if training:
        return Run(trace, own, EAGER)
    # All three times that block 0 is looked at go into the output; the model hands out one of them.
    times = torch.ones(64, 64)
    times[4:-4, :4] = 3
    return Run(trace, [weights * times for weights in own], f"{EAGER}, block 0 three times")


def deformable_detr() -> Run:
    """Points for the encoder and across, ordinary attention within the decoder."""
    model, points = sharper(pictures.deformable_detr(), 20), []
    for module in model.modules():
        if type(module).__name__ == "MultiScaleDeformableAttention":
            module.register_forward_pre_hook(lambda module, args: points.append(scattered(args[2], args[4], args[5])))
    with torch.no_grad(), attnviz.capture(model) as trace:
        output = model(pictures.drawn(2, 3, 64, 96), output_attentions=True)
    waiting = {"deformable": points, "dot-product": list(output.decoder_attentions)}
    references = [waiting[found.form].pop(0) for found in trace if waiting[found.form]]
    references += [one for left in waiting.values() for one in left]
    return Run(trace, references, "its own weights and points, same pass, spread in float64")


def generated(way: str) -> Run:
    """Two prompts, one padded on the left, and 5 tokens that the model writes."""
    model, spy = sharper(causal_lm("llama"), 10), Spy()
    with spy, attnviz.capture(model, generation=way) as trace:
        model.generate(IDS, attention_mask=LEFT, **FIXED)
    if way == "replay":
        # The last pass through the two layers is the one that is recorded.
        return Run(trace, spy.weights[-2:], FLOAT64)
    # The prompt, then one query for each token that was written but the last.
    references = []
    for layer in range(2):
        steps = spy.weights[layer::2][:5]
        whole = torch.zeros(2, 4, 10, 10, dtype=torch.float64)
        for step in steps:
            # A single query is asked of a group's heads as if they were queries.
            step = step.reshape(2, 4, -1, step.shape[-1])
            queries, keys = step.shape[-2:]
            whole[..., keys - queries : keys, :keys] = step
        references.append(whole)
    return Run(trace, references, f"{FLOAT64}, step by step")


def state_space() -> Run:
    """Layers that have no attention."""
    model = mamba().eval()
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(torch.tensor([[1, 2, 3]]))
    return Run(trace, (), "", without=3)


OWN, FUSED = "transformers, eager", "transformers, sdpa"

CASES = [
    *(Case(title, OWN, partial(eager, partial(of_text, family))) for family, title in TITLES.items()),
    *(Case(title, OWN, partial(eager, partial(of_pictures_and_sound, title))) for title in PICTURES_AND_SOUND),
    Case("Perceiver, latents and input", OWN, partial(eager, perceiver)),
    *(
        Case(title, FUSED, partial(fused, partial(of_text, family)))
        for family, title in TITLES.items()
        if family not in EAGER_ONLY
    ),
    *(Case(title, FUSED, partial(fused, partial(of_pictures_and_sound, title))) for title in PICTURES_AND_SOUND),
    Case("Swin, shifted windows, padded", OWN, partial(swin, "eager")),
    Case("Swin, shifted windows, padded", FUSED, partial(swin, "sdpa")),
    Case("Longformer, windows and global positions", "transformers", longformer),
    Case("BigBird, blocks drawn at random", "transformers, training", partial(big_bird, True)),
    Case("BigBird, block 0 three times", "transformers, inference", partial(big_bird, False)),
    Case("Deformable DETR, sampling points", "transformers", deformable_detr),
    Case("Llama, generate()", "transformers, one more pass", partial(generated, "replay")),
    Case("Llama, generate()", "transformers, cached steps put together", partial(generated, "stitch")),
    Case("Mamba, state-space layers", "transformers", state_space),
]
