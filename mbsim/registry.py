"""File name <-> YAML word. A leaf is one file: `type: spring_damper` is `mbsim/forces/spring_damper.py` and its class `SpringDamper`.

Adding a joint, constraint, force, controller, method or integrator is adding a file; nothing here changes. Files that start with an
underscore are shared code, not leaves. Modules are imported only when a model uses them, because a kernel module compiles on import;
what a method or integrator says of itself in capitals at its top (OPTIONS, DRIFT ...) is a literal and read without importing it.

A leaf may also be a module of another package: an entry point in a group `mbsim.forces` (and so on) of an installed package, or one that
`register` names in this process (docs/plugins.md). Leaves of mbsim go before. Looking for entry points takes some milliseconds, so `knows`
does it only for words that mbsim does not have.
"""

import ast
import importlib
import importlib.util
import math
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbsim.model.file.plain import Mapped
    from mbsim.model.leaves import Block

IMPORTERS = ("mjcf", "urdf")  # of mbsim; other files of the folder are shared by them
KINDS = ("joints", "constraints", "forces", "controllers", "methods", "integrators")
_PACKAGE = Path(__file__).parent
# A statement ends before the next line that begins with a name, a parenthesis, a decorator or a comment.
_ASSIGNED = re.compile(r"^(\w+) = (.*?)(?=^[\w(@#\"])", re.MULTILINE | re.DOTALL)
_IMPORTED = re.compile(r"^from mbsim\.(\w+)\.([\w.]+) import (\([^)]*|.*)", re.MULTILINE)
_NAMES = re.compile(r"\w+")
# What a module of another package has to have at its top, and what each is.
_NEEDED = {
    "ORDER": "order on smooth motions, such as ORDER = 2",
    "SCRATCH": "rows as long as z that a step needs, such as SCRATCH = _fixed.SCRATCH + 3",
    "marcher": "function that returns a march",
    "step": "kernel of the contract STEP",
    "WORKSPACE": "its arrays, such as WORKSPACE = _augmented.WORKSPACE",
    **{name: f"kernel of the contract {name.upper()}" for name in ("rhs", "accept", "expand", "start")},
}
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # in messages of Numba, where colorama is installed
_LINE = re.compile(r"(?:at |File \")(?P<file>[^\s\"]+\.py)(?: \(|\", line )(?P<line>\d+)")  # in messages of Numba
_UNKNOWN = re.compile(r"NameError: name '(\w+)' is not defined")


_registered: dict[tuple[str, str], str | type] = {}  # (kind, word) -> module or class
_used: set[tuple[str, str]] = set()  # leaves of other packages


class PluginError(ValueError):
    """A leaf of another package cannot be had, or its word is not free."""


def names(kind: str) -> list[str]:
    """The words a user may write for `kind`, sorted."""
    return sorted({*_names(kind), *_others(kind)})


def knows(kind: str, word: str) -> bool:
    """Whether a user may write this word for `kind`."""
    return word in _names(kind) or word in _others(kind)


def register(kind: str, word: str, leaf: "str | type | ModuleType") -> None:
    """Make a leaf of your own known in this process: `register("forces", "magnet", Magnet)`.

    `leaf` is a class (of joints, forces, controllers and constraints), or a module or its name. Raises PluginError for an unknown kind, for
    a word of mbsim's own, and for a word that is not in lower case letters, digits and underscores.
    """
    kinds = (*KINDS, "importers")  # an importer is no word of the model file
    if kind not in kinds:
        raise PluginError(f"there is no kind of leaf {kind!r}; the kinds are {', '.join(kinds)}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", word):
        raise PluginError(f"a word is lower case letters, digits and '_', a letter first (got {word!r})")
    if word in _names(kind):
        raise PluginError(f"mbsim has {kind[:-1]} {word!r} itself")
    _registered[kind, word] = leaf.__name__ if isinstance(leaf, ModuleType) else leaf


def has_used_others() -> bool:
    """Whether a leaf of another package, whose changes mbsim does not notice, was taken in this process."""
    return bool(_used)


def home(kind: str, word: str) -> str:
    """The module of a leaf, or of what leaves of a kind share. Raises PluginError for a class, which has no module of its own."""
    if word in _files(kind) or "." in word:  # a file in a folder below
        return f"mbsim.{kind}.{word}"
    found = _others(kind).get(word, f"mbsim.{kind}.{word}")
    if not isinstance(found, str):
        raise PluginError(f"{kind[:-1]} {word!r} is registered as a class; a module is needed here")
    return found


