"""Beams against published and closed solutions, by refinement: halving the elements divides the error by four.

Sources of the digits are named at each case. Refined versions are marked slow.
"""

from typing import Any

import numpy as np
import pytest

import mbsim

ORDER = 1.9


def model(beam: dict[str, Any], dimension: int = 2, **more: Any) -> dict[str, Any]:
    return {"name": "beam", "dimension": dimension, "beams": {"boom": beam}, "simulation": {"end": 1}, **more}


def tip(source: dict[str, Any]) -> np.ndarray:
    """Coordinates of the last node in equilibrium."""
    found = mbsim.equilibrium(source)
    return np.asarray(found.q[-3:] if source["dimension"] == 2 else found.q[-7:-4])


def check_order(values: dict[int, np.ndarray], exact: Any, error: float, order: float = ORDER) -> None:
    """Errors fall by `order` with the elements, and the limit that the last two values point to is within `error` of the exact one."""
    counts = sorted(values)
    errors = [float(np.abs(values[n] - exact).max()) for n in counts]
    for n, m, before, after in zip(counts, counts[1:], errors, errors[1:], strict=False):
        assert m == 2 * n and np.log2(before / after) > order, errors
    limit = values[counts[-1]] + (values[counts[-1]] - values[counts[-2]]) / 3.0
    assert np.abs(limit - exact).max() < error


def cantilever(n: int) -> np.ndarray:
    """J. Gerstmayr, H. Irschik, J. Sound Vib. 318 (2008) 461-487: tip force 3 EI/L^2, without shear."""
    EI = 2.07e11 * 0.1**4 / 12
    block = {
        "from": [0, 0], "to": [2, 0], "elements": n, "clamped": ["start"],
        "stiffness": {"EA": 2.07e9, "GA": 2.07e13, "EI": EI}, "mass": {"line": 78},
    }  # fmt: skip
    return tip(model(block, forces={"pull": {"type": "force", "body": "boom.end", "value": [0, -3 * EI / 4]}})) - [2, 0, 0]


def geradin(n: int) -> np.ndarray:
    """M. Geradin, A. Cardona, Flexible Multibody Dynamics (2001): a dead load of 600 kN at the tip."""
    block = {
        "from": [0, 0], "to": [5, 0], "elements": n, "clamped": ["start"],
        "stiffness": {"EA": 4.8e8, "GA": 3.231e8, "EI": 9.346e6}, "mass": {"line": 78},
    }  # fmt: skip
    return tip(model(block, forces={"pull": {"type": "force", "body": "boom.end", "value": [0, -6e5]}})) - [5, 0, 0]


def bend(n: int, force: float) -> np.ndarray:
    """K.-J. Bathe, S. Bolourchi, Int. J. Numer. Meth. Engng 14 (1979) 961-986: a bend of 45 degrees with a dead force out of its plane."""
    turns = np.linspace(0, np.pi / 4, 65)
    block = {
        "points": [[100 * np.sin(a), 100 * (1 - np.cos(a)), 0] for a in turns], "elements": n, "clamped": ["start"],
        "section": {"rectangle": [1, 1], "torsion": 1 / 6, "shear": 1}, "material": {"E": 1e7, "nu": 0, "density": 1},
    }  # fmt: skip
    return tip(model(block, 3, forces={"pull": {"type": "force", "body": "boom.end", "value": [0, 0, force]}}))


CANTILEVER = (-0.5085373043263, -1.207239854550, -0.986237330265)
GERADIN = (-0.5964712722352, -2.159693894490, -0.6720060638439)
BEND = {300: (58.779122489683, 22.244780945367, 40.19189167015), 600: (47.150438573629, 15.684800534038, 53.474858791824)}


def test_a_cantilever_with_a_dead_load() -> None:
    check_order({n: geradin(n) for n in (4, 8)}, GERADIN, 1e-4)


@pytest.mark.slow
def test_cantilevers_refined() -> None:
    check_order({n: geradin(n) for n in (8, 16, 32)}, GERADIN, 1e-6)
    check_order({n: cantilever(n) for n in (4, 8, 16)}, CANTILEVER, 1e-5)


