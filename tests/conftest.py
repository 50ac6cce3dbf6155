"""Shapes in signatures are checked in every test; the hook must be there before attnviz is imported."""

from hypothesis import settings
from jaxtyping import install_import_hook

install_import_hook("attnviz", "beartype.beartype")

# No test asserts seconds: how long an example takes says only what else the machine did.
settings.register_profile("attnviz", deadline=None)
settings.load_profile("attnviz")
