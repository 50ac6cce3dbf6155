"""Two alignments that look at no attention: what a head has to be better than."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from attnviz.translation.sentence import Link, SentencePair

EMPTY = ""
"""The empty source word of IBM model 1, that target words without a counterpart come from."""


def diagonal(source: int, target: int) -> frozenset[Link]:
    """Every target word with the source word whose middle is nearest in proportion; the earlier one of two."""
    return frozenset((_nearest(row, source, target), row) for row in range(target))


def _nearest(row: int, source: int, target: int) -> int:
    # |(column + ½) / source − (row + ½) / target| in whole numbers, so that ties are ties.
    return min(range(source), key=lambda column: (abs((2 * column + 1) * target - (2 * row + 1) * source), column))


class Ibm1:
    """IBM model 1 (Brown et al. 1993, Computational Linguistics 19(2)): t(target | source), words in any order.

    Trained by expectation and maximisation from equal probabilities; with the empty source word unless told not to.
    """

    def __init__(self, pairs: Sequence[SentencePair], *, rounds: int = 5, empty: bool = True) -> None:
        self._empty = (EMPTY,) if empty else ()
        # Each distinct pair counts as often as it occurs.
        texts = Counter((pair.source, pair.target) for pair in pairs)
        seen: dict[str, set[str]] = defaultdict(set)
        for source, target in texts:
            for word in (*self._empty, *source):
                seen[word].update(target)
        words = {word for _, target in texts for word in target}
        self.probabilities = {source: dict.fromkeys(targets, 1 / len(words)) for source, targets in seen.items()}
        for _ in range(rounds):
            self._round(texts)

    def _round(self, texts: Counter[tuple[tuple[str, ...], tuple[str, ...]]]) -> None:
        counts: dict[str, dict[str, float]] = {source: defaultdict(float) for source in self.probabilities}
        for (source, target), times in texts.items():
            whole = (*self._empty, *source)
            for word in target:
                shares = [self.probabilities[one][word] for one in whole]
                norm = times / sum(shares)
                for one, share in zip(whole, shares, strict=True):
                    counts[one][word] += share * norm
        self.probabilities = {
            source: {word: number / total for word, number in found.items()}
            for source, found in counts.items()
            if (total := sum(found.values()))
        }

    def links(self, source: Sequence[str], target: Sequence[str]) -> frozenset[Link]:
        """Every target word with the source word that most probably gives it; none where that is the empty word."""
        found = set()
        for row, word in enumerate(target):
            places: list[int | None] = [*([None] if self._empty else []), *range(len(source))]
            chances = {
                place: self.probabilities.get(EMPTY if place is None else source[place], {}).get(word, 0.0)
                for place in places
            }
            best = max(chances, key=lambda place: chances[place])
            if best is not None and chances[best] > 0:
                found.add((best, row))
        return frozenset(found)
