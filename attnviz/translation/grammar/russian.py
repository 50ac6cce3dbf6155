"""Russian: five cases, three genders, animate and inanimate objects, numerals that govern a case, no articles."""

from collections.abc import Iterator
from typing import Literal

from attnviz.translation.grammar.meaning import Clause, Meaning, Noun, Pronoun
from attnviz.translation.grammar.words import TargetWord

Case = Literal["nominative", "genitive", "accusative", "instrumental", "prepositional"]
_CASES: tuple[Case, ...] = ("nominative", "genitive", "accusative", "instrumental", "prepositional")

# Gender; five cases of the singular, five of the plural. Prepositional: the form after “в” and “на”.
NOUNS: dict[str, tuple[str, str]] = {
    "cat": ("m", "кот кота кота котом коте коты котов котов котами котах"),
    "dog": ("f", "собака собаки собаку собакой собаке собаки собак собак собаками собаках"),
    "bird": ("f", "птица птицы птицу птицей птице птицы птиц птиц птицами птицах"),
    "horse": ("f", "лошадь лошади лошадь лошадью лошади лошади лошадей лошадей лошадьми лошадях"),
    "cow": ("f", "корова коровы корову коровой корове коровы коров коров коровами коровах"),
    "mouse": ("f", "мышь мыши мышь мышью мыши мыши мышей мышей мышами мышах"),
    "woman": ("f", "женщина женщины женщину женщиной женщине женщины женщин женщин женщинами женщинах"),
    "man": ("m", "мужчина мужчины мужчину мужчиной мужчине мужчины мужчин мужчин мужчинами мужчинах"),
    "child": ("m", "ребёнок ребёнка ребёнка ребёнком ребёнке дети детей детей детьми детях"),
    "girl": ("f", "девочка девочки девочку девочкой девочке девочки девочек девочек девочками девочках"),
    "boy": ("m", "мальчик мальчика мальчика мальчиком мальчике мальчики мальчиков мальчиков мальчиками мальчиках"),
    "friend": ("m", "друг друга друга другом друге друзья друзей друзей друзьями друзьях"),
    "teacher": ("m", "учитель учителя учителя учителем учителе учителя учителей учителей учителями учителях"),
    "doctor": ("m", "врач врача врача врачом враче врачи врачей врачей врачами врачах"),
    "king": ("m", "король короля короля королём короле короли королей королей королями королях"),
    "queen": ("f", "королева королевы королеву королевой королеве королевы королев королев королевами королевах"),
    "house": ("m", "дом дома дом домом доме дома домов дома домами домах"),
    "car": ("f", "машина машины машину машиной машине машины машин машины машинами машинах"),
    "book": ("f", "книга книги книгу книгой книге книги книг книги книгами книгах"),
    "table": ("m", "стол стола стол столом столе столы столов столы столами столах"),
    "flower": ("m", "цветок цветка цветок цветком цветке цветы цветов цветы цветами цветах"),
    "tree": ("n", "дерево дерева дерево деревом дереве деревья деревьев деревья деревьями деревьях"),
    "door": ("f", "дверь двери дверь дверью двери двери дверей двери дверями дверях"),
    "garden": ("m", "сад сада сад садом саду сады садов сады садами садах"),
    "letter": ("n", "письмо письма письмо письмом письме письма писем письма письмами письмах"),
    "apple": ("n", "яблоко яблока яблоко яблоком яблоке яблоки яблок яблоки яблоками яблоках"),
    "hat": ("f", "шляпа шляпы шляпу шляпой шляпе шляпы шляп шляпы шляпами шляпах"),
    "boat": ("f", "лодка лодки лодку лодкой лодке лодки лодок лодки лодками лодках"),
    "stone": ("m", "камень камня камень камнем камне камни камней камни камнями камнях"),
    "bridge": ("m", "мост моста мост мостом мосту мосты мостов мосты мостами мостах"),
    "street": ("f", "улица улицы улицу улицей улице улицы улиц улицы улицами улицах"),
    "box": ("f", "коробка коробки коробку коробкой коробке коробки коробок коробки коробками коробках"),
    "window": ("n", "окно окна окно окном окне окна окон окна окнами окнах"),
    "school": ("f", "школа школы школу школой школе школы школ школы школами школах"),
    "key": ("m", "ключ ключа ключ ключом ключе ключи ключей ключи ключами ключах"),
    "lamp": ("f", "лампа лампы лампу лампой лампе лампы ламп лампы лампами лампах"),
}
# Masculine nominative; “синий” alone has a soft stem.
ADJECTIVES: dict[str, str] = {
    "small": "маленький", "big": "большой", "beautiful": "красивый", "old": "старый", "new": "новый",
    "young": "молодой", "good": "хороший", "bad": "плохой", "black": "чёрный", "white": "белый", "red": "красный",
    "green": "зелёный", "blue": "синий", "yellow": "жёлтый", "heavy": "тяжёлый", "strange": "странный",
    "quiet": "тихий", "happy": "счастливый", "tired": "уставший", "dangerous": "опасный", "wet": "мокрый",
    "dirty": "грязный", "empty": "пустой", "rich": "богатый",
}  # fmt: skip
# Present singular and plural; past masculine, feminine, plural; infinitive. All imperfective.
VERBS: dict[str, str] = {
    "sleep": "спит спят спал спала спали спать", "sing": "поёт поют пел пела пели петь",
    "run": "бежит бегут бежал бежала бежали бежать", "wait": "ждёт ждут ждал ждала ждали ждать",
    "laugh": "смеётся смеются смеялся смеялась смеялись смеяться",
    "work": "работает работают работал работала работали работать",
    "dance": "танцует танцуют танцевал танцевала танцевали танцевать",
    "swim": "плавает плавают плавал плавала плавали плавать",
    "see": "видит видят видел видела видели видеть",
    "find": "находит находят находил находила находили находить",
    "love": "любит любят любил любила любили любить", "hear": "слышит слышат слышал слышала слышали слышать",
    "take": "берёт берут брал брала брали брать", "know": "знает знают знал знала знали знать",
    "draw": "рисует рисуют рисовал рисовала рисовали рисовать", "look for": "ищет ищут искал искала искали искать",
    "buy": "покупает покупают покупал покупала покупали покупать",
    "catch": "ловит ловят ловил ловила ловили ловить",
}  # fmt: skip
_PLACES: dict[str, tuple[str, Case]] = {
    "in": ("в", "prepositional"), "on": ("на", "prepositional"), "under": ("под", "instrumental"),
    "behind": ("за", "instrumental"), "near": ("около", "genitive"), "with": ("с", "instrumental"),
    "in front of": ("перед", "instrumental"),
}  # fmt: skip
_SUBJECTS = {"he": "он", "she": "она", "they": "они"}
_OBJECTS = {"him": "его", "her": "её", "it": "его", "them": "их"}
_NEVER_DECLINED = {"his": "его", "her": "её"}
# Stem, masculine nominative; endings of the others are “soft”.
_DETERMINERS: dict[str, dict[str, str]] = {
    "my": {"m": "мой моего моего моим моём", "f": "моя моей мою моей моей", "n": "моё моего моё моим моём",
           "plural": "мои моих моих моими моих"},
    "your": {"m": "ваш вашего вашего вашим вашем", "f": "ваша вашей вашу вашей вашей",
             "n": "ваше вашего ваше вашим вашем", "plural": "ваши ваших ваших вашими ваших"},
    "our": {"m": "наш нашего нашего нашим нашем", "f": "наша нашей нашу нашей нашей",
            "n": "наше нашего наше нашим нашем", "plural": "наши наших наших нашими наших"},
    "this": {"m": "этот этого этого этим этом", "f": "эта этой эту этой этой", "n": "это этого это этим этом",
             "plural": "эти этих этих этими этих"},
}  # fmt: skip
_NUMBERS: dict[str, dict[str, str]] = {
    "two": {"m": "два", "n": "два", "f": "две", "genitive": "двух", "instrumental": "двумя", "prepositional": "двух"},
    "three": {"m": "три", "n": "три", "f": "три", "genitive": "трёх", "instrumental": "тремя", "prepositional": "трёх"},
}
_CONSONANTS = "бвгджзйклмнпрстфхцчшщ"


