"""Linking object files: with the linker of this machine, by way of its compiler of C, or with that of the package `ziglang`."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from mbsim.programs.outputs import NotExportedError
from mbsim.programs.platforms import Platform

LINKERS = ("ld", "ld.lld", "ld.gold")  # of Linux: they name the libraries that they do not find by themselves
LINKED = ("-shared", "-z", "noexecstack", "-z", "relro", "--build-id=none")
LIBRARIES = ("-l:libm.so.6", "-l:libc.so.6")  # as they stand on a machine without what compilers take
COMPILERS = ("cc", "gcc", "clang")
ZIG = "ziglang"


def link(files: Mapping[str, bytes], target: Platform) -> bytes:
    """The shared library of object files by their names. Raises NotExportedError with what the last linker said."""
    failure: NotExportedError | None = None
    for command, libraries in _linkers(target):
        with tempfile.TemporaryDirectory() as name:
            folder, library = Path(name), f"unit{target.suffix}"
            try:
                run([*command, "-o", library, *write_objects(files, folder), *libraries], folder)
            except NotExportedError as error:
                failure = error
                continue
            return (folder / library).read_bytes()
    if failure is not None:
        raise failure
    if not target.is_this:
        raise NotExportedError(f"a unit for {target.name} is linked by ziglang, which is not there: pip install 'mbsim[fmu]'")
    raise NotExportedError(
        "a unit is linked by a linker or a compiler of C, and there is none: install binutils or gcc, or pip install 'mbsim[fmu]'"
    )


def _linkers(target: Platform) -> Iterator[tuple[list[str], list[str]]]:
    """Commands with their flags, and libraries: for this machine all that there are, best first."""
    if target.is_this:
        own = os.environ.get("CC", "")
        alone = LINKERS if sys.platform == "linux" else ()
        for name in filter(None, (own, *alone, *COMPILERS)):
            if shutil.which(name.split()[0]):
                yield ([name, *LINKED], list(LIBRARIES)) if name in alone else ([*name.split(), "-shared"], ["-lm"])
    if find_spec(ZIG) is not None:
        yield [sys.executable, "-m", ZIG, "cc", "-target", target.zig, "-shared"], ["-lm"]


def compiler() -> list[str]:
    """The command that compiles C for this machine. Raises NotExportedError."""
    for name in filter(None, (os.environ.get("CC", ""), *COMPILERS)):
        if shutil.which(name.split()[0]):
            return name.split()
    if find_spec(ZIG) is not None:
        return [sys.executable, "-m", ZIG, "cc"]
    raise NotExportedError("a shared library takes a compiler of C, and there is none: install gcc, or pip install 'mbsim[fmu]'")


def archiver() -> list[str]:
    """The command that puts object files into a static library. Raises NotExportedError."""
    if shutil.which("ar"):
        return ["ar"]
    if find_spec(ZIG) is not None:
        return [sys.executable, "-m", ZIG, "ar"]
    raise NotExportedError("a static library is made by `ar`, and there is none: install binutils, or pip install 'mbsim[fmu]'")


def run(command: list[str], folder: Path) -> None:
    """Run a command of these in a folder. Raises NotExportedError with what it said."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NotExportedError(f"{command[0]} failed: {'; '.join(said[:3])[:600]}")


def write_objects(files: Mapping[str, bytes], folder: Path) -> list[str]:
    """Write object files; their names."""
    for name, data in files.items():
        (folder / f"{name}.o").write_bytes(data)
    return [f"{name}.o" for name in files]
