"""Weights that something else computed become a trace, and files that lie about themselves do not."""

import contextlib
import io
import os
import pickle
import struct
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
import safetensors.torch
import torch
from torch._utils import _rebuild_tensor_v2

import attnviz
from attnviz.attention import RowState
from attnviz.base.errors import InputError
from attnviz.tokens import Tokens


def weights(*shape, seed=0):
    """Rows that sum to 1."""
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed)).softmax(-1)


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **{name: np.asarray(array) for name, array in arrays.items()})
    return file.getvalue()


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def torch_file(content, **options):
    file = io.BytesIO()
    torch.save(content, file, **options)
    return file.getvalue()


def notes(trace):
    return "\n".join(map(str, trace.notes))


# The shapes that are taken.


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (5, 2, 3, 4)])
def test_one_array_is_one_attention(shape):
    given = weights(*shape)
    for source in (npy(given.numpy()), npz(a=given), safetensors.torch.save({"a": given}), torch_file(given)):
        trace = attnviz.load(source)
        assert len(trace) == 1
        items, heads, n, m = (1,) * (4 - len(shape)) + shape
        assert (trace[0].items, trace[0].heads, trace[0].shape) == (items, heads, (n, m))
        assert torch.equal(trace[0].weights(None, items - 1), given.reshape(items, heads, n, m)[-1])
        assert (trace.origin.kind, trace[0].form, trace[0].normalised) == ("file", "stored", True)
        assert "weights alone" in notes(trace)
        assert "No tokens came with the weights" in notes(trace)


def test_a_stack_of_layers_is_one_attention_a_layer():
    given = weights(3, 2, 4, 5, 5)
    trace = attnviz.load(npy(given.numpy()))
    assert trace.layers("encoder") == (0, 1, 2)
    assert torch.equal(trace[2].weights(3, item=1), given[2, 1, 3])


def test_layer_10_comes_after_layer_2_and_numbers_that_are_absent_stay_absent():
    names = ["layer_10", "layer_2", "layer_3", "layer_0"]
    trace = attnviz.load(npz(**{name: weights(1, 2, 4, 4, seed=at) for at, name in enumerate(names)}))
    assert [attention.name for attention in trace] == ["layer_0", "layer_2", "layer_3", "layer_10"]
    assert trace.layers("encoder") == (0, 2, 3, 10)
    assert torch.equal(trace[3].weights(1), weights(1, 2, 4, 4, seed=0)[0, 1])


def test_arrays_without_names_keep_the_order_in_which_numpy_was_given_them():
    file = io.BytesIO()
    np.savez(file, *[weights(1, 1, 2, 2, seed=seed).numpy() for seed in range(12)])
    trace = attnviz.load(file.getvalue())
    assert trace.layers("encoder") == tuple(range(12))
    assert torch.equal(trace[10].weights(0), weights(1, 1, 2, 2, seed=10)[0, 0])


def test_a_list_with_gaps_keeps_its_numbers():
    given = (None, weights(1, 2, 4, 4), None, weights(1, 2, 4, 4, seed=1))
    for trace in (attnviz.load(torch_file(given)), attnviz.from_arrays(list(given))):
        assert trace.layers("encoder") == (1, 3)
        assert "Layers without attention keep their number: 0, 2." in notes(trace)


def test_names_tell_roles_and_numbers():
    given = {
        "encoder.layers.1.self_attn": weights(1, 2, 5, 5),
        "decoder.layers.0.self_attn": weights(1, 2, 3, 3),
        "decoder.layers.0.encoder_attn": weights(1, 2, 3, 5),
        "cross/7": weights(1, 2, 3, 5, seed=3),
    }
    trace = attnviz.load(safetensors.torch.save(given))
    found = {attention.name: (attention.role, attention.layer) for attention in trace}
    assert found == {
        "encoder.layers.1.self_attn": ("encoder", 1),
        "decoder.layers.0.self_attn": ("decoder", 0),
        "decoder.layers.0.encoder_attn": ("cross", 0),
        "cross/7": ("cross", 7),
    }