def words(meaning: Meaning) -> list[TargetWord]:
    """The Russian words in order."""
    if isinstance(meaning, Noun):
        return _noun(meaning, "phrase", "nominative")
    return [
        *_named(meaning.subject, "subject", "nominative"),
        *_verb(meaning),
        *(_named(meaning.object, "object", "accusative") if meaning.object else ()),
        *_place(meaning),
        TargetWord(".", "punctuation", ("stop",)),
    ]


def adjective(word: str, case: Case, gender: str, *, plural: bool, alive: bool) -> str:
    """A form of an adjective, given its masculine nominative singular; gender is "m", "f" or "n"."""
    stem, ending = word[:-2], word[-2:]
    soft = word == "синий"
    hissing = stem[-1] in "жшщч"
    # After к, г, х and hissing consonants “ы” is written “и”; after hissing ones an unstressed “о” is “е”.
    y = "и" if soft or hissing or stem[-1] in "кгх" else "ы"
    o = "е" if soft or (hissing and ending != "ой") else "о"
    if case == "accusative" and (plural or gender == "m"):
        case = "genitive" if alive else "nominative"
    if plural:
        return stem + {"nominative": f"{y}е", "instrumental": f"{y}ми"}.get(case, f"{y}х")
    if gender == "f":
        special = {"nominative": "яя", "accusative": "юю"} if soft else {"nominative": "ая", "accusative": "ую"}
        return stem + special.get(case, f"{o}й")
    oblique = {"genitive": f"{o}го", "instrumental": f"{y}м", "prepositional": f"{o}м"}
    if case in oblique:
        return stem + oblique[case]
    return word if gender == "m" else stem + f"{o}е"


