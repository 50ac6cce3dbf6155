"""How numbers are written in figures: never rounded to nothing."""

import math
from collections.abc import Iterable

from attnviz.base.grouping import grouped

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def weight_text(weight: float) -> str:
    """0.327, 0.0095, 3.4·10⁻⁷: three decimals, or two significant digits where those would hide it."""
    if math.isnan(weight):
        return "NaN"
    if weight == 0:
        return "0"
    if weight < 0:
        return "−" + weight_text(-weight)
    if weight >= 0.0995:
        return f"{weight:.3f}"
    return _two_digits(weight)


def signed_text(value: float, decimals: int = 3) -> str:
    """4.000, −0.707, 12.35, −2.3·10⁻⁴: a score, a value or a coordinate.

    With fewer than three decimals a small number is rounded to them, be it to 0.00.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    sign = "−" if value < 0 else ""
    if size == 0:
        return "0"
    if size < 0.0995:
        if decimals >= 3:
            return sign + _two_digits(size)
        rounded = f"{size:.{decimals}f}"
        # What is rounded to nothing has no sign.
        return sign + rounded if float(rounded) else rounded
    if size >= 100_000:
        mantissa, exponent = f"{size:.2e}".split("e")
        return f"{sign}{mantissa}·{power_of_ten(int(exponent))}"
    fitting = decimals if size < 10 else decimals - 1 if size < 100 else 1
    return f"{sign}{size:.{fitting}f}"


def brief_text(value: float) -> str:
    """0.16, 2.4, 12, 0.0095: two significant digits, for cells that are too narrow for more."""
    if math.isnan(value) or value == 0:
        return "NaN" if math.isnan(value) else "0"
    sign, size = "−" if value < 0 else "", abs(value)
    if size >= 9.95:
        return f"{sign}{size:.0f}" if size < 100_000 else signed_text(value)
    return f"{sign}{size:.1f}" if size >= 0.995 else sign + _two_digits(size)


def three_digits(number: float | int) -> str:
    """Three significant digits of a number that is not below 0: 0, 0.0123, 4.56, 1,880, 1.02·10⁻⁵."""
    if number >= 100:
        return grouped(float(f"{number:.3g}"))
    if number == 0 or number >= 1e-4:
        return f"{number:.3g}"
    mantissa, exponent = f"{number:.2e}".split("e")
    return f"{mantissa}·{power_of_ten(int(exponent))}"


def power_of_ten(exponent: int) -> str:
    """10⁻⁵."""
    return f"10{str(exponent).translate(_SUPERSCRIPT)}"


def numbers_text(values: Iterable[float]) -> str:
    """1, −2, 0.25: the numbers of a vector as they were typed in, to six significant digits."""
    return ", ".join(f"{value + 0.0:g}".replace("-", "−") for value in values)


def _two_digits(size: float) -> str:
    """A number below 1 with two significant digits."""
    mantissa, exponent = f"{size:.1e}".split("e")
    if int(exponent) >= -4:
        return f"{size:.{1 - int(exponent)}f}"
    return f"{mantissa}·{power_of_ten(int(exponent))}"
