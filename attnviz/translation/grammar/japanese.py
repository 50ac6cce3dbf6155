"""Japanese: everything before its noun, the verb last, particles, counters; words parted by spaces."""

from collections.abc import Iterator

from attnviz.translation.grammar.meaning import Clause, Meaning, Noun, Pronoun
from attnviz.translation.grammar.words import TargetWord

# The noun, and the word with which such things are counted.
NOUNS: dict[str, tuple[str, str]] = {
    "cat": ("猫", "匹"), "dog": ("犬", "匹"), "bird": ("鳥", "羽"), "horse": ("馬", "頭"), "cow": ("牛", "頭"),
    "mouse": ("ネズミ", "匹"), "woman": ("女性", "人"), "man": ("男性", "人"), "child": ("子供", "人"),
    "girl": ("少女", "人"), "boy": ("少年", "人"), "friend": ("友達", "人"), "teacher": ("先生", "人"),
    "doctor": ("医者", "人"), "king": ("王", "人"), "queen": ("女王", "人"), "house": ("家", "軒"), "car": ("車", "台"),
    "book": ("本", "冊"), "table": ("テーブル", "つ"), "flower": ("花", "本"), "tree": ("木", "本"), "door": ("扉", "つ"),
    "garden": ("庭", "つ"), "letter": ("手紙", "通"), "apple": ("リンゴ", "個"), "hat": ("帽子", "つ"),
    "boat": ("船", "隻"), "stone": ("石", "個"), "bridge": ("橋", "本"), "street": ("通り", "本"), "box": ("箱", "個"),
    "window": ("窓", "つ"), "school": ("学校", "つ"), "key": ("鍵", "本"), "lamp": ("ランプ", "つ"),
}  # fmt: skip
# Before a noun, and before another adjective with “and”.
ADJECTIVES: dict[str, tuple[str, str]] = {
    "small": ("小さい", "小さくて"), "big": ("大きい", "大きくて"), "beautiful": ("美しい", "美しくて"),
    "old": ("古い", "古くて"), "new": ("新しい", "新しくて"), "young": ("若い", "若くて"), "good": ("良い", "良くて"),
    "bad": ("悪い", "悪くて"), "black": ("黒い", "黒くて"), "white": ("白い", "白くて"), "red": ("赤い", "赤くて"),
    "green": ("緑の", "緑で"), "blue": ("青い", "青くて"), "yellow": ("黄色い", "黄色くて"), "heavy": ("重い", "重くて"),
    "strange": ("奇妙な", "奇妙で"), "quiet": ("静かな", "静かで"), "happy": ("幸せな", "幸せで"),
    "tired": ("疲れた", "疲れていて"), "dangerous": ("危険な", "危険で"), "wet": ("濡れた", "濡れていて"),
    "dirty": ("汚い", "汚くて"), "empty": ("空の", "空で"), "rich": ("裕福な", "裕福で"),
}  # fmt: skip
# Things get old in another word than persons and animals.
_OLD_AND_ALIVE = "年老いた"
# Present, past, and what stands before “ない” and “なかった”.
VERBS: dict[str, tuple[str, str, str]] = {
    "sleep": ("眠る", "眠った", "眠ら"), "sing": ("歌う", "歌った", "歌わ"), "run": ("走る", "走った", "走ら"),
    "wait": ("待つ", "待った", "待た"), "laugh": ("笑う", "笑った", "笑わ"), "work": ("働く", "働いた", "働か"),
    "dance": ("踊る", "踊った", "踊ら"), "swim": ("泳ぐ", "泳いだ", "泳が"), "see": ("見る", "見た", "見"),
    "find": ("見つける", "見つけた", "見つけ"), "love": ("愛する", "愛した", "愛さ"), "hear": ("聞く", "聞いた", "聞か"),
    "take": ("取る", "取った", "取ら"), "know": ("知っている", "知っていた", "知ら"), "draw": ("描く", "描いた", "描か"),
    "look for": ("探す", "探した", "探さ"), "buy": ("買う", "買った", "買わ"), "catch": ("捕まえる", "捕まえた", "捕まえ"),
}  # fmt: skip
# The words after the noun; the first of them says the place.
_PLACES = {
    "in": ("中", "で"), "on": ("上", "で"), "under": ("下", "で"), "behind": ("後ろ", "で"), "near": ("近く", "で"),
    "in front of": ("前", "で"),
}  # fmt: skip
_OWNERS = {"my": "私", "your": "あなた", "his": "彼", "her": "彼女", "our": "私たち"}
_NUMBERS = {"two": "二", "three": "三"}
_PRONOUNS = {
    "he": "彼", "she": "彼女", "they": "彼ら", "him": "彼", "her": "彼女", "it": "それ", "them": "彼ら",
}  # fmt: skip


