"""The kernels of models of bodies: the contracts of `mbsim.contracts` over the tables of `Arrays`, made of one source.

They differ in the dimension, in the coordinates (`absolute.py`, `tree.py`), and in the elements that they know: the common ones, or
all. The cache and kept models (`mbsim.analyses.kept`) find a kernel by its name. `spatial_all_dynamics` is that of spatial bodies in
absolute coordinates and knows all elements. `tree_planar_dynamics` is that of planar bodies in joint coordinates and knows the common
ones. A kernel is made on demand. `mbsim.system.laws` adds the laws and the rows of the user's equations, by functions that call these.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from itertools import product
from typing import Any, NamedTuple

from mbsim.contracts import CONSTRAINTS, DYNAMICS, ENERGY, MEASURE, MOVE, RATES, RESIDUAL
from mbsim.elements.dispatch import Chains
from mbsim.jit import Compiled, kernel
from mbsim.jit.signatures import Signature
from mbsim.system import plain
from mbsim.system._elements import add_energies, blocks, fill_rows, read_laws


class Kernels(NamedTuple):
    """Those of a system, by their contracts; `measure`, of those that know all elements, fills the relative coordinates."""

    constraints: Compiled
    dynamics: Compiled
    residual: Compiled
    energy: Compiled
    rates: Compiled
    move: Compiled
    measure: Compiled | None = None


def prefix(tree: bool, dimension: int, common: bool) -> str:
    """What the kernels' names begin with."""
    return f"{'tree_' * tree}{'planar' if dimension == 2 else 'spatial'}_{'' if common else 'all_'}"


def _name(contract: Signature, before: str) -> Callable[[Compiled], Compiled]:
    """`kernel`, of a function whose name gets `before`."""

    def made(function: Compiled) -> Compiled:
        function.__name__ = function.__qualname__ = before + function.__name__
        return kernel(contract)(function)

    return made


@cache
def kernels(tree: bool, dimension: int, common: bool) -> Kernels:
    """Those of planar or spatial bodies that know the `common` elements, or all."""
    before, every, planar = prefix(tree, dimension, common), not common, dimension == 2
    shared: Any = import_module(f"mbsim.kernels.{'planar' if planar else 'spatial'}_rows")
    chains = Chains(dimension, common)
    own = import_module(f"mbsim.system.{'tree' if tree else 'absolute'}").coordinates(planar, every, chains, shared)
    pose, set_out, write_rows, write_phi, evaluate = own.pose, own.set_out, own.write_rows, own.write_phi, own.evaluate
    row_of, phi_of, energy_of, body_energies = chains.row, chains.phi, chains.energy, shared.body_energies
    rotor_energy = own.rotor_energy

    @_name(CONSTRAINTS, before)
    def constraints(arrays, t, q, C, xi):
        if not tree or C.shape[0] > 0:
            pose(arrays, q)
            blocks(arrays, xi, row_of)
            write_rows(arrays, q, C, xi)

    @_name(RESIDUAL, before)
    def residual(arrays, t, q, phi):
        if q.shape[0] > 0:
            pose(arrays, q)
        fill_rows(arrays, phi, phi_of)
        write_phi(arrays, q, phi)

    @_name(DYNAMICS, before)
    def dynamics(arrays, t, q, v, M, h, eta, power):
        read_laws(arrays)
        evaluate(arrays, q, v, M, h, eta, power)

    @_name(ENERGY, before)
    def energy(arrays, t, q, v, out):
        set_out(arrays, q, v)
        kinetic, potential = body_energies(arrays)
        kinetic += rotor_energy(arrays, v)
        potential += add_energies(arrays, energy_of)
        out[0], out[1], out[2] = kinetic, potential, kinetic + potential

    made = Kernels(constraints, dynamics, residual, energy, *_motion(tree, dimension))
    if common:
        return made

    @_name(MEASURE, before)
    def measure(arrays, q, v):
        set_out(arrays, q, v)

    return made._replace(measure=measure)


def motion_kernel(name: str, tree: bool, dimension: int) -> tuple[str, str]:
    """Module and name of the kernel `rates` or `move` of these bodies."""
    return ("mbsim.system.plain", name) if dimension == 2 else (__name__, prefix(tree, dimension, True) + name)


@cache
def _motion(tree: bool, dimension: int) -> tuple[Any, Any]:
    """The kernels of q_dot = N(q) v and q (+) d, which know no elements."""
    if dimension == 2:
        return plain.rates, plain.move
    before, own = prefix(tree, dimension, True), import_module(f"mbsim.system.{'tree' if tree else 'absolute'}")
    rates_of, displace = own.rates, own.move

    @_name(RATES, before)
    def rates(arrays, t, q, v, q_dot):
        rates_of(arrays, q, v, q_dot)

    @_name(MOVE, before)
    def move(arrays, q, d):
        displace(arrays, q, d)

    return rates, move


_VARIANTS = {prefix(*variant): variant for variant in product((False, True), (2, 3), (False, True))}


def __getattr__(name: str) -> object:
    before, _, what = name.rpartition("_")
    if f"{before}_" not in _VARIANTS or what not in Kernels._fields:
        raise AttributeError(f"there is no kernel {name}")
    tree, dimension, common = _VARIANTS[f"{before}_"]
    return _motion(tree, dimension)[what == "move"] if what in ("rates", "move") else getattr(kernels(tree, dimension, common), what)
