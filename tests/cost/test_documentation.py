"""docs/cost.md says nothing that is not so: its sessions are run."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "cost.md"


def test_every_session_of_the_page_says_what_it_said():
    # Markdown's fences are no output.
    text = PAGE.read_text(encoding="utf-8").replace("```python\n", "").replace("```\n", "\n")
    found = doctest.DocTestParser().get_doctest(text, {}, "cost.md", str(PAGE), 0)
    assert len(found.examples) > 15
    assert doctest.DocTestRunner().run(found).failed == 0
