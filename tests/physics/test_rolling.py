"""Rolling, skating and differentials: motions known in closed form, by every method, in absolute and in joint coordinates."""

import json
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import METHODS, close

import mbsim
from mbsim.kernels.rotations import quaternions
from mbsim.results import Result

TREES = ("aba", "lagrange", "nullspace", "rattle", "svd")
RUNS = [*((name, "absolute") for name in METHODS), *((name, "joint") for name in TREES)]
every_run = pytest.mark.parametrize(("method", "coordinates"), RUNS)


def run(source: dict[str, Any], method: str = "auto", coordinates: str = "absolute", **settings: Any) -> Result:
    plain = json.loads(json.dumps({**source, "coordinates": coordinates, "simulation": {"end": 1.0}}))  # numpy's floats are not YAML's
    if method == "auto":
        return mbsim.simulate(mechanisms.model(plain), **settings)
    return mechanisms.simulate(mechanisms.model(plain), method=method, **settings)


def near(method: str) -> Any:
    return mechanisms.near(method)


def place(result: Result, body: str = "b") -> np.ndarray:
    return result.select("body_position", body)


def conserved(result: Result, method: str, atol: float = 1e-10) -> None:
    near(method)(result["energy_balance"], 0.0, atol)
    close(result["residual_position"], 0.0, atol=1e-9)
    close(result["residual_velocity"], 0.0, atol=1e-9)


SLEIGH = {
    "name": "Chaplygin sleigh",
    "dimension": 2,
    "bodies": {
        "b": {
            "mass": 1,
            "inertia": 0.5,
            "position": [0.4, 0],
            "velocity": [0.3, 0.4],
            "angular_velocity": 1,
            "points": {"heel": [-0.4, 0]},
        }
    },
    "constraints": {"blade": {"type": "knife_edge", "point": "b.heel", "along": [1, 0]}},
}
SLEIGH_IN_SPACE = {
    "name": "Chaplygin sleigh in space",
    "gravity": [0, 0, -9.81],
    "bodies": {
        "b": {
            "mass": 1,
            "inertia": [0.2, 0.4, 0.5],
            "position": [0.4, 0, 0.1],
            "velocity": [0.3, 0.4, 0],
            "angular_velocity": [0, 0, 1],
            "points": {"heel": [-0.4, 0, -0.1], "left": [0.3, 0.2, -0.1], "right": [0.3, -0.2, -0.1]},
        }
    },
    "constraints": {
        "blade": {"type": "knife_edge", "point": "b.heel", "along": [1, 0, 0]},
        # two smooth feet keep it upright
        "left": {"type": "holonomic", "equation": "b.z - 0.1 + 0.6*(b.qx*b.qz - b.qw*b.qy) + 0.4*(b.qy*b.qz + b.qw*b.qx)"},
        "right": {"type": "holonomic", "equation": "b.z - 0.1 + 0.6*(b.qx*b.qz - b.qw*b.qy) - 0.4*(b.qy*b.qz + b.qw*b.qx)"},
    },
}


@every_run
@pytest.mark.parametrize("source", [SLEIGH, SLEIGH_IN_SPACE], ids=["plane", "space"])
def test_chaplygin_sleigh(source: dict[str, Any], method: str, coordinates: str) -> None:
    """u = V tanh(k (t + t0)), w = W sech(k (t + t0)) (Neimark & Fufaev 1972, ch. II); the numbers by arbitrary precision."""
    result = run(source, method, coordinates, end=5.0, step=2e-3)
    expected = {  # blade speed, turning speed, angle, blade x, y, force across the blade
        1.0: (0.6144648763107041, 0.7511939141374066, 0.8836503639264867, 0.3987974818203557, 0.2246634483378839, 0.3496835420725722),
        2.0: (0.7687920581140873, 0.490761269156501, 1.500179402309731, 0.6330782240778768, 0.8752924204364702, 0.2858283076950818),
        5.0: (0.8616185637531312, 0.1074035902847185, 2.266870698122389, -0.3513800669738175, 3.11795674419511, 0.0701067630326128),
    }
    force = result.select("multiplier", "blade" if source is SLEIGH else "blade.across")
    for time, (u, w, angle, x, y, across) in expected.items():
        i = int(np.argmin(np.abs(result.time - time)))
        c, s = np.cos(angle), np.sin(angle)
        near(method)(place(result)[i, :2], [x + 0.4 * c, y + 0.4 * s], 1e-9)
        velocity = result.select("body_velocity", "b")[i, :2]
        near(method)([velocity @ [c, s], velocity @ [-s, c]], [u, 0.4 * w], 1e-9)
        near(method)(result.select("body_angular_velocity", "b", "z")[i], w, 1e-9)
        near(method)(force[i], across, 1e-8)
    conserved(result, method)