def test_numbers_that_are_no_layers_are_not_taken_for_some():
    trace = attnviz.load(npz(run_20261130_a=weights(2, 2), run_20261130_b=weights(2, 2)))
    assert trace.layers("encoder") == (0, 1)


def test_what_an_encoder_decoder_returns_has_its_roles_and_its_tokens():
    # A stand-in for transformers' Seq2SeqLMOutput, which is a dict as well.
    returned = {
        "logits": torch.zeros(1, 2, 9),
        "encoder_attentions": (weights(1, 2, 3, 3),) * 2,
        "decoder_attentions": (weights(1, 2, 2, 2).tril().div(weights(1, 2, 2, 2).tril().sum(-1, keepdim=True)),) * 2,
        "cross_attentions": (weights(1, 2, 2, 3),) * 2,
        "encoder_last_hidden_state": torch.zeros(1, 3, 8),
    }
    trace = attnviz.from_arrays(returned, tokens=["le", "chat", "noir"], decoder_tokens=["the", "cat"])
    assert trace.roles() == ("encoder", "decoder", "cross")
    assert all(trace.layers(role) == (0, 1) for role in trace.roles())
    cross = trace.of_role("cross")[0]
    assert (cross.query_tokens.texts, cross.key_tokens.texts) == (("the", "cat"), ("le", "chat", "noir"))
    assert trace.of_role("decoder")[0].key_tokens.texts == ("the", "cat")
    assert "logits, encoder_last_hidden_state" in notes(trace)


def test_a_model_of_transformers_that_returns_its_attentions():
    from transformers import BertConfig, BertModel

    config = BertConfig(
        hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8, vocab_size=9,
        max_position_embeddings=8, attn_implementation="eager",
    )  # fmt: skip
    model = BertModel(config).eval()
    with torch.no_grad():
        output = model(torch.tensor([[1, 2, 3]]), output_attentions=True)
    trace = attnviz.from_arrays(output, tokens=["a", "b", "c"], model="bert")
    assert trace.layers("encoder") == (0, 1)
    assert torch.equal(trace[1].weights(0), output.attentions[1][0, 0])
    assert trace.origin.model == "bert"
    assert len(attnviz.from_arrays(output.attentions)) == 2


@pytest.mark.parametrize("asked", [True, False])
def test_a_model_that_returns_no_weights_says_how_it_would(asked):
    from transformers import BertConfig, BertModel

    config = BertConfig(
        hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8, vocab_size=9,
        max_position_embeddings=8, attn_implementation="sdpa",
    )  # fmt: skip
    with torch.no_grad():
        output = BertModel(config).eval()(torch.tensor([[1, 2, 3]]), output_attentions=asked)
    with pytest.raises(InputError, match=r"holds no weights; a model of transformers .*'eager'"):
        attnviz.from_arrays(output)


@pytest.mark.parametrize(
    ("names", "layers", "said"),
    [
        (["layer_0", "layer_2"], (0, 2), "keep their number: 1."),
        (["layer_3", "layer3", "layer_99999999999999999999"], (0, 1, 2), "there twice (layer3, layer_3)."),
        (["2024-01-01", "2024-01-02"], (0, 1), None),
    ],
)
def test_numbers_that_are_missing_or_not_used_are_said(names, layers, said):
    trace = attnviz.from_arrays({name: weights(2, 3, 3) for name in names})
    assert tuple(sorted(one.layer for one in trace)) == layers
    assert said is None or said in notes(trace)
    assert ("there twice" in notes(trace)) == ("there twice" in (said or ""))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("attn_weights", torch.tensor(3.0)),
        ("attention", torch.tensor([[1, 2, 3]])),
        ("attn", torch.ones(7, 9)),
        ("attentions_by_hand", torch.ones(3, 3)),
    ],
)
@pytest.mark.parametrize("called", ["step", "input_ids", "attention_mask", "out"])
def test_what_is_not_called_attention_is_left_aside_and_said(name, other, called):
    trace = attnviz.from_arrays({name: weights(2, 3, 3), called: other})
    assert [one.name for one in trace] == [name]
    assert f"not called attention: {called}." in notes(trace)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("decoder.block.0.layer.1.EncDecAttention", "cross"),
        ("decoder.block.0.layer.0.SelfAttention", "decoder"),
        ("crossattention", "cross"),
        ("cross_attn.3", "cross"),
        ("layer2_crossAttn", "cross"),
        ("across_layers", "encoder"),
        ("decode", "encoder"),
    ],
)
def test_words_in_a_name_tell_the_role_and_parts_of_words_do_not(name, role):
    assert attnviz.from_arrays({name: weights(2, 3, 3)})[0].role == role


