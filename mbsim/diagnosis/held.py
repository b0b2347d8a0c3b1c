"""What cannot be found of a system whose states are held between samples, or which units of others belong to."""

from mbsim.system.system import System

SHOWN = 4  # names


def refuse_samples(system: System, what: str) -> None:
    """Raise ValueError where states are held between samples or units run: `what` is of laws that are continuous in time, and known."""
    if system.units is not None:
        names = ", ".join(system.units.controllers)
        raise ValueError(f"{what} needs laws that mbsim knows, and the model has units (type: fmu), which run in motions only: {names}")
    if system.samples is None:
        return
    names = ", ".join(system.samples.names[:SHOWN]) + " ..." * (len(system.samples.names) > SHOWN)
    raise ValueError(f"{what} needs laws that are continuous in time, and the model holds states between samples: {names}")
