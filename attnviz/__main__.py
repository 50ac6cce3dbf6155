"""The command line: `attnviz run`, `attnviz trace`, `attnviz train`, and `attnviz bench` from a checkout."""

import argparse
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from attnviz import __version__
from attnviz.base.errors import InputError
from attnviz.base.language import _, _m

PORT = 8501
MOST_SEED = 10_000
"""As many digits as a model's name may have for it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status. Bad input ends with one sentence and status 2."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except InputError as error:
        print(f"attnviz: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def site() -> Path:
    """The folder that holds app.py: inside an installed package, else the checkout."""
    package = Path(__file__).parent
    for folder in (package / "_site", package.parent):
        if (folder / "app.py").is_file() and (folder / "pages").is_dir():
            return folder
    raise InputError(_m("app.py was expected beside the package in {folder}; reinstall attnviz."), folder=package)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="attnviz", description="See what attention looked at.")
    parser.add_argument("--version", action="version", version=f"attnviz {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")

    run = commands.add_parser("run", help="open the dashboard in a browser")
    run.add_argument("file", nargs="?", type=Path, help="a recorded trace or a file of arrays to open in it")
    run.add_argument("--port", type=int, default=PORT)
    run.add_argument("--no-browser", action="store_true", help="serve without opening a browser")
    run.add_argument(
        "--public",
        action="store_true",
        help="serve other machines too; folders and hub ids are then refused",
    )
    run.add_argument("--no-paths", action="store_true", help="open no folders of this machine; hub ids are still taken")
    run.set_defaults(command=_run)

    trace = commands.add_parser("trace", help="record the attention of a model on a text")
    trace.add_argument("--model", required=True, help="a shipped name (minilm), a folder, or a Hugging Face model id")
    trace.add_argument("--text", required=True, help="what the model reads; - stands for the standard input")
    trace.add_argument("--output", "-o", type=Path, required=True, help="the .safetensors file to write")
    trace.add_argument("--values", action="store_true", help="keep the value vectors too")
    trace.add_argument("--device", help="cpu, cuda, cuda:1, mps; chosen by itself if not given")
    trace.set_defaults(command=_trace)

    train = commands.add_parser("train", help="make shipped weights again")
    trained = train.add_subparsers(dest="what", metavar="WHAT", required=True)
    translation = trained.add_parser("translation", help="the translation models of a pair of languages")
    translation.add_argument("--pair", required=True, choices=["en-fr", "en-ja", "en-ru"], help="the two languages")
    translation.add_argument(
        "--model",
        default="all",
        choices=["all", "gru", "transformer", "bottleneck"],
        help="all that the pair has if not given",
    )
    translation.add_argument("--seeds", type=int, nargs="+", default=[0], help="the first one's weights are written")
    translation.set_defaults(command=_train_translation)
    turn = trained.add_parser("turn", help="turn models: one cell of the study, or all of it")
    turn.add_argument("--model", default="ego", choices=["ego", "self", "uniform"], help="ego if not given")
    turn.add_argument("--hazard", type=float, help="probability that a child runs out; all of the study if not given")
    turn.add_argument(
        "--runouts", type=int, help="about how many in the training scenes; all of the study if not given"
    )
    turn.add_argument("--seed", type=int, nargs="+", default=[0], dest="seeds", help="0 if not given")
    turn.add_argument(
        "--gather", type=Path, metavar="FOLDER",
        help="train nothing: put the seeds of this folder together, all kinds and cells, and measure them",
    )  # fmt: skip
    turn.set_defaults(command=_train_turn)
    for one in (translation, turn):
        one.add_argument(
            "--output", "-o", type=Path, default=Path(), help="the folder to write to; this one if not given"
        )
        one.add_argument("--steps", type=int, help="stop after so many, for a trial")

    bench = commands.add_parser("bench", help="measure the speeds that the README claims (from a checkout)")
    bench.add_argument("names", nargs="*", help="which benchmarks; all if none is named")
    bench.set_defaults(command=_bench)
    return parser


def _run(options: argparse.Namespace) -> int:
    address = "0.0.0.0" if options.public else "localhost"  # noqa: S104 - only on request
    _check_port(options.port)
    environment = dict(
        os.environ,
        ATTNVIZ_PUBLIC="1" if options.public else "",
        ATTNVIZ_NO_PATHS="1" if options.no_paths else os.environ.get("ATTNVIZ_NO_PATHS", ""),
        ATTNVIZ_FILE=_file_to_open(options),
    )
    command = [
        sys.executable, "-m", "streamlit", "run", str(site() / "app.py"),
        "--server.address", address,
        "--server.port", str(options.port),
    ]  # fmt: skip
    if options.public:
        # Otherwise Streamlit asks a service outside for this machine's address.
        command += ["--browser.serverAddress", socket.gethostname()]
    if options.no_browser:
        command += ["--server.headless", "true"]
    if os.name == "posix":
        # The server takes this process's place, so that whoever ends it ends the server.
        os.execve(sys.executable, command, environment)  # noqa: S606 - our own command line
    return subprocess.call(command, env=environment)  # noqa: S603 - our own command line


def _file_to_open(options: argparse.Namespace) -> str:
    """The file that the app is to open, once it is known to be one; "" for none."""
    if options.file is None:
        return ""
    if options.public:
        raise InputError(
            _m("{file} is not opened on a public server; its visitors open their own files."), file=options.file
        )
    from attnviz import load

    if not load(options.file).attentions:
        raise InputError(_m("{file} has no attentions; at least one was expected."), file=options.file)
    return str(options.file.resolve())


def _check_port(port: int) -> None:
    if not 0 < port < 65536:
        raise InputError(_m("Port {port} was given; a number from 1 to 65535 was expected."), port=port)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError as reason:
            raise InputError(
                _m("Port {port} may not be used by this account; a number from 1024 to 65535 was expected."), port=port
            ) from reason
        except OSError as reason:
            raise InputError(
                _m("Port {port} is in use by another program; choose another with --port."), port=port
            ) from reason


def _trace(options: argparse.Namespace) -> int:
    from attnviz import models

    if not options.output.name or not options.output.parent.is_dir() or options.output.is_dir():
        raise InputError(
            _m("{file} is no place for a file; a file name in a folder that exists was expected."), file=options.output
        )
    text = sys.stdin.read() if options.text == "-" else options.text
    trace = models.load_reader(options.model, device=options.device).trace(text, values=options.values)
    trace.save(options.output)
    print(_("{count} attentions written to {path}.", count=len(trace), path=options.output))
    for note in trace.notes:
        print(note)
    return 0


def _train_translation(options: argparse.Namespace) -> int:
    from attnviz.models.translation import shipped
    from attnviz.training.translation import Trial, train

    _check_trial(options)
    _prepare_training(options.output)
    for kind in shipped.kinds_of(options.pair) if options.model == "all" else [options.model]:
        trial = Trial() if options.steps is None else Trial(steps=options.steps)
        train(options.pair, kind, options.seeds, options.output, lambda line: print(line, flush=True), trial)
    return 0


def _train_turn(options: argparse.Namespace) -> int:
    from attnviz.training import turn

    _check_trial(options)
    _prepare_training(options.output)
    if options.gather is not None:
        turn.ship(options.gather, options.output, lambda line: print(line, flush=True))
        return 0
    recipe = turn.Recipe() if options.steps is None else turn.Recipe(steps=options.steps)
    cells = turn.wanted(options.model, options.hazard, options.runouts)
    turn.study(options.seeds, cells, options.output, lambda line: print(line, flush=True), recipe)
    return 0


def _check_trial(options: argparse.Namespace) -> None:
    """Raises `InputError` for a seed that torch would not take, or steps of which there would be none."""
    for seed in options.seeds:
        if not 0 <= seed < MOST_SEED:
            raise InputError(
                _m("{found} was given as a seed; a whole number from 0 to {most} was expected."),
                found=seed,
                most=MOST_SEED - 1,
            )
    if options.steps is not None and options.steps < 1:
        raise InputError(_m("{found} steps were asked for; at least one was expected."), found=options.steps)


def _prepare_training(folder: Path) -> None:
    import torch

    if not folder.is_dir():
        raise InputError(_m("{file} is no folder; one that exists was expected."), file=folder)
    torch.set_num_threads(1)  # small matrices gain nothing from more, and one thread gives the same weights again


def _bench(options: argparse.Namespace) -> int:
    folder = Path(__file__).parent.parent
    if not (folder / "benchmarks" / "__main__.py").is_file():
        raise InputError(
            _m("Benchmarks are run from a checkout of the source; no folder benchmarks was found in {folder}."),
            folder=folder,
        )
    command = [sys.executable, "-m", "benchmarks", *options.names]
    return subprocess.call(command, cwd=folder)  # noqa: S603 - our own command line


if __name__ == "__main__":
    sys.exit(main())
