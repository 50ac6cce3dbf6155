"""Long work goes on a little at a time, pauses, goes on, and is dropped when something else is asked for."""

from attnviz.base.errors import InputError
from attnviz.ui import going
from attnviz.ui.going import Going


def test_a_go_ends_after_its_time_and_the_next_one_goes_on():
    work = Going("work", iter([0.25, 0.5, 1.0]))
    work.go(-1.0)
    assert (work.share, work.done) == (0.25, False)
    work.go(-1.0)
    assert (work.share, work.done) == (0.5, False)
    work.go(60.0)
    assert (work.share, work.done) == (1.0, True)


def test_what_cannot_be_measured_is_kept_as_its_reason():
    def steps():
        yield 0.5
        raise InputError("The model takes none of the sentences.")

    work = Going("work", steps())
    work.go(60.0)
    assert str(work.error) == "The model takes none of the sentences."
    assert not work.done


def test_what_failed_or_is_done_begins_anew(monkeypatch):
    def failing():
        yield 0.9
        raise InputError("The model takes none of the sentences.")

    for steps, share in ((failing(), 0.0), (iter([0.5, 1.0]), 0.0), (iter([0.25, 0.5]), 0.25)):
        work = Going("work", steps)
        work.go(60.0 if share == 0 else -1.0)
        monkeypatch.setattr(going, "_current", lambda _name, work=work: work)
        assert going.share_done("work") == share
