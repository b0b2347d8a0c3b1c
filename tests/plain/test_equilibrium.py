"""Equilibria against minima of the potential energy that SciPy finds from formulas of its own, closed forms, and what has none."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close
from scipy.optimize import minimize

import mbsim
from mbsim.analyses.static import balance, facts
from mbsim.model.file.errors import ModelError

G = 9.81
CLAMP = Path(__file__).parents[1] / "failing" / "clamp.yaml"


def found(source: Any, **given: Any) -> dict[str, Any]:
    return facts(balance(mbsim.assemble(mechanisms.model(source)), **given))


def linkage(seed: int) -> tuple[dict[str, Any], Any, np.ndarray]:
    """A chain of rods with springs to the ground and in its hinges, its potential over the rods' angles, and the angles as drawn."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    lengths, mass, angles = rng.uniform(0.3, 1.0, n), rng.uniform(0.5, 2.0, n), rng.uniform(-3.0, 3.0, n)
    anchors, stiff = rng.uniform(-1.5, 1.5, (n, 2)), rng.uniform(5.0, 60.0, n)
    free, torsion, rest = rng.uniform(0.0, 0.8, n), rng.uniform(0.0, 8.0, n), rng.uniform(-1.0, 1.0, n)

    def tips(a: np.ndarray) -> np.ndarray:
        steps = lengths[:, None] * np.column_stack([np.cos(a), np.sin(a)])
        return np.vstack([[0.0, 0.0], np.cumsum(steps, axis=0)])

    def potential(a: np.ndarray) -> float:
        p = tips(a)
        heights = 0.5 * (p[:-1, 1] + p[1:, 1])
        stretch = np.linalg.norm(p[1:] - anchors, axis=1) - free
        relative = np.diff(np.concatenate([[0.0], a])) - np.diff(np.concatenate([[0.0], angles])) - rest
        return float(mass @ heights * G + 0.5 * stiff @ stretch**2 + 0.5 * torsion @ relative**2)

    drawn = tips(angles)
    source: dict[str, Any] = {"name": f"linkage {seed}", "dimension": 2, "gravity": [0, -G], "bodies": {}, "joints": {}, "forces": {}}
    for k in range(n):
        source["bodies"][f"b{k}"] = {
            "mass": float(mass[k]), "inertia": float(mass[k] * lengths[k] ** 2 / 12), "angle": float(angles[k]),
            "position": [float(x) for x in 0.5 * (drawn[k] + drawn[k + 1])],
        }  # fmt: skip
        pair = ["ground" if k == 0 else f"b{k - 1}", f"b{k}"]
        source["joints"][f"j{k}"] = {"type": "revolute", "bodies": pair, "at": [float(x) for x in drawn[k]]}
        source["forces"][f"s{k}"] = {
            "type": "spring_damper", "bodies": ["ground", f"b{k}"], "at": [[float(x) for x in p] for p in (anchors[k], drawn[k + 1])],
            "stiffness": float(stiff[k]), "free_length": float(free[k]),
        }  # fmt: skip
        source["forces"][f"t{k}"] = {
            "type": "rotational_spring_damper", "joint": f"j{k}", "stiffness": float(torsion[k]), "free_angle": float(rest[k]),
        }  # fmt: skip
    return source | {"simulation": {"end": 1}}, potential, angles


@pytest.mark.parametrize("seed", range(20))
def test_spring_loaded_linkages(seed: int) -> None:
    source, potential, drawn = linkage(seed)
    if seed % 2:
        source["coordinates"] = "joint"
    plain = found(source)
    q = np.array(list(plain["q"].values()))
    angles = drawn + np.cumsum(q) if seed % 2 else q[2::3]
    assert plain["stable"], plain["notes"]
    near = minimize(potential, angles, method="BFGS", options={"gtol": 1e-9})
    close(near.x, angles, atol=2e-6)
    assert potential(angles) <= near.fun + 1e-9 * (1.0 + abs(near.fun))
    assert potential(angles) <= potential(drawn)
    scale = max(abs(x) for both in plain["reactions"].values() for x in both["force"])
    assert plain["residual"] <= 1e-8 * scale


