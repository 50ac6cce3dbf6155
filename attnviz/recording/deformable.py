"""Deformable attention: values sampled at a few points of each query, times weights, summed.

Its modules are many, but all of them sample with `torch.nn.functional.grid_sample`, put the samples of all levels
together, and multiply. Source: Zhu et al. 2020, arXiv 2010.04159, equation 3, and the function
`multi_scale_deformable_attention` in the authors' repository. (It is not confused with the ordinary
self-attention of the same decoders, which is recorded as such.)
"""

import weakref
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnviz.attention import Points
from attnviz.base.language import _m
from attnviz.recording.call import Call, NotRecorded, Weights
from attnviz.recording.masks import Masks
from attnviz.recording.patches import levels_tokens
from attnviz.recording.recording import Recording
from attnviz.recording.roles import Part
from attnviz.recording.routing import recordings
from attnviz.recording.sample import Sample, sampled_rows
from attnviz.recording.tensors import kept
from attnviz.recording.windows.chains import Chains, Link
from attnviz.recording.windows.layout import first_of_each

OUTSIDE = _m(
    "Each query samples the values at a few points, and a point between keys counts for the four around it. "
    "Where points fall outside the picture, the weights of a row sum to less than 1."
)
MODE = _m("“{name}” was not recorded: it samples with {found}, which is not known here.")


@dataclass(frozen=True, eq=False)
class _Level:
    """One call of `grid_sample`: "all features rows columns" at "all n points 2"."""

    grid: Tensor
    shape: torch.Size
    column: Tensor
    link: Link | None
    mode: str
    padding: str
    align_corners: bool


