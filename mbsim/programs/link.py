"""Compiling what was written in C, and linking it: with the compiler of this machine, or with that of the package `ziglang`."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from mbsim.programs.outputs import NotExportedError
from mbsim.programs.platforms import Platform

FLAGS = ("-std=c99", "-O2", "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off")


def compiler(target: Platform) -> list[str]:
    """The command of a compiler of C with its flags: for this machine that of the variable CC, `cc`, `gcc`, `clang`, or ziglang's.

    For other kinds of machines it is ziglang's. Raises NotExportedError.
    """
    flags = [*FLAGS, *["-fPIC"] * (target.suffix != ".dll")]
    if target.is_this:
        return [*_own_compiler(), *flags]
    if find_spec("ziglang") is None:
        raise NotExportedError(f"a unit for {target.name} is linked by ziglang, which is not there: pip install 'mbsim[fmu]'")
    return [sys.executable, "-m", "ziglang", "cc", "-target", target.zig, *flags]


def _own_compiler() -> list[str]:
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        if name and shutil.which(name.split()[0]):
            return name.split()
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise NotExportedError("a unit is linked by a compiler of C, and there is none: install gcc or clang, or pip install 'mbsim[fmu]'")


def archiver() -> list[str]:
    """The command that puts object files into a static library. Raises NotExportedError."""
    if shutil.which("ar"):
        return ["ar"]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "ar"]
    raise NotExportedError("a static library is made by `ar`, and there is none: install binutils, or pip install 'mbsim[fmu]'")


def run(command: list[str], folder: Path) -> None:
    """Run a command of these in a folder. Raises NotExportedError with what it said."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NotExportedError(f"{command[0]} failed: {'; '.join(said[:3])[:600]}")


def write_objects(files: dict[str, bytes], folder: Path) -> list[str]:
    """Write object files; their names."""
    for name, data in files.items():
        (folder / f"{name}.o").write_bytes(data)
    return [f"{name}.o" for name in files]
