"""A measurement: how many runs there are, what is left out and why, what stays where it is stopped. No seconds."""

from dataclasses import replace

import pytest
import torch

from attnviz.base import memory
from attnviz.cost import measure
from attnviz.cost.measure import WARM_UP, Measuring, Plan

PLAN = Plan(forms=("fused", "plain", "window"), sizes=(8, 16, 32), width=16, heads=2, window=4, repeats=5, device="cpu")


def all_of(plan):
    measuring = Measuring(plan)
    return measuring, list(measuring.run())


def test_every_form_and_size_is_run_as_often_as_planned():
    measuring, shares = all_of(PLAN)
    assert [(timed.form, timed.n, len(timed.seconds)) for timed in measuring.found] == [
        (form, n, 5) for n in (8, 16, 32) for form in ("fused", "plain", "window")
    ]
    assert all(second > 0 for timed in measuring.found for second in timed.seconds)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_warm_up_is_run_and_does_not_count(monkeypatch):
    ran = []
    monkeypatch.setattr(measure.forms, "of", lambda form, window: lambda q, k, v: ran.append(q.shape))
    measuring, _shares = all_of(Plan(forms=("plain",), sizes=(8,), width=16, heads=2, repeats=5, device="cpu"))
    assert ran == [torch.Size([1, 2, 8, 8])] * (5 + WARM_UP)
    assert len(measuring.found[0].seconds) == 5


def test_stopped_between_two_runs_it_keeps_what_it_had_and_can_go_on():
    measuring = Measuring(PLAN)
    steps = measuring.run()
    for _run in range(WARM_UP + 2):
        next(steps)
    assert [len(timed.seconds) for timed in measuring.found] == [2]
    list(steps)
    assert {len(timed.seconds) for timed in measuring.found} == {5}


def test_what_would_not_fit_in_memory_is_left_out_with_the_reason(monkeypatch):
    # Written out at 32 tokens: 4 bytes · (2·2·32² + 4·32·16) = 24,576. Of 40,000 free a half may be used.
    monkeypatch.setattr(memory, "free_bytes", lambda device: 40_000)
    measuring, shares = all_of(replace(PLAN, forms=("fused", "plain")))
    assert [(timed.form, timed.n) for timed in measuring.found if timed.left_out] == [("plain", 32)]
    assert "24 KiB" in str(next(timed.left_out for timed in measuring.found if timed.left_out))
    assert shares[-1] == 1.0


def test_a_run_that_nobody_could_stop_is_left_out(monkeypatch):
    # Two seconds at 8 tokens let expect eight at 16, and more at 32; a window grows in step: 4 and 4.
    monkeypatch.setattr(Measuring, "_once", lambda self, *inputs: 2.0)
    measuring, _shares = all_of(PLAN)
    left = [(timed.form, timed.n) for timed in measuring.found if timed.left_out]
    assert ("fused", 16) in left
    assert ("plain", 16) in left
    assert ("window", 16) not in left


def test_running_out_of_memory_ends_that_size_alone(monkeypatch):
    def once(self, attend, q, k, v):
        if q.shape[-2] == 16:
            raise torch.OutOfMemoryError("no more")
        return 0.001

    monkeypatch.setattr(Measuring, "_once", once)
    measuring, shares = all_of(PLAN)
    assert {timed.n for timed in measuring.found if timed.left_out} == {16}
    assert {timed.n for timed in measuring.found if len(timed.seconds) == 5} == {8, 32}
    assert shares[-1] == 1.0


def test_the_exponent_is_of_medians_of_whole_sizes(monkeypatch):
    monkeypatch.setattr(Measuring, "_once", lambda self, attend, q, k, v: 1e-6 * q.shape[-2] ** 2)
    measuring, _shares = all_of(PLAN)
    assert measuring.growth("plain").exponent == pytest.approx(2.0)
    half = Measuring(PLAN)
    steps = half.run()
    while len(half.of("plain")) < 3:
        next(steps)
    assert half.growth("plain") is None


def test_one_core_is_one_thread_while_it_runs_and_none_other_after():
    before, seen = torch.get_num_threads(), []
    measuring = Measuring(PLAN)
    measuring._once(lambda q, k, v: seen.append(torch.get_num_threads()), *[torch.zeros(1)] * 3)
    assert seen == [1]
    assert torch.get_num_threads() == before