@dataclass(slots=True, eq=False, kw_only=True)
class DeformableCall(Call):
    """Samples of several levels and the weights "all 1 n points" that they were multiplied by.

    output: one column of some rows of the sum, "all r"; None where that was not seen.
    """

    levels: tuple[_Level, ...]
    weights: Tensor
    output: Tensor | None = None

    def tensors(self) -> tuple[Any, ...]:
        """Points and weights."""
        return (self.weights, *(level.grid for level in self.levels))

    def large(self) -> tuple[str, ...]:
        """The weights; the points lie in the levels."""
        return ("weights",)

    def meaning(self, masks: Masks, part: Part | None) -> Weights:  # noqa: ARG002  no masks; the decoder's are cross
        """Points of all levels side by side, heads and items apart."""
        first = self.levels[0]
        alike = {(one.mode, one.padding, one.align_corners) for one in self.levels}
        if len(alike) > 1 or first.mode not in ("bilinear", "nearest") or first.padding not in ("zeros", "border"):
            raise NotRecorded(MODE, found=f"{first.mode}, {first.padding}")
        items = self._items()
        locations = torch.cat([level.grid for level in self.levels], 2)
        level_of = [number for number, level in enumerate(self.levels) for _ in range(level.grid.shape[2])]
        scores = Points(
            locations=_apart(locations, items),
            weights=_apart(self.weights[:, 0], items),
            level_of=tuple(level_of),
            shapes=tuple((level.shape[2], level.shape[3]) for level in self.levels),
            align_corners=first.align_corners,
            border=first.padding == "border",
            nearest=first.mode == "nearest",
        )
        tokens = levels_tokens(scores.shapes)
        return Weights(
            scores=scores,
            form="deformable",
            normalised=False,
            note=OUTSIDE,
            elsewhere=part == "decoder" or None,
            sample=self._sample(scores, items),
            query_tokens=tokens if part != "decoder" and scores.sizes[2] == len(tokens) else None,
            key_tokens=tokens,
        )

    def _items(self) -> int:
        """How many sequences; heads are folded into the items, and how the values were laid out tells them apart."""
        folded = self.weights.shape[0]
        link = self.levels[0].link
        owners = None if link is None else first_of_each(link)
        if owners is None or len(owners) != folded:
            return folded
        items = int(owners.max()) + 1
        expected = torch.arange(items).repeat_interleave(folded // items) if folded % items == 0 else None
        return items if expected is not None and torch.equal(owners, expected) else folded

    def _sample(self, scores: Points, items: int) -> Sample | None:
        if self.output is None:
            return None
        value = torch.cat([level.column for level in self.levels], 1)
        rows = sampled_rows(scores.sizes[2])
        return Sample(rows, _apart(value[..., None], items), _apart(self.output[..., None], items))


def _apart(tensor: Tensor, items: int) -> Tensor:
    return tensor.reshape(items, -1, *tensor.shape[1:])


class _Sampling:
    """Samples on their way to their product, and products on their way to their sum, by the tensor that holds them."""

    def __init__(self) -> None:
        self._levels: dict[int, tuple[weakref.ref[Tensor], tuple[_Level, ...]]] = {}
        self._products: dict[int, tuple[weakref.ref[Tensor], tuple[tuple[_Level, ...], Tensor]]] = {}

    def put(self, tensor: Tensor, levels: tuple[_Level, ...]) -> None:
        """These samples are in this tensor."""
        self._levels[id(tensor)] = (weakref.ref(tensor, partial(_drop, self._levels, id(tensor))), levels)

    def levels(self, tensor: Any) -> tuple[_Level, ...] | None:
        """The samples in a tensor."""
        found = self._levels.get(id(tensor))
        return None if found is None or found[0]() is not tensor else found[1]

    def put_product(self, tensor: Tensor, levels: tuple[_Level, ...], weights: Tensor) -> None:
        """These samples were multiplied by weights."""
        alive = weakref.ref(tensor, partial(_drop, self._products, id(tensor)))
        self._products[id(tensor)] = (alive, (levels, weights))

    def product(self, tensor: Any) -> tuple[tuple[_Level, ...], Tensor] | None:
        """Samples and weights of which a tensor is the product."""
        found = self._products.get(id(tensor))
        return None if found is None or found[0]() is not tensor else found[1]


def _drop(held: dict[int, Any], key: int, gone: object) -> None:
    # Another tensor may have got the number by now.
    if key in held and held[key][0] is gone:
        del held[key]


def _see_sampling(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Tensor) -> None:  # noqa: ARG001
    names = ("input", "grid", "mode", "padding_mode", "align_corners")
    given = dict(zip(names, args, strict=False)) | kwargs
    source, grid = given["input"], given["grid"]
    if source.ndim != 4:
        return
    width = source.shape[1]
    for recording in recordings():
        if recording.running() is not None:
            level = _Level(
                grid=kept(grid),
                shape=source.shape,
                column=kept(source)[:, width // 2].flatten(1).clone(),
                link=recording.state(Chains).link(source),
                mode=given.get("mode", "bilinear"),
                padding=given.get("padding_mode", "zeros"),
                align_corners=bool(given.get("align_corners")),
            )
            recording.state(_Sampling).put(output, (level,))


def _see_joining(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:  # noqa: ARG001
    """Stacked, joined or flattened, they are still the samples of all levels."""
    source = args[0] if args else kwargs.get("tensors")
    parts = list(source) if isinstance(source, tuple | list) else [source]
    if not isinstance(output, Tensor) or not parts:
        return
    for recording in recordings():
        found = [recording.state(_Sampling).levels(part) for part in parts]
        if all(found):
            recording.state(_Sampling).put(output, tuple(level for levels in found if levels for level in levels))


def _see_product(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:  # noqa: ARG001
    if len(args) != 2 or not isinstance(output, Tensor) or output.ndim != 4:
        return
    for recording in recordings():
        for samples, weights in (args, args[::-1]):
            levels = recording.state(_Sampling).levels(samples)
            if levels is not None and isinstance(weights, Tensor) and _goes_with(weights, levels, samples):
                recording.state(_Sampling).put_product(output, levels, weights)


def _goes_with(weights: Tensor, levels: tuple[_Level, ...], samples: Tensor) -> bool:
    """Whether there is one weight for each sample, the same for all its features."""
    points = sum(level.grid.shape[2] for level in levels)
    return weights.shape == (samples.shape[0], 1, samples.shape[2], points) and samples.shape[3] == points


def _see_sum(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:  # noqa: ARG001
    for recording in recordings():
        found = recording.state(_Sampling).product(args[0]) if args else None
        module = recording.running()
        if found is None or module is None or not isinstance(output, Tensor) or output.shape != args[0].shape[:-1]:
            continue
        levels, weights = found
        rows, width = sampled_rows(output.shape[2]), output.shape[1]
        owner = _owner(recording, module)
        recording.explained.add(recording.modules.shown_name(owner))
        recording.keep(
            DeformableCall(
                module=owner,
                run=recording.run,
                levels=levels,
                weights=kept(weights),
                output=kept(output)[:, width // 2, rows.start :: rows.step].clone(),
            )
        )


def _owner(recording: Recording, module: nn.Module) -> nn.Module:
    """The module that projects points and weights, where the sampling itself is a module within it."""
    name, _, last = recording.modules.name(module).rpartition(".")
    around = recording.modules.by_name().get(name) if last else None
    projects = around is not None and hasattr(around, "sampling_offsets") and not hasattr(module, "sampling_offsets")
    return around if around is not None and projects else module


OBSERVERS = {
    F.grid_sample: _see_sampling,
    **dict.fromkeys(
        (torch.stack, torch.cat, torch.concat, torch.concatenate, torch.flatten, Tensor.flatten, Tensor.view),
        _see_joining,
    ),
    **dict.fromkeys((Tensor.reshape, torch.reshape), _see_joining),
    **dict.fromkeys((torch.mul, Tensor.mul, Tensor.__mul__, Tensor.__rmul__), _see_product),
    **dict.fromkeys((torch.sum, Tensor.sum), _see_sum),
}