def _others(kind: str) -> Mapping[str, str | type]:
    """The leaves of other packages."""
    return {**_find_declared(kind), **{word: found for (of, word), found in _registered.items() if of == kind}}


@cache
def _find_declared(kind: str) -> Mapping[str, str]:
    """The entry points of installed packages, word -> module."""
    if not _any_declared():
        return {}
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=f"mbsim.{kind}") if point.name not in _names(kind)}


@cache
def _any_declared() -> bool:
    """Whether an installed package declares leaves: a look into its files takes a tenth of the time of `importlib.metadata`."""
    for folder in map(Path, filter(None, sys.path)):
        for found in folder.glob("*-info/entry_points.txt"):
            with suppress(OSError):
                if b"[mbsim." in found.read_bytes():
                    return True
    return False


@cache
def _files(kind: str) -> frozenset[str]:
    """The files of a kind in this package: leaves, and what they share."""
    return frozenset(path.stem for path in (_PACKAGE / kind).glob("*.py"))


@cache
def _names(kind: str) -> tuple[str, ...]:
    if kind == "importers":
        return IMPORTERS
    return tuple(sorted(path.stem for path in (_PACKAGE / kind).glob("*.py") if not path.stem.startswith("_")))


def module(kind: str, word: str) -> ModuleType:
    """The leaf's module, imported on first use. Raises PluginError."""
    name = home(kind, word)
    return importlib.import_module(name) if name.startswith("mbsim.") else _import(kind, word, name)


def imported(name: str, compiles: Callable[[str], None]) -> ModuleType:
    """The module of this name, of a method or an integrator. One of another package `compiles`; its faults raise PluginError."""
    if name.startswith("mbsim."):
        return importlib.import_module(name)
    kind, word = next((kind, word) for kind in ("methods", "integrators") for word, found in _others(kind).items() if found == name)
    return _import(kind, word, name, compiles)


def _import(kind: str, word: str, name: str, compiles: Callable[[str], None] = lambda name: None) -> ModuleType:
    """The module of a leaf of another package."""
    _used.add((kind, word))
    try:
        found = importlib.import_module(name)
        compiles(name)
    except Exception as error:
        raise PluginError(f"{kind[:-1]} {word!r} of another package cannot be imported from {name}: {_sentence(error, name)}") from error
    if lacking := [f"{what} ({_NEEDED[what]})" for what in _needed(kind, found) if not hasattr(found, what)]:
        raise PluginError(f"{kind[:-1]} {word!r} of another package lacks {' and '.join(lacking)}, at the top of {found.__file__}")
    return found


def _needed(kind: str, found: ModuleType) -> tuple[str, ...]:
    """What a run asks of an integrator, or of a method that makes its own steps."""
    if kind == "integrators":
        return "ORDER", "SCRATCH", "marcher"
    if kind == "methods":
        return (
            "WORKSPACE",
            "rhs",
            "accept",
            "expand",
            "start",
            *(("ORDER", "SCRATCH", "step") if getattr(found, "OWNS_STEP", False) else ()),
        )
    return ()


def _sentence(error: Exception, name: str) -> str:
    """What is wrong with a module: of a kernel that does not compile, what Numba says in many lines, in one, with the line of the file."""
    text = _COLOUR.sub("", str(error))
    if not type(error).__module__.startswith("numba."):
        return text
    lines = [line.strip().removeprefix(">>> ") for line in text.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("Failed in nopython", "During:", "File ", "- Resolution"))]
    what = " ".join(said[: 2 if said and said[0].endswith(":") else 1])
    places, spec = list(_LINE.finditer(text)), importlib.util.find_spec(name)
    if places:
        file, own = places[-1]["file"], spec.origin if spec is not None else None
        return f"{own if own is not None and Path(own).name == Path(file).name else file}:{places[-1]['line']}: {what}"
    if (unknown := _UNKNOWN.search(text)) and spec is not None and spec.origin is not None:  # Numba says it without a line
        of_name = re.compile(rf"\b{unknown[1]}\b")
        for number, line in enumerate(Path(spec.origin).read_text(encoding="utf-8").splitlines(), 1):
            if of_name.search(line):
                return f"{spec.origin}:{number}: {what}"
    return what


def leaf(kind: str, word: str) -> "type[Block]":
    """The leaf's class: `spring_damper` -> `SpringDamper`. Raises PluginError."""
    if isinstance(found := _registered.get((kind, word)), type):
        _used.add((kind, word))
        return _whole(kind, word, found)
    file, name = module(kind, word), "".join(part.capitalize() for part in word.split("_"))
    if not hasattr(file, name):
        raise PluginError(f"{kind[:-1]} {word!r} of another package lacks the class {name}, in {file.__file__}")
    made: type[Block] = getattr(file, name)
    return made if file.__name__.startswith("mbsim.") else _whole(kind, word, made)


