"""Measures against closed forms, against the same motion in other coordinates, and against the compiled laws; and where they are kept."""

import json
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import xarray
from click.testing import CliRunner
from mechanisms import DIMENSIONS, close
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

import mbsim
from mbsim import registry
from mbsim.analyses.inverse import inverse
from mbsim.cli import main
from mbsim.cli.models import list_shipped
from mbsim.model.expressions.expression import parse
from mbsim.model.expressions.tables import Table
from mbsim.model.load import load
from mbsim.observe.evaluation import value
from mbsim.results import Result, open_result
from mbsim.system.codegen import HEADER, cached_module, function
from mbsim.system.equations import Symbols
from mbsim.system.system import empty_arrays
from mbsim.system.tables import table_rows


def run(source: str | dict[str, Any], measures: dict[str, Any] | None = None, **settings: Any) -> Result:
    if isinstance(source, dict):
        source = source | {"measures": measures}
    return mbsim.simulate(mechanisms.model(source), **settings)


# Functions: what the compiled laws give, NaN included


TEXTS = [
    "x + y - 2", "x*y/3", "x/y", "-x^2", "x^y", "x^0.5", "x^1.25", "x^-2", "2^x", "sin(x)*cos(y)*tan(x)", "asin(x)", "acos(y)",
    "atan(x) + atan2(y, x)", "sinh(x) + cosh(y) + tanh(x)", "exp(x)", "log(x)", "sqrt(x*y)", "abs(x)", "sign(x)", "min(x, y, x*y)",
    "max(x, y, 0.5)", "step(x)", "step(x, 0.1, 0.5*y, 1.2, 2)", "ramp(x)", "pulse(x, y)", "deg(x)", "if_else(x < y, x, y^2)",
    "floor(3*x)*y", "ceil(x)", "round(x)",
    "if_else(x <= 0 or not (y > 1 and x != 2), x, sqrt(y))", "if_else(x == y, 1, 2)", "if_else(x >= 1, log(x), log(-x))", "hat(x) + hat(2)",
]  # fmt: skip


def test_functions_give_what_compiled_laws_give() -> None:
    tables = {"hat": Table("hat", 0, ((0.0, 0.0), (1.0, 1.0), (3.0, 0.0)))}
    expressions = [parse(text, tables=tables) for text in TEXTS]

    def derive() -> str:
        symbols = Symbols([], ["x", "y"], ["der(x)", "der(y)"])
        return HEADER + function("values", "ENERGY", "t, q, v, out", [(f"out[{k}]", symbols.read(e)) for k, e in enumerate(expressions)])

    module: Any = cached_module(json.dumps(["test of measures", *TEXTS]), derive)
    arrays = empty_arrays(0)._replace(tables=table_rows(tables))
    numbers = np.array([-2.0, -1.0, -0.3, 0.0, 0.1, 0.5, 1.0, 1.2, 2.0, 3.5, np.nan])
    x, y = (a.ravel() for a in np.meshgrid(numbers, numbers))
    expected = np.zeros((len(x), len(TEXTS)))
    for row, *q in zip(expected, x, y, strict=True):
        module.values(arrays, 0.0, np.array(q), np.zeros(2), row)
    with np.errstate(all="ignore"):
        for k, expression in enumerate(expressions):
            found = np.broadcast_to(value(expression.tree, {"x": x, "y": y}), x.shape)
            np.testing.assert_allclose(found, expected[:, k], rtol=1e-13, atol=1e-15, err_msg=TEXTS[k])


# Bodies and joints