def _named(who: Noun | Pronoun, role: str, case: Case) -> list[TargetWord]:
    if isinstance(who, Pronoun):
        forms = _SUBJECTS if case == "nominative" else _OBJECTS
        return [TargetWord(forms[who.word], "pronoun", (f"{role}.pronoun",))]
    return _noun(who, role, case)


def _noun(phrase: Noun, role: str, case: Case) -> list[TargetWord]:
    if phrase.owner is None and phrase.determiner in _NUMBERS:
        return _counted(phrase, role, case)
    gender, forms = NOUNS[phrase.noun]
    bare = phrase.owner is None and phrase.determiner in ("the", "a")
    noun = TargetWord(
        forms.split()[_CASES.index(case) + 5 * phrase.plural],
        "noun",
        (f"{role}.noun",),
        (f"{role}.determiner",) if bare else (),
    )
    said = [*_adjectives(phrase, role, case, plural=phrase.plural), noun]
    if phrase.owner:
        return [*said, *_owner(phrase.owner, role)]
    if bare:
        return said
    return [TargetWord(_determiner(phrase, case, gender), "determiner", (f"{role}.determiner",)), *said]


def _owner(owner: Noun, role: str) -> list[TargetWord]:
    """In the genitive, after the noun; “'s” is in the ending."""
    said = _noun(owner, f"{role}.owner", "genitive")
    return [*said[:-1], said[-1]._replace(possible=(*said[-1].possible, f"{role}.of"))]


def _determiner(phrase: Noun, case: Case, gender: str) -> str:
    if phrase.determiner in _NEVER_DECLINED:
        return _NEVER_DECLINED[phrase.determiner]
    forms = _DETERMINERS[phrase.determiner]["plural" if phrase.plural else gender].split()
    if case == "accusative" and (phrase.plural or gender == "m") and not phrase.alive:
        case = "nominative"
    return forms[_CASES.index(case)]


def _counted(phrase: Noun, role: str, case: Case) -> list[TargetWord]:
    """“Two” and “three” put the noun into the genitive singular, unless they are in an oblique case themselves."""
    gender, forms = NOUNS[phrase.noun]
    numbers = _NUMBERS[phrase.determiner]
    if case == "accusative":
        case = "genitive" if phrase.alive else "nominative"
    number = TargetWord(numbers[gender if case == "nominative" else case], "numeral", (f"{role}.determiner",))
    if case == "nominative":
        noun = forms.split()[_CASES.index("genitive")]
        described = _adjectives(phrase, role, "nominative" if gender == "f" else "genitive", plural=True)
    else:
        noun = forms.split()[_CASES.index(case) + 5]
        described = _adjectives(phrase, role, case, plural=True)
    return [number, *described, TargetWord(noun, "noun", (f"{role}.noun",))]


def _adjectives(phrase: Noun, role: str, case: Case, *, plural: bool) -> Iterator[TargetWord]:
    if phrase.very:
        yield TargetWord("очень", "adverb", (f"{role}.very",))
    gender = NOUNS[phrase.noun][0]
    for place, word in enumerate(phrase.adjectives):
        if place and phrase.joined:
            yield TargetWord("и", "conjunction", (f"{role}.and",))
        form = adjective(ADJECTIVES[word], case, gender, plural=plural, alive=phrase.alive)
        yield TargetWord(form, "adjective", (f"{role}.adjective.{place}",))


def _verb(clause: Clause) -> Iterator[TargetWord]:
    if clause.polarity == "never":
        yield TargetWord("никогда", "adverb", ("negation",))
    if clause.polarity != "positive":
        never = clause.polarity == "never"
        yield TargetWord("не", "negation", () if never else ("negation",), ("negation",) if never else ())
    forms = VERBS[clause.verb].split()
    several = clause.subject.plural
    if clause.tense == "future":
        yield TargetWord("будут" if several else "будет", "auxiliary", ("auxiliary",))
        yield TargetWord(forms[5], "verb", ("verb",))
        return
    form = forms[int(several)] if clause.tense == "present" else forms[2 + _past(clause.subject)]
    yield TargetWord(form, "verb", ("verb",), ("auxiliary",))


def _past(subject: Noun | Pronoun) -> int:
    """The past agrees in number and gender: 0 masculine, 1 feminine, 2 plural."""
    if subject.plural:
        return 2
    feminine = subject.word == "she" if isinstance(subject, Pronoun) else NOUNS[subject.noun][0] == "f"
    return int(feminine)


def _place(clause: Clause) -> list[TargetWord]:
    if clause.place is None:
        return []
    where, phrase = clause.place
    word, case = _PLACES[where]
    following = _noun(phrase, "place", case)
    first = following[0].text
    # “со старым”: before с, з, ш, ж with another consonant after it.
    if word == "с" and first[0] in "сзшж" and first[1] in _CONSONANTS:
        word = "со"
    return [TargetWord(word, "preposition", ("preposition",)), *following]
