"""A run in place is the run of a file with these numbers in it, to the last bit, whatever ran before it."""

import re
import threading
from pathlib import Path

import numpy as np
import pytest

import mbsim
from mbsim.assembly import assemble
from mbsim.model.file.errors import ExpressionError
from mbsim.model.targets import PathError
from mbsim.straight.traced import SCRATCH
from mbsim.studies.runner.given import RunnerError
from mbsim.studies.runner.in_place import InPlace
from mbsim.studies.runner.runner import Runner

ROOT = Path(__file__).parents[2]
FOUR_BAR = ROOT / "models" / "four_bar.yaml"
OUTPUTS = {"peak": "max(norm(joint_force:O))", "last": "final(crank.angle)", "x": "max(coupler.B.x)"}
VARY = ["omega", "a", "joints.C.at[0]", "bodies.rocker.mass"]
SETS = [[8.0, 1.0, 3.0, 2.5], [7.5, 1.02, 3.0, 3.0], [8.5, 0.97, 3.0, 2.0], [6.0, 1.0, 3.0, 2.5]]


@pytest.fixture(scope="module")
def runner() -> Runner:
    return Runner(FOUR_BAR, VARY, OUTPUTS, end=0.05)


def by_simulate(values: list[float], tmp_path: Path) -> list[float]:
    """The same numbers by a file that has them, read, assembled and run in full."""
    text = FOUR_BAR.read_text().replace("mass: c\n", f"mass: {values[3]!r}\n").replace("at: [d, 0]", f"at: [{values[2]!r}, 0]")
    path = tmp_path / "m.yaml"
    path.write_text(text)
    model = mbsim.load_model(path, parameters={"omega": values[0], "a": values[1]}, simulation={"end": 0.05})
    result = mbsim.simulate(model)
    return [result.evaluate("max(norm(joint_force:O))"), result.evaluate("final(crank.angle)"), result.evaluate("max(coupler.B.x)")]


def test_equal_to_simulate(runner: Runner, tmp_path: Path) -> None:
    assert runner.in_place and runner.base.tolist() == SETS[0] and runner.units == {"peak": "N", "last": "rad", "x": "m"}
    for values in SETS:
        found = runner.run(values)
        expected = by_simulate(values, tmp_path)
        assert not found.anew and not found.failed
        assert found.values[:2].tolist() == expected[:2]
        assert found.values[2] == pytest.approx(expected[2], rel=1e-8)  # the scene of a result has nine digits of a point


@pytest.mark.parametrize("piece", ["numbers", "start"])
def test_quick_pieces_give_the_bits_of_the_plain_ones(runner: Runner, piece: str) -> None:
    plain = Runner(FOUR_BAR, VARY, OUTPUTS, end=0.05, plain=[piece])
    assert plain.in_place
    for values in SETS:
        found = plain.run(values)
        assert not found.anew and found.values.tolist() == runner.run(values).values.tolist()


@pytest.mark.parametrize(
    ("model", "name"), [("iftomm_pendulum", "l"), ("pendulum_dae", "l"), ("rolling_disk", "rho"), ("double_pendulum", "l1")]
)
def test_parameters_of_laws_change_without_reading_the_model_again(model: str, name: str) -> None:
    """Of energies and constraints of own coordinates: to the last bit what `simulate` gives."""
    path = ROOT / "models" / f"{model}.yaml"
    coordinate = mbsim.load_model(path).coordinates[1]
    varied = Runner(path, [name], {"x": f"final({coordinate})"}, end=0.02)
    for value in varied.base * [[0.97], [1.02]]:
        assert varied.numbers(value).fields is not None
        found, other = varied.run(value), mbsim.simulate(path, parameters={name: float(value[0])}, end=0.02)
        assert not found.anew and found.values.tolist() == [other.evaluate(f"final({coordinate})")]


def test_order_does_not_matter(runner: Runner) -> None:
    forwards = [runner.run(values).values.tolist() for values in SETS]
    assert [runner.run(values).values.tolist() for values in SETS[::-1]] == forwards[::-1]
    assert [outcome.values.tolist() for outcome in runner.run_many(SETS)] == forwards