def ball(inertia: float, tilt: float = 0.0) -> dict[str, Any]:
    """On a turntable of 3 rad/s, started at (0.3, 0) with (0, 0.5): no slip asks for the spin.

    The path does not depend on the radius; a large ball turns slowly, so that steps may be long.
    """
    R, m = 2.0, 0.2
    return {
        "name": "ball on a turntable",
        "gravity": [9.81 * np.sin(tilt), 0.0, -9.81 * np.cos(tilt)],
        "bodies": {
            "b": {
                "mass": m,
                "inertia": [inertia * m * R**2] * 3,
                "position": [0.3, 0, R],
                "velocity": [0, 0.5, 0],
                "angular_velocity": [(3 * 0.3 - 0.5) / R, 0, 0],
            }
        },
        "constraints": {"table": {"type": "rolling_ball", "center": "b", "radius": R, "plane": {"spin": 3}}},
    }


@every_run
def test_ball_on_a_turntable(method: str, coordinates: str) -> None:
    """The centre goes round a fixed point at kappa Omega, kappa = 2/7 (solid), 2/5 (shell), whatever m and R (Earnshaw 1844)."""
    result = run(ball(2 / 5), method, coordinates, end=7.3303828583761842, step=7.3303828583761842 / 4000)
    near(method)(place(result)[-1], [0.3, 0.0, 2.0], 1e-9)
    radius = np.hypot(place(result)[:, 0] + 0.2833333333333333, place(result)[:, 1])
    near(method)(radius, 0.5833333333333333, 1e-9)
    near(method)(result.select("multiplier", "table.height"), 0.2 * 9.81, 1e-8)
    assert np.ptp(result["energy_work"]) > 1e-3  # the table drives the ball
    conserved(result, method)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_ball_on_a_turntable_at_published_times(coordinates: str) -> None:
    result = run(ball(2 / 5), "svd", coordinates, end=5.0, step=1e-3)
    for time, x, y in ((1.0, 0.098516705560572714, 0.44098562966892721), (5.0, -0.52474345015014571, -0.53103571751462329)):
        close(place(result)[np.argmin(np.abs(result.time - time))], [x, y, 2.0], atol=1e-10)
    shell = run(ball(2 / 3), "svd", coordinates, end=5.0, step=1e-3)
    close(place(shell)[-1], [0.28340428610431918, -0.11642312424955245, 2.0], atol=1e-10)


def test_ball_on_a_tilted_turntable_drifts_across_the_slope() -> None:
    """By 5 g sin(a) / (2 Omega) a second on the average of whole turns; gravity points down the slope, along x."""
    period = 7.3303828583761842
    result = run(ball(2 / 5, np.deg2rad(5)), "svd", end=2 * period, step=period / 10000)
    drift = (place(result)[-1] - place(result)[0]) / (2 * period)
    close(np.abs(drift), [0.0, 0.712498196962, 0.0], atol=5e-9)
    conserved(result, "svd", 1e-8)


