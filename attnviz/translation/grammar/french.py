"""French: agreement, adjectives on both sides of the noun, elision, clitic objects, negation in two parts."""

from collections.abc import Iterator

from attnviz.translation.grammar.meaning import FIRST_ADJECTIVES, Clause, Meaning, Noun, Pronoun
from attnviz.translation.grammar.words import TargetWord

# Singular, plural, gender.
NOUNS: dict[str, tuple[str, str, str]] = {
    "cat": ("chat", "chats", "m"), "dog": ("chien", "chiens", "m"), "bird": ("oiseau", "oiseaux", "m"),
    "horse": ("cheval", "chevaux", "m"), "cow": ("vache", "vaches", "f"), "mouse": ("souris", "souris", "f"),
    "woman": ("femme", "femmes", "f"), "man": ("homme", "hommes", "m"), "child": ("enfant", "enfants", "m"),
    "girl": ("fille", "filles", "f"), "boy": ("garçon", "garçons", "m"), "friend": ("ami", "amis", "m"),
    "teacher": ("professeur", "professeurs", "m"), "doctor": ("médecin", "médecins", "m"),
    "king": ("roi", "rois", "m"), "queen": ("reine", "reines", "f"), "house": ("maison", "maisons", "f"),
    "car": ("voiture", "voitures", "f"), "book": ("livre", "livres", "m"), "table": ("table", "tables", "f"),
    "flower": ("fleur", "fleurs", "f"), "tree": ("arbre", "arbres", "m"), "door": ("porte", "portes", "f"),
    "garden": ("jardin", "jardins", "m"), "letter": ("lettre", "lettres", "f"), "apple": ("pomme", "pommes", "f"),
    "hat": ("chapeau", "chapeaux", "m"), "boat": ("bateau", "bateaux", "m"), "stone": ("pierre", "pierres", "f"),
    "bridge": ("pont", "ponts", "m"), "street": ("rue", "rues", "f"), "box": ("boîte", "boîtes", "f"),
    "window": ("fenêtre", "fenêtres", "f"), "school": ("école", "écoles", "f"), "key": ("clé", "clés", "f"),
    "lamp": ("lampe", "lampes", "f"),
}  # fmt: skip
# Masculine, feminine, masculine plural, feminine plural; and masculine before a vowel where it differs.
ADJECTIVES: dict[str, tuple[str, ...]] = {
    "small": ("petit", "petite", "petits", "petites"), "big": ("grand", "grande", "grands", "grandes"),
    "beautiful": ("beau", "belle", "beaux", "belles", "bel"), "old": ("vieux", "vieille", "vieux", "vieilles", "vieil"),
    "new": ("nouveau", "nouvelle", "nouveaux", "nouvelles", "nouvel"), "young": ("jeune", "jeune", "jeunes", "jeunes"),
    "good": ("bon", "bonne", "bons", "bonnes"), "bad": ("mauvais", "mauvaise", "mauvais", "mauvaises"),
    "black": ("noir", "noire", "noirs", "noires"), "white": ("blanc", "blanche", "blancs", "blanches"),
    "red": ("rouge", "rouge", "rouges", "rouges"), "green": ("vert", "verte", "verts", "vertes"),
    "blue": ("bleu", "bleue", "bleus", "bleues"), "yellow": ("jaune", "jaune", "jaunes", "jaunes"),
    "heavy": ("lourd", "lourde", "lourds", "lourdes"), "strange": ("étrange", "étrange", "étranges", "étranges"),
    "quiet": ("tranquille", "tranquille", "tranquilles", "tranquilles"),
    "happy": ("heureux", "heureuse", "heureux", "heureuses"), "tired": ("fatigué", "fatiguée", "fatigués", "fatiguées"),
    "dangerous": ("dangereux", "dangereuse", "dangereux", "dangereuses"),
    "wet": ("mouillé", "mouillée", "mouillés", "mouillées"), "dirty": ("sale", "sale", "sales", "sales"),
    "empty": ("vide", "vide", "vides", "vides"), "rich": ("riche", "riche", "riches", "riches"),
}  # fmt: skip
# Present singular and plural, past participle, future singular and plural; all make their past with “avoir”.
VERBS: dict[str, tuple[str, str, str, str, str]] = {
    "sleep": ("dort", "dorment", "dormi", "dormira", "dormiront"),
    "sing": ("chante", "chantent", "chanté", "chantera", "chanteront"),
    "run": ("court", "courent", "couru", "courra", "courront"),
    "wait": ("attend", "attendent", "attendu", "attendra", "attendront"),
    "laugh": ("rit", "rient", "ri", "rira", "riront"),
    "work": ("travaille", "travaillent", "travaillé", "travaillera", "travailleront"),
    "dance": ("danse", "dansent", "dansé", "dansera", "danseront"),
    "swim": ("nage", "nagent", "nagé", "nagera", "nageront"),
    "see": ("voit", "voient", "vu", "verra", "verront"),
    "find": ("trouve", "trouvent", "trouvé", "trouvera", "trouveront"),
    "love": ("aime", "aiment", "aimé", "aimera", "aimeront"),
    "hear": ("entend", "entendent", "entendu", "entendra", "entendront"),
    "take": ("prend", "prennent", "pris", "prendra", "prendront"),
    "know": ("connaît", "connaissent", "connu", "connaîtra", "connaîtront"),
    "draw": ("dessine", "dessinent", "dessiné", "dessinera", "dessineront"),
    "look for": ("cherche", "cherchent", "cherché", "cherchera", "chercheront"),
    "buy": ("achète", "achètent", "acheté", "achètera", "achèteront"),
    "catch": ("attrape", "attrapent", "attrapé", "attrapera", "attraperont"),
}
_PLACES = {
    "in": ("dans",), "on": ("sur",), "under": ("sous",), "behind": ("derrière",), "near": ("près", "de"),
    "with": ("avec",), "in front of": ("devant",),
}  # fmt: skip
# Masculine, feminine, plural.
_DETERMINERS = {
    "the": ("le", "la", "les"), "a": ("un", "une", ""), "my": ("mon", "ma", "mes"),
    "your": ("votre", "votre", "vos"), "his": ("son", "sa", "ses"), "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"), "this": ("ce", "cette", "ces"), "two": ("", "", "deux"),
    "three": ("", "", "trois"),
}  # fmt: skip
_BEFORE_VOWEL = {"le": "l'", "la": "l'", "ma": "mon", "sa": "son", "ce": "cet"}
_SUBJECTS = {"he": "il", "she": "elle", "they": "ils"}
_OBJECTS = {"him": "le", "her": "la", "it": "le", "them": "les"}
_CONTRACTED = {"le": "du", "les": "des"}


