import pytest
import torch

from attnviz.base.threads import one_thread


@pytest.fixture
def three_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_there_is_one_thread_within_and_as_many_as_before_after_the_last_one(three_threads):
    with one_thread():
        assert torch.get_num_threads() == 1
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 3


def test_the_number_comes_back_when_the_work_fails(three_threads):
    with pytest.raises(ValueError, match="broken"), one_thread():
        raise ValueError("broken")
    assert torch.get_num_threads() == 3