def test_turntable_as_a_body() -> None:
    """A plane of a driven body is the same as a plane that spins; the motor's work is that of the table."""
    source = ball(2 / 5)
    source["bodies"]["table"] = {"mass": 3, "inertia": [1, 1, 2], "position": [0, 0, -0.1]}
    source["joints"] = {"axle": {"type": "revolute", "bodies": ["ground", "table"], "at": [0, 0, -0.1], "axis": [0, 0, 1]}}
    source["drivers"] = {"motor": {"joint": "axle", "speed": 3}}
    source["constraints"] = {"rolls": {"type": "rolling_ball", "center": "b", "radius": 2.0, "plane": {"body": "table"}}}
    expected = run(ball(2 / 5), "svd", end=3.0, step=1e-3)
    for coordinates in ("absolute", "joint"):
        result = run(source, "svd", coordinates, end=3.0, step=1e-3)
        force = result.select("joint_force", "axle")  # of the ground on the table: what holds it and the ball, but for its acceleration
        gain = 0.2 * result.select("acceleration", "der(b.x)"), 0.2 * result.select("acceleration", "der(b.y)")
        close(force, np.stack([*gain, np.full(len(force), 3.2 * 9.81)], axis=1), atol=1e-9)
        close(place(result), place(expected), atol=1e-10)
        close(result["energy_work"], expected["energy_work"], atol=1e-10)
        # friction at the contact turns the table: the motor holds against it
        friction = np.stack([result.select("multiplier", f"rolls.slip_{c}") for c in "xy"], axis=1)
        angle = 3.0 * result.time
        c, s = np.cos(angle), np.sin(angle)
        force = np.stack([c * friction[:, 0] - s * friction[:, 1], s * friction[:, 0] + c * friction[:, 1]], axis=1)
        torque = place(result)[:, 0] * force[:, 1] - place(result)[:, 1] * force[:, 0]
        close(result.select("driver_effort", "motor"), torque, atol=1e-9)


def orientation(theta: float, psi: float) -> dict[str, Any]:
    """Disk axis theta off the vertical, heading psi (turns about z, then about x): the body's z axis is the disk's."""
    S, K, s, c = np.sin(psi), np.cos(psi), np.sin(theta), np.cos(theta)
    R = np.array([[K, -S * c, S * s], [S, K * c, -K * s], [0.0, s, c]])
    return {"quaternion": [float(x) for x in quaternions(R)]}


def disk(
    theta: float, psi: float, rates: tuple[float, float, float], m: float, R: float, plane: dict[str, Any], surface: Any = 0.0
) -> dict[str, Any]:
    """Rates of theta, psi and of the spin about the axis."""
    axis = np.array([np.sin(theta) * np.sin(psi), -np.sin(theta) * np.cos(psi), np.cos(theta)])
    omega = rates[0] * np.array([np.cos(psi), np.sin(psi), 0.0]) + rates[1] * np.array([0.0, 0.0, 1.0]) + rates[2] * axis
    down = np.array([0.0, 0.0, -1.0])
    rho = R * (down - (down @ axis) * axis) / np.linalg.norm(down - (down @ axis) * axis)
    velocity = surface - np.cross(omega, rho)
    return {
        "name": "rolling disk",
        "gravity": [0, 0, -9.81],
        "bodies": {
            "b": {
                "mass": m,
                "inertia": [m * R**2 / 4, m * R**2 / 4, m * R**2 / 2],
                "position": [0, 0, float(R * np.sin(theta))],
                "orientation": orientation(theta, psi),
                "velocity": [float(x) for x in velocity],
                "angular_velocity": [float(x) for x in omega],
            }
        },
        "constraints": {"wheel": {"type": "rolling_disk", "center": "b", "axis": [float(x) for x in axis], "radius": R, "plane": plane}},
    }


LEAN, PRECESSION, SPIN, CIRCLE = np.deg2rad(20), 2.0, 4.53730912571104, 0.5779903258589555


