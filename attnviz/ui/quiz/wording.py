"""How the numbers of a question are written."""

from collections.abc import Sequence

MINUS = "−"
LINE = "  \n"
"""A new line of the same paragraph in Markdown."""


def number(value: float | int, decimals: int = 0) -> str:
    """12, −3, 0.804: with so many decimals and a real minus sign."""
    return f"{value:.{decimals}f}".replace("-", MINUS)


def vector(components: Sequence[float | int]) -> str:
    """(1, −2), (0.8, 0.2): without zeros at the end."""
    return f"({', '.join(f'{component:.6g}' for component in components)})".replace("-", MINUS)
