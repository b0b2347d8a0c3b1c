"""The switching functions of the system that a model becomes (`mbsim.system.switches`)."""

from typing import cast

from mbsim.assembly.assembled import Planned
from mbsim.assembly.bodies import Bodies
from mbsim.assembly.generalized import Generalized
from mbsim.model.expressions.expression import Expression
from mbsim.system.corners import Corners, compile_corners, may_change
from mbsim.system.equations import Symbols
from mbsim.system.event import stop_expression
from mbsim.system.switches import LawText, Switches
from mbsim.system.system import System


def switches_of(source: Bodies | Generalized, system: System, stop: str | None = None, planned: Planned | None = None) -> Switches:
    """Those of all laws, equations and loads of a source, which `system` was made of, of its run's stop expression and of its events."""
    names = list(source.model.parameters if isinstance(source, Generalized) else source.builder.model.parameters)
    ends = (
        None
        if stop is None
        else LawText(stop_expression(system, stop, names), Symbols(names, list(system.coordinates), list(system.speeds)))
    )
    events = [] if planned is None else [(f"the event {e.name}", text) for e, text in zip(planned.events, planned.texts(), strict=True)]
    measured = planned is not None and bool(planned.measure)
    if isinstance(source, Generalized):
        return Switches(system, _own(source, system), False, False, ends, events)
    laws = source.builder.laws
    symbols = Symbols(laws.parameters, [*laws.coordinates, *laws.rates], laws.speeds).with_told(laws.told)
    of_forces = symbols.with_relative(laws.relative)
    found = [LawText(e, symbols) for e in (*laws.time, *laws.holonomic.values(), *laws.nonholonomic.values())]
    given = [(e, laws.local.get(k)) for k, e in enumerate(laws.state)]
    given += [(rate.expression, rate.local) for rate in laws.rates.values()]
    found += [LawText(e, of_forces if local is None else of_forces.with_local(*local)) for e, local in given]
    reads = measured or bool(laws.relative or laws.local or any(local for _, local in given))
    return Switches(system, found, reads, laws.extended, ends, events)


class CornersOf:
    """What makes the corners of systems of a source, and of its kin with the same laws and loads: once."""

    def __init__(self, source: Bodies | Generalized) -> None:
        self._source, self._known, self._found = source, False, cast("Corners | None", None)

    def __call__(self, system: System) -> Corners | None:
        """Those of a system."""
        if not self._known:
            self._known, self._found = True, corners_of(self._source, system)
        return self._found


def corners_of(source: Bodies | Generalized, system: System) -> Corners | None:
    """The corners of all laws, equations and loads of a source, which `system` was made of; None where there are none.

    Nothing is derived, and SymPy is not imported, where an earlier program has compiled them.
    """
    if isinstance(source, Generalized):
        own: list[object] = [law.key for law in may_change(_own_laws(source))]
        told = [list(source.forces.parameters), system.coordinates, system.speeds]
        return compile_corners(system, [*own, told] if own else [], lambda: _own(source, system))
    laws = source.builder.laws
    rates = [rate for rate in laws.rates.values() if not rate.told]
    given: list[tuple[Expression, tuple[str, int] | None]] = [
        *((e, None) for e in (*laws.time, *laws.holonomic.values(), *laws.nonholonomic.values()))
    ]
    given += [(e, laws.local.get(k)) for k, e in enumerate(laws.state)] + [(rate.expression, rate.local) for rate in rates]
    changing = {id(e) for e in may_change([e for e, _ in given])}
    found = [(e, local) for e, local in given if id(e) in changing and not e.names & laws.joint_speeds.keys() - laws.relative.keys()]
    found += [(e, None) for unit in laws.units for e in may_change(list(unit.inputs.values()))]
    names = sorted(laws.told), laws.parameters, [*laws.coordinates, *laws.rates], laws.speeds, sorted(laws.relative.items())
    key: list[object] = [*((e.key, local) for e, local in found), names] if found else []

    def texts() -> list[LawText]:
        symbols = Symbols(laws.parameters, [*laws.coordinates, *laws.rates], laws.speeds).with_told(laws.told)
        symbols = symbols.with_relative(laws.relative)
        return [LawText(e, symbols if local is None else symbols.with_local(*local)) for e, local in found]

    return compile_corners(system, key, texts)


def _own(source: Generalized, system: System) -> list[LawText]:
    """The laws of a model in the user's own coordinates."""
    model, states = source.model, source.forces.states
    assert model.coordinates is not None
    symbols = Symbols(list(source.forces.parameters), [*model.coordinates, *states.rates], [f"der({c})" for c in model.coordinates])
    return [LawText(law, symbols) for law in _own_laws(source)]


def _own_laws(source: Generalized) -> list[Expression]:
    energy, states = source.model.energy, source.forces.states
    assert energy is not None
    laws: list[Expression | None] = [energy.kinetic, energy.potential, energy.dissipation, *(law for _, _, law in source.forces.laws)]
    laws += [*source.equations.holonomic.values(), *source.equations.nonholonomic.values()]
    laws += [rate.expression for rate in states.rates.values()]
    return [law for law in laws if law is not None]
