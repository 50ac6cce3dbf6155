"""What the grammar says, against sentences written out by hand."""

import pytest

from attnviz.base.errors import InputError
from attnviz.translation import grammar

FRENCH = [
    ("the black cat", "le chat noir"),
    ("an old tree", "un vieil arbre"),
    ("three beautiful old houses", "trois belles vieilles maisons"),
    ("a very old horse", "un très vieux cheval"),
    ("my school", "mon école"),
    ("this man", "cet homme"),
    ("the black and white dogs", "les chiens noirs et blancs"),
    ("the woman 's black cat sleeps in front of the house .", "le chat noir de la femme dort devant la maison ."),
    ("the boy 's letters", "les lettres du garçon"),
    ("the child 's key", "la clé de l' enfant"),
    ("she does not see it .", "elle ne le voit pas ."),
    ("the girl never loved her .", "la fille ne l' a jamais aimée ."),
    ("he took them .", "il les a pris ."),
    ("they will buy an apple .", "ils achèteront une pomme ."),
    ("they will not buy an apple .", "ils n' achèteront pas de pomme ."),
    ("the friends looked for a bird .", "les amis ont cherché un oiseau ."),
    ("he works near the garden .", "il travaille près du jardin ."),
    ("he works near two old bridges .", "il travaille près de deux vieux ponts ."),
    ("he works near a window .", "il travaille près d' une fenêtre ."),
]
JAPANESE = [
    ("the black cat", "黒い 猫"),
    ("a cat sleeps .", "猫 が 眠る 。"),
    ("the cat sleeps .", "猫 は 眠る 。"),
    ("my friend 's very small garden", "私 の 友達 の とても 小さい 庭"),
    ("three big birds", "三 羽 の 大きい 鳥"),
    ("an old house", "古い 家"),
    ("an old man", "年老いた 男性"),
    ("the wet and dirty dog", "濡れていて 汚い 犬"),
    ("she did not read it .", None),
    ("she did not take it .", "彼女 は それ を 取ら なかった 。"),
    ("he never knows them .", "彼 は 彼ら を 決して 知ら ない 。"),
    ("the boy hears a dog .", "少年 は 犬 の 声 を 聞く 。"),
    ("the king waits with the queen in front of", None),
    ("the king waits with the queen .", "王 は 女王 と 一緒 に 待つ 。"),
    ("the king waits in front of the school .", "王 は 学校 の 前 で 待つ 。"),
]
RUSSIAN = [
    ("the black cat", "чёрный кот"),
    ("the girl sees the black cat .", "девочка видит чёрного кота ."),
    ("the girl sees the black table .", "девочка видит чёрный стол ."),
    ("the girl sees a blue lamp .", "девочка видит синюю лампу ."),
    ("two white dogs", "две белые собаки"),
    ("two white tables", "два белых стола"),
    ("the boy loves two white dogs .", "мальчик любит двух белых собак ."),
    ("the boy waits under three big bridges .", "мальчик ждёт под тремя большими мостами ."),
    ("she waited near our big window .", "она ждала около нашего большого окна ."),
    ("the friends will sing in this garden .", "друзья будут петь в этом саду ."),
    ("the king never swims with a strange doctor .", "король никогда не плавает со странным врачом ."),
    ("the teacher 's good letters", "хорошие письма учителя"),
    ("they did not find him on the street .", "они не находили его на улице ."),
    ("the tired child slept behind the bad doors .", "уставший ребёнок спал за плохими дверями ."),
]
ALL = [(code, *each) for code, of in (("fr", FRENCH), ("ja", JAPANESE), ("ru", RUSSIAN)) for each in of]


@pytest.mark.parametrize(("language", "source", "expected"), ALL)
def test_a_sentence_is_said_as_a_native_speaker_would(language: str, source: str, expected: str | None) -> None:
    pair = grammar.translate(language, source.split())
    assert (pair.target_text if pair else None) == expected


@pytest.mark.parametrize(
    "wrong",
    ["", ".", "cat", "the cats sleeps .", "an cat", "a old tree", "the black small cat", "the black black cat",
     "he", "the cat sleeps", "the cat sleeps the dog .", "two cat", "a cats", "the black white cat",
     "the old friend 's house", "the cat sees she .", "the zebra sleeps ."],
)  # fmt: skip
def test_what_the_grammar_does_not_make_has_no_translation(wrong: str) -> None:
    assert grammar.translate("fr", wrong.split()) is None


def test_a_language_that_is_not_known_is_named() -> None:
    with pytest.raises(InputError, match=r"“de”.*fr, ja, ru"):
        grammar.corpus("de", "test", 1)  # type: ignore[arg-type]


def links(language: str, source: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    pair = grammar.translate(language, source.split())
    assert pair is not None
    assert pair.links is not None

    def named(found: frozenset[tuple[int, int]]) -> set[tuple[str, str]]:
        return {(pair.source[i], pair.target[j]) for i, j in found}

    return named(pair.links.sure), named(pair.links.possible - pair.links.sure)


def test_french_links() -> None:
    sure, possible = links("fr", "the woman 's cat did not see him in front of my house .")
    assert sure == {
        ("the", "la"), ("woman", "femme"), ("'s", "de"), ("cat", "chat"), ("did", "a"), ("not", "pas"), ("see", "vu"),
        ("him", "l'"), ("in", "devant"), ("front", "devant"), ("of", "devant"), ("my", "ma"), ("house", "maison"),
        (".", "."),
    }  # fmt: skip
    assert possible == {("'s", "le"), ("see", "a"), ("not", "ne")}


def test_japanese_links() -> None:
    sure, possible = links("ja", "the cat sees two dogs .")
    assert sure == {("cat", "猫"), ("sees", "見る"), ("two", "二"), ("dogs", "犬"), (".", "。")}
    assert possible == {
        ("the", "猫"), ("cat", "は"), ("the", "は"), ("sees", "は"), ("two", "匹"), ("dogs", "匹"), ("two", "の"),
        ("dogs", "を"), ("two", "を"), ("sees", "を"),
    }  # fmt: skip


def test_russian_links() -> None:
    sure, possible = links("ru", "the girl will never see my cat .")
    assert sure == {
        ("girl", "девочка"), ("never", "никогда"), ("will", "будет"), ("see", "видеть"), ("my", "моего"),
        ("cat", "кота"), (".", "."),
    }  # fmt: skip
    assert possible == {("the", "девочка"), ("never", "не")}


def test_links_are_known_only_for_the_grammars_own_translation() -> None:
    source = ("the", "black", "cat")
    found = grammar.links_for("fr", source, ("le", "chat", "noir"))
    assert found is not None
    assert found.sure == {(0, 0), (2, 1), (1, 2)}
    assert grammar.links_for("fr", source, ("le", "noir", "chat")) is None
