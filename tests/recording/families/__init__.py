"""Families of models on which recording is measured; `python -m tests.recording.families` writes the table."""

from tests.recording.families import torch_cases, transformers_cases, written_cases

CASES = [*transformers_cases.CASES, *torch_cases.CASES, *written_cases.CASES]
