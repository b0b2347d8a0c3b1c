"""The work arrays of a march by coupled stages, and those of its pencil, for a system."""

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np

from mbsim.contracts import PencilArrays, Stages, SystemFunctions
from mbsim.integrators import dop853
from mbsim.integrators._collocation import radau
from mbsim.integrators._stages import AT, LINEAR_AT, MEMORY, RATIO, TAKEN
from mbsim.integrators._turning import COLUMNS
from mbsim.jit.signatures import Array
from mbsim.system.beam_nodes import beam_nodes
from mbsim.system.system import System


def pencil(functions: SystemFunctions, places: int, unknowns: int, modes: int, **arrays: np.ndarray) -> PencilArrays:
    """One of so many matrices, of which the first is real and has `places` factors by blocks; arrays that are not given are empty."""
    found: dict[str, np.ndarray] = {
        "factors": np.zeros((2 * modes - 1) * places),
        "orders": np.zeros(modes * unknowns, np.int64),
        "right": np.zeros(2 * unknowns),
        **arrays,
    }
    for name, kind in PencilArrays.block.kinds.items():
        if isinstance(kind, Array):
            found.setdefault(name, np.zeros((0,) * kind.ndim, kind.dtype))
    return PencilArrays(functions=functions, **found)


def dense_pencil(system: System, modes: int, independent: bool = False) -> PencilArrays:
    """That of `_dense`; `independent`: of a method with speeds of its own."""
    n, size = system.n_v, system.n_v + system.n_q + 1
    k, moved = (n + system.n_q, 0) if independent else (n + system.n_x, n)
    vectors = {name: np.zeros(size) for name in ("z", "rates", "varied")}
    matrices = {"by_speeds": (k, k), "by_displacements": (k, moved), "real_factors": (k, k), "complex_factors": ((modes - 1) * k, 2 * k)}
    return pencil(system.functions, 0, k, modes, **vectors, **{name: np.zeros(shape) for name, shape in matrices.items()})


def turning_of(system: System) -> np.ndarray:
    """The table of `_turning`: nodes of beams."""
    nodes: Iterable[int] = () if system.in_joint_coordinates else beam_nodes(system.arrays)
    planar = system.dimension == 2
    speeds, coordinates, attitude = (3, 3, 2) if planar else (6, 7, 3)
    lines = [[speeds * node, system.n_v + coordinates * node + attitude, planar] for node in nodes]
    return np.array(lines, np.int64).reshape(-1, COLUMNS)


def stages_of(system: System, s: int, its: PencilArrays, kernels: ModuleType | Any, unknowns: int, states: int) -> Stages:
    """A method of s stages with so many unknowns each, among them rates of states; `kernels` has those of the pencil."""
    n, n_q = system.n_v, system.n_q
    size, method = n + n_q + 1, radau(s)
    memory = np.zeros(MEMORY)
    memory[[AT, LINEAR_AT]], memory[RATIO], memory[TAKEN] = np.nan, 1.0, np.inf
    return Stages(
        pencil=its,
        miss=kernels.miss,
        linearise=kernels.linearise,
        factor=kernels.factor,
        solve=kernels.solve,
        **method._asdict(),
        U=np.zeros((s, unknowns + 1)),
        last_U=np.zeros((s, unknowns + 1)),
        first_u=np.zeros(unknowns + 1),
        Z=np.zeros((s, size)),
        rates=np.zeros((s, n_q)),
        missed=np.zeros((s, unknowns + 1)),
        changes=np.zeros((s, unknowns)),
        right=np.zeros(2 * unknowns + 2),
        error=np.zeros(size),
        e_v=np.zeros(n),
        e_q=np.zeros(n_q),
        e_x=np.zeros(states),
        moved=np.zeros(size),
        placed=np.zeros(size),
        interpolated=np.zeros(size),
        turned=np.zeros(n_q),
        turning=turning_of(system),
        since=np.zeros(size),
        over_c=dop853.C,
        over_A=dop853.A,
        over_E=dop853.E,
        over_P=dop853.P,
        over_K=np.zeros((len(dop853.C), size)),
        memory=memory,
    )
