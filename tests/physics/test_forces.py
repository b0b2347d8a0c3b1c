"""Forces against closed forms: oscillators, orbits, falls, bounces, slides, stops."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.march.ending import SimulationError

PRECISE = {"integrator": "dop853", "rtol": 1e-11, "atol": 1e-12}


def run(source: dict[str, Any], **options: Any) -> Any:
    return mbsim.simulate(mechanisms.model(source), **{"method": "svd", **({} if "integrator" in options else PRECISE), **options})


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_torsion_pendulum(dimension: int, coordinates: str) -> None:
    """I theta'' + d theta' + k (theta - theta_0) = 0 about a fixed axis through the centre of mass."""
    I, k, d, free, omega = 0.3, 2.7, 0.06, 0.4, 3.0
    axis: dict[str, Any] = {"axis": [0, 0, 1]} if dimension == 3 else {}
    start = {"der(O.angle)": omega} if coordinates == "joint" else {"disk.angular_velocity": omega if dimension == 2 else [0, 0, omega]}
    source = {
        "dimension": dimension,
        "coordinates": coordinates,
        "bodies": {"disk": {"mass": 2, "inertia": I if dimension == 2 else [0.2, 0.25, I]}},
        "joints": {"O": {"type": "revolute", "bodies": ["ground", "disk"], "at": [0] * dimension, **axis}},
        "forces": {"f": {"type": "rotational_spring_damper", "joint": "O", "stiffness": k, "damping": d, "free_angle": free}},
        "initial": start,
        "simulation": {"end": 5, "output_step": 0.25},
    }  # fmt: skip
    result = run(source)
    t = result["time"]
    decay, fast = d / (2 * I), np.sqrt(k / I - (d / (2 * I)) ** 2)
    c, s = np.cos(fast * t), np.sin(fast * t)
    swing = np.exp(-decay * t) * (-free * c + (omega - decay * free) / fast * s)
    rate = -decay * swing + np.exp(-decay * t) * (free * fast * s + (omega - decay * free) * c)
    close(result["body_angular_velocity"][:, 0, 2], rate, atol=1e-8)
    close(result["energy_potential"], k * swing**2 / 2, atol=1e-7)
    assert np.abs(result["energy_balance"]).max() < 1e-8


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_kepler_orbit(dimension: int) -> None:
    """A satellite returns after 2 pi sqrt(a^3 / mu); excentricity 0.5, started at the pericentre; in the plane and tilted in space."""
    mu, a, e = 4.0, 1.3, 0.5
    speed: float = np.sqrt(mu / a * (1 + e) / (1 - e))
    tilt = [[1, 0], [0, 1]] if dimension == 2 else [[0.6, 0, 0.8], [0, 1, 0]]
    place, velocity = a * (1 - e) * np.array(tilt[0]), speed * np.array(tilt[1])
    centre = np.array([0.3, -0.2, 0.5])[:dimension]
    period = float(2 * np.pi * np.sqrt(a**3 / mu))
    source = {
        "dimension": dimension,
        "bodies": {"moon": {"mass": 0.7, "inertia": 0.1 if dimension == 2 else [0.1] * 3, "position": (place + centre).tolist(),
                            "velocity": velocity.tolist()}},
        "forces": {"f": {"type": "point_gravity", "body": "moon", "at": centre.tolist(), "mu": mu}},
        "simulation": {"end": 10 * period, "output_step": period / 2},
    }  # fmt: skip
    result = run(source)
    close(result["body_position"][::2, 0, :dimension] - centre, np.tile(place, (11, 1)), atol=1e-7)
    close(result["body_position"][1::2, 0, :dimension] - centre, np.tile(-place * (1 + e) / (1 - e), (10, 1)), atol=1e-7)
    close(result["energy_kinetic"] + result["energy_potential"], -0.7 * mu / (2 * a), atol=1e-8)


