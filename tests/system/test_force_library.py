"""Every force against its definition: the potential's derivative, the power, momentum, joint against absolute coordinates."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import trees
from mechanisms import DIMENSIONS, close, derivative
from test_forces_and_energy import displaced, local_point, place, states, two_bodies

import mbsim
from mbsim import registry

TOLERANCE = 2e-7  # of differences, relative to the largest entry
POINTS = [[0.1, -0.5, 0.2], [0.8, 0.4, 0.3]]


def random_matrix(size: int, seed: int) -> list[list[float]]:
    """Symmetric, positive definite and full."""
    B = np.random.default_rng(seed).standard_normal((size, size))
    return (B @ B.T + np.eye(size)).tolist()


def elements(dimension: int) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """name -> (joints, force): every force in every form that does not need a law; forces that stop something do so at all states."""
    d = slice(0, dimension)
    size = 3 if dimension == 2 else 6
    at = POINTS[0][d]
    hinge = {"J": mechanisms.joint_block("revolute", dimension, bodies=["b0", "b1"], at=at)}
    slide = {"J": mechanisms.joint_block("prismatic", dimension, bodies=["b1", "ground"], at=at)}
    turned = {"angle": 0.4} if dimension == 2 else {"orientation": {"axis": [1, 2, -0.5], "angle": 0.8}}
    stop = {"stiffness": 3, "exponent": 1.7, "damping": 0.6}
    ball = {"body": "b0", "at": at, "radius": 4, "stiffness": 2, "damping": 0.05, "normal": [0.6, 0.8, -0.3][d]}
    between = {"point": "b1", "at": [2.5, 0.4, -0.3][d]}
    if dimension == 2:  # in space a random attitude takes a pulley far out of the plane of its cable
        between = {"center": "b1", "at": [2.5, 0.4], "radius": 0.1, "wraps": "counterclockwise"}
    found: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "torsion_spring": (hinge, {"type": "rotational_spring_damper", "joint": "J", "stiffness": 4, "damping": 0.3, "free_angle": 0.2}),
        "slide_spring": (slide, {"type": "translational_spring_damper", "joint": "J", "stiffness": 4, "damping": 0.3,
                                 "free_displacement": 0.1}),
        "hinge_friction": (hinge, {"type": "joint_friction", "joint": "J", "coulomb": 2, "viscous": 0.2, "transition_speed": 0.3}),
        "slide_friction": (slide, {"type": "joint_friction", "joint": "J", "viscous": 0.2}),
        "upper_limit": (hinge, {"type": "joint_limit", "joint": "J", "upper": -5, **stop, "depth": 7}),
        "lower_limit": (slide, {"type": "joint_limit", "joint": "J", "lower": 9, "upper": 10, **stop}),
        "bushing": ({}, {"type": "bushing", "bodies": ["b0", "b1"], "at": at, "stiffness": random_matrix(size, 1), **turned,
                         "damping": random_matrix(size, 2), "preload": [0.3, -0.4, 0.5, 0.2, 0.7, -0.1][:size]}),
        "soft_bushing": ({}, {"type": "bushing", "bodies": ["ground", "b1"], "at": at,
                              "stiffness": [3, 2, 0] if dimension == 2 else [3, 2, 4, 0, 0, 0]}),
        "fixed_centre": ({}, {"type": "point_gravity", "body": "b0", "at": [3, 4, 1][d], "mu": 5}),
        "attraction": ({}, {"type": "point_gravity", "body": "b0", "centre": "b1", "mu": 5}),
        "ball_on_ground": ({}, {"type": "contact", **ball, "through": [0.1, 0.2, 0.3][d], "friction": 0.4, "transition_speed": 0.2}),
        "ball_on_body": ({}, {"type": "contact", **ball, "plane": "b1", "friction": 0.4, "transition_speed": 0.2, "exponent": 1}),
        "drag": ({}, {"type": "drag", "body": "b0", "at": at, "linear": 0.3, "quadratic": 0.2, "rotational_linear": 0.1,
                      "rotational_quadratic": 0.4, "medium": [0.5, -0.2, 0.3][d]}),
        "cable": ({}, {"type": "pulley_cable", "stiffness": 4, "damping": 0.02, "free_length": 0.01, "path": [
            {"point": "b0", "at": POINTS[0][d]}, between, {"point": "b0", "at": [-0.6, 0.9, 0.4][d]}]}),
        "body_force": ({}, {"type": "force", "body": "b0", "at": at, "axes": "body", "value": [1, -2, 0.5][d]}),
        "other_axes": ({}, {"type": "force", "body": "b0", "axes": "b1", "value": [1, -2, 0.5][d]}),
    }  # fmt: skip
    if dimension == 2:
        found["two_bodies"] = ({}, {"type": "rotational_spring_damper", "bodies": ["b0", "b1"], "stiffness": 4, "free_angle": -0.3})
    else:
        tyre = {
            "body": "b0",
            "axis": [0.2, 0.9, 0.3],
            "radius": 6,
            "stiffness": 2,
            "damping": 0.05,
            "normal": [0.6, -0.1, 0.8],
            "road": "b1",
        }
        curve = {"stiffness": 2, "peak": 0.8, "shape": 1.4, "curvature": -0.3, "stiffness_change": -0.1, "peak_change": -0.02}
        found["linear_tyre"] = (
            {},
            {"type": "linear_tyre", **tyre, "cornering_stiffness": 3, "slip_stiffness": 4, "friction": 0.7, "pneumatic_trail": 0.02},
        )
        found["pacejka_tyre"] = (
            {},
            {
                "type": "pacejka_tyre",
                **tyre,
                "nominal_load": 8,
                "lateral": curve,
                "longitudinal": {**curve, "shape": 1.7},
                "trail": {"length": 0.02, "factor": 2, "shape": 1.1, "curvature": -0.4},
            },
        )
        found["body_torque"] = ({}, {"type": "torque", "body": "b0", "axes": "body", "value": [1, -2, 0.5]})
        found["torque_in_other_axes"] = ({}, {"type": "torque", "body": "b0", "axes": "b1", "value": [1, -2, 0.5]})
    return found


CASES = [(d, name) for d in DIMENSIONS for name in elements(d)]
EXTERNAL = {"drag", "body_force", "other_axes", "body_torque", "torque_in_other_axes"}  # they have no reaction on another body
WITHOUT_POTENTIAL = {"hinge_friction", "slide_friction", *EXTERNAL}


def source_of(dimension: int, name: str) -> dict[str, Any]:
    joints, force = elements(dimension)[name]
    return two_bodies(dimension, gravity=[0] * dimension, joints=joints, forces={"f": force})


@pytest.mark.parametrize(("dimension", "name"), CASES)
def test_power_is_the_work_of_the_load_and_what_it_stores(dimension: int, name: str) -> None:
    """load . v = power - (d/dt) potential, and at rest, damping aside, the load is minus the potential's derivative."""
    source = source_of(dimension, name)
    plain = mechanisms.system({**source, "forces": {}})
    for system, t, q, v in states(source):
        rest = np.zeros(system.n_v)
        _, h, _, _, _, power = system.terms(t, q, v)
        load = h - plain.h(t, q, v)
        gradient = displaced(system, q, lambda x, s=system, t=t, rest=rest: s.energy(t, x, rest)[1])
        scale = max(1.0, np.abs(load).max(), np.abs(gradient).max())
        assert load @ v == pytest.approx(power - gradient @ v, abs=TOLERANCE * scale)
        assert np.abs(load).max() > 1e-3
        if name in WITHOUT_POTENTIAL:
            assert not gradient.any()
        else:
            close(system.h(t, q, rest) - plain.h(t, q, rest), -gradient, atol=TOLERANCE * scale)
            assert np.abs(gradient).max() > 1e-3
        if name not in EXTERNAL or name == "drag":
            still = elements(dimension)[name][1].get("medium") is None
            assert power <= 0.0 or not still