@every_run
def test_disk_rolls_in_a_circle(method: str, coordinates: str) -> None:
    """(C + m R^2) w3 W cos a + A W^2 sin a cos a = m g R sin a, as in test_rolling_disk.py; round once."""
    source = disk(np.pi / 2 + LEAN, 0.3, (0.0, PRECESSION, SPIN), 1.5, 0.3, {})
    result = run(source, method, coordinates, end=np.pi, step=np.pi / 4000)
    near(method)(place(result)[-1], place(result)[0], 5e-9)
    path = place(result)[:, :2] - place(result)[:-1, :2].mean(axis=0)
    near(method)(np.hypot(*path.T), CIRCLE, 5e-9)
    near(method)(place(result)[:, 2], 0.3 * np.cos(LEAN), 5e-9)
    near(method)(result.select("multiplier", "wheel.height"), 1.5 * 9.81, 5e-8)
    friction = np.hypot(*(result.select("multiplier", f"wheel.slip_{c}") for c in "xy"))
    near(method)(friction, 1.5 * PRECESSION**2 * CIRCLE, 5e-8)  # centripetal
    conserved(result, method, 1e-8)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_disk_equals_the_shipped_one_in_its_own_coordinates(coordinates: str) -> None:
    """models/rolling_disk.yaml, on its plane that accelerates: the same motion, contact forces and work."""
    plane = {"point": ["0.15*t^2", "-0.1*t^2", "0.05*t^2"]}
    own = mbsim.simulate(mechanisms.shipped("rolling_disk"), step=1e-3)
    result = run(disk(1.2, 0.3, (0.2, 1.0, 3.0), 1.0, 0.5, plane), "svd", coordinates, end=5.0, step=1e-3)
    close(place(result), own["q"][:, :3], atol=2e-8)
    for row, other in (("wheel.height", "on_plane"), ("wheel.slip_x", "no_slip_x"), ("wheel.slip_y", "no_slip_y")):
        close(result.select("multiplier", row), own.select("multiplier", other), atol=1e-6)
    for name in ("energy_kinetic", "energy_potential", "energy_work"):
        close(result[name], own[name], atol=2e-7)
    conserved(result, "svd", 1e-8)


def lean_rate(spin: float, end: float) -> Result:
    """Upright, R = 0.3, spinning at `spin`, leaning at 1e-6 rad/s."""
    return run(disk(np.pi / 2, 0.0, (1e-6, 0.0, spin), 1.5, 0.3, {}), "svd", end=end, step=end / 8000)


def lean(result: Result) -> np.ndarray:
    q = result.select("body_orientation", "b")
    return 2.0 * (q[:, 2] * q[:, 3] + q[:, 0] * q[:, 1]) - 1.0, 1.0 - 2.0 * (q[:, 1] ** 2 + q[:, 2] ** 2)


def test_lean_frequency_of_a_rolling_disk() -> None:
    """w^2 = (12 s^2 - 4 g / R) / 5 (Neimark & Fufaev 1972, ch. III): at s = 10 rad/s and R = 0.3 m, 14.623269128344729 rad/s."""
    frequency = 14.623269128344729
    assert frequency == pytest.approx(np.sqrt((12 * 10**2 - 4 * 9.81 / 0.3) / 5), rel=1e-14)
    result = lean_rate(10.0, 4 * np.pi / frequency)
    tilt = lean(result)[1]
    close(tilt[[2000, 4000, 6000, 8000]], 0.0, atol=1e-13)
    close(np.abs(tilt).max(), 1e-6 / frequency, atol=1e-12)


@pytest.mark.parametrize(("spin", "grows"), [(3.2, True), (3.4, False)])
def test_threshold_of_upright_rolling(spin: float, grows: bool) -> None:
    """Stable above s^2 = g / (3 R): 3.3015148038438356 rad/s at R = 0.3 m."""
    tilt = np.abs(lean(lean_rate(spin, 8.0))[1])
    assert tilt.max() > 1e-3 if grows else tilt.max() < 2e-6