def words(meaning: Meaning) -> list[TargetWord]:
    """The French words in order."""
    if isinstance(meaning, Noun):
        return _noun(meaning, "phrase")
    subject = (
        [TargetWord(_SUBJECTS[meaning.subject.word], "pronoun", ("subject.pronoun",))]
        if isinstance(meaning.subject, Pronoun)
        else _noun(meaning.subject, "subject")
    )
    return [*subject, *_verb(meaning), *_object(meaning), *_place(meaning), TargetWord(".", "punctuation", ("stop",))]


def _elides(following: str) -> bool:
    # No noun or adjective here begins with an aspirated h.
    return following[0] in "aeiouhéèêâîô"


def _noun(phrase: Noun, role: str) -> list[TargetWord]:
    described = _described(phrase, role)
    if phrase.owner is None:
        sure = (f"{role}.determiner",)
        kind = "numeral" if phrase.determiner in ("two", "three") else "determiner"
        return [TargetWord(_determiner(phrase, described[0].text), kind, sure), *described]  # type: ignore[arg-type]  # both are kinds
    article = TargetWord(_determiner(phrase, described[0].text), "determiner", (), (f"{role}.of",))
    return [article, *described, *_of(_noun(phrase.owner, f"{role}.owner"), f"{role}.of")]


def _of(following: list[TargetWord], part: str) -> list[TargetWord]:
    """The words after “de”, which grows together with “le” and “les”."""
    first = following[0]
    if first.text in _CONTRACTED:
        together = TargetWord(_CONTRACTED[first.text], "preposition", (part, *first.sure), first.possible)
        return [together, *following[1:]]
    return [TargetWord("d'" if _elides(first.text) else "de", "preposition", (part,)), *following]