def test_threads(runner: Runner) -> None:
    expected = [runner.run(values).values.tolist() for values in SETS]
    found: dict[int, list[list[float]]] = {}

    def work(number: int, mine: Runner) -> None:
        found[number] = [mine.run(values).values.tolist() for values in SETS * 3]

    threads = [threading.Thread(target=work, args=(number, runner.copy())) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: expected * 3, 1: expected * 3}


def test_by_name_and_failures(runner: Runner) -> None:
    assert runner(omega=6.0) == dict(zip(OUTPUTS, runner.run(SETS[3]).values.tolist(), strict=True))
    bad = runner.run([8.0, 1.0, 3.0, -1.0])
    assert bad.failed and np.isnan(bad.values).all() and bad.reason == "bodies.rocker.mass: must be greater than 0 (got -1)"
    apart = runner.run([8.0, 9.0, 3.0, 2.0])
    assert apart.failed and "acos" in apart.reason
    with pytest.raises(mbsim.SimulationError, match="greater than 0"):
        runner([8.0, 1.0, 3.0, -1.0])
    with pytest.raises(RunnerError, match="expected 4 values: omega, a"):
        runner.run([1.0])
    with pytest.raises(RunnerError, match="'omeg' does not vary; did you mean 'omega'"):
        runner(omeg=1.0)
    assert runner.run(SETS[0]).values.tolist() == runner.run(runner.base).values.tolist()


def test_what_is_added(tmp_path: Path) -> None:
    text = (ROOT / "models" / "pendulum.yaml").read_text()
    added = Runner(
        ROOT / "models" / "pendulum.yaml", ["bodies.rod.position[0]"], {"x": "initial(rod.x)"}, add=["bodies.rod.position[0]"], end=0.01
    )
    moved = tmp_path / "p.yaml"
    moved.write_text(text.replace("position: [l/2, 0]", "position: [l/2 + 0.25, 0]"))
    assert added.base.tolist() == [0.0]
    assert added([0.25]) == {"x": mbsim.simulate(mbsim.load_model(moved), end=0.01).evaluate("initial(rod.x)")} == {"x": 0.75}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nothing", "unknown parameter 'nothing'"),
        ("omga", "did you mean 'omega'"),
        ("joints.D.at[0]", "joints has no 'D'"),
        ("joints.C.at[2]", "joints.C.at has 2 items, counted from 0; there is no [2]"),
        ("joints.C.type", "is a word and no number"),
        ("joints.C", "is no number of the file"),
        ("dimension.x", "dimension is a single value"),
    ],
)
def test_paths_that_lead_nowhere(path: str, words: str) -> None:
    with pytest.raises(PathError) as caught:
        Runner(FOUR_BAR, [path], {"last": "final(crank.angle)"})
    assert words in str(caught.value)


SLIDE = """
dimension: 2
gravity: [0, -9.81]
parameters: {tilt: 0.8}
bodies: {cart: {mass: 2, inertia: 1}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [0.6, tilt]}}
forces: {spring: {type: translational_spring_damper, joint: rail, stiffness: 8}}
simulation: {end: 1}
"""


@pytest.mark.parametrize("vary", ["tilt", "joints.rail.axis[0]"])
def test_axes_stay_of_length_1(vary: str) -> None:
    """Also where the file gives one of length 1. Down a slope along (x, y) on a spring: s = -g y/w^2 (1 - cos(w t)), w = 2."""
    runner = mbsim.Runner(SLIDE, [vary], {"x": "final(cart.x)", "v": "final(der(cart.y))"})
    for value in (0.3, 1.7):
        x, y = (0.6, value) if vary == "tilt" else (value, 0.8)
        pull = -9.81 * y / (x * x + y * y)
        assert runner.run([value]).values == pytest.approx([pull * x / 4 * (1 - np.cos(2)), pull * y / 2 * np.sin(2)], rel=1e-7)


def test_coupled_speeds_of_joints_follow_their_axes() -> None:
    """The equation of a coupling contains the axes of the joints: w_a . n = w_b, with n in the x-z plane at an angle from z."""
    text = """
bodies: {a: {mass: 1, inertia: [1, 3, 4]}, b: {mass: 1, inertia: [2, 2, 3], position: [1, 0, 0]}}
joints:
  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, bodies: [ground, b], at: [1, 0, 0], axis: [0, 0, 1]}
constraints: {even: {type: speed_coupling, terms: {der(A.angle): 1, der(B.angle): -2}}}
forces: {push: {type: torque, body: a, value: [0, 0, 7]}}
simulation: {end: 1}
"""
    runner = mbsim.Runner(text, ["joints.A.axis[0]"], {"w": "final(der(A.angle))"})
    for tilt in (0.0, 0.75):  # J = n . I n + I_b/4, torque 7 n_z
        n = np.array([tilt, 0.0, 1.0]) / np.hypot(1.0, tilt)
        assert runner.run([tilt]).values[0] == pytest.approx(7 * n[2] / (n[0] ** 2 + 4 * n[2] ** 2 + 0.75), rel=1e-8)


