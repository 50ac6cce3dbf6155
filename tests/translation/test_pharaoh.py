"""Alignment files, good and bad."""

import pytest

from attnviz.base.errors import InputError
from attnviz.translation.pharaoh import OutOfRange, read_links, read_pairs, read_texts, write

TEXTS = b"the cat ||| le chat\nno ||| ne pas\n"


def test_links_are_counted_from_the_number_that_is_said():
    (zero,) = read_links(b"0-1 2p3 4?5\n", "gold", base=0)
    (one,) = read_links(b"1-2 3p4 5?6", "gold", base=1)
    assert zero == one
    assert zero.sure == {(0, 1)}
    assert zero.possible == {(0, 1), (2, 3), (4, 5)}


def test_written_links_are_read_back_the_same():
    alignments = [{(1, 0), (0, 2)}, set(), {(10, 3)}]
    for base in (0, 1):
        text = write(alignments, base=base)
        assert [set(one.possible) for one in read_links(text.encode(), "file", base=base)] == alignments
    assert write(alignments) == "0-2 1-0\n\n10-3\n"


def test_links_beyond_a_sentence_are_left_out_and_named():
    found = read_pairs(TEXTS, b"0-0 1-1 2-1\n0-1 0p7\n", base=0)
    assert found.out_of_range == (OutOfRange(1, "2-1"), OutOfRange(2, "0p7"))
    assert found.pairs[0].links.sure == {(0, 0), (1, 1)}
    assert found.pairs[1].links.possible == {(0, 1)}
    assert found.other_base is False


def test_gold_without_any_link_is_no_gold():
    with pytest.raises(InputError, match="g has no link in any of its 2 lines"):
        read_pairs(TEXTS, b"\n\n", base=0, names=("t", "g"))
    # A sentence may have none.
    assert read_pairs(TEXTS, b"\n0-0\n", base=0).pairs[0].links.possible == set()


def test_the_other_base_is_pointed_out_where_it_would_fit():
    found = read_pairs(TEXTS, b"1-1 2-2\n1-2\n", base=0)
    assert found.other_base is True
    assert [one.link for one in found.out_of_range] == ["2-2", "1-2"]
    below = read_pairs(TEXTS, b"0-0 1-1\n0-1\n", base=1)
    assert below.other_base is True
    assert [one.link for one in below.out_of_range] == ["0-0", "0-1"]


def test_a_byte_order_mark_and_windows_line_ends_are_no_words():
    assert read_texts(b"\xef\xbb\xbfa b ||| c\r\nd ||| e\r\n", "texts") == [(("a", "b"), ("c",)), (("d",), ("e",))]


def test_only_a_line_feed_ends_a_line():
    assert read_texts("a b\u2028c ||| d\n".encode(), "texts") == [(("a", "b", "c"), ("d",))]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"a b\n", r"texts, line 1: “a b” was read; a source and a target with \|\|\| between them"),
        (b"a ||| b\nc ||| \n", r"texts, line 2"),
        (b"a ||| b ||| c\n", r"texts, line 1"),
        (b"", r"texts has 0 lines"),
        (b"\xff\xfe", r"byte 0 is not UTF-8"),
        (b"a " * 401 + b"||| b\n", r"401 words; at most 400"),
    ],
)
def test_what_is_no_text_of_pairs_gets_a_sentence(raw: bytes, said: str):
    with pytest.raises(InputError, match=said):
        read_texts(raw, "texts")


@pytest.mark.parametrize("link", ["1", "a-b", "1-", "-1-2", "1–2", "1-2-3", "9999999-1", "<b>0-0</b>"])
def test_what_is_no_link_gets_a_sentence(link: str):
    with pytest.raises(InputError, match=r"gold, line 2: “.*” was read; a link such as 3-4"):
        read_links(f"0-0\n{link}\n".encode(), "gold", base=0)


def test_files_of_other_lengths_do_not_belong_together():
    with pytest.raises(InputError, match=r"t has 2 lines and g has 1"):
        read_pairs(TEXTS, b"0-0\n", base=0, names=("t", "g"))
