"""How much memory is free on a device, and how an amount of it is written."""

from pathlib import Path

import torch

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def free_bytes(device: torch.device) -> int | None:
    """Bytes that can still be taken on a device; None where that cannot be told.

    On a CPU the least of what the system states (MemAvailable in /proc/meminfo, see proc(5)) and what is left of a
    control group's limit (memory.max and memory.current; docs.kernel.org/admin-guide/cgroup-v2.html).
    """
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    if device.type != "cpu":
        return None
    known = [found for found in (_of_system(), _of_group()) if found is not None]
    return min(known, default=None)


def amount(size: int) -> str:
    """Bytes as a person reads them, to three digits: "1.5 GiB", where 1 GiB is 2³⁰ bytes."""
    scaled, power = float(size), 0
    while scaled >= 1024 and power < len(_UNITS) - 1:
        scaled, power = scaled / 1024, power + 1
    return f"{scaled:.3g} {_UNITS[power]}" if scaled < 1000 else f"{scaled:.0f} {_UNITS[power]}"


def _of_system() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def _of_group() -> int | None:
    folder = Path("/sys/fs/cgroup")
    try:
        most = (folder / "memory.max").read_text().strip()
        return None if most == "max" else int(most) - int((folder / "memory.current").read_text())
    except (OSError, ValueError):
        return None
