"""Forces of a model whose `value` is a Python function."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mbsim.assembly.assembled import Assembly, Locking
from mbsim.assembly.models import assemble
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.file.errors import did_you_mean
from mbsim.model.schema import Model
from mbsim.system.python_forces import Function, with_functions


def assemble_with(model: Model, functions: Mapping[str, Function]) -> Assembly:
    """The assembled model in which the `value` of these forces is what functions of (t, q, v) return: a number, or one for each component.

    Raises ValueError for a force that the model does not have or that has no `value`, TypeError for what is no function; ModelError.
    """
    forces, parameters = dict(model.forces), dict(model.parameters)
    places: dict[str, tuple[Function, list[int]]] = {}
    for name, function in functions.items():
        if name not in forces:
            raise ValueError(f"the model has no force {name!r}{did_you_mean(name, list(forces))}")
        if not callable(function):
            raise TypeError(f"the law of the force {name!r} must be a function of t, q and v (got {type(function).__name__})")
        law: Any = getattr(forces[name], "value", None)
        laws = [law] if isinstance(law, Expression) else list(law or ())
        if not laws or not all(isinstance(one, Expression) for one in laws):
            raise ValueError(f"the force {name!r} has no key `value`, which a function could stand for")
        new = []
        for k in range(len(laws)):
            parameter = f"{name}_by_python_{k}"
            places.setdefault(name, (function, []))[1].append(len(parameters))
            parameters[parameter] = 0.0
            new.append(parse(f"{parameter} + 0*t"))  # t makes it a law, which is evaluated anew
        forces[name] = forces[name].model_copy(update={"value": new[0] if isinstance(law, Expression) else new})
    made = assemble(replace(model, forces=forces, parameters=parameters))
    coming = made.coming

    def change(before: Assembly, event: Locking) -> Assembly:
        assert coming is not None
        after = coming.change(before, event)
        return replace(after, system=with_functions(after.system, places))

    called = replace(made, system=with_functions(made.system, places), parameters=dict(model.parameters))
    return called if coming is None else replace(called, coming=replace(coming, change=change))
