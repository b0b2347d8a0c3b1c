"""The samples of the system that a model becomes."""

from mbsim.assembly.bodies import Bodies
from mbsim.assembly.generalized import Generalized
from mbsim.model.names import der
from mbsim.system.bodies import prefix
from mbsim.system.samples import Readable, Samples, samples_of


def samples(source: Bodies | Generalized) -> Samples | None:
    """Those of the states that are held; None where there are none. Raises UnusableError."""
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
