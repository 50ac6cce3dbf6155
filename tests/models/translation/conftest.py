"""Small models: one thread is as quick as several, and does not wait for busy cores."""

from collections.abc import Iterator

import pytest

from attnviz.base import threads


@pytest.fixture(autouse=True, scope="package")
def one_thread() -> Iterator[None]:
    with threads.one_thread():
        yield
