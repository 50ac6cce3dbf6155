"""Families of models on which recording is measured; `python -m tests.recording.families` writes the table."""

from tests.recording.families import transformers_cases

CASES = [*transformers_cases.CASES]
