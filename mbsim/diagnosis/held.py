"""What cannot be found of a system whose states are held between samples, or which units of others belong to."""

from mbsim.system.system import Floats, System
from mbsim.system.tangents import Tangents

SHOWN = 4  # names


def refuse_samples(system: System, what: str) -> None:
    """Raise ValueError where states are held between samples, or units give no derivatives or do not run.

    `what` is of laws that are continuous in time.
    """
    if system.units is not None and (those := system.units.without_derivatives):
        raise ValueError(
            f"{what} needs directional derivatives of units, and {' and '.join(those)} gives none (providesDirectionalDerivative): "
            "export the unit with them, or give the controller as a law"
        )
    if system.units is not None and not system.units.run:
        names = ", ".join(system.units.controllers)
        raise ValueError(f"{what} needs units (type: fmu) that run, and the start of a model is found before they do: {names}")
    if system.samples is None:
        return
    names = ", ".join(system.samples.names[:SHOWN]) + " ..." * (len(system.samples.names) > SHOWN)
    raise ValueError(f"{what} needs laws that are continuous in time, and the model holds states between samples: {names}")


def tangents_of(system: System, t: float, q: Floats, v: Floats, a: Floats | None = None, lam: Floats | None = None) -> Tangents:
    """The tangents of a system, with those of its units, which run then: as of `mbsim.system.tangents`."""
    found: Tangents = system.tangents(t, q, v, a, lam) if system.units is None else system.units.tangents(system, t, q, v, a, lam).tangents
    return found
