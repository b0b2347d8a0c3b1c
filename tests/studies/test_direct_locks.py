"""Direct differentiation through what comes and goes: against closed forms, and against differences of runs."""

import copy
from typing import Any

import numpy as np
import pytest
import yaml
from numpy.testing import assert_allclose

from mbsim.model.file.positions import read
from mbsim.studies.runner.direct import Derivatives, Direct, DirectError
from mbsim.studies.runner.runner import Runner

G = 9.81
TIGHT = {"rtol": 1e-11, "atol": 1e-12}

CLUTCH: dict[str, Any] = {
    "dimension": 2,
    "parameters": {"J": 2.0, "w": 10.0, "T": 0.5, "M": 3.0},
    "bodies": {"a": {"mass": 1, "inertia": "J", "angular_velocity": "w"}, "b": {"mass": 1, "inertia": 1}},
    "joints": {
        "A": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
        "B": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0]},
        "clutch": {"type": "fixed", "bodies": ["a", "b"], "at": [0, 0], "locked": False},
    },
    "forces": {"motor": {"type": "joint_torque", "joint": "A", "value": "M"}},
    "events": {"engage": {"when": "t - T", "do": {"lock": ["clutch"]}}},
    "simulation": {"end": 1.0},
}
# Two rods fall; the first is caught where it is at an angle a, and let go d later.
LATCH: dict[str, Any] = {
    "dimension": 2,
    "gravity": [0, -G],
    "parameters": {"L": 0.5, "a": -0.3, "k": 1.0, "d": 0.4},
    "bodies": {
        "arm": {"mass": 1, "inertia": 0.0833, "position": ["L", 0]},
        "bob": {"mass": 0.5, "inertia": 0.01, "position": ["3*L", 0]},
    },
    "joints": {
        "pin": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]},
        "elbow": {"type": "revolute", "bodies": ["arm", "bob"], "at": ["2*L", 0]},
        "latch": {"type": "fixed", "bodies": ["ground", "arm"], "at": ["L", 0], "locked": False},
    },
    "forces": {"spring": {"type": "rotational_spring_damper", "joint": "elbow", "stiffness": "k", "damping": 0.1}},
    "events": {
        "catch": {"when": "pin.angle - a", "direction": "down", "once": True, "do": {"lock": ["latch"]}},
        "release": {"when": "pin.angle - a", "direction": "down", "once": True, "after": "d", "do": {"unlock": ["latch"]}},
    },
    "simulation": {"end": 1.2},
}
# A ball joint and a universal joint; the second is made stiff, then the first becomes a hinge, then the second is free again.
STIFF: dict[str, Any] = {
    "dimension": 3,
    "gravity": [0, 0, -G],
    "parameters": {"m": 1.0, "T": 0.3, "S": 0.6, "k": 2.0},
    "ground": {"points": {"P": [1, 0.5, 1]}},
    "bodies": {
        "a": {"mass": "m", "inertia": [0.2, 0.3, 0.4], "position": [0.5, 0, 0]},
        "b": {"mass": 1, "inertia": [0.1, 0.2, 0.2], "position": [1.5, 0, 0]},
    },
    "joints": {
        "s": {"type": "spherical", "bodies": ["ground", "a"], "at": [0, 0, 0]},
        "e": {"type": "universal", "bodies": ["a", "b"], "at": [1, 0, 0], "axes": [[0, 1, 0], [0, 0, 1]]},
        "hold": {"type": "fixed", "bodies": ["a", "b"], "at": [1, 0, 0], "locked": False},
        "hinge": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0.6, 0.8], "locked": False},
    },
    "forces": {"s1": {"type": "spring_damper", "points": ["ground.P", "b"], "stiffness": "k", "free_length": 0.2, "damping": 0.2}},
    "events": {
        "one": {"when": "t - T", "do": {"lock": ["hold"]}},
        "two": {"when": "t - S", "do": {"lock": ["hinge"]}},
        "three": {"when": "t - S - T", "do": {"unlock": ["hold"]}},
    },
    "simulation": {"end": 1.1},
}
# A driver holds the first hinge for some time, in turn with one of the second.
DRIVEN: dict[str, Any] = {
    "dimension": 2,
    "gravity": [0, -G],
    "parameters": {"u": 1.5, "T": 0.4, "S": 0.9, "l": 0.5},
    "bodies": {
        "a": {"mass": 1, "inertia": 0.1, "position": ["l", 0]},
        "b": {"mass": 1, "inertia": 0.1, "position": ["2*l + 0.5", 0]},
    },
    "joints": {
        "A": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
        "B": {"type": "revolute", "bodies": ["a", "b"], "at": ["2*l", 0]},
    },
    "drivers": {"d": {"joint": "A", "angle": "u*t^2", "locked": False}, "g": {"joint": "B", "angle": "u*sin(t)"}},
    "events": {
        "on": {"when": "t - T", "do": {"lock": ["d"], "unlock": ["g"]}},
        "off": {"when": "A.angle - S", "once": True, "do": {"unlock": ["d"], "lock": ["g"]}},
        "again": {"when": "A.angle + 0.3", "do": {"lock": ["d"]}},
    },
    "simulation": {"end": 1.5},
}
OWN: dict[str, Any] = {
    "coordinates": ["x", "y"],
    "parameters": {"k": 4.0, "X": 0.5, "v": 2.0},
    "energy": {"kinetic": "der(x)^2/2 + der(y)^2", "potential": "k*x^2/2 + (y - x)^2"},
    "constraints": {"c": {"type": "holonomic", "equation": "x - 2*y", "locked": False}},
    "initial": {"der(x)": "v"},
    "events": {
        "on": {"when": "x - X", "once": True, "do": {"lock": ["c"]}},
        "off": {"when": "der(x)", "once": True, "do": {"unlock": ["c"]}},
    },
    "simulation": {"end": 3.0},
}


