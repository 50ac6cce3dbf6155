import contextlib
import json
import struct
from dataclasses import replace

import pytest
import safetensors.torch
import torch
from safetensors import SafetensorError

import attnviz
from attnviz.attention import Attention, Causal, Check, Dense, Lengths, Window
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.selection import Selection
from attnviz.tokens import Tokens
from attnviz.trace import LookAlike, Note, Origin, Trace, container

ORIGIN = Origin(
    kind="recorded", model="a model", text="日本語 <s>", device="cpu", dtype="bfloat16", torch_version="2.13"
)
TOKENS = Tokens(
    ("[CLS]", "new", "##ly", ""), ids=(1, 2, 3, 4), words=(None, 0, 0, 1), special=(True, False, False, True)
)


def random(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def dot_product(dtype=torch.float32, **options):
    query, key = random(2, 4, 4, 8, dtype=dtype), random(2, 2, 4, 8, seed=1, dtype=dtype)
    return Attention.from_qk(
        query, key, query_tokens=TOKENS, key_tokens=TOKENS, **{"name": "layers.0.attn", "role": "decoder", **options}
    )


def trace_of(*attentions, **options):
    return Trace(attentions, origin=ORIGIN, **options)


def same(first, second):
    """Everything that can be asked of two attentions is equal; NaN is equal to NaN."""
    assert (first.name, first.role, first.form, first.layer) == (second.name, second.role, second.form, second.layer)
    assert (first.normalised, first.note, first.shape, first.items) == (
        second.normalised,
        second.note,
        second.shape,
        second.items,
    )
    assert first.query_tokens_by_item == second.query_tokens_by_item
    assert first.key_tokens_by_item == second.key_tokens_by_item
    for item in range(first.items):
        assert torch.equal(first.weights(None, item).nan_to_num(7), second.weights(None, item).nan_to_num(7))
        assert torch.equal(first.row_state(None, item), second.row_state(None, item))
        if first.has_values:
            assert torch.equal(first.output(None, item).nan_to_num(7), second.output(None, item).nan_to_num(7))
    assert first.has_values == second.has_values


ATTENTIONS = {
    "plain": dot_product(),
    "everything": dot_product(
        value=random(2, 2, 4, 5, seed=2),
        scale=0.3,
        mask=Causal(0) & Lengths((0, 1), (4, 4)),
        bias=random(1, 4, 4, 4, seed=3),
        softcap=5.0,
        sinks=random(4, seed=4),
        layer=3,
        note="a note",
    ),
    "window": dot_product(mask=Window(1, 0)),
    "pairs": dot_product(mask=Dense(random(2, 1, 4, 4, seed=5) > 0)),
    "pairs among rules": dot_product(mask=Lengths((0, 0), (4, 3)) & Dense(random(1, 4, 4, 4, seed=6) > -1)),
    "bfloat16": dot_product(torch.bfloat16),
    "float16": dot_product(torch.float16),
    "float64": dot_product(torch.float64),
    "nan": dot_product(bias=torch.full((4, 4), torch.nan)),
    "stored": Attention.from_weights(
        random(2, 4, 4, seed=7).softmax(-1), normalised=False, form="additive", name="gru.attn", role="cross"
    ),
}


@pytest.mark.parametrize("attention", ATTENTIONS.values(), ids=ATTENTIONS.keys())
@pytest.mark.parametrize("to_file", [True, False])
def test_what_is_saved_is_loaded_as_it_was(attention, to_file, tmp_path):
    note = Note(_m("{count} layers of {name}."), {"count": 2, "name": "x {y}"})
    trace = trace_of(attention, notes=[note], left_out=3)
    if to_file:
        trace.save(tmp_path / "run.safetensors")
        loaded = attnviz.load(tmp_path / "run.safetensors")
        assert [path.name for path in tmp_path.iterdir()] == ["run.safetensors"]
    else:
        loaded = attnviz.load(trace.to_bytes())
    assert len(loaded) == 1
    same(attention, loaded[0])
    assert (loaded.origin, loaded.notes, loaded.left_out) == (ORIGIN, [note], 3)
    assert str(loaded.notes[0]) == "2 layers of x {y}."
    if attention.form == "dot-product":
        assert loaded[0].scores.query.dtype == attention.scores.query.dtype
        assert loaded[0].scores.key.shape == attention.scores.key.shape


def test_shared_and_transposed_tensors_are_written_once_and_whole():
    packed = random(1, 4, 3, 2, 8)
    query, key = packed[..., 0, :].transpose(1, 2), packed[..., 1, :].transpose(1, 2)
    first = Attention.from_qk(query, key, name="a", layer=0)
    second = Attention.from_qk(query, key, name="b", layer=1)
    content = trace_of(first, second).to_bytes()
    assert len(safetensors.torch.load(content)) == 2
    loaded = attnviz.load(content)
    same(first, loaded[0])
    same(second, loaded[1])


def test_a_failed_save_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "run.safetensors"
    trace_of(dot_product()).save(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="no place for a file"):
        trace_of(dot_product()).save(tmp_path / "missing" / "run.safetensors")

    def full(tensors, file, metadata):
        file.write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(safetensors.torch, "save_file", full)
    with pytest.raises(InputError, match="No space left on device"):
        trace_of(dot_product()).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_save_says_what_the_system_said(tmp_path, monkeypatch):
    def fail(*_args, **_options):
        raise SafetensorError('Error while serializing: I/O error: No space left on device (os error 28) at path "/x"')

    monkeypatch.setattr(safetensors.torch, "save_file", fail)
    with pytest.raises(InputError, match=r"could not be written: No space left on device\.$"):
        trace_of(dot_product()).save(tmp_path / "run.safetensors")


def test_a_trace_that_is_too_large_is_not_written(monkeypatch):
    monkeypatch.setattr(container, "MOST_BYTES", 1000)
    with pytest.raises(InputError, match="at most 1000"):
        trace_of(dot_product()).to_bytes()


def test_a_long_text_comes_back_whole():
    long = "The cat sat on the mat. " * 1000
    made = Trace([dot_product()], origin=replace(ORIGIN, text=long))
    assert attnviz.load(made.to_bytes()).origin.text == long


@pytest.mark.parametrize(
    ("made", "match"),
    [
        (lambda: Trace([], origin=replace(ORIGIN, text="x" * 1_000_001)), "1000001 letters; at most 1000000"),
        (lambda: trace_of(dot_product(name="x" * 10_001)), "10001 letters; at most 10000"),
        (lambda: trace_of(dot_product(layer=10_000)), "“layer” is 10000"),
        (lambda: trace_of(replace(dot_product(), check=Check(float("nan"), 1.0))), "NaN or infinity"),
        (lambda: trace_of(notes=[Note("{a:>9}", {"a": "b"})]), "“notes” is"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(made, match, tmp_path):
    with pytest.raises(InputError, match=match):
        made().save(tmp_path / "run.safetensors")
    with pytest.raises(InputError, match=match):
        made().to_bytes()
    assert not list(tmp_path.iterdir())


def test_more_attentions_than_any_trace_has_are_neither_written_nor_read(monkeypatch):
    content = trace_of(dot_product(), dot_product()).to_bytes()
    monkeypatch.setattr("attnviz.trace.trace.MOST_ATTENTIONS", 1)
    refused(content, "has 2 attentions; at most 1 ")
    with pytest.raises(InputError, match="has 2 attentions; at most 1 "):
        trace_of(dot_product(), dot_product()).to_bytes()


def test_a_header_is_written_only_if_it_is_short_enough_to_be_read(monkeypatch):
    # Quotation marks and backslashes double in the header, and double again where they are in a text.
    made = trace_of(*[dot_product(name='"\\' * 50) for _ in range(20)])
    content = made.to_bytes()
    length = int.from_bytes(content[:8], "little")
    monkeypatch.setattr(container, "MOST_HEADER_BYTES", length - 1)
    with pytest.raises(InputError, match=f"at most {length - 1} are written"):
        made.to_bytes()
    # What is counted is nearly what is written, and never less.
    monkeypatch.setattr(container, "MOST_HEADER_BYTES", int(length * 1.1))
    assert len(made.to_bytes()) == len(content)


def test_a_recorded_trace_can_be_saved_and_loaded():
    class Model(torch.nn.Module):
        def forward(self, rows):
            return torch.nn.functional.scaled_dot_product_attention(rows, rows, rows, is_causal=True)

    with torch.inference_mode(), attnviz.capture(model := Model()) as trace:
        model(random(2, 3, 5, 8))
    loaded = attnviz.load(trace.to_bytes())
    same(trace[0], loaded[0])
    assert loaded.origin == trace.origin


# Files that say something else than they should.


def refused(source, match=None):
    with pytest.raises(InputError, match=match) as caught:
        attnviz.load(source)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


CONTENT = trace_of(ATTENTIONS["everything"], ATTENTIONS["pairs"]).to_bytes()
HEADER = struct.unpack("<Q", CONTENT[:8])[0]


@pytest.mark.parametrize("to_file", [True, False])
@pytest.mark.parametrize("length", [0, 1, 8, 9, 10, HEADER // 2, HEADER + 7, HEADER + 8, HEADER + 9, len(CONTENT) - 1])
def test_a_file_that_is_cut_short(length, to_file, tmp_path):
    source = CONTENT[:length]
    if to_file:
        source = tmp_path / "cut.safetensors"
        source.write_bytes(CONTENT[:length])
    refused(source, "cut short|not a trace file")


@pytest.mark.parametrize(
    "garbage",
    [
        b"PK\x03\x04" + b"\0" * 100,
        b"\x80\x04\x95" + b"." * 100,
        b"\0" * 1000,
        b"\xff" * 1000,
        b"{}" * 50,
        bytes(range(256)) * 8,
        struct.pack("<Q", 2) + b"{}",
        struct.pack("<Q", 0) + b"{}" * 9,
        struct.pack("<Q", 1) + b"{" * 9,
    ],
)
def test_garbage(garbage):
    refused(garbage, "cut short|not a trace|a header of|is a pickle")


def test_a_header_larger_than_any_trace_has():
    refused(struct.pack("<Q", 1 << 62) + b"{" + b" " * 100, "at most")


def test_a_file_larger_than_any_trace_is(monkeypatch):
    monkeypatch.setattr(container, "MOST_BYTES", 100)
    refused(CONTENT, "at most 100 are read")


def test_no_file_and_no_folder(tmp_path):
    refused(tmp_path / "missing.safetensors", "missing.safetensors could not be read")
    refused(tmp_path, "could not be read")


def test_a_safetensors_file_that_is_no_trace():
    refused(safetensors.torch.save({"a": torch.zeros(2)}), r"“a” has shape \(2,\)")
    refused(safetensors.torch.save({"a": torch.zeros(2)}, {"format": "pt"}), r"“a” has shape \(2,\)")


def edited(change, tensors=None, **metadata):
    """The content with its document changed: `change` gets the parsed document."""
    with_document = json.loads(CONTENT[8 : 8 + HEADER])["__metadata__"]
    document = json.loads(with_document["trace"])
    change(document)
    found = safetensors.torch.load(CONTENT)
    return safetensors.torch.save(
        {**found, **(tensors or {})}, {**with_document, "trace": json.dumps(document), **metadata}
    )


def test_the_unchanged_document_is_fine():
    assert len(attnviz.load(edited(lambda document: None))) == 2


@pytest.mark.parametrize("version", ["0", "2", "1.0", "", "x" * 1000])
def test_another_version(version):
    refused(edited(lambda document: None, version=version), "version")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "{", '{"a": NaN}', "[" * 100_000, '{"a":' * 100_000, "1" * 10_000, '"\\ud800"'],
)
def test_a_document_that_is_no_document(text):
    refused(edited(lambda document: None, trace=text), "metadata cannot be read")


def test_a_tensor_that_is_missing():
    found = safetensors.torch.load(CONTENT)
    metadata = json.loads(CONTENT[8 : 8 + HEADER])["__metadata__"]
    for name in found:
        rest = {other: tensor for other, tensor in found.items() if other != name}
        refused(safetensors.torch.save(rest, metadata), f"the tensor “{name}”")


@pytest.mark.parametrize(
    "wrong",
    [
        torch.zeros(2, 4, 5, 9),
        torch.zeros(2, 3, 4, 8),
        torch.zeros(0, 4, 4, 8),
        torch.zeros(8),
        torch.zeros(1, 1, 1, 1, 1),
    ],
    ids=lambda tensor: str(tuple(tensor.shape)),
)
def test_shapes_that_do_not_go_together(wrong):
    found = safetensors.torch.load(CONTENT)
    metadata = json.loads(CONTENT[8 : 8 + HEADER])["__metadata__"]
    for name in found:
        content = safetensors.torch.save({**found, name: wrong.to(found[name].dtype)}, metadata)
        refused(content)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int8, torch.float8_e4m3fn])
def test_numbers_of_a_type_that_no_trace_has(dtype):
    refused(edited(lambda document: None, {"t0": torch.zeros(2, 4, 4, 8).to(dtype)}), "type")


def change_first(**fields):
    return lambda document: document["attentions"][0].update(fields)


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.update(attentions=None),
        lambda document: document.update(attentions={}),
        lambda document: document.update(attentions=[1]),
        lambda document: document.update(attentions=[{}]),
        lambda document: document.pop("tokens"),
        lambda document: document.update(tokens=["a"]),
        lambda document: document.update(tokens=[]),
        lambda document: document["tokens"][0]["texts"].pop(),
        lambda document: document.update(left_out=-1),
        lambda document: document.update(left_out=1.5),
        lambda document: document.update(left_out=True),
        lambda document: document.update(origin={"kind": "recorded"}),
        lambda document: document["origin"].update(kind="made up"),
        lambda document: document["origin"].update(model=3),
        lambda document: document["origin"].update(text="x" * 20_000_000),
        lambda document: document.update(notes=[{}]),
        lambda document: document.update(notes=[{"message": "{a}", "fields": {}}]),
        lambda document: document.update(notes=[{"message": "{a.b}", "fields": {"a": 1, "a.b": 2}}]),
        lambda document: document.update(notes=[{"message": "{a[0]}", "fields": {"a": "x", "a[0]": 2}}]),
        lambda document: document.update(notes=[{"message": "{a:>999999999}", "fields": {"a": "x"}}]),
        lambda document: document.update(notes=[{"message": "{a!r}", "fields": {"a": "x"}}]),
        lambda document: document.update(notes=[{"message": "{", "fields": {}}]),
        lambda document: document.update(notes=[{"message": "{}", "fields": {"": "x"}}]),
        lambda document: document.update(notes=[{"message": "{a}", "fields": {"a": [1]}}]),
        change_first(name=None),
        change_first(name="x" * 100_000),
        change_first(role="nobody"),
        change_first(role=["encoder"]),
        change_first(form="new"),
        change_first(layer=-1),
        change_first(layer=10**30),
        change_first(layer=True),
        change_first(normalised=1),
        change_first(scores=None),
        change_first(scores={"kind": "dot-product"}),
        change_first(scores={"kind": "stored", "stored": "t99"}),
        change_first(scores={"kind": "deformable"}),
        change_first(value="t99"),
        change_first(value=3),
        change_first(mask={"rule": "causal"}),
        change_first(mask={"rule": "unknown"}),
        change_first(mask=[]),
        change_first(mask_tensors=None),
        change_first(query_tokens=None),
        change_first(query_tokens=[99, 99]),
        change_first(query_tokens=[-1, -1]),
        change_first(key_tokens=[0] * 9),
        lambda document: document["attentions"][0]["scores"].update(scale=None),
        lambda document: document["attentions"][0]["scores"].update(scale="1"),
        lambda document: document["attentions"][0]["scores"].update(scale=10**400),
        lambda document: document["attentions"][0]["scores"].update(softcap=-1.0),
        lambda document: document["attentions"][0]["scores"].update(sinks="t0"),
    ],
)
def test_a_document_that_says_something_impossible(change):
    refused(edited(change))


