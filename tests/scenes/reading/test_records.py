"""The checksum of records, against values of RFC 3720, appendix B.4, and against the definition, bit by bit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.scenes.reading.records import crc32c


@pytest.mark.parametrize(
    ("content", "checksum"),
    [
        (b"\0" * 32, 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (b"123456789", 0xE3069283),
        (b"", 0),
    ],
)
def test_published_checksums(content, checksum):
    assert crc32c(content) == checksum


@given(content=st.binary(max_size=40), times=st.integers(1, 40))
def test_cut_into_stretches_or_not_it_is_the_same(build, content, times):
    assert crc32c(content * times) == build["crc32c"](content * times)