@every_run
def test_wheel_rolls_down_a_slope(method: str, coordinates: str) -> None:
    """a = g sin(b) / (1 + I / (m R^2)), friction I a / R^2, normal m g cos(b); the contact rows are holonomic in the plane."""
    slope, m, R, moment = 0.3, 2.0, 0.25, 0.05
    n = [float(np.sin(slope)), float(np.cos(slope))]
    source = {
        "name": "wheel on a slope",
        "dimension": 2,
        "gravity": [0, -9.81],
        "bodies": {"b": {"mass": m, "inertia": moment, "position": [R * x for x in n]}},
        "constraints": {"wheel": {"type": "rolling_disk", "center": "b", "radius": R, "plane": {"normal": n}}},
    }
    result = run(source, method, coordinates, end=2.0, step=2e-3)
    a = 9.81 * np.sin(slope) / (1 + moment / (m * R**2))
    near(method)(place(result)[-1, :2], [R * n[0] + 2 * a * n[1], R * n[1] - 2 * a * n[0]], 1e-9)
    near(method)(result.select("body_angular_velocity", "b", "z")[-1], -2 * a / R, 1e-9)
    near(method)(result.select("multiplier", "wheel.slip")[-1], -moment * a / R**2, 1e-8)
    near(method)(result.select("multiplier", "wheel.height")[-1], m * 9.81 * np.cos(slope), 1e-8)
    conserved(result, method)
    assert mbsim.assemble(mechanisms.model({**source, "simulation": {"end": 1}})).system.n_holonomic == 2


@every_run
def test_wheel_on_a_line_that_moves(method: str, coordinates: str) -> None:
    """A line that is pulled along with x = A sin(w t): the wheel's centre follows with I / (I + m R^2) of it."""
    m, R, moment = 2.0, 0.25, 0.05
    source = {
        "name": "wheel on a sliding board",
        "dimension": 2,
        "gravity": [0, -9.81],
        "bodies": {"b": {"mass": m, "inertia": moment, "position": [0, R], "velocity": [0.6 * moment / (moment + m * R**2), 0]}},
        "constraints": {"wheel": {"type": "rolling_disk", "center": "b", "radius": R, "plane": {"point": ["0.2*sin(3*t)", 0]}}},
        "initial": {"der(b.angle)": 0.6 * m * R / (moment + m * R**2)},
    }
    if coordinates == "joint":
        source["initial"] = {"der(b.angle)": source["initial"]["der(b.angle)"]}
    result = run(source, method, coordinates, end=2.0, step=2e-3)
    share = moment / (moment + m * R**2)
    near(method)(place(result)[:, 0], share * 0.2 * np.sin(3 * result.time), 1e-8)
    conserved(result, method, 1e-9)
    assert np.ptp(result["energy_work"]) > 1e-3


@every_run
def test_differential(method: str, coordinates: str) -> None:
    """Two wheels and a ring on one axle, left + right = 2 ring: torques at the wheels are equal, half the ring's (Lagrange, by hand)."""
    axle = {"type": "revolute", "at": [0, 0, 0], "axis": [0, 1, 0]}
    J = {"left": 0.3, "right": 0.7, "ring": 0.2}
    source = {
        "name": "differential",
        "bodies": {name: {"mass": 1, "inertia": [1, j, 1]} for name, j in J.items()},
        "joints": {f"on_{name}": {**axle, "bodies": ["ground", name]} for name in J},
        "constraints": {
            "cage": {
                "type": "speed_coupling",
                "terms": {f"der(on_{name}.angle)": c for name, c in (("left", 1), ("right", 1), ("ring", -2))},
            }
        },
        "forces": {"engine": {"type": "torque", "body": "ring", "value": [0, 1.5, 0]}},
    }
    if coordinates == "absolute":
        source["constraints"]["same"] = {"type": "speed_coupling", "terms": {"left.omega.y": 1, "right.omega.y": 1, "ring.omega.y": -2}}
        del source["constraints"]["same" if method == "svd" else "cage"]
    result = run(source, method, coordinates, end=2.0, step=2e-3)
    # J_l a_l = J_r a_r = k,  J_g a_g = 1.5 - 2 k,  a_l + a_r = 2 a_g
    k = 2 * 1.5 / J["ring"] / (1 / J["left"] + 1 / J["right"] + 4 / J["ring"])
    speed = {name: result.select("body_angular_velocity", name, "y")[-1] for name in J}
    near(method)(
        [speed["left"], speed["right"], speed["ring"]], [2 * k / J["left"], 2 * k / J["right"], 2 * (1.5 - 2 * k) / J["ring"]], 1e-9
    )
    near(method)(result["multiplier"][:, -1], k, 1e-9)
    conserved(result, method)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_disk_that_falls_flat_stops_the_run(coordinates: str) -> None:
    source = disk(np.pi / 2, 0.0, (0.3, 0.0, 0.0), 1.5, 0.3, {})
    with pytest.raises(mbsim.SimulationError, match=r"stopped at t = 0\.\d+ s: the disk of wheel lies flat on its plane"):
        run(source, "svd", coordinates, end=5.0, step=1e-3)


