"""Analyses at rest of models with units for model exchange, which have to run to say what acts."""

from dataclasses import replace

from mbsim.assembly import Assembly
from mbsim.march.ending import Stopped
from mbsim.march.sampling import begin_units


def with_units_begun(made: Assembly) -> Assembly:
    """The model with the states with which its units begin at its start.

    Raises ValueError where a unit fails, NativeCodeError where none may run. Units that give no derivatives are not begun.
    """
    units = made.system.units
    if units is None or units.without_derivatives:
        return made
    try:
        return replace(made, q=begin_units(made.system, made.start, made.q, made.v))
    except Stopped as error:
        raise ValueError(str(error)) from error