BETWEEN = ["torsion_spring", "hinge_friction", "upper_limit", "bushing", "attraction", "ball_on_body", "cable"]  # the ground is not loaded


@pytest.mark.parametrize(("dimension", "name"), [*((d, name) for d in DIMENSIONS for name in BETWEEN), (2, "two_bodies")])
def test_internal_forces_keep_momentum(dimension: int, name: str) -> None:
    """The sum of the loads and their moment about the origin vanish."""
    source = source_of(dimension, name)
    plain = mechanisms.system({**source, "forces": {}})
    for system, t, q, v in states(source):
        load = system.h(t, q, v) - plain.h(t, q, v)
        if dimension == 2:
            x, y = q.reshape(-1, 3)[:, 0], q.reshape(-1, 3)[:, 1]
            fx, fy, torque = load.reshape(-1, 3).T
            total = [fx.sum(), fy.sum(), (x * fy - y * fx + torque).sum()]
        else:
            from mbsim.kernels.rotations import matrices

            poses, loads = q.reshape(-1, 7), load.reshape(-1, 6)
            couples = np.einsum("bij,bj->bi", matrices(poses[:, 3:]), loads[:, 3:])
            total = [*loads[:, :3].sum(axis=0), *(np.cross(poses[:, :3], loads[:, :3]) + couples).sum(axis=0)]
        close(total, 0.0, atol=1e-12 * max(1.0, np.abs(load).max()))


