"""Labels as people and Plotly must get them: none is invisible, and nothing of a token is taken for markup."""

import re
from collections.abc import Sequence

from attnviz.tokens import Tokens, visible

LONGEST = 24

_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;"})


def escaped(text: str) -> str:
    """The text so that Plotly shows it as it is: `<s>` would vanish, `$x$` would become a formula."""
    return text.translate(_MARKUP)


def shortened(text: str, longest: int = LONGEST) -> str:
    """A name that can be seen and is not too long, still to be escaped. Its spaces stay: "car ahead"."""
    return _cut("".join(part if part == " " else visible(part) for part in _words(text)) or visible(text), longest)


def labels(tokens: Tokens | Sequence[str] | None, count: int) -> tuple[str, ...]:
    """`count` visible labels: of the tokens, the names given, or the positions themselves where there are none.

    Labels may be equal; the position identifies a token.
    """
    if tokens is None:
        return tuple(str(position) for position in range(count))
    if isinstance(tokens, Tokens) and tokens.kind == "text":
        return tuple(_cut(label, LONGEST) for label in tokens.labels())
    return tuple(shortened(text) for text in (tokens.texts if isinstance(tokens, Tokens) else tokens))


def _words(text: str) -> list[str]:
    """The words and the single spaces between them; nothing where there is no word."""
    return re.split("( )", text) if text.strip() == text and "  " not in text else []


def _cut(label: str, longest: int) -> str:
    return label if len(label) <= longest else label[: longest - 1] + "…"