def five_bar(seed: int) -> tuple[dict[str, Any], Any, np.ndarray]:
    """Two cranks and a dyad between them, with springs: its potential over the angles of the cranks, and these as drawn."""
    rng = np.random.default_rng(seed)
    base, mass = float(rng.uniform(0.8, 1.4)), rng.uniform(0.5, 2.0, 4)
    cranks, rods = rng.uniform(0.4, 0.7, 2), rng.uniform(0.9, 1.3, 2)
    drawn = np.array([rng.uniform(1.2, 2.5), rng.uniform(0.6, 1.9)])
    anchor, stiff, free = rng.uniform([-0.5, 1.5], [1.5, 2.5]), float(rng.uniform(40.0, 90.0)), float(rng.uniform(0.2, 0.8))
    torsion = rng.uniform(5.0, 15.0, 2)
    pivots = np.array([[0.0, 0.0], [base, 0.0]])

    def points(a: np.ndarray) -> np.ndarray:
        """Ends of the cranks and where the rods meet, above the line between them."""
        A, B = pivots + cranks[:, None] * np.column_stack([np.cos(a), np.sin(a)])
        apart = B - A
        d = np.linalg.norm(apart)
        along = (rods[0] ** 2 - rods[1] ** 2 + d * d) / (2 * d)
        height = np.sqrt(rods[0] ** 2 - along**2)
        return np.array([A, B, A + (along * apart + height * np.array([-apart[1], apart[0]])) / d])

    def potential(a: np.ndarray) -> float:
        A, B, P = points(a)
        heights = 0.5 * np.array([A[1], B[1], A[1] + P[1], B[1] + P[1]])
        stretch = np.linalg.norm(P - anchor) - free
        return float(mass @ heights * G + 0.5 * stiff * stretch**2 + 0.5 * torsion @ (a - drawn) ** 2)

    A, B, P = points(drawn)
    source: dict[str, Any] = {"name": f"five-bar {seed}", "dimension": 2, "gravity": [0, -G], "bodies": {}}
    ends = {"left": (pivots[0], A), "right": (pivots[1], B), "rod0": (A, P), "rod1": (B, P)}
    for (name, (a, b)), m in zip(ends.items(), mass, strict=True):
        source["bodies"][name] = {
            "mass": float(m), "inertia": 0.1, "position": [float(x) for x in 0.5 * (a + b)], "angle": float(np.arctan2(*(b - a)[::-1])),
        }  # fmt: skip
    pairs = {"O": ("ground", "left", pivots[0]), "C": ("ground", "right", pivots[1]), "A": ("left", "rod0", A), "B": ("right", "rod1", B)}
    pairs["P"] = ("rod0", "rod1", P)
    source["joints"] = {
        name: {"type": "revolute", "bodies": [first, second], "at": [float(x) for x in at]} for name, (first, second, at) in pairs.items()
    }
    source["forces"] = {
        "pull": {"type": "spring_damper", "bodies": ["ground", "rod0"], "at": [[float(x) for x in p] for p in (anchor, P)],
                 "stiffness": stiff, "free_length": free},
        "turn0": {"type": "rotational_spring_damper", "joint": "O", "stiffness": float(torsion[0])},
        "turn1": {"type": "rotational_spring_damper", "joint": "C", "stiffness": float(torsion[1])},
    }  # fmt: skip
    return source | {"simulation": {"end": 1}}, potential, drawn


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 6))])
def test_spring_loaded_loops(seed: int) -> None:
    source, potential, drawn = five_bar(seed)
    if seed % 2:
        source["coordinates"] = "joint"
    plain = found(source)
    q = plain["q"]
    angles = drawn + [q["O.angle"], q["C.angle"]] if seed % 2 else np.array([q["left.angle"], q["right.angle"]])
    near = minimize(potential, drawn, method="BFGS", options={"gtol": 1e-9})
    assert plain["stable"], plain["notes"]
    close(near.x, angles, atol=2e-6)
    assert plain["residual"] <= 1e-8 * G


