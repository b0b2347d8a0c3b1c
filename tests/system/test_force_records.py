"""What is recorded of forces: efforts against closed forms, power and vectors against the generalised force, in both coordinates."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import DIMENSIONS, close
from test_force_library import elements
from test_forces_and_energy import two_bodies

import mbsim
from mbsim import registry
from mbsim.march.formulation import allocate_for_observer
from mbsim.observe.forces import force_labels
from mbsim.observe.observer import Observer

LAWS = {
    "tension": {"type": "spring_damper", "value": "3*length^2 + 0.2*rate + t"},
    "spring": {"type": "spring_damper", "stiffness": 5, "damping": 0.7, "free_length": 0.4},
    "to_ground": {"type": "spring_damper", "stiffness": 5, "damping": 0.7},
}


def forces(dimension: int) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Those of the library, springs between points, and what needs laws: name -> joints, force."""
    d = slice(0, dimension)
    hinge = {"J": mechanisms.joint_block("revolute", dimension, bodies=["b0", "b1"], at=[0.1, -0.5, 0.2][d])}
    slide = {"J": mechanisms.joint_block("prismatic", dimension, bodies=["b1", "ground"], at=[0.1, -0.5, 0.2][d])}
    ends = [[0.1, -0.5, 0.2][d], [0.8, 0.4, 0.3][d]]
    found = elements(dimension)
    for name, law in LAWS.items():
        found[name] = ({}, {**law, "bodies": ["b1", "ground"] if name == "to_ground" else ["b0", "b1"], "at": ends})
    found["motor"] = (hinge, {"type": "joint_torque", "joint": "J", "value": "2*sin(t) - der(J.angle)"})
    found["actuator"] = (slide, {"type": "joint_torque", "joint": "J", "value": 3})
    found["bristles"] = (slide, {"type": "bristle_friction", "joint": "J", "coulomb": 1, "stiffness": 5, "damping": 0.3, "viscous": 0.1})
    found["torsion_law"] = (hinge, {"type": "rotational_spring_damper", "joint": "J", "value": "2*angle + 0.1*rate"})
    found["push"] = ({}, {"type": "force", "body": "b1", "at": ends[0], "value": ["1 + t", "-2", "0.5*t"][d]})
    found["twist"] = ({}, {"type": "torque", "body": "b0", "value": "1 + t" if dimension == 2 else ["1 + t", "2", "-1"]})
    return found


CASES = [(d, name) for d in DIMENSIONS for name in forces(d)]


ON_BODIES = [(d, name) for d, name in CASES if "joint" not in forces(d)[name][1] and name not in ("two_bodies", "cable")]


def source_of(dimension: int, name: str, coordinates: str = "absolute") -> dict[str, Any]:
    joints, force = forces(dimension)[name]
    return two_bodies(dimension, coordinates=coordinates, gravity=[0] * dimension, joints=joints, forces={"f": force})


class Seen:
    """Random states of a system with the force `f`, and what is recorded there."""

    def __init__(self, source: dict[str, Any], rows: Any = None) -> None:
        made = mbsim.assemble(mechanisms.model(source))
        self.system = system = made.system
        rng = np.random.default_rng(5)
        self.states = [mechanisms.random_state(system, made.q, rng, 0.4) for _ in range(4)] if rows is None else rows
        self.times = np.array([t for t, _, _ in self.states])
        table = np.zeros((len(self.states), system.n_q + 2 * system.n_v + system.n_rows + 1))
        for row, (_, q, v) in zip(table, self.states, strict=True):
            row[: system.n_q], row[system.n_q : system.n_q + system.n_v] = q, v
        self.rows = Observer(system, allocate_for_observer(system)).chunk(self.times, table)

    def __getitem__(self, name: str) -> Any:
        return self.rows[name][:, 0]

    def point(self, body: int, at: list[float]) -> tuple[np.ndarray, np.ndarray]:
        """Where a point of the drawing, fixed in a body (2: the ground), is in each row, and its velocity."""
        at = np.array([*at, 0.0][:3])
        if body == 2:
            return np.tile(at, (len(self.times), 1)), np.zeros((len(self.times), 3))
        block = mechanisms.model(two_bodies(self.system.dimension or 3)).bodies[f"b{body}"]
        local = rotation(np.array(block.quaternion)).T @ (at - np.array([*block.position, 0.0][:3]))
        arm = np.array([rotation(p) @ local for p in self.rows["body_orientation"][:, body]])
        place = self.rows["body_position"][:, body] + arm
        return place, self.rows["body_velocity"][:, body] + np.cross(self.rows["body_angular_velocity"][:, body], arm)