SPIN = 400.0  # rad/s: 32 turns between two rows


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_turns_are_counted_between_rows(dimension: int, coordinates: str) -> None:
    """A crank with a rotor on it, both turning fast, against the driven angles; several chunks, rows half a second apart."""
    axis = {} if dimension == 2 else {"axis": [0, 0, -1]}
    sign = 1.0 if dimension == 2 else -1.0
    zeros = [0.0] * (dimension - 1)
    turned = {"angle": 0.7} if dimension == 2 else {"orientation": {"axis": [0, 0, 1], "angle": 0.7}}
    inertia = 0.1 if dimension == 2 else [0.1, 0.1, 0.1]
    source = {
        "dimension": dimension,
        "coordinates": coordinates,
        "bodies": {
            "crank": {"mass": 1, "inertia": inertia, "position": [0.5, *zeros]},
            "rotor": {"mass": 1, "inertia": inertia, "position": [1.0, *zeros], **turned, "points": {"P": [0.1, 0.2, 0.3][:dimension]}},
        },
        "joints": {
            "O": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0.0, *zeros], **axis},
            "A": {"type": "revolute", "bodies": ["rotor", "crank"], "at": [1.0, *zeros], **axis},
        },
        "drivers": {"slow": {"joint": "O", "angle": "3*t + t^2"}, "fast": {"joint": "A", "angle": f"-{SPIN}*t"}},
        "simulation": {"end": 2, "step": 1e-3, "output_step": 0.5},
    }
    names = ("O.angle", "A.angle", "der(O.angle)", "der(A.angle)", "rotor.P.x", "der(rotor.P.x)", "rotor.velocity.y")
    measures: dict[str, Any] = {f"m{k}": name for k, name in enumerate(names)}
    if dimension == 2:
        measures |= {"turn": "angle(rotor, crank)", "rotor_angle": "rotor.angle"}
    found = run(source, measures)
    t = found.time
    slow, fast = 3 * t + t**2, -SPIN * t
    close(found["m0"], slow, atol=1e-8)
    close(found["m1"], fast, atol=1e-6)
    close(found["m2"], 3 + 2 * t, atol=1e-8)
    close(found["m3"], np.full_like(t, -SPIN), atol=1e-6)
    angle = 0.7 + sign * (slow - fast)
    if dimension == 2:
        close(found["turn"], 0.7 - fast, atol=1e-6)
        close(found["rotor_angle"], angle, atol=1e-6)
    rate = sign * (3 + 2 * t + SPIN)
    close(found["m4"], np.cos(sign * slow) + 0.1 * np.cos(angle) - 0.2 * np.sin(angle), atol=1e-5)
    close(found["m5"], -sign * (3 + 2 * t) * np.sin(sign * slow) - rate * (0.1 * np.sin(angle) + 0.2 * np.cos(angle)), atol=1e-2)
    close(found["m6"], sign * (3 + 2 * t) * np.cos(sign * slow), atol=1e-6)
    assert [found.units(f"m{k}") for k in range(7)] == ["rad", "rad", "rad s-1", "rad s-1", "m", "m s-1", "m s-1"]


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_relative_motions_are_the_joint_coordinates_of_the_same_chain(dimension: int) -> None:
    """Every joint that has any, measured from poses in absolute coordinates, against the coordinates and speeds of the tree."""
    source = mechanisms.chain(dimension) | {"drivers": {}, "simulation": {"end": 0.5, "step": 1e-3}}
    tree = run(source | {"coordinates": "joint"}, {}, integrator="dop853", rtol=1e-11, atol=1e-11)
    leaves = {name: registry.leaf("joints", block["type"]) for name, block in source["joints"].items()}
    names = [name for joint, leaf in leaves.items() for m in leaf.measured(dimension) for name in (f"{joint}.{m}", f"der({joint}.{m})")]
    names = [name for name in names if name in [*tree.labels("coordinate"), *tree.labels("speed")]]
    measures = {f"m{k}": name for k, name in enumerate(names)}
    found = run(source, measures, integrator="dop853", rtol=1e-11, atol=1e-11)
    assert len(names) >= (4 if dimension == 2 else 18)  # every motion and its rate
    for label, name in measures.items():
        close(found[label], tree.select(name), atol=2e-7)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_bodies_points_and_energies(dimension: int, coordinates: str) -> None:
    """From the definitions, on poses that the result holds; rates against derivatives of splines through the rows."""
    source = mechanisms.chain(dimension) | {"simulation": {"end": 0.2, "step": 1e-3}, "coordinates": coordinates}
    bodies = list(source["bodies"])
    local = {b: np.random.default_rng(k).uniform(-1, 1, 3) * [1, 1, dimension == 3] for k, b in enumerate(bodies)}
    for body, block in source["bodies"].items():
        block["points"] = {"P": [float(x) for x in local[body][:dimension]]}
    a, b = bodies[0], bodies[-1]
    measures = {
        "gap": f"distance({a}.P, {b}.P)",
        "reach": f"distance({b}, ground)",
        "corner": f"angle({a}.P, ground, {b}.P)",
        "turn": f"angle({a}, {b})",
        "spin": f"{b}.omega.x" if dimension == 3 else f"{b}.angular_velocity",
        "spun": f"{b}.angular_velocity.y" if dimension == 3 else f"der({b}.angle)",
        "rate": f"der({b}.P.y)",
        "kinetic": " + ".join(f"kinetic_energy({body})" for body in bodies),
        "all": " + ".join(f"energy({body}) - kinetic_energy({body}) - potential_energy({body})" for body in bodies),
        "falls": " + ".join(f"potential_energy({body})" for body in bodies),
        "second": f"der(der({b}.x))" if coordinates == "absolute" else "1",
        "power": f"joint_force.j0.x*{a}.velocity.x + energy_work - energy_work",
        "again": "kinetic*2",
    }  # fmt: skip
    forces = {name: force for name, force in source["forces"].items() if name != "spring"}
    found = run(source | {"forces": forces}, measures)
    r, p, w = found["body_position"], found["body_orientation"], found["body_angular_velocity"]
    R = {body: Rotation.from_quat(np.roll(p[:, k], -1, axis=-1)) for k, body in enumerate(bodies)}
    P = {body: r[:, k] + R[body].apply(local[body]) for k, body in enumerate(bodies)}
    close(found["gap"], np.linalg.norm(P[a] - P[b], axis=1), atol=1e-12)
    close(found["reach"], np.linalg.norm(r[:, -1], axis=1), atol=1e-12)
    cosine = np.sum(P[a] * P[b], axis=1) / np.linalg.norm(P[a], axis=1) / np.linalg.norm(P[b], axis=1)
    close(np.cos(found["corner"]), cosine, atol=1e-12)
    if dimension == 3:
        close(found["turn"], (R[b].inv() * R[a]).magnitude(), atol=1e-9)
        close(found["spin"], R[b].inv().apply(w[:, -1])[:, 0], atol=1e-12)
        close(found["spun"], w[:, -1, 1], atol=1e-12)
    else:
        close(np.cos(found["turn"]), (R[b].inv() * R[a]).as_matrix()[:, 0, 0], atol=1e-12)
        close(found["spin"], w[:, -1, 2], atol=1e-12)
        close(found["spun"], w[:, -1, 2], atol=1e-12)
    inner = slice(10, -10)
    close(found["rate"][inner], CubicSpline(found.time, P[b][:, 1])(found.time, 1)[inner], atol=1e-4 * np.abs(found["rate"]).max())
    close(found["kinetic"], found["energy_kinetic"], atol=1e-10 * found["energy_kinetic"].max())
    close(found["falls"], found["energy_potential"], atol=1e-10)
    close(found["all"], np.zeros_like(found.time), atol=1e-9)
    close(found["power"], found["joint_force"][:, 0, 0] * found["body_velocity"][:, 0, 0], atol=1e-9)
    close(found["again"], 2 * found["kinetic"], atol=0.0)
    if coordinates == "absolute":
        close(found["second"], found.select("acceleration", f"der({b}.x)"), atol=0.0)
        assert found.units("second") == "m s-2"
    units = {name: found.units(name) for name in ("gap", "corner", "turn", "spin", "rate", "kinetic", "power", "again")}
    assert units == {
        "gap": "m",
        "corner": "rad",
        "turn": "rad",
        "spin": "rad s-1",
        "rate": "m s-1",
        "kinetic": "1",
        "power": "1",
        "again": "1",
    }


