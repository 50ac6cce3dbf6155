"""`generate()` of transformers: its steps read one token each, so the attention over all of them is recorded afterwards.

One more pass over the final tokens is exact for every kind of cache, with beams and with sampling. What the
model was given in its first step is given to it again, made longer by what it wrote.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.recording.generated import Generated
from attnviz.recording.recording import Recording
from attnviz.recording.routing import Shared, recordings
from attnviz.recording.stitching import Stitching

REPLAYED = _m("generate() is recorded by one more pass over its final tokens; its steps are not recorded one by one.")
NOT_REPLAYED = _m("generate() was not recorded: one more pass over its final tokens was not possible ({reason}).")
SEVERAL = _m("generate() was not recorded: it returned several texts for one image.")
NO_TOKENS = _m("generate() was not recorded: the model was given no tokens.")

# What belongs to a step and not to the text.
_OF_A_STEP = frozenset(
    (
        "cache",
        "past_key_values",
        "cache_position",
        "use_cache",
        "return_dict",
        "output_attentions",
        "output_hidden_states",
        "labels",
        "logits_to_keep",
        "next_sequence_length",
        "input_ids",
        "decoder_input_ids",
        "inputs_embeds",
        "mm_encoder_outputs",
    )
)
_MASKS = ("attention_mask", "decoder_attention_mask")
_POSITIONS = ("position_ids", "decoder_position_ids")
_KINDS = ("token_type_ids", "mm_token_type_ids", "moe_mm_token_type_ids")


@dataclass(eq=False)
class _Seen:
    """What the model and its encoder were given first, and the arguments of generate() itself."""

    asked: dict[str, Any]
    first: dict[str, Any] = field(default_factory=dict)
    encoder: dict[str, Any] = field(default_factory=dict)

    def option(self, model: Any, name: str) -> int:
        """An option of generate(), from wherever it was set."""
        config = self.asked.get("generation_config") or model.generation_config
        return int(self.asked.get(name) or getattr(config, name, None) or 1)


def _generate(original: Callable[..., Any], model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    found = [recording for recording in recordings() if model in recording.modules and not recording.inside]
    if not found or torch.compiler.is_compiling():
        return original(model, *args, **kwargs)
    names = tuple(inspect.signature(original).parameters)[1:]
    asked = dict(zip(names, args, strict=False)) | kwargs
    seen = _Seen(asked)
    stitchings = {}
    with _watching(model, seen) as during:
        for recording in found:
            if recording.options.generation == "stitch":
                stitchings[recording] = Stitching(recording)
                during(recording.handed_to(stitchings[recording].take))
            else:
                during(recording.paused())
        output = original(model, *args, **kwargs)
    for recording, stitching in stitchings.items():
        try:
            _flatten_mask(model, seen)
            stitching.finish(
                seen.first.get("cache", seen.first.get("past_key_values")), alone=not _searches(model, seen)
            )
            _mark(recording, model, seen, output, read=-1)
        except Exception as error:
            _note(recording, error)
    replayed = [recording for recording in found if recording not in stitchings]
    if replayed:
        _replay(replayed, model, seen, output)
    return output


def _searches(model: Any, seen: _Seen) -> bool:
    """Whether steps do not simply follow one another: some are for beams, or are tried and taken back."""
    if seen.option(model, "num_beams") > 1 or seen.asked.get("assistant_model") is not None:
        return True
    # Each of these is None unless tokens are guessed ahead.
    config = seen.asked.get("generation_config") or model.generation_config
    return any(
        seen.asked.get(name, getattr(config, name, None)) is not None
        for name in ("prompt_lookup_num_tokens", "assistant_early_exit")
    )


@contextmanager
def _watching(model: Any, seen: _Seen) -> Iterator[Callable[[Any], Any]]:
    """Within the block, what the model and its encoder are given first is kept."""
    with ExitStack() as stack:
        stack.callback(_first_call(model, seen.first).remove)
        if model.config.is_encoder_decoder:
            stack.callback(_first_call(model.get_encoder(), seen.encoder).remove)
        yield stack.enter_context


def _first_call(module: nn.Module, into: dict[str, Any]) -> Any:
    here = recordings()

    def see(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if recordings() != here:
            return
        handle.remove()
        into.update(zip(inspect.signature(module.forward).parameters, args, strict=False))
        into.update(kwargs)

    handle = module.register_forward_pre_hook(see, with_kwargs=True)
    return handle


def _replay(found: list[Recording], model: Any, seen: _Seen, output: Any) -> None:
    others = [recording for recording in recordings() if recording not in found]
    before = {recording: len(recording.calls) for recording in found}
    device = model.device
    with torch.no_grad(), torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        for recording in others:
            recording.inside += 1
        try:
            _flatten_mask(model, seen)
            inputs = _inputs(model, seen, _sequences(output))
            model(**inputs)
        except Exception as error:
            for recording in found:
                while len(recording.calls) > before[recording]:
                    recording.calls.pop()
                _note(recording, error)
        else:
            for recording in found:
                recording.note(REPLAYED)
                _mark(recording, model, seen, output)
        finally:
            for recording in others:
                recording.inside -= 1


def _note(recording: Recording, error: Exception) -> None:
    """Says what went wrong after generate() itself has succeeded."""
    if isinstance(error, InputError):
        recording.note(error.message, **{name: str(value) for name, value in error.fields.items()})
    else:
        recording.note(NOT_REPLAYED, reason=f"{type(error).__name__}: {error}"[:200])


def _sequences(output: Any) -> Tensor:
    found: Tensor = output if isinstance(output, Tensor) else output.sequences
    return found


def _inputs(model: Any, seen: _Seen, sequences: Tensor) -> dict[str, Any]:
    """What the model is given in the one pass."""
    parameters = inspect.signature(model.forward).parameters
    both = model.config.is_encoder_decoder
    rows = _rows(model, seen, sequences)
    given = {name: _chosen(value, rows) for name, value in seen.first.items() if name not in _OF_A_STEP}
    prompt = _prompt_length(model, seen)
    added = sequences.shape[1] - prompt if _starts_with_prompt(seen) else sequences.shape[1]
    inputs = {name: value for name, value in given.items() if value is not None}
    if not both:
        _restore_whole_inputs(inputs, seen, parameters, rows)
    elif seen.encoder:
        inputs.pop("encoder_outputs", None)
        wanted = {name: value for name, value in seen.encoder.items() if name in parameters and name not in _OF_A_STEP}
        main = model.main_input_name if model.main_input_name in seen.encoder else "input_ids"
        wanted[main] = seen.encoder.get(main, seen.encoder.get("inputs_embeds"))
        items = len(sequences) // seen.option(model, "num_return_sequences")
        own = [row * items // len(sequences) for row in range(len(sequences))]
        inputs |= {name: _chosen(value, own) for name, value in wanted.items() if value is not None}
    finished = _after_the_end(model, seen, sequences, prompt if _starts_with_prompt(seen) else 0)
    _lengthen(inputs, prompt, added, finished, encoder=both)
    embeds = seen.first.get("inputs_embeds")
    if not both and embeds is not None and not _starts_with_prompt(seen):
        inputs["inputs_embeds"] = torch.cat([_chosen(embeds, rows), model.get_input_embeddings()(sequences)], 1)
    else:
        inputs["decoder_input_ids" if both else "input_ids"] = sequences
    if "use_cache" in parameters or "use_cache" in seen.first:
        inputs["use_cache"] = False
    if "logits_to_keep" in parameters:
        # Without it the scores of the whole vocabulary would be computed for each position.
        inputs["logits_to_keep"] = 1
    return inputs


def _restore_whole_inputs(
    inputs: dict[str, Any], seen: _Seen, parameters: Mapping[str, Any], rows: list[int] | None
) -> None:
    """Images and the like as generate() got them: it encodes them beforehand, unrecorded."""
    encoded = seen.first.get("mm_encoder_outputs")
    if not encoded:
        return
    if rows is not None:
        raise InputError(SEVERAL)
    for name, value in seen.asked.items():
        if name in parameters and name not in inputs and name not in _OF_A_STEP and isinstance(value, Tensor):
            inputs[name] = value


def _prompt_length(model: Any, seen: _Seen) -> int:
    asked = _asked_ids(seen)
    if asked is not None and not model.config.is_encoder_decoder and asked.shape[1]:
        # All of it, where it was read in parts.
        return int(asked.shape[1])
    for name in ("decoder_input_ids", "input_ids", "inputs_embeds"):
        if seen.first.get(name) is not None:
            return int(seen.first[name].shape[1])
    raise InputError(NO_TOKENS)


def _asked_ids(seen: _Seen) -> Tensor | None:
    found = seen.asked.get("input_ids", seen.asked.get("inputs"))
    return found if isinstance(found, Tensor) and found.ndim == 2 and not found.is_floating_point() else None


def _starts_with_prompt(seen: _Seen) -> bool:
    """generate() returns the prompt too, unless that was given as vectors alone."""
    return seen.first.get("inputs_embeds") is None or _asked_ids(seen) is not None


def _rows(model: Any, seen: _Seen, sequences: Tensor) -> list[int] | None:
    """Which row of the first step each returned sequence goes back to; None where they are the same.

    Beams and several sequences for one item: the first step had a row for each, those of an item in order.
    """
    first = seen.first.get("decoder_input_ids", seen.first.get("input_ids", seen.first.get("inputs_embeds")))
    if first is None or len(first) == len(sequences):
        return None
    items = len(sequences) // seen.option(model, "num_return_sequences")
    return [row * items // len(sequences) * (len(first) // items) for row in range(len(sequences))]


def _chosen(value: Any, rows: list[int] | None) -> Any:
    """These rows of everything that has rows."""
    if isinstance(value, Tensor):
        long_enough = rows is not None and value.ndim > 0 and value.shape[0] > max(rows)
        return value[rows] if long_enough and rows != list(range(len(value))) else value
    if rows is not None and isinstance(value, Mapping) and hasattr(value, "last_hidden_state"):
        return type(value)(**{name: _chosen(one, rows) for name, one in value.items()})
    return value


def _after_the_end(model: Any, seen: _Seen, sequences: Tensor, prompt: int) -> Tensor:
    """The positions that only fill up a sequence which ended before the others."""
    config = seen.asked.get("generation_config") or model.generation_config
    ends = seen.asked.get("eos_token_id", config.eos_token_id)
    finished = torch.zeros_like(sequences, dtype=torch.bool)
    if ends is None:
        return finished
    ended = torch.isin(sequences, torch.as_tensor(ends, device=sequences.device).flatten())
    ended[:, :prompt] = False
    finished[:, 1:] = (ended.cumsum(1) > 0)[:, :-1]
    # The decoder's own first token may be the one that ends a text.
    finished[:, : max(prompt, 1)] = False
    return finished


def _lengthen(inputs: dict[str, Any], prompt: int, added: int, finished: Tensor, *, encoder: bool) -> None:
    """Masks, positions and kinds of tokens, for the tokens that were written too."""
    for name in _MASKS:
        mask = inputs.get(name)
        if mask is None or (encoder and name == "attention_mask"):
            continue
        inputs[name] = torch.cat([mask, (~finished[:, finished.shape[1] - added :]).to(mask.dtype)], 1)
    for name in _POSITIONS:
        positions = inputs.get(name)
        if positions is not None and positions.shape[-1] != prompt:
            # The prompt was read in parts, of which this was the first.
            mask = inputs.get("attention_mask", finished.new_ones(len(finished), prompt + added))
            inputs[name] = (mask.long().cumsum(1) - 1).clamp(min=0)
        elif positions is not None:
            more = torch.arange(1, added + 1, device=positions.device, dtype=positions.dtype)
            inputs[name] = torch.cat([positions, positions[..., -1:] + more], -1)
    for name in _KINDS:
        kinds = inputs.get(name)
        if kinds is not None:
            more = kinds[..., -1:] if name == "token_type_ids" else torch.zeros_like(kinds[..., -1:])
            inputs[name] = torch.cat([kinds, more.expand(*kinds.shape[:-1], added)], -1)


def _flatten_mask(model: Any, seen: _Seen) -> None:
    """The padding, item by item: for some caches the model is given the whole mask, pair by pair."""
    if not seen.first:
        # The model was not called as a module; what generate() was given has to do.
        names = inspect.signature(model.forward).parameters
        seen.first.update({name: value for name, value in seen.asked.items() if name in names})
    name = "decoder_attention_mask" if model.config.is_encoder_decoder else "attention_mask"
    mask = seen.first.get(name)
    if mask is None or (isinstance(mask, Tensor) and mask.ndim == 2):
        return
    asked = seen.asked.get(name)
    if isinstance(asked, Tensor):
        first = seen.first.get("decoder_input_ids", seen.first.get("input_ids", seen.first.get("inputs_embeds")))
        seen.first[name] = asked.repeat_interleave(1 if first is None else len(first) // len(asked), 0)
        return
    if isinstance(mask, Mapping):
        mask = mask.get("full_attention")
    if isinstance(mask, Tensor) and mask.ndim == 4:
        # The last query sees everything before it that is no padding.
        last = mask[:, 0, -1, : _prompt_length(model, seen)]
        seen.first[name] = last if last.dtype == torch.bool else last == 0
    else:
        seen.first[name] = None


def _mark(recording: Recording, model: Any, seen: _Seen, output: Any, read: int | None = None) -> None:
    """Remembers which positions of the last run were generated; `read` cuts off those that were never read."""
    sequences = _sequences(output)
    prompt = _prompt_length(model, seen)
    whole = _starts_with_prompt(seen)
    padding = _after_the_end(model, seen, sequences, prompt if whole else 0)
    mask = None if model.config.is_encoder_decoder else seen.first.get("attention_mask")
    rows = _rows(model, seen, sequences)
    if not whole:
        padding = torch.cat([padding.new_zeros(len(padding), prompt), padding], 1)
    if isinstance(mask, Tensor) and mask.ndim == 2:
        padding[:, :prompt] |= _chosen(mask, rows)[:, :prompt] == 0
    padding = padding[:, :read]
    recording.generated[recording.run] = Generated(
        length=padding.shape[1],
        ids=tuple(map(tuple, sequences[:, :read].tolist())) if whole else None,
        padding=tuple(map(tuple, padding.tolist())),
        first=prompt,
    )


def _wrap() -> Callable[[], None]:
    from transformers.generation.utils import GenerationMixin

    original = GenerationMixin.generate

    @wraps(original)
    def generate(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _generate(original, self, args, kwargs)

    GenerationMixin.generate = generate

    def undo() -> None:
        # Whoever wrapped ours meanwhile keeps it; it hands everything through.
        if GenerationMixin.generate is generate:
            GenerationMixin.generate = original

    return undo


generating = Shared(_wrap)