def test_random_damage_never_raises_anything_else():
    generator = torch.Generator().manual_seed(0)
    for _ in range(300):
        content = bytearray(CONTENT)
        for place in torch.randint(0, HEADER + 8, (3,), generator=generator).tolist():
            content[place] = int(torch.randint(0, 256, (), generator=generator))
        with contextlib.suppress(InputError):
            attnviz.load(bytes(content))


# Looking into a trace.


def three_layers():
    rows = random(1, 2, 3, 8)
    return trace_of(
        Attention.from_qk(rows, rows, name="e0", role="encoder", layer=0),
        Attention.from_qk(rows, rows, name="e4", role="encoder", layer=4),
        Attention.from_qk(random(1, 2, 2, 8), rows, name="c0", role="cross", layer=0),
        Attention.from_qk(rows, rows, name="e0 again", role="encoder", layer=0),
    )


def test_roles_layers_and_order():
    trace = three_layers()
    assert trace.roles() == ("encoder", "cross")
    assert trace.layers("encoder") == (0, 4)
    assert trace.layers("decoder") == ()
    assert [attention.name for attention in trace.of_role("encoder")] == ["e0", "e4", "e0 again"]
    assert (len(trace), trace[2].name, trace.items) == (4, "c0", 1)
    assert Trace(origin=ORIGIN).items == 0


