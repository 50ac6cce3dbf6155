"""Training runs, lowers the loss, and writes what it says; a few steps only."""

import json

import pytest
import torch

from attnviz.__main__ import main
from attnviz.base.errors import InputError
from attnviz.models.translation import shipped
from attnviz.models.translation.translator import GrammarTranslator
from attnviz.models.translation.vocabulary import Vocabulary
from attnviz.training.fitting import Recipe, fit, padded
from attnviz.training.translation import SIZES, Trial, black, train
from attnviz.translation import grammar

TRIAL = Trial(steps=3, sentences=200, held_out=5)
# Every kind of model and every language.
TRIED = ("en-fr/gru", "en-fr/bottleneck", "en-ja/transformer", "en-ru/gru")


@pytest.mark.parametrize("name", [f"{shipped.PREFIX}{name}" for name in TRIED])
def test_a_trial_of_every_model(name: str, tmp_path):
    pair, kind = name.removeprefix(shipped.PREFIX).split("/")
    lines: list[str] = []
    facts = train(pair, kind, [3, 1], tmp_path, lines.append, TRIAL)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{pair}-{kind}.json", f"{pair}-{kind}.safetensors"]
    assert [one.seed for one in facts.seeds] == [3, 1]
    assert facts.command.endswith(f"--pair {pair} --model {kind} --seeds 3 1 --steps 3")
    assert facts.parameters == sum(
        one.numel() for one in shipped.read(tmp_path / f"{pair}-{kind}.safetensors", name).module.parameters()
    )
    assert any("seed 1" in line for line in lines)
    assert shipped.facts_from_json(json.loads((tmp_path / f"{pair}-{kind}.json").read_text())) == facts


def test_words_that_a_trial_has_not_met_are_not_measured():
    pair = grammar.translate("ru", ("the", "black", "cat"))
    assert pair is not None
    source = Vocabulary.of([pair.source])
    lacking, whole = Vocabulary.of([pair.target[1:]]), Vocabulary.of([pair.target])
    made = {
        len(target): GrammarTranslator(
            "translation/en-ru/gru", None, "gru", shipped.build("gru", source, target, SIZES["gru"]), source, target
        )
        for target in (lacking, whole)
    }
    assert black(made[len(lacking)]) is None
    weight = black(made[len(whole)])
    assert weight is not None
    assert 0 < weight < 1


def examples(count: int):
    pairs = grammar.corpus("fr", "train", count)
    source, target = Vocabulary.of(pair.source for pair in pairs), Vocabulary.of(pair.target for pair in pairs)
    return source, target, [(source.numbers(pair.source), target.numbers(pair.target)) for pair in pairs]


@pytest.mark.parametrize("kind", ["gru", "transformer"])
def test_the_loss_falls_and_the_seed_decides(kind):
    source, target, all_examples = examples(128)

    def run(seed: int) -> list[float]:
        torch.manual_seed(seed)
        module = shipped.build(kind, source, target, SIZES[kind])
        return fit(module, all_examples, Recipe(epochs=6, batch=16, warm_up=5), seed)

    first = run(0)
    assert len(first) == 6 * 8
    # Before anything is learnt every word is as likely as any other: ln(words) nats.
    assert sum(first[-8:]) / 8 < 0.75 * first[0]
    assert run(0)[:3] == first[:3]
    assert run(1)[:3] != first[:3]


def test_rows_are_filled_up_at_the_end():
    assert padded([[5], [6, 7, 8]]).tolist() == [[5, 0, 0], [6, 7, 8]]


def test_an_unknown_model_is_named(tmp_path):
    with pytest.raises(InputError, match=r"no model en-ja/bottleneck to train; known are en-fr/gru"):
        train("en-ja", "bottleneck", [0], tmp_path, print, TRIAL)


def test_the_command_line_refuses_a_folder_that_is_none(tmp_path, capsys):
    assert main(["train", "translation", "--pair", "en-fr", "--output", str(tmp_path / "none")]) == 2
    assert "is no folder" in capsys.readouterr().err
