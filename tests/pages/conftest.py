"""Pages as Streamlit's own test runner sees them: everything but what the browser does."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import attnviz.ui

MAIN = Path(attnviz.ui.__file__).parent / "main.py"
PATIENCE = 120


@pytest.fixture
def open_page():
    """Opens a page cold, by its address."""

    def open_(page="start", **parameters):
        app = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
        for name, value in parameters.items():
            app.query_params[name] = value
        if page != "start":
            app.switch_page(f"../../pages/{page}.py")
        return app.run()

    return open_


def said(app):
    """All that the page says in words, for looking up a sentence."""
    kinds = ("title", "markdown", "caption", "error", "warning", "info", "success", "header", "subheader")
    return "\n".join(str(element.value) for kind in kinds for element in app.get(kind))


def no_trace_of_failure(app):
    assert not app.exception, app.exception[0].value if app.exception else ""