def test_a_tree_that_has_no_such_coordinate_says_so() -> None:
    source = mechanisms.chain(2) | {"coordinates": "joint", "measures": {"m": "2*der(der(b1.x))"}}
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.assemble(mechanisms.model(source))
    assert "measures.m: der(der(b1.x)) is not known of this model; its coordinates are " in str(caught.value)


# Where they are kept


PENDULUM = """
name: pendulum
dimension: 2
gravity: [0, -9.81]
parameters: {l: 2}
tables: {map: {points: [[-4, 0], [0, 1], [4, 3]], interpolation: linear}}
bodies: {bob: {mass: 1, inertia: 0.1, position: [l, 0], points: {tip: [0.5, 0]}}}
joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0]}}
simulation: {end: 1, step: 0.01}
measures:
  reach: {value: "distance(bob.tip, ground)", unit: mm}
  swing: pin.angle
  load: sqrt(joint_force.pin.x^2 + joint_force.pin.y^2)
  mapped: map(swing)*reach
reference:
  source: by hand
  values: [{time: 0.5, of: reach, value: 2.5, tolerance: 1e-6}, {time: 0.333, of: swing, value: 9, tolerance: 20}]
"""
NAMES = ["reach", "swing", "load", "mapped"]


def test_in_memory_and_in_a_file(tmp_path: Path) -> None:
    kept = run(PENDULUM)
    run(PENDULUM, output=tmp_path / "run.h5").close()
    with open_result(tmp_path / "run.h5") as read:
        for result in (kept, read):
            assert result.measures() == NAMES and result.names()[-4:] == NAMES
            assert [result.units(name) for name in NAMES] == ["mm", "rad", "1", "1"]
            assert result.dimensions("load") == ("time",) and result.long_name("mapped") == "map(swing)*reach"
            close(result["reach"], np.full(101, 2.5), atol=1e-9)
            assert result.tables == {"map": {"points": [[-4.0, 0.0], [0.0, 1.0], [4.0, 3.0]], "interpolation": "linear"}}
            assert "measures" not in result.attributes
        for name in NAMES:
            np.testing.assert_array_equal(kept[name], read[name])
    with xarray.open_dataset(tmp_path / "run.h5", engine="h5netcdf") as data:
        assert data.reach.dims == ("time",) and data.reach.attrs["units"] == "mm"
        assert data.mapped.attrs["long_name"] == "map(swing)*reach"
        np.testing.assert_array_equal(data.swing.values, kept["swing"])