def words(meaning: Meaning) -> list[TargetWord]:
    """The Japanese words in order."""
    if isinstance(meaning, Noun):
        return _noun(meaning, "phrase")
    return [
        *_subject(meaning),
        *_place(meaning),
        *_object(meaning),
        *_verb(meaning),
        TargetWord("。", "punctuation", ("stop",)),
    ]


def _subject(clause: Clause) -> list[TargetWord]:
    # は for what is known already, が for what is new.
    new = isinstance(clause.subject, Noun) and not clause.subject.owner
    new = new and clause.subject.determiner in ("a", "two", "three")  # type: ignore[union-attr]  # a Noun where new
    particle = TargetWord("が" if new else "は", "particle", (), (*_head(clause.subject, "subject"), "verb"))
    return [*_named(clause.subject, "subject"), particle]


def _object(clause: Clause) -> list[TargetWord]:
    if clause.object is None:
        return []
    said = _named(clause.object, "object")
    head = _head(clause.object, "object")
    if clause.verb == "hear":
        # One hears the voice of somebody, the sound of something.
        alive = isinstance(clause.object, Pronoun) or clause.object.alive
        voice = TargetWord("声" if alive else "音", "noun", (), ("verb",))
        said = [*said, TargetWord("の", "particle", (), (*head, "verb")), voice]
    return [*said, TargetWord("を", "particle", (), (*head, "verb"))]


def _named(who: Noun | Pronoun, role: str) -> list[TargetWord]:
    if isinstance(who, Pronoun):
        return [TargetWord(_PRONOUNS[who.word], "pronoun", (f"{role}.pronoun",))]
    return _noun(who, role)


def _head(who: Noun | Pronoun, role: str) -> tuple[str, ...]:
    return (f"{role}.pronoun",) if isinstance(who, Pronoun) else (f"{role}.noun", f"{role}.determiner")


def _noun(phrase: Noun, role: str) -> list[TargetWord]:
    # There is no article; where one was, it may be said to be in the noun.
    bare = phrase.owner is None and phrase.determiner in ("the", "a")
    noun = TargetWord(NOUNS[phrase.noun][0], "noun", (f"{role}.noun",), (f"{role}.determiner",) if bare else ())
    return [*_before(phrase, role), *_adjectives(phrase, role), noun]


def _before(phrase: Noun, role: str) -> list[TargetWord]:
    part = f"{role}.determiner"
    if phrase.owner:
        return [*_noun(phrase.owner, f"{role}.owner"), TargetWord("の", "particle", (f"{role}.of",))]
    if phrase.determiner in _OWNERS:
        return [TargetWord(_OWNERS[phrase.determiner], "pronoun", (part,)), TargetWord("の", "particle", (), (part,))]
    if phrase.determiner == "this":
        return [TargetWord("これらの" if phrase.plural else "この", "determiner", (part,))]
    if phrase.determiner in _NUMBERS:
        number = TargetWord(_NUMBERS[phrase.determiner], "numeral", (part,))
        counter = TargetWord(NOUNS[phrase.noun][1], "particle", (), (part, f"{role}.noun"))
        return [number, counter, TargetWord("の", "particle", (), (part,))]
    return []


def _adjectives(phrase: Noun, role: str) -> Iterator[TargetWord]:
    if phrase.very:
        yield TargetWord("とても", "adverb", (f"{role}.very",))
    for place, adjective in enumerate(phrase.adjectives):
        part = (f"{role}.adjective.{place}",)
        if phrase.joined and place == 0:
            yield TargetWord(ADJECTIVES[adjective][1], "adjective", part, (f"{role}.and",))
        else:
            old = adjective == "old" and phrase.alive
            yield TargetWord(_OLD_AND_ALIVE if old else ADJECTIVES[adjective][0], "adjective", part)


def _place(clause: Clause) -> list[TargetWord]:
    if clause.place is None:
        return []
    where, phrase = clause.place
    said = _noun(phrase, "place")
    if where == "with":
        return [
            *said,
            TargetWord("と", "particle", ("preposition",)),
            TargetWord("一緒", "noun", ("preposition",)),
            TargetWord("に", "particle", (), ("preposition",)),
        ]
    place, particle = _PLACES[where]
    return [
        *said,
        TargetWord("の", "particle", (), ("preposition", "place.noun")),
        TargetWord(place, "noun", ("preposition",)),
        TargetWord(particle, "particle", (), ("preposition",)),
    ]


def _verb(clause: Clause) -> Iterator[TargetWord]:
    present, past, stem = VERBS[clause.verb]
    if clause.polarity == "positive":
        yield TargetWord(past if clause.tense == "past" else present, "verb", ("verb",), ("auxiliary",))
        return
    if clause.polarity == "never":
        yield TargetWord("決して", "adverb", ("negation",))
    yield TargetWord(stem, "verb", ("verb",))
    negation = "なかった" if clause.tense == "past" else "ない"
    if clause.polarity == "never":
        yield TargetWord(negation, "negation", (), ("negation", "auxiliary"))
    else:
        yield TargetWord(negation, "negation", ("negation",), ("auxiliary",))
