"""The two sides of an encoder–decoder as tokens: what its encoder reads, what its decoder consumes and predicts.

Models differ in how a translation begins. Most decoders begin with a token of their own (</s>, <pad>), models of
many languages put the code of the target language after it, and the first mBART begins with that code itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.models.placing import placed
from attnviz.models.text_model import TextModel
from attnviz.tokens import Tokens
from attnviz.tokens.pieces import read as spelt_out

# How NLLB calls its languages: fra_Latn.
_NLLB = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}")
# How Marian asks for one of several target languages, before the source.
_MARIAN = re.compile(r">>[^<>\s]+<<\s*")
_MOST_NAMED = 8


@dataclass(frozen=True)
class DecoderSide:
    """What the decoder consumes, and what it predicts in each of these rows."""

    consumed: Tokens
    predicted: Tokens


class Sides:
    """Cuts sources and targets for one model. To be used by one thread at a time: tokenizers are switched."""

    def __init__(self, model: TextModel, source_language: str | None, target_language: str | None, prefix: str) -> None:
        self._model = model
        self._tokenizer: Any = model.tokenizer
        self._config = model.config
        self._codes = _codes(self._tokenizer)
        self.languages = tuple(sorted(self._codes)) or _marian_languages(self._tokenizer)
        self._prefix = prefix if not prefix or prefix[-1].isspace() else f"{prefix} "
        self.end_ids = self._ends()
        self._target_code: int | None = None
        if self._codes:
            self._tokenizer.src_lang = self._known(source_language or self._tokenizer.src_lang)
            target_language = self._known(target_language or self._own_target())
            self._tokenizer.tgt_lang = target_language
            self._target_code = self._codes[target_language]
        elif source_language is not None:
            raise self._unknown(source_language)
        elif target_language is not None:
            self._prefix = f">>{self._known(target_language)}<< {self._prefix}"
        self._begins_with_code = self._target_code is not None and self._is_first_mbart()
        self._special = self._special_ids()
        # Codes of languages may come after the vocabulary, which then does not count them.
        self._known_ids = max(len(self._tokenizer), *(number + 1 for number in self._special))

    @property
    def start(self) -> int:
        """The token that the decoder begins with. Raises `InputError` where the model does not say which."""
        if self._begins_with_code and self._target_code is not None:
            return self._target_code
        generation: Any = getattr(self._model.module, "generation_config", None)
        said = [getattr(one, "decoder_start_token_id", None) for one in (generation, self._config)]
        if self._config.model_type == "mbart":
            said.append(self.end_ids[0])
        start = next((one[0] if isinstance(one, list) else one for one in said if one is not None), None)
        if start is None:
            raise InputError(
                _m("The model “{name}” does not say with which token its decoder begins."), name=self._model.name
            )
        return int(start)

    @property
    def forced_first(self) -> int | None:
        """The code of the target language, where the decoder is made to write it after its first token."""
        return None if self._begins_with_code else self._target_code

    @property
    def padding(self) -> int:
        """What fills a row of a batch; it is masked wherever it stands."""
        said = (getattr(self._config, "pad_token_id", None), getattr(self._tokenizer, "pad_token_id", None))
        return next((int(one) for one in said if one is not None), 0)

    def source(self, text: str) -> tuple[Tokens, int]:
        """What the encoder reads, and how many tokens at its end were too many.

        A prefix (T5's task, Marian's code of the target language) is read too; its pieces belong to no word.
        """
        prefix, sentence = self._prefix, text
        code = _MARIAN.match(text)
        if code and code.group().strip() in getattr(self._tokenizer, "supported_language_codes", ()):
            prefix, sentence = f"{prefix}{code.group()}", text[code.end() :]
        if not sentence.strip():
            raise InputError(_m("The text is empty; at least one word was expected."))
        encoding, left_out = self._model.encode(prefix + sentence)
        tokens = self._without_prefix(self._named(encoding["input_ids"][0], source=True), prefix)
        return placed(self._tokenizer, tokens, sentence, target=False), left_out

    def _without_prefix(self, tokens: Tokens, prefix: str) -> Tokens:
        """The tokens of the prefix become special ones: nobody typed them."""
        if not prefix:
            return tokens
        cut = self._tokenizer([prefix.rstrip()], add_special_tokens=False, verbose=False)["input_ids"][0]
        special, wanted = list(tokens.special or ()), tuple(map(int, cut))
        for begin in range((special.index(False) if False in special else 0) + 1):
            if (tokens.ids or ())[begin : begin + len(wanted)] == wanted:
                special[begin : begin + len(wanted)] = [True] * len(wanted)
                break
        return replace(tokens, special=tuple(special))

    def target(self, text: str) -> DecoderSide:
        """A given target, cut by the target's own tokenizer: the source's would give other ids, or none."""
        if not text.strip():
            raise InputError(_m("The translation is empty; at least one word was expected."))
        encoding = self._tokenizer(text_target=[text], add_special_tokens=True, verbose=False)
        ids = [int(one) for one in encoding["input_ids"][0]]
        if self._target_code is not None:
            # The code stands in front or at the end, as the tokenizer has it; here it has a place of its own.
            ids = ids[1:] if ids[0] == self._target_code else ids
            ids = ids[:-1] if ids[-1:] == [self._target_code] else ids
        if not ids or ids[-1] not in self.end_ids:
            ids.append(self.end_ids[0])
        return self._decoder_side(ids, text, generated=False)

    def written(self, ids: Sequence[int]) -> tuple[DecoderSide, bool]:
        """What the model wrote, its first token included, and whether it came to an end by itself.

        Where it did not, the end is put there all the same: the last row shows how far from it the model was.
        """
        after = list(ids[1:])
        if self.forced_first is not None and after[:1] == [self.forced_first]:
            after = after[1:]
        end = next((place for place, one in enumerate(after) if one in self.end_ids), None)
        ended = end is not None
        after = after[: end + 1] if end is not None else [*after, self.end_ids[0]]
        text = self._model.read(self._named(after))
        return self._decoder_side(after, text, generated=True), ended

    def texts(self, ids: Sequence[int]) -> tuple[str, ...]:
        """What single tokens of the target are called."""
        return self._named(ids).texts

    def _decoder_side(self, ids: Sequence[int], text: str, *, generated: bool) -> DecoderSide:
        """The sides for everything that comes after the decoder's first tokens, the end of the sentence included."""
        first = [self.start] if self.forced_first is None else [self.start, self.forced_first]
        every = placed(self._tokenizer, self._named([*first, *ids]), text, target=True)
        if generated:
            every = replace(every, generated=tuple(place >= len(first) for place in range(len(every))))
        return DecoderSide(_part(every, slice(0, -1)), _part(every, slice(1, None)))

    def _named(self, ids: Sequence[int], *, source: bool = False) -> Tokens:
        """The tokens of these ids. An unknown word is a word, not a special token.

        Some models know more numbers than their tokenizer: these are special, and called by their number.
        """
        ids = [int(one) for one in ids]
        known = Tokens.from_tokenizer(self._tokenizer, {"input_ids": [[one for one in ids if one < self._known_ids]]})
        texts = known.texts
        if source and getattr(self._tokenizer, "separate_vocabs", False):
            # Marian with two vocabularies names ids by that of the target.
            names = {number: piece for piece, number in self._tokenizer.encoder.items()}
            texts = spelt_out(
                [names.get(one, text) for one, text in zip(known.ids or (), texts, strict=True)], "sentencepiece"
            )
        named = iter(texts)
        return Tokens(
            texts=tuple(next(named) if one < self._known_ids else f"<{one}>" for one in ids),
            ids=tuple(ids),
            special=tuple(one in self._special or one >= self._known_ids for one in ids),
        )

    def _special_ids(self) -> frozenset[int]:
        tokenizer = self._tokenizer
        names = getattr(tokenizer, "supported_language_codes", ())
        marian = {int(tokenizer.convert_tokens_to_ids(name)) for name in names}
        ids = {*tokenizer.all_special_ids, *self._codes.values(), *marian, self.start, *self.end_ids}
        return frozenset(ids - {tokenizer.unk_token_id})

    def _ends(self) -> tuple[int, ...]:
        """What may end a sentence; the first is what ends those that are given."""
        generation: Any = getattr(self._model.module, "generation_config", None)
        own = (getattr(one, "eos_token_id", None) for one in (generation, self._config, self._tokenizer))
        found = next((one for one in own if one is not None), None)
        if found is None:
            raise InputError(_m("The model “{name}” does not say which token ends a sentence."), name=self._model.name)
        return tuple(found) if isinstance(found, list | tuple) else (int(found),)

    def _is_first_mbart(self) -> bool:
        """Whether targets were learnt with the code at their end and moved to their front (mBART of 25 languages)."""
        ids = self._tokenizer(text_target=[""], add_special_tokens=True, verbose=False)["input_ids"][0]
        return bool(self._config.model_type == "mbart" and ids and ids[-1] == self._target_code)

    def _own_target(self) -> str:
        """The target language that tokenizer or model were saved with. Raises `InputError` where there is none."""
        if getattr(self._tokenizer, "tgt_lang", None):
            return str(self._tokenizer.tgt_lang)
        generation: Any = getattr(self._model.module, "generation_config", None)
        by_id = {number: code for code, number in self._codes.items()}
        for name in ("forced_bos_token_id", "decoder_start_token_id"):
            for place in (generation, self._config):
                if getattr(place, name, None) in by_id:
                    return by_id[getattr(place, name)]
        raise InputError(
            _m("“{name}” translates into {count} languages; say which, as target_language. Among them are: {known}."),
            name=self._model.name,
            count=len(self.languages),
            known=", ".join(self.languages[:_MOST_NAMED]),
        )

    def _known(self, language: str) -> str:
        if language not in self.languages:
            raise self._unknown(language)
        return language

    def _unknown(self, language: str) -> InputError:
        if not self.languages:
            return InputError(
                _m("The tokenizer of “{name}” knows no languages by name; “{found}” was asked for."),
                name=self._model.name,
                found=language[:40],
            )
        return InputError(
            _m("“{name}” does not know the language “{found}”; it knows, for instance: {known}."),
            name=self._model.name,
            found=language[:40],
            known=", ".join(self._near(language)),
        )

    def _near(self, language: str) -> list[str]:
        """Codes that begin alike or are spelt alike; the first few of all where none are."""
        alike = [code for code in self.languages if code[:2].lower() == language[:2].lower()]
        near = [*alike, *get_close_matches(language, self.languages, _MOST_NAMED)]
        return list(dict.fromkeys(near))[:_MOST_NAMED] or list(self.languages[:_MOST_NAMED])