def test_on_the_command_line(tmp_path: Path) -> None:
    run(PENDULUM, output=tmp_path / "run.h5").close()
    said = CliRunner().invoke(main, ["info", str(tmp_path / "run.h5")]).stdout
    assert "mm       distance(bob.tip, ground)" in said
    facts = json.loads(CliRunner().invoke(main, ["info", "--json", str(tmp_path / "run.h5")]).stdout)
    assert [entry["name"] for entry in facts["variables"]][-4:] == NAMES
    assert facts["measures"][0] == {"name": "reach", "value": pytest.approx(2.5), "units": "mm"}
    done = CliRunner().invoke(main, ["plot", str(tmp_path / "run.h5"), "-w", "load,swing~load", "-o", str(tmp_path / "x.svg")])
    assert done.exit_code == 0 and "swing (rad)" in (tmp_path / "x.svg").read_text()
    refused = CliRunner().invoke(main, ["plot", str(tmp_path / "run.h5"), "-w", "laod"])
    assert refused.exit_code == 2 and "did you mean 'load'?" in refused.stderr and "mapped" in refused.stderr


def test_a_run_that_fails_keeps_them() -> None:
    with pytest.raises(mbsim.SimulationError) as caught:
        run(PENDULUM.replace("simulation:", "forces: {f: {type: torque, body: bob, value: sqrt(0.5 - t)}}\nsimulation:"))
    result = caught.value.result
    assert result is not None and len(result["load"]) == len(result.time) and np.isfinite(result["load"]).all()


def test_inverse_dynamics_has_them() -> None:
    text = PENDULUM.replace("simulation:", "drivers: {motor: {joint: pin, angle: sin(t)}}\nsimulation:")
    text = text.replace("  swing: pin.angle\n", "  swing: pin.angle\n  effort: driver_effort.motor\n")
    found = inverse(mbsim.assemble(mechanisms.model(text)))
    close(found["swing"], np.sin(found.time), atol=1e-10)
    np.testing.assert_array_equal(found["effort"], found.select("driver_effort", "motor"))
    assert found.units("effort") == "N m"


