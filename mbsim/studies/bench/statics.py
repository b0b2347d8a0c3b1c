"""Published eigenvalues and values of an equilibrium against those of the model."""

from collections.abc import Mapping

from mbsim import registry
from mbsim.analyses.linear import modes
from mbsim.analyses.static import balance, facts
from mbsim.assembly import Assembly, assemble
from mbsim.model.load import load
from mbsim.studies.bench.cases import Case
from mbsim.studies.compare.verdict import Check


def checks(case: Case) -> list[Check]:
    """Of each eigenvalue both parts, of the one that is nearest to the published one, and each value of the equilibrium.

    Raises NoEquilibriumError, mbsim.ModelError.
    """
    known: dict[tuple[tuple[str, float], ...], Assembly] = {}

    def made(parameters: Mapping[str, float]) -> Assembly:
        key = tuple(sorted(parameters.items()))
        if key not in known:
            known[key] = assemble(load(case.text, registry, file=case.file, parameters=dict(parameters)))
        return known[key]

    found = []
    for mode in case.published.modes:
        re, im = mode.eigenvalue
        values = modes(made(mode.parameters), mode.at).spectrum.values
        nearest = min(values, key=lambda value: abs(value - complex(re, im)), default=complex("nan"))
        name = f"eigenvalue {re:.6g}{f'{im:+.6g}i' if im else ''}{_where(mode.parameters)}"
        found.append(Check(case.start, f"Re of {name}", re, mode.tolerance, float(nearest.real)))
        found.append(Check(case.start, f"Im of {name}", im, mode.tolerance, float(nearest.imag)))
    for value in case.published.equilibrium:
        plain = facts(balance(made(value.parameters)))
        there = plain["q"] | plain["states"] | plain["measures"]
        name = f"equilibrium {value.of}{_where(value.parameters)}"
        found.append(Check(case.start, name, value.value, value.tolerance, there.get(value.of, float("nan"))))
    return found


def _where(parameters: Mapping[str, float]) -> str:
    return f" ({', '.join(f'{name} = {value:g}' for name, value in parameters.items())})" if parameters else ""
