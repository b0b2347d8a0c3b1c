"""A unit as a functional mock-up unit: an archive of its description and of a shared library."""

import platform
import re
import sys
import tempfile
import zipfile
from pathlib import Path

from mbsim.jit.portable import Objects
from mbsim.programs.ctext import part, text_of
from mbsim.programs.description import VERSIONS, description
from mbsim.programs.link import FLAGS, compiler, run, write_objects
from mbsim.programs.outputs import NotExportedError
from mbsim.programs.unit import Unit
from mbsim.results import outputs

DATE = (1980, 1, 1, 0, 0, 0)  # of the files in the archive: the same model gives the same bytes


def folder_and_suffix(version: int) -> tuple[str, str]:
    """The folder of a version of FMI for this kind of machine, and the end of a shared library's name. Raises NotExportedError."""
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    folders = {("linux", "x86_64"): "linux64", ("darwin", "x86_64"): "darwin64"}
    if sys.platform not in ("linux", "darwin") or (version == 2 and (sys.platform, machine) not in folders):
        advice = "; --fmi 3 knows this kind" if sys.platform in ("linux", "darwin") else "; name a .c file"
        raise NotExportedError(f"FMUs of FMI {version} are not made on {sys.platform} on {machine}{advice}")
    suffix = ".so" if sys.platform == "linux" else ".dylib"
    return (folders[sys.platform, machine] if version == 2 else f"{machine}-{sys.platform}"), suffix


def interface(unit: Unit, version: int) -> list[str]:
    """The files of the folder `c` with the functions of a version of FMI."""
    if version == 2:
        return ["instance.c", "fmi2.c", *["exchange2.c"] * (unit.exchange is not None)]
    return ["instance.c", "fmi3.c", "never3.c", "absent3.c" if unit.exchange is None else "exchange3.c"]


def write_fmu(unit: Unit, output: Path, native: bool = False, force: bool = False, version: int = 2) -> list[Path]:
    """Write an FMU of FMI 2.0 or 3.0, for this kind of machine; returns the file.

    `native`: for processors such as this one. `force`: also over what mbsim did not write. Raises NotExportedError, OSError.
    """
    if version not in VERSIONS:
        raise NotExportedError(f"fmi: expected {' or '.join(map(str, VERSIONS))} (got {version!r})")
    folder, suffix = folder_and_suffix(version)
    objects = Objects(native)
    text = "\n".join([text_of(unit, objects), *map(part, interface(unit, version))])
    found = re.search(r'identity\[\] = "(\w+)"', text)
    assert found is not None
    with tempfile.TemporaryDirectory() as name:
        inner = Path(name)
        (inner / "unit.c").write_text(text, encoding="utf-8")
        files = write_objects(objects.files, inner)
        run([*compiler(), *FLAGS, "-shared", "-o", f"unit{suffix}", "unit.c", *files, "-lm"], inner)
        library = (inner / f"unit{suffix}").read_bytes()
    entries = {
        "modelDescription.xml": description(unit, found[1], version),
        f"binaries/{folder}/{unit.name}{suffix}": library,
    }
    with outputs.replacing(output, force) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in entries.items():
            archive.writestr(zipfile.ZipInfo(path, DATE), data, zipfile.ZIP_DEFLATED)
    return [output]
