"""A model of somebody else's on sentences of one's own, against the same worked out sentence by sentence."""

import pytest
import torch

from attnviz.translation.heads import HeadName
from attnviz.translation.mistakes import Mistake
from attnviz.translation.pharaoh import read_pairs
from attnviz.translation.reading import Reading, word_of_each
from attnviz.ui.translation.translated import Wanted
from attnviz.ui.translation.trust.measuring import KEPT, Spec, measure
from attnviz.ui.translation.trust.wrong import shown_above
from tests.models.seq2seq.conftest import mbart, opened, t5, t5_folder_parts  # noqa: F401 - fixtures

TEXTS = b"the black cat sleeps . ||| le chat noir dort .\nthe cat ||| le chat\nno cat ||| le noir\n"
GOLD = b"1-1 2-3 3-2 4-4 5-5\n1-1 2-2\n2-2 1p1\n"


def by_hand(translator, pairs, head):
    """Precision's and recall's numbers from the weights themselves: words by loops, the first of the largest."""
    predicted = sure = hit_sure = hit_possible = 0
    for pair in pairs:
        (found,) = translator.force([(pair.source_text, pair.target_text)])
        weights = [one for one in found.trace if one.role == "cross"][head.layer].weights(head.head)
        columns, rows = word_of_each(found.source), word_of_each(found.predicted)
        for word in range(len(pair.target)):
            mine = torch.stack([weights[row] for row, of in enumerate(rows) if of == word]).mean(0)
            sums = [
                sum(float(mine[column]) for column, of in enumerate(columns) if of == place)
                for place in range(len(pair.source))
            ]
            link = (sums.index(max(sums)), word)
            predicted += 1
            hit_sure += link in pair.links.sure
            hit_possible += link in pair.links.possible
        sure += len(pair.links.sure)
    return predicted, sure, hit_sure, hit_possible


@pytest.mark.parametrize("model", ["t5", "mbart"])
def test_a_hugging_face_model_is_scored_on_ones_own_gold(request, model):
    translator = request.getfixturevalue(model)
    loaded = read_pairs(TEXTS, GOLD, base=1)
    spec = Spec(translator.name, "", "cpu", "file", f"test {model}", 3, Reading())
    shares = list(measure(spec, translator, loaded.pairs))
    assert shares == sorted(shares)
    assert shares[-1] == 1
    found = KEPT.get(spec)
    assert found is not None
    assert found.left_out.count == 0
    assert len(found.pairs) == 3
    heads = [name for name in found.scores if name.head is not None]
    assert heads
    for name in heads:
        counts = found.scores[name].counts
        assert (counts.predicted, counts.sure, counts.hit_sure, counts.hit_possible) == by_hand(
            translator, loaded.pairs, HeadName(*name)
        )
    # Every target word has its diagonal and, trained on the three sentences alone, IBM model 1 some of them.
    assert found.diagonal.counts.predicted == 9
    assert found.effect.counts.sure == found.ibm.counts.sure == 8


@pytest.mark.parametrize("model", ["t5", "mbart"])
def test_an_example_is_shown_at_the_step_that_begins_its_word(request, model):
    translator = request.getfixturevalue(model)
    loaded = read_pairs(TEXTS, GOLD, base=1)
    spec = Spec(translator.name, "", "cpu", "file", f"steps {model}", 3, Reading())
    list(measure(spec, translator, loaded.pairs))
    found = KEPT.get(spec)
    assert found is not None
    steps = set()
    for sentence, pair in enumerate(loaded.pairs):
        (forced,) = translator.force([(pair.source_text, pair.target_text)])
        for word in range(len(pair.target)):
            fields = shown_above(Wanted("other", None, "", "", "", 1), found, Mistake(sentence, word, 0))
            step = fields["step"]
            owners = word_of_each(forced.predicted)
            assert owners[step] == word
            assert word not in owners[:step]
            steps.add((step, word))
    # Not simply the word's number: words are in pieces, or the code of the language comes first.
    assert any(step != word for step, word in steps)