def test_two_bodies_attract_each_other() -> None:
    """Two masses on circles about their centre of mass: angular speed sqrt(G (m1 + m2) / r^3)."""
    G, m, r = 0.5, np.array([3.0, 1.0]), 2.0
    omega = np.sqrt(G * m.sum() / r**3)
    x = np.array([-r * m[1], r * m[0]]) / m.sum()
    bodies = {
        f"b{k}": {"mass": float(m[k]), "inertia": [1, 1, 1], "position": [float(x[k]), 0, 0], "velocity": [0, float(omega * x[k]), 0]}
        for k in range(2)
    }
    forces = {"f": {"type": "point_gravity", "body": "b0", "centre": "b1", "mu": float(G * m[1])}}
    result = run({"bodies": bodies, "forces": forces, "simulation": {"end": 10, "output_step": 1}})
    turn = omega * result["time"]
    for k in range(2):
        close(result["body_position"][:, k], x[k] * np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1), atol=1e-9)


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_terminal_velocity(dimension: int) -> None:
    """v = v_t tanh(g t / v_t), v_t = sqrt(m g / c), against the medium."""
    m, g, c, wind = 1.5, 9.81, 0.4, 0.5
    gravity = [0] * (dimension - 1) + [-g]
    medium = [0] * (dimension - 1) + [wind]
    source = {
        "dimension": dimension,
        "gravity": gravity,
        "bodies": {"b": {"mass": m, "inertia": 1 if dimension == 2 else [1, 1, 1], "velocity": medium}},
        "forces": {"f": {"type": "drag", "body": "b", "quadratic": c, "medium": medium}},
        "simulation": {"end": 3, "output_step": 0.25},
    }
    result = run(source)
    terminal = np.sqrt(m * g / c)
    close(result["body_velocity"][:, 0, dimension - 1], wind - terminal * np.tanh(g * result["time"] / terminal), atol=1e-9)


def test_decay_by_coulomb_friction() -> None:
    """The amplitude of a mass on a spring falls by 4 F / k a cycle."""
    m, k, F = 1.0, 100.0, 2.0
    source = {
        "dimension": 2,
        "bodies": {"b": {"mass": m, "inertia": 1, "position": [1, 0]}},
        "joints": {"J": {"type": "prismatic", "bodies": ["ground", "b"], "at": [1, 0], "axis": [1, 0]}},
        "forces": {
            "spring": {"type": "translational_spring_damper", "joint": "J", "stiffness": k, "free_displacement": -1},
            "rub": {"type": "joint_friction", "joint": "J", "coulomb": F, "transition_speed": 1e-4},
        },
        "simulation": {"end": 8 * np.pi / 10, "output_step": 2 * np.pi / 10},  # cycles of sqrt(k / m) = 10 rad/s
    }
    result = run(source, rtol=1e-9, atol=1e-10)
    close(result["body_position"][:, 0, 0], 1 - 4 * F / k * np.arange(5), atol=1e-4)
    assert np.abs(result["energy_balance"]).max() < 1e-7


@pytest.mark.parametrize("exponent", [1, 1.5])
@pytest.mark.parametrize("damping", [0.02, 0.5])
def test_restitution_of_hunt_and_crossley(damping: float, exponent: float) -> None:
    """Without gravity: d (v_i + v_o) = log((1 + d v_i) / (1 - d v_o)), d = 1.5 damping; at low speed v_o / v_i = 1 - damping v_i."""
    v = 0.8
    force = {"type": "contact", "body": "b", "radius": 0.1, "normal": [0, 0, 1], "stiffness": 1e6, "exponent": exponent, "damping": damping}
    bodies = {"b": {"mass": 2, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, 0.11], "velocity": [0.3, 0, -v]}}
    result = run({"bodies": bodies, "forces": {"f": force}, "simulation": {"end": 0.1, "output_step": 0.01}})
    out, d = result["body_velocity"][-1, 0, 2], 1.5 * damping
    assert d * (v + out) == pytest.approx(np.log((1 + d * v) / (1 - d * out)), abs=1e-9)
    if damping == 0.02:
        assert out / v == pytest.approx(1 - damping * v, abs=5e-4)  # its next term is of the size (damping v)^2
    assert result["energy_work"][-1] == pytest.approx(out**2 - v**2, abs=1e-8)
    assert np.abs(result["energy_balance"]).max() < 1e-8


BALL = {
    "gravity": [0, 0, -9.81],
    "bodies": {"b": {"mass": 1, "inertia": [0.004, 0.004, 0.004], "position": [0, 0, 0.5], "velocity": [1, 0, 0]}},
    "forces": {
        "floor": {"type": "contact", "body": "b", "radius": 0.1, "normal": [0, 0, 1], "stiffness": 1e5, "damping": 0.1, "friction": 0.2,
                  "transition_speed": 0.02},
    },
    "simulation": {"end": 1.5, "output_step": 0.1},
}  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        {"integrator": "rk4", "step": 2e-5},
        {"integrator": "rk45", "rtol": 1e-9, "atol": 1e-10},
        {"integrator": "radau", "rtol": 1e-8, "atol": 1e-9},
        {"integrator": "lsoda", "rtol": 1e-9, "atol": 1e-10},
    ],
)
def test_bouncing_ball_with_every_kind_of_integrator(options: dict[str, Any]) -> None:
    """Several stiff bounces with friction: fixed, adaptive and implicit steps find the same motion and keep the energy."""
    reference = run(BALL)
    result = run(BALL, **options)
    close(result["body_position"], reference["body_position"], atol=2e-7)
    for one in (result, reference):
        assert np.abs(one["energy_balance"]).max() < 1e-6
    assert reference["energy_work"][-1] < -1.0


