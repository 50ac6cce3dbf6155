"""`attnviz.scenes.read`: scenes from a file, whatever its format."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading import (
    argoverse,
    commonroad,
    drones,
    interaction,
    nuscenes,
    own,
    parquet_tables,
    records,
    text_tables,
    walkers,
    waymo,
)
from attnviz.scenes.reading.places import Said, short
from attnviz.scenes.reading.source import MOST_COMPANIONS, Given, Source, files_in, is_folder, source_of
from attnviz.scenes.reading.xml_elements import root_of
from attnviz.scenes.table import Scenes

SCRIPT = "OpenSCENARIO"
Reader = Callable[[], Scenes]

READABLE = _m(
    "Argoverse 2 Parquet, INTERACTION, inD, rounD or highD csv, CommonRoad XML, nuScenes tables, ETH/UCY text, Waymo Open "
    "Motion records, or csv, Parquet or JSON in attnviz's own columns"
)


@dataclass(frozen=True)
class _Request:
    """What is to be read, and with what."""

    source: Source
    ego: str | None
    companions: tuple[Source, ...]


def read(source: Given, *, ego: str | None = None, name: str = "", companions: Iterable[Given] = ()) -> Scenes:
    """The scenes in a file, recognised from its content: docs/scenes.md lists the formats.

    source: a path, the bytes of a file or an open binary file; for nuScenes the folder of its tables. ego: the id of the
    ego, where the file does not say. name: what the file is called in sentences. companions: further files that belong
    to it – inD's and highD's tracksMeta and recordingMeta, Argoverse's map, nuScenes' other tables – or a folder of them.
    Raises `EgoMissing` where an ego has to be chosen, and `InputError` for whatever is damaged, too large or unknown.
    """
    others = _companions(companions)
    try:
        if is_folder(source):
            return _of_folder(_companions([source]), ego, others)
        request = _Request(source_of(source, name), ego, others)
        reader = _reader(request)
        if reader is None:
            raise _unknown(request.source)
        return reader()
    except MemoryError as error:
        raise InputError(_m("{file} needs more memory than there is."), file=short(name or "file")) from error


def _of_folder(files: tuple[Source, ...], ego: str | None, others: tuple[Source, ...]) -> Scenes:
    """The one file of a folder that holds scenes; the others accompany it."""
    for file in files:
        if nuscenes.table_of(file) == "sample_annotation":
            return nuscenes.read(file, ego, [other for other in (*files, *others) if other is not file])
    found = []
    for file in files:
        rest = tuple(other for other in files if other is not file)
        reader = _of_scenes(_Request(file, ego, (*rest, *others)))
        if reader is not None:
            found.append((file, reader))
    if len(found) != 1:
        raise InputError(
            _m("The folder holds {found} files of scenes; one was expected, or the path of one of them."),
            found=len(found),
        )
    return found[0][1]()


def _of_scenes(request: _Request) -> Reader | None:
    """The reader of a file in a folder; None for what holds no scenes, damaged or not."""
    try:
        return _reader(request)
    except InputError:
        return None


def _companions(given: Iterable[Given]) -> tuple[Source, ...]:
    found: list[Source] = []
    for one in given:
        # Empty files lie about in folders; one that was named is refused.
        inside = [path for path in files_in(one) if path.stat().st_size] if is_folder(one) else [one]
        found += [source_of(file) for file in inside]
    if len(found) > MOST_COMPANIONS:
        raise InputError(
            _m("{found} companions were handed over; at most {most} were expected."),
            found=len(found),
            most=MOST_COMPANIONS,
        )
    return tuple(found)


def _reader(request: _Request) -> Reader | None:
    """How to read the file; None where it is of no known format. Raises `InputError` where it is known and no scenes."""
    source = request.source
    if records.begins_with_checksum(source):
        return lambda: waymo.read(source, request.ego)
    for ways in (_parquet, _xml, _json, _text):
        reader = ways(request)
        if reader is not None:
            return reader
    if walkers.is_walkers(source):
        return lambda: walkers.read(source, request.ego)
    if records.may_be_records(source):
        return lambda: waymo.read(source, request.ego)
    return None


def _parquet(request: _Request) -> Reader | None:
    source = request.source
    if not parquet_tables.is_parquet(source):
        return None
    columns = parquet_tables.columns_of(source)
    if argoverse.is_argoverse(columns):
        return lambda: argoverse.read(source, request.ego, request.companions)
    if own.is_own(columns):
        return lambda: own.read_parquet(source, request.ego)
    raise _unknown_columns(source, columns)


def _xml(request: _Request) -> Reader | None:
    source = request.source
    root = root_of(source)
    if root is None:
        return None
    if root == commonroad.ROOT:
        return lambda: commonroad.read(source, request.ego)
    if root == SCRIPT:
        raise InputError(
            _m(
                "{file} is an OpenSCENARIO script, which has to be played and holds no tracks; attnviz.scenes.test_plan reads it."
            ),
            file=source.name,
        )
    raise InputError(
        _m("{file} is XML that begins with “{found}”; “commonRoad” was expected."), file=source.name, found=short(root)
    )


def _json(request: _Request) -> Reader | None:
    source = request.source
    if not source.text.startswith((b"{", b"[")):
        return None
    if nuscenes.table_of(source) is not None:
        return lambda: nuscenes.read(source, request.ego, request.companions)
    if argoverse.looks_like_map(source):
        raise InputError(
            _m("{file} is a map of Argoverse 2; its scenario was expected, with the map as a companion."),
            file=source.name,
        )
    if own.is_own_json(source):
        return lambda: own.read_json(source, request.ego)
    return None


def _text(request: _Request) -> Reader | None:
    source, ego = request.source, request.ego
    header = text_tables.header_of(source)
    if header is None:
        return None
    if interaction.is_interaction(header):
        return lambda: interaction.read(source, header, ego)
    if drones.is_crossing(header):
        return lambda: drones.read_crossing(source, header, ego, request.companions)
    if drones.is_highway(header):
        return lambda: drones.read_highway(source, header, ego, request.companions)
    if own.is_own(header.names):
        return lambda: own.read_text(source, header, ego)
    raise _unknown_columns(source, header.names)


def _unknown(source: Source) -> InputError:
    return InputError(
        _m("{file} is in no format that is read; {expected} was expected."), file=source.name, expected=Said(READABLE)
    )


def _unknown_columns(source: Source, columns: Sequence[str]) -> InputError:
    return InputError(
        _m("{file} has the columns {found}, which are those of no format that is read; {expected} was expected."),
        file=source.name,
        found=", ".join(short(name) for name in columns[:8]),
        expected=Said(READABLE),
    )