def test_inertias_stay_symmetric() -> None:
    body = "{mass: 1, inertia: [[2, 0.1, 0], [0.1, 3, 0], [0, 0, 4]], angular_velocity: [1, 1, 1]}"
    runner = mbsim.Runner(f"bodies: {{a: {body}}}\nsimulation: {{end: 0.1}}\n", ["bodies.a.inertia[0][1]"], {"w": "final(a.omega.x)"})
    assert "an inertia matrix is symmetric" in runner.run([0.2]).reason


def test_what_turns_a_point_mass_is_named() -> None:
    text = (
        "bodies: {a: {mass: 1, inertia: 0, position: [0.6, 0, -0.8]}}\ngravity: [0, 0, -9.81]\n"
        "joints: {rod: {type: distance, bodies: [ground, a], at: [[0, 0, 0], [0.6, 0, -0.8]]}}\nsimulation: {end: 0.1}\n"
    )
    runner = mbsim.Runner(text, ["bodies.a.position[2]"], {"z": "final(a.z)"})
    assert not runner.run([-0.8]).failed and "rod would turn it" in runner.run([-0.9]).reason


def test_a_name_of_let_varies() -> None:
    """Laws contain what the name stands for, also by way of another name; a run does not go on with that of the file."""
    text = (
        "dimension: 2\nparameters: {g: 2}\nlet: {gain: 3*g, push: gain*t}\n"
        "bodies: {a: {mass: 2, inertia: 1}}\nforces: {f: {type: force, body: a, value: [push, 0]}}\nsimulation: {end: 1}\n"
    )
    runner = mbsim.Runner(text, ["let.gain", "bodies.a.mass"], {"x": "final(a.x)"})
    assert runner.base.tolist() == [6.0, 2.0] and runner.in_place  # a number is as good as a parameter
    assert "`let`" in mbsim.Runner(text.replace("3*g", "3*g + 0*t"), ["let.gain"], {"x": "final(a.x)"}).why_anew
    for gain, mass in ((6.0, 2.0), (12.0, 2.0), (3.0, 1.0)):
        assert runner.run([gain, mass]).values[0] == pytest.approx(gain / mass / 6, rel=1e-9)


def test_what_is_recorded_does_not_vary() -> None:
    text = "dimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\nmeasures: {m: 2*a.x}\nsimulation: {end: 1}\n"
    with pytest.raises(PathError, match=r"'measures\.m' is of what is recorded, and no number of the mechanism"):
        mbsim.Runner(text, ["measures.m"], {"x": "final(m)"})


def test_what_varies_twice_is_refused() -> None:
    """The last of two values of one number would be the one that counts."""
    with pytest.raises(ValueError, match=r"vary: bodies\.rod\.mass is given twice"):
        mbsim.Runner("pendulum", ["bodies.rod.mass", "l", "bodies.rod.mass"], {"x": "final(rod.angle)"})


def test_laws_forces_and_users_coordinates() -> None:
    """Parameters in laws, in forces, in the user's own energies: against simulate."""
    cases = {
        "double_pendulum": (["m2", "l1", "initial.theta1"], [1.3, 0.8, 1.0], "final(theta2)"),
        "slider_crank": (["n", "forces.gas.value[1]"], [280.0, -30.0], "max(driver_effort.motor)"),
    }
    for name, (vary, values, output) in cases.items():
        path = ROOT / "models" / f"{name}.yaml"
        runner = Runner(path, vary, {"y": output}, end=0.02)
        found = runner.run(values)
        again = Runner(path, vary, {"y": output}, end=0.02)
        again.in_place = False  # so that each run is read, assembled and run in full
        assert found.values.tolist() == again.run(values).values.tolist(), name
        assert runner.run(runner.base).values.tolist() == again.run(again.base).values.tolist(), name
        assert found.values.tolist() != runner.run(runner.base).values.tolist(), name