def ball_on(surface: dict[str, Any], **body: Any) -> dict[str, Any]:
    """A homogeneous ball of radius 0.1."""
    ball = {"mass": 2, "inertia": [0.008, 0.008, 0.008], **body}
    rolling = {"type": "rolling_ball", "center": "b", "radius": 0.1, **surface}
    return {"name": "ball on a curved surface", "gravity": [0, 0, -9.81], "bodies": {"b": ball}, "constraints": {"c": rolling}}


@pytest.mark.parametrize(("method", "coordinates"), [("lagrange", "absolute"), ("cfa", "absolute"), ("svd", "joint")])
def test_a_ball_sinks_and_climbs_inside_an_upright_cylinder(method: str, coordinates: str) -> None:
    """z oscillates with sqrt(2/7) of the rate of its turns, about a depth that gravity gives: Gualtieri et al., Am. J. Phys. 74 (2006) 497.

    With u = z', s = the spin about the normal and w the rate of turns: 7/5 u' = -g + 2/5 r w s, s' = -w u / r (a solid ball).
    """
    R, r, w = 0.6, 0.1, 8.0
    start = {"position": [R - r, 0, 0], "velocity": [0, w * (R - r), 0], "angular_velocity": [0, 0, -w * (R - r) / r]}
    found = run(ball_on({"cylinder": {"axis": [0, 0, 1], "radius": R, "inside": True}}, **start), method, coordinates)
    rate = np.sqrt(2 / 7) * w
    z = -9.81 * 5 / 7 / rate**2 * (1 - np.cos(rate * found.time))
    near(method)(place(found)[:, 2], z, 1e-7)
    near(method)(np.hypot(*place(found)[:, :2].T), R - r, 1e-8)
    conserved(found, method, 1e-6)


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("form", ["sphere", "cylinder"])
def test_a_ball_rolls_in_a_bowl_and_off_a_dome(form: str, inside: bool) -> None:
    """In a plane: 7/5 L theta'' = -+ g sin(theta), L the distance of the centres: the energy gives the speed at each height."""
    R, theta = 1.0, 0.4
    L = R - 0.1 if inside else R + 0.1
    sign = -1.0 if inside else 1.0
    surface: dict[str, Any] = {"radius": R, "inside": inside} | ({"axis": [1, 0, 0]} if form == "cylinder" else {})
    body = {"position": [0, L * np.sin(theta), sign * L * np.cos(theta)]}
    found = run(ball_on({form: surface}, **body))
    y, z = place(found)[:, 1:].T
    speed = np.linalg.norm(found.select("body_velocity", "b"), axis=1)
    close(np.hypot(y, z), np.full(len(y), L), atol=1e-9)
    close(speed**2, 10 / 7 * 9.81 * (z[0] - z), atol=1e-8)
    close(np.linalg.norm(found.select("body_angular_velocity", "b"), axis=1), speed / 0.1, atol=1e-8)
    assert np.ptp(z) > 0.05
    conserved(found, "auto", 1e-8)


def test_wrong_surfaces_are_refused() -> None:
    for surface, message in (
        ({"sphere": {"radius": 1}, "plane": {}}, "give one surface"),
        ({"sphere": {"radius": 0.1, "inside": True}}, "a ball inside is smaller"),
        ({"cylinder": {"radius": 1}}, "missing key 'axis'"),
        ({"sphere": {"radius": 1, "body": "b"}}, "another body than its own"),
    ):
        with pytest.raises(mbsim.ModelError, match=message):
            run(ball_on(surface, position=[0, 0, 1]))
