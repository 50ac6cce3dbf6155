"""The models that come with attnviz: what they can do, and that they are what their cards say."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

import attnviz
from attnviz.base.errors import InputError
from attnviz.models.translation import shipped
from attnviz.translation import Translation, grammar
from attnviz.translation.heads import MEAN, count_heads, weights_of
from attnviz.translation.reading import Reading, lay_out
from attnviz.translation.scores import total

SENTENCES = 100
EXACT = {"en-fr": 0.95, "en-ja": 0.90, "en-ru": 0.90}
ATTENDING = [name for name in shipped.NAMES if not name.endswith("bottleneck")]


def pair_of(name: str) -> str:
    return name.split("/")[1]


@pytest.fixture(scope="module", params=shipped.NAMES)
def translator(request):
    return attnviz.models.load(request.param, device="cpu")


@pytest.fixture(scope="module", params=ATTENDING)
def attending(request):
    return attnviz.models.load(request.param, device="cpu")


def test_every_name_is_in_the_catalogue_and_installed():
    cards = {card.name: card for card in attnviz.models.catalogue()}
    assert all(cards[name].installed for name in shipped.NAMES)
    assert (cards["translation/en-fr/transformer"].layers, cards["translation/en-fr/transformer"].heads) == (3, 4)
    assert (cards["translation/en-fr/gru"].layers, cards["translation/en-fr/gru"].heads) == (1, 1)


def test_unseen_sentences_are_translated_word_for_word(attending):
    pairs = grammar.corpus(attending.language, "test", SENTENCES)
    written = attending.write([pair.source for pair in pairs])
    right = sum(one == pair.target for one, pair in zip(written, pairs, strict=True))
    assert right / SENTENCES >= EXACT[pair_of(attending.name)]


def test_pairs_of_words_never_trained_on_are_translated_too(attending):
    pairs = grammar.corpus(attending.language, "unseen", SENTENCES)
    written = attending.write([pair.source for pair in pairs])
    right = sum(one == pair.target for one, pair in zip(written, pairs, strict=True))
    assert right / SENTENCES >= EXACT[pair_of(attending.name)]


@pytest.mark.parametrize("kind", ["gru", "transformer"])
def test_noir_looks_at_black(kind: str):
    found = attnviz.models.load(f"translation/en-fr/{kind}", device="cpu").translate("The black cat")
    assert found.target_text == "le chat noir"
    matrix = lay_out(found, Reading(hide_special=False)).matrix(weights_of(found, MEAN))
    assert float(matrix[2, 1]) > 0.9


@pytest.mark.parametrize("kind", ["gru", "transformer"])
def test_the_mean_over_all_heads_is_near_the_gold_alignment_in_french(kind: str):
    model = attnviz.models.load(f"translation/en-fr/{kind}", device="cpu")
    pairs = grammar.corpus("fr", "test", SENTENCES)
    forced = model.force((pair.source_text, pair.target_text) for pair in pairs)
    counts = [count_heads(one, pair, Reading()).heads[MEAN] for one, pair in zip(forced, pairs, strict=True)]
    assert total(counts).error_rate < 0.10


def test_without_attention_long_sentences_suffer():
    pairs = grammar.corpus("fr", "test", 300)
    long = [pair for pair in pairs if len(pair.source) >= 11]
    right = {
        kind: sum(
            one == pair.target
            for one, pair in zip(
                attnviz.models.load(f"translation/en-fr/{kind}", device="cpu").write([pair.source for pair in long]), long,
                strict=True,
            )
        )
        / len(long)
        for kind in ("gru", "bottleneck")
    }  # fmt: skip
    assert right["gru"] > right["bottleneck"] + 0.2


@pytest.mark.parametrize("kind", ["gru", "transformer"])
def test_cards_hold_five_seeds_for_french_and_all_of_them(kind: str):
    facts = shipped.facts(f"translation/en-fr/{kind}")
    assert [one.seed for one in facts.seeds] == [0, 1, 2, 3, 4]
    rates = sorted(one.aer for one in facts.seeds if one.aer is not None)
    assert len(rates) == 5
    assert rates[2] < 0.10
    assert facts.shipped.seed == 0
    assert sum(count for count, _right in facts.shipped.by_length.values()) == facts.held_out_sentences
    assert "--seeds 0 1 2 3 4" in facts.command


def test_trace_and_forced_pass(translator):
    found: Translation = translator.translate("The black cat sleeps .")
    assert found.source.texts == ("the", "black", "cat", "sleeps", ".", "</s>")
    assert found.consumed.texts[1:] == found.predicted.texts[:-1]
    assert found.consumed.is_special(0)
    assert found.predicted.is_special(len(found.predicted) - 1)
    assert len(found.log_probabilities) == len(found.predicted) == len(found.alternatives)
    # What is written greedily is the likeliest at every step.
    assert [step[0].text for step in found.alternatives] == list(found.predicted.texts)
    (again,) = translator.force([("The black cat sleeps .", found.target_text)])
    torch.testing.assert_close(again.log_probabilities, found.log_probabilities, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(
        translator.log_probabilities([("the black cat sleeps .", found.target_text)])[0], found.log_probabilities,
        atol=1e-5, rtol=1e-4,
    )  # fmt: skip
    assert (found.forced, again.forced) == (False, True)


def test_the_trace_comes_down_the_same_path_as_all_others(attending, tmp_path):
    trace = attending.trace("The black cat")
    cross = [one for one in trace if one.role == "cross"]
    assert len(cross) == (3 if attending.kind == "transformer" else 1)
    for attention in trace:
        assert attention.check is not None
        assert attention.check.agrees
        torch.testing.assert_close(attention.weights(None).sum(-1), torch.ones(attention.heads, attention.shape[0]))
    assert attnviz.figures.heatmap(cross[0], head=0).data
    trace.save(tmp_path / "run.safetensors")
    assert [one.name for one in attnviz.load(tmp_path / "run.safetensors")] == [one.name for one in trace]


def test_several_at_once_are_as_one_by_one(attending):
    pairs = [(pair.source_text, pair.target_text) for pair in grammar.corpus(attending.language, "test", 5)]
    together = list(attending.force(pairs))
    for pair, one in zip(pairs, together, strict=True):
        (alone,) = attending.force([pair])
        torch.testing.assert_close(one.log_probabilities, alone.log_probabilities, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(weights_of(one, MEAN), weights_of(alone, MEAN), atol=1e-4, rtol=1e-3)


def test_without_attention_there_is_none_to_look_at_and_the_trace_says_so():
    trace = attnviz.models.load("translation/en-fr/bottleneck", device="cpu").trace("the black cat")
    assert len(trace) == 0
    assert "one vector of 192 numbers" in str(trace.notes[0])


def test_beams_out_of_range():
    model = attnviz.models.load("translation/en-fr/gru", device="cpu")
    with pytest.raises(InputError, match="17 beams were asked for; 1 to 16"):
        model.translate("the cat", beams=17)


def _broken(tmp_path, **changes):
    """The shipped file with other metadata or tensors."""
    path = shipped.weights_of("translation/en-fr/gru")
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        told = dict(file.metadata())
    weights = load_file(path)
    for key, value in changes.items():
        if isinstance(value, torch.Tensor):
            weights[key.replace("__", ".")] = value
        else:
            told[key] = value
    save_file(weights, tmp_path / "broken.safetensors", metadata=told)
    return tmp_path / "broken.safetensors"


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": '"pickle"'},
        {"sizes": '{"width": 1000000}'},
        {"sizes": "[1]"},
        {"sizes": '{"width": Infinity}'},
        {"sizes": '{"width": 96, "layers": 4096}'},
        {"source": '["<s>"]'},
        {"source": "not json"},
        {"output__weight": torch.zeros(2, 2)},
        {"more": "1", "extra": torch.zeros(1)},
    ],
)
def test_a_file_that_is_no_model_of_ours_gets_a_sentence(tmp_path, changes):
    with pytest.raises(InputError, match=r"broken\.safetensors is no translation model of attnviz"):
        shipped.read(_broken(tmp_path, **changes), "translation/en-fr/gru", device="cpu")


def test_a_word_twice_and_numbers_that_are_none_are_refused(tmp_path):
    whole = shipped.load("translation/en-fr/gru", "cpu")
    words = list(whole.target.words)
    with pytest.raises(InputError, match="a word twice"):
        shipped.read(
            _broken(tmp_path, target=json.dumps([*words[:-1], words[3]])), "translation/en-fr/gru", device="cpu"
        )
    with pytest.raises(InputError, match="no finite numbers"):
        shipped.read(
            _broken(tmp_path, output__bias=torch.full((len(words),), torch.nan)), "translation/en-fr/gru", device="cpu"
        )


def test_heads_that_do_not_part_the_width_are_refused(tmp_path):
    name = "translation/en-fr/transformer"
    path = tmp_path / "broken.safetensors"
    told = shipped.load(name, "cpu")
    shipped.write(path, told, {"width": 64, "layers": 3, "heads": 3})
    with pytest.raises(InputError, match="broken"):
        shipped.read(path, name, device="cpu")
    shipped.write(path, told, {"width": 64, "layers": 3, "heads": 4})
    assert shipped.read(path, name, device="cpu").target.words == told.target.words


def test_a_file_that_is_cut_off_gets_a_sentence(tmp_path):
    whole = shipped.weights_of("translation/en-fr/gru").read_bytes()
    (tmp_path / "cut.safetensors").write_bytes(whole[:5000])
    with pytest.raises(InputError, match=r"cut\.safetensors is no translation model"):
        shipped.read(tmp_path / "cut.safetensors", "translation/en-fr/gru", device="cpu")


def test_facts_are_plain_json():
    for name in shipped.NAMES:
        assert json.loads(shipped.facts_of(name).read_text(encoding="utf-8"))["name"] == name