def test_an_encoder_that_looks_at_other_positions_is_cross_attention():
    trace = attnviz.from_arrays({"encoder_attn": weights(2, 3, 4)})
    assert trace[0].role == "cross"
    assert "their shape was asked (encoder_attn)" in notes(trace)
    assert attnviz.from_arrays({"decoder": weights(2, 4, 3)})[0].role == "cross"
    assert attnviz.from_arrays({"decoder": weights(2, 1, 3)})[0].role == "decoder", "one step with a cache"


def test_tokens_in_a_file_and_for_each_item():
    trace = attnviz.load(npz(weights=weights(2, 1, 2, 2), tokens=np.array([["a", "b"], ["c", "<pad>"]])))
    assert trace[0].query_tokens_of(1).texts == ("c", "<pad>")
    assert "No tokens" not in notes(trace)
    trace = attnviz.from_arrays(weights(2, 1, 2, 2), tokens=Tokens(("x", "y"), special=(True, False)))
    assert trace[0].key_tokens_of(1).is_special(0)
    written = torch_file({"attentions": (weights(1, 1, 2, 2),), "tokens": ["猫", "</script>"]})
    assert attnviz.load(written)[0].query_tokens.texts == ("猫", "</script>")


# What the numbers say.


def test_rows_that_do_not_sum_to_1_are_not_called_a_softmax():
    half = weights(1, 2, 3, 3) / 2
    assert not attnviz.from_arrays(half)[0].normalised
    assert not attnviz.from_arrays(torch.tensor([[1.5, -0.5], [0.5, 0.5]]))[0].normalised
    assert "not called a softmax (attentions)" in notes(attnviz.from_arrays(half))
    # What bfloat16 rounds away is no reason.
    assert attnviz.from_arrays(weights(1, 2, 300, 300).bfloat16())[0].normalised


def test_rows_of_nan_stay_nan_and_rows_of_zeros_stay_zero():
    given = weights(1, 1, 3, 3).clone()
    given[0, 0, 0], given[0, 0, 1] = torch.nan, 0.0
    found = attnviz.load(npy(given.numpy()))[0]
    assert found.weights(0)[0].isnan().all()
    assert found.row_state(0).tolist() == [RowState.NAN, RowState.ZERO, RowState.NORMAL]
    assert found.normalised


def test_weights_that_never_look_ahead_are_causal_and_their_baseline_counts_what_they_may_see():
    given = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    trace = attnviz.from_arrays(given)
    assert trace[0].role == "decoder"
    assert trace[0].allowed(0).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert "causal" in notes(trace)
    assert "which part of the model" in notes(trace)


def test_different_queries_and_keys_without_a_name_are_cross_attention():
    assert attnviz.from_arrays(weights(1, 2, 3, 5))[0].role == "cross"


def test_big_endian_and_wide_numbers_are_read_as_what_they_are():
    given = weights(2, 3).numpy()
    for kind in (">f4", ">f8", "<f2", "longdouble"):
        found = attnviz.load(npy(given.astype(kind)))[0].weights(0).numpy()
        assert np.allclose(found, given, atol=1e-3)


def test_a_file_on_disk_is_told_by_its_content_and_not_by_its_name(tmp_path):
    path = tmp_path / "weights.safetensors"
    path.write_bytes(npz(layer_1=weights(2, 2)))
    assert attnviz.load(path).layers("encoder") == (1,)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(weights(2, 3).numpy()))
    assert torch.equal(attnviz.load(tmp_path / "fortran.npy")[0].weights(0), weights(2, 3))


