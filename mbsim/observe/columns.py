"""Which column of which variable a coordinate, a state, a speed or an acceleration is."""

from mbsim.model.names import der
from mbsim.results.schema import per_second
from mbsim.system.remembered import remembered
from mbsim.system.system import System


@remembered
def columns(system: System) -> dict[str, tuple[str, int, str]]:
    """The variable, the column and the unit of each coordinate, state, speed and acceleration by its name."""
    n_c = system.n_c
    tables = (
        ("q", system.coordinates[:n_c], system.coordinate_units[:n_c]),
        ("states", system.states, system.coordinate_units[n_c:]),
        ("v", system.speeds, system.speed_units),
        ("acceleration", [der(speed) for speed in system.speeds], [per_second(units) for units in system.speed_units]),
    )
    found: dict[str, tuple[str, int, str]] = {}
    for variable, names, units in tables:
        for index, name in enumerate(names):
            found.setdefault(name, (variable, index, units[index]))
    return found
