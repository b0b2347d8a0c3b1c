"""Systems in the user's own coordinates: M, h, C, xi, eta, phi derived from energies and equations, compiled once.

    L = T - V:   M = d2T/dv2,   h = dT/dq - (d/dt dT/dv without accelerations) - dV/dq - dR/dv + Q
    holonomic  phi(t, q) = 0:   C = dphi/dq,  xi = dphi/dt          nonholonomic  psi(t, q, v) = C v + xi, linear in v
    eta = (d/dt)(C v + xi) at constant v

T may depend on t and hold terms linear in v or free of it; then the balance is kept of Jacobi's integral v dT/dv - T + V, whose rate is
the power of Q and dissipation, of the constraints, and -dT/dt + dV/dt at constant q, v.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from mbsim.contracts import SystemFunctions
from mbsim.model.expressions.expression import Expression
from mbsim.model.expressions.tables import Table
from mbsim.system.codegen import HEADER, cached_module, function
from mbsim.system.equations import DerivationError, Symbols, holonomic_row, nonholonomic_row, total_rate, usable
from mbsim.system.plain import move, no_corners, no_event, no_slopes, no_tangent, rates
from mbsim.system.system import System, empty_arrays
from mbsim.system.tables import table_rows


@dataclass(frozen=True)
class Equations:
    """What the user wrote, as expressions over parameters, t, coordinates and der(coordinate)."""

    coordinates: list[str]
    kinetic: Expression
    potential: Expression | None = None
    dissipation: Expression | None = None
    forces: list[tuple[str, str, Expression]] = field(default_factory=list)  # name, coordinate, value
    holonomic: dict[str, Expression] = field(default_factory=dict)
    nonholonomic: dict[str, Expression] = field(default_factory=dict)
    rates: dict[str, Expression] = field(default_factory=dict)  # of the states, which follow the coordinates in q

    def key(self, parameters: list[str]) -> str:
        """What the derivation depends on: the cache key."""
        return json.dumps(
            [
                "generalized", self.coordinates, parameters, self.kinetic.key,
                *(e.key if e else "" for e in (self.potential, self.dissipation)),
                [(c, e.key) for _, c, e in self.forces],
                [e.key for e in self.holonomic.values()], [e.key for e in self.nonholonomic.values()],
                [(name, e.key) for name, e in self.rates.items()],
            ]
        )  # fmt: skip


def derive(equations: Equations, parameters: list[str]) -> str:
    """Source of the functions that depend on the equations; `rates` is among them where there are states."""
    import sympy

    coordinates = equations.coordinates
    symbols = Symbols(parameters, [*coordinates, *equations.rates], [f"der({c})" for c in coordinates])
    q, v, t, n = symbols.q, symbols.v, symbols.t, len(coordinates)
    q_dot = [*v, *[sympy.Integer(0) for _ in equations.rates]]  # neither energies nor constraints contain a state
    T, V, R = symbols.read(equations.kinetic), symbols.read(equations.potential), symbols.read(equations.dissipation)
    if V.free_symbols & set(v):
        raise DerivationError("energy.potential", "a potential energy must not depend on velocities")
    momenta = [T.diff(x) for x in v]
    M = [[p.diff(x) for x in v] for p in momenta]
    if any(e.free_symbols & set(v) for row in M for e in row):
        M = [[sympy.simplify(sympy.expand(e)) for e in row] for row in M]
    if any(e.free_symbols & set(v) for row in M for e in row):
        raise DerivationError("energy.kinetic", "the kinetic energy must be quadratic in the velocities der(...)")
    for i in range(n):
        if all(e == 0 for e in M[i]):
            raise DerivationError(
                "energy.kinetic", f"the kinetic energy does not contain der({coordinates[i]}): the mass matrix is singular"
            )
    applied = [-R.diff(x) for x in v]
    usable(equations.kinetic, [T.diff(t), *(e for row in M for e in row), *(p.diff(x) for p in momenta for x in [*q, t])])
    usable(equations.potential, [V.diff(x) for x in [*q, t]])
    usable(equations.dissipation, applied)
    for _, coordinate, value in equations.forces:
        applied[coordinates.index(coordinate)] += symbols.read(value)
    h = [T.diff(q[i]) - V.diff(q[i]) - total_rate(momenta[i], symbols, q_dot) + applied[i] for i in range(n)]
    power = sympy.Add(V.diff(t) - T.diff(t), *(v[i] * applied[i] for i in range(n)))
    jacobi = sympy.Add(V - T, *(v[i] * momenta[i] for i in range(n)))
    rows, phis = [], []
    for name, expression in equations.holonomic.items():
        phi = symbols.read(expression)
        phis.append(phi)
        rows.append(holonomic_row(phi, symbols, q_dot, f"constraints.{name}.equation"))
    for name, expression in equations.nonholonomic.items():
        rows.append(nonholonomic_row(symbols.read(expression), symbols, q_dot, f"constraints.{name}.equation"))
    for expression, (row, x, bias) in zip([*equations.holonomic.values(), *equations.nonholonomic.values()], rows, strict=True):
        usable(expression, [*row, x, bias])
    C = [(f"C[{r}, {j}]", e) for r, (row, _, _) in enumerate(rows) for j, e in enumerate(row) if e != 0]
    xi = [(f"xi[{r}]", row[1]) for r, row in enumerate(rows)]
    dynamics = [(f"M[{i}, {j}]", M[i][j]) for i in range(n) for j in range(n) if M[i][j] != 0]
    dynamics += [(f"h[{i}]", h[i]) for i in range(n)] + [(f"eta[{r}]", row[2]) for r, row in enumerate(rows)] + [("power[0]", power)]
    moved = [*v, *map(symbols.read, equations.rates.values())] if equations.rates else []
    return (
        HEADER
        + f"\nRHEONOMIC = {any(row[1] != 0 for row in rows)}\n"
        + f"SKYLINE = {[min(j for j in range(i + 1) if M[i][j] != 0) for i in range(n)]}\n"
        + function("constraints", "CONSTRAINTS", "t, q, C, xi", C + xi)
        + function("dynamics", "DYNAMICS", "t, q, v, M, h, eta, power", dynamics)
        + function("residual", "RESIDUAL", "t, q, phi", [(f"phi[{r}]", e) for r, e in enumerate(phis)])
        + function("energy", "ENERGY", "t, q, v, out", [("out[0]", T), ("out[1]", V), ("out[2]", jacobi)])
        + (function("rates", "RATES", "t, q, v, q_dot", [(f"q_dot[{i}]", e) for i, e in enumerate(moved)]) if moved else "")
    )


def generalized_system(
    name: str, equations: Equations, parameters: Mapping[str, float], tables: Mapping[str, Table] | None = None
) -> System:
    """The compiled system. Raises DerivationError when an energy or equation has the wrong form."""
    names = list(parameters)
    module = cached_module(equations.key(names), lambda: derive(equations, names))
    rows = list(equations.holonomic) + list(equations.nonholonomic)
    q_dot = module.rates if equations.rates else rates
    return System(
        name=name,
        functions=SystemFunctions(
            module.constraints, module.dynamics, module.residual, q_dot, move, module.energy, no_event, no_tangent, no_corners, no_slopes
        ),
        arrays=empty_arrays(len(rows), list(parameters.values()))._replace(tables=table_rows(tables or {})),
        coordinates=list(equations.coordinates),
        coordinate_units=["1"] * len(equations.coordinates),
        speeds=[f"der({c})" for c in equations.coordinates],
        speed_units=["1"] * len(equations.coordinates),
        rows=rows,
        n_holonomic=len(equations.holonomic),
        skyline=np.array(module.SKYLINE, np.int64),
        rheonomic=bool(module.RHEONOMIC),
        tables=tables or {},
    )