def test_what_was_read_can_be_saved_as_a_trace():
    first = attnviz.load(npz(layer_4=weights(1, 2, 3, 3)))
    again = attnviz.load(first.to_bytes())
    assert torch.equal(again[0].weights(1), first[0].weights(1))
    assert (again.origin, again.notes, again[0].layer) == (first.origin, first.notes, 4)


# Files that say something else than they should.


def refused(source, match):
    with pytest.raises(InputError, match=match) as caught:
        attnviz.load(source)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 400


class Runs:
    """Runs code when it is unpickled; the test would see the file that it makes."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


class Command:
    """Torch has words of its own for a module that it never loads."""

    def __reduce__(self):
        return (os.system, ("true",))


def test_what_a_torch_file_holds_beside_arrays_is_named():
    refused(torch_file([Command()]), rf"holds more than arrays \({os.system.__module__}\.system\), which")


def test_pickles_are_not_run(tmp_path):
    made = tmp_path / "ran"
    objects = np.array([Runs(made), None], dtype=object)
    refused(npy(objects, allow_pickle=True), "the array “attentions” holds object, which could run code")
    file = io.BytesIO()
    np.savez(file, fine=weights(2, 2).numpy(), layer_3=objects, allow_pickle=True)
    refused(file.getvalue(), "“layer_3” holds object, which could run code")
    refused(torch_file([Runs(made)]), "holds more than arrays .*open")
    refused(torch_file({"a": SimpleNamespace(b=1)}), "SimpleNamespace")
    refused(pickle.dumps([1]), "is a pickle")
    refused(torch_file(weights(2, 2), _use_new_zipfile_serialization=False), "is a pickle")
    assert not made.exists()


CONTENTS = {
    "npz": npz(a=weights(2, 3, 3), b=weights(2, 3, 3)),
    "npy": npy(weights(2, 3, 3).numpy()),
    "safetensors": safetensors.torch.save({"a": weights(2, 3, 3)}),
    "torch": torch_file((weights(2, 3, 3), None)),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
def test_files_that_are_cut_short(content, tmp_path):
    for length in (4, 9, 20, len(content) // 2, len(content) - 1):
        refused(content[:length], "cut short|not a trace|not what the file holds|a header of|metadata cannot be read")
    path = tmp_path / "cut.npz"
    path.write_bytes(content[: len(content) // 2])
    refused(path, "cut.npz")


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
def test_damaged_files_never_raise_anything_else(content):
    generator = torch.Generator().manual_seed(1)
    for _ in range(150):
        damaged = bytearray(content)
        for place in torch.randint(0, len(content), (4,), generator=generator).tolist():
            damaged[place] = int(torch.randint(0, 256, (), generator=generator))
        with contextlib.suppress(InputError):
            attnviz.load(bytes(damaged))


def with_shape(shape):
    """An npy file of 36 floats whose header states another shape."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (117 - len(header)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(144)


@pytest.mark.parametrize(
    "shape",
    ["(1099511627776, 1099511627776)", "(6, 7)", "(-6, -6)", "(6, 5)", "(True, 36)", "(6.0, 6)", "6", "('6', 6)"],
)
def test_an_npy_file_that_states_an_absurd_shape(shape):
    assert attnviz.load(with_shape("(6, 6)"))[0].shape == (6, 6)
    refused(with_shape(shape), "not what the file holds|cut short")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("layer_1.npy", with_shape(shape))
    refused(file.getvalue(), "“layer_1” states the shape|cut short")


def torch_file_of(size, stride, numbers=4):
    """A torch file of 16 bytes whose pickle states another size."""

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            return ("storage", torch.FloatStorage, "0", "cpu", numbers) if value == "here" else None

    class Stated:
        def __reduce__(self):
            return _rebuild_tensor_v2, ("here", 0, size, stride, False, None)

    content, file = io.BytesIO(), io.BytesIO()
    Pickler(content, 2).dump(Stated())
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in {"data.pkl": content.getvalue(), "version": b"3\n", "data/0": bytes(16)}.items():
            archive.writestr(f"archive/{name}", part)
    return file.getvalue()


