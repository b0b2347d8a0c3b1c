"""Beams that are loaded above their critical load: what an equilibrium says of them, and the bent shape that it finds."""

import re
from typing import Any

import numpy as np
import pytest

import mbsim
from mbsim.analyses.api import loading
from mbsim.analyses.equilibria import follow
from mbsim.assembly import Assembly


def wire(n: int, load: float, **changed: Any) -> dict[str, Any]:
    """A clamped steel wire of 2 mm and 1 m, upright, with a dead load on its end; Euler's load is 0.38757 N."""
    beam = {
        "from": [0, 0], "to": [0, 1], "elements": n, "clamped": ["start"],
        "section": {"circle": 0.001}, "material": {"E": 2e11, "nu": 0.3, "density": 7800}, **changed,
    }  # fmt: skip
    force = {"push": {"type": "force", "body": "wire.end", "value": [0, -load]}}
    return {"name": "wire", "dimension": 2, "gravity": [0, 0], "beams": {"wire": beam}, "forces": force, "simulation": {"end": 1}}


def elastica(ratio: float) -> float:
    """Where the end of a clamped column of length 1 is along it, under `ratio` times Euler's load."""
    from scipy.optimize import brentq
    from scipy.special import ellipe, ellipk

    m = brentq(lambda m: (2.0 / np.pi * ellipk(m)) ** 2 - ratio, 1e-9, 1.0 - 1e-9)
    return float(2.0 * ellipe(m) / ellipk(m) - 1.0)


@pytest.mark.parametrize("ratio", [1.5, 5.16])
def test_a_wire_above_eulers_load_is_said_to_buckle_and_bends(ratio: float) -> None:
    """The straight wire is where it starts. Before, the bent one was not found, after 2000 steps."""
    euler = np.pi**2 / 4.0 * 2e11 * np.pi / 4.0 * 0.001**4
    found = mbsim.equilibrium(wire(16, ratio * euler))
    assert not found.stable and "looked for" not in found.warning
    told = re.search(
        r"the beam wire buckles: it is stable up to about ([\d.]+) of these loads, with a normal force of -([\d.]+) N", found.warning
    )
    assert told is not None
    np.testing.assert_allclose([float(told[1]) * ratio, float(told[2]) / euler], 1.0, rtol=2e-3)
    assert found.found.beside is not None and found.found.steps < 400
    tip = found.found.beside[list(found.made.system.coordinates).index("wire_end.y")]
    assert abs(tip - elastica(ratio)) < 0.01


def test_a_wire_under_its_own_weight_has_the_height_of_greenhill() -> None:
    """A. G. Greenhill 1881: q l^3 = 7.83735 EI."""
    model = wire(8, 0.0) | {"gravity": [0, -9.81]}
    model["beams"]["wire"] |= {"section": {"circle": 0.0003}}
    found = mbsim.equilibrium(model)
    share = 7.83735 * 2e11 * 0.25 * 0.0003**2 / (7800 * 9.81)
    assert 0.4 < share < 0.5 and not found.stable
    told = re.search(r"up to about ([\d.]+) of these loads", found.warning)
    assert told is not None
    np.testing.assert_allclose(float(told[1]), share, rtol=2e-2)


def test_other_unstable_equilibria_name_no_beam() -> None:
    """A pulled wire with a heavy ball on a hinge above its end."""
    model = wire(4, -0.1) | {"gravity": [0, -9.81]}
    model["bodies"] = {"ball": {"mass": 1e-6, "inertia": 1e-9, "position": [0, 1.1]}}
    model["joints"] = {"pin": {"type": "revolute", "bodies": ["wire.end", "ball"], "at": [0, 1]}}
    model["beams"]["wire"] |= {"section": {"circle": 0.01}}
    found = mbsim.equilibrium(model)
    assert not found.stable and "buckles" not in found.warning


