"""Point masses in absolute coordinates: pendulums and strings of beads against own equations, all methods, and what would turn them."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbsim
from mbsim.model.file.errors import ModelError
from mbsim.scene.figures import Ball, Disk, figures
from mbsim.scene.motion import find_drawn
from mbsim.scene.read import parse
from mbsim.scene.sizes import sizes

G = 9.81
FREE = {"dimension": 3, "bodies": {"a": {"mass": 2, "inertia": 0, "position": [0.6, 0, -0.8]}}, "simulation": {"end": 1}}


def beads(dimension: int, **rest: Any) -> dict[str, Any]:
    """Two beads on rods of 1 m, hung on the ground, and a spring from the second one to the ground."""
    at = [[0.6, -0.8], [1.4, -1.4]] if dimension == 2 else [[0.6, 0, -0.8], [0.6, 0.8, -1.4]]
    origin, anchor = [0] * dimension, [0.5, *[0.0] * (dimension - 2), -2.5]
    return {
        "name": "beads", "dimension": dimension, "gravity": [*[0] * (dimension - 1), -G],
        "bodies": {"a": {"mass": 1.5, "inertia": 0, "position": at[0]}, "b": {"mass": 0.7, "inertia": 0, "position": at[1]}},
        "joints": {
            "upper": {"type": "distance", "bodies": ["ground", "a"], "at": [origin, at[0]]},
            "lower": {"type": "distance", "bodies": ["a", "b"], "at": at},
        },
        "forces": {"s": {"type": "spring_damper", "bodies": ["ground", "b"], "at": [anchor, at[1]], "stiffness": 8, "damping": 0.3,
                         "free_length": 0.4}},
        "simulation": {"end": 1.5, "rtol": 1e-10, "atol": 1e-12, "integrator": "dop853", "output_step": 0.05},
        **rest,
    }  # fmt: skip


def own_equations(dimension: int) -> np.ndarray:
    """Places of both beads (rows, 2, dimension), by multipliers of the two lengths."""
    source = beads(dimension)
    m = np.array([1.5, 0.7])
    start = np.array([source["bodies"][k]["position"] for k in "ab"])
    anchor, down = np.array([0.5, *[0.0] * (dimension - 2), -2.5]), np.array([*[0.0] * (dimension - 1), -G])

    def rates(_: float, z: np.ndarray) -> np.ndarray:
        r, v = z.reshape(2, 2, dimension)
        d, u = np.array([r[0], r[1] - r[0]]), np.array([v[0], v[1] - v[0]])
        C = np.zeros((2, 2, dimension))
        C[0, 0], C[1, 1], C[1, 0] = d[0], d[1], -d[1]
        s = r[1] - anchor
        length = np.linalg.norm(s)
        force = m[:, None] * down
        force[1] -= (8 * (length - 0.4) + 0.3 * (s @ v[1]) / length) * s / length
        flat = C.reshape(2, -1)
        weights = np.repeat(m, dimension)
        lam = np.linalg.solve(flat / weights @ flat.T, -(u * u).sum(axis=1) - flat / weights @ force.ravel())
        return np.concatenate([v.ravel(), (force.ravel() + flat.T @ lam) / weights])

    times = np.linspace(0.0, 1.5, 31)
    found = solve_ivp(rates, (0.0, 1.5), np.r_[start.ravel(), np.zeros(2 * dimension)], "DOP853", times, rtol=1e-12, atol=1e-13)
    return found.y[: 2 * dimension].T.reshape(-1, 2, dimension)


@pytest.mark.parametrize("dimension", [2, 3])
def test_beads_move_as_by_own_equations(dimension: int) -> None:
    source = beads(dimension)
    if dimension == 3:  # how a point mass is turned at the start does not matter
        source["bodies"]["a"]["orientation"] = {"axis": [1, 2, 3], "angle": 1.0}
    found = mbsim.simulate(source)
    np.testing.assert_allclose(found["body_position"][:, :, :dimension], own_equations(dimension), atol=2e-9)
    assert not found["body_angular_velocity"].any()
    assert mbsim.redundancy(mbsim.assemble(source).system, 0.0, mbsim.assemble(source).q).degrees_of_freedom == 2 * dimension - 2


@pytest.mark.parametrize("dimension", [2, 3])
def test_every_method(dimension: int) -> None:
    made = mbsim.assemble(mechanisms.model(beads(dimension)))
    t, q, v = mechanisms.consistent_state(made.system, made.q, np.random.default_rng(3))
    a, _ = mechanisms.augmented_solution(made.system, t, q, v)
    for method in mechanisms.METHODS:
        found = mechanisms.evaluate(made.system, method, t, q, v)
        mechanisms.close(found[0], a, atol=1e-8 * max(1.0, np.abs(a).max()))


def test_modes_and_runners_have_no_turns() -> None:
    """A bead on a string of length l: l g under it, and no mode besides; the mass does not matter, a runner may vary it."""
    source = beads(2, forces={})
    del source["bodies"]["b"], source["joints"]["lower"]
    source["bodies"]["a"]["position"] = [0, -1]
    source["joints"]["upper"]["at"] = [[0, 0], [0, -1]]
    (mode,) = mbsim.modes(source).modes
    assert mode.frequency_hz * 2 * np.pi == pytest.approx(np.sqrt(G), rel=1e-9)
    runner = mbsim.Runner(source, ["bodies.a.mass"], {"work": "max(energy_kinetic)", "drop": "min(a.y)"}, end=0.5)
    for mass in (0.5, 4.0):
        assert runner.run([mass]).values[1] == pytest.approx(-1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("rest", "who"),
    [
        ({"joints": {"J": {"type": "fixed", "bodies": ["ground", "a"], "at": [0, 0, 0]}}}, "J"),
        ({"joints": {"J": {"type": "spherical", "bodies": ["ground", "a"], "at": [0, 0, 0]}}}, "J"),
        (  # whose start contradicts it
            {
                "joints": {"J": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
                "drivers": {"D": {"joint": "J", "value": "2*t"}},
            },
            "J, D",
        ),
        ({"forces": {"T": {"type": "torque", "body": "a", "value": [0, 0, 1]}}}, "a force"),
        ({"forces": {"F": {"type": "force", "body": "a", "at": [1, 0, 0], "value": [0, 0, 1]}}}, "a force"),
        ({"constraints": {"K": {"type": "rolling_ball", "center": "a", "radius": 0.8, "plane": {"point": [0, 0, -1.6]}}}}, "K"),
    ],
)
def test_what_would_turn_them_is_refused(rest: dict[str, Any], who: str) -> None:
    with pytest.raises(ModelError, match=rf"bodies\.a: a body without inertia cannot be turned, and {who} would turn it"):
        mbsim.assemble({**FREE, **rest})


def test_names_are_not_taken() -> None:
    joints = {"a_orientation": {"type": "distance", "bodies": ["ground", "a"], "at": [[0, 0, 0], [0.6, 0, -0.8]]}}
    with pytest.raises(ModelError, match=r"bodies\.a: its row would be called 'a_orientation', a name that is taken"):
        mbsim.assemble({**FREE, "joints": joints})


def test_other_inertias_stay_refused() -> None:
    for dimension, inertia, said in ((2, -1, "must be greater than 0"), (3, [0, 0, 1], "no body has this inertia"), (3, True, "expected")):
        body = {"mass": 1, "inertia": inertia}
        with pytest.raises(ModelError, match=said):
            mbsim.load_model({"dimension": dimension, "bodies": {"a": body}, "simulation": {"end": 1}})
    with pytest.raises(ModelError, match="in a model with `coordinates: joint` a point mass has `unchecked_inertia: true`"):
        mbsim.load_model({**FREE, "coordinates": "joint"})


@pytest.mark.parametrize("dimension", [2, 3])
def test_they_are_drawn_as_beads(dimension: int) -> None:
    """And not as what has the inertia that stands for none."""
    scene = parse(mbsim.assemble(beads(dimension)).scene)
    size = sizes(scene, find_drawn(scene))
    for *_, figure in figures(scene, size):
        assert isinstance(figure, Ball | Disk) and figure.radius < 0.1 * size.extent