def test_modes_and_equilibrium(tmp_path: Path) -> None:
    model = tmp_path / "swing.yaml"
    model.write_text(
        "parameters: {m: 2.0, k: 50.0}\ncoordinates: [x]\n"
        "energy: {kinetic: m/2*der(x)^2, potential: k/2*x^2 - m*9.81*x}\nsimulation: {end: 1}\n"
    )
    modes = Runner(model, ["k"], {"f": "mode(1).frequency", "d": "mode(1).damping_ratio", "s": "stable"}, analysis="modes")
    assert modes([200.0]) == {"f": pytest.approx(10.0 / (2.0 * np.pi), rel=1e-9), "d": pytest.approx(0.0, abs=1e-12), "s": 1.0}
    assert modes.units == {"f": "Hz", "d": "1", "s": "1"} and not modes.in_place
    few = Runner(model, ["k"], {"f": "mode(2).frequency"}, analysis="modes")
    assert "there is no mode 2" in few.run([10.0]).reason and not few.run([10.0]).failed
    still = Runner(model, ["k"], {"x": "x", "v": "energy_potential"}, analysis="equilibrium")
    assert still([100.0])["x"] == pytest.approx(2.0 * 9.81 / 100.0, rel=1e-9)


def test_another_structure_is_assembled_anew() -> None:
    runner = Runner(FOUR_BAR, ["simulation.end"], {"last": "final(t)"}, end=0.02)
    assert not runner.in_place and "alters the settings" in runner.why_anew


def test_cancelled_from_another_thread() -> None:
    runner = Runner(FOUR_BAR, ["omega"], {"last": "final(crank.angle)"}, end=30.0)
    found = []
    thread = threading.Thread(target=lambda: found.append(runner.run([8.0])))
    thread.start()
    runner.cancel()
    thread.join(timeout=20.0)
    assert found[0].failed and found[0].reason == "cancelled" and runner.run([8.0]).reason == "cancelled"
    assert not runner.copy().is_cancelled()


@pytest.mark.parametrize(
    ("name", "vary"),
    [
        ("four_bar", ["omega", "a", "b", "c", "d"]),
        ("four_bar", ["joints.C.at[0]", "bodies.coupler.angle", "bodies.rocker.points.B[1]", "bodies.crank.mass"]),
        ("four_bar", ["gravity[0]", "gravity[1]", "omega", "a"]),
        ("slider_crank", ["r", "l", "gravity[1]"]),
        ("studies/five_point_linkage", ["r1", "r2", "r3", "r4", "x", "y"]),
    ],
)
def test_planar_numbers_are_the_same_bits_as_an_assembly(name: str, vary: list[str]) -> None:
    runner = Runner(ROOT / "models" / f"{name}.yaml", vary, {"t": "final(t)"}, end=0.01)
    quick = runner._in_place
    assert quick._quick is not None
    whole = InPlace(runner.model, assemble(runner.model), False)
    rng = np.random.default_rng(7)
    for _ in range(30):
        values = runner.base * (1.0 + 0.02 * rng.standard_normal(len(vary))) + 1e-3 * rng.standard_normal(len(vary))
        numbers = runner.numbers(values)
        mine, other = quick.fill(numbers), whole.fill(numbers)
        assert mine.q.tolist() == other.q.tolist() and mine.speeds(mine.q).tolist() == other.speeds(other.q).tolist()
        for field, a, b in zip(quick.system.arrays._fields, quick.system.arrays, whole.system.arrays, strict=True):
            if field not in ("frames", "laws", "jacobian", "row_shares"):  # which an evaluation leaves
                assert a.tobytes() == b.tobytes(), field
        for a, b in zip(quick.with_records().joints, whole.with_records().joints, strict=True):
            assert a.name == b.name and a.rows == b.rows
            for x, y in ((a.first_point, b.first_point), (a.second_point, b.second_point), (a.second_axes, b.second_axes)):
                assert x.tolist() == y.tolist()


