"""The samples of the system that a model becomes."""

from dataclasses import replace

from mbsim.assembly.bodies import Bodies
from mbsim.assembly.generalized import Generalized
from mbsim.model.names import der
from mbsim.system.bodies import prefix
from mbsim.system.samples import Readable, Samples, samples_of
from mbsim.system.system import System


def samples(source: Bodies | Generalized, system: System) -> Samples | None:
    """Those of the states that are held, of a source that `system` was made of; None where there are none. Raises UnusableError."""
    found, held = _compiled(source), (source.forces if isinstance(source, Generalized) else source.builder).states.held
    if found is None:
        return None
    if any(state.solved is not None for state in held.values()):
        from mbsim.system.solved_samples import SolvedSamples  # which compiles a kernel of its own

        found = replace(found, function=SolvedSamples(found, held, system.coordinates, system.functions, system.n_rows))
    if any(state.foreign is not None for state in held.values()):
        from mbsim.assembly.fmu_samples import FmuSamples

        found = replace(found, function=FmuSamples(found, held, system.coordinates))
    return found


def _compiled(source: Bodies | Generalized) -> Samples | None:
    """Those that laws give."""
    if isinstance(source, Generalized):
        states, names = source.forces.states, source.model.coordinates or []
        readable = Readable(list(source.forces.parameters), [*names, *states.rates], [der(name) for name in names], {})
        return samples_of(states.held, readable, "")
    builder, laws = source.builder, source.builder.laws
    held = builder.states.held
    readable = Readable(laws.parameters, [*laws.coordinates, *laws.rates], laws.speeds, laws.relative)
    read = {*laws.relative, *map(der, laws.relative)} - {*readable.coordinates, *readable.speeds}
    read &= {name for state in held.values() for law in (state.next, state.before) if law is not None for name in law.names}
    measure = f"{prefix(builder.model.in_joint_coordinates, builder.dimension, False)}measure" if read else ""
    return samples_of(held, readable, measure)
