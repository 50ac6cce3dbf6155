"""OpenSCENARIO: a script that a simulator plays, not tracks; what of it makes a plan of tests is read.

After ASAM OpenSCENARIO XML 1.3: FileHeader, ParameterDeclarations with constraint groups, Entities, and, in files of
their own, ParameterValueDistribution. Expressions (“${…}”) are shown as they stand and never evaluated.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar
from xml.etree.ElementTree import Element as Node

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.kinds import Kind, Size
from attnviz.scenes.reading.places import Element, short
from attnviz.scenes.reading.source import Given, Source, source_of
from attnviz.scenes.reading.xml_elements import children_of, number_of
from attnviz.trace import Note

ROOT = "OpenSCENARIO"
MOST_PARTS = 10_000
MOST_SIGNS = 500

# vehicleCategory and pedestrianCategory of the standard, as far as we have such road users.
VEHICLES: dict[str, Kind] = {
    "car": "car", "van": "van", "bus": "bus", "truck": "truck", "semitrailer": "truck", "motorbike": "motorcyclist",
    "bicycle": "cyclist",
}  # fmt: skip
PEDESTRIANS: dict[str, Kind] = {"pedestrian": "pedestrian", "wheelchair": "pedestrian"}


@dataclass(frozen=True)
class Constraint:
    """What a value must fulfil, as the file writes it: a rule such as “greaterOrEqual”, and a value or an expression."""

    rule: str
    value: str


@dataclass(frozen=True)
class Parameter:
    """A parameter as it is declared. constraints: groups, of which one has to be fulfilled in all its parts."""

    name: str
    type: str
    value: str
    constraints: tuple[tuple[Constraint, ...], ...] = ()

    @property
    def range(self) -> tuple[float, float] | None:
        """The least and the greatest number that the only group of constraints allows; None where there is no such range."""
        if len(self.constraints) != 1:
            return None
        ends: dict[str, list[float]] = {"greater": [], "less": []}
        for constraint in self.constraints[0]:
            try:
                value = float(constraint.value)
            except ValueError:
                return None
            for side, found in ends.items():
                if constraint.rule.startswith(side):
                    found.append(value)
        if not ends["greater"] or not ends["less"]:
            return None
        return max(ends["greater"]), min(ends["less"])


@dataclass(frozen=True)
class Entity:
    """Somebody or something that takes part. kind, size: None where a catalogue says it, which is another file.

    catalogue: the catalogue and the entry in it, where the entity comes from one.
    """

    name: str
    kind: Kind | None = None
    size: Size | None = None
    model: str = ""
    catalogue: tuple[str, str] | None = None


@dataclass(frozen=True)
class Distribution:
    """Values that a parameter is to take: a list, or a range with a step; or a random law with its numbers.

    law: “set”, “range”, “values” (several parameters at once), or the name of the random law in the file.
    """

    parameters: tuple[str, ...]
    law: str
    values: tuple[tuple[str, ...], ...] = ()
    range: tuple[str, str] | None = None
    step: str = ""
    numbers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TestPlan:
    """What a script of OpenSCENARIO says of tests: who takes part, which numbers may be varied and how.

    scenario: the file that a distribution of values belongs to. road: the file of the road network. licence: as the
    header has it. notes: what is not read.
    """

    __test__: ClassVar[bool] = False  # pytest takes every class of such a name for tests

    description: str
    author: str
    date: str
    version: str
    licence: str
    road: str
    scenario: str
    entities: tuple[Entity, ...]
    parameters: tuple[Parameter, ...]
    distributions: tuple[Distribution, ...]
    notes: tuple[Note, ...] = ()

    @property
    def variable(self) -> tuple[Parameter, ...]:
        """The parameters whose constraints say what other values they may take."""
        return tuple(parameter for parameter in self.parameters if parameter.constraints)


def test_plan(source: Given, name: str = "") -> TestPlan:  # noqa: PT028 - no test
    """The plan of tests in an .xosc file: its path, bytes or an open binary file.

    Raises `InputError` for what is no OpenSCENARIO, is damaged, or declares something twice.
    """
    file = source_of(source, name)
    parts: dict[str, Node] = {}
    for root, node in children_of(file):
        if root.tag != ROOT:
            raise InputError(
                _m("{file} is XML that begins with “{found}”; “{expected}” was expected."),
                file=file.name,
                found=short(root.tag),
                expected=ROOT,
            )
        if node.tag in parts:
            raise InputError(
                _m("{file} has two elements “{name}”; one was expected."), file=file.name, name=short(node.tag)
            )
        # The storyboard is what is long, and is not read.
        parts[node.tag] = Node(node.tag) if node.tag == "Storyboard" else node
    return _plan(parts, file)


def _plan(parts: dict[str, Node], file: Source) -> TestPlan:
    header = parts.get("FileHeader")
    if header is None or not {"Entities", "ParameterValueDistribution"} & set(parts):
        raise InputError(
            _m("{file} has no file header, or neither entities nor a distribution of values, which were expected."),
            file=file.name,
        )
    about = {name: _cut(header.get(name)) for name in ("description", "author", "date", "revMajor", "revMinor")}
    entities = tuple(_entity(node, file.name) for node in _all(parts, "Entities", "ScenarioObject", file))
    parameters = tuple(
        _parameter(node, file.name) for node in _all(parts, "ParameterDeclarations", "ParameterDeclaration", file)
    )
    _check_once([entity.name for entity in entities], "ScenarioObject", file.name)
    _check_once([parameter.name for parameter in parameters], "ParameterDeclaration", file.name)
    distribution = parts.get("ParameterValueDistribution")
    licence = header.find("License")
    road = parts.get("RoadNetwork")
    notes = [Note(_m("A script is read for its entities and parameters alone; it is not played."))]
    elsewhere = sum(entity.catalogue is not None for entity in entities)
    if elsewhere:
        notes.append(
            Note(
                _m("Entities whose kind and size stand in a catalogue, which is another file: {count}."),
                {"count": elsewhere},
            )
        )
    return TestPlan(
        description=about["description"],
        author=about["author"],
        date=about["date"],
        version=f"{about['revMajor']}.{about['revMinor']}",
        licence="" if licence is None else _cut(licence.get("name") or licence.text),
        road="" if road is None else _attribute(road, "LogicFile", "filepath"),
        scenario="" if distribution is None else _attribute(distribution, "ScenarioFile", "filepath"),
        entities=entities,
        parameters=parameters,
        distributions=() if distribution is None else tuple(_distributions(distribution, file.name)),
        notes=tuple(notes),
    )


def _all(parts: dict[str, Node], part: str, name: str, file: Source) -> list[Node]:
    found = parts[part].findall(name) if part in parts else []
    if len(found) > MOST_PARTS:
        raise InputError(
            _m("{place} has {found} elements “{name}”; at most {most} were expected."),
            place=Element(file.name, part),
            found=len(found),
            name=name,
            most=MOST_PARTS,
        )
    return found


def _check_once(names: list[str], element: str, file: str) -> None:
    ordered = sorted(names)
    twice = next((name for name, following in pairwise(ordered) if name == following), None)
    if twice is not None or "" in names:
        raise InputError(
            _m("{place}: a name that no other element of its kind has was expected."),
            place=Element(file, element, short(twice or "")),
        )


def _parameter(node: Node, file: str) -> Parameter:
    name = _cut(node.get("name"))
    groups = tuple(
        tuple(Constraint(_cut(one.get("rule")), _cut(one.get("value"))) for one in group.findall("ValueConstraint"))
        for group in node.findall("ConstraintGroup")
    )
    if node.get("value") is None or not node.get("parameterType"):
        raise InputError(_m("{place}: a type and a value were expected."), place=Element(file, node.tag, short(name)))
    return Parameter(name, _cut(node.get("parameterType")), _cut(node.get("value")), groups)


def _entity(node: Node, file: str) -> Entity:
    name = _cut(node.get("name"))
    reference = node.find("CatalogReference")
    if reference is not None:
        return Entity(name, catalogue=(_cut(reference.get("catalogName")), _cut(reference.get("entryName"))))
    for tag, attribute, kinds in (
        ("Vehicle", "vehicleCategory", VEHICLES),
        ("Pedestrian", "pedestrianCategory", PEDESTRIANS),
        ("MiscObject", "miscObjectCategory", {}),
    ):
        body = node.find(tag)
        if body is not None:
            kind = kinds.get(body.get(attribute, ""), "obstacle")
            return Entity(name, kind, _size(body, Element(file, tag, short(name))), _cut(body.get("name")))
    return Entity(name)


def _size(body: Node, place: Element) -> Size | None:
    """The bounding box; None where it is missing or an expression."""
    box = body.find("BoundingBox/Dimensions")
    sides = [box.get(name) for name in ("length", "width")] if box is not None else [None, None]
    if any(side is None or side.startswith("$") for side in sides):
        return None
    return Size(*(number_of(side, place, "Dimensions") for side in sides))


def _distributions(node: Node, file: str) -> list[Distribution]:
    found = []
    for one in node.iter("DeterministicSingleParameterDistribution"):
        found.append(_single(_cut(one.get("parameterName")), one))
    for several in node.iter("ValueSetDistribution"):
        sets = [
            {
                _cut(value.get("parameterRef")): _cut(value.get("value"))
                for value in group.findall("ParameterAssignment")
            }
            for group in several.findall("ParameterValueSet")
        ]
        names = tuple(dict.fromkeys(name for group in sets for name in group))
        found.append(
            Distribution(names, "values", tuple(tuple(group.get(name, "") for name in names) for group in sets))
        )
    for random in node.iter("StochasticDistribution"):
        for law in random:
            ends = law.find("Range")
            weighed = law.findall("Element")
            found.append(
                Distribution(
                    (_cut(random.get("parameterName")),),
                    short(law.tag),
                    tuple((_cut(value.get("value")), _cut(value.get("weight"))) for value in weighed),
                    None if ends is None else (_cut(ends.get("lowerLimit")), _cut(ends.get("upperLimit"))),
                    numbers={name: _cut(value) for name, value in law.attrib.items()},
                )
            )
    if not found:
        raise InputError(
            _m("{place}: distributions of values of parameters were expected."), place=Element(file, node.tag)
        )
    return found


def _single(name: str, node: Node) -> Distribution:
    spread, ends = node.find("DistributionRange"), node.find("DistributionRange/Range")
    if spread is not None and ends is not None:
        limits = (_cut(ends.get("lowerLimit")), _cut(ends.get("upperLimit")))
        return Distribution((name,), "range", range=limits, step=_cut(spread.get("stepWidth")))
    values = node.findall("DistributionSet/Element")
    return Distribution((name,), "set", tuple((_cut(value.get("value")),) for value in values))


def _attribute(node: Node, path: str, name: str) -> str:
    found = node.find(path)
    return "" if found is None else _cut(found.get(name))


def _cut(text: str | None) -> str:
    return (text or "").strip()[:MOST_SIGNS]