# Loads against their definitions


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_drag(dimension: int) -> None:
    source = source_of(dimension, "drag")
    at = source["forces"]["f"]["at"]
    local = local_point(dimension, 0, at)
    plain = mechanisms.system({**source, "forces": {}})
    for system, t, q, v in states(source):

        def where(x: np.ndarray, s: Any = system) -> np.ndarray:
            return place(s, x, 0, local)

        u = derivative(lambda e: where(system.move(q, e * v))) - source["forces"]["f"]["medium"]  # noqa: B023 (used at once)
        expected = displaced(system, q, where) @ (-(0.3 + 0.2 * np.linalg.norm(u)) * u)
        turn = slice(2, 3) if dimension == 2 else slice(3, 6)
        expected[turn] -= (0.1 + 0.4 * np.linalg.norm(v[turn])) * v[turn]
        close(system.h(t, q, v) - plain.h(t, q, v), expected, atol=1e-8)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_forces_in_the_axes_of_a_body(dimension: int) -> None:
    names = ["body_force", "other_axes", *(["body_torque", "torque_in_other_axes"] if dimension == 3 else [])]
    for name in names:
        source = source_of(dimension, name)
        frame = 1 if "other" in name else 0
        local = local_point(dimension, 0, POINTS[0][:dimension]) if name == "body_force" else np.zeros(dimension)
        plain = mechanisms.system({**source, "forces": {}})
        for system, t, q, v in states(source):
            origin = place(system, q, frame, np.zeros(dimension))
            axes = np.array([place(system, q, frame, e) - origin for e in np.eye(dimension)])
            value = np.array([1, -2, 0.5][:dimension]) @ axes
            if "torque" in name:
                own = np.array([place(system, q, 0, e) - place(system, q, 0, np.zeros(3)) for e in np.eye(3)])
                expected = np.array([0, 0, 0, *own @ value, *[0] * 6])
            else:
                expected = displaced(system, q, lambda x, s=system, p=local: place(s, x, 0, p)) @ value
            close(system.h(t, q, v) - plain.h(t, q, v), expected, atol=1e-9)


def test_bushing_in_one_axis() -> None:
    """A turn about one axis and a displacement along it: plain springs and dampers; free to turn where it has no stiffness."""
    for stiffness, angle in (([5, 6, 7, 2, 3, 4], 2.5), ([5, 6, 7, 0, 0, 0], 3.1)):
        force = {"type": "bushing", "bodies": ["ground", "b"], "at": [0, 0, 0], "stiffness": stiffness, "damping": [1, 1, 1, 1, 1, 0.5]}
        made = mechanisms.system({"bodies": {"b": {"mass": 1, "inertia": [1, 1, 1]}}, "forces": {"f": force}, "simulation": {"end": 1}})
        q = np.array([0.1, 0, 0.2, np.cos(angle / 2), 0, 0, np.sin(angle / 2)])
        v = np.array([0, 0, 0.3, 0, 0, 0.7])
        close(made.h(0, q, v), [-0.5, 0, -7 * 0.2 - 0.3, 0, 0, -stiffness[5] * angle - 0.5 * 0.7], atol=1e-12)


def test_contact_pushes_only() -> None:
    """The law of Hunt and Crossley while it is positive, zero beyond; nothing above the plane."""
    force = {
        "type": "contact",
        "body": "b",
        "radius": 0.1,
        "normal": [0, 1],
        "stiffness": 1000,
        "damping": 0.4,
        "friction": 0.3,
        "transition_speed": 0.01,
    }
    made = mechanisms.system({"dimension": 2, "bodies": {"b": {"mass": 1, "inertia": 1}}, "forces": {"f": force}, "simulation": {"end": 1}})
    for y, rate, slip in ((0.08, 0.0, 0.0), (0.08, -0.5, 0.02), (0.08, 1.0, 1.0), (0.08, 2.0, 1.0), (0.12, -1.0, 1.0)):
        normal = 1000 * max(0.1 - y, 0) ** 1.5 * max(0, 1 - 1.5 * 0.4 * rate)
        friction = -0.3 * normal * np.tanh(slip / 0.01)
        close(made.h(0, [0, y, 0], [slip, rate, 0]), [friction, normal, 0.1 * friction], atol=1e-12)


