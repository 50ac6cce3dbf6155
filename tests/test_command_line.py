import io
import os
import socket
import subprocess

import numpy as np
import pytest

import attnviz
from attnviz.__main__ import main, site


def test_a_trace_is_written_and_opens_again(tmp_path, capsys):
    path = tmp_path / "run.safetensors"
    assert main(["trace", "--model", "minilm", "--text", "The black cat.", "--output", str(path), "--values"]) == 0
    assert "6 attentions written" in capsys.readouterr().out
    trace = attnviz.load(path)
    assert trace[0].query_tokens.texts == ("[CLS]", "the", "black", "cat", ".", "[SEP]")
    assert trace[0].has_values


def test_a_text_may_come_from_the_standard_input(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("The cat."))
    assert main(["trace", "--model", "minilm", "--text", "-", "-o", str(tmp_path / "run.safetensors")]) == 0
    assert attnviz.load(tmp_path / "run.safetensors").origin.text == "The cat."


@pytest.fixture
def started(monkeypatch):
    """What the server would be started with; it is not started."""
    found = {}

    def exec_(_program, command, environment):
        found.update(command=command, environment=environment)

    monkeypatch.setattr(os, "execve", exec_)
    monkeypatch.setattr(subprocess, "call", lambda command, env: exec_("", command, env) or 0)
    monkeypatch.setattr("attnviz.__main__._check_port", lambda port: None)
    return found


def test_the_app_is_told_which_file_to_open(tmp_path, monkeypatch, started):
    np.save(tmp_path / "weights.npy", np.full((2, 2), 0.5, dtype=np.float32))
    monkeypatch.chdir(tmp_path)
    main(["run", "weights.npy", "--no-paths"])
    assert started["environment"]["ATTNVIZ_FILE"] == str(tmp_path / "weights.npy")
    assert started["environment"]["ATTNVIZ_NO_PATHS"] == "1"
    main(["run"])
    assert not started["environment"]["ATTNVIZ_FILE"]
    assert not started["environment"]["ATTNVIZ_NO_PATHS"]


def test_a_file_that_cannot_be_opened_is_one_sentence_before_the_server_starts(tmp_path, capsys, started):
    (tmp_path / "letter.txt").write_text("Dear all,")
    assert main(["run", str(tmp_path / "letter.txt")]) == 2
    assert "is not a trace file" in capsys.readouterr().err
    assert main(["run", str(tmp_path / "nothing.npz")]) == 2
    assert "could not be read" in capsys.readouterr().err
    np.save(tmp_path / "weights.npy", np.full((2, 2), 0.5, dtype=np.float32))
    assert main(["run", str(tmp_path / "weights.npy"), "--public"]) == 2
    said = capsys.readouterr().err
    assert "is not opened on a public server" in said
    assert said.count("\n") == 1
    assert not started


def test_bad_input_is_one_sentence_and_status_2(tmp_path, capsys):
    assert main(["trace", "--model", str(tmp_path), "--text", "text", "-o", str(tmp_path / "x.safetensors")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("attnviz: The folder")
    assert said.count("\n") == 1
    assert not (tmp_path / "x.safetensors").exists()


def test_a_port_in_use_is_one_sentence(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["run", "--port", str(port), "--no-browser"]) == 2
    assert f"Port {port} is in use" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["0", "70000"])
def test_a_port_out_of_range_is_one_sentence(port, capsys):
    assert main(["run", "--port", port]) == 2
    assert "from 1 to 65535" in capsys.readouterr().err


def test_the_site_is_found_from_a_checkout():
    assert (site() / "app.py").is_file()
    assert (site() / ".streamlit" / "config.toml").is_file()


def test_no_command_is_a_usage_error():
    with pytest.raises(SystemExit) as stopped:
        main([])
    assert stopped.value.code == 2


@pytest.mark.parametrize("place", [".", "/", "no/such/folder/x.safetensors"])
def test_a_place_where_no_file_can_be_is_one_sentence_before_the_model_is_loaded(place, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["trace", "--model", "no-such-model-at-all", "--text", "text", "-o", place]) == 2
    assert "no place for a file" in capsys.readouterr().err
