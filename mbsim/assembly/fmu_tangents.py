"""Tangents of a system with units for model exchange: the exact ones of its laws, and the directional derivatives of the units.

Where inputs, outputs and states of units are numbers like all other states, the laws of the system have exact tangents (`plain`): what
forces h and rates of states follow from them, and what inputs follow from displacements d, speeds v and states x. With the Jacobians J of
the units (FMI 2.0.4 sec. 2.1.9, FMI 3.0 sec. 2.2.11), u the inputs, y the outputs and s the states of all units, the chain rule is

    u = U_d d + U_v v + U_x x,   y = J_yu u + J_ys s,   s_dot = J_su u + J_ss s

U_x reads outputs, too. There are no algebraic loops, so [u; y] follows from the others.
"""

import ctypes as c
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mbsim.assembly.bodies import Bodies
from mbsim.assembly.fmu_instances import Instance
from mbsim.model.expressions.expression import parse
from mbsim.model.sampling import Flowing
from mbsim.system.exchanged import Exchanged
from mbsim.system.laws import Laws, Rate
from mbsim.system.system import Floats, System
from mbsim.system.tangents import Tangents


class UnitTangents(NamedTuple):
    """The tangents of the whole, and what inputs and outputs of units change by."""

    tangents: Tangents  # derivatives by inputs and outputs are zero
    told: np.ndarray  # (k,) places of inputs and outputs among the states
    changes: Floats  # (k, 2 n_v + n_x) of these, by displacements, speeds and states


def plain(source: Bodies, system: System) -> System:
    """The system with numbers in place of its units: the rate of an input is its law, those of outputs and states of units are zero."""
    laws = source.builder.laws
    rates: dict[str, Rate] = {name: Rate(parse(0)) if rate.told else rate for name, rate in laws.rates.items()}
    for unit in laws.units:
        rates |= {name: Rate(law) for name, law in unit.inputs.items()}
    own: Laws = replace(laws, rates=rates, units=[], asked=[])
    made = own.compile()
    functions = system.functions._replace(constraints=made.constraints, dynamics=made.dynamics, residual=made.residual, rates=made.rates)
    return replace(system, functions=functions, units=None, failure=None, columns=None)


def tangents(
    known: System, system: System, flowing: Sequence[Flowing], units: Sequence[Exchanged], instances: Sequence[Instance],
    t: float, q: Floats, v: Floats, a: Floats | None, lam: Floats | None,
) -> UnitTangents:  # fmt: skip
    """Those of `system` at a state, as of `mbsim.system.tangents`; `known` is its plain one. Raises SampleError where a unit fails."""
    system.terms(t, q, v)
    system.rates(t, q, v)  # the units are at this state now
    own = replace(known, arrays=system.arrays).tangents(t, q, v, a, lam)
    n, n_x, first = system.n_v, system.n_x, system.n_c
    place = {name: k - first for k, name in enumerate(system.coordinates) if k >= first}
    inputs = [place[name] for unit in units for name in unit.inputs]
    outputs = [place[name] for unit in units for name in unit.outputs]
    counted = [place[name] for unit in units for name in unit.counted]
    told, states = np.array([*inputs, *outputs, *counted], int), [place[name] for unit in units for name in unit.states]
    free = np.setdiff1d(np.arange(n_x), told)
    J_y, J_s = np.zeros((len(outputs), n_x)), np.zeros((len(states), n_x))  # by inputs and states of units, at their places
    row_y = row_s = 0
    for one, unit, instance in zip(flowing, units, instances, strict=True):
        J = jacobian(instance, one)
        columns = [place[name] for name in (*unit.inputs, *unit.states)]
        J_y[row_y : row_y + len(unit.outputs), columns] = J[: len(unit.outputs)]
        J_s[row_s : row_s + len(unit.states), columns] = J[len(unit.outputs) :]
        row_y, row_s = row_y + len(unit.outputs), row_s + len(unit.states)
    # [u; y; counted] = follows [d; v; x]
    follows = np.zeros((len(told), 2 * n + n_x))
    follows[: len(inputs)] = np.hstack([own.x_d[inputs], own.x_v[inputs], own.x_x[inputs]])
    follows[len(inputs) : len(inputs) + len(outputs), 2 * n :] = J_y
    among = follows[:, 2 * n + told]
    follows[:, 2 * n + told] = 0.0
    changes = np.asarray(np.linalg.solve(np.eye(len(told)) - among, follows), float)
    by_d, by_v, by_x = changes[:, :n], changes[:, n : 2 * n], changes[:, 2 * n :]
    H, F = own.h_x[:, told], own.x_x[:, told].copy()
    x_d, x_v, x_x = own.x_d.copy(), own.x_v.copy(), own.x_x.copy()
    F[states], x_d[states], x_v[states], x_x[states] = J_s[:, told], 0.0, 0.0, J_s
    h_x = np.zeros_like(own.h_x)
    h_x[:, free] = own.h_x[:, free] + H @ by_x[:, free]
    x_d, x_v, x_x = x_d + F @ by_d, x_v + F @ by_v, x_x + F @ by_x
    x_d[told], x_v[told], x_x[told] = 0.0, 0.0, 0.0
    x_x[:, told] = 0.0
    x_x[told, told] = -1.0  # so that Newton's steps leave them where they are
    whole = own._replace(K=own.K - H @ by_d, D=own.D - H @ by_v, h_x=h_x, x_d=x_d, x_v=x_v, x_x=x_x)
    return UnitTangents(whole, told, changes)


def jacobian(instance: Instance, one: Flowing) -> Floats:
    """(outputs + states, inputs + states): derivatives of the outputs that are read, and of the rates of states, by inputs and states."""
    names = instance.description.variables
    unknown = [*(names[name].reference for name in one.foreign.outputs), *one.rates]
    known = [names[name].reference for name in (*one.foreign.inputs, *one.states)]
    found = np.zeros((len(unknown), len(known)))
    if not unknown:
        return found
    of, by = (c.c_uint32 * len(unknown))(*unknown), (c.c_uint32 * 1)()
    seed, answer = (c.c_double * 1)(1.0), (c.c_double * len(unknown))()
    rows, one_column = c.c_size_t(len(unknown)), c.c_size_t(1)
    for k, reference in enumerate(known):
        by[0] = reference
        if one.version == 2:
            instance.call("GetDirectionalDerivative", of, rows, by, one_column, seed, answer)
        else:
            instance.call("GetDirectionalDerivative", of, rows, by, one_column, seed, one_column, answer, rows)
        found[:, k] = answer
    return found
