"""From a name to a model: shipped names first, then folders, then the Hugging Face hub.

Nothing that is loaded is executed: weights are read from safetensors alone, and code that comes with a
model is never trusted.
"""

import re
from pathlib import Path
from typing import Any

from attnviz.base import device as devices
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models import minilm
from attnviz.models.card import Card
from attnviz.models.text_model import TextModel
from attnviz.models.translation import shipped
from attnviz.models.translation.translator import GrammarTranslator
from attnviz.models.turn import shipped as turn
from attnviz.models.turn.turn_model import TurnModel
from attnviz.trace import Note

# A user or organisation and a name, as the hub allows them.
_HUB_ID = re.compile(r"[\w.-]{1,96}(/[\w.-]{1,96})?")
_LONGEST_REASON = 200

MADE_UP = _m("{count} weights were not in the model's files and were drawn at random: {names}.")


def catalogue() -> tuple[Card, ...]:
    """The models that can be chosen by name."""
    return (minilm.card(), *shipped.cards())


def load(name: str, *, device: str | None = None, folders: bool = True) -> TextModel | GrammarTranslator | TurnModel:
    """The model of this name, folder or Hugging Face id, ready to be traced on a device.

    Raises `InputError` as `load_text_model` does.
    """
    return turn.load(name) or load_reader(name, device=device, folders=folders)


def load_reader(name: str, *, device: str | None = None, folders: bool = True) -> TextModel | GrammarTranslator:
    """As `load`, for models that read text. Raises `InputError` for one that reads scenes, and as `load_text_model` does."""
    if name.startswith(turn.PREFIX) and not _is_folder(name):
        raise InputError(_m("“{name}” reads scenes; a model that reads text was expected."), name=name[:60])
    return shipped.load(name, device) or load_text_model(name, device=device, folders=folders)


def load_text_model(name: str, *, device: str | None = None, folders: bool = True) -> TextModel:
    """The text model of this name, folder or Hugging Face id, ready to be traced on a device.

    folders: whether folders of this machine may be opened.

    Raises `InputError` where there is no such model, where it is no text model, or where its weights are
    not in safetensors.
    """
    place = devices.choose(device)
    if name == minilm.NAME:
        return _from(str(minilm.folder()), name, place, local=True, card=minilm.card())
    if not folders and (name.startswith(".") or _is_folder(name) or not _HUB_ID.fullmatch(name)):
        raise InputError(
            _m("This server opens no folders; a shipped model or a Hugging Face id was expected, not “{name}”."),
            name=name,
        )
    if _is_folder(name):
        _check_folder(Path(name))
        return _from(name, name, place, local=True)
    if not _HUB_ID.fullmatch(name) or name.startswith("."):
        raise InputError(
            _m(
                "“{name}” is neither a shipped model nor a folder nor a Hugging Face id such as google-bert/bert-base-cased."
            ),
            name=name,
        )
    return _from(name, name, place, local=False)


def _is_folder(name: str) -> bool:
    try:
        return bool(name) and Path(name).is_dir()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def _check_folder(folder: Path) -> None:
    if not (folder / "config.json").is_file():
        raise InputError(
            _m("The folder {folder} has no config.json; a Hugging Face model folder was expected."), folder=folder
        )
    if not any(folder.glob("*.safetensors")):
        raise InputError(
            _m(
                "The folder {folder} has no .safetensors file; weights in other formats can run code and are not opened."
            ),
            folder=folder,
        )


def _from(path: str, name: str, place: Any, *, local: bool, card: Card | None = None) -> TextModel:
    from transformers import AutoConfig, AutoTokenizer

    source = {"local_files_only": local, "trust_remote_code": False}
    try:
        config = AutoConfig.from_pretrained(path, **source)
        _check_reads_text(name, config)
        tokenizer = AutoTokenizer.from_pretrained(path, **source)
        module, info = _kind(config).from_pretrained(
            path, config=config, use_safetensors=True, output_loading_info=True, **source
        )
    except InputError:
        raise
    except Exception as reason:
        raise _refusal(name, reason, local=local) from reason
    return TextModel(name, card, module.eval().to(place), tokenizer, notes=_made_up(info))


def _kind(config: Any) -> Any:
    """With the head that names the next token where the model's files have one."""
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    if getattr(config, "is_encoder_decoder", False):
        return AutoModelForSeq2SeqLM
    saved = getattr(config, "architectures", None) or ()
    names_tokens = MODEL_FOR_CAUSAL_LM_MAPPING.get(type(config), None)
    return AutoModelForCausalLM if names_tokens is not None and names_tokens.__name__ in saved else AutoModel


def _check_reads_text(name: str, config: Any) -> None:
    """Asks the model's class and configuration, before any weights are read."""
    from transformers import MODEL_MAPPING

    kind = MODEL_MAPPING.get(type(config), None)
    kind = kind[0] if isinstance(kind, tuple) else kind
    first_input = getattr(kind, "main_input_name", "input_ids")
    more_than_text = any(hasattr(config, part) for part in ("vision_config", "audio_config"))
    if first_input != "input_ids" or more_than_text:
        raise InputError(
            _m("“{name}” is a model of the kind “{found}”; a model that reads text alone was expected."),
            name=name,
            found=config.model_type,
        )


def _made_up(info: Any) -> tuple[Note, ...]:
    missing = sorted(info.get("missing_keys", ()))
    if not missing:
        return ()
    names = ", ".join(missing[:4]) + (" …" if len(missing) > 4 else "")
    return (Note(MADE_UP, {"count": len(missing), "names": names}),)


def _refusal(name: str, reason: Exception, *, local: bool) -> InputError:
    said = " ".join(str(reason).split())
    if not local and ("connect" in said or "offline" in said.lower() or "resolve" in said):
        return InputError(
            _m("“{name}” is not a folder here, and the Hugging Face hub cannot be reached to look for it there."),
            name=name,
        )
    if "valid model identifier" in said:
        return InputError(
            _m("“{name}” is neither a folder here nor a model that the Hugging Face hub gives to everybody."), name=name
        )
    if "sentencepiece" in said.lower():
        return InputError(
            _m(
                "The tokenizer of “{name}” needs the Python package sentencepiece; get it with: pip install sentencepiece"
            ),
            name=name,
        )
    if "safetensors" in said:
        return InputError(
            _m("“{name}” has no weights in safetensors; weights in other formats can run code and are not opened."),
            name=name,
        )
    if len(said) > _LONGEST_REASON:
        said = said[:_LONGEST_REASON] + " …"
    return InputError(
        _m("The model “{name}” cannot be loaded: {reason}"), name=name, reason=said or type(reason).__name__
    )
