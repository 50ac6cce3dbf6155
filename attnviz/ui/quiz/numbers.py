"""How a number that somebody typed is read, whatever their keyboard and their country.

What one sign means depends on what is asked for: "1.000" is a thousand pairs, but a weight of one.
"""

import math
import re
import unicodedata
from typing import Literal

from attnviz.base.errors import InputError
from attnviz.base.language import _m

Kind = Literal["count", "number", "weight"]
"""count: how many, where signs between digits group them. number: any number, where the one sign is the
decimal sign. weight: a number that may also be said in per cent."""

LONGEST = 40
"""Characters of an answer that are read."""

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
# Minus signs, dashes and the long-vowel mark that stands on a Japanese keyboard's minus key; its comma and full stop.
_SIGNS = str.maketrans(
    {**dict.fromkeys("−‐‑‒–—﹣ー", "-"), **dict.fromkeys("、،", ","), "。": ".", "٫": ".", "٬": ",", "×": "*", "·": "*"}
)
# Words for large counts, as they are written behind a number in our three languages.
_LARGE = {
    "k": 1e3, "thousand": 1e3, "тыс": 1e3, "тысяч": 1e3, "тысяча": 1e3, "тысячи": 1e3, "千": 1e3,
    "万": 1e4,
    "m": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6, "млн": 1e6, "миллион": 1e6, "миллиона": 1e6,
    "миллионов": 1e6, "百万": 1e6,
    "億": 1e8,
}  # fmt: skip

_PLAIN = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)*|[.,][0-9]+)")
_GROUPED = re.compile(r"([0-9]{1,3}(?:(?P<sign>[.,])[0-9]{3})(?:(?P=sign)[0-9]{3})*)(?P<rest>.*)")
_LAKHS = re.compile(r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}")
_EXPONENT = re.compile(r"(.+)e([+-]?[0-9]{1,2})")
_POWER = re.compile(r"(?:(.+)\*)?([0-9]+)(?:\^|\*\*)([+-]?[0-9]{1,2})")


def read(text: str, kind: Kind) -> float:
    """The number that was typed. Raises `InputError` where it is none."""
    try:
        number = _read(_tidy(text), kind) if len(text) <= LONGEST else None
    except OverflowError:
        number = None
    if number is None or not math.isfinite(number):
        shown = text.strip()
        raise InputError(
            _m("“{text}” is not a number that is understood here; write it as {example}, for example."),
            text=shown[:LONGEST] + ("…" if len(shown) > LONGEST else ""),
            example={"count": "1,000,000", "number": "−2.5", "weight": "0.25"}[kind],
        )
    return number


def _tidy(text: str) -> str:
    """The same with every sign that has many forms in one: digits, minus, comma, powers, spaces."""
    # Before the superscripts lose their height and 10⁶ becomes 106.
    text = re.sub(r"[⁺⁻]?[⁰¹²³⁴-⁹]+", lambda power: "^" + power[0].translate(_SUPERSCRIPTS), text)
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    text = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)
    text = text.strip().casefold().lstrip("=≈~ ")
    # Spaces, apostrophes and underscores group digits by three; anywhere else between digits they are no number.
    text = re.sub(r"(?<=[0-9])[\s'’_](?=[0-9]{3}(?![0-9]))", "", text)
    return re.sub(r"^([+-])\s+|\s*([*^%])\s*", r"\1\2", text)


def _read(text: str, kind: Kind) -> float | None:
    if kind == "weight" and text.endswith("%"):
        number = _read(text[:-1].rstrip(), "number")
        return None if number is None else number / 100
    if kind == "count":
        for word in sorted(_LARGE, key=len, reverse=True):
            if text.rstrip(".").endswith(word):
                number = _read(text.rstrip(".").removesuffix(word).rstrip(), "number")
                return None if number is None else number * _LARGE[word]
    if power := _POWER.fullmatch(text):
        return _power(power)
    if scientific := _EXPONENT.fullmatch(text):
        number = _plain(scientific[1], "number")
        return None if number is None else number * 10.0 ** int(scientific[2])
    return _plain(text, kind)


def _power(power: re.Match[str]) -> float | None:
    factor = _read(power[1], "number") if power[1] else 1.0
    base = float(power[2])
    if factor is None or (base == 0 and int(power[3]) < 0):
        return None
    return factor * base ** int(power[3])


def _plain(text: str, kind: Kind) -> float | None:
    """Digits with a decimal sign, grouping signs or both."""
    if not _PLAIN.fullmatch(text):
        return None
    sign = -1.0 if text.startswith("-") else 1.0
    digits = text.lstrip("+-")
    if _LAKHS.fullmatch(digits):
        return sign * float(digits.replace(",", ""))
    grouped = _GROUPED.fullmatch(digits)
    if grouped and (kind == "count" or _must_group(grouped)):
        digits = grouped[1].replace(grouped["sign"], "") + grouped["rest"]
    digits = digits.replace(",", ".")
    return sign * float(digits) if digits.count(".") <= 1 and digits != "." else None


def _must_group(grouped: re.Match[str]) -> bool:
    """Whether the sign cannot be a decimal sign: it comes twice, or the other one comes after it."""
    return grouped[1].count(grouped["sign"]) > 1 or grouped["rest"][:1] in (".", ",")
