"""Reading by names and labels."""

import numpy as np
import pytest
import synthetic

from mbsim.results import ResultError, open_result


@pytest.fixture
def result(file):
    with open_result(file) as opened:
        yield opened


EXPECTED = synthetic.rows(0, 200)


def test_mapping(result):
    assert "q" in result
    assert "crank.x" not in result
    assert result.names()[:3] == list(result)[:3] == ["time", "q", "v"]
    assert result.dimensions("joint_force") == ("time", "joint", "xyz")
    np.testing.assert_array_equal(result.time, EXPECTED["time"])
    np.testing.assert_array_equal(result["joint_reaction_unique"], [1, 1, 1, 0])


def test_what_is_no_name_is_an_error_of_ours(result):
    with pytest.raises(ResultError, match="no variable or label 0"):
        result[0]


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        (("q", "crank.x"), EXPECTED["q"][:, 0]),
        (("crank.x",), EXPECTED["q"][:, 0]),
        (("der(rod.angle)",), EXPECTED["v"][:, 5]),
        (("acceleration", "der(rod.angle)"), EXPECTED["acceleration"][:, 5]),
        (("A[1]",), EXPECTED["multiplier"][:, 3]),
        (("motor",), EXPECTED["driver_effort"][:, 0]),  # the driver, before the constraint of that name
        (("multiplier", "motor"), EXPECTED["multiplier"][:, 8]),
        (("A",), EXPECTED["joint_force"][:, 1]),
        (("A", "y"), EXPECTED["joint_force"][:, 1, 1]),
        (("body_position", "slider"), EXPECTED["body_position"][:, 2]),
        (("body_position", "slider", "x"), EXPECTED["body_position"][:, 2, 0]),
        (("body_orientation", "rod", "w"), EXPECTED["body_orientation"][:, 1, 0]),
        (("rod",), EXPECTED["body_position"][:, 1]),
        (("energy_work",), EXPECTED["energy_work"]),
    ],
    ids=lambda value: ":".join(value) if isinstance(value, tuple) else "",
)
def test_select(result, arguments, values):
    np.testing.assert_array_equal(result.select(*arguments), values)


def test_units(result):
    assert result.units("q") == "1"
    assert result.units("q", "crank.angle") == "rad"
    assert result.units("acceleration", "der(crank.angle)") == "rad s-2"
    assert result.units("driver_effort") == "N m"
    assert result.units("joint_torque", "A") == "N m"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("crank.angel",), "no variable or label 'crank.angel'; did you mean 'crank.angle'?"),
        (("q", "crank.angel"), "no coordinate 'crank.angel'; did you mean 'crank.angle'?"),
        (("joint_force", "C"), "no joint 'C'; it has O, A, B, guide"),
        (("joint_force", "A", "w"), "no xyz 'w'; it has x, y, z"),
        (("q", "crank.x", "x"), "q has the dimensions time, coordinate; too many labels: crank.x, x"),
    ],
    ids=lambda value: ":".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_names_say_what_is_close(result, arguments, message):
    with pytest.raises(ResultError) as caught:
        result.select(*arguments)
    assert message in str(caught.value)


def test_unknown_variable(result):
    with pytest.raises(ResultError, match="no variable or label 'joint_forces'; did you mean 'joint_force'"):
        result["joint_forces"]


def test_reading_after_close(file):
    opened = open_result(file)
    opened.close()
    with pytest.raises(ResultError, match="is closed"):
        opened["q"]
