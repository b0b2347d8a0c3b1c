"""Beams that are loaded above their critical load: what an equilibrium says of them, and the bent shape that it finds."""

import re
from typing import Any

import numpy as np
import pytest

import mbsim


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
