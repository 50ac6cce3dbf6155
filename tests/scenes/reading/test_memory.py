"""Large files are streamed: what is held beside the rows does not grow with the file."""

import tracemalloc
from io import BytesIO

import pyarrow as pa
import pytest

from attnviz import scenes as rooms
from attnviz.base.errors import InputError


class Watched(BytesIO):
    """A file that notes how far it was read, and how much Arrow held meanwhile."""

    read_bytes = 0
    held = 0

    def read(self, size=-1, /):
        self.held = max(self.held, pa.total_allocated_bytes())
        found = super().read(size)
        self.read_bytes += len(found)
        return found


def test_columns_that_are_not_asked_for_are_not_kept():
    """30 MB of which a hundredth is numbers that are read."""
    row = b"%d,%d,100,car,1,2,0,0,0,4,2," + b"z" * 3000 + b"\n"
    head = b"track_id,frame_id,timestamp_ms,agent_type,x,y,vx,vy,psi_rad,length,width,remark\n"
    file = Watched(
        head + b"".join(row % (number % 900, number) for number in range(10_000)).replace(b",100,car", b",100,car")
    )
    before = pa.total_allocated_bytes()
    with pytest.raises(InputError, match="has two rows"):
        rooms.read(file, ego="1")
    assert file.held - before < 12_000_000


def test_an_early_mistake_stops_the_reading():
    """A file of 100 MB."""
    head = b"track_id,frame_id,timestamp_ms,agent_type,x,y,vx,vy,psi_rad,length,width\n1,1,100,car,far,2,0,0,0,4,2\n"
    file = Watched(head + b"1,1,100,car,1,2,0,0,0,4,2\n" * 4_000_000)
    with pytest.raises(InputError, match="line 2: “far”"):
        rooms.read(file, ego="1")
    # Arrow reads 32 blocks of 1 MB ahead, and no more however long the file is.
    assert file.read_bytes < 40_000_000


def test_obstacles_are_forgotten_once_they_are_read(made, build):
    """Elements that are not read, 12 MB of them, one after the other."""
    head, tail = made["commonroad-2018b"][0].decode().split('<obstacle id="7">')
    filler = "<intersection><incoming><text>" + "z" * 10_000 + "</text></incoming></intersection>"
    raw = f'{head}{filler * 1200}<obstacle id="7">{tail}'.encode()
    tracemalloc.start()
    try:
        rooms.read(raw)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < len(raw) / 2
