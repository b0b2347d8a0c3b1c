"""Calls of an element's function by its kind: a chain of `if kind == ...` that is made of the list of elements.

A chain knows the common kinds or all. Its source is made, and the elements in it are imported, when a kernel that calls it is compiled (or
run as Python): a warm start makes none, and a plain model neither compiles nor runs an element that it does not have.

Kinds that declare a group they are APART in take long to compile, and few models have them. The chains call kernels of their own for each
group, such as `spatial_solids_row` here, which are compiled with the first system that has such kinds (`load_apart`).
"""

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import numpy as np

from mbsim.elements import DEFAULTS, declaration, module, names
from mbsim.jit import A1, A2, LateKernel, Made, i8, late_kernel, unfolded, void
from mbsim.jit.signatures import Signature
from mbsim.kernels.laws import law_of

# What the functions of a kind take, by its family and by what it is ON; outputs last. Where the dimensions differ, `row` is two functions,
# `planar_row` and `spatial_row`. Every element has tangents by `mbsim.jit.forward`. A row that is common may have them by hand, which is
# quicker, if its geometric stiffness -d(C' lam)/dd is of each body by its own turning: `tangent` adds that of the first body to K[:k, :k],
# that of the second to K[k : 2 k, :k], with k = 1 angle of a body in the plane and 3 in space, and returns True. So may a load between
# two bodies that follows no law: of their k = 3 or 6 directions `tangent` writes to K[: 2 k, : 2 k] what -h of both changes by along each,
# a column, as the body moves by c_q and its velocity changes by c_v.
_BETWEEN = "fi, fj, g"  # frames of both bodies, row of Arrays.geometry
_ROW = f"{_BETWEEN}, laws, law"  # and Arrays.laws, index of the first law (-1: none)
_LOAD = "arrays, i, j, law, p"  # bodies, index of the first law (-1: constant), row of Arrays.load_data
CONTRACTS = {
    "rows": {
        # J[r]: body blocks of the row; phi less f(t) and eta less its rate are returned; the loop adds what the law f gives
        "bodies": {"row": f"{_BETWEEN}, J, r", "phi": _BETWEEN, "eta": _BETWEEN, "tangent": f"{_BETWEEN}, lam, r, K"},
        # LAWS = "own": J[r:] and xi[r:], phi[r:], eta[r:] (rate of C v + xi at constant v) of all of its scalar equations
        "own": {"row": f"{_ROW}, J, xi, r", "phi": f"{_ROW}, phi, r", "eta": f"{_ROW}, eta, r", "tangent": f"{_BETWEEN}, lam, r, K"},
        # phi, less its law, of the sum s of factors times relative coordinates: the row of C is the sum of their gradients
        "relative": {"phi": "g, s"},
        "speeds": {"row": "g, laws, law, C, xi, r", "phi": "g, laws, law, q, phi, r", "eta": "g, laws, law, eta, r"},
    },
    "loads": {
        # adds to h (over the bodies' speeds) or to the effort of its relative coordinate; returns the power of what stores no energy, W
        # of those that list SWITCHES: the number of the k-th, which is zero where the load changes its law, and NaN where it cannot; and,
        # in `switch_rate`, its exact rate, NaN where it is not known from positions and speeds
        "bodies": {
            "force": f"{_LOAD}, h",
            "energy": _LOAD,
            "switch": f"{_LOAD}, k",
            "switch_rate": f"{_LOAD}, k",
            "tangent": f"{_LOAD}, c_q, c_v, K",
        },
        "relative": {"force": f"{_LOAD}, h", "energy": _LOAD, "switch": f"{_LOAD}, k", "switch_rate": f"{_LOAD}, k"},
        "speeds": {"force": "arrays, law, p, v, h"},
    },
    "relative": {
        # values[k]: see Arrays.relative_values; further the value where poses leave full turns open: as the bodies' coordinates tell it,
        # and as it is known between the bodies of a joint that is cut
        "bodies": {"measure": "fi, fj, g, values, k", "absolute": "x, g, q, i, j, n_b", "cut": "x"},
        "speeds": {"measure": "q, v, at, speed, values, k"},
    },
}
_PAIR = (i8, A1, A1, A1)  # kind, both frames, row of the geometry
# What kernels of kinds that are apart take, by the names of their functions
_APART: dict[str, tuple[str, Signature]] = {
    "row": ("rows", void(*_PAIR, A2, i8, A2, A1, i8)),
    "phi": ("rows", void(*_PAIR, A2, i8, A1, i8)),
    "eta": ("rows", void(*_PAIR, A2, i8, A1, i8)),
    "measure": ("relative", void(*_PAIR, A2, i8)),
}