def test_sliding_ball_begins_to_roll() -> None:
    """Friction stops the slip of a homogeneous ball at 5/7 of its speed, after 2 v / (7 mu g); the work lost is 1/7 m v^2."""
    m, R, mu, g, v, k = 1.0, 0.1, 0.3, 9.81, 2.0, 1e4
    depth = (m * g / k) ** (1 / 1.5)
    source = {
        "gravity": [0, 0, -g],
        "bodies": {"ball": {"mass": m, "inertia": [0.4 * m * R**2] * 3, "position": [0, 0, R - depth], "velocity": [v, 0, 0]}},
        "forces": {"f": {"type": "contact", "body": "ball", "radius": R, "normal": [0, 0, 1], "stiffness": k, "friction": mu,
                         "transition_speed": 1e-3}},
        "simulation": {"end": 1.0, "output_step": 0.1},
    }  # fmt: skip
    result = run(source, rtol=1e-9, atol=1e-10)
    close(result["body_velocity"][-1, 0], [5 / 7 * v, 0, 0], atol=1e-6)
    close(result["body_angular_velocity"][-1, 0], [0, 5 / 7 * v / R, 0], atol=1e-5)
    assert result["energy_work"][-1] == pytest.approx(-m * v**2 / 7, abs=1e-6)
    assert result["body_velocity"][1, 0, 0] == pytest.approx(v - mu * g * 0.1, abs=1e-6)


def test_block_slides_down_an_incline() -> None:
    """a = g (sin alpha - mu cos alpha), on two corners level with the centre of mass."""
    m, g, mu, alpha, k = 2.0, 9.81, 0.25, 0.6, 1e5
    depth = (m * g * np.cos(alpha) / 2 / k) ** (1 / 1.5)
    along, normal = np.array([np.cos(alpha), -np.sin(alpha)]), np.array([np.sin(alpha), np.cos(alpha)])
    corner = {"type": "contact", "normal": normal.tolist(), "stiffness": k, "friction": mu, "transition_speed": 1e-3}
    source = {
        "dimension": 2,
        "gravity": [0, -g],
        "bodies": {"b": {"mass": m, "inertia": 0.1, "position": (-depth * normal).tolist(), "angle": -alpha, "velocity": along.tolist(),
                         "points": {"front": [0.1, 0], "back": [-0.1, 0]}}},
        "forces": {"front": {"body": "b.front", **corner}, "back": {"body": "b.back", **corner}},
        "simulation": {"end": 2, "output_step": 0.2},
    }  # fmt: skip
    result = run(source)
    t = result["time"]
    close(result["body_velocity"][:, 0, :2] @ along, 1 + g * (np.sin(alpha) - mu * np.cos(alpha)) * t, atol=1e-8)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_pendulum_between_stops(coordinates: str) -> None:
    """Undamped stops give the energy back; the pendulum turns where their energy and gravity's have taken up all of it."""
    m, g, l, k = 1.0, 9.81, 0.5, 2000.0
    source = {
        "dimension": 2,
        "coordinates": coordinates,
        "gravity": [0, -g],
        "bodies": {"b": {"mass": m, "inertia": 0.01, "position": [0, -l]}},
        "joints": {"O": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0]}},
        "forces": {"f": {"type": "joint_limit", "joint": "O", "lower": -0.3, "upper": 0.2, "stiffness": k}},
        "initial": {"der(O.angle)": 4.0} if coordinates == "joint" else {"der(b.angle)": 4.0, "der(b.x)": 2.0},
        "simulation": {"end": 10, "output_step": 0.001},
    }
    result = run(source)
    energy = (0.01 + m * l**2) * 16 / 2 - m * g * l
    close(result["energy_kinetic"] + result["energy_potential"], energy, atol=1e-7)
    x = result["body_position"][:, 0]
    angle = np.arctan2(x[:, 0], -x[:, 1])
    for turn, stop in ((angle.max(), 0.2), (angle.min(), -0.3)):
        assert k * (turn - stop) ** 2 / 2 - m * g * l * np.cos(turn) == pytest.approx(energy, abs=2e-3)
    damped = {**source, "forces": {"f": {**source["forces"]["f"], "damping": 5, "depth": 0.01}}}  # type: ignore[dict-item]
    result = run(damped)
    assert np.abs(result["energy_balance"]).max() < 1e-7
    assert result["energy_work"][-1] < -1.0


