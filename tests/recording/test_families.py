"""Every family of models in the documentation's table: all attentions found, and their weights right."""

import pytest

from tests.recording.families import CASES
from tests.recording.families.measure import measure
from tests.recording.families.table import listed


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.family}, {case.mechanism}")
def test_every_attention_is_found_and_its_weights_are_right(case):
    found = measure(case)
    assert found.holds, found


def test_the_table_in_the_documentation_has_a_row_for_each():
    assert listed() == {(case.family, case.mechanism) for case in CASES}