def function(family: str, name: str, what: str, dimension: int) -> Any:
    """A kind's function for a dimension, or None."""
    made = module(family, name)
    prefix = "planar" if dimension == 2 else "spatial"
    return getattr(made, f"{prefix}_{what}", getattr(made, what, None))


class Chain(Made):
    """Calls function `what` of the kind `kind`, its first argument; the rest are those of CONTRACTS.

    `on`: whose contract it is. A kind without the function leaves its outputs as they are and returns `otherwise`. So does one that has the
    function `besides`, which its callers ask first. `apart`: the group whose kinds it knows; empty: those of no group, and it calls the
    kernels of the groups.
    """

    def __init__(
        self,
        family: str,
        what: str,
        dimension: int,
        common: bool = False,
        on: str = "bodies",
        otherwise: str = "",
        besides: str = "",
        apart: str = "",
    ) -> None:
        self.family, self.what, self.dimension, self.common, self.on, self.otherwise = family, what, dimension, common, on, otherwise
        self.besides, self.apart = besides, apart
        if apart:
            self.__module__, self.__name__ = __name__, f"{'planar' if dimension == 2 else 'spatial'}_{apart}_{what}"
            self.__qualname__ = self.__name__

    @cached_property
    def python(self) -> Any:
        made = super().python
        if self.apart:
            made.__module__, made.__name__, made.__qualname__ = self.__module__, self.__name__, self.__qualname__
        return made

    def source(self) -> tuple[str, dict[str, Any]]:
        family, what = self.family, self.what
        arguments = CONTRACTS[family]["own" if (family, self.on) == ("rows", "bodies") else self.on][what]
        lines, space = [f"def made(kind, {arguments}):"], {"law_of": law_of}
        for kind, name in enumerate(names(family)):
            asked = self._takes(name) and not (self.besides and function(family, name, self.besides, self.dimension))
            found = function(family, name, what, self.dimension) if asked else None
            if found is not None:
                space[f"{name}_"] = found
                lines.append(f"    if kind == {kind}:")
                if contract_of(family, name) == "bodies" and family == "rows" and what != "tangent":
                    order = 0 if declaration(family, name, "LEVEL") == "velocity" else 1
                    lines += [f"        {line}" for line in _driven(f"{name}_", what, order)]
                else:
                    lines.append(f"        return {name}_({arguments})")
        if self.on == "bodies" and what in _APART and not (self.common or self.apart):
            for group, kinds in apart_kinds(family, self.dimension).items():
                space[f"{group}_"] = apart(what, self.dimension, group)
                lines.append(f"    if {' or '.join(f'kind == {kind}' for kind in kinds)}:")
                lines += [f"        {group}_(kind, {arguments})", "        return"]
        return "\n".join([*lines, f"    return {self.otherwise}"]), space

    def _takes(self, name: str) -> bool:
        """Whether the chain knows a kind, as far as its declarations say."""
        common = not self.common or declaration(self.family, name, "COMMON")
        on = declaration(self.family, name, "ON")
        if declaration(self.family, name, "APART") != self.apart:
            return False
        here = on == self.on or (self.family == "loads" and {on, self.on} == {"bodies", "relative"})
        return here and common and self.dimension in declaration(self.family, name, "DIMENSIONS")


@cache
def apart_kinds(family: str, dimension: int) -> dict[str, tuple[int, ...]]:
    """The numbers of the kinds between bodies of a dimension that are apart, by their groups."""
    found: dict[str, list[int]] = {}
    for kind, name in enumerate(names(family)):
        group = declaration(family, name, "APART")
        if group and dimension in declaration(family, name, "DIMENSIONS"):
            found.setdefault(group, []).append(kind)
    return {group: tuple(kinds) for group, kinds in sorted(found.items())}


@cache
def apart(what: str, dimension: int, group: str) -> Any:
    """The kernel for `row`, `phi`, `eta` or `measure` of the kinds of a group, which takes the kind and what CONTRACTS say."""
    family, signature = _APART[what]
    return late_kernel(signature)(Chain(family, what, dimension, apart=group))


def apart_kernels(dimension: int, group: str) -> list[Any]:
    """All of a group."""
    return [apart(what, dimension, group) for what, (family, _) in _APART.items() if group in apart_kinds(family, dimension)]


