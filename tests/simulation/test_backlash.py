"""Play of gears, racks, screws and joints: flights, impacts, which flank carries; against closed forms and pairs without play."""

import json
from math import pi

import numpy as np
import pytest
from test_unilateral import multiplier, told

import mbsim
from mbsim.analyses.static import balance
from mbsim.results import Result

FRAMES = [("2", ""), ("2", "coordinates: joint"), ("3", ""), ("3", "coordinates: joint")]
EVERYWHERE = pytest.mark.parametrize(("d", "coordinates"), FRAMES, ids=["plane", "plane in joint", "space", "space in joint"])
PAIR = """
dimension: {d}
{coordinates}
parameters: {{w: 0, e: 0, M: 0, play: 0.02, lower: -0.01, upper: 0.01}}
bodies:
  first: {{mass: 1, inertia: {one}, position: {origin}{spin}}}
  second: {{mass: 1, inertia: {other}, position: {beside}}}
joints:
  A: {{type: revolute, bodies: [ground, first], at: {origin}{axis}}}
  B: {{type: revolute, bodies: [ground, second], at: {beside}{axis}}}
  mesh: {{type: gear, joints: [A, B], teeth: [20, 40]{play}}}
forces:
  motor: {{type: joint_torque, joint: A, value: "{torque}"}}
simulation: {{end: {end}}}
{initial}
"""


def pair(
    d: str,
    coordinates: str,
    torque: str = "M",
    end: float = 1.0,
    play: str = ", backlash: {play: play, restitution: e}",
    **parameters: float,
) -> Result:
    """Two gears with 0.02 and 0.05 kg m2 and the ratio -2."""
    space = d == "3"
    filled = PAIR.format(
        d=d, coordinates=coordinates, torque=torque, end=end, play=play,
        one=[0.02] * 3 if space else 0.02, other=[0.05] * 3 if space else 0.05,
        spin="" if coordinates else f", angular_velocity: {'[0, 0, w]' if space else 'w'}",
        initial="initial: {der(A.angle): w}" if coordinates else "",
        origin=[0] * int(d), beside=[0.3, 0, 0][: int(d)], axis=", axis: [0, 0, 1]" if space else "",
    )  # fmt: skip
    return mbsim.simulate(mbsim.load_model(filled, parameters=parameters), rtol=1e-10, atol=1e-12)


def turned(result: Result, joint: str) -> np.ndarray:
    """The rate of a joint in time, rad/s."""
    measured = result.to_xarray()
    return np.asarray(measured["body_angular_velocity"].sel(body={"A": "first", "B": "second"}[joint], xyz="z"))


@EVERYWHERE
def test_a_wheel_rattles_between_the_flanks(d: str, coordinates: str) -> None:
    """From flank to flank it takes the play over the speed, which e shortens at each; 2 momenta of the first and one of the second stay."""
    result = pair(d, coordinates, w=1.0, e=0.8, end=0.45)
    found = [line for line in result.events if line["do"] == "impact"]
    speed = 0.5  # of the play: 1 / 2 of the first's
    at = 0.01 / speed
    assert [line["event"] for line in found[:4]] == ["mesh_upper", "mesh_lower", "mesh_upper", "mesh_lower"]
    for line in found:
        assert line["time"] == pytest.approx(at, abs=1e-9)
        assert line["gap_speed"] == pytest.approx([-speed, 0.8 * speed], abs=1e-9)
        speed *= 0.8
        at += 0.02 / speed
    assert len(found) == 6
    w1, w2 = turned(result, "A"), turned(result, "B")
    assert 2.0 * 0.02 * w1 - 0.05 * w2 == pytest.approx(2.0 * 0.02, abs=1e-11)
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-10