@pytest.mark.parametrize("turns", [0.5, 0.9])
def test_a_moment_rolls_a_beam_up(turns: float) -> None:
    """M = 2 pi turns EI/L: a circle, which elements of constant curvature meet exactly."""
    block = {
        "from": [0, 0], "to": [2, 0], "elements": 3, "clamped": ["start"],
        "stiffness": {"EA": 1e4, "GA": 1e4, "EI": 10}, "mass": {"line": 1},
    }  # fmt: skip
    found = tip(model(block, forces={"moment": {"type": "torque", "body": "boom.end", "value": 2 * np.pi * turns * 10 / 2}}))
    radius, angle = 1 / (np.pi * turns), 2 * np.pi * turns
    np.testing.assert_allclose(found, [radius * np.sin(angle), radius * (1 - np.cos(angle)), angle], atol=1e-9)


def test_a_bend_out_of_its_plane() -> None:
    check_order({n: bend(n, 300) for n in (4, 8)}, BEND[300], 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("force", BEND)
def test_a_bend_refined(force: int) -> None:
    check_order({n: bend(n, force) for n in (4, 8, 16)}, BEND[force], 1e-3)


# Modes


def frequencies(source: dict[str, Any], count: int) -> np.ndarray:
    """The lowest, rad/s."""
    values = mbsim.modes(source).eigenvalues
    return np.sort(values.imag[values.imag > 1e-6])[:count]


def timoshenko(n: int, slender: float) -> np.ndarray:
    """Frequencies of a cantilever with E = density = length = 1, in sqrt(EI / (density A length^4))."""
    h = 1 / slender
    block = {
        "from": [0, 0], "to": [1, 0], "elements": n, "clamped": ["start"],
        "section": {"rectangle": [h, 1], "shear": 5 / 6}, "material": {"E": 1, "nu": 0.3, "density": 1},
    }  # fmt: skip
    found = frequencies(model(block), 4)
    return np.delete(found, np.argmin(np.abs(found - np.pi / 2)))[:3] * np.sqrt(12) * slender  # without the first along the beam


@pytest.mark.parametrize(("slender", "exact"), [(10, (3.48835495, 20.90691544, 54.98837972)), (5, (3.40978315, 18.36370309, 43.70908209))])
def test_frequencies_of_a_timoshenko_cantilever(slender: float, exact: Any) -> None:
    """The characteristic equation of T. C. Huang, J. Appl. Mech. 28 (1961) 579-584, with nu 0.3 and the shear factor 5/6."""
    check_order({n: timoshenko(n, slender) for n in (16, 32)}, exact, 0.05)


def rotating(n: int, speed: float) -> np.ndarray:
    """Flap frequencies of a slender cantilever that spins about the axis y of the picture: nodes feel the centrifugal force along x."""
    nodes = [f"boom_{k}" for k in range(1, n)] + ["boom_end"]
    masses = [1 / n] * (n - 1) + [1 / (2 * n)]
    forces = {
        f"pull_{k}": {"type": "force", "body": node, "value": [f"{mass * speed**2}*{node}.x", 0]}
        for k, (node, mass) in enumerate(zip(nodes, masses, strict=True))
    }
    block = {
        "from": [0, 0], "to": [1, 0], "elements": n, "clamped": ["start"],
        "stiffness": {"EA": 1e6, "GA": 4e5, "EI": 1}, "mass": {"line": 1, "inertia": 1e-6},
    }  # fmt: skip
    return frequencies(model(block, forces=forces), 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("speed", "exact"),
    [
        (0, (3.516015269, 22.034491565)),
        (2, (4.137319573, 22.614921958)),
        (6, (7.360373020, 26.809081687)),
        (12, (13.170150487, 37.603112330)),
    ],
)
def test_frequencies_of_a_rotating_cantilever(speed: float, exact: Any) -> None:
    """A. D. Wright and others, Vibration modes of centrifugally stiffened beams, J. Appl. Mech. 49 (1982) 197-202, to ten digits."""
    # 1.82 and more: 8 elements are few for the second frequency, and some shear is left
    check_order({n: rotating(n, speed) for n in (8, 16)}, exact, 0.02, 1.8)


# Motion


def test_a_beam_in_free_flight_keeps_energy_and_momentum() -> None:
    """A curved beam that is thrown and spins, without damping."""
    block = {
        "points": [[0, 0, 0], [0.5, 0.2, 0.1], [1, 0, 0.3]], "elements": 6, "velocity": [1, 0.5, -0.3], "angular_velocity": [3, -2, 5],
        "section": {"rectangle": [0.04, 0.02]}, "material": {"E": 5e6, "nu": 0.3, "density": 1000},
    }  # fmt: skip
    made = mbsim.assemble(model(block, 3))
    result = mbsim.simulate(made, end=0.3, rtol=1e-7, atol=1e-9)
    m = made.system.arrays.masses[:, 0]
    I = made.system.arrays.masses[:, 1:].reshape(-1, 3, 3)
    from mbsim.kernels.rotations import matrices

    R = matrices(result["body_orientation"])
    r, v, omega = result["body_position"], result["body_velocity"], result["body_angular_velocity"]
    momentum = np.einsum("b,tbi->ti", m, v)
    spin = np.einsum("b,tbi->ti", m, np.cross(r, v)) + np.einsum("tbij,bjk,tblk,tbl->ti", R, I, R, omega)
    total = result["energy_kinetic"] + result["energy_potential"]
    assert np.ptp(momentum, axis=0).max() < 1e-9 * np.abs(momentum).max()
    assert np.ptp(spin, axis=0).max() < 1e-5 * np.abs(spin).max()
    assert np.ptp(total) < 1e-4 * total[0]
    assert result["beam_energy"].sum(axis=1).max() > 1e-3 * total[0]  # it does bend
    np.testing.assert_allclose(result["beam_energy"].sum(axis=1), result["energy_potential"], atol=1e-12)


def spun_up(n: int, step: float) -> np.ndarray:
    result = mbsim.simulate("spin_up", parameters={"n": n}, end=5, step=step)
    rows = [int(np.abs(result.time - t).argmin()) for t in (2.5, 5)]
    return np.concatenate([result["stretch"][rows], result["lag"][rows]])


SPUN_UP = (-0.0013227, -0.0126546, -0.1512836, -0.4684762)


def test_a_beam_that_is_spun_up() -> None:
    """J. C. Simo, L. Vu-Quoc, J. Appl. Mech. 53 (1986) 849-863; digits of a refined solution. A linear beam diverges."""
    check_order({n: spun_up(n, 0.01) for n in (4, 8)}, SPUN_UP, 1e-3)


@pytest.mark.slow
def test_a_beam_that_is_spun_up_refined() -> None:
    check_order({n: spun_up(n, 2.5e-3) for n in (8, 16)}, SPUN_UP, 5e-5)


# Stability


def buckling_load(n: int) -> float:
    """Of a clamped column of length 1 with EI = 1: the load to which the squares of the lowest frequency below it point, zero there."""
    block = {
        "from": [0, 0], "to": [1, 0], "elements": n, "clamped": ["start"],
        "stiffness": {"EA": 1e5, "GA": 1e5, "EI": 1}, "mass": {"line": 1, "inertia": 1e-4},
    }  # fmt: skip
    loads = np.array([1.6, 1.9, 2.2])
    squares = [
        frequencies(model(block, forces={"push": {"type": "force", "body": "boom.end", "value": [-load, 0]}}), 1)[0] ** 2 for load in loads
    ]
    return float(np.polyval(np.polyfit(squares, loads, 2), 0.0))


def test_a_column_buckles_at_eulers_load() -> None:
    """pi^2 EI / (2 L)^2."""
    check_order({n: np.array([buckling_load(n)]) for n in (4, 8)}, np.pi**2 / 4, 2e-3)


def flutter_load(n: int) -> float:
    """Of a clamped column with EI, its length and mass 1 and a force at its end that follows it: where two frequencies meet."""
    block = {
        "from": [0, 0], "to": [1, 0], "elements": n, "clamped": ["start"],
        "stiffness": {"EA": 1e6, "GA": 1e6, "EI": 1}, "mass": {"line": 1, "inertia": 1e-7},
    }  # fmt: skip
    loads, apart = np.array([18.5, 20.0, 21.5]), []
    for load in loads:
        push = {"type": "force", "body": "boom.end", "value": [-float(load), 0], "axes": "body"}
        values = mbsim.modes(model(block, forces={"push": push})).eigenvalues
        moving = values[values.imag > 0.0]
        squares = moving[np.argsort(np.abs(moving))][:2] ** 2
        apart.append(float(((squares[0] - squares[1]) ** 2).real))
    line = np.polyfit(loads, apart, 2)
    return float(min(np.roots(line).real, key=lambda x: abs(x - 20.0)))


def test_becks_column_flutters() -> None:
    """20.0509536 EI/L^2 (Beck, Z. angew. Math. Phys. 3 (1952) 225-228; the digits by the characteristic equation)."""
    check_order({n: np.array([flutter_load(n)]) for n in (6, 12)}, 20.0509536, 0.2)


@pytest.mark.parametrize("thickness", [1e-2, 1e-3, 3e-4])
def test_a_thin_strip_bends_slowly(thickness: float) -> None:
    """Steel, 500 x 30 mm: its slowest motion is a millionth of its fastest, and no zero."""
    block = {
        "from": [0, 0, 0], "to": [0.5, 0, 0], "elements": 4, "clamped": ["start"],
        "section": {"rectangle": [0.03, thickness]}, "material": {"E": 2.1e11, "nu": 0.3, "density": 7850},
    }  # fmt: skip
    found = mbsim.modes(model(block, 3))
    euler = 1.87510406871**2 * np.sqrt(2.1e11 * thickness**2 / 12 / 7850) / 0.5**2
    assert found.spectrum.zeros == 0 and found.stable
    assert np.abs(found.eigenvalues[0]) / euler == pytest.approx(0.9834, abs=1e-3)  # of four elements, whatever the thickness


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_thin_strip_falls_without_its_shear_being_followed(dimension: int) -> None:
    """The default run of a cantilever of steel, 500 x 30 x 1 mm, whose fastest motion has 5 MHz, against one with tight tolerances."""
    block = {
        "from": [0] * dimension, "to": [0.5, 0, 0][:dimension], "elements": 10, "clamped": ["start"],
        "section": {"rectangle": [0.03, 0.001][:: -1 if dimension == 2 else 1]}, "material": {"E": 2.1e11, "density": 7850},
    }  # fmt: skip
    source = model(block, dimension, gravity=[0, 0, -9.81][-dimension:])
    made = mbsim.assemble(source)
    loose, tight = (mbsim.simulate(made, end=0.01, **by) for by in ({}, {"method": "generalized_alpha", "rtol": 1e-7, "atol": 1e-7}))
    assert loose.attributes["counts"]["steps"] < 3000
    height = f"boom_end.{'y' if dimension == 2 else 'z'}"
    assert loose.select(height)[-1] == pytest.approx(tight.select(height)[-1], rel=1e-4)


@pytest.mark.parametrize("thickness", [1e-2, 1e-3])
def test_a_thin_strip_sags(thickness: float) -> None:
    """A cantilever under its weight, rho A g L^4/(8 EI), to which large deflections and ten elements add little."""
    block = {
        "from": [0, 0, 0], "to": [0.5, 0, 0], "elements": 10, "clamped": ["start"],
        "section": {"rectangle": [0.03, thickness]}, "material": {"E": 2.1e11, "density": 7850},
    }  # fmt: skip
    found = mbsim.equilibrium(model(block, 3, gravity=[0, 0, -9.81]))
    assert found.q[-5] == pytest.approx(-12 * 7850 * 9.81 * 0.5**4 / (8 * 2.1e11 * thickness**2), rel=6e-3)
    assert found.stable


def test_thicknesses_run_after_each_other_as_by_themselves() -> None:
    """The tolerances of a node follow the inertia that it has in this run."""
    block = {
        "from": [0, 0], "to": [0.5, 0], "elements": 4, "clamped": ["start"],
        "section": {"rectangle": ["h", 0.03]}, "material": {"E": 2.1e11, "density": 7850},
    }  # fmt: skip
    source = mbsim.load_model(model(block, gravity=[0, -9.81], parameters={"h": 0.01}))
    runner = mbsim.Runner(source, ["h"], {"y": "final(boom_end.y)"}, end=2e-3)
    alone = [mbsim.simulate(source, parameters={"h": h}, end=2e-3).select("boom_end.y")[-1] for h in (0.01, 0.001)]
    assert [runner([h])["y"] for h in (0.01, 0.001)] == alone
