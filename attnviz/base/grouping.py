"""How long numbers are grouped: 40,960,000 in English and Japanese, 40 960 000 in Russian."""

from attnviz.base.language import current

SPACE = "\u00a0"
"""The space between groups of digits in Russian, where a comma would mark decimals. It does not break the line."""


def grouped(value: float | int, decimals: int = 0) -> str:
    """The number in groups of three digits, as the current language separates them; whole numbers stay exact."""
    written = f"{value:,}" if isinstance(value, int) and not decimals else f"{value:,.{decimals}f}"
    return written.replace(",", SPACE) if current() == "ru" else written


def separators() -> str:
    """The sign for decimals and the one between groups, as Plotly's layout wants them: "., "."""
    return "." + (SPACE if current() == "ru" else ",")