@EVERYWHERE
def test_the_load_turns_and_the_other_flank_takes_it(d: str, coordinates: str) -> None:
    """It leaves a flank when the torque is zero, flies freely, and is caught without rebound, over many turns."""
    result = pair(d, coordinates, "M*sin(3*t)", 4.0, M=1.0)
    happened = [(line["event"], line["do"]) for line in result.events if line["do"] != "impact"]
    flanks = [("mesh_upper", "closed"), ("mesh_upper", "open"), ("mesh_lower", "closed"), ("mesh_lower", "open")]
    assert happened == (flanks * 3)[: len(happened)]
    assert len(happened) >= 5
    opened = [line["time"] for line in result.events if line["do"] == "open"]
    assert opened == pytest.approx([pi / 3.0 * k for k in range(1, len(opened) + 1)], abs=1e-9)
    w1, w2, t = turned(result, "A"), turned(result, "B"), np.asarray(result.time)
    assert 2.0 * 0.02 * w1 - 0.05 * w2 == pytest.approx(2.0 / 3.0 * (1.0 - np.cos(3.0 * t)), abs=1e-8)
    closed = [line["time"] for line in result.events if line["do"] == "closed"]
    carries = (t > closed[0] + 1e-6) & (t < opened[0] - 1e-6)
    assert w1[carries] == pytest.approx(-2.0 * w2[carries], abs=1e-9)
    # what the upper flank bears: 0.05 w2' with (0.02 + 0.05 / 4) w1' = M sin(3 t)
    assert multiplier(result, "mesh_upper")[carries] == pytest.approx(-0.05 / 2.0 / 0.0325 * np.sin(3.0 * t[carries]), abs=1e-8)
    assert np.abs(multiplier(result, "mesh_lower")[carries]).max() == 0.0
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-7


@EVERYWHERE
def test_pressed_to_a_flank_it_is_the_pair_without_play(d: str, coordinates: str) -> None:
    """Drawn at the flank: the twin without backlash has the same motion and the same force."""
    torque = "1 + 0.3*sin(5*t)"
    at_flank = pair(d, coordinates, torque, 2.0, ", backlash: {lower: lower, upper: upper}", lower=-0.02, upper=0.0)
    twin = pair(d, coordinates, torque, 2.0, "")
    assert told(at_flank) == [(0.0, "closed")]
    assert np.asarray(at_flank["q"])[-1] == pytest.approx(np.asarray(twin["q"])[-1], abs=1e-8)
    assert multiplier(at_flank, "mesh_upper")[-1] == pytest.approx(multiplier(twin, "mesh")[-1], abs=1e-8)


def test_a_train_of_three_wheels() -> None:
    """Two meshes one after the other: the torque passes to the last wheel, and the ratio counts from flank to flank."""
    text = """
dimension: 2
bodies:
  one: {mass: 1, inertia: 0.02, position: [0, 0]}
  two: {mass: 1, inertia: 0.03, position: [0.3, 0]}
  three: {mass: 1, inertia: 0.05, position: [0.6, 0]}
joints:
  A: {type: revolute, bodies: [ground, one], at: [0, 0]}
  B: {type: revolute, bodies: [ground, two], at: [0.3, 0]}
  C: {type: revolute, bodies: [ground, three], at: [0.6, 0]}
  first: {type: gear, joints: [A, B], teeth: [20, 20], backlash: 0.01}
  last: {type: gear, joints: [B, C], teeth: [20, 40], backlash: {lower: -0.004, upper: 0.012}}
forces: {motor: {type: joint_torque, joint: A, value: 2}}
simulation: {end: 1}
"""
    result = mbsim.simulate(text)
    carrying = {line["event"] for line in result.events if line["do"] == "closed"}
    assert carrying >= {"first_upper", "last_lower"}
    a, b, c = np.asarray(result["q"])[-1, [2, 5, 8]]
    assert (a + b, c + b / 2.0) == pytest.approx((0.005, -0.004), abs=1e-12)
    assert np.asarray(result["v"])[-1, 8] > 0.0
    assert multiplier(result, "last_lower")[-1] == pytest.approx(0.05 * 0.5 * 2.0 / (0.02 + 0.03 + 0.05 / 4.0), abs=1e-9)


RACK = """
{coordinates}
gravity: [0, 0, -9.81]
bodies:
  pinion: {{mass: 4, inertia: [0.02, 0.02, 0.02]}}
  rack: {{mass: 3, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, -0.5]}}
joints:
  axle: {{type: revolute, bodies: [ground, pinion], at: [0, 0, 0], axis: [0, 1, 0]}}
  fall: {{type: prismatic, bodies: [ground, rack], at: [0.1, 0, -0.5], axis: [0, 0, -1]}}
  mesh: {{type: rack_and_pinion, joints: [axle, fall], radius: -0.1{play}}}
simulation: {{end: {end}}}
"""