def _whole(kind: str, word: str, found: "type[Block]") -> "type[Block]":
    """A class of another package. Raises PluginError where it lacks what its base class asks of it."""
    lacking = sorted(getattr(found, "__abstractmethods__", ()))
    lacking += sorted(name for name in getattr(found, "__class_vars__", ()) if not hasattr(found, name))
    if lacking:
        raise PluginError(f"{kind[:-1]} {word!r} of another package: the class {found.__name__} lacks {' and '.join(lacking)}")
    return found


def importer(word: str) -> type | ModuleType:
    """The class or module of an importer of another package, which has SUFFIXES and `read`. Raises PluginError."""
    found = _others("importers").get(word)
    if found is None:
        raise PluginError(f"no other package has an importer {word!r}")
    return _import("importers", word, found) if isinstance(found, str) else found


@dataclass(frozen=True)
class Option:
    """One setting of a method or integrator, a key of the `simulation` block: a yes or no, one of some words, names, or a number."""

    name: str
    help: str
    default: bool | float | str | None  # None: a number that the leaf derives itself; `help` says how
    choices: tuple[str, ...] = ()
    names: bool = False  # a list of names; as text they stand behind each other
    above: float = -math.inf  # a number must be greater than this
    least: float = -math.inf  # and not less than this
    most: float = math.inf  # and not greater than this

    def schema(self) -> "Mapped":
        """The JSON schema of its value."""
        if self.choices:
            return {"enum": [*self.choices]}
        if self.names:
            return {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
        return {"type": "boolean" if isinstance(self.default, bool) else ["number", "string"]}

    def read(self, value: Any) -> bool | float | str | None:
        """`value`, typed, or as text from the command line; raises ValueError with what is allowed."""
        if self.choices:
            if not isinstance(value, bool) and str(value) in self.choices:
                return str(value)
            raise ValueError(f"expected {' or '.join(self.choices)} (got {str(value)[:60]!r})")
        if self.names:
            words = value.split() if isinstance(value, str) else value
            if isinstance(words, (list, tuple)) and words and all(isinstance(word, str) and len(word.split()) == 1 for word in words):
                return " ".join(word.strip() for word in words)
            raise ValueError(f"expected a list of names (got {str(value)[:60]!r})")
        if isinstance(self.default, bool):
            if isinstance(value, bool) or value in ("true", "false"):
                return value in (True, "true")
            raise ValueError(f"expected true or false (got {str(value)[:60]!r})")
        try:
            found = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            found = math.nan
        if not (self.above < found <= self.most and found >= self.least and math.isfinite(found)):
            bounds = [f"greater than {self.above:g}"] * (self.above > -math.inf) + [f"at least {self.least:g}"] * (self.least > -math.inf)
            bounds += [f"at most {self.most:g}"] * (self.most < math.inf)
            raise ValueError(f"expected a number{' ' * bool(bounds)}{' and '.join(bounds)} (got {str(value)[:60]!r})")
        return found

    def code(self, value: bool | float | str | None) -> float:
        """What a kernel finds in `Work.settings`: 0 or 1, the index of the word, the number, NaN for None and for names."""
        if value is None or self.names:
            return math.nan
        return float(self.choices.index(str(value))) if self.choices else float(value)


@cache
def declaration(kind: str, word: str, name: str, default: object = None) -> Any:
    """The literal that a leaf's file assigns to `name` at its top; `default` where it does not."""
    loaded = sys.modules.get(home(kind, word))
    if loaded is not None:
        return getattr(loaded, name, default)
    assigned, imported = _statements(kind, word)
    if name in assigned:
        return ast.literal_eval(assigned[name])
    # What several leaves share is taken from a file of theirs, or of a room below.
    return declaration(*imported[name], name, default) if name in imported else default


@cache
def _statements(kind: str, word: str) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """What a leaf's file assigns at its top, by name, as text; and the room and file from which it imports names."""
    text = _text(kind, word)
    assigned: dict[str, str] = {}
    for found in _ASSIGNED.finditer(text):
        assigned.setdefault(found[1], found[2].strip())
    imported: dict[str, tuple[str, str]] = {}
    for found in _IMPORTED.finditer(text):
        for name in _NAMES.findall(found[3]):
            imported.setdefault(name, (found[1], found[2]))
    return assigned, imported


@cache
def _text(kind: str, word: str) -> str:
    own = _PACKAGE.joinpath(kind, *word.split(".")).with_suffix(".py")
    path: str | Path | None = own
    if not own.is_file():  # of another package; a start with mbsim's own leaves looks for none
        spec = importlib.util.find_spec(home(kind, word))
        path = spec.origin if spec is not None else None
    if path is None:
        raise PluginError(f"{kind[:-1]} {word!r} of another package has no source in {home(kind, word)}")
    return Path(path).read_text(encoding="utf-8") + "\n#"


@cache
def options(kind: str, word: str) -> Mapping[str, Option]:
    """The options of a method or integrator, in the order of its OPTIONS."""
    declared = declaration(kind, word, "OPTIONS") or {}
    return {name: Option(name, **{**fields, "choices": tuple(fields.get("choices", ()))}) for name, fields in declared.items()}


def misfit(method: str, integrator: str) -> str:
    """Why the two cannot go together; empty when they can. `auto` goes with everything."""
    if "auto" not in (method, integrator) and declaration("methods", method, "OWNS_STEP", False):
        return f"the method '{method}' makes its own steps: give no integrator (got '{integrator}')"
    if "auto" not in (method, integrator) and declaration("methods", method, "SEARCHES", False):
        fitting = [word for word in names("integrators") if declaration("integrators", word, "FORMULA", False)]
        if integrator in names("integrators") and integrator not in fitting:
            return f"the method '{method}' takes an explicit integrator: {', '.join(fitting)} (got '{integrator}')"
    return ""


def unsteady(method: str, chosen: Mapping[str, Any]) -> str:
    """Why a method does not go with error control where these options, also those of the integrator, are chosen; empty where it does.

    A relative tolerance of 1 or more controls nothing: the steps are those of `first_step` and `max_step`.
    """
    declared = declaration("methods", method, "EQUAL_STEPS") or {}
    applies = declared and all(chosen.get(name) == value for name, value in declared.items())
    if not applies or not (chosen.get("rtol") or 1.0) < 1.0:
        return ""
    words = [word for word in names("integrators") if declaration("integrators", word, "FORMULA", False)]
    steady = [word for word in words if "rtol" not in options("integrators", word)]
    variant = ", ".join(f"{name}={value}" for name, value in declared.items())
    return f"{method}({variant}) takes steps of equal size, and is wrong under error control: give `step`, and {' or '.join(steady)}"


def uncontrolled(chosen: Mapping[str, Any]) -> str:
    """Why a relative tolerance controls no error; empty where it does, or where a `max_step` is given, which sets the steps then."""
    rtol = chosen.get("rtol")
    if rtol is None or rtol < 1.0 or chosen.get("max_step") is not None:
        return ""
    return f"a relative tolerance of 1 or more controls no error: give less, or max_step, which then sets the steps (got {rtol:g})"


def inexact(method: str, chosen: Mapping[str, object]) -> str:
    """Why a method does not go with a Jacobian by the tangents, which `chosen` options ask for; empty where it does."""
    reason = declaration("methods", method, "NO_TANGENTS") if chosen.get("jacobian") == "tangents" else None
    if not reason:
        return ""
    return f"jacobian: tangents are not those of {method}: {reason}; give `jacobian: differences`, or another method, as lagrange"


def idle_tolerance(method: str, drift: str) -> bool:
    """Whether nothing reads `drift_tolerance`: no drift is corrected, and the method has no iteration that ends with it."""
    of_method = any(declaration("methods", method, name, False) for name in ("OWNS_STEP", "SEARCHES"))
    return drift == "none" and not of_method


def automatic_integrator(stepped: bool, beams: bool = False) -> str:
    """What `auto` means for a method that makes no steps of its own: equal steps where a step is given, else error control.

    `beams`: whether the model has any, which are stiff.
    """
    return "rk4" if stepped else "radau" if beams else "dop853"


def variant(text: str) -> tuple[str, dict[str, str]]:
    """`svd(hold=false, hold_limit=3)` -> ("svd", {"hold": "false", "hold_limit": "3"}). Raises ValueError."""
    word, parenthesis, rest = text.strip().partition("(")
    if not parenthesis:
        return word.strip(), {}
    if not rest.endswith(")"):
        raise ValueError(f"expected NAME or NAME(option=value, ...) (got {text[:60]!r})")
    found: dict[str, str] = {}
    for part in filter(str.strip, rest[:-1].split(",")):
        name, equals, value = (x.strip() for x in part.partition("="))
        if not (name and equals and value) or name in found:
            raise ValueError(f"expected NAME or NAME(option=value, ...) (got {text[:60]!r})")
        found[name] = value
    return word.strip(), found
