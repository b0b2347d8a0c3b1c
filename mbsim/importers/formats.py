"""The formats of robots' files that are read, by the root element of the file."""

from pathlib import Path

from mbsim.importers import mjcf, urdf
from mbsim.importers.robot import Robot
from mbsim.importers.robot_model import Conversion, Options, written
from mbsim.importers.urdf_elements import RobotError, parsed

MJCF = "mujoco"  # the root element; that of URDF is <robot>


def read(path: Path, folder: Path, options: Options = Options()) -> Robot:  # noqa: B008 (it is frozen)
    """The robot that a URDF or an MJCF file describes; names of meshes begin in `folder`. Raises RobotError, OSError."""
    root = parsed(path)
    if root.tag != MJCF:
        if options.keyframe is not None:
            raise RobotError("only MJCF files have keyframes (--keyframe)")
        return urdf.robot_of(root, path, folder)
    if options.floating:
        raise RobotError("--floating is for URDF; in MJCF bodies with a free joint float")
    return mjcf.read(path, root, folder, options.keyframe)


def conversion(path: str | Path, options: Options = Options(), folder: str | Path = ".") -> Conversion:  # noqa: B008 (it is frozen)
    """The model with its notes. `folder` is where the model file will be: names of meshes begin there.

    Raises RobotError, also for a model that cannot be assembled, and OSError.
    """
    return written(read(Path(path), Path(folder).absolute(), options), options, Path(path).name, Path(folder))