def test_the_size_of_a_mechanism_is_not_that_of_its_displacements() -> None:
    """In joint coordinates sliders may stand all but at zero; a step of the size of the mechanism is no leap then."""
    source = {
        "name": "two sliders", "dimension": 2, "gravity": [0, -G], "coordinates": "joint",
        "bodies": {"a": {"mass": 1, "inertia": 1, "position": [0, 0]}, "b": {"mass": 2, "inertia": 1, "position": [1, 0]}},
        "joints": {name: {"type": "prismatic", "bodies": ["ground", body], "at": [x, 0], "axis": [0, 1]}
                   for name, body, x in (("g", "a", 0), ("h", "b", 1))},
        "forces": {name: {"type": "translational_spring_damper", "joint": joint, "stiffness": 500}
                   for name, joint in (("s", "g"), ("t", "h"))},
        "initial": {"g.displacement": 1e-17}, "simulation": {"end": 1},
    }  # fmt: skip
    assert list(found(source)["q"].values()) == pytest.approx([-G / 500, -2 * G / 500])


TOGGLE = """
name: toggle
dimension: 2
parameters: {a: 1, l0: 1.2, k: 40, y: 0.5}
bodies: {mass: {mass: 1, inertia: 1, position: [a, y]}}
joints: {guide: {type: prismatic, bodies: [ground, mass], at: [a, 0], axis: [0, 1]}}
forces: {spring: {type: spring_damper, bodies: [ground, mass], at: [[0, 0], [a, y]], stiffness: k, free_length: l0}}
simulation: {end: 1}
"""


@pytest.mark.parametrize(("start", "end"), [(0.5, 1.0), (-0.4, -1.0), (0.2, 1.0), (1.5, 1.0)])
def test_a_bistable_toggle_goes_to_the_side_that_it_starts_on(start: float, end: float) -> None:
    plain = facts(balance(mbsim.assemble(mechanisms.model(TOGGLE, parameters={"y": start}))))
    # the attachment is the centre of mass, so that the spring is free where its length is l0
    assert plain["stable"] and plain["q"]["mass.y"] == pytest.approx(end * np.sqrt(1.2**2 - 1.0), abs=1e-9)


def test_the_dead_point_of_a_toggle_is_said_to_be_unstable() -> None:
    plain = facts(balance(mbsim.assemble(mechanisms.model(TOGGLE, parameters={"y": 1e-5}))))
    assert not plain["stable"] and plain["growing"] == 1 and abs(plain["q"]["mass.y"]) < 1e-9


def test_a_clamp_that_stays_closed_is_not_warned_of() -> None:
    """Nothing moves by more than 1e-11 rad. Round-off of that was said to be oscillations between rows, and a wrong balance of energy."""
    result = mbsim.simulate(mbsim.load_model(CLAMP, parameters={"F": -40}, simulation={"start_from": "equilibrium", "end": 0.2}))
    assert np.abs(result["q"] - result["q"][0]).max() < 1e-11
    assert not result.attributes["warnings"] and not [x for x in result.attributes["notes"] if "energy" in x or "rows" in x]


@pytest.mark.parametrize(("force", "angle", "effort"), [(-40, -0.0202914167, 6.21221142), (-100, -0.0207573540, 15.5481192)])
def test_a_clamp_closes_upon_its_workpiece(force: float, angle: float, effort: float) -> None:
    """A hand's force that turns with the handle, a gap and a stiff contact; values of a run with dampers, at rest after 5 s."""
    made = mbsim.assemble(mbsim.load_model(CLAMP, parameters={"F": force}))
    at = balance(made)
    assert at.stable and not at.warning
    assert at["arm.angle"] == pytest.approx(angle, abs=1e-9) and at.measures["clampforce"] == pytest.approx(effort, rel=1e-7)
    text = CLAMP.read_text().replace("end: 1}", "end: 1, start_from: equilibrium}")
    begun = mbsim.assemble(mechanisms.model(text, parameters={"F": force}))
    close(begun.q, at.q, atol=1e-9)


