import pytest

from attnviz.base.errors import InputError
from attnviz.ui.quiz.numbers import LONGEST, read


@pytest.mark.parametrize(
    "text",
    [
        "0.88", "0,88", ".88", ",88", "88 %", "88%", "+0.88", " 0.88 ", "0.880", "8.8e-1", "８８％", "０．８８",
        "0。88", "0、88", "≈ 0.88", "= 0,88", "88\u202f%", "88.0 %", "0.880 000", "8.8*10^-1", "8.8·10⁻¹",
    ],
)  # fmt: skip
def test_a_weight_however_it_is_written(text):
    assert read(text, "weight") == pytest.approx(0.88, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "1000000", "1,000,000", "1.000.000", "1 000 000", "1\u00a0000\u00a0000", "1\u2009000\u2009000",
        "1\u202f000\u202f000", "1\u3000000\u3000000", "1'000'000", "1’000’000", "1_000_000", "10,00,000", "1e6", "1E6",
        "1e+6", "10^6", "10**6", "10⁶", "1·10^6", "1×10⁶", "1 * 10^6", "1000^2", "1000²", "１，０００，０００", "１００００００",
        "100万", "１００万", "1百万", "1 million", "1 млн", "1 млн.", "1000 тыс.", "1,000,000.00", "1.000.000,0",
        "1000000.0", "1m", "1000k", "1000 thousand", "10 ^ 6", "١٠٠٠٠٠٠",
    ],
)  # fmt: skip
def test_a_million_however_it_is_written(text):
    assert read(text, "count") == 1_000_000


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("1.000", "count", 1000),
        ("1,000", "count", 1000),
        ("1.000", "weight", 1),
        ("1,000", "number", 1),
        ("1.000.000", "number", 1_000_000),
        ("1,234.5", "number", 1234.5),
        ("1.234,5", "number", 1234.5),
        ("0,881", "weight", 0.881),
        ("1.5", "count", 1.5),
        ("500,500", "count", 500_500),
        ("500,5", "count", 500.5),
        ("1.5 million", "count", 1_500_000),
        ("1.500 млн", "count", 1_500_000),
        ("−2", "number", -2),
        ("－２", "number", -2),
        ("ー2", "number", -2),
        ("–2", "number", -2),
        ("- 2", "number", -2),
        ("14.", "number", 14),
        ("14,0", "number", 14),
        ("2e0", "number", 2),
        ("0", "number", 0),
        ("-0", "number", 0),
        ("120 %", "weight", 1.2),
    ],
)
def test_what_a_sign_means_depends_on_what_is_asked_for(text, kind, expected):
    assert read(text, kind) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", ["count", "number", "weight"])
@pytest.mark.parametrize(
    "text",
    [
        "", " ", "abc", "a lot", ".", "-", "%", "1..2", "1.2.3", "1 2", "0. 88 1 2", "1,00,0", "--2", "2-", "1e1e1", "5%%", "nan", "inf",
        "infinity", "0x10", "1e", "e6", "10^", "^6", "0^-1", "1e999", "9" * 30 + "^99", "10^999999999", "½", "1/2", "२..",
        "<b>1</b>", "1\n2", "1;2", "(2)", "2+2", "1" * (LONGEST + 1), "\0", "²", "☃",
    ],
)  # fmt: skip
def test_what_is_no_number_is_one_sentence(text, kind):
    with pytest.raises(InputError, match="is not a number that is understood here") as caught:
        read(text, kind)
    assert len(str(caught.value)) < 150


def test_per_cent_is_for_weights_alone():
    for kind in ("count", "number"):
        with pytest.raises(InputError):
            read("50 %", kind)
    with pytest.raises(InputError):
        read("1 million", "weight")
