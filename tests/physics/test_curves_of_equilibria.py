"""Curves of equilibria: limit points and bifurcations against closed forms, in both kinds of coordinates, and what the command says."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from scipy.optimize import brentq

import mbsim
from mbsim.cli import main
from mbsim.diagnosis.equilibrium import NoEquilibriumError

EXACT = 1e-9  # relative


def truss() -> dict[str, Any]:
    """A mass on an upright guide, and a spring from a point 1 m aside, free where it is drawn: it snaps through (von Mises)."""
    return {
        "name": "snap through",
        "dimension": 2,
        "gravity": [0, 0],
        "parameters": {"F": 0, "k": 1000, "h": 0.5},
        "bodies": {"m": {"mass": 1, "inertia": 0.1, "position": [0, "h"]}},
        "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "m"], "at": [0, "h"], "axis": [0, 1]}},
        "forces": {
            "spring": {
                "type": "spring_damper",
                "bodies": ["ground", "m"],
                "at": [[-1, 0], [0, "h"]],
                "stiffness": "k",
                "free_length": "sqrt(1 + h^2)",
            },
            "push": {"type": "force", "body": "m", "value": [0, "-F"]},
        },
        "simulation": {"end": 1},
    }


LOAD = {"type": "force", "body": "b.top", "value": [0, "-P"]}


def links(coordinates: str = "absolute") -> dict[str, Any]:
    """Two upright links with rotational springs in their pins under a dead load."""
    turning = {"type": "rotational_spring_damper", "stiffness": "k"}
    return {
        "name": "two links",
        "dimension": 2,
        "coordinates": coordinates,
        "gravity": [0, 0],
        "parameters": {"P": 0, "k": 100},
        "bodies": {
            "a": {"mass": 1, "inertia": 0.1, "position": [0, 0.5]},
            "b": {"mass": 1, "inertia": 0.1, "position": [0, 1.5], "points": {"top": [0, 0.5]}},
        },
        "joints": {
            "A": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
            "B": {"type": "revolute", "bodies": ["a", "b"], "at": [0, 1]},
        },
        "forces": {
            "s1": turning | {"joint": "A"},
            "s2": turning | {"joint": "B"},
            "load": {"type": "force", "body": "b.top", "value": [0, "-P"]},
        },
        "simulation": {"end": 1},
    }


def column(elements: int) -> dict[str, Any]:
    """A clamped column with a dead load at its free end, N."""
    return {
        "name": "column",
        "gravity": [0, 0, 0],
        "parameters": {"P": 0},
        "beams": {
            "column": {
                "points": [[0, 0, 0], [0, 0, 1]],
                "elements": elements,
                "clamped": ["start"],
                "stiffness": {"EA": 4000, "GA": 1500, "EI": [1, 4], "GJ": 1},
                "mass": {"line": 1, "inertia": [0.1, 0.1, 0.1]},
            }
        },
        "forces": {"load": {"type": "force", "body": "column.end", "value": [0, 0, "-P"]}},
        "simulation": {"end": 1},
    }


def force_of_truss(y: float) -> float:
    return -1000.0 * (np.hypot(1.0, y) - np.sqrt(1.25)) * y / np.hypot(1.0, y)


def test_a_truss_snaps_through() -> None:
    """F(y) = -k (l - l_0) y / l; the slope is zero where l^3 = l_0."""
    found = mbsim.equilibria(truss(), "F", 0.0, 100.0)
    y = np.sqrt(np.sqrt(1.25) ** (2.0 / 3.0) - 1.0)
    largest = force_of_truss(y)
    assert [one.kind for one in found.critical] == ["limit point"] * 2
    assert [one.value for one in found.critical] == pytest.approx([largest, -largest], rel=EXACT)
    assert [one.growing for one in found.critical] == [1, 0]
    assert found.critical[0].q[1] == pytest.approx(y, rel=1e-6)
    assert found.values[-1] == pytest.approx(100.0, rel=1e-12)
    assert not found.ended
    for value, q, stable in zip(found.values, found.q, found.stable, strict=True):
        assert force_of_truss(q[1]) == pytest.approx(value, rel=EXACT, abs=1e-9)
        assert stable == (abs(q[1]) > y)


def test_it_snaps_back_the_same_way() -> None:
    found = mbsim.equilibria(truss(), "F", 0.0, -100.0)
    assert not found.critical
    assert found.stable.all()


def test_a_curve_that_closes_ends_where_it_was_left() -> None:
    """x = 0 and y = P cross the circle x^2 + y^2 = 1 at P = -1 and P = 1, on which P = y (2 - y^2)."""
    model = {
        "coordinates": ["x", "y"],
        "parameters": {"P": 0},
        "energy": {"kinetic": "(der(x)^2 + der(y)^2)/2", "potential": "x^4/4 + x^2*(y^2 - 1)/2 + y^2/2 - P*y"},
        "initial": {"y": -2},
        "simulation": {"end": 1},
    }
    found = mbsim.equilibria(model, "P", -2.0, 2.0, count=10, branch=1)
    assert next(one.value for one in found.critical if one.kind == "bifurcation") == pytest.approx(-1.0, rel=EXACT)
    assert "it comes back to the bifurcation from which it was followed" in found.ended
    x, y = found.q[found.values.argmin() + 2 :].T
    on = np.abs(x) > 1e-6
    assert np.hypot(x[on], y[on]) == pytest.approx(1.0, rel=EXACT)
    assert x.min() == pytest.approx(-1.0, abs=0.1) and x.max() == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_two_links_buckle_twice(coordinates: str) -> None:
    """P l / k = (3 - sqrt 5) / 2 and (3 + sqrt 5) / 2, with angles in the golden ratio."""
    found = mbsim.equilibria(links(coordinates), "P", 0.0, 300.0)
    assert [one.kind for one in found.critical] == ["bifurcation"] * 2
    assert [one.value for one in found.critical] == pytest.approx([50.0 * (3.0 - np.sqrt(5.0)), 50.0 * (3.0 + np.sqrt(5.0))], rel=EXACT)
    assert [one.growing for one in found.critical] == [1, 2]
    angles = ("a.angle", "b.angle") if coordinates == "absolute" else ("A.angle", "B.angle")
    moves = found.critical[0].moves
    ratio = moves[angles[1]] / moves[angles[0]]
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    assert ratio == pytest.approx(golden if coordinates == "absolute" else golden - 1.0, rel=1e-6)


def test_the_buckled_shape_is_followed() -> None:
    """Moments about both pins: k a = k (b - a) + P sin a and k (b - a) = P sin b, with the angles a and b of the links."""
    found = mbsim.equilibria(links(), "P", 0.0, 100.0, branch=1)
    assert len(found.critical) == 1
    buckled = np.abs(found.q[:, 2]) > 0.0
    assert buckled.sum() > 10
    assert not buckled[found.values < found.critical[0].value].any()
    assert found.stable.all()
    for P, q in zip(found.values[buckled], found.q[buckled], strict=True):
        a, b = q[2], q[5]
        assert 100.0 * a == pytest.approx(100.0 * (b - a) + P * np.sin(a), rel=1e-7)
        assert 100.0 * (b - a) == pytest.approx(P * np.sin(b), rel=1e-7)


def test_a_column_buckles_about_either_axis_with_order_two() -> None:
    """EI (pi/2)^2 = P (1 + P/GA - P/EA) of a beam that yields to pressure and shear, from EI theta'' + P w' = 0 with w' = (...) theta."""

    def critical(bending: float) -> float:
        return float(brentq(lambda P: P * (1.0 + P / 1500.0 - P / 4000.0) - bending * np.pi**2 / 4.0, 0.0, 100.0, xtol=1e-14))

    wanted = [critical(1.0), critical(4.0)]
    errors = []
    for elements in (8, 16):
        found = mbsim.equilibria(column(elements), "P", 0.0, 12.0)
        assert [one.kind for one in found.critical] == ["bifurcation"] * 2
        errors.append(np.array([one.value for one in found.critical]) / wanted - 1.0)
    assert (np.abs(errors[1]) < 1e-3).all()
    assert errors[0] / errors[1] == pytest.approx([4.0, 4.0], rel=0.02)


def test_a_strip_buckles_sideways_with_order_two() -> None:
    """4.01259934357890 sqrt(EI GJ) / l^2 of a thin clamped strip (Timoshenko and Gere 1961, Theory of Elastic Stability, section 6.3)."""
    loads = []
    for elements in (4, 8):
        model = column(elements)
        model["beams"]["column"] |= {"points": [[0, 0, 0], [1, 0, 0]], "stiffness": {"EA": 1e9, "GA": 1e9, "EI": [1e7, 10], "GJ": 5}}
        model["forces"]["load"]["value"] = [0, 0, "-P"]
        found = mbsim.equilibria(model, "P", 0.0, 40.0)
        assert len(found.critical) == 1
        loads.append(found.critical[0].value / np.sqrt(50.0))
        assert any("rotation.x" in name for name in found.critical[0].moves)
    errors = np.array(loads) - 4.01259934357890
    assert 0.0 < errors[1] < 0.05 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)
    assert (4.0 * loads[1] - loads[0]) / 3.0 == pytest.approx(4.01259934357890, rel=1e-4)


def test_what_flutters_is_said() -> None:
    """Ziegler's links with masses 2 m and m at their ends: a force that follows makes them flutter from P l / k = 7/2 - sqrt 2 on."""
    model = links()
    model["bodies"] = {
        "a": {"mass": 2, "inertia": 1e-9, "position": [0, 1]},
        "b": {"mass": 1, "inertia": 1e-9, "position": [0, 2], "points": {"top": [0, 0]}},
    }
    model["parameters"]["k"] = 1
    model["forces"]["load"] |= {"axes": "body"}
    found = mbsim.equilibria(model, "P", 0.0, 3.0)
    assert not found.critical
    assert [bool(x) for x in found.stable] == [bool(value < 3.5 - np.sqrt(2.0)) for value in found.values]
    assert any("begin to oscillate and grow" in note for note in found.notes)