@pytest.mark.parametrize("name", ["heavy_top", "spatial_slider_crank", "catenary", "four_bar"])
def test_gravity_varies_without_an_assembly(name: str) -> None:
    """The arrays and the start are the same bits, and no more is read than the numbers of gravity."""
    runner = Runner(ROOT / "models" / f"{name}.yaml", ["gravity[0]", "gravity[1]"], {"t": "final(t)"}, end=0.01)
    quick, whole = runner._in_place, InPlace(runner.model, assemble(runner.model), False)
    assert quick._only_start
    for values in ([0.0, -9.0], [0.3, -8.0], [-0.2, 0.1]):
        numbers = runner.numbers(np.array(values))
        assert numbers.fields is not None and list(numbers.fields) == [("gravity", "")]
        mine, other = quick.fill(numbers), whole.fill(numbers)
        assert mine.q.tolist() == other.q.tolist() and mine.speeds(mine.q).tolist() == other.speeds(other.q).tolist()
        assert quick.system.arrays.gravity.tolist() == [*numbers.model.gravity, 0.0][:3]
        for field, a, b in zip(quick.system.arrays._fields, quick.system.arrays, whole.system.arrays, strict=True):
            assert field in SCRATCH or a.tobytes() == b.tobytes(), field
        numbers = runner.numbers(np.array([0.0, -1.0]))
        quick.fill(numbers)  # as of the next run of a tile
        quick.refill(runner.numbers(np.array(values)))
        assert quick.system.arrays.gravity.tolist()[:2] == values


SPRUNG = """
dimension: 2
gravity: [0, -9.81]
parameters: {l: 0.5}
bodies: {rod: {mass: 1, inertia: 0.1, position: [l, 0], points: {B: [l, 0]}}}
joints: {A: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
forces: {F: {type: force, body: BODY, value: [0, 1]}}
simulation: {end: 0.2, step: 0.01, integrator: rk4}
"""


@pytest.mark.parametrize(("body", "quick"), [("rod", True), ("rod.B", False)])
def test_a_load_at_a_length_that_varies_is_assembled(body: str, quick: bool) -> None:
    """A force at the centre of mass has no number of the drawing, one at a point has its arm."""
    text = SPRUNG.replace("BODY", body)
    runner = Runner(text, ["l"], {"x": "final(rod.angle)"})
    assert runner.in_place and (runner._in_place._quick is not None) == quick
    for length in (0.5, 0.7):
        alone = Runner(text.replace("l: 0.5", f"l: {length}"), [], {"x": "final(rod.angle)"})
        assert runner.run([length]).values.tolist() == alone.run([]).values.tolist()


MASSES = """
dimension: 2
gravity: [0, -9.81]
parameters: {m: 1}
bodies:
  rod: {mass: m, inertia: 0.1, position: [0.5, 0], velocity: [0, 1], angular_velocity: 2, points: {B: [0.5, 0]}}
  bob: {mass: 0.5, inertia: 0.02, position: [1.3, 0.4]}
joints: {A: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
measures: {p: momentum(mechanism).y, L: "angular_momentum(mechanism, rod.B).z", l: angular_momentum(bob).z, c: centre_of_mass(mechanism).x}
simulation: {end: 0.2, step: 0.01}
"""


def test_momenta_are_outputs_as_they_are_measures() -> None:
    """Of bodies and of the mechanism, about points; with the numbers of the run, and words for what is none."""
    words = ["momentum(mechanism).y", "angular_momentum(mechanism, rod.B).z", "angular_momentum(bob).z", "centre_of_mass(mechanism).x"]
    outputs = {f"o{k}": f"final({word})" for k, word in enumerate(words)} | {f"m{k}": f"final({name})" for k, name in enumerate("pLlc")}
    model = mbsim.load_model(MASSES)
    runner = Runner(model, vary=["m"], outputs=outputs)
    for m in (1.0, 3.0):
        found = runner.run([m]).values
        assert found[:4].tolist() == found[4:].tolist() and np.isfinite(found).all()
    assert [runner.units[f"o{k}"] for k in range(4)] == ["kg m s-1", "kg m2 s-1", "kg m2 s-1", "m"]
    wrong = {
        "momentum(all).x": "unknown body 'all'; allowed: bob, mechanism, rod",
        "angular_momentum(bob, rod.C).x": "unknown point 'rod.C'; did you mean 'rod.B'?",
    }
    for word, said in wrong.items():
        with pytest.raises(ExpressionError, match=re.escape(said)):
            Runner(model, vary=["m"], outputs={"x": f"max({word})"})
