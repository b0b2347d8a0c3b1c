"""What is refused of contacts that resist rolling and drilling."""

import pytest
from test_rolling_resistance import DISK

import mbsim
from mbsim.march.settings import resolve
from mbsim.march.windows import Windows

WRONG = {
    "rolling_resistance: -1": "must not be negative",
    "rolling_resistance: fast": "unknown",
    "drilling_resistance: 0.1": "three dimensions only",
    "rolling: 0.1": "unknown key 'rolling'",
}


@pytest.mark.parametrize("keys", WRONG)
def test_what_is_refused(keys: str) -> None:
    with pytest.raises(mbsim.ModelError, match=WRONG[keys]) as error:
        mbsim.load_model(DISK.format(coordinates="").replace("rolling_resistance: f", keys))
    assert error.value.problems[0].line == 14


BOX = """
dimension: {d}
bodies: {{crate: {{mass: 1, inertia: {inertia}, position: {at}, shape: {{type: box, size: {size}}}}}}}
contacts: {{floor: {{bodies: [crate, ground], plane: {{normal: {up}}}, {keys}}}}}
simulation: {{end: 1}}
"""


def test_a_corner_of_a_box_does_not_roll() -> None:
    planar = {"d": 2, "inertia": 1, "at": [0, 1], "size": [1, 1], "up": [0, 1]}
    spatial = {"d": 3, "inertia": [1, 1, 1], "at": [0, 0, 1], "size": [1, 1, 1], "up": [0, 0, 1]}
    for sizes, key in ((planar, "rolling_resistance"), (spatial, "rolling_resistance"), (spatial, "drilling_resistance")):
        with pytest.raises(mbsim.ModelError, match=f"'{key}' is known of what is round and of `points`: crate touches ground by a corner"):
            mbsim.assemble(mbsim.load_model(BOX.format(**sizes, keys=f"{key}: 0.01")))


def test_a_gap_of_own_coordinates_has_no_resistance() -> None:
    text = """
coordinates: [y]
energy: {kinetic: der(y)^2/2, potential: 9.81*y}
contacts: {floor: {gap: y, rolling_resistance: 0.1}}
simulation: {end: 1}
"""
    with pytest.raises(mbsim.ModelError, match="'rolling_resistance' is known of bodies that touch"):
        mbsim.load_model(text)


def test_steps_do_not_go_through_resistance() -> None:
    """Asked for, they are refused; `auto` stays with events, and a crowd of these ends the run in their own words."""
    made = mbsim.assemble(mbsim.load_model(DISK.format(coordinates="")))
    with pytest.raises(ValueError, match=r"impacts: steps does not know contacts that resist rolling or drilling \(\w+_rolling\)"):
        mbsim.simulate(mbsim.load_model(DISK.format(coordinates="")), impacts="steps")
    assert not Windows(made, resolve(made.simulation, made.whole, {}, False)).may