def test_the_result_is_one_of_a_run(tmp_path: Path) -> None:
    output = tmp_path / "curve.h5"
    found = mbsim.equilibria(truss(), "F", 0.0, 100.0, count=20, output=output)
    with mbsim.open_result(output) as read:
        assert read["F"] == pytest.approx(found.values)
        assert read.select("m.y") == pytest.approx(found.q[:, 1])
        assert (np.diff(read["time"]) > 0.0).all()


def test_what_does_not_matter_and_what_is_wrong_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown parameter 'FF'"):
        mbsim.equilibria(truss(), "FF", 0.0, 1.0)
    with pytest.raises(ValueError, match="must differ"):
        mbsim.equilibria(truss(), "F", 1.0, 1.0)
    for wrong in ({"count": 0}, {"branch": -1}, {"count": 2.5}):
        with pytest.raises(ValueError, match="whole number"):
            mbsim.equilibria(truss(), "F", 0.0, 1.0, **wrong)  # type: ignore[arg-type]
    model = truss()
    model["parameters"]["idle"] = 1
    with pytest.raises(ValueError, match="nothing that rests depends on it"):
        mbsim.equilibria(model, "idle", 1.0, 2.0)
    falls = truss()
    del falls["forces"]["spring"]
    with pytest.raises(NoEquilibriumError):
        mbsim.equilibria(falls, "F", 1.0, 2.0)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("truss.yaml").write_text(yaml.safe_dump(truss()))
    run = CliRunner()
    said = run.invoke(main, ["equilibrium", "truss.yaml", "--vary", "F=0:100", "-o", "curve.png"])
    assert said.exit_code == 0, said.output
    assert "F = 21.4571628656: limit point, beyond it 1 motion grows; moving: m.y 1" in said.output
    assert Path("curve.png").read_bytes()[:4] == b"\x89PNG"
    told = run.invoke(main, ["equilibrium", "truss.yaml", "--vary", "F=0:100:20", "--json"])
    facts = json.loads(told.stdout)
    assert [one["kind"] for one in facts["critical"]] == ["limit point"] * 2
    assert len(facts["values"]) == len(facts["q"]["m.y"]) == len(facts["stable"])
    for wrong, why in {
        "F": "NAME=FROM:TO",
        "F=0": "NAME=FROM:TO",
        "F=0:a": "expected a number",
        "F=1:1": "must differ",
        "F=0:1:0": "STEPS is a whole number",
        "G=0:1": "unknown parameter 'G'",
    }.items():
        failed = run.invoke(main, ["equilibrium", "truss.yaml", "--vary", wrong])
        assert failed.exit_code == 2
        assert why in failed.output
    for wrong_options in (["--branch", "1"], ["--vary", "F=0:1", "--steady", "der(m.y)=1"], ["--vary", "F=0:1", "--write", "x.yaml"]):
        assert run.invoke(main, ["equilibrium", "truss.yaml", *wrong_options]).exit_code == 2
    assert run.invoke(main, ["equilibrium", "truss.yaml", "--vary", "F=0:1", "-o", "curve.txt"]).exit_code == 2


def test_a_truss_in_one_coordinate_of_ones_own() -> None:
    """At the limit point its only stiffness is zero and its forces cancel: nothing else told how large forces are, and the curve ended."""
    k, a, h = 1000.0, 1.0, 0.3
    model = {
        "name": "truss",
        "coordinates": ["x"],
        "parameters": {"P": 0},
        "energy": {"kinetic": "der(x)^2/2", "potential": f"{k}*(sqrt({a}^2 + ({h} - x)^2) - sqrt({a}^2 + {h}^2))^2/2 - P*x"},
        "simulation": {"end": 1},
    }
    found = mbsim.equilibria(model, "P", 0.0, 20.0)
    c = (a**2 * np.hypot(a, h)) ** (1.0 / 3.0)  # length of the bars there: P = k (L - c)/c sqrt(c^2 - a^2) is largest
    load = k * (np.hypot(a, h) - c) / c * np.sqrt(c**2 - a**2)
    assert [one.kind for one in found.critical] == ["limit point"] * 2
    assert [one.value for one in found.critical] == pytest.approx([load, -load], rel=1e-10)
    assert found.critical[0].q[0] == pytest.approx(h - np.sqrt(c**2 - a**2), rel=1e-6)