def test_compared_in_other_processes_with_the_tables_that_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The CSV file is found from the model's folder, and is not needed any more once the model is read."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "map.csv").write_text("x, y\n-4, 0\n0, 1\n4, 3\n")
    text = PENDULUM.replace("points: [[-4, 0], [0, 1], [4, 3]]", "file: map.csv")
    (tmp_path / "sub" / "pendulum.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    loaded = mbsim.load_model("sub/pendulum.yaml")
    by_path = mbsim.compare("sub/pendulum.yaml", methods=["svd"], steps=[0.01], repeats=1)
    monkeypatch.chdir(tmp_path / "sub")
    (tmp_path / "sub" / "map.csv").unlink()
    by_model = mbsim.compare(loaded, methods=["svd"], steps=[0.01], repeats=1)
    for found in (by_path, by_model):
        assert [check.of for check in found.cases[0].checks] == ["reach", "swing"]
        assert found.ok and found.cases[0].rows[0].checks[0].deviation < 1e-8
    by_model.save(tmp_path / "all.h5")
    with xarray.open_dataset(tmp_path / "all.h5", engine="h5netcdf", group="pendulum/reference") as data:
        assert set(NAMES) <= set(data.variables)


def test_a_result_says_all_that_is_needed_to_run_it_again(tmp_path: Path) -> None:
    (tmp_path / "map.csv").write_text("-4 0\n0 1\n4 3\n")
    (tmp_path / "m.yaml").write_text(PENDULUM.replace("points: [[-4, 0], [0, 1], [4, 3]]", "file: map.csv"))
    first = mbsim.simulate(mbsim.load_model(tmp_path / "m.yaml", {"l": 1.5}))
    again = load(first.model_yaml, registry, file="elsewhere.yaml", parameters=first.parameters, tables=first.tables)
    np.testing.assert_array_equal(mbsim.simulate(again)["mapped"], first["mapped"])


SPINNING = """
name: arm with a ball joint and a slide, its loop closed by a rod
gravity: [0.4, 0, -9.81]
bodies:
  base: {mass: 4, inertia: [0.3, 0.4, 0.5], position: [0.1, 0, 0.5], points: {P: [0.2, -0.1, 0.3]}}
  arm: {mass: 2, inertia: [0.05, 0.2, 0.2], position: [0.6, 0.1, 1.0], orientation: {axis: [0, 1, 0], angle: 0.3}, points: {P: [0.3, 0, 0]}}
  tool: {mass: 1, inertia: [0.02, 0.02, 0.01], position: [1.0, 0.1, 0.8], points: {P: [0, 0.2, 0]}}
joints:
  turn: {type: revolute, bodies: [ground, base], at: [0, 0, 0], axis: [0, 0.2, 1]}
  ball: {type: spherical, bodies: [base, arm], at: [0.2, 0, 1.0]}
  slide: {type: prismatic, bodies: [arm, tool], at: [1.0, 0.1, 0.8], axis: [1, 0, 0.2]}
  %s
forces: {s: {type: spring_damper, bodies: [ground, tool], at: [[2, 0, 1], [1.0, 0.1, 0.8]], stiffness: 40, damping: 1, free_length: 0.5}}
measures: {%s}
simulation: {end: 0.4, rtol: 1e-10, atol: 1e-11, integrator: dop853, output_step: 0.02}
"""


@pytest.mark.parametrize("rod", ["", "rod: {type: distance, bodies: [ground, tool], at: [[1.2, 1.5, 0], [1.0, 0.1, 0.8]]}"])
def test_accelerations_of_bodies_in_joint_coordinates(rod: str) -> None:
    """They equal those of absolute coordinates, of trees and of loops that a rod closes."""
    names = [f"{b}{p}.acceleration.{x}" for b in ("base", "arm", "tool") for p in ("", ".P") for x in "xyz"]
    names += [f"{b}.angular_acceleration.{x}" for b in ("base", "arm", "tool") for x in "xyz"] + ["der(der(arm.P.y))"]
    text = SPINNING % (rod, ", ".join(f'm{k}: "{name}"' for k, name in enumerate(names)))
    one, other = mbsim.simulate(text), mbsim.simulate(text + "coordinates: joint\n")
    for k, name in enumerate(names):
        scale = max(1.0, np.abs(one[f"m{k}"]).max())
        np.testing.assert_allclose(other[f"m{k}"], one[f"m{k}"], atol=2e-6 * scale, err_msg=name)


def test_accelerations_of_planar_bodies_in_joint_coordinates() -> None:
    names = ["crank.acceleration.x", "coupler.B.acceleration.y", "rocker.angular_acceleration", "der(der(coupler.B.x))"]
    model = list_shipped()["four_bar"].read_text() + "measures: {" + ", ".join(f'm{k}: "{n}"' for k, n in enumerate(names)) + "}\n"
    one = mbsim.simulate(model, end=0.3)
    other = mbsim.simulate(model.replace("crank.angular_velocity", "der(O.angle)") + "coordinates: joint\n", end=0.3)
    for k, name in enumerate(names):
        np.testing.assert_allclose(other[f"m{k}"], one[f"m{k}"], atol=1e-5 * np.abs(one[f"m{k}"]).max(), err_msg=name)


def test_accelerations_of_a_runner_in_joint_coordinates() -> None:
    """Its rows are looked at without the poses that the observer leaves."""
    text = list_shipped()["pendulum"].read_text() + "coordinates: joint\nmeasures: {a: rod.acceleration.x, b: rod.angular_acceleration}\n"
    found = mbsim.Runner(text, ["m"], {"a": "final(a)", "b": "final(b)"}, end=0.3).run([1.0]).values
    result = mbsim.simulate(text, end=0.3)
    np.testing.assert_allclose(found, [result["a"][-1], result["b"][-1]], rtol=1e-12)
    np.testing.assert_allclose(result["b"], result["acceleration"][:, 0], rtol=1e-10)
