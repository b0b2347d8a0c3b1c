"""Published eigenvalues, borders of stability and values of an equilibrium against those of the model."""

from collections.abc import Callable, Mapping
from math import nan

import numpy as np

from mbsim import registry
from mbsim.analyses.linear import modes
from mbsim.analyses.root_locus import locus
from mbsim.analyses.static import Balance, balance, record
from mbsim.assembly import Assembly, assemble
from mbsim.model.load import load
from mbsim.model.reference import ReferenceBorder
from mbsim.studies.bench.cases import Case
from mbsim.studies.compare.verdict import Check
from mbsim.studies.compare.worker import value_of


def checks(case: Case) -> list[Check]:
    """Of each eigenvalue both parts, of the one that is nearest to the published one; each border; each value of the equilibrium.

    They have no time (NaN). Raises NoEquilibriumError, mbsim.ModelError.
    """
    return [*_modes(case), *_borders(case), *_equilibria(case)]


def _modes(case: Case) -> list[Check]:
    found, known = [], {}
    for mode in case.published.modes:
        re, im = mode.eigenvalue
        key = (*sorted(mode.parameters.items()), mode.at)
        if key not in known:
            known[key] = modes(_make(case, mode.parameters), mode.at).spectrum.values
        nearest = min(known[key], key=lambda value: abs(value - complex(re, im)), default=complex("nan"))
        name = f"eigenvalue {re:.6g}{f'{im:+.6g}i' if im else ''}{_where(mode.parameters)}"
        found.append(Check(nan, f"Re of {name}", re, mode.tolerance, float(nearest.real)))
        found.append(Check(nan, f"Im of {name}", im, mode.tolerance, float(nearest.imag)))
    return found


def _borders(case: Case) -> list[Check]:
    found, known = [], {}
    for border in case.published.borders:
        key = (*sorted(border.parameters.items()), border.parameter, *border.between, border.at)
        if key not in known:
            known[key] = locus(_vary(case, border), border.parameter, np.array(border.between), border.at).crossings
        crossings = known[key]
        values = np.array([crossing.value for crossing in crossings if crossing.becomes == border.becomes])
        nearest = float(values[np.argmin(np.abs(values - border.value))]) if len(values) else float("nan")
        name = f"border of {border.parameter}, {border.becomes} above{_where(border.parameters)}"
        found.append(Check(nan, name, border.value, border.tolerance, nearest))
    return found


def _vary(case: Case, border: ReferenceBorder) -> Callable[[float], Assembly]:
    return lambda value: _make(case, {**border.parameters, border.parameter: value})


def _equilibria(case: Case) -> list[Check]:
    found = []
    known: dict[tuple[tuple[str, float], ...], Balance] = {}
    for value in case.published.equilibrium:
        key = tuple(sorted(value.parameters.items()))
        if key not in known:
            known[key] = balance(_make(case, value.parameters))
        name = f"equilibrium {value.of}{_where(value.parameters)}"
        seen = float(value_of(record(known[key]), value.of)[0])
        found.append(Check(nan, name, value.value, value.tolerance, seen))
        if value.stable is not None:
            stable = (float(value.stable), 0.5, float(known[key].found.stable))
            found.append(Check(nan, f"stability of the equilibrium{_where(value.parameters)}", *stable))
    return found


def _make(case: Case, parameters: Mapping[str, float]) -> Assembly:
    return assemble(load(case.text, registry, file=case.file, parameters=dict(parameters)))


def _where(parameters: Mapping[str, float]) -> str:
    return f" ({', '.join(f'{name} = {value:g}' for name, value in parameters.items())})" if parameters else ""