def made(model: dict[str, Any], vary: list[str], outputs: dict[str, str], **settings: Any) -> Runner:
    return Runner(read(yaml.safe_dump({"name": "model", **model}, sort_keys=False), "model.yaml"), vary, outputs, **TIGHT, **settings)


def in_joint_coordinates(model: dict[str, Any]) -> dict[str, Any]:
    return {**copy.deepcopy(model), "coordinates": "joint"}


def differences(runner: Runner) -> Any:
    """(n_outputs, n) by differences of order 4 of runs."""
    columns = []
    for k, base in enumerate(runner.base):
        h = 2e-4 * (abs(base) or 1.0)
        ends = {i: runner.run(runner.base + i * h * np.eye(len(runner.base))[k]).values for i in (-2, -1, 1, 2)}
        columns.append((8.0 * (ends[1] - ends[-1]) - (ends[2] - ends[-2])) / (12.0 * h))
    return np.column_stack(columns)


def require_right(found: Derivatives, expected: Any) -> None:
    size = np.maximum(np.abs(expected), 1e-2 * np.abs(expected).max(axis=1, keepdims=True))
    assert_allclose(found.jacobian / size, expected / size, atol=2e-6)


@pytest.mark.parametrize("method", ["auto", "lagrange", "svd", "cfa"])
def test_a_clutch(method: str) -> None:
    """w = (J w_1 + 1 * 0)/(J + 1) after it has engaged, w_1 = w + M T/J; M goes on. W is the energy's change."""
    runner = made(
        CLUTCH, ["J", "w", "T", "M"], {"a": "final(a.angle)", "w": "final(der(b.angle))", "W": "final(energy_work)"}, method=method
    )
    found = Direct(runner)(runner.base)
    J, w, T, M = runner.base

    def end(J: float, w: float, T: float, M: float) -> list[float]:
        first, angle = w + M * T / J, w * T + 0.5 * M / J * T * T
        both, left = J * first / (J + 1.0), 1.0 - T
        last = both + M / (J + 1.0) * left
        return [angle + both * left + 0.5 * M / (J + 1.0) * left**2, last, 0.5 * (J + 1.0) * last**2 - 0.5 * J * w**2]

    expected, h = [], 1e-4
    for k in range(4):
        ends = [end(*(runner.base + i * h * np.eye(4)[k])) for i in (-2, -1, 1, 2)]
        expected.append([(8.0 * (c - b) - (d - a)) / (12.0 * h) for a, b, c, d in zip(*ends, strict=True)])
    assert_allclose(found.values, end(J, w, T, M), rtol=1e-7)
    require_right(found, np.array(expected).T)


