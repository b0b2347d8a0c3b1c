"""What Python gives a run: a model, and a start, all numbers in order or some of them by name."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim.assembly import Assembly, assemble_system
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.model.schema import Model

SHOWN = 6  # names in a message


def _read_start(what: str, given: ArrayLike | Mapping[str, float] | None, names: list[str], own: Floats) -> Floats:
    """The start of coordinates or speeds: `own`, all numbers in the order of the names, or some of them by name. Raises ValueError."""
    if given is None:
        return own
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                from mbsim.model.file.errors import did_you_mean

                raise ValueError(f"{what}: unknown name {name!r}{did_you_mean(str(name), names)}")
        chosen: Any = [given.get(name, x) for name, x in zip(names, own.tolist(), strict=True)]
    else:
        chosen = given
    try:
        values = np.array(chosen, float)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if values.shape != (len(names),) or not np.isfinite(values).all():
        shown = ", ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")
        raise ValueError(f"{what}: expected {len(names)} finite numbers, of {shown}; or some of them by name (got {str(given)[:60]})")
    return values


def assemble_given(
    source: "Model | str | Path | Mapping[str, Any]", parameters: Mapping[str, float | str] | None, forces: Mapping[str, Any]
) -> Assembly:
    """A model as `mbsim.load_model` takes it, assembled, with Python functions in place of forces. Raises what that raises."""
    from mbsim.assembly import assemble, load_model  # with all that reads models, which a run of an assembled one does not need
    from mbsim.model.schema import Model

    model = source if isinstance(source, Model) and not parameters else load_model(source, parameters)
    if not forces:
        return assemble(model)
    from mbsim.assembly import assemble_with  # imports Numba: compiled code that calls Python is made in each process

    return assemble_with(model, forces)


def with_start(made: Assembly, q: ArrayLike | Mapping[str, float] | None, v: ArrayLike | Mapping[str, float] | None) -> Assembly:
    """An assembled model with a start that Python gives, corrected to satisfy the constraints. Raises ValueError and StartError."""
    if q is None and v is None:
        return made
    system = made.system
    given = _read_start("q", q, system.coordinates, made.q), _read_start("v", v, system.speeds, made.v)
    moved = assemble_system(system, made.start, *given)
    return replace(made, q=moved.q, v=moved.v)
