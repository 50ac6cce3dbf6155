"""The table of chips: what its sources say, and what may never stand in it."""

import pytest

from attnviz.base.errors import InputError
from attnviz.cost.chips import TABLE, Chip, chips
from attnviz.cost.tables import read


def test_dense_rates_and_bandwidths_are_those_of_the_sources():
    found = {name: (chip.tflops, chip.gigabytes) for name, chip in chips().items()}
    assert found == {
        "h200": (989.5, 4800.0),
        "a100": (312.0, 2039.0),
        "rtx4090": (165.2, 1008.0),
        "orin": (42.6, 204.8),
        "thor": (258.75, 273.0),
    }


@pytest.mark.parametrize(
    ("name", "operations"), [("h200", 206), ("a100", 153), ("rtx4090", 164), ("orin", 208), ("thor", 948)]
)
def test_ridge_points(name, operations):
    assert round(chips()[name].ridge) == operations


def test_derived_figures_are_marked_and_every_figure_has_a_source():
    assert [name for name, chip in chips().items() if chip.derived] == ["orin", "thor"]
    assert all(chip.source for chip in chips().values())
    assert chips()["orin"].proxy_for == ("DRIVE Orin",)
    assert chips()["thor"].proxy_for == ("DRIVE Thor",)


# What data sheets advertise: sparse fp16, sparse INT8, sparse FP4.
@pytest.mark.parametrize(
    ("wrong", "sheet"),
    [
        (1979.0, "sparse_fp16 = 1979.0"),
        (170.0, "sparse_int8 = 170.0"),
        (2070.0, "sparse_fp4 = 2070.0"),
        (254.0, "dense_int8 = 254.0"),
    ],
)
def test_an_advertised_figure_is_not_taken_for_dense_fp16(tmp_path, wrong, sheet):
    table = tmp_path / "chips.toml"
    table.write_text(f'[it]\nname = "It"\ntflops = {wrong}\ngigabytes = 100.0\nsource = "sheet"\n[it.sheet]\n{sheet}\n')
    with pytest.raises(InputError, match="cannot be dense fp16"):
        read(table, Chip)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("tflops = 312.0", "tflops = -312.0", "a100 › tflops"),
        ("tflops = 312.0", 'tflops = "312"', "a100 › tflops"),
        ("tflops = 312.0", "tflops = nan", "a100 › tflops"),
        ('source = "glenn', 'sauce = "glenn', "a100 › s"),
        ("[a100]", "[a100", "chips.toml could not be read"),
    ],
)
def test_a_broken_table_is_refused_in_a_sentence(tmp_path, before, after, said):
    table = tmp_path / "chips.toml"
    table.write_text(TABLE.read_text(encoding="utf-8").replace(before, after, 1), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read(table, Chip)
    assert said in str(refused.value)
