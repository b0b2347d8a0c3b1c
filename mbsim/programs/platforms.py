"""The kinds of machines that units are made for: where their libraries stand in an FMU, and what compiles for them."""

import platform
import sys
from dataclasses import dataclass

from mbsim.model.file.errors import did_you_mean
from mbsim.programs.outputs import NotExportedError


@dataclass(frozen=True)
class Platform:
    """A kind of machine."""

    name: str  # the folder of FMI 3.0
    fmi2: str  # the folder of FMI 2.0; empty: that version has none
    triple: str  # of LLVM
    zig: str  # what ziglang calls it
    suffix: str  # of a shared library

    @property
    def is_this(self) -> bool:
        """Whether this machine is of this kind."""
        return self.name == _here()

    def folder(self, version: int) -> str:
        """The folder of its libraries. Raises NotExportedError."""
        if version == 2 and not self.fmi2:
            raise NotExportedError(f"FMUs of FMI 2 have no folder for {self.name}; --fmi 3 has one")
        return self.fmi2 if version == 2 else self.name


PLATFORMS = {
    one.name: one
    for one in (
        Platform("x86_64-linux", "linux64", "x86_64-unknown-linux-gnu", "x86_64-linux-gnu", ".so"),
        Platform("aarch64-linux", "", "aarch64-unknown-linux-gnu", "aarch64-linux-gnu", ".so"),
        Platform("x86_64-windows", "win64", "x86_64-w64-windows-gnu", "x86_64-windows-gnu", ".dll"),
        Platform("x86_64-darwin", "darwin64", "x86_64-apple-macosx11.0.0", "x86_64-macos", ".dylib"),
        Platform("aarch64-darwin", "", "arm64-apple-macosx11.0.0", "aarch64-macos", ".dylib"),
    )
}
_SHORT = {one.fmi2: one for one in PLATFORMS.values() if one.fmi2}


def _here() -> str:
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    return f"{machine}-{sys.platform}"


def shared_suffix() -> str:
    """What the names of shared libraries of this machine end with."""
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def platforms(names: list[str]) -> list[Platform]:
    """Those of these names, of FMI 2.0 or 3.0; this machine without any. Raises NotExportedError with all that are not known."""
    if not names:
        if _here() not in PLATFORMS or sys.platform == "win32":
            raise NotExportedError(f"FMUs are not made on {_here()}; name a .c file")
        return [PLATFORMS[_here()]]
    known = {**PLATFORMS, **_SHORT}
    wrong = [f"unknown platform {name!r}{did_you_mean(name, known)}" for name in names if name not in known]
    if wrong:
        raise NotExportedError(f"{'; '.join(wrong)}; known are {', '.join(known)}")
    return list(dict.fromkeys(known[name] for name in names))
