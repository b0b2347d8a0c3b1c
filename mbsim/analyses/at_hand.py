"""Models with contacts that have been run in this process: run again, they are not assembled again, and take the parts of the run before.

They are known by all that was read: a model that was changed in place, or read with other parameters, is another one. Who runs one takes it
out, so that two runs at one time never share any.
"""

import pickle
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mbsim.analyses.given import assemble_given
from mbsim.assembly import Assembly
from mbsim.march.repeated import may_be_repeated

if TYPE_CHECKING:
    from mbsim.model.schema import Model

MOST = 4  # models; those go that were run first
NOT_READ = ("document", "overrides")  # of a model: what they hold is in its text, and in what was read of it


class AtHand(NamedTuple):
    """A model that was assembled."""

    key: bytes  # all that was read of it
    model: "Model"
    made: Assembly


_left: list[AtHand] = []


def assembled(
    source: "Model | str | Path | Mapping[str, Any]", parameters: Mapping[str, float | str] | None, forces: Mapping[str, Any]
) -> tuple[Assembly, AtHand | None]:
    """As `assemble_given`; with what `leave` takes when the run has come to its end, of a model that may be at hand later."""
    from mbsim.assembly import load_model  # as there
    from mbsim.model.schema import Model

    if forces:
        return assemble_given(source, parameters, forces), None
    model = source if isinstance(source, Model) and not parameters else load_model(source, parameters)
    if any(one.model.text == model.text for one in list(_left)) and (found := _taken(model)) is not None:
        return found.made, found
    made = assemble_given(model, None, {})
    if not may_be_repeated(made) or made.files or (key := _key(model)) is None:
        return made, None
    return made, AtHand(key, model, made)


def leave(one: AtHand | None) -> None:
    """Have an assembled model at hand, whose run has come to its end."""
    if one is not None:
        _left.append(one)
        while len(_left) > MOST:
            del _left[0]


def _taken(model: "Model") -> AtHand | None:
    """The one that was read as this model was, which nobody else has now."""
    key = _key(model)
    for one in list(_left):
        if one.key == key and (one.model is model or _key(one.model) == key):
            places = [k for k, other in enumerate(_left) if other is one]
            if places and _left.pop(places[0]) is one:
                return one
    return None


def _key(model: "Model") -> bytes | None:
    """All that was read of a model; None where it cannot be told."""
    try:
        return pickle.dumps([getattr(model, one.name) for one in fields(model) if one.name not in NOT_READ])
    except (pickle.PicklingError, TypeError, AttributeError):  # leaves of plug-ins may hold anything
        return None