def load_apart(arrays: Any, derivatives: bool = False) -> None:
    """Have the kernels ready that a system with these `Arrays` needs for kinds that are apart, or their `derivatives` as well."""
    primitives, relative = arrays.primitives, arrays.relative
    if not (len(primitives) or len(relative)):
        return
    dimension = 2 if arrays.jacobian.shape[1] == 6 else 3  # of the blocks of two bodies
    for group in _groups_of(tuple(np.unique(primitives[:, 0]).tolist()), tuple(np.unique(relative[:, 0]).tolist()), dimension):
        for made in apart_kernels(dimension, group):
            if isinstance(made, LateKernel):
                made.load()
                if derivatives:
                    made.load_derivatives()


@cache
def _groups_of(rows: tuple[int, ...], relative: tuple[int, ...], dimension: int) -> tuple[str, ...]:
    """The groups of these kinds."""
    found = set()
    for family, kinds in (("rows", rows), ("relative", relative)):
        found |= {group for group, numbers in apart_kinds(family, dimension).items() if not set(kinds).isdisjoint(numbers)}
    return tuple(sorted(found))


def __getattr__(name: str) -> object:
    """A kernel of kinds that are apart, or a derivative of one, by the name that its callers know it under."""
    of, along, patterns = name.partition("_along_")
    before, _, rest = of.partition("_")
    group, _, what = rest.rpartition("_")
    dimension = {"planar": 2, "spatial": 3}.get(before)
    if dimension is None or what not in _APART or group not in apart_kinds(_APART[what][0], dimension):
        raise AttributeError(f"there is no kernel {name}")
    made = apart(what, dimension, group)
    if not along:
        return made
    from mbsim.jit.forward import derivative

    return derivative(made, *(pattern == "1" for pattern in patterns)).helper


def contract_of(family: str, name: str) -> str:
    """Which of a family's CONTRACTS a kind keeps."""
    own = family == "rows" and declaration(family, name, "LAWS") == "own"
    return "own" if own else str(declaration(family, name, "ON"))


def _driven(name: str, what: str, order: int) -> list[str]:
    """What a row does by itself, and what its law f(t) adds: of a row at velocity level `order` is 0, else 1."""
    if what == "row":
        return [f"{name}({_BETWEEN}, J, r)", f"xi[r] = -law_of(laws, law, {order})", "return"]
    rate = 0 if what == "phi" else order + 1
    return [f"{what}[r] = {name}({_BETWEEN}) - law_of(laws, law, {rate})", "return"]


class Property(Made):
    """What the kind `kind` declares under a word, as the number or truth value that `read` makes of it."""

    def __init__(self, family: str, word: str, read: Callable[[Any], Any] = lambda value: value) -> None:
        self.family, self.word, self.read = family, word, read

    def source(self) -> tuple[str, dict[str, Any]]:
        lines, otherwise = ["def made(kind):"], self.read(DEFAULTS[self.word])
        for kind, name in enumerate(names(self.family)):
            value = self.read(declaration(self.family, name, self.word))
            if value != otherwise:
                lines += [f"    if kind == {kind}:", f"        return {value!r}"]
        return "\n".join([*lines, f"    return {otherwise!r}"]), {}


_declared_rows = Property("rows", "ROWS", lambda value: 0 if value == "dimension" else value)


@unfolded
def rows_of(kind, planar):
    """How many scalar equations a kind of row has."""
    count = _declared_rows(kind)
    return count if count > 0 else 2 if planar else 3


class Chains:
    """The chains over elements between bodies, or on them, for one dimension: `common` or all."""

    def __init__(self, dimension: int, common: bool) -> None:
        self.row, self.phi, self.eta = (Chain("rows", what, dimension, common) for what in ("row", "phi", "eta"))
        self.tangent = Chain("rows", "tangent", dimension, common, otherwise="False")
        self.load_tangent = Chain("loads", "tangent", dimension, common, otherwise="False")
        self.force_without_tangent = Chain("loads", "force", dimension, common, otherwise="0.0", besides="tangent")
        self.force, self.energy = (Chain("loads", what, dimension, common, otherwise="0.0") for what in ("force", "energy"))
        self.measure = Chain("relative", "measure", dimension)
        self.absolute, self.cut = (Chain("relative", what, dimension, otherwise="x") for what in ("absolute", "cut"))