def _codes(tokenizer: Any) -> dict[str, int]:
    """The id of the token of each language that the tokenizer can be switched to."""
    if not hasattr(tokenizer, "set_tgt_lang_special_tokens"):
        return {}
    tokens: dict[str, str] = getattr(tokenizer, "lang_code_to_token", None) or {
        code: code
        for code in getattr(tokenizer, "lang_code_to_id", None)
        or filter(_NLLB.fullmatch, map(str, tokenizer.all_special_tokens))
    }
    ids = {code: tokenizer.convert_tokens_to_ids(token) for code, token in tokens.items()}
    return {code: int(one) for code, one in ids.items() if one is not None and one != tokenizer.unk_token_id}


def _marian_languages(tokenizer: Any) -> tuple[str, ...]:
    return tuple(sorted(code.strip("<>") for code in getattr(tokenizer, "supported_language_codes", ())))


def _part(tokens: Tokens, rows: slice) -> Tokens:
    return Tokens(
        texts=tokens.texts[rows],
        ids=None if tokens.ids is None else tokens.ids[rows],
        words=None if tokens.words is None else tokens.words[rows],
        spans=None if tokens.spans is None else tokens.spans[rows],
        source=tokens.source,
        special=None if tokens.special is None else tokens.special[rows],
        generated=None if tokens.generated is None else tokens.generated[rows],
    )
