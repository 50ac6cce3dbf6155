"""What a recording of a long input holds, against the bytes of its queries and keys.

24 layers of 16 heads of width 64 over 2048 tokens in float32: queries and keys take 0.40 GB, where the weights would
take 6 GiB. (In half precision with 8192 tokens 0.81 GB and 48 GiB, but that takes a CPU hours; what is held grows
with the tokens, so the ratio is the same.) Measured is the growth of the process (resident memory) while a model ran
recorded, less what the same run grows by without a recording, in a process of its own each, after the C library has
given back what nobody holds (malloc_trim(3)).
"""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.report import Result

LAYERS, HEADS, WIDTH, TOKENS = 24, 16, 64, 2048
BYTES = 4
QUERIES_AND_KEYS = 2 * LAYERS * HEADS * WIDTH * TOKENS * BYTES
BOUND = 1.05


def measure() -> list[Result]:
    """Queries, keys and values from one packed product each layer, of which views alone would hold the values too."""
    grown = {name: _in_a_process_of_its_own(name) for name in ("plain", "recorded")}
    held = grown["recorded"] - grown["plain"]
    return [Result(f"memory, {LAYERS} × {HEADS} × {TOKENS} tokens", (held / QUERIES_AND_KEYS,), "× q and k", BOUND)]


def _in_a_process_of_its_own(name: str) -> int:
    command = [sys.executable, "-m", "benchmarks.memory", name]
    folder = Path(__file__).parent.parent
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    return int(json.loads(said.splitlines()[-1]))


def _grown_by(name: str) -> int:
    import gc
    from contextlib import nullcontext

    import torch
    import torch.nn.functional as F

    import attnviz

    class Layer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.packed = torch.nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH)

        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            query, key, value = self.packed(rows).unflatten(-1, (3, HEADS, WIDTH)).permute(2, 0, 3, 1, 4)
            return rows + F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)

    torch.manual_seed(0)
    model = torch.nn.Sequential(*(Layer() for _ in range(LAYERS))).eval()
    rows = torch.randn(1, TOKENS, HEADS * WIDTH)
    with torch.inference_mode():
        with attnviz.capture(model):
            model(rows[:, :64])  # what is loaded at the first run is no part of a recording
        model(rows)
        gc.collect()
        before = _resident()
        trace: attnviz.Trace | None
        with attnviz.capture(model) if name == "recorded" else nullcontext() as trace:
            model(rows)
        gc.collect()
        after = _resident()
    if trace is not None and len(trace) != LAYERS:
        raise RuntimeError(f"{len(trace)} attentions were recorded; {LAYERS} were expected")
    return after - before


def _resident() -> int:
    """Bytes of this process in memory (statm, proc(5)): the second number, in pages."""
    import ctypes
    import os

    ctypes.CDLL(None).malloc_trim(0)

    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    print(json.dumps(_grown_by(sys.argv[1])))
