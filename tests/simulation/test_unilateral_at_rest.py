"""What holds a mechanism at rest, while loads change that do not move it."""

import numpy as np
import pytest

import mbsim

PRESSED = """
dimension: 2
{more}bodies: {{block: {{mass: 1, inertia: 1, position: [0, 0]}}}}
joints: {{rail: {{type: prismatic, bodies: [ground, block], at: [0, 0], axis: [1, 0], stops: {{lower: 0}}{friction}}}}}
forces: {{push: {{type: force, body: block, value: ["-1 - 2.9*cos({w}*t)", 0]}}}}
simulation: {{end: 5}}
"""
MARCHES = [
    {},
    {"method": "lagrange", "integrator": "rk45"},
    {"method": "generalized_alpha"},
    {"integrator": "radau"},
    {"integrator": "rk4", "step": 2e-3},
]


@pytest.mark.parametrize("march", MARCHES, ids=lambda march: "-".join(map(str, march.values())) or "default")
@pytest.mark.parametrize("w", [2, 3, 8, 20, 90])
def test_a_stop_lets_go_when_the_load_turns(w: int, march: dict[str, object]) -> None:
    """Nothing moves before, so no error bounds the steps: they must not go past the moment, nor past a whole period."""
    result = mbsim.simulate(mbsim.load_model(PRESSED.format(more="", friction="", w=w)), **march)
    opened = [line["time"] for line in result.events if line["do"] == "open"]
    assert opened[0] == pytest.approx(np.arccos(-1 / 2.9) / w, abs=1e-7)
    assert np.asarray(result["multiplier"]).min() > -1e-9


@pytest.mark.parametrize("more", ["", "coordinates: joint\n"], ids=["absolute", "joint"])
def test_friction_and_a_stop_share_what_keeps_a_coordinate(more: str) -> None:
    """The stop takes what presses it. Friction takes what would open it, and, once it holds, as much of what presses as it can."""
    result = mbsim.simulate(mbsim.load_model(PRESSED.format(more=more, friction=", friction: {force: 2}", w=2)))
    found = [(line["event"], line["do"], line["time"]) for line in result.events]
    turns, presses = np.arccos(-1 / 2.9) / 2, np.pi - np.arccos(1 / 2.9) / 2
    expected = [("rail_lower", "closed", 0.0)]
    expected += [("rail_lower", "open", turns), ("rail_friction", "sticks", turns)]
    expected += [("rail_lower", "closed", presses), ("rail_friction", "idle", presses)]
    expected += [("rail_lower", "open", turns + np.pi), ("rail_friction", "sticks", turns + np.pi)]
    assert [line[:2] for line in found] == [line[:2] for line in expected]
    assert [line[2] for line in found] == pytest.approx([line[2] for line in expected], abs=1e-9)
    assert np.abs(np.asarray(result["q"])[:, 0]).max() == 0.0


@pytest.mark.parametrize("closing_speed", [1e-9, 1e-6, 0.05])
def test_what_is_thrown_up_slowly_leaves_the_floor(closing_speed: float) -> None:
    """`closing_speed` ends bouncing; what leaves by itself is not held back, however slow it is."""
    thrown = f"""
dimension: 2
gravity: [0, -9.81]
bodies: {{disk: {{mass: 1, inertia: 0.005, position: [0, 0.1], velocity: [0, 0.03], shape: {{type: cylinder, radius: 0.1, length: 0.02}}}}}}
contacts: {{floor: {{bodies: [disk, ground], plane: {{normal: [0, 1]}}, closing_speed: {closing_speed}}}}}
simulation: {{end: 0.004, output_step: 1e-4}}
"""
    height = np.asarray(mbsim.simulate(mbsim.load_model(thrown))["q"])[-1, 1] - 0.1
    assert height == pytest.approx(0.03 * 0.004 - 0.5 * 9.81 * 0.004**2, abs=1e-12)


SHAKEN = """
dimension: 2
gravity: [0, -9.81]
bodies: {box: {mass: 2, inertia: 0.02, position: [0, 0.1], shape: {type: box, size: [0.2, 0.2]}}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1]}, friction: 0.3}}
forces: {lift: {type: force, body: box, value: [3, "30*sin(W)"]}}
simulation: {end: 2, stop: box.x - 1.0e-4}
"""


@pytest.mark.parametrize("integrator", ["dop853", "radau"])
@pytest.mark.parametrize(("w", "end"), [("4*pi", 2), ("2*pi", 4), ("8*pi", 1)])
def test_a_load_that_swings_in_step_with_the_run_is_seen(w: str, end: int, integrator: str) -> None:
    """Looks at equal distances, at eighths of the end or their halves, would all find no load."""
    result = mbsim.simulate(SHAKEN.replace("W", f"{w}*t"), end=end, integrator=integrator)
    slips = [line["time"] for line in result.events if line["do"] == "slips"]  # where 3 N are 0.3 times what is left of the weight
    assert slips[0] == pytest.approx(np.arcsin((2 * 9.81 - 10) / 30) / eval(w, {"pi": np.pi}), abs=1e-7)


@pytest.mark.parametrize(("coordinates", "mass"), [("joint", 1.0), ("absolute", 3.7)])
def test_a_stop_stays_closed_where_a_joint_that_locks_lets_nothing_move(coordinates: str, mass: float) -> None:
    """All accelerations are round-off then; their signs were taken for a load that nothing can bear."""
    c, s = np.cos(1.1), np.sin(1.1)
    made = {
        "dimension": 2, "gravity": [0, -9.81], "coordinates": coordinates,
        "bodies": {
            "arm": {"mass": mass, "inertia": 0.1, "position": [0.5 * c, 0.5 * s]},
            "bob": {"mass": 0.7, "inertia": 0.02, "position": [1.3 * c, 1.3 * s]},
        },
        "joints": {
            "hinge": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0], "stops": {"lower": -0.3, "restitution": 0.2}},
            "weld": {"type": "fixed", "bodies": ["arm", "bob"], "at": [c, s]},
            "latch": {"type": "revolute", "bodies": ["ground", "bob"], "at": [1.37 * c, 1.31 * s + 0.123], "locked": False},
        },
        "events": {"caught": {"when": "t - 0.8", "do": {"lock": "latch"}}},
        "simulation": {"end": 1.0, "output_step": 0.1},
    }  # fmt: skip
    for method in ("auto", "lagrange"):
        run = mbsim.simulate(made, method=method)
        angle = run["hinge.angle" if coordinates == "joint" else "arm.angle"]
        assert abs(float(angle[-1]) + 0.3) < 1e-9 and np.abs(run["v"][-1]).max() < 1e-9