def test_limit_never_pulls() -> None:
    force = {"type": "joint_limit", "joint": "J", "lower": -0.2, "upper": 0.3, "stiffness": 100, "damping": 10, "depth": 0.1}
    source = {
        "dimension": 2, "bodies": {"b": {"mass": 1, "inertia": 1}}, "forces": {"f": force}, "simulation": {"end": 1},
        "joints": {"J": {"type": "prismatic", "bodies": ["ground", "b"], "at": [0, 0], "axis": [1, 0]}},
    }  # fmt: skip
    made = mechanisms.system(source)
    for x, rate, expected in (
        (0.29, 5.0, 0.0), (0.35, 0.0, -5.0), (0.35, 0.4, -5.0 - 10 * 0.5 * 0.4), (0.5, 0.4, -20.0 - 4.0), (0.5, -3.0, 0.0),
        (-0.4, -0.4, 24.0), (-0.25, 0.4, 5 - 2.0), (-0.25, 2.0, 0.0),
    ):  # fmt: skip
        close(made.h(0, [x, 0, 0], [rate, 0, 0]), [expected, 0, 0], atol=1e-12)


# Laws with names of their own


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_laws_over_the_force_s_own_names(coordinates: str) -> None:
    """A law that says what the linear force says, and one that reads the joint by its name."""
    body = {"mass": 1, "inertia": 0.2, "position": [0.5, 0.1]}
    joints = {
        "O": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
        "S": {"type": "prismatic", "bodies": ["a", "b"], "at": [0.5, 0.1], "axis": [0.6, 0.8]},
    }
    at = [[0.2, -1], [0.6, 0.3]]
    linear = {
        "s": {"type": "spring_damper", "bodies": ["ground", "b"], "at": at, "stiffness": 7, "damping": 0.5, "free_length": 0.4},
        "r": {"type": "rotational_spring_damper", "joint": "O", "stiffness": 3, "damping": 0.2, "free_angle": 0.1},
        "p": {"type": "translational_spring_damper", "joint": "S", "stiffness": 5, "damping": 0.3, "free_displacement": -0.1},
        "m": {"type": "joint_torque", "joint": "O", "value": 0},
        "k": {"type": "rotational_spring_damper", "bodies": ["ground", "b"], "stiffness": 1.5, "damping": 0.4},
    }
    laws = {
        "s": {"type": "spring_damper", "bodies": ["ground", "b"], "at": at, "value": "k*(length - 0.4) + 0.5*rate"},
        "r": {"type": "rotational_spring_damper", "joint": "O", "value": "3*(angle - 0.1)"},
        "p": {"type": "translational_spring_damper", "joint": "S", "value": "5*(displacement + 0.1) + 0.3*rate"},
        "m": {"type": "joint_torque", "joint": "O", "value": "-0.2*der(O.angle)"},
        "k": {"type": "rotational_spring_damper", "bodies": ["ground", "b"], "value": "1.5*angle + 0.4*rate"},
    }
    found = []
    for forces in (linear, laws):
        source = {
            "dimension": 2, "coordinates": coordinates, "parameters": {"k": 7}, "bodies": {"a": body, "b": body}, "joints": joints,
            "forces": forces, "simulation": {"end": 1},
        }  # fmt: skip
        for system, t, q, v in states(source):
            power = system.terms(t, q, v)[5] - derivative(lambda e: system.energy(t, system.move(q, e * v), v)[1])  # noqa: B023
            found.append([*system.h(t, q, v), power])
    close(found[:5], found[5:], atol=1e-9)


# Joint coordinates