def test_a_damped_run_finds_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last resort, which says that it was taken."""
    from mbsim.diagnosis import equilibrium

    monkeypatch.setattr(equilibrium, "crept", lambda problem, at: (None, 0))
    at = balance(mbsim.assemble(mbsim.load_model(CLAMP, parameters={"F": -40})))
    assert at.stable and at["arm.angle"] == pytest.approx(-0.0202914167, abs=1e-9)
    assert "the equilibrium that a run with artificial damping leads to is given" in at.found.relaxed


def test_no_answer_is_unstable_where_a_stable_one_is_found() -> None:
    """From 0.3 rad beside the top of a pendulum Newton's method leads to the top; exactly there it is the answer, with a warning."""
    rod = {"mass": 2, "inertia": 0.3, "position": [0, 0.5]}
    source: dict[str, Any] = {
        "name": "rod", "dimension": 2, "gravity": [0, -G], "coordinates": "joint", "bodies": {"rod": rod},
        "joints": {"O": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}}, "simulation": {"end": 1},
    }  # fmt: skip
    for start, end in ((0.3, np.pi), (-0.3, -np.pi)):
        at = balance(mbsim.assemble(mechanisms.model(source | {"initial": {"O.angle": start}})))
        assert at.stable and at["O.angle"] == pytest.approx(end) and not at.warning
    top = balance(mbsim.assemble(mechanisms.model(source)))
    assert not top.stable and top["O.angle"] == 0.0
    assert top.warning == "this equilibrium is unstable: the mechanism does not stay in it"
    assert any("leaves it for the stable one at O.angle = " in note and note[-7:] == "3.14159" for note in top.notes())


def test_redundant_hinges_share_the_load() -> None:
    plain = found(mechanisms.parallel_pendulum(3, 2))
    assert plain["stable"]
    for name in ("pin0", "pin1"):
        close(plain["reactions"][name]["force"], [0.0, 0.5 * 1.5 * G, 0.0], atol=1e-7)


GOVERNOR = """
name: governor
dimension: 3
coordinates: joint
gravity: [0, 0, -9.81]
bodies:
  shaft: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}
  arm: {mass: 2, inertia: [0.003, 0.002, 0.003], position: [0.3, 0, -0.2]}
joints:
  bearing: {type: revolute, bodies: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1]}
  hinge: {type: revolute, bodies: [shaft, arm], at: [0, 0, 0], axis: [0, -1, 0]}
simulation: {end: 1}
"""


def test_steady_motion_of_a_governor() -> None:
    """cos(angle from down) = m g l/((A - C + m l^2) omega^2); its arm has its own moments about its axes as drawn."""
    from mbsim.analyses.linear import State, about

    made = mbsim.assemble(mechanisms.model(GOVERNOR))
    at = balance(made, steady={"der(bearing.angle)": 6.0})
    omega, angle = 6.0, at.found.q[made.system.coordinates.index("hinge.angle")]
    l, drawn = np.hypot(0.3, 0.2), np.arctan2(0.3, 0.2)

    def moment(x: float) -> float:
        """Of inertia about the vertical, at the angle x of the hinge: the arm turns about -y."""
        c, s = np.cos(x), np.sin(x)
        return 2 * (l * np.sin(drawn + x)) ** 2 + 0.003 * c * c + 0.003 * s * s

    step = 1e-6
    torque = 0.5 * omega**2 * (moment(angle + step) - moment(angle - step)) / (2 * step) - 2 * G * l * np.sin(drawn + angle)
    assert abs(torque) < 1e-7
    close(np.cos(drawn + angle), G / (l * omega**2), atol=1e-9)
    assert at.found.stable and abs(at.found.efforts["der(bearing.angle)"]) < 1e-9
    small = about(made.system, State("start", 0.0, at.found.q, at.found.v))
    assert small.stationary
    hinge = [x for x in small.spectrum.values if x.imag > 0.0]
    assert len(hinge) == 1


@pytest.mark.parametrize(("coordinates", "angle"), [("absolute", "arm.angle"), ("joint", "O.angle")])
def test_states_come_to_rest_too(coordinates: str, angle: str) -> None:
    source = f"""
name: arm
dimension: 2
coordinates: {coordinates}
gravity: [0, -9.81]
bodies: {{arm: {{mass: 2, inertia: 0.1, position: [0.5, 0]}}}}
joints: {{O: {{type: revolute, bodies: [ground, arm], at: [0, 0]}}}}
states: {{integral: {{rate: 0.8 - O.angle}}}}
forces: {{motor: {{type: joint_torque, joint: O, value: 12*(0.8 - O.angle) + 20*integral - 2.5*der(O.angle)}}}}
simulation: {{end: 1}}
"""
    plain = found(source)
    close(plain["q"][angle], 0.8, atol=1e-9)
    close(plain["states"]["integral"], 2 * G * 0.5 * np.cos(0.8) / 20, atol=1e-9)


