"""What elastic parts bear: stresses by stress modes, and the loads on their interfaces, against closed forms."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elastic_matrices import EI, LENGTH, beam, write

import mbsim
from mbsim.march.part_loads import mises

ELEMENTS = 8
HEIGHT = 0.1  # m, of the outer fibre above the axis
CLAMPED = {"clamp": {"type": "fixed", "bodies": ["ground", "arm.hub"], "at": [0, 0, 0]}}
PINNED = {"pin": {"type": "revolute", "bodies": ["ground", "arm.hub"], "at": [0, 0, 0], "axis": [0, 0, 1]}}


def fibre(n: int, element: int) -> np.ndarray:
    """(6, N) the stress of the outer fibre at the start of one of n elements: -E height w'', of cubic deflections; E is EI here."""
    length, matrix = LENGTH / n, np.zeros((6, 6 * (n + 1)))
    first, second = 6 * element, 6 * element + 6
    for at, value in ((first + 1, -6.0), (first + 5, -4.0 * length), (second + 1, 6.0), (second + 5, -2.0 * length)):
        matrix[0, at] = -EI * HEIGHT * value / length**2
    return matrix


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Bending stress at the root and in the middle."""
    stress = np.array([fibre(ELEMENTS, 0), fibre(ELEMENTS, ELEMENTS // 2)])
    names = np.array([b"root", b"middle"])
    return write(tmp_path_factory.mktemp("parts") / "arm.h5", *beam(ELEMENTS, 2), stress=stress, stress_points=names)


def model(file: str, joints: dict[str, Any], **more: Any) -> dict[str, Any]:
    block = {"matrices": file, "modes": 4}
    settings = {"end": 1, "output_step": 0.1, "rtol": 1e-8, "atol": 1e-8}
    return {"name": "arm", "gravity": [0, 0, 0], "elastic": {"arm": block}, "joints": joints, "simulation": settings, **more}


def test_stress_of_a_cantilever(file: str) -> None:
    """P (L - x) height, of a force that is put on slowly enough: the static shapes of a reduced part are exact."""
    P = 1e-3
    push = {"push": {"type": "force", "body": "arm.tip", "value": [0, P, 0]}}
    source = model(file, CLAMPED, forces=push)
    source["elastic"]["arm"]["damping"] = {"ratio": 0.7}
    source["simulation"] |= {"end": 100, "output_step": 20, "method": "cfa", "integrator": "radau"}
    result = mbsim.simulate(source)
    assert list(result.labels("stress_point")) == ["arm.root", "arm.middle"]
    expected = [[-P * LENGTH * HEIGHT, 0, 0, 0, 0, 0], [-0.5 * P * LENGTH * HEIGHT, 0, 0, 0, 0, 0]]
    np.testing.assert_allclose(result["elastic_stress"][-1], expected, atol=1e-8)
    np.testing.assert_allclose(result["elastic_mises"][-1], [P * LENGTH * HEIGHT, 0.5 * P * LENGTH * HEIGHT], rtol=1e-3)
    # what the clamp exerts on the hub, and the force on the tip; in axes of the part, which has turned by 3.5e-4
    assert list(result.labels("interface")) == ["arm.hub", "arm.tip"]
    np.testing.assert_allclose(result["interface_force"][-1], [[0, -P, 0], [0, P, 0]], atol=1e-3 * P)
    np.testing.assert_allclose(result["interface_torque"][-1], [[0, 0, -P * LENGTH], [0, 0, 0]], atol=1e-3 * P)


def test_interface_loads_are_what_joints_exert(file: str) -> None:
    """Of a pendulum that swings and bends, at every row: the reaction of its joint, turned into the axes of the part; its end is free."""
    source = model(file, PINNED) | {"gravity": [0, -1, 0]}
    result = mbsim.simulate(source)
    from mbsim.kernels.rotations import matrices

    A = matrices(result["body_orientation"][:, 0])
    force, torque = (np.einsum("tji,tj->ti", A, result[name][:, 0]) for name in ("joint_force", "joint_torque"))
    np.testing.assert_allclose(result["interface_force"][:, 0], force, atol=1e-7)
    np.testing.assert_allclose(result["interface_torque"][:, 0], torque, atol=1e-7)
    assert np.abs(force).max() > 0.3
    assert np.abs(result["interface_force"][:, 1]).max() < 1e-7 and np.abs(result["interface_torque"][:, 1]).max() < 1e-7


def test_mises() -> None:
    """Of tension sigma, and sqrt(3) tau of shear."""
    np.testing.assert_allclose(mises(np.array([[3.0, 0, 0, 0, 0, 0], [0, 0, 0, 2, 0, 0], [5, 5, 5, 0, 0, 0]])), [3, 2 * np.sqrt(3), 0])


WRONG = {
    "short": (np.zeros((2, 6, 12)), ["a", "b"], r"'stress' is 12 x 12: expected six rows a point and 54 columns"),
    "rigid": (np.ones((1, 6, 54)), ["a"], r"'stress' gives .* Pa to a rigid motion"),
    "names": (np.zeros((2, 6, 54)), ["a", "a"], r"'stress_points' are 2 names of 2 points: each needs one of its own"),
}


@pytest.mark.parametrize("case", WRONG)
def test_stresses_that_are_wrong(tmp_path: Path, case: str) -> None:
    stress, names, message = WRONG[case]
    file = write(tmp_path / "arm.h5", *beam(ELEMENTS, 2), stress=stress, stress_points=np.array(names, "S"))
    with pytest.raises(mbsim.ModelError, match=message):
        mbsim.load_model(model(file, CLAMPED))