def test_a_torch_file_that_states_more_numbers_than_it_holds():
    assert attnviz.load(torch_file_of((2, 2), (2, 1)))[0].shape == (2, 2)
    refused(torch_file_of((10**6, 10**6), (10**6, 1)), "cut short or damaged")
    refused(torch_file_of((1000, 1000), (1000, 1), numbers=10**6), "cut short or damaged")
    refused(torch_file_of((10**5, 10**5), (0, 0)), "repeats a few numbers")


def test_a_torch_tensor_without_numbers():
    refused(torch_file(torch.rand(3, 3).to_sparse()), "“attentions” is sparse_coo; a dense array")
    refused(
        torch_file(torch.empty(10**6, 10**6, device="meta")), "“attentions” is meta; a dense array|more than arrays"
    )


def bomb(name="layer_0.npy", size=80 << 20):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(size))
    return file.getvalue()


def test_archives_that_unpack_to_much_more_than_they_are():
    assert len(bomb()) < 100_000
    refused(bomb(), "unpacks to 83886080 bytes")
    refused(bomb("archive/data.pkl", 1 << 20), "unpacks to 1048576 bytes")


def test_an_archive_of_other_things():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("letter.docx", b"hello")
    refused(file.getvalue(), "“letter.docx”, which is no .npy array")
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w"):
        pass
    refused(empty.getvalue(), "not a trace")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (npz(layer_1=np.zeros((2, 2), dtype=np.int64)), "“layer_1” holds int64; floating-point"),
        (npz(layer_1=np.zeros((2, 2), dtype=bool)), "“layer_1” holds bool"),
        (npz(layer_1=np.zeros((2, 2), dtype=np.complex64)), "“layer_1” holds complex64"),
        (npz(layer_1=np.zeros((2, 2, 2, 2, 2, 2), dtype=np.float32)), r"“layer_1” has shape \(2, 2, 2, 2, 2, 2\)"),
        (npz(layer_1=np.zeros((1, 0, 3, 3), dtype=np.float32)), r"“layer_1” of shape \(1, 0, 3, 3\) is empty"),
        (npz(layer_1=np.zeros((0, 1, 2, 3, 3), dtype=np.float32)), r"“layer_1” of shape \(0, 1, 2, 3, 3\) is empty"),
        (npz(layer_1=np.float32(1)), r"“layer_1” has shape \(\)"),
        (torch_file([[weights(2, 2)], [weights(2, 2)]]), "as generate"),
        (torch_file([weights(2, 2), [0.5, 0.5]]), r"“attentions\[1\]” is a list of lists"),
        (torch_file([weights(2, 2), 3]), r"“attentions\[1\]” is int"),
        (torch_file([[0.5], [0.5, 0.5]]), r"“attentions\[0\]”"),
        (torch_file([None, None]), "holds no weights"),
        (torch_file({}), "holds no weights"),
        (torch_file("text"), "“attentions” is str"),
        (torch_file(torch.zeros(2, 2, dtype=torch.float8_e4m3fn)), "holds float8_e4m3fn"),
        (torch_file({"a": {"b": {"c": {"d": {"e": weights(2, 2)}}}}}), "is dict"),
        (npz(weights=weights(1, 1, 2, 2), tokens=np.array(["a", "b", "c"])), r"“weights” has 1 × 2 positions \(items × positions\), but the tokens are 3;"),
        (npz(weights=weights(1, 1, 5, 5), tokens=np.array("hello")), "“tokens” is str; a list of strings"),
        (npz(weights=weights(1, 1, 2, 2), tokens=np.arange(2)), "“tokens” is int64; a list of strings"),
        (npz(weights=weights(1, 1, 2, 2), tokens=np.array([b"a", b"b"])), r"“tokens” is \|S1; a list of strings"),
        (npz(weights=weights(1, 1, 2, 2), tokens=np.zeros(2)), "“tokens” is "),
        (npz(weights=weights(1, 1, 2, 2), words=np.array(["a", "b"])), "“words” is ndarray"),
    ],
)  # fmt: skip
def test_arrays_that_are_no_weights(content, match):
    refused(content, match)
