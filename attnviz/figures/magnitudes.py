"""Counts and bytes as they are written beside large numbers: 41.0 M, 68.2 G, 1.5 GiB."""

import math

from attnviz.base.grouping import grouped
from attnviz.figures.numerals import three_digits
from attnviz.figures.palette import Number

_THOUSANDS = ("", "k", "M", "G", "T", "P", "E")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_THIN = "\u202f"


def count_text(value: Number) -> str:
    """400, 6,400, 41.0 M, 68.2 G: whole below a hundred thousand, else three digits."""
    if abs(value) < 99_999.5:
        return grouped(value) if value >= 9.995 or value == round(value) else f"{value:.3g}"
    return _scaled(value, 1000, _THOUSANDS)


def bytes_text(value: Number) -> str:
    """262 KiB, 1.5 GiB, with 1 KiB = 2¹⁰ bytes."""
    return _scaled(value, 1024, _BINARY)


def _scaled(value: Number, base: int, units: tuple[str, ...]) -> str:
    if base == 1000:
        value = float(f"{value:.3g}")  # 999,700 is 1.00 M, not 1000 k
    power = 0
    while abs(value) >= base and power < len(units) - 1:
        value, power = value / base, power + 1
    decimals = 0 if not power or abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{value:.{decimals}f}{_THIN}{units[power]}".rstrip(_THIN)


def log_ticks(least: Number, most: Number, *, is_bytes: bool, fewest: int = 3) -> tuple[list[float], list[str]]:
    """Ticks of a logarithmic axis: powers of ten as 1, 10, 100, 1k …, or of two as 1 KiB, 32 KiB, 1 MiB …

    At most about six; where the axis is shorter than `fewest` ticks, 2 and 5 join in.
    """
    if is_bytes:
        low, high = math.log2(max(least, 1e-9)), math.log2(max(most, 1e-9))
        step = next((step for step in (1, 2, 5, 10) if (high - low) / step <= 6), 10)
        exponents = range(math.ceil(low / step) * step, math.floor(high) + 1, step)
        return [2.0**one for one in exponents], [_short(2.0**one, 1024, _BINARY) for one in exponents]
    low, high = math.log10(max(least, 1e-9)), math.log10(max(most, 1e-9))
    step = math.ceil((high - low) / 7) or 1
    exponents = range(math.ceil(low / step) * step, math.floor(high) + 1, step)
    values = [10.0**one for one in exponents]
    if len(values) < fewest:
        values = [
            factor * 10.0**one
            for one in range(math.floor(low), math.floor(high) + 1)
            for factor in (1, 2, 5)
            if least <= factor * 10.0**one <= most
        ]
    return values, [_short(one, 1000, _THOUSANDS) for one in values]


def linear_ticks(most: Number, *, is_bytes: bool, count: int = 5) -> tuple[list[float], list[str]]:
    """Ticks from 0 in steps of 1, 2 or 5 times a power of ten (of bytes: times a power of 1024)."""
    if most <= 0:
        return [0.0], ["0"]
    unit = 1024.0 ** math.floor(math.log(max(most, 1), 1024)) if is_bytes else 1.0
    rough = most / unit / count
    decade = 10.0 ** math.floor(math.log10(rough))
    step = next(one * decade for one in (1, 2, 5, 10) if one * decade >= rough) * unit
    values = [step * place for place in range(int(most / step) + 1)]
    base, units = (1024, _BINARY) if is_bytes else (1000, _THOUSANDS)
    return values, ["0" if not one else _short(one, base, units) for one in values]


def _short(value: Number, base: int, units: tuple[str, ...]) -> str:
    if 0 < value < 1e-4:
        return three_digits(value).removeprefix("1.00·").replace(".00·", "·")
    power = 0
    while value >= base * (1 - 1e-12) and power < len(units) - 1:
        value, power = value / base, power + 1
    return f"{value:.4g}{_THIN if base == 1024 else ''}{units[power]}".rstrip(_THIN)
