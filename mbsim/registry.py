"""File name <-> YAML word. A leaf is one file: `type: spring_damper` is `mbsim/forces/spring_damper.py` and its class `SpringDamper`.

Adding a joint, constraint, force, method or integrator is adding a file; nothing here changes. Files that start with an
underscore are shared code, not leaves. Modules are imported only when a model uses them, because a kernel module compiles on import.
"""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

KINDS = ("joints", "constraints", "forces", "methods", "integrators")
_PACKAGE = Path(__file__).parent


def names(kind: str) -> list[str]:
    """The words a user may write for `kind`, sorted."""
    return sorted(path.stem for path in (_PACKAGE / kind).glob("*.py") if not path.stem.startswith("_"))


def module(kind: str, word: str) -> ModuleType:
    """The leaf's module, imported on first use."""
    return importlib.import_module(f"mbsim.{kind}.{word}")


def leaf(kind: str, word: str) -> Any:
    """The leaf's class: `spring_damper` -> `SpringDamper`."""
    return getattr(module(kind, word), "".join(part.capitalize() for part in word.split("_")))
