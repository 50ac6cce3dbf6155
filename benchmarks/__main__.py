"""Runs the benchmarks named, or all, and prints one line for each."""

import sys
from collections.abc import Callable

from benchmarks import first_view, kinds, latency, memory, recording, scene, simulator
from benchmarks.report import Result

BENCHMARKS: dict[str, Callable[[], list[Result]]] = {
    "latency": latency.measure,
    "scene": scene.measure,
    "simulator": simulator.measure,
    "recording": recording.measure,
    "memory": memory.measure,
    "kinds": kinds.measure,
    "first-view": first_view.measure,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"Unknown: {', '.join(unknown)}. There are: {', '.join(BENCHMARKS)}.", file=sys.stderr)
        return 2
    for name in names or BENCHMARKS:
        for result in BENCHMARKS[name]():
            print(result, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