def rotation(p: np.ndarray) -> np.ndarray:
    w, x, y, z = p
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


@pytest.mark.parametrize(("dimension", "name"), CASES)
def test_power_is_that_of_the_generalised_force(dimension: int, name: str) -> None:
    source = source_of(dimension, name)
    seen = Seen(source)
    assert set(seen.rows["force_effort"].shape) == {len(seen.times), 1}
    bare = mechanisms.system({**source, "forces": {}})
    states = len(seen.system.states)
    for k, (t, q, v) in enumerate(seen.states):
        h = seen.system.h(t, q, v) - bare.h(t, q[: len(q) - states], v)
        assert seen["force_power"][k] == pytest.approx(h @ v, rel=1e-9, abs=1e-9)
        work = seen.system.terms(t, q, v)[-1] - bare.terms(t, q[: len(q) - states], v)[-1]  # power of what stores no energy
        assert seen["force_loss"][k] == pytest.approx(-work, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("dimension", "name"), CASES)
def test_a_subclass_under_another_word_records_the_same(dimension: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sign, unit and body come from the leaf, not from its word."""
    source = source_of(dimension, name)
    own = Seen(source)
    monkeypatch.setattr(registry, "_registered", {})
    word = source["forces"]["f"]["type"]
    mbsim.register("forces", f"twin_{word}", type("Twin", (registry.leaf("forces", word),), {"__module__": __name__}))
    source["forces"]["f"] |= {"type": f"twin_{word}"}
    twin = Seen(source, own.states)
    assert force_labels(twin.system) == force_labels(own.system)
    for variable in ("force_effort", "force_power", "force_loss", "force_length", "force_rate", "force_vector", "force_torque"):
        assert variable in own.rows
        close(twin.rows[variable], own.rows[variable], atol=0.0)


@pytest.mark.parametrize(("dimension", "name"), ON_BODIES)
def test_vectors_are_the_rates_of_momentum(dimension: int, name: str) -> None:
    """The force on the body that is acted on, and what forces and couples do to the angular momentum of the bodies about the origin."""
    seen = Seen(source_of(dimension, name))
    word = forces(dimension)[name][1]
    bare = mechanisms.system({**source_of(dimension, name), "forces": {}})
    body = word["body"] if "body" in word else word["bodies"][1]
    first = {"to_ground": "b1", "soft_bushing": "ground"}.get(name, "b0")
    acted, sign = (int(body[1]), 1.0) if body != "ground" else (int(first[1]), -1.0)
    n = 3 if dimension == 2 else 6
    for k, (t, q, v) in enumerate(seen.states):
        h = (seen.system.h(t, q, v) - bare.h(t, q, v))[n * acted : n * acted + n]
        force = np.array([*h[:2], 0.0]) if dimension == 2 else h[:3]
        if word["type"] != "torque":
            close(seen["force_vector"][k], sign * force, atol=1e-9 * (1.0 + np.abs(h).max()))
        if seen.rows["force_torque"].size:
            about = rotation(seen.rows["body_orientation"][k, acted]) @ h[3:] if dimension == 3 else np.array([0.0, 0.0, h[2]])
            centre = seen.rows["body_position"][k, acted]  # about which a torque and a tyre are told
            arm = seen.point(2 if body == "ground" else acted, word["at"])[0][k] - centre if "at" in word else np.zeros(3)
            close(sign * seen["force_torque"][k], about - np.cross(arm, force), atol=1e-9 * (1.0 + np.abs(h).max()))


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("name", LAWS)
def test_springs_between_points(dimension: int, name: str) -> None:
    seen = Seen(source_of(dimension, name))
    first, second = (1, 2) if name == "to_ground" else (0, 1)
    at = forces(dimension)[name][1]["at"]
    (p, u), (r, w) = seen.point(first, at[0]), seen.point(second, at[1])
    length = np.linalg.norm(r - p, axis=1)
    direction = (r - p) / length[:, None]
    rate = np.einsum("ki,ki->k", direction, w - u)
    free = np.linalg.norm(np.array(at[1]) - at[0]) if name == "to_ground" else 0.4
    tension = 3 * length**2 + 0.2 * rate + seen.times if name == "tension" else 5 * (length - free) + 0.7 * rate
    close(seen["force_length"], length, atol=1e-12)
    close(seen["force_rate"], rate, atol=1e-12)
    close(seen["force_effort"], tension, atol=1e-11)
    close(seen["force_power"], -tension * rate, atol=1e-10)
    close(seen["force_loss"], tension * rate if name == "tension" else 0.7 * rate**2, atol=1e-10)
    close(seen["force_vector"], -tension[:, None] * direction, atol=1e-11)  # on the second body, towards the first


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_contacts_and_attraction(dimension: int) -> None:
    d = slice(0, dimension)
    seen = Seen(source_of(dimension, "ball_on_ground"))
    (c, u), normal = seen.point(0, [0.1, -0.5, 0.2][d]), np.array([0.6, 0.8, -0.3 if dimension == 3 else 0.0])
    normal /= np.linalg.norm(normal)
    gap = (c - np.array([0.1, 0.2, 0.3 if dimension == 3 else 0.0])) @ normal - 4
    assert (gap < 0).all()
    close(seen["force_length"], gap, atol=1e-12)
    close(seen["force_rate"], u @ normal, atol=1e-12)
    wanted = 2 * (-gap) ** 1.5 * np.maximum(0.0, 1 - 1.5 * 0.05 * (u @ normal))
    close(seen["force_effort"], wanted, atol=1e-11)
    close(seen["force_vector"] @ normal, wanted, atol=1e-11)
    seen = Seen(source_of(dimension, "attraction"))
    p, r, u, w = (*(seen.rows["body_position"][:, b] for b in (0, 1)), *(seen.rows["body_velocity"][:, b] for b in (0, 1)))
    distance = np.linalg.norm(r - p, axis=1)
    mass = mechanisms.model(two_bodies(dimension)).bodies["b0"].mass
    close(seen["force_length"], distance, atol=1e-12)
    close(seen["force_rate"], np.einsum("ki,ki->k", r - p, w - u) / distance, atol=1e-12)
    close(seen["force_effort"], 5 * mass / distance**2, atol=1e-10)
    close(seen["force_vector"], (5 * mass / distance**3)[:, None] * (r - p), atol=1e-10)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_along_joints(dimension: int) -> None:
    def seen(name: str) -> tuple[Seen, Any, Any, Any]:
        made = Seen(source_of(dimension, name))
        return made, made["force_effort"], made["force_length"], made["force_rate"]

    spring, effort, angle, rate = seen("torsion_spring")
    close(effort, 4 * (angle - 0.2) + 0.3 * rate, atol=1e-10)
    if dimension == 2:
        q = np.array([q for _, q, _ in spring.states])
        drawn = [mechanisms.model(two_bodies(2)).bodies[f"b{k}"].angle or 0.0 for k in (0, 1)]
        close(angle, q[:, 5] - q[:, 2] - drawn[1] + drawn[0], atol=1e-12)
        close(rate, [v[5] - v[2] for _, _, v in spring.states], atol=1e-12)
    _, effort, x, rate = seen("slide_spring")
    close(effort, 4 * (x - 0.1) + 0.3 * rate, atol=1e-10)
    made, effort, x, rate = seen("slide_friction")
    close(effort, -0.2 * rate, atol=1e-12)  # on the second body, along the displacement
    close(made["force_power"], -0.2 * rate**2, atol=1e-12)
    _, effort, x, rate = seen("hinge_friction")
    close(effort, -2 * np.tanh(rate / 0.3) - 0.2 * rate, atol=1e-12)
    made, effort, x, rate = seen("motor")
    close(effort, 2 * np.sin(made.times) - rate, atol=1e-12)
    close(made["force_power"], effort * rate, atol=1e-11)
    assert (seen("actuator")[1] == 3.0).all()
    _, effort, x, rate = seen("torsion_law")
    close(effort, 2 * x + 0.1 * rate, atol=1e-12)
    made, effort, x, rate = seen("bristles")
    z = np.array([q[-1] for _, q, _ in made.states])
    close(effort, -(5 * z + 0.3 * (rate - 5 * np.abs(rate) * z) + 0.1 * rate), atol=1e-11)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_forces_and_torques_in_axes(dimension: int) -> None:
    seen = Seen(source_of(dimension, "body_force"))
    value = np.array([1, -2, 0.5 if dimension == 3 else 0.0])
    close(seen["force_vector"], [rotation(p) @ value for p in seen.rows["body_orientation"][:, 0]], atol=1e-12)
    close(seen["force_effort"], np.linalg.norm(value), atol=1e-12)
    twist = Seen(source_of(dimension, "twist"))
    if dimension == 2:
        close(twist["force_effort"], 1 + twist.times, atol=1e-12)
    else:
        torque = np.stack([1 + twist.times, 0 * twist.times + 2, 0 * twist.times - 1], axis=1)
        close(twist["force_torque"], torque, atol=1e-12)
        close(twist["force_effort"], np.linalg.norm(torque, axis=1), atol=1e-12)
    drag = Seen(source_of(dimension, "drag"))
    omega = drag.rows["body_angular_velocity"][:, 0]
    size = np.linalg.norm(omega, axis=1)[:, None]
    close(drag["force_torque"], -(0.1 + 0.4 * size) * omega, atol=1e-11)


ALONG_JOINTS = ["torsion_spring", "hinge_friction", "upper_limit", "motor", "torsion_law"]


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("name", [*ALONG_JOINTS, "bushing", "spring", "tension", "ball_on_body", "drag", "push", "twist", "attraction"])
def test_the_same_in_joint_coordinates(dimension: int, name: str) -> None:
    """The bodies hang on each other and float: states of the tree are states of the bodies."""
    hinge = {"J": mechanisms.joint_block("revolute", dimension, bodies=["b0", "b1"], at=[0.1, -0.5, 0.2][:dimension])}
    sources = [{**source_of(dimension, name, coordinates), "joints": hinge} for coordinates in ("joint", "absolute")]
    tree = Seen(sources[0])
    states = []
    for k, (t, _, _) in enumerate(tree.states):
        poses = [tree.rows[f"body_{what}"][k] for what in ("position", "orientation", "velocity", "angular_velocity")]
        q, v = [], []
        for r, p, u, omega in zip(*poses, strict=True):
            if dimension == 2:
                q += [*r[:2], 2 * np.arctan2(p[3], p[0])]
                v += [*u[:2], omega[2]]
            else:
                q += [*r, *p]
                v += [*u, *(rotation(p).T @ omega)]
        states.append((t, np.array(q), np.array(v)))
    bodies = Seen(sources[1], states)
    for quantity in ("force_effort", "force_power", "force_loss", "force_length", "force_rate", "force_vector", "force_torque"):
        assert tree.rows[quantity].shape == bodies.rows[quantity].shape
        if quantity == "force_length" and name in ALONG_JOINTS:
            turns = (tree.rows[quantity] - bodies.rows[quantity]) / (2 * np.pi)
            assert np.abs(turns - np.round(turns)).max() < 1e-9
        elif name not in ALONG_JOINTS or not np.abs(tree.rows["force_length"] - bodies.rows["force_length"]).max() > 1.0:
            close(tree.rows[quantity], bodies.rows[quantity], atol=1e-9 * (1 + np.abs(tree.rows[quantity]).max(initial=0.0)))


def test_own_coordinates() -> None:
    model = mechanisms.model("""
coordinates: [x, y]
parameters: {k: 3, c: 0.5}
tables: {curve: {points: [[-2, -8], [0, 0], [2, 8]], interpolation: linear}}
energy: {kinetic: der(x)^2/2 + der(y)^2}
states: {integral: x}
forces:
  spring: {type: generalized, coordinate: x, value: -k*(x - y) - c*der(x) + integral}
  other: {type: generalized, coordinate: y, value: curve(y) + t}
measures: {twice: 2*force_effort.spring, power: force_power.other}
initial: {x: 0.4, der(x): 1, y: -0.3, der(y): 0.2}
simulation: {end: 0.3, step: 0.01}
""")
    run = mbsim.simulate(mbsim.assemble(model))
    x, y, u, w = run.select("x"), run.select("y"), run.select("der(x)"), run.select("der(y)")
    spring = -3 * (x - y) - 0.5 * u + run.select("states", "integral")
    close(run.select("force_effort", "spring"), spring, atol=1e-12)
    close(run.select("force", "spring"), spring, atol=1e-12)
    close(run.select("force_effort", "other"), 4 * y + run.time, atol=1e-12)
    close(run["force_power"], np.stack([spring * u, (4 * y + run.time) * w], axis=1), atol=1e-12)
    close(run["force_loss"], -run["force_power"], atol=0.0)
    close(run["force_length"], np.stack([x, y], axis=1), atol=0.0)
    close(run["force_rate"], np.stack([u, w], axis=1), atol=0.0)
    close(run["twice"], 2 * spring, atol=1e-12)
    close(run["power"], (4 * y + run.time) * w, atol=1e-12)
    assert "force_vector" not in run and run.units("force_effort", "spring") == "1"
