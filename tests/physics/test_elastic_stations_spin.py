"""Elastic parts with stations in motion: the spin-up of a beam, energy and momenta, derivatives of rows, what is said without stations."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elastic_matrices import beam, write
from mechanisms import derivative, random_state

import mbsim
from mbsim.kernels.rotations import matrices

# Of J. C. Simo, L. Vu-Quoc, J. Appl. Mech. 53 (1986) 849-863: L, EA, EI, rho A. The part has neither their shear nor their rotary inertia.
LONG, EA, EI, LINE = 10.0, 2.8e7, 1.4e4, 1.2
SPUN_UP = {2.5: (-0.0013227, -0.1512836), 5.0: (-0.0126546, -0.4684762), 6.5: (-0.0186034, -0.5699484)}  # digits of a refined solution
RISE, SPIN = 15.0, 6.0


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    nodes, M, K = beam(whole=LONG, EA=EA / EI)
    return write(tmp_path_factory.mktemp("parts") / "arm.h5", nodes, LINE * M, EI * K)


def spinning(file: str, **part: Any) -> dict[str, Any]:
    angle = "6/15*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1))"
    return {
        "name": "spin-up",
        "elastic": {"arm": {"matrices": file, "modes": 4, **part}},
        "gravity": [0, 0, 0],
        "joints": {"pin": {"type": "revolute", "bodies": ["ground", "arm.hub"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        "drivers": {"motor": {"joint": "pin", "angle": angle}},
        "simulation": {"end": 6.5, "output_step": 0.5},
    }


def seen_from_the_hub(result: Any, t: float) -> np.ndarray:
    """(2,) the displacement of the tip."""
    k = int(np.abs(result.time - t).argmin())
    angle = SPIN / RISE * (t**2 / 2 + (RISE / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / RISE) - 1))
    x, y, _ = result["body_position"][k, list(result.labels("body")).index("arm_tip")]
    return np.array([np.cos(angle) * x + np.sin(angle) * y - LONG, np.cos(angle) * y - np.sin(angle) * x])


def test_a_blade_that_is_spun_up(file: str) -> None:
    """By the settings of `auto`; the energy that the motor does not give is a millionth."""
    result = mbsim.simulate(spinning(file, stations=7))
    assert (result.attributes["method"], result.attributes["integrator"]) == ("cfa", "radau")
    for t, exact in SPUN_UP.items():
        np.testing.assert_allclose(seen_from_the_hub(result, t), exact, rtol=1.5e-3)
    assert np.abs(result["energy_balance"]).max() < 1e-5 * result["energy_kinetic"].max()
    assert not any("centrifugal" in line for line in result.attributes["warnings"])


def test_a_part_without_stations_says_that_it_spins(file: str) -> None:
    """And is wrong: by a tenth, where stations are right to a thousandth."""
    result = mbsim.simulate(spinning(file))
    assert abs(seen_from_the_hub(result, 6.5)[1] / SPUN_UP[6.5][1] - 1.0) > 0.05
    told = [line for line in result.attributes["warnings"] if "centrifugal" in line]
    assert len(told) == 1 and "the elastic part arm turns at 2.2" in told[0] and "give a slender part `stations`" in told[0]
    slow = mbsim.simulate(spinning(file), end=0.5)
    assert not any("centrifugal" in line for line in slow.attributes["warnings"])


def test_modes_of_a_blade_that_turns(file: str) -> None:
    """Lag and flap of the steady motion at 6 sqrt(EI/(rho A L^4)) (Wright and others 1982); without stations a note."""
    unit = np.sqrt(EI / (LINE * LONG**4))
    turning = spinning(file, stations=7) | {"drivers": {"motor": {"joint": "pin", "angle": f"{6 * unit}*t"}}}
    found = mbsim.modes(turning)
    lowest = np.array([abs(mode.eigenvalue) for mode in found.modes[:2]]) / unit
    np.testing.assert_allclose(lowest, np.sqrt([7.360373020**2 - 36.0, 7.360373020**2]), rtol=2e-3)
    assert found.stationary and not any("left out" in note for note in found.notes())
    del turning["elastic"]["arm"]["stations"]
    assert any("the elastic part arm turns" in note and "are left out" in note for note in mbsim.modes(turning).notes())


def whirled(file: str, speed: float) -> np.ndarray:
    """(k, 3) the tip of a shaft that spins about its own axis, under a sudden force of a fixed direction."""
    part = {"matrices": file, "modes": 4, "stations": 7, "angular_velocity": [speed, 0, 0]}
    source: dict[str, Any] = {"name": "shaft", "gravity": [0, 0, 0], "elastic": {"arm": part}}
    source["joints"] = {"bearing": {"type": "revolute", "bodies": ["ground", "arm.hub"], "at": [0, 0, 0], "axis": [1, 0, 0]}}
    source["drivers"] = {"motor": {"joint": "bearing", "angle": f"{speed}*t"}}
    source["forces"] = {"push": {"type": "force", "body": "arm.tip", "value": [0, 0, 0.03]}}
    source["simulation"] = {"end": 1, "output_step": 0.25, "method": "cfa", "integrator": "radau", "rtol": 1e-6, "atol": 1e-6}
    result = mbsim.simulate(source)
    return result["body_position"][:, list(result.labels("body")).index("arm_tip")]


def test_a_round_shaft_bends_alike_whether_it_spins(tmp_path: Path) -> None:
    """Seen from outside, a shaft without inertia about its axis does not know that it spins, here at 1.7 times its lowest frequency."""
    file = write(tmp_path / "shaft.h5", *beam(polar=1e-6))
    still, spun = whirled(file, 0.0), whirled(file, 6.0)
    assert np.abs(still[-1, 2]) > 5e-3
    np.testing.assert_allclose(spun, still, atol=2e-4 * np.abs(still[-1, 2]))


def test_a_free_part_with_stations_keeps_energy_and_momenta(file: str) -> None:
    """Frame, interfaces and stations have all momentum; it turns about three axes, bends and stretches."""
    part = {"matrices": file, "modes": 4, "stations": 5, "velocity": [0.3, 0.1, 0], "angular_velocity": [0.5, 1, 2]}
    source: dict[str, Any] = {"name": "arm", "elastic": {"arm": part}, "initial": {"arm.mode1": 0.2}}
    source["simulation"] = {"end": 0.2, "output_step": 0.02, "rtol": 1e-9, "atol": 1e-9, "method": "cfa", "integrator": "radau"}
    result = mbsim.simulate(source)
    bodies = mbsim.load_model(source).bodies
    p, L = np.zeros((len(result.time), 3)), np.zeros((len(result.time), 3))
    for k, name in enumerate(result.labels("body")):
        if not name.startswith("arm_m"):
            body, r, v = bodies[name], result["body_position"][:, k], result["body_velocity"][:, k]
            A, omega = matrices(result["body_orientation"][:, k]), result["body_angular_velocity"][:, k]
            p += body.mass * v
            L += body.mass * np.cross(r, v) + np.einsum("tij,jk,tlk,tl->ti", A, np.array(body.inertia_matrix), A, omega)
    assert np.ptp(p, axis=0).max() < 1e-7 * np.abs(p).max() and np.ptp(L, axis=0).max() < 1e-7 * np.abs(L).max()
    energy = result["energy_kinetic"] + result["energy_potential"]
    assert result["energy_potential"].max() > 1e-3 * energy[0]
    assert np.ptp(energy) < 1e-6 * energy[0]


def test_rows_of_stations_are_the_rates_of_their_residuals(file: str) -> None:
    """C v, eta and loads against differences at turned and bent states, likewise the tangents that implicit steps take."""
    part = {"matrices": file, "modes": 4, "stations": 4, "orientation": {"axis": [1, 2, 2], "angle": 2.5}}
    made = mbsim.assemble({"name": "arm", "elastic": {"arm": part}, "gravity": [1, 2, 3], "simulation": {"end": 1}})
    system, rng = made.system, np.random.default_rng(5)
    rest = np.zeros(system.n_v)
    for _ in range(3):
        _, q, v = random_state(system, made.q, rng, 0.2)
        _, _, C, _, eta, _ = system.terms(0.0, q, v)
        np.testing.assert_allclose(C @ v, derivative(lambda s, q=q, v=v: system.phi(0.0, system.move(q, s * v))), atol=1e-9)
        np.testing.assert_allclose(eta, derivative(lambda s, q=q, v=v: system.terms(0.0, system.move(q, s * v), v)[2] @ v), atol=1e-8)
        power = -derivative(lambda s, q=q, v=v: system.energy(0.0, system.move(q, s * v), rest)[1])
        assert v @ system.terms(0.0, q, rest)[1] == pytest.approx(power, rel=1e-8)


def test_names_of_stations(file: str, tmp_path: Path) -> None:
    """`arm.station2` is a body: forces act on it and measures read it; joints are for interfaces."""
    source = spinning(file, stations=3)
    source["forces"] = {"push": {"type": "force", "body": "arm.station2", "value": [0, 1, 0]}}
    source["measures"] = {"bend": "arm.station2.y"}
    read = mbsim.load_model(source)
    assert list(read.elastic["arm"].bodies)[:6] == ["arm", "arm_hub", "arm_tip", "arm_station1", "arm_station2", "arm_station3"]
    del source["forces"], source["measures"]
    source["joints"]["other"] = {"type": "spherical", "bodies": ["ground", "arm.station1"], "at": [1, 0, 0]}
    with pytest.raises(mbsim.ModelError, match=r"joints\.other: the elastic part arm is held at its interfaces: arm\.hub, arm\.tip"):
        mbsim.load_model(source)
