"""Modules are taken out of garbage collection once, and only when there are new ones."""

import gc
import sys
import types

import pytest

from attnviz.ui import garbage


@pytest.fixture(autouse=True)
def _thawed():
    yield
    gc.unfreeze()


def test_new_modules_are_exempt_from_collection(monkeypatch):
    garbage.spare_modules()
    frozen = gc.get_freeze_count()
    assert frozen > 10_000
    garbage.spare_modules()
    assert gc.get_freeze_count() <= frozen  # nothing was imported: no more than before
    monkeypatch.setitem(sys.modules, "attnviz_a_new_module", types.ModuleType("attnviz_a_new_module"))
    kept = [[index] for index in range(20_000)]
    garbage.spare_modules()
    assert gc.get_freeze_count() > frozen + len(kept) // 2


def test_cycles_that_are_made_later_are_still_collected():
    garbage.spare_modules()
    cycle: list = []
    cycle.append(cycle)
    del cycle
    assert gc.collect() >= 1
