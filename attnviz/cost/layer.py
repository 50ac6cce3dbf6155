"""One attention layer as its cost sees it: widths, heads, the size of a number."""

from dataclasses import dataclass

from attnviz.base.errors import InputError
from attnviz.base.language import _m


@dataclass(frozen=True)
class Layer:
    """width: d, the numbers of one token. heads: h of queries; kv_heads: of keys and values, fewer where they are grouped.

    feed_forward: how many times as wide as d the hidden layer of the feed-forward part is. bytes_per_number: 2 for
    16-bit, 4 for 32-bit. causal: whether a query sees itself and what comes before it alone.

    Raises `InputError` where heads do not divide the width, or key heads the heads.
    """

    width: int = 256
    heads: int = 4
    kv_heads: int = 4
    feed_forward: float = 4.0
    bytes_per_number: int = 2
    causal: bool = False

    def __post_init__(self) -> None:
        if min(self.width, self.heads, self.kv_heads, self.bytes_per_number) < 1 or self.feed_forward < 0:
            raise InputError(_m("A layer needs a width, heads and bytes of at least 1."))
        if self.width % self.heads:
            raise InputError(
                _m("{heads} heads were asked for; a divisor of the width {width} was expected."),
                heads=self.heads, width=self.width,
            )  # fmt: skip
        if self.heads % self.kv_heads:
            raise InputError(
                _m("{found} key heads were asked for; a divisor of the {heads} heads was expected."),
                found=self.kv_heads, heads=self.heads,
            )  # fmt: skip

    @property
    def head_width(self) -> int:
        """d / h, the numbers of one head."""
        return self.width // self.heads

    @property
    def kv_width(self) -> int:
        """Numbers in the keys (or values) of one token, over all key heads."""
        return self.kv_heads * self.head_width
