"""Muscles: the plug-in of docs/examples on cables that leave the bones they run about. Moment arms and Hill's law against closed forms."""

import sys
from math import atan2, cos, hypot, pi, sin, sqrt
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim import registry
from mbsim.model.file.errors import ModelError

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "docs" / "examples" / "plugin"
ORIGIN, ELBOW, ARM, RADIUS = (-0.02, 0.0), (0.0, -0.3), 0.05, 0.02  # m: the insertion is ARM below the elbow


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The word `muscle`, from the package's folder."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    for name in [name for name in sys.modules if name.partition(".")[0] == "mbsim_example"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.setattr(registry, "_used", set())
    mbsim.register("forces", "muscle", "mbsim_example.muscle")


def elbow(**rest: Any) -> Any:
    import yaml

    source = yaml.safe_load((PACKAGE / "elbow.yaml").read_text(encoding="utf-8"))
    source["forces"]["triceps"] |= rest.pop("muscle", {})
    return mechanisms.model(source | rest)


def length(angle: float) -> float:
    """From the origin about the circle, counter-clockwise, to the insertion; straight where that does not touch it."""
    a = np.subtract(ORIGIN, ELBOW)
    b = np.array([ARM * sin(angle), -ARM * cos(angle)])
    first, second = (sqrt(hypot(*p) ** 2 - RADIUS**2) for p in (a, b))
    between = (atan2(b[1], b[0]) - atan2(a[1], a[0])) % (2 * pi)
    wrapped = between - atan2(first, RADIUS) - atan2(second, RADIUS)
    return first + second + RADIUS * wrapped if wrapped > 0.0 else hypot(*(b - a))


def test_moment_arms() -> None:
    """-dL/dq: the radius where the muscle lies on the bone, the distance of the straight line from the joint where it has left."""
    result = mbsim.kinematics(elbow(), "elbow.angle=-2.2:1.5:75", transfer=["force_length.triceps"])
    angles, h = np.asarray(result["time"]), 1e-6
    close(result.select("force_length", "triceps"), [length(x) for x in angles], atol=1e-12)
    slope = np.array([(length(x + h) - length(x - h)) / (2 * h) for x in angles])
    close(result["transfer.force_length.triceps"], slope, atol=1e-8)
    assert (np.abs(slope) > RADIUS + 1e-3).sum() > 10 and (np.abs(np.abs(slope) - RADIUS) < 1e-9).sum() > 10


def tension(a: Any, length: Any, rate: Any) -> Any:
    """Of the muscle of the model: the formula of the plug-in's head."""
    l, v = (length - 0.2) / 0.12, rate / (0.12 * 10.0)
    passive = np.where(l > 1, (np.exp(5 * (l - 1) / 0.6) - 1) / (np.exp(5) - 1), 0.0)
    hill = np.where(v > 0, 1 + 0.4 * v / (v + 0.08), np.where(v > -1, (1 + v) / (1 - 4 * v), 0.0))
    return np.maximum(800 * (a * np.exp(-(((l - 1) / 0.45) ** 2)) * hill + passive), 0.0)


@pytest.mark.parametrize("angle", ["0.3", "0.3 - 2*t", "-1.5 + 3*t"])
def test_hills_law(angle: str) -> None:
    """At a constant angle and at constant speeds of both senses; the activation follows its excitation with exp(-t/lag)."""
    result = mbsim.simulate(
        elbow(muscle={"excitation": 0.5, "lag": 0.05}, drivers={"hold": {"joint": "elbow", "angle": angle}}),
        end=0.5,
        integrator="dop853",
        rtol=1e-11,
        atol=1e-12,
    )
    a = 0.5 * (1 - np.exp(-result["time"] / 0.05))
    close(result.select("states", "triceps.activation"), a, atol=1e-9)
    L, rate = result.select("force_length", "triceps"), result.select("force_rate", "triceps")
    close(result.select("force_effort", "triceps"), tension(a, L, rate), atol=1e-6)
    assert float(np.max(result.select("force_effort", "triceps"))) > 100


def test_a_free_arm_by_an_implicit_method() -> None:
    """The muscle leaves the bone and comes back: an explicit and an implicit method agree, and the work balances."""
    swung = elbow(muscle={"excitation": 0.02})
    fine = mbsim.simulate(swung, integrator="dop853", rtol=1e-10, atol=1e-10)
    stepped = mbsim.simulate(elbow(muscle={"excitation": 0.02}), method="generalized_alpha", step=5e-4)
    close(fine["energy_balance"], 0.0, atol=1e-7)
    a, b = (np.interp(np.linspace(0, 1, 21), r["time"], r.select("q", "forearm.angle")) for r in (fine, stepped))
    close(b, a, atol=2e-3)
    assert np.ptp(a) > 0.3


def test_a_cable_that_leaves_a_circle() -> None:
    """An elastic one, with its own law: the same length; its parts beside the bone exert nothing while it lies on the bone."""
    source = {
        "dimension": 2,
        "bodies": {"forearm": {"mass": 1, "inertia": 0.03, "position": [0, -0.45], "points": {"insertion": [0, 0.1]}}},
        "joints": {"elbow": {"type": "revolute", "bodies": ["ground", "forearm"], "at": [0, -0.3]}},
        "drivers": {"turn": {"joint": "elbow", "angle": "-2 + 3.4*t"}},
        "forces": {
            "string": {
                "type": "pulley_cable",
                "EA": 100,
                "free_length": 0.3,
                "path": [
                    {"point": "ground", "at": list(ORIGIN)},
                    {"center": "ground", "at": list(ELBOW), "radius": RADIUS, "wraps": "counterclockwise", "lifts": True},
                    "forearm.insertion",
                ],
            }
        },
        "simulation": {"end": 1, "output_step": 0.05},
    }
    result = mbsim.simulate(mechanisms.model(source))
    L = np.array([length(x) for x in -2 + 3.4 * result["time"]])
    pull = np.maximum(100 / 0.3 * (L - 0.3), 0.0)
    close(result.select("force_length", "string"), L, atol=1e-10)
    close(result.select("force_effort", "string"), pull, atol=1e-7)
    close(result.select("force_power", "string"), -pull * result.select("force_rate", "string"), atol=1e-7)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            ["ground", {"center": "a", "radius": 0.1, "wraps": "clockwise", "lifts": True, "turns": 1}, "b"],
            r"\[1\].lifts: a circle that",
        ),
        (
            [
                "ground",
                {"center": "a", "radius": 0.1, "wraps": "clockwise", "lifts": True},
                {"center": "b", "radius": 0.1, "wraps": "clockwise"},
            ],
            r"path\[1\].lifts: a circle that the cable may leave stands between two points of the path",
        ),
    ],
)
def test_what_may_be_left(path: list[Any], message: str) -> None:
    bodies = {x: {"mass": 1, "inertia": 1, "position": [k + 1, 0]} for k, x in enumerate("ab")}
    source = {"dimension": 2, "bodies": bodies, "simulation": {"end": 1}}
    with pytest.raises(ModelError, match=message):
        mechanisms.model(source | {"forces": {"c": {"type": "pulley_cable", "stiffness": 1, "path": path}}})
