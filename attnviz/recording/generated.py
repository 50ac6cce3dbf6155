"""Which positions a model wrote itself."""

from dataclasses import dataclass, replace
from typing import Any

from attnviz.attention import Attention
from attnviz.tokens import Tokens


@dataclass(frozen=True)
class Generated:
    """The tokens of one run of a decoder, a row for each item.

    ids: None where the model was given vectors instead. padding: what lies before the text, or after its end.
    first: the first position that was generated.
    """

    length: int
    ids: tuple[tuple[int, ...], ...] | None
    padding: tuple[tuple[bool, ...], ...]
    first: int

    def mark(self, attention: Attention, tokenizer: Any) -> Attention:
        """The attention with these tokens where they belong: in a decoder on both sides, in cross-attention as queries."""
        if attention.role not in ("decoder", "cross") or attention.items != len(self.padding):
            return attention
        if attention.shape[0] != self.length:
            return attention
        tokens = tuple(self.tokens(item, tokenizer, known) for item, known in enumerate(attention.query_tokens_by_item))
        keys = attention.shape[1]
        attention = replace(attention, query_tokens_by_item=tokens)
        both = attention.role == "decoder" and keys == self.length
        return replace(attention, key_tokens_by_item=tokens) if both else attention

    def tokens(self, item: int, tokenizer: Any, known: Tokens) -> Tokens:
        """The tokens of an item, marked; where nothing better is known and without a tokenizer, their texts are ids."""
        marked = tuple(position >= self.first and not self.padding[item][position] for position in range(self.length))
        if known.ids is not None and len(known) == self.length:
            return replace(known, padding=self.padding[item], generated=marked)
        if self.ids is None:
            return replace(Tokens.numbered(self.length), padding=self.padding[item], generated=marked)
        ids = self.ids[item]
        if tokenizer is not None:
            known = Tokens.from_ids(tokenizer, ids)
            return replace(known, padding=self.padding[item], generated=marked)
        return Tokens(texts=tuple(map(str, ids)), ids=ids, padding=self.padding[item], generated=marked)