# Angles in space


@pytest.mark.parametrize("joint", [{"type": "revolute"}, {"type": "helical", "pitch": 0.01}], ids=["revolute", "helical"])
def test_a_stop_beyond_what_is_known_of_its_angle(joint: dict[str, Any]) -> None:
    """In absolute coordinates the run says why it ends, as of a spring; in joint coordinates it meets the stop five turns on."""
    source: dict[str, Any] = {
        "bodies": {"b": {"mass": 1, "inertia": [1, 1, 1]}},
        "joints": {"O": joint | {"bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1], "stops": {"upper": 31}}},
        "forces": {"motor": {"type": "joint_torque", "joint": "O", "coordinate": "angle", "value": 8}},
        "measures": {"angle": "O.angle"},
        "simulation": {"end": 4},
    }
    with pytest.raises(SimulationError, match=r"needs the angle O\.angle, which is known within 1\.9 pi .*; use joint coordinates"):
        mbsim.simulate(mechanisms.model(source))
    assert mbsim.simulate(mechanisms.model(source | {"coordinates": "joint"}))["angle"][-1] == pytest.approx(31.0, abs=1e-9)


def test_spring_that_turns_farther_than_its_angle_is_known() -> None:
    """The run says which force needs which angle; friction, which needs the rate only, turns on; in joint coordinates all is well."""
    source: dict[str, Any] = {
        "bodies": {"b": {"mass": 1, "inertia": [1, 1, 1], "angular_velocity": [0, 0, 8]}},
        "joints": {"O": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        "forces": {"coil": {"type": "rotational_spring_damper", "joint": "O", "stiffness": 1e-3},
                   "rub": {"type": "joint_friction", "joint": "O", "coulomb": 0.1, "transition_speed": 0.1}},
        "simulation": {"end": 2, "step": 1e-3},
    }  # fmt: skip
    with pytest.raises(SimulationError) as error:
        mbsim.simulate(mechanisms.model(source))
    assert str(error.value).startswith("stopped at t = 0.7")
    assert str(error.value).endswith(
        "the force coil needs the angle O.angle, which is known within 1.9 pi of the drawing in absolute coordinates;"
        " use joint coordinates (coordinates: joint)"
    )
    result = mbsim.simulate(
        mechanisms.model(
            {**source, "coordinates": "joint", "initial": {"der(O.angle)": 8}, "bodies": {"b": {"mass": 1, "inertia": [1, 1, 1]}}}
        )
    )
    assert result["q"][-1, 0] > 4 * np.pi
    del source["forces"]["coil"]
    result = mbsim.simulate(mechanisms.model(source))
    close(result["body_angular_velocity"][-1, 0], [0, 0, 8 - 0.1 * 2], atol=1e-9)


@pytest.mark.parametrize("spun", ["angle1", "angle2"])
@pytest.mark.parametrize("pair", [["ground", "b"], ["b", "ground"]], ids=["forth", "back"])
def test_angle_of_a_universal_joint_whose_other_angle_turns(pair: list[str], spun: str) -> None:
    """The one that turns is known for almost a turn; the other until this one has made half a turn, as the message says."""
    source: dict[str, Any] = {
        "bodies": {"b": {"mass": 1, "inertia": [1, 1, 1]}},
        "joints": {"U": {"type": "universal", "bodies": pair, "at": [0, 0, 0], "axes": [[0, 0, 1], [1, 0, 0]]}},
        "drivers": {"one": {"joint": "U", "coordinate": "angle1", "value": "sin(t)"},
                    "two": {"joint": "U", "coordinate": "angle2", "value": "sin(t)"}},
        "forces": {},
        "simulation": {"end": 0.7, "step": 1e-3},
    }  # fmt: skip
    source["drivers"]["one" if spun == "angle1" else "two"]["value"] = "-8*t"
    still = "angle2" if spun == "angle1" else "angle1"
    source["forces"] = {"coil": {"type": "rotational_spring_damper", "joint": "U", "coordinate": spun, "stiffness": 2}}
    result = mbsim.simulate(mechanisms.model(source))
    close(result["energy_potential"], (8 * result["time"]) ** 2, atol=1e-7)
    source["forces"]["coil"]["coordinate"] = still
    with pytest.raises(SimulationError) as error:
        mbsim.simulate(mechanisms.model(source))
    assert str(error.value).startswith("stopped at t = 0.37") and error.value.result is not None
    assert f"the angle U.{still}, which is known within 1.9 pi of the drawing in absolute coordinates" in str(error.value)
    assert ", while the joint's other angle is within 0.95 pi (where it is open, " in str(error.value)
    close(error.value.result["energy_potential"], np.sin(error.value.result["time"]) ** 2, atol=1e-7)


def test_angle_of_a_joint_that_is_cut() -> None:
    """Known within half a turn there."""
    body = {"mass": 1, "inertia": [1, 1, 1]}
    source = {
        "coordinates": "joint",
        "bodies": {"b": {**body}, "c": {**body}},
        "joints": {
            "O": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1]},
            "W": {"type": "fixed", "bodies": ["b", "c"], "at": [0, 0, 0]},
            "P": {"type": "revolute", "bodies": ["ground", "c"], "at": [0, 0, 0], "axis": [0, 0, 1], "cut": True},
        },
        "forces": {"coil": {"type": "rotational_spring_damper", "joint": "P", "stiffness": 2}},
        "initial": {"der(O.angle)": 1.5},
        "simulation": {"end": 3, "output_step": 0.1},
    }
    result = run(source)
    close(result["q"][:, 0], 1.5 * np.sin(result["time"]), atol=1e-8)
    with pytest.raises(SimulationError, match=r"the force coil needs the angle P\.angle, which is known within 0\.95 pi of the drawing"):
        run({**source, "initial": {"der(O.angle)": 4.0}}, integrator="rk4", step=1e-3)


def test_bushing_that_turns_too_far() -> None:
    source = {
        "bodies": {"b": {"mass": 1, "inertia": [1, 1, 1], "angular_velocity": [0, 0, 20]}, "c": {"mass": 1, "inertia": [1, 1, 1]}},
        "forces": {"mount": {"type": "bushing", "bodies": ["b", "c"], "at": [0, 0, 0], "stiffness": [10, 10, 10, 1, 1, 1]}},
        "simulation": {"end": 1, "step": 1e-3},
    }
    with pytest.raises(SimulationError, match=r"stopped at t = 0\.1.*: the bushing mount is turned by more than 0\.95 pi, where"):
        mbsim.simulate(mechanisms.model(source))


# Against another program


def test_bushing_as_exudyn_has_it() -> None:
    """A body on three springs and dampers along fixed axes at an eccentric point."""
    exu: Any = pytest.importorskip("exudyn")
    import exudyn.utilities as eu

    stiffness, damping, inertia = [300.0, 500.0, 800.0], [2.0, 3.0, 1.0], [0.2, 0.3, 0.35]
    source = {
        "gravity": [0, 0, -9.81],
        "bodies": {"b": {"mass": 2, "inertia": inertia, "position": [0.4, 0, 0], "angular_velocity": [1, 2, -1]}},
        "forces": {"f": {"type": "bushing", "bodies": ["ground", "b"], "at": [0.5, 0.1, 0.2], "stiffness": [*stiffness, 0, 0, 0],
                         "damping": [*damping, 0, 0, 0]}},
        "simulation": {"end": 1, "output_step": 0.5},
    }  # fmt: skip
    ours = run(source)["body_position"][-1, 0]

    container = exu.SystemContainer()
    system = container.AddSystem()
    body = system.CreateRigidBody(
        inertia=eu.RigidBodyInertia(mass=2, com=[0, 0, 0], inertiaTensor=np.diag(inertia)), referencePosition=[0.4, 0, 0],
        initialAngularVelocity=[1, 2, -1], gravity=[0, 0, -9.81], nodeType=exu.NodeType.RotationRxyz,
    )  # fmt: skip
    ground = system.AddObject(eu.ObjectGround(referencePosition=[0.5, 0.1, 0.2]))
    fixed = system.AddMarker(eu.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    moving = system.AddMarker(eu.MarkerBodyPosition(bodyNumber=body, localPosition=[0.1, 0.1, 0.2]))
    system.AddObject(eu.CartesianSpringDamper(markerNumbers=[fixed, moving], stiffness=stiffness, damping=damping))
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime, settings.timeIntegration.numberOfSteps = 1, 2000
    settings.timeIntegration.automaticStepSize = False
    settings.solution.file.write = False
    exu.SolveDynamic(system, settings, solverType=exu.DynamicSolverType.RK44)
    theirs = system.GetObjectOutputBody(body, exu.OutputVariableType.Position, localPosition=[0, 0, 0])
    close(ours, theirs, atol=1e-6)