LATCHED = {
    "a": "final(pin.angle)", "y": "final(bob.y)", "W": "final(energy_work)", "t": "event_time(catch)", "u": "event_time(release)",
    "I": "integral(abs(bob.y))",
}  # fmt: skip
HELD = {"s": "final(b.x)", "W": "final(energy_work)", "z": "final(a.z)"}
EFFORTS = {"a": "final(A.angle)", "e": "integral(driver_effort.d)", "j": "integral(joint_force.A.y)", "W": "final(energy_work)"}
CASES = [
    pytest.param(LATCH, ["L", "a", "k", "d"], LATCHED, id="a latch"),
    pytest.param(in_joint_coordinates(LATCH), ["L", "a", "k", "d"], LATCHED, id="a latch in joint coordinates"),
    pytest.param(STIFF, ["m", "T", "S"], HELD, id="redundant rows in space"),
    pytest.param(in_joint_coordinates(STIFF), ["m", "T", "S"], HELD, id="redundant rows in space, in joint coordinates"),
    pytest.param(DRIVEN, ["u", "T", "S", "l"], EFFORTS, id="drivers"),
    pytest.param(in_joint_coordinates(DRIVEN), ["u", "T", "S", "l"], EFFORTS, id="drivers in joint coordinates"),
    pytest.param(OWN, ["k", "X", "v"], {"x": "final(x)", "W": "final(energy_work)", "l": "integral(multiplier.c)"}, id="an equation"),
]


@pytest.mark.parametrize(("model", "vary", "outputs"), CASES)
def test_what_is_held_moves_with_where_it_was_locked(model: dict[str, Any], vary: list[str], outputs: dict[str, str]) -> None:
    """Of joints the place, of drivers and equations the number that they keep; reactions and work, too."""
    runner = made(model, vary, outputs)
    found = Direct(runner)(runner.base)
    assert np.isfinite(found.values).all()
    require_right(found, differences(runner))


def test_reactions_of_a_grip_in_space() -> None:
    """The place where it grips, at which its torque is taken, moves with what varies."""
    grip = {
        "dimension": 3,
        "gravity": [0, 0, 0],
        "parameters": {"m": 1.0, "x": -2.0, "T": 1.8},
        "bodies": {
            "hand": {"mass": 2, "inertia": [0.2, 0.3, 0.4], "position": [0, 0, 0], "velocity": [0, 0, 1]},
            "thing": {
                "mass": "m", "inertia": [0.1, 0.2, 0.2], "position": [2, 0, 0.5], "velocity": ["x", 0, 0.5], "angular_velocity": [0, 1, 2],
            },
        },
        "joints": {"grip": {"type": "fixed", "bodies": ["hand", "thing"], "at": [0.2, 0, 0], "locked": False}},
        "events": {
            "take": {"when": "thing.x - hand.x - 0.3", "direction": "down", "once": True, "do": {"lock": ["grip"]}},
            "leave": {"when": "t - T", "do": {"unlock": ["grip"]}},
        },
        "simulation": {"end": 3},
    }  # fmt: skip
    outputs = {"z": "final(hand.z)", "f": "integral(joint_force.grip.x)", "M": "integral(joint_torque.grip.y)"}
    runner = made(grip, ["m", "x", "T"], outputs)
    require_right(Direct(runner)(runner.base), differences(runner))


def test_locking_what_holds_changes_nothing() -> None:
    model = copy.deepcopy(CLUTCH)
    model["events"]["twice"] = {"when": "t - 0.7", "do": {"lock": ["clutch"]}}
    outputs = {"w": "final(der(b.angle))", "n": "event_count(twice)"}
    once, twice = (Direct(one)(one.base) for one in (made(CLUTCH, ["J", "T"], {"w": outputs["w"]}), made(model, ["J", "T"], outputs)))
    assert twice.values[1] == 1.0
    assert_allclose(twice.jacobian[0], once.jacobian[0], rtol=1e-8, atol=1e-8)


def test_refused_are_reactions_that_redundant_rows_leave_open_then() -> None:
    """A latch beside the pin: who carries what is not determined, and only while it is locked."""
    runner = made(LATCH, ["a"], {"f": "max(abs(joint_force.latch.y))"})
    with pytest.raises(DirectError, match="f takes reactions that redundant rows leave open"):
        Direct(runner)(runner.base)


def test_refused_are_stops_by_name() -> None:
    model = copy.deepcopy(CLUTCH)
    model["joints"]["A"]["stops"] = {"upper": 1.0}
    with pytest.raises(DirectError, match="stops, contacts and dry friction come and go; differences do not"):
        Direct(made(model, ["J"], {"w": "final(der(b.angle))"}))
