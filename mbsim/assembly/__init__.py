"""Model -> System and a consistent start. What is named here is imported on first use: a run of an assembled model reads no model.

model file -> Model (load_model) -> Source: Bodies | Generalized -> System and Given -> start -> Assembly
Bodies: ReferenceConfiguration + Coordinates (absolute | tree) -> Builder -> System
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbsim.assembly.assembled import Assembly
    from mbsim.assembly.freedoms import absolute_freedoms
    from mbsim.assembly.models import assemble, load_model
    from mbsim.assembly.python_forces import assemble_with
    from mbsim.assembly.start import assemble_system

_HOMES = {
    "Assembly": "assembled",
    "absolute_freedoms": "freedoms",
    "assemble": "models",
    "assemble_system": "start",
    "assemble_with": "python_forces",
    "load_model": "models",
}

__all__ = ["Assembly", "absolute_freedoms", "assemble", "assemble_system", "assemble_with", "load_model"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"mbsim.assembly.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'mbsim.assembly' has no attribute {name!r}")