def everything(seed: int, dimension: int, coordinates: str) -> dict[str, Any]:
    """A random tree with every force; one of them reads a joint."""
    words = ["revolute", "prismatic"] if dimension == 2 else ["revolute", "spherical", "cylindrical", "prismatic"]
    source: Any = trees.random_tree(seed, 5, dimension, words=words)
    source["joints"]["j1"]["type"] = "revolute"
    source["joints"]["j2"]["type"] = "prismatic"
    for name in ("j1", "j2"):
        source["joints"][name]["axis"] = [0.6, 0.8] if dimension == 2 else [0.36, 0.48, 0.8]
    size = 3 if dimension == 2 else 6
    d = slice(0, dimension)
    source["forces"] |= {
        "torsion": {"type": "rotational_spring_damper", "joint": "j1", "stiffness": 8, "damping": 0.3, "free_angle": 0.2},
        "slide": {"type": "translational_spring_damper", "joint": "j2", "stiffness": 60, "damping": 1, "free_displacement": 0.1},
        "motor": {"type": "joint_torque", "joint": "j1", "value": "2*sin(3*t) - 0.1*der(j1.angle)"},
        "rub": {"type": "joint_friction", "joint": "j2", "coulomb": 1, "viscous": 0.1, "transition_speed": 0.2},
        "stop": {"type": "joint_limit", "joint": "j2", "lower": -0.02, "upper": 0.02, "stiffness": 50, "exponent": 2, "damping": 1,
                 "depth": 0.1},
        "mount": {"type": "bushing", "bodies": ["b0", "b3"], "at": [0.5] * dimension, "stiffness": random_matrix(size, 3),
                  "damping": [0.1] * size},
        "sun": {"type": "point_gravity", "body": "b2", "at": [4, 5, 6][d], "mu": 30},
        "pull": {"type": "point_gravity", "body": "b1", "centre": "b4", "mu": 2},
        "air": {"type": "drag", "body": "b4", "linear": 0.1, "quadratic": 0.2, "rotational_linear": 0.05},
        "floor": {"type": "contact", "body": "b4", "radius": 3, "normal": [0.6, 0.8, 0.1][d], "stiffness": 5, "friction": 0.3,
                  "transition_speed": 0.3, "damping": 0.1},
        "thrust": {"type": "force", "body": "b3", "axes": "body", "value": [1, 2, 0.5][d]},
    }  # fmt: skip
    source["coordinates"] = coordinates
    return source


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_same_motion_in_joint_and_absolute_coordinates(dimension: int) -> None:
    methods = {"absolute": ["lagrange", "cfa"], "joint": ["aba", "lagrange"]}
    precise = {"integrator": "dop853", "rtol": 1e-10, "atol": 1e-10, "max_step": 5e-3}
    results = []
    for coordinates, names in methods.items():
        model = mechanisms.model(everything(5, dimension, coordinates))
        results += [mbsim.simulate(model, method=name, **precise, end=0.4, output_step=0.1) for name in names]
    for result in results:
        for name in ("body_position", "joint_force", "joint_torque", "energy_work", "energy_potential"):
            close(result[name], results[0][name], atol=1e-6 * max(1.0, np.abs(results[0][name]).max()))
        assert np.abs(result["energy_balance"]).max() < 1e-7
    assert np.abs(results[0]["energy_work"]).max() > 1e-2


@pytest.mark.parametrize("options", [{"integrator": "dop853", "rtol": 1e-12, "atol": 1e-12}, {"integrator": "rk4", "step": 5e-4}])
@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_energy_balance_over_a_long_run_with_every_force(dimension: int, coordinates: str, options: dict[str, Any]) -> None:
    """Within 1e-8 of the largest energy for 10 s."""
    source = everything(3, dimension, coordinates)
    result = mbsim.simulate(mechanisms.model(source), method="cfa", **options, end=10, output_step=0.5)
    scale = np.abs([result["energy_kinetic"], result["energy_potential"]]).max()
    assert np.abs(result["energy_balance"]).max() < 1e-8 * scale


@pytest.mark.parametrize("drift", ["position", "full"])
def test_a_long_run_with_a_held_basis(drift: str) -> None:
    """Held pivots vanish on the way, the last of them at 6.07 s, where no multiplier of the elimination shows it."""
    precise = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-12, "max_step": 2e-3}
    model = mechanisms.model(everything(3, 3, "absolute"))
    result = mbsim.simulate(model, method="svd", drift=drift, **precise, end=8, output_step=0.5)
    assert np.abs(result["energy_balance"]).max() < 1e-10


def test_every_shipped_force_is_tested_here() -> None:
    tested = {force["type"] for d in DIMENSIONS for _, force in elements(d).values()} | {"joint_torque"}
    assert set(registry.names("forces")) == tested | {"spring_damper", "generalized", "bristle_friction"}  # the last in test_states.py
