"""Motions through positions in which constraints depend on each other: closed forms, a reduced equation, driven dead points.

The four-bars are IFToMM's library benchmark A02 (Gonzalez et al., Multibody Syst. Dyn. 26, 2011) and one whose links fold onto a line with
crank and frame as long as coupler and rocker, so that its branches are curved.
"""

import copy
import re
from functools import cache
from itertools import pairwise
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close
from scipy.integrate import solve_ivp

import mbsim
from mbsim import registry

PASSING = [name for name in mechanisms.METHODS if registry.declaration("methods", name, "CROSSES", False)]
CARRYING = [*PASSING, "nullspace"]  # goes on too, without a state beside the position
CREEPING = [word for word in PASSING if word != "cfa"]  # so close that cfa, which solves with squares, takes rows for dependent
# position of the first crank's end after 10 s, from theta'' = a sin theta with mpmath
WINDOWS = {1: (0.47838505776097056, 0.8781501787912093), 2: (0.32845811154081538, 0.94451853817860096)}


def windows(count: int, step: float, end: float = 10.0) -> dict[str, Any]:
    """A02: `count` square windows of rods of 1 m and 1 kg, upright, moving at 1 m/s."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    rod = {"mass": 1, "inertia": 1 / 12}
    for i in range(count + 1):
        bodies[f"crank{i}"] = rod | {"position": [i, 0.5], "velocity": [0.5, 0], "angular_velocity": -1}
        joints[f"O{i}"] = {"type": "revolute", "bodies": ["ground", f"crank{i}"], "at": [i, 0]}
    for i in range(count):
        bodies[f"coupler{i}"] = rod | {"position": [i + 0.5, 1], "velocity": [1, 0]}
        joints[f"A{i}"] = {"type": "revolute", "bodies": [f"crank{i}", f"coupler{i}"], "at": [i, 1]}
        joints[f"B{i}"] = {"type": "revolute", "bodies": [f"coupler{i}", f"crank{i + 1}"], "at": [i + 1, 1]}
    name = f"{count} windows"
    return {
        "name": name, "dimension": 2, "gravity": [0, -9.81], "bodies": bodies, "joints": joints, "simulation": {"end": end, "step": step},
    }  # fmt: skip


def flat(masses: tuple[float, float], speed: float) -> dict[str, Any]:
    """One window that starts lying flat."""
    made = windows(1, 1e-3, 1.0)
    for i, mass in enumerate(masses):
        turn = {"angle": -np.pi / 2, "velocity": [0.0, -speed / 2], "angular_velocity": -speed}
        made["bodies"][f"crank{i}"] |= {"position": [i + 0.5, 0], "mass": mass} | turn
    made["bodies"]["coupler0"] |= {"position": [1.5, 0], "velocity": [0.0, -speed]}
    made["joints"]["A0"]["at"], made["joints"]["B0"]["at"] = [1, 0], [2, 0]
    return made


@pytest.mark.parametrize("method", ["lagrange", "cfa"])
def test_windows_keep_their_energy_with_error_control(method: str) -> None:
    """Steps become short at the flat positions, where what a residual of the drift tolerance does to the motion grows."""
    result = mbsim.simulate(mechanisms.model(windows(1, 1e-3)), method=method, integrator="dop853", rtol=1e-9, atol=1e-10, output_step=0.1)
    assert np.abs(result["energy_balance"] - result["energy_balance"][0]).max() < 1e-6  # J, of 40
    close(result["q"][:, 2] - result["q"][0, 2], result["q"][:, 5] - result["q"][0, 5], atol=1e-6)


@pytest.mark.parametrize("count", WINDOWS)
@pytest.mark.parametrize("step", [1e-3, 4e-4])
@pytest.mark.parametrize("method", CARRYING)
def test_windows_stay_parallel_and_on_time(method: str, step: float, count: int) -> None:
    """A smaller step lands closer to the flat positions; it must not be the less accurate one."""
    result = mbsim.simulate(mechanisms.model(windows(count, step)), method=method, output_step=0.01)
    end = 2.0 * np.array([result.select("q", f"crank0.{c}")[-1] for c in "xy"])
    close(end, WINDOWS[count], atol=2e-8)
    close(result["energy_balance"], 0.0, atol=2e-8)
    for i in range(1, count + 1):
        close(result.select("q", f"crank{i}.angle"), result.select("q", "crank0.angle"), atol=1e-10)


def folded(theta: Any) -> tuple[Any, Any, Any]:
    """Crank end, coupler end and rocker pivot of the four-bar with links 2, 3, 3 and frame 4, on the branch smooth through theta = pi."""
    crank, pivot = np.array([2.0 * np.cos(theta), 2.0 * np.sin(theta)]), np.array([4.0 + 0.0 * theta, 0.0 * theta])
    across = pivot - crank
    normal = np.array([-across[1], across[0]]) / np.sqrt(across @ across)
    return crank, 0.5 * (crank + pivot) + np.sqrt(8.0) * np.cos(0.5 * theta) * normal, pivot


START, SPEED, GRAVITY = 0.8, 4.0, 3.0


def folding(step: float, tilt: float) -> dict[str, Any]:
    """That four-bar of rods of 1 kg, everything turned by `tilt`, so that no number is round."""
    c, s = np.cos(tilt), np.sin(tilt)
    turn = np.array([[c, -s], [s, c]])
    P, Q, R = (turn @ x for x in folded(START))

    def rod(a: np.ndarray, b: np.ndarray) -> dict[str, Any]:
        d = b - a
        return {"mass": 1, "inertia": float(d @ d / 12), "position": [*map(float, (a + b) / 2)], "angle": float(np.arctan2(d[1], d[0]))}

    ends = {"O": ("ground", "crank", 0 * P), "A": ("crank", "coupler", P), "B": ("coupler", "rocker", Q), "R": ("ground", "rocker", R)}
    return {
        "name": "folding four-bar",
        "dimension": 2,
        "gravity": [float(x) for x in turn @ [0.0, -GRAVITY]],
        "bodies": {"crank": rod(0 * P, P), "coupler": rod(P, Q), "rocker": rod(R, Q)},
        "joints": {k: {"type": "revolute", "bodies": [a, b], "at": [*map(float, at)]} for k, (a, b, at) in ends.items()},
        "initial": {"crank.angular_velocity": SPEED, "fix": ["crank.angular_velocity"]},
        "simulation": {"end": 5, "step": step},
    }


@cache
def folding_angle(end: float) -> float:
    """Crank angle from the conservation of energy, J(theta) theta_dot^2 / 2 + V = E; derivatives by a complex step."""

    def inertia(theta: float) -> tuple[float, float]:
        e = 1e-30
        P, Q, R = folded(theta + 1j * e)
        J = V = 0.0
        for a, b in ((0 * P, P), (P, Q), (R, Q)):
            d, centre = b - a, 0.5 * (a + b)
            turn = (d[0].real * d[1].imag - d[1].real * d[0].imag) / e / (d.real @ d.real)
            J += (centre.imag @ centre.imag) / e**2 + (d.real @ d.real) / 12 * turn**2
            V += GRAVITY * centre[1].real
        return J, V

    J, V = inertia(START)
    energy = 0.5 * J * SPEED**2 + V

    def rate(t: float, y: np.ndarray) -> list[float]:
        J, V = inertia(y[0])
        return [np.sqrt(2.0 * (energy - V) / J)]

    return float(solve_ivp(rate, (0.0, end), [START], method="DOP853", rtol=1e-12, atol=1e-12).y[0, -1])


@pytest.mark.parametrize("tilt", [0.0, 0.3])
@pytest.mark.parametrize(("step", "error"), [(3e-3, 1e-5), (1e-3, 4e-7), (4e-4, 1e-7), (1e-4, 4e-7)])
@pytest.mark.parametrize("method", CARRYING)
def test_folding_four_bar_keeps_its_branch(method: str, step: float, error: float, tilt: float) -> None:
    result = mbsim.simulate(mechanisms.model(folding(step, tilt)), method=method, output_step=0.1)
    close(result.select("q", "crank.angle")[-1] - tilt, folding_angle(5.0), atol=error)


@pytest.mark.parametrize("method", PASSING)
def test_a_driver_lands_on_flat_positions(method: str) -> None:
    """At t = 1 s and 3 s a row of the result is the flat position itself: accelerations and the work there are those beside it."""
    made = windows(1, 1e-3, 4.0)
    made["drivers"] = {"motor": {"joint": "O0", "angle": "-pi*t/2"}}
    result = mbsim.simulate(mechanisms.model(made), method=method)
    close(result.select("q", "crank1.angle"), -0.5 * np.pi * result.time, atol=1e-9)
    close(result["energy_balance"], 0.0, atol=1e-5)  # of 39 J
    close(result.select("acceleration", "der(crank1.angle)"), 0.0, atol=1e-2)


def toggle(step: float) -> dict[str, Any]:
    """A slider-crank of equal lengths, crank at 0.5 rad, its slider pushed to the dead point and back in 1 s."""
    c, s = float(np.cos(0.5)), float(np.sin(0.5))
    rod = {"mass": 1, "inertia": 1 / 12}
    return {
        "name": "toggle",
        "dimension": 2,
        "bodies": {
            "crank": rod | {"position": [0.5 * c, 0.5 * s], "angle": 0.5},
            "rod": rod | {"position": [1.5 * c, 0.5 * s], "angle": -0.5},
            "block": rod | {"position": [2 * c, 0]},
        },
        "joints": {
            "O": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "A": {"type": "revolute", "bodies": ["crank", "rod"], "at": [c, s]},
            "B": {"type": "revolute", "bodies": ["rod", "block"], "at": [2 * c, 0]},
            "G": {"type": "prismatic", "bodies": ["ground", "block"], "at": [2 * c, 0], "axis": [1, 0]},
        },
        "drivers": {"push": {"joint": "G", "displacement": "2*cos(0.5 - t) - 2*cos(0.5)"}},
        "simulation": {"end": 1.0, "step": step},
    }


@pytest.mark.parametrize("step", [1e-2, 1e-3])
@pytest.mark.parametrize("method", CARRYING)
def test_a_toggle_goes_on_through_its_dead_point(method: str, step: float) -> None:
    """The slider stops at 0.5 s with the crank straight; the crank, which moves, goes on."""
    result = mbsim.simulate(mechanisms.model(toggle(step)), method=method)
    close(result.select("q", "crank.angle"), 0.5 - result.time, atol=1e-7)


def straight_chain(links: int) -> dict[str, Any]:
    """Rods of 1 m that hang doubled in a vertical line, both ends held, pushed aside by a part of gravity. C has a lower rank there."""
    half, bodies, joints = links // 2, dict[str, Any](), dict[str, Any]()
    heights = [*range(0, -half - 1, -1), *range(1 - half, links - 2 * half + 1)]
    for k, (a, b) in enumerate(pairwise(heights)):
        bodies[f"b{k}"] = {"mass": 1, "inertia": 1 / 12, "position": [0, (a + b) / 2], "angle": float(np.sign(b - a) * np.pi / 2)}
    names = ["ground", *bodies, "ground"]
    for k, height in enumerate(heights):
        joints[f"J{k}"] = {"type": "revolute", "bodies": names[k : k + 2], "at": [0, height]}
    return {
        "name": "straight chain", "dimension": 2, "gravity": [1, -9.81], "bodies": bodies, "joints": joints, "simulation": {"end": 0.5},
    }  # fmt: skip


@pytest.mark.parametrize("links", [4, 5])
@pytest.mark.parametrize("settings", [{"step": 1e-3}, {"integrator": "dop853", "rtol": 1e-7, "atol": 1e-8}], ids=["rk4", "dop853"])
def test_a_chain_leaves_its_straight_line_slowly(settings: dict[str, Any], links: int) -> None:
    """The rank is that of the straight line to round-off for many steps."""
    made = mbsim.assemble(mechanisms.model(straight_chain(links)))
    cfa, lagrange = (mbsim.simulate(made, method=method, output_step=0.1, **settings) for method in ("cfa", "lagrange"))
    close(cfa["q"], lagrange["q"], atol=1e-6)
    close(cfa["energy_balance"], cfa["energy_balance"][0], atol=1e-6)


@pytest.mark.parametrize("method", mechanisms.METHODS)
def test_a_driver_stalled_against_a_dead_point_stops_the_run(method: str) -> None:
    made = toggle(1e-2)
    made["drivers"]["push"]["displacement"] = "t/2"
    with pytest.raises(mbsim.SimulationError, match="stopped at t = ") as caught:
        mbsim.simulate(mechanisms.model(made), method=method)
    assert 0.4 < caught.value.time < 0.5  # where 2 cos(0.5) + t/2 = 2
    if method in CARRYING:
        assert re.search(r"near a dead point or another singular position of O\[0\].*, push it may", str(caught.value))
    assert caught.value.result is not None and caught.value.result.time[-1] == pytest.approx(caught.value.time)


@pytest.mark.parametrize("method", PASSING)
@pytest.mark.parametrize("masses", [(1, 1), (1, 3)])
def test_a_start_that_lies_flat_and_moves(method: str, masses: tuple[float, float]) -> None:
    result = mbsim.simulate(mechanisms.model(flat(masses, 3.0)), method=method)
    close(result.select("q", "crank1.angle"), result.select("q", "crank0.angle"), atol=1e-10)
    close(result["energy_balance"], 0.0, atol=2e-5)
    assert result.attributes["rank_changes"][0]["time"] == 0.0


@pytest.mark.parametrize("method", PASSING)
def test_at_rest_in_a_flat_position_symmetry_may_determine_the_motion(method: str) -> None:
    result = mbsim.simulate(mechanisms.model(flat((1, 1), 0.0)), method=method)
    close(result.select("q", "crank1.angle"), result.select("q", "crank0.angle"), atol=1e-9)
    close(result["energy_balance"], 0.0, atol=1e-8)
    assert abs(result.select("v", "der(crank0.angle)")[-1]) > 0.5


@pytest.mark.parametrize("method", mechanisms.METHODS)
def test_at_rest_in_a_flat_position_the_motion_is_not_determined(method: str) -> None:
    with pytest.raises(mbsim.SimulationError) as caught:
        mbsim.simulate(mechanisms.model(flat((1, 3), 0.0)), method=method)
    assert str(caught.value) == (
        "stopped at t = 0 s: the motion is not determined: it starts at rest on a singular position of O0[0], O1[0], A0[0], B0[0]"
    )


def test_at_rest_without_forces_it_stays() -> None:
    made = copy.deepcopy(flat((1, 3), 0.0))
    del made["gravity"]
    result = mbsim.simulate(mechanisms.model(made), method="svd")
    close(result["q"], np.tile(result["q"][0], (len(result.time), 1)), atol=1e-12)


def parallelogram(law: str | None, masses: tuple[float, float] = (1, 3), gravity: float = 9.81, end: float = 4.0) -> dict[str, Any]:
    """Cranks of 1 m, upright, 2 m apart; `law` drives the first. Flat at -pi/2, where the antiparallelogram begins."""
    rod = {"mass": 1, "inertia": 1 / 12}
    ends = {"O0": ("ground", "crank0", [0, 0]), "O1": ("ground", "crank1", [2, 0]), "A": ("crank0", "coupler", [0, 1]),
            "B": ("coupler", "crank1", [2, 1])}  # fmt: skip
    return {
        "name": "parallelogram", "dimension": 2, "gravity": [0, -gravity],
        "bodies": {"crank0": rod | {"position": [0, 0.5], "mass": masses[0]}, "crank1": rod | {"position": [2, 0.5], "mass": masses[1]},
                   "coupler": {"mass": 2, "inertia": 2 / 3, "position": [1, 1]}},
        "joints": {k: {"type": "revolute", "bodies": [a, b], "at": at} for k, (a, b, at) in ends.items()},
        "drivers": {"motor": {"joint": "O0", "angle": law}} if law else {},
        "simulation": {"end": end, "step": 1e-3},
    }  # fmt: skip


def smooth(start: float) -> str:
    """From 0 to 1 within 1 s, with two derivatives."""
    x = f"(t - {start})"
    return f"if_else(t < {start}, 0, if_else(t > {start} + 1, 1, {x}^3*(10 - 15*{x} + 6*{x}^2)))"


LOST = (
    r"stopped at t = (1|0\.999) s: the motion is not determined: it comes to rest on a singular position of"
    r" O0\[0\], O1\[0\], A\[0\], B\[0\]"
)
TO_FLAT_AND_ON = {
    "a smooth step": f"-pi/2*({smooth(0)} + {smooth(2)})",
    "a step with a jump of the acceleration": "-pi/2*(step(t, 0, 0, 1, 1) + step(t, 2, 0, 3, 1))",
    "at once": "-pi/2 - pi/2*(t - 1)^3",
    "and back": "-pi/2*sin(pi/2*t)",
}


@pytest.mark.parametrize("law", TO_FLAT_AND_ON)
@pytest.mark.parametrize("gravity", [0.0, 9.81])
@pytest.mark.parametrize("method", CREEPING)
def test_at_rest_on_a_bifurcation_a_driven_motion_is_lost(method: str, gravity: float, law: str) -> None:
    """Driven on, the other crank may turn either way. What came before is kept."""
    with pytest.raises(mbsim.SimulationError) as caught:
        mbsim.simulate(mechanisms.model(parallelogram(TO_FLAT_AND_ON[law], gravity=gravity)), method=method)
    result = caught.value.result
    assert re.fullmatch(LOST, str(caught.value)) and caught.value.time == pytest.approx(1.0, abs=1.1e-3) and result is not None
    assert result.time[-1] == pytest.approx(1.0, abs=1.1e-3)
    close(result.select("q", "crank1.angle"), result.select("q", "crank0.angle"), atol=2e-5)


BETWEEN_ROWS = {
    "rk4": {"output_step": 0.3},
    "no row before": {"output_step": 4.0},
    "no step ends there": {"output_step": 0.3, "step": 1.7e-3},
    "dop853": {"integrator": "dop853", "output_step": 0.01},
    "dop853 without a row before": {"integrator": "dop853", "output_step": 4.0},
}


BLAMED = {("lagrange", settings, "at once") for settings in ("rk4", "no row before")}  # to be repaired


@pytest.mark.parametrize("law", ["a smooth step", "at once"])
@pytest.mark.parametrize("settings", BETWEEN_ROWS)
@pytest.mark.parametrize("method", CREEPING)
def test_it_is_lost_between_rows_and_with_error_control_too(method: str, settings: str, law: str, request: pytest.FixtureRequest) -> None:
    """Some went on: 155 J out of nothing, a crank at 1e47 rad, or the parallelogram as if nothing had happened."""
    if (method, settings, law) in BLAMED:
        request.applymarker(pytest.mark.xfail(reason="stops there with a crank at 1e50 rad, and says that instead", strict=True))
    with pytest.raises(mbsim.SimulationError, match="the motion is not determined: it comes to rest") as caught:
        mbsim.simulate(mechanisms.model(parallelogram(TO_FLAT_AND_ON[law])), method=method, **BETWEEN_ROWS[settings])
    result = caught.value.result
    assert caught.value.time == pytest.approx(1.0, abs=1e-3)  # slower than a millionth within so much of it
    assert result is not None and result.time[-1] <= caught.value.time + 1e-9


GOES_ON = {
    "passes at speed": "-pi/2*t",
    "passes at a thousandth of its speed": "-pi/2 - 1e-3*(t - 1) - pi/2*(t - 1)^3",
    "rests beside it": f"-pi/2*(0.999*{smooth(0)} + {smooth(1)})",
}


@pytest.mark.parametrize("law", GOES_ON)
@pytest.mark.parametrize("method", CREEPING)
def test_a_motion_that_keeps_its_branch_is_not_lost(method: str, law: str) -> None:
    result = mbsim.simulate(mechanisms.model(parallelogram(GOES_ON[law], end=1.9)), method=method)
    close(result.select("q", "crank1.angle"), result.select("q", "crank0.angle"), atol=1e-6)


def test_a_run_may_end_at_rest_on_a_bifurcation() -> None:
    result = mbsim.simulate(mechanisms.model(parallelogram(TO_FLAT_AND_ON["a smooth step"], end=1.0)), method="svd")
    close(result.select("q", "crank1.angle")[-1], -0.5 * np.pi, atol=1e-5)


@pytest.mark.parametrize("method", CREEPING)
def test_a_spring_brings_it_to_rest_on_a_bifurcation_and_keeps_it_there(method: str) -> None:
    made = parallelogram(None, gravity=0.0, end=16.0)
    made["forces"] = {
        "s": {"type": "rotational_spring_damper", "joint": "O0", "stiffness": 20, "damping": 20, "free_angle": float(-np.pi / 2)},
    }  # fmt: skip
    result = mbsim.simulate(mechanisms.model(made), method=method, output_step=0.1)
    for crank in ("crank0", "crank1"):
        close(result.select("q", f"{crank}.angle")[-1], -0.5 * np.pi, atol=1e-6)


@pytest.mark.parametrize("method", PASSING)
def test_a_crank_rests_at_the_dead_point_of_its_slider(method: str) -> None:
    """No bifurcation: nothing depends on anything where the crank is driven."""
    made = toggle(1e-3)
    made["drivers"] = {"push": {"joint": "O", "angle": f"-0.5*({smooth(0)} + {smooth(1.5)})"}}
    result = mbsim.simulate(mechanisms.model(made), method=method, end=3.0)
    close(result.select("q", "crank.angle")[-1], -0.5, atol=1e-9)
    assert "rank_changes" not in result.attributes


@pytest.mark.parametrize("method", PASSING)
def test_a_slider_that_rests_at_the_dead_point_of_its_crank_loses_it(method: str) -> None:
    made = toggle(1e-3)
    made["drivers"]["push"]["displacement"] = f"(2 - 2*cos(0.5))*({smooth(0)} - {smooth(2)})"
    with pytest.raises(mbsim.SimulationError, match=r"comes to rest on a singular position of O\[0\], A\[0\], B\[0\], push") as caught:
        mbsim.simulate(mechanisms.model(made), method=method, end=3.0)
    assert caught.value.time == pytest.approx(1.0, abs=2e-3)
