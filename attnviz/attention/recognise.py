"""The rule behind a mask that is given pair by pair: a rule takes no memory and tells what need not be looked at."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnviz.attention.masks import Causal, Dense, Lengths, Mask, Window
from attnviz.attention.tiles import strip_elements


def recognise(pairs: Bool[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"]) -> Mask | None:
    """The simplest mask that allows exactly these pairs: None for all of them, a rule, or else the pairs themselves.

    Known are causal masks, windows, and padding of keys, also together; every guess is checked pair by pair.
    """
    if bool(pairs.all()):
        return None
    if pairs.shape[1] > 1 and bool((pairs == pairs[:, :1]).all()):
        pairs = pairs[:, :1].clone()
    guess = _guess(pairs[:, 0]) if pairs.shape[1] == 1 and pairs.shape[3] > 1 else None
    return guess if guess is not None and _is(guess, pairs) else Dense(pairs)


def _guess(pairs: Bool[Tensor, "items n m"]) -> Mask | None:
    """A rule that may be behind the pairs, read off the first and last key of each row."""
    as_bytes = pairs.contiguous().view(torch.uint8)
    last = pairs.shape[2] - 1 - as_bytes.flip(2).argmax(2)
    return guess(as_bytes.argmax(2), last, pairs.any(2), pairs.shape[2])


def guess(
    first: Int[Tensor, "items n"], last: Int[Tensor, "items n"], seen: Bool[Tensor, "items n"], keys: int
) -> Mask | None:
    """A rule that may be behind rows with this first and last key, where they see any."""
    queries = seen.shape[1]
    if not bool(seen.any(1).all()):
        return None
    starts, stops = first.where(seen, keys).amin(1), last.where(seen, -1).amax(1) + 1
    rules: list[Mask] = []
    if bool((starts > 0).any() | (stops < keys).any()):
        rules.append(Lengths(tuple(starts.tolist()), tuple(stops.tolist())))
    if queries > 1:
        rows = torch.arange(queries, device=seen.device)
        right = _only(last - rows, seen & (last < stops[:, None] - 1))
        left = _only(first - rows, seen & (first > starts[:, None]))
        rules += _band(left, right)
    joined = None
    for rule in rules:
        joined = rule if joined is None else joined & rule
    return joined


def _band(left: int | None, right: int | None) -> list[Mask]:
    """Keys from i + left to i + right as a rule; None is without end."""
    if left is None:
        return [] if right is None else [Causal(right)]
    if right is None:
        return [Window(-left, None)]
    return [Window(right - left, 0, offset=right)] if right < 0 or left > 0 else [Window(-left, right)]


def _only(numbers: Int[Tensor, "items n"], where: Bool[Tensor, "items n"]) -> int | None:
    """The number that stands in these places; any of them if they differ, as the check will find that out."""
    found = numbers[where]
    return int(found[0]) if len(found) else None


def _is(rule: Mask, pairs: Bool[Tensor, "items heads n m"]) -> bool:
    items, _, queries, keys = pairs.shape
    size = max(1, strip_elements(pairs.device) // keys)
    cols = torch.arange(keys, device=pairs.device)
    for item in range(items):
        for start in range(0, queries, size):
            rows = torch.arange(start, min(start + size, queries), device=pairs.device)
            if not torch.equal(rule.allowed(item, rows, cols)[0], pairs[item, 0, start : start + size]):
                return False
    return True
