"""Plans of tests from scripts of OpenSCENARIO."""

import pytest

from attnviz import scenes as rooms
from attnviz.base.errors import InputError

SCRIPT = b"""<?xml version="1.0"?><OpenSCENARIO>
<FileHeader revMajor="1" revMinor="3" date="2026-02-24" author="A" description="Child from behind a parked car">
<License name="MPL-2.0"/></FileHeader>
<ParameterDeclarations>
<ParameterDeclaration name="speed" parameterType="double" value="30"><ConstraintGroup>
<ValueConstraint rule="greaterOrEqual" value="10"/><ValueConstraint rule="lessOrEqual" value="60"/></ConstraintGroup>
</ParameterDeclaration>
<ParameterDeclaration name="side" parameterType="int" value="1"><ConstraintGroup><ValueConstraint rule="equalTo" value="1"/>
</ConstraintGroup><ConstraintGroup><ValueConstraint rule="equalTo" value="-1"/></ConstraintGroup></ParameterDeclaration>
<ParameterDeclaration name="late" parameterType="double" value="${$speed/3.6}"/>
</ParameterDeclarations>
<RoadNetwork><LogicFile filepath="road.xodr"/></RoadNetwork>
<Entities>
<ScenarioObject name="Ego"><Vehicle name="golf" vehicleCategory="car"><BoundingBox><Center x="1" y="0" z="0"/>
<Dimensions width="1.8" length="4.3" height="1.5"/></BoundingBox></Vehicle></ScenarioObject>
<ScenarioObject name="Child"><Pedestrian name="kid" pedestrianCategory="pedestrian"><BoundingBox>
<Dimensions width="$w" length="0.7" height="1.1"/></BoundingBox></Pedestrian></ScenarioObject>
<ScenarioObject name="Other"><CatalogReference catalogName="Vehicles" entryName="van_1"/></ScenarioObject>
</Entities><Storyboard/></OpenSCENARIO>"""

SPREAD = b"""<OpenSCENARIO><FileHeader revMajor="1" revMinor="1" description="d" author="a" date="x"/>
<ParameterValueDistribution><ScenarioFile filepath="child.xosc"/><Deterministic>
<DeterministicSingleParameterDistribution parameterName="speed"><DistributionRange stepWidth="10">
<Range lowerLimit="10" upperLimit="60"/></DistributionRange></DeterministicSingleParameterDistribution>
<DeterministicSingleParameterDistribution parameterName="side"><DistributionSet><Element value="1"/><Element value="-1"/>
</DistributionSet></DeterministicSingleParameterDistribution>
<DeterministicMultiParameterDistribution><ValueSetDistribution><ParameterValueSet>
<ParameterAssignment parameterRef="a" value="1"/><ParameterAssignment parameterRef="b" value="2"/></ParameterValueSet>
</ValueSetDistribution></DeterministicMultiParameterDistribution></Deterministic></ParameterValueDistribution></OpenSCENARIO>"""

RANDOM = b"""<OpenSCENARIO><FileHeader revMajor="1" revMinor="1" description="d" author="a" date="x"/>
<ParameterValueDistribution><ScenarioFile filepath="child.xosc"/><Stochastic numberOfTestRuns="9" randomSeed="1">
<StochasticDistribution parameterName="gap"><NormalDistribution expectedValue="1" variance="0.04">
<Range lowerLimit="0.5" upperLimit="1.5"/></NormalDistribution></StochasticDistribution></Stochastic>
</ParameterValueDistribution></OpenSCENARIO>"""


def test_who_takes_part_and_what_may_be_varied():
    plan = rooms.test_plan(SCRIPT)
    ego, child, other = plan.entities
    assert (ego.kind, ego.size.length, ego.size.width, ego.model) == ("car", 4.3, 1.8, "golf")
    # A width that is an expression is not known without playing the script.
    assert (child.kind, child.size) == ("pedestrian", None)
    assert (other.kind, other.catalogue) == (None, ("Vehicles", "van_1"))
    speed, side, late = plan.parameters
    assert (speed.type, speed.value, speed.range) == ("double", "30", (10.0, 60.0))
    assert [group[0].value for group in side.constraints] == ["1", "-1"]
    assert side.range is None
    assert late.value == "${$speed/3.6}"
    assert [parameter.name for parameter in plan.variable] == ["speed", "side"]
    assert (plan.version, plan.licence, plan.road) == ("1.3", "MPL-2.0", "road.xodr")
    assert "not played" in str(plan.notes[0])


def test_values_that_a_parameter_is_to_take():
    plan = rooms.test_plan(SPREAD)
    spread, listed, together = plan.distributions
    assert (spread.parameters, spread.law, spread.range, spread.step) == (("speed",), "range", ("10", "60"), "10")
    assert (listed.law, listed.values) == ("set", (("1",), ("-1",)))
    assert (together.parameters, together.values) == (("a", "b"), (("1", "2"),))
    assert plan.scenario == "child.xosc"


def test_random_laws():
    law = rooms.test_plan(RANDOM).distributions[0]
    assert (law.parameters, law.law, law.range) == (("gap",), "NormalDistribution", ("0.5", "1.5"))
    assert law.numbers == {"expectedValue": "1", "variance": "0.04"}


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (
            b'name="side" parameterType',
            b'name="speed" parameterType',
            "“ParameterDeclaration” speed: a name that no other",
        ),
        (b'ScenarioObject name="Child"', b'ScenarioObject name="Ego"', "“ScenarioObject” Ego: a name that no other"),
        (b'value="30"', b"", "“ParameterDeclaration” speed: a type and a value were expected"),
        (b'length="4.3"', b'length="long"', "“Vehicle” Ego: “long” was read in “Dimensions”"),
        (b"FileHeader", b"Header", "has no file header"),
        (b"OpenSCENARIO>", b"OpenDRIVE>", "begins with “OpenDRIVE”"),
        (b"</Entities>", b"", "the XML is cut short or damaged"),
    ],
)
def test_broken_scripts_are_one_sentence(before, after, sentence):
    with pytest.raises(InputError, match=sentence):
        rooms.test_plan(SCRIPT.replace(before, after, 2 if b"Header" in before or b"SCEN" in before else 1))


def test_a_script_is_no_scene():
    with pytest.raises(InputError, match=r"is an OpenSCENARIO script, which has to be played"):
        rooms.read(SCRIPT)