@pytest.mark.parametrize("coordinates", ["", "coordinates: joint"], ids=["absolute", "joint"])
def test_a_rack_falls_through_its_play_and_takes_the_pinion_along(coordinates: str) -> None:
    """1 mm to the flank; then 3 kg and the 2 kg that the pinion is at the pitch line share the momentum. It goes on for many turns."""
    result = mbsim.simulate(RACK.format(coordinates=coordinates, play=", backlash: 0.002", end=3.0))
    hit = next(line for line in result.events if line["do"] == "impact")
    speed = np.sqrt(2.0 * 9.81 * 0.001)
    assert (hit["event"], hit["time"]) == ("mesh_upper", pytest.approx(speed / 9.81, abs=1e-9))
    assert hit["impulses"]["mesh_upper"] == pytest.approx(2.0 * 3.0 / 5.0 * speed, abs=1e-8)
    after = 3.0 / 5.0 * speed + 0.6 * 9.81 * (3.0 - hit["time"])
    assert np.asarray(result.to_xarray()["body_velocity"].sel(body="rack", xyz="z"))[-1] == pytest.approx(-after, abs=1e-7)
    assert multiplier(result, "mesh_upper")[-1] == pytest.approx(-0.4 * 3.0 * 9.81, abs=1e-7)


SCREW = """
{coordinates}
gravity: [0, 0, -9.81]
parameters: {{pitch: 0.01}}
bodies: {{nut: {{mass: 2, inertia: [0.001, 0.001, 0.001]}}}}
joints:
  screw: {{type: {type}, bodies: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1]{pitch}}}
  {thread}
simulation: {{end: 2}}
"""


@pytest.mark.parametrize("coordinates", ["", "coordinates: joint"], ids=["absolute", "joint"])
def test_a_screw_with_play_is_a_cylindrical_joint_with_a_rack(coordinates: str) -> None:
    """The nut falls onto the thread; from there on it runs down as on a screw without play."""
    thread = "thread: {type: rack_and_pinion, joints: [screw, screw], radius: pitch, backlash: {lower: -0.001, upper: 0}}"
    loose = mbsim.simulate(SCREW.format(coordinates=coordinates, type="cylindrical", pitch="", thread=thread))
    tight = mbsim.simulate(SCREW.format(coordinates=coordinates, type="helical", pitch=", pitch: pitch", thread=""))
    hit = next(line for line in loose.events if line["do"] == "impact")
    assert (hit["event"], hit["time"]) == ("thread_lower", pytest.approx(np.sqrt(2.0 * 0.001 / 9.81), abs=1e-9))
    inertia = 2.0 + 0.001 / 0.01**2
    start = 2.0 / inertia * np.sqrt(2.0 * 9.81 * 0.001)
    spun = [np.asarray(one.to_xarray()["body_angular_velocity"].sel(body="nut", xyz="z"))[-1] for one in (loose, tight)]
    assert spun[1] == pytest.approx(-2.0 * 9.81 / inertia / 0.01 * 2.0, abs=1e-6)
    assert spun[0] == pytest.approx(spun[1] * (2.0 - hit["time"]) / 2.0 - start / 0.01, abs=1e-6)


def test_a_joint_with_play_is_one_with_two_stops() -> None:
    """A claw coupling: the joint of both shafts turns by the play."""
    text = """
dimension: 2
bodies:
  shaft: {mass: 1, inertia: 0.02, position: [0, 0], angular_velocity: 2}
  hub: {mass: 1, inertia: 0.03, position: [0, 0]}
joints:
  bearing: {type: revolute, bodies: [ground, shaft], at: [0, 0]}
  claw: {type: revolute, bodies: [shaft, hub], at: [0, 0], KEY}
simulation: {end: 0.5}
"""
    play = mbsim.simulate(text.replace("KEY", "backlash: {play: 0.05, restitution: 0.6, closing_speed: 1.0e-3}"))
    stops = mbsim.simulate(text.replace("KEY", "stops: {lower: -0.025, upper: 0.025, restitution: 0.6, closing_speed: 1.0e-3}"))
    assert play.events == stops.events
    assert len(play.events) == 5
    assert np.array_equal(np.asarray(play["q"]), np.asarray(stops["q"]))


