"""Small encoder–decoders with random weights, and real tokenizers that are trained here on a few sentences."""

import importlib.machinery
import json
import sys
import types

import pytest
import torch

from attnviz.models import Seq2Seq, TextModel, translator

ENGLISH = [
    "the black cat sees the white house .",
    "a small black dog is in front of the house .",
    "the woman 's cat does not see the small dog .",
    "translate English to French:",
] * 4
FRENCH = [
    "le chat noir voit la maison blanche .",
    "un petit chien noir est devant la maison .",
    "le chat de la femme ne voit pas le petit chien .",
] * 4
FAMILIES = ["marian", "t5", "mbart", "mbart50", "m2m100", "nllb", "bart", "pegasus"]


@pytest.fixture(scope="session", params=FAMILIES)
def family(request):
    return request.getfixturevalue(request.param)


def unigram(sentences, specials, size=90):
    """A trained model of the kind that SentencePiece trains."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    )
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=specials, unk_token="<unk>", show_progress=False, max_piece_length=5
    )
    tokenizer.train_from_iterator(sentences, trainer)
    return tokenizer


def pieces(tokenizer):
    return [tuple(entry) for entry in json.loads(tokenizer.to_str())["model"]["vocab"]]


def sizes(heads=2, **more):
    """Weights much larger than at a start of training: rows that are not all alike tell more."""
    return {
        "d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": heads,
        "decoder_attention_heads": heads, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16,
        "max_position_embeddings": 64, "init_std": 0.3, "dropout": 0.0,
    } | more  # fmt: skip


def built(config):
    from transformers import AutoModelForSeq2SeqLM

    torch.manual_seed(0)
    return AutoModelForSeq2SeqLM.from_config(config).eval()


@pytest.fixture(scope="session")
def opened(tmp_path_factory):
    """Saves a model with its tokenizer and opens the folder again, as a person would."""

    def open_again(config, tokenizer, *, settings=None, **options):
        folder = tmp_path_factory.mktemp(config.model_type)
        model = built(config)
        for name, value in (settings or {}).items():
            setattr(model.generation_config, name, value)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return translator(str(folder), device="cpu", **options)

    return open_again


@pytest.fixture(scope="session")
def t5_folder_parts():
    from transformers import T5Config, T5Tokenizer

    trained = unigram(ENGLISH + FRENCH, ["<pad>", "</s>", "<unk>"])
    tokenizer = T5Tokenizer(vocab=pieces(trained), extra_ids=2)
    config = T5Config(
        vocab_size=len(tokenizer) + 20, d_model=16, d_kv=8, d_ff=16, num_layers=2, num_heads=2, dropout_rate=0.0,
        initializer_factor=1.0, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    return config, tokenizer


@pytest.fixture(scope="session")
def t5(opened, t5_folder_parts):
    return opened(*t5_folder_parts, prefix="translate English to French:")


def _fairseq(codes):
    trained = unigram(ENGLISH + FRENCH, ["<s>", "<pad>", "</s>", "<unk>"])
    return [*pieces(trained), *((code, 0.0) for code in codes), ("<mask>", 0.0)]


@pytest.fixture(scope="session")
def mbart(opened):
    from transformers import MBartConfig, MBartTokenizer
    from transformers.models.mbart.tokenization_mbart import FAIRSEQ_LANGUAGE_CODES

    tokenizer = MBartTokenizer(vocab=_fairseq(FAIRSEQ_LANGUAGE_CODES))
    config = MBartConfig(vocab_size=len(tokenizer), pad_token_id=1, eos_token_id=2, forced_eos_token_id=None, **sizes())
    return opened(config, tokenizer, source_language="en_XX", target_language="fr_XX")


@pytest.fixture(scope="session")
def mbart50(opened):
    from transformers import MBart50Tokenizer, MBartConfig
    from transformers.models.mbart50.tokenization_mbart50 import FAIRSEQ_LANGUAGE_CODES

    tokenizer = MBart50Tokenizer(vocab=_fairseq(FAIRSEQ_LANGUAGE_CODES))
    config = MBartConfig(
        vocab_size=len(tokenizer), pad_token_id=1, eos_token_id=2, decoder_start_token_id=2,
        forced_eos_token_id=None, **sizes(),
    )  # fmt: skip
    return opened(config, tokenizer, source_language="en_XX", target_language="fr_XX")


@pytest.fixture(scope="session")
def nllb_parts():
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import M2M100Config, NllbTokenizer

    trained = Tokenizer(models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    trained.train_from_iterator(
        ENGLISH + FRENCH, trainers.BpeTrainer(vocab_size=110, special_tokens=specials, show_progress=False)
    )
    learnt = json.loads(trained.to_str())["model"]
    tokenizer = NllbTokenizer(vocab=learnt["vocab"], merges=[tuple(pair) for pair in learnt["merges"]])
    config = M2M100Config(
        vocab_size=len(tokenizer), pad_token_id=1, eos_token_id=2, decoder_start_token_id=2, encoder_layerdrop=0.0,
        decoder_layerdrop=0.0, **sizes(),
    )  # fmt: skip
    return config, tokenizer


@pytest.fixture(scope="session")
def nllb(opened, nllb_parts):
    return opened(*nllb_parts, source_language="eng_Latn", target_language="fra_Latn")


@pytest.fixture(scope="session")
def bart(opened):
    """Pieces are bytes, and sentences begin with <s>."""
    from tokenizers import ByteLevelBPETokenizer, processors
    from transformers import BartConfig, PreTrainedTokenizerFast

    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(ENGLISH + FRENCH, vocab_size=300, special_tokens=specials, show_progress=False)
    trained._tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    )
    config = BartConfig(
        vocab_size=300, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2,
        forced_bos_token_id=0, forced_eos_token_id=2, **sizes(),
    )  # fmt: skip
    return opened(config, tokenizer, settings={"no_repeat_ngram_size": 3})


@pytest.fixture(scope="session")
def pegasus(opened):
    from transformers import PegasusConfig, PegasusTokenizer

    trained = unigram(ENGLISH + FRENCH, ["<pad>", "</s>", "<unk>"])
    tokenizer = PegasusTokenizer(vocab=pieces(trained))
    config = PegasusConfig(
        vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id, forced_eos_token_id=None, **sizes(),
    )  # fmt: skip
    return opened(config, tokenizer)


class Processor:
    """What Marian's and M2M100's tokenizers ask of the package sentencepiece, done by the package tokenizers."""

    def __init__(self, **options):
        pass

    def Load(self, path):  # noqa: N802  the package's own name
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))

    def encode(self, text, out_type=int):
        cut = self._tokenizer.encode(text)
        return cut.tokens if out_type is str else cut.ids

    def decode(self, cut):
        return "".join(cut).replace("▁", " ").lstrip()

    decode_pieces = decode


@pytest.fixture(scope="session")
def sentencepiece():
    """Lets tokenizers that insist on sentencepiece be built without it. Everything else in them is their own."""
    from transformers.utils import import_utils

    with pytest.MonkeyPatch.context() as patch:
        stand_in = types.ModuleType("sentencepiece")
        stand_in.__spec__ = importlib.machinery.ModuleSpec("sentencepiece", None)
        stand_in.SentencePieceProcessor = Processor
        patch.setitem(sys.modules, "sentencepiece", stand_in)
        import_utils.is_sentencepiece_available.cache_clear()
        yield
    import_utils.is_sentencepiece_available.cache_clear()


@pytest.fixture(scope="session")
def marian_parts(sentencepiece, tmp_path_factory):
    """Source and target are cut by models of their own; with two vocabularies, ids mean other pieces on each side."""
    from transformers import MarianConfig
    from transformers.models.marian import tokenization_marian

    def parts(*, separate=False, codes=()):
        folder = tmp_path_factory.mktemp("marian")
        source, target = unigram(ENGLISH, ["<unk>"], 60), unigram(FRENCH, ["<unk>"], 60)
        source.save(str(folder / "source.spm"))
        target.save(str(folder / "target.spm"))
        sides = [[name for name, _ in pieces(one) if name != "<unk>"] for one in (source, target)]
        listed = [sides[0], sides[1]] if separate else [[*codes, *sides[0], *sides[1]]]
        names = ["vocab.json", "target_vocab.json"]
        for name, side in zip(names, listed, strict=False):
            known = list(dict.fromkeys(["</s>", "<unk>", *side, "<pad>"]))
            known = ["</s>", "<unk>", "<pad>", *(one for one in known if one[0] != "<")]
            (folder / name).write_text(json.dumps({piece: number for number, piece in enumerate(known)}))
        tokenizer = tokenization_marian.MarianTokenizer(
            str(folder / "source.spm"), str(folder / "target.spm"), str(folder / "vocab.json"),
            target_vocab_file=str(folder / "target_vocab.json") if separate else None, separate_vocabs=separate,
        )  # fmt: skip
        words = len(tokenizer.encoder)
        others = len(tokenizer.target_encoder) if separate else words
        config = MarianConfig(
            vocab_size=words, decoder_vocab_size=others, share_encoder_decoder_embeddings=not separate,
            tie_word_embeddings=not separate, pad_token_id=2, eos_token_id=0, decoder_start_token_id=2,
            forced_eos_token_id=0, **sizes(),
        )  # fmt: skip
        return config, tokenizer

    return parts


@pytest.fixture(scope="session")
def marian(marian_parts):
    config, tokenizer = marian_parts()
    model = built(config)
    model.generation_config.bad_words_ids = [[2]]
    return Seq2Seq(TextModel("marian", None, model, tokenizer))


@pytest.fixture(scope="session")
def m2m100(sentencepiece, tmp_path_factory):
    from transformers import M2M100Config
    from transformers.models.m2m_100 import tokenization_m2m_100

    folder = tmp_path_factory.mktemp("m2m100")
    trained = unigram(ENGLISH + FRENCH, ["<s>", "<pad>", "</s>", "<unk>"])
    trained.save(str(folder / "spm.model"))
    known = {piece: number for number, (piece, _) in enumerate(pieces(trained))}
    (folder / "vocab.json").write_text(json.dumps(known))
    tokenizer = tokenization_m2m_100.M2M100Tokenizer(str(folder / "vocab.json"), str(folder / "spm.model"))
    # Languages follow the vocabulary, which does not count them.
    config = M2M100Config(
        vocab_size=len(tokenizer) + len(tokenizer.lang_code_to_id) + 8, pad_token_id=1, eos_token_id=2, decoder_start_token_id=2,
        encoder_layerdrop=0.0, decoder_layerdrop=0.0, **sizes(),
    )  # fmt: skip
    return Seq2Seq(TextModel("m2m100", None, built(config), tokenizer), source_language="en", target_language="fr")
