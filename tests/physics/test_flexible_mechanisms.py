"""A slider-crank whose connecting rod bends: by `beams` and by elastic parts of the same rod, whole and in two halves."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elastic_matrices import EI, beam, write

import mbsim

CRANK, SPEED, STIFF, SLIDER, LAG = 0.15, 20.0, 100.0, 0.2, 1e-3  # m, rad/s, times EI, kg, s
RUN = {"end": 0.3, "output_step": 0.005}  # nearly a turn of the crank
DRIVE = {"d": {"coordinate": "o.angle", "value": f"{SPEED}*t"}}


def by_beams(elements: int) -> dict[str, Any]:
    """Planar: 1 kg/m, as good as without shear and elongation."""
    rod = {
        "from": [CRANK, 0], "to": [CRANK + 1, 0], "elements": elements, "velocity": [0, SPEED * CRANK], "angular_velocity": -SPEED * CRANK,
        "stiffness": {"EA": 1e4 * STIFF * EI, "GA": 1e4 * STIFF * EI, "EI": STIFF * EI}, "mass": {"line": 1.0, "inertia": 1e-5},
        "damping": {"stiffness": LAG},
    }  # fmt: skip
    bodies = {
        "crank": {"mass": 1, "inertia": 0.01, "position": [0, 0], "angular_velocity": SPEED},
        "slider": {"mass": SLIDER, "inertia": 0.01, "position": [CRANK + 1, 0]},
    }
    joints = {
        "o": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
        "a": {"type": "revolute", "bodies": ["crank", "rod.start"], "at": [CRANK, 0]},
        "b": {"type": "revolute", "bodies": ["rod.end", "slider"], "at": [CRANK + 1, 0]},
        "s": {"type": "prismatic", "bodies": ["ground", "slider"], "axis": [1, 0], "at": [CRANK + 1, 0]},
    }
    return {"dimension": 2, "bodies": bodies, "beams": {"rod": rod}, "joints": joints, "drivers": DRIVE, "simulation": RUN}


def by_parts(count: int, folder: Path) -> dict[str, Any]:
    """In space: the rod as so many parts, which fixed joints hold together; a whole one has an interface in its middle."""
    length = 1.0 / count
    nodes, M, K = beam(8 // count, whole=length)
    file, last = write(folder / f"rod{count}.h5", nodes, M, STIFF * K), len(nodes) - 1
    held = {"a": [0], "b": [last]} | ({"mid": [last // 2]} if count == 1 else {})
    parts = {
        f"rod{i}": {
            "matrices": file, "interfaces": held, "modes": 2, "damping": {"stiffness": LAG}, "position": [CRANK + i * length, 0, 0],
            "velocity": [0, SPEED * CRANK * (1 - i * length), 0], "angular_velocity": [0, 0, -SPEED * CRANK],
        }
        for i in range(count)
    }  # fmt: skip
    bodies = {
        "crank": {"mass": 1, "inertia": [0.01] * 3, "position": [0, 0, 0], "angular_velocity": [0, 0, SPEED]},
        "slider": {"mass": SLIDER, "inertia": [0.01] * 3, "position": [CRANK + 1, 0, 0]},
    }
    joints = {
        "o": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 0, 1]},
        "a": {"type": "universal", "bodies": ["crank", "rod0.a"], "at": [CRANK, 0, 0], "axes": [[0, 0, 1], [0, 1, 0]]},
        "b": {"type": "spherical", "bodies": [f"rod{count - 1}.b", "slider"], "at": [CRANK + 1, 0, 0]},
        "s": {"type": "prismatic", "bodies": ["ground", "slider"], "axis": [1, 0, 0], "at": [CRANK + 1, 0, 0]},
    }
    for i in range(count - 1):
        joints[f"f{i}"] = {"type": "fixed", "bodies": [f"rod{i}.b", f"rod{i + 1}.a"], "at": [CRANK + (i + 1) * length, 0, 0]}
    return {"bodies": bodies, "elastic": parts, "joints": joints, "drivers": DRIVE, "simulation": RUN}


def sag(result: Any, first: str, middle: str, last: str) -> np.ndarray:
    """(k,) m, how far the middle of the rod is from the line between its ends."""
    a, m, b = (result.select("body_position", name) for name in (first, middle, last))
    along, out = b - a, m - a
    return np.asarray((along[:, 0] * out[:, 1] - along[:, 1] * out[:, 0]) / np.linalg.norm(along, axis=1))


@pytest.fixture(scope="module")
def exact() -> np.ndarray:
    """Of beams of infinitely many elements, extrapolated by order 2."""
    coarse, fine = (sag(mbsim.simulate(by_beams(n)), "rod_start", f"rod_{n // 2}", "rod_end") for n in (16, 32))
    assert 0.004 < np.abs(fine).max() < 0.006
    assert np.abs(fine - coarse).max() < 0.01 * np.abs(fine).max()
    return np.asarray(fine + (fine - coarse) / 3.0)


@pytest.mark.parametrize(("count", "off"), [(1, 0.05), (2, 0.01)], ids=["whole", "halves"])
def test_a_rod_of_parts_bends_as_one_of_beams(exact: np.ndarray, tmp_path: Path, count: int, off: float) -> None:
    """A whole part does not know that the slider's force bends it further; between halves the shape that counts is followed."""
    ends = ("rod0_a", "rod0_mid", "rod0_b") if count == 1 else ("rod0_a", "rod0_b", "rod1_b")
    found = sag(mbsim.simulate(by_parts(count, tmp_path)), *ends)
    assert np.abs(found - exact).max() < off * np.abs(exact).max()
