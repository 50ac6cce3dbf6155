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
        """The attention with these tokens where they belong: both sides in a decoder, the queries before an encoder."""
        if attention.role not in ("decoder", "cross") or attention.items != len(self.padding):
            return attention
        tokens = tuple(self.tokens(item, tokenizer) for item in range(attention.items))
        queries, keys = attention.shape
        if queries != self.length:
            return attention
        attention = replace(attention, query_tokens_by_item=tokens)
        both = attention.role == "decoder" and keys == self.length
        return replace(attention, key_tokens_by_item=tokens) if both else attention

    def tokens(self, item: int, tokenizer: Any) -> Tokens:
        """The tokens of an item; without a tokenizer their texts are their numbers."""
        marked = tuple(position >= self.first and not self.padding[item][position] for position in range(self.length))
        if self.ids is None:
            return replace(Tokens.numbered(self.length), padding=self.padding[item], generated=marked)
        ids = self.ids[item]
        if tokenizer is not None:
            known = Tokens.from_tokenizer(tokenizer, {"input_ids": [list(ids)]})
            return replace(known, padding=self.padding[item], generated=marked)
        return Tokens(texts=tuple(map(str, ids)), ids=ids, padding=self.padding[item], generated=marked)