def _determiner(phrase: Noun, following: str) -> str:
    masculine, feminine, several = _DETERMINERS[phrase.determiner]
    if phrase.plural:
        return several
    word = feminine if NOUNS[phrase.noun][2] == "f" else masculine
    return _BEFORE_VOWEL.get(word, word) if _elides(following) else word


def _described(phrase: Noun, role: str) -> list[TargetWord]:
    """The noun with its adjectives before and after it."""
    singular, several, _ = NOUNS[phrase.noun]
    noun = TargetWord(several if phrase.plural else singular, "noun", (f"{role}.noun",))
    before: list[TargetWord] = []
    after: list[TargetWord] = []
    very = [TargetWord("très", "adverb", (f"{role}.very",))] if phrase.very else []
    for place, adjective in reversed(list(enumerate(phrase.adjectives))):
        part = (f"{role}.adjective.{place}",)
        if adjective in FIRST_ADJECTIVES:
            following = (before or [noun])[0].text
            before = [*very, TargetWord(_adjective(adjective, phrase, following), "adjective", part), *before]
        else:
            link = [TargetWord("et", "conjunction", (f"{role}.and",))] if phrase.joined and place else []
            after = [*link, *very, TargetWord(_adjective(adjective, phrase, ""), "adjective", part), *after]
    return [*before, noun, *after]


def _adjective(adjective: str, phrase: Noun, following: str) -> str:
    forms = ADJECTIVES[adjective]
    feminine = NOUNS[phrase.noun][2] == "f"
    if len(forms) == 5 and not feminine and not phrase.plural and following and _elides(following):
        return forms[4]
    return forms[2 * phrase.plural + feminine]


def _object(clause: Clause) -> list[TargetWord]:
    if not isinstance(clause.object, Noun):
        return []
    article, *following = _noun(clause.object, "object")
    if clause.polarity != "positive" and clause.object.determiner == "a" and clause.object.owner is None:
        # “Un” and “une” become “de” after a negation.
        article = article._replace(text="d'" if _elides(following[0].text) else "de")
    return [article, *following]


def _verb(clause: Clause) -> Iterator[TargetWord]:
    form = _finite(clause)
    clitic = _OBJECTS[clause.object.word] if isinstance(clause.object, Pronoun) else ""
    if clitic in ("le", "la") and _elides(form):
        clitic = "l'"
    if clause.polarity != "positive":
        elided = _elides(clitic or form)
        yield TargetWord("n'" if elided else "ne", "negation", (), ("negation",))
    if clitic:
        yield TargetWord(clitic, "pronoun", ("object.pronoun",))
    if clause.tense != "past":
        yield TargetWord(form, "verb", ("verb",), ("auxiliary",))
    elif clause.polarity == "not":
        yield TargetWord(form, "auxiliary", ("auxiliary",), ("verb",))
    else:
        yield TargetWord(form, "auxiliary", ("verb",))
    if clause.polarity != "positive":
        yield TargetWord("pas" if clause.polarity == "not" else "jamais", "negation", ("negation",))
    if clause.tense == "past":
        yield TargetWord(_participle(clause), "verb", ("verb",))


def _finite(clause: Clause) -> str:
    several = clause.subject.plural
    if clause.tense == "past":
        return "ont" if several else "a"
    return VERBS[clause.verb][(0 if clause.tense == "present" else 3) + several]


def _participle(clause: Clause) -> str:
    """It agrees with an object that stands before it."""
    form = VERBS[clause.verb][2]
    if not isinstance(clause.object, Pronoun):
        return form
    if clause.object.word == "her":
        return f"{form}e"
    return f"{form}s" if clause.object.plural and not form.endswith("s") else form


def _place(clause: Clause) -> list[TargetWord]:
    if clause.place is None:
        return []
    where, phrase = clause.place
    following = _noun(phrase, "place")
    first, *rest = _PLACES[where]
    said = [TargetWord(first, "preposition", ("preposition",))]
    return [*said, *(_of(following, "preposition") if rest else following)]
