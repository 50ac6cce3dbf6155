"""Labels as people and Plotly must get them: none is invisible, and nothing of a token is taken for markup."""

import re
from collections.abc import Sequence

from attnviz.tokens import Tokens, cut, isolated, visible

# Letters in a label where there is little room, and where a label can be read at leisure.
LONGEST = 24
LONGEST_WHOLE = 200
# Nobody looks at the rest of a token that is longer, and making it visible would take its time.
LONGEST_TEXT = 2000
# Follows a token that the model wrote itself, along axes and beside lines.
GENERATED = "✎"

_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;"})


def escaped(text: str) -> str:
    """The text so that Plotly shows it as it is: `<s>` would vanish, `$x$` would become a formula.

    What is written from right to left is isolated, so that the numbers beside it stay where they are.
    """
    return isolated(text).translate(_MARKUP)


def shortened(text: str, longest: int = LONGEST) -> str:
    """A name that can be seen and is not too long, still to be escaped. Its spaces stay: "car ahead"."""
    return cut("".join(part if part == " " else visible(part) for part in _words(text)) or visible(text), longest)


def labels(tokens: Tokens | Sequence[str] | None, count: int) -> tuple[str, ...]:
    """`count` visible, short labels: of the tokens, the names given, or the positions where there are none.

    Labels may be equal; the position identifies a token.
    """
    found = whole_labels(tokens, count)
    return tuple(short_label(label, position) for position, label in enumerate(found))


def whole_labels(tokens: Tokens | Sequence[str] | None, count: int) -> tuple[str, ...]:
    """The same for where there is room: only what nobody would read is left out."""
    if tokens is None:
        return tuple(str(position) for position in range(count))
    if isinstance(tokens, Tokens) and tokens.kind == "text":
        return tuple(cut(visible(text[:LONGEST_TEXT]), LONGEST_WHOLE) for text in tokens.texts)
    texts = tokens.texts if isinstance(tokens, Tokens) else tokens
    return tuple(shortened(text[:LONGEST_TEXT], LONGEST_WHOLE) for text in texts)


def tick_labels(tokens: Tokens | Sequence[str] | None, wholes: Sequence[str]) -> tuple[str, ...]:
    """Short labels of all positions, with a mark after what the model wrote itself."""
    generated = tokens.generated if isinstance(tokens, Tokens) else None
    return tuple(
        short_label(label, position) + (f" {GENERATED}" if generated is not None and generated[position] else "")
        for position, label in enumerate(wholes)
    )


def short_label(label: str, position: int) -> str:
    """A label for a narrow place: where its middle is left out, its position tells which token it is."""
    short = cut(label, LONGEST)
    if short == label:
        return label
    said = f" ({position})"
    return cut(label, LONGEST - len(said)) + said


def _words(text: str) -> list[str]:
    """The words and the single spaces between them; nothing where there is no word."""
    return re.split("( )", text) if text.strip() == text and "  " not in text else []