def strut(load: float) -> dict[str, Any]:
    """A steel strut of 1 m on two hinges, 5 mm thick; Euler's load is 205.6 N."""
    beam = {
        "from": [0, 0], "to": [1, 0], "elements": 8, "section": {"rectangle": [0.005, 0.01]},
        "material": {"E": 2e11, "nu": 0.3, "density": 7800}, "damping": {"stiffness": 1e-4},
    }  # fmt: skip
    joints = {
        "foot": {"type": "revolute", "bodies": ["ground", "rod.start"], "at": [0, 0]},
        "head": {"type": "point_on_line", "bodies": ["ground", "rod.end"], "at": [1, 0], "axis": [1, 0]},
    }
    force = {"push": {"type": "force", "body": "rod.end", "value": [-load, 0]}}
    return {"name": "strut", "dimension": 2, "beams": {"rod": beam}, "joints": joints, "forces": force, "simulation": {"end": 0.1}}


@pytest.mark.parametrize("ratio", [-3.0, 0.9, 3.0])
def test_a_run_of_a_straight_beam_warns_above_eulers_load(ratio: float) -> None:
    """Nothing bends it, so that it stayed straight at any load and nothing was said. A bend of half a sine grows at a rate r with
    r^2 = (pi/l)^4 EI/(rho A) (P/P_Euler - 1).
    """
    EI, line = 2e11 * 0.01 * 0.005**3 / 12, 7800 * 0.005 * 0.01
    euler = np.pi**2 * EI
    result = mbsim.simulate(strut(ratio * euler))
    told = [
        re.search(r"the beam rod stays straight under a pressure of ([\d.]+) N, at which it buckles", x)
        for x in result.attributes["warnings"]
    ]
    assert len(told) == (ratio > 1.0)
    for one in told:
        assert one is not None and float(one[1]) == pytest.approx(ratio * euler, rel=1e-3)
        within = re.search(r"grows by a factor of e within ([\d.e-]+) s", one.string)
        assert within is not None
        assert 1.0 / float(within[1]) == pytest.approx(np.pi**2 * np.sqrt(EI / line * (ratio - 1.0)), rel=0.03)


def test_a_run_of_a_bent_beam_or_of_one_that_falls_over_warns_of_nothing() -> None:
    """A push across bends the strut; a bar that stands on a hinge falls over and does not bend."""
    pushed = strut(600.0)
    pushed["forces"]["across"] = {"type": "force", "body": "rod.at(0.5)", "value": [0, 1]}
    standing = strut(0.0) | {"gravity": [-9.81, 0], "simulation": {"end": 2}}
    del standing["joints"]["head"]
    standing["beams"]["rod"] |= {"elements": 2, "section": {"rectangle": [0.02, 0.02]}}
    for model in (pushed, standing):
        warned = mbsim.simulate(model).attributes["warnings"]
        assert not [x for x in warned if "buckles" in x]


def test_the_lateral_buckling_of_a_strip_is_sought_no_finer_than_round_off() -> None:
    """A. G. M. Michell, L. Prandtl 1899: P L^2 / sqrt(EI GJ) = 4.0126. Before, it was sought among round-off, in models twice as many."""
    EI, GJ, length = 0.5, 0.6, 0.5
    strip = {
        "points": [[0, 0, 0], [length, 0, 0]], "elements": 20, "clamped": ["start"],
        "stiffness": {"EA": 6e6, "GA": 2e6, "EI": [450, EI], "GJ": GJ}, "mass": {"line": 0.2},
    }  # fmt: skip
    model = {
        "name": "strip", "gravity": [0, 0, 0], "parameters": {"P": 0}, "beams": {"strip": strip},
        "forces": {"load": {"type": "force", "body": "strip.end", "value": [0, 0, "-P"]}}, "simulation": {"end": 1},
    }  # fmt: skip
    load, _ = loading(model, "P", {})
    asked = []

    def counted(value: float) -> Assembly:
        asked.append(value)
        return load(value)

    found = follow(counted, "P", 6.0, 12.0, count=6)
    (critical,) = found.critical
    np.testing.assert_allclose(critical.value * length**2 / np.sqrt(EI * GJ), 4.01259934357890, rtol=4e-3)
    assert len(asked) < 110
