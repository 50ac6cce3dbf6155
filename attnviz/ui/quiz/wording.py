"""How the numbers of a question are written."""

from collections.abc import Sequence

from attnviz.base.language import current

MINUS = "−"
LINE = "  \n"
"""A new line of the same paragraph in Markdown."""


def number(value: float | int, decimals: int = 0) -> str:
    """12, −3, 0.804: with so many decimals and a real minus sign."""
    return f"{value:.{decimals}f}".replace("-", MINUS)


def count(value: int) -> str:
    """1,000,000, as the current language groups digits: Russian by spaces that do not break."""
    grouped = f"{value:,}"
    return grouped.replace(",", "\u00a0") if current() == "ru" else grouped


def vector(components: Sequence[float | int]) -> str:
    """(1, −2), (0.8, 0.2): without zeros at the end."""
    return f"({', '.join(f'{component:.6g}' for component in components)})".replace("-", MINUS)