def test_at_rest_a_flank_carries() -> None:
    """A weight on the second wheel's drum, the first held by a spring: the equilibrium has the flank's torque."""
    text = """
dimension: 2
gravity: [0, -9.81]
bodies:
  first: {mass: 1, inertia: 0.02, position: [0, 0]}
  second: {mass: 1, inertia: 0.05, position: [0.4, 0], angle: 0}
joints:
  A: {type: revolute, bodies: [ground, first], at: [0, 0]}
  B: {type: revolute, bodies: [ground, second], at: [0.3, 0]}
  mesh: {type: gear, joints: [A, B], teeth: [20, 40], backlash: 0.02}
forces: {spring: {type: rotational_spring_damper, joint: A, stiffness: 5, damping: 0.1}}
simulation: {end: 1}
"""
    found = balance(mbsim.assemble(mbsim.load_model(text)))
    (flank,) = found.touching
    assert flank.name == "mesh_lower"
    state = dict(zip(found.made.system.coordinates, found.q, strict=True))
    first, second = state["first.angle"], state["second.angle"]
    assert second + first / 2.0 == pytest.approx(-0.01, abs=1e-9)
    assert flank.normal == pytest.approx(9.81 * 0.1 * np.cos(second), abs=1e-8)
    assert 5.0 * first == pytest.approx(flank.normal / 2.0, abs=1e-8)


WRONG = {
    "backlash: -0.1": "must be greater than 0",
    "backlash: [0.1]": "expected a number or a block",
    "backlash: {play: 0.1, lower: -1, upper: 1}": "give either 'play' or both 'lower' and 'upper'",
    "backlash: {lower: -1}": "give either 'play' or both 'lower' and 'upper'",
    "backlash: {lower: 1, upper: -1}": "lower must be less than upper",
    "backlash: {play: 0.1, restitution: 2}": "must not be greater than 1",
    "backlash: {play: 0.1, coordinate: angle}": "unknown key 'coordinate'",
    "backlash: 0.1, locked: false": "with 'backlash' cannot come and go",
}
PLAIN = PAIR.format(
    d=2, coordinates="", torque="M", end=1, play=", KEYS", one=1, other=1, spin="", initial="", origin="[0, 0]", beside="[0.3, 0]", axis=""
)  # fmt: skip


@pytest.mark.parametrize("keys", WRONG)
def test_what_is_refused(keys: str) -> None:
    with pytest.raises(mbsim.ModelError, match=WRONG[keys]) as error:
        mbsim.load_model(PLAIN.replace("KEYS", keys))
    assert error.value.problems[0].line == 11


def test_what_joints_refuse() -> None:
    screw = SCREW.format(coordinates="", type="helical", pitch=", pitch: pitch, backlash: 0.1", thread="")
    with pytest.raises(mbsim.ModelError, match=r"use a cylindrical joint and a rack_and_pinion .* \(joints: \[screw, screw\]"):
        mbsim.load_model(screw)
    both = PLAIN.replace(", KEYS", "").replace("at: [0, 0]", "at: [0, 0], stops: {lower: -1}, backlash: 0.1")
    with pytest.raises(mbsim.ModelError, match="has stops already: backlash is two of them"):
        mbsim.load_model(both)
    with pytest.raises(mbsim.ModelError, match="needs two different joints"):
        mbsim.load_model(PLAIN.replace(", KEYS", "").replace("joints: [A, B]", "joints: [A, A]"))


def test_what_events_lock_has_none() -> None:
    locked = PLAIN.replace("KEYS", "backlash: 0.1") + "events: {catch: {when: t - 0.5, do: {unlock: mesh}}}\n"
    with pytest.raises(mbsim.ModelError, match="what events lock and unlock has no backlash"):
        mbsim.assemble(mbsim.load_model(locked))


def test_in_space_a_play_as_large_as_half_a_tooth_is_refused_in_absolute_coordinates() -> None:
    """Angles are known up to full turns there, and the pair up to half of one."""
    with pytest.raises(mbsim.ModelError, match=r"a flank must be nearer than .* use `coordinates: joint`"):
        pair("3", "", play=", backlash: 6.3")
    assert pair("3", "coordinates: joint", play=", backlash: 6.3").events == []


def test_its_row_is_at_the_flanks() -> None:
    """`multiplier.mesh` is not known to events: the rows are `mesh_lower` and `mesh_upper`."""
    with pytest.raises(mbsim.ModelError, match=r"multiplier\.mesh"):
        mbsim.load_model(PLAIN.replace("KEYS", "backlash: 0.1") + "events: {e: {when: multiplier.mesh - 1}}\n")


def test_it_is_drawn_as_without() -> None:
    def drawn(keys: str) -> object:
        return json.loads(mbsim.assemble(mbsim.load_model(PLAIN.replace("KEYS", keys))).described())["gears"]

    assert drawn("backlash: 0.1") == drawn("internal: false")
