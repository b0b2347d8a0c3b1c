"""The formats of robots' files that are read: URDF and MJCF, told apart by the root element, and those of other packages.

An importer of another package (docs/plugins.md) has SUFFIXES, the endings of its files, and `read(path, folder)`: what the file describes.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mbsim import registry
from mbsim.importers import mjcf, urdf
from mbsim.importers.robot import Robot
from mbsim.importers.robot_model import Conversion, Options, convert, write_robot
from mbsim.importers.urdf_elements import RobotError, parse

KIND = "importers"
MJCF = "mujoco"  # the root element; that of URDF is <robot>
SUFFIXES = (".urdf", ".xml", ".mjcf")  # of files that are read here without a look for other packages


def read(path: Path, folder: Path, options: Options = Options()) -> Robot:  # noqa: B008 (it is frozen)
    """The robot that a URDF or an MJCF file describes; names of meshes begin in `folder`. Raises RobotError, OSError."""
    root = parse(path)
    if root.tag != MJCF:
        if options.keyframe is not None:
            raise RobotError("only MJCF files have keyframes (--keyframe)")
        return urdf.robot_of(root, path, folder, options)
    if options.floating:
        raise RobotError("--floating is for URDF; in MJCF bodies with a free joint float")
    if options.mu is not None:
        raise RobotError("--mu is for URDF; geoms of MJCF have a friction of their own")
    return mjcf.read(path, root, folder, options.keyframe, options.contacts is not None, options.floor)


def conversion(
    path: str | Path,
    options: Options = Options(),  # noqa: B008 (it is frozen)
    folder: str | Path = ".",
    word: str | None = None,
) -> Conversion:
    """The model with its notes. `folder` is where the model file will be: names of meshes begin there.

    `word`: the format; when not given the file tells it. Raises RobotError, also for a model that cannot be assembled, and OSError.
    """
    path, folder = Path(path), Path(folder)
    chosen = _choose(path, word)
    if not chosen:
        return write_robot(read(path, folder.absolute(), options), options, path.name, folder)
    found = _read_by(chosen, path, folder.absolute())
    if isinstance(found, Robot):
        if options.keyframe is not None:
            raise RobotError(f"the importer '{chosen}' takes no keyframes (--keyframe)")
        return write_robot(found if found.order else found.ordered(), options, path.name, folder)
    if options != Options():
        known = ", ".join(f"--{name}" for name in Options.__dataclass_fields__)
        raise RobotError(f"the importer '{chosen}' takes no options of robots ({known})")
    return convert(found, folder)


def _choose(path: Path, word: str | None) -> str:
    """The importer of another package that reads the file; empty for those here. Raises RobotError."""
    own = registry.IMPORTERS
    if word is not None:
        if word not in registry.names(KIND):
            raise RobotError(f"there is no importer '{word[:60]}'; there are {', '.join(registry.names(KIND))}")
        return "" if word in own else word
    suffix = path.suffix.lower()
    if suffix in SUFFIXES:
        return ""
    fitting, faults = list[str](), list[str]()
    for other in registry.names(KIND):
        if other not in own:
            try:
                fitting += [other] * (suffix in _suffixes(other))
            except RobotError as error:  # one that is wrong does not stop others
                faults.append(str(error))
    if len(fitting) > 1:
        raise RobotError(f"{path}: several importers read {suffix} files: {', '.join(fitting)}; choose one with --format")
    if not fitting and faults:
        raise RobotError(f"{faults[0]}; choose another with --format")
    return fitting[0] if fitting else ""


def _suffixes(word: str) -> tuple[str, ...]:
    """The endings of an importer's files. Raises RobotError."""
    given = getattr(_importer(word), "SUFFIXES", None)
    if not isinstance(given, tuple | list) or not all(isinstance(suffix, str) and suffix.startswith(".") for suffix in given):
        raise RobotError(f"the importer '{word}' of another package has no SUFFIXES, endings such as ('.sdf',)")
    return tuple(suffix.lower() for suffix in given)


def _importer(word: str) -> Any:
    """The module or class of another package. Raises RobotError."""
    try:
        return registry.importer(word)
    except registry.PluginError as error:
        raise RobotError(str(error)) from None


def _read_by(word: str, path: Path, folder: Path) -> Robot | Conversion | Mapping[str, Any]:
    """What an importer of another package reads. Raises RobotError, OSError."""
    function = getattr(_importer(word), "read", None)
    if not callable(function):
        raise RobotError(f"the importer '{word}' of another package has no function read(path, folder)")
    try:
        found = function(path, folder)
    except (RobotError, OSError):
        raise
    except ValueError as error:  # what is wrong with the file, said by the importer
        raise RobotError(f"{path}: {error}") from None
    except Exception as error:
        raise RobotError(f"{path}: the importer '{word}' of another package failed: {type(error).__name__}: {error}") from error
    if not isinstance(found, Robot | Conversion | Mapping):
        raise RobotError(
            f"the importer '{word}' returned {type(found).__name__}; it has to be a model as a dictionary, a Robot or a Conversion"
        )
    return found
