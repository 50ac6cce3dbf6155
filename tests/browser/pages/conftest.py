"""The real app in a real browser."""

from pathlib import Path

import pytest

from attnviz.ui import address

APP = Path(__file__).parents[3] / "app.py"


@pytest.fixture
def site(start_app):
    return start_app(APP).url


@pytest.fixture
def link(site):
    """The address of a view: what a copied link holds."""

    def link_(view, **parameters):
        query = "&".join([f"view={address.encode(view)}", *(f"{name}={value}" for name, value in parameters.items())])
        return f"{site}/{view.page}?{query}"

    return link_