DRIVEN = """
name: driven
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 2, inertia: 0.3, position: [0.5, 0]}}
joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
drivers: {motor: {joint: O, angle: 0.3 + t}}
simulation: {end: 1}
"""


def test_drivers_are_let_go_unless_kept() -> None:
    free = found(DRIVEN)
    assert free["q"]["rod.angle"] == pytest.approx(-np.pi / 2, abs=1e-9) and "drivers let go: motor" in free["notes"]
    kept = found(DRIVEN, keep=["motor"])
    assert kept["q"]["rod.angle"] == pytest.approx(0.3) and kept["driver_efforts"] == {"motor": pytest.approx(2 * G * 0.5 * np.cos(0.3))}
    with pytest.raises(ValueError, match=r"^unknown driver 'moter'; did you mean 'motor'\?$"):
        found(DRIVEN, keep=["moter"])


def test_a_run_starts_at_the_equilibrium() -> None:
    text = TOGGLE.replace("end: 1}", "end: 0.1, step: 0.01, start_from: equilibrium}")
    result = mbsim.simulate(mechanisms.model(text), method="svd", integrator="rk4")
    close(result["q"][:, 1], np.sqrt(1.2**2 - 1.0), atol=1e-9)
    close(result["v"], 0.0, atol=1e-9)
    falls = {"name": "falls", "dimension": 2, "gravity": [0, -G], "bodies": {"b": {"mass": 2, "inertia": 1}}}
    with pytest.raises(ModelError, match=r"simulation.start_from: no equilibrium found from here"):
        mbsim.assemble(mechanisms.model(falls | {"simulation": {"end": 1, "start_from": "equilibrium"}}))


def test_the_steady_block_is_the_motion_that_an_equilibrium_is() -> None:
    block = GOVERNOR + "steady: {der(bearing.angle): 6}\n"
    given, read = found(GOVERNOR, steady={"der(bearing.angle)": 6.0}), found(block)
    assert read["q"] == given["q"] and read["v"] == given["v"] and read["v"]["der(bearing.angle)"] == pytest.approx(6.0)
    assert found(block, steady={})["v"] == {} and found(block, steady={})["q"] == found(GOVERNOR)["q"]
    made = mbsim.assemble(mechanisms.model(block.replace("end: 1}", "end: 1, start_from: equilibrium}")))
    close(made.q, list(given["q"].values()), atol=1e-12)
    close(made.v, [6.0, 0.0], atol=1e-12)
    assert not any("effort" in note for note in made.notes)
    driven = block + "drivers: {motor: {joint: bearing, angle: SPEED*t}}\n"
    kept = found(driven.replace("SPEED", "6"), keep=["motor"])  # the driver gives the speed already
    assert kept["q"] == given["q"] and kept["driver_efforts"] == {"motor": pytest.approx(0.0, abs=1e-9)}
    assert kept["steady_efforts"] == {"der(bearing.angle)": 0.0}
    with pytest.raises(ValueError, match=r"a motion that the constraints allow: der\(bearing\.angle\) is 5, not 6$"):
        found(driven.replace("SPEED", "5"), keep=["motor"])


TURNING = """
name: mass beside a hub
dimension: 2
bodies: {hub: {mass: 1, inertia: 1}, mass: {mass: 1, inertia: 1, position: [1, 0]}}
joints: {pin: {type: PIN, bodies: [ground, hub], at: [0, 0], axis: [1, 0]}}
forces: {tie: {type: bushing, bodies: [hub, mass], at: [1, 0], stiffness: [9, 9, 9]}}
simulation: {end: 1}
"""