def test_select_gives_the_first_of_a_role_and_layer():
    trace = three_layers()
    assert trace.select(Selection()).name == "e0"
    assert trace.select(Selection(layer=4, head="mean", query=2, key=2)).name == "e4"
    assert trace.select(Selection(role="cross", query=1, key=2)).name == "c0"


@pytest.mark.parametrize(
    "selection",
    [
        Selection(role="decoder"),
        Selection(layer=1),
        Selection(head=2),
        Selection(item=1),
        Selection(query=3),
        Selection(key=3),
        Selection(role="cross", query=2),
    ],
)
def test_select_says_what_is_not_there(selection):
    with pytest.raises(InputError):
        three_layers().select(selection)


def test_a_note_is_said_in_the_language_of_whoever_asks(monkeypatch):
    from attnviz.base import language

    note = Note(_m("{count} tokens"), {"count": 3})
    assert str(note) == "3 tokens"
    monkeypatch.setattr(language, "translate", lambda message, **fields: "three")
    assert note.message == "{count} tokens"


def test_checks_and_look_alikes_come_back(tmp_path):
    router = LookAlike("layers.0.router", (2, 9, 4), Note(_m("{count} weights were drawn."), {"count": 4}))
    checked = replace(dot_product(), check=Check(difference=0.25, allowed=1e-5))
    trace_of(checked, dot_product(), lookalikes=[router]).save(tmp_path / "run.safetensors")
    found = attnviz.load(tmp_path / "run.safetensors")
    assert [one.check for one in found] == [Check(0.25, 1e-5), None]
    assert found.lookalikes == [router]


def without(*fields):
    """A file as it was written before there were these fields."""

    def change(document):
        for field in fields:
            document.pop(field, None)
            for attention in document["attentions"]:
                attention.pop(field, None)

    return change


def test_files_of_before_there_were_checks_are_read():
    found = attnviz.load(edited(without("check", "lookalikes")))
    assert found[0].check is None
    assert found.lookalikes == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("check", 3),
        ("check", {"difference": "1", "allowed": 1}),
        ("check", {"allowed": 1.0}),
        ("check", {"difference": -1.0, "allowed": 0.0}),
        ("check", {"difference": 0.0, "allowed": -1.0}),
    ],
)
def test_checks_that_are_none_are_refused(field, value):
    def change(document):
        document["attentions"][0][field] = value

    with pytest.raises(InputError, match="does not belong there"):
        attnviz.load(edited(change))


@pytest.mark.parametrize(
    "value", [3, [3], [{"name": "a", "shape": 3, "reason": {}}], [{"name": "a", "shape": [-1], "reason": {}}]]
)
def test_look_alikes_that_are_none_are_refused(value):
    def change(document):
        document["lookalikes"] = value

    with pytest.raises(InputError, match="does not belong there"):
        attnviz.load(edited(change))