def test_an_elastic_tie_carries_a_mass_along() -> None:
    """Where the hub turns, 9 (r - 1) = W^2 r; where it slides, the mass has its speed. A spring to the ground forbids both."""
    turned = found(TURNING.replace("PIN", "revolute"), steady={"der(hub.angle)": 2.0})
    close([turned["q"]["mass.x"], turned["v"]["der(mass.y)"], turned["v"]["der(mass.angle)"]], [1.8, 3.6, 2.0], atol=1e-8)
    assert "hub, mass turn about the axis through [0, 0] at 2 rad/s" in turned["notes"]
    slid = found(TURNING.replace("PIN", "prismatic"), steady={"der(hub.x)": 2.0})
    close([slid["q"]["mass.x"], slid["v"]["der(mass.x)"]], [1.0, 2.0], atol=1e-8)
    assert slid["stable"] and "hub, mass move at [2, 0] m/s" in slid["notes"]
    tied = TURNING.replace("forces: {", "forces: {post: {type: bushing, bodies: [ground, mass], at: [1, 0], stiffness: [1, 1, 1]}, ")
    with pytest.raises(ValueError, match=r"the force along der\(mass\.y\) changes.*: hub turns about .* of a spring to the ground"):
        found(tied.replace("PIN", "revolute"), steady={"der(hub.angle)": 2.0})


def test_a_run_says_which_speeds_of_a_steady_motion_do_not_stay() -> None:
    """Friction of 0.2 N m s/rad in the bearing takes 1.2 N m at 6 rad/s."""
    text = GOVERNOR.replace("end: 1}", "end: 1, start_from: equilibrium}") + "steady: {der(bearing.angle): 6}\n"
    text += "forces: {drag: {type: rotational_spring_damper, joint: bearing, stiffness: 0, damping: 0.2}}\n"
    notes = mbsim.assemble(mechanisms.model(text)).notes
    assert "der(bearing.angle) stays only with an effort of 1.2, which the run does not have" in notes


def test_unstable_steady_motions_are_said_so() -> None:
    """Above sqrt(g/l) a bead on a rotating arm does not stay at the bottom: a start there is unstable."""
    text = GOVERNOR.replace("position: [0.3, 0, -0.2]", "position: [0, 0, -0.4]")
    text = text.replace("end: 1}", "end: 1, start_from: equilibrium}") + "drivers: {motor: {joint: bearing, angle: SPEED*t}}\n"
    for speed, unstable in (("4.5", False), ("5.5", True)):
        made = mbsim.assemble(mechanisms.model((text + f"steady: {{der(bearing.angle): {speed}}}\n").replace("SPEED", speed)))
        assert ("the run starts in a steady motion that is unstable" in made.notes) == unstable


def test_a_driven_run_starts_with_the_driver_at_its_place() -> None:
    made = mbsim.assemble(mechanisms.model(DRIVEN.replace("end: 1}", "end: 1, start_from: equilibrium}")))
    assert made.q[2] == pytest.approx(0.3) and made.v[2] == pytest.approx(1.0)


@pytest.mark.parametrize(("stiffness", "known"), [(1e6, True), (1e10, True), (1e12, False), (1e14, False)])
def test_what_is_soft_below_what_is_stiff_is_right_or_said_to_be_unknown(stiffness: float, known: bool) -> None:
    """Two bodies of 1 kg hang on a bushing of 1 N/m and are tied by a stiff one: they sag by 2 m g / k, if k is more than round-off."""
    bushings = {
        name: {"type": "bushing", "bodies": bodies, "at": [0, 0], "stiffness": [k] * 3}
        for name, bodies, k in (("soft", ["ground", "a"], 1.0), ("stiff", ["a", "b"], stiffness))
    }
    body = {"mass": 1, "inertia": 0.5, "position": [0, 0]}
    model = {"name": "soft", "dimension": 2, "gravity": [0, -9.81], "bodies": {"a": body, "b": dict(body)}, "forces": bushings}
    found = mbsim.equilibrium(model | {"simulation": {"end": 1}})
    said = [note for note in found.notes() if "along what is soft the equilibrium is not known" in note]
    assert bool(said) is not known
    if known:
        np.testing.assert_allclose(found.q[[1, 4]], [-19.62, -19.62 - 9.81 / stiffness], atol=1e-7)
