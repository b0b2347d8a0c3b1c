"""A unit as a functional mock-up unit: an archive of its description and of a shared library."""

import platform
import re
import sys
import tempfile
import zipfile
from pathlib import Path

from mbsim.jit.portable import Objects
from mbsim.programs import description
from mbsim.programs.ctext import part, text_of
from mbsim.programs.link import FLAGS, compiler, run, write_objects
from mbsim.programs.outputs import NotExportedError
from mbsim.programs.unit import Unit
from mbsim.results import outputs

DATE = (1980, 1, 1, 0, 0, 0)  # of the files in the archive: the same model gives the same bytes


def folder_and_suffix() -> tuple[str, str]:
    """The folder of FMI 2.0 for this kind of machine, and the end of a shared library's name. Raises NotExportedError."""
    machine = platform.machine()
    if sys.platform == "linux" and machine == "x86_64":
        return "linux64", ".so"
    if sys.platform == "darwin":
        return "darwin64", ".dylib"
    raise NotExportedError(f"FMUs are made on Linux (x86_64) and macOS, and this is {sys.platform} on {machine}; name a .c file")


def write_fmu(unit: Unit, output: Path, native: bool = False, force: bool = False) -> list[Path]:
    """Write an FMU of FMI 2.0 for co-simulation, for this kind of machine; returns the file.

    `native`: for processors such as this one. `force`: also over what mbsim did not write. Raises NotExportedError, OSError.
    """
    folder, suffix = folder_and_suffix()
    objects = Objects(native)
    text = text_of(unit, objects) + "\n" + part("fmi2.c")
    found = re.search(r'identity\[\] = "(\w+)"', text)
    assert found is not None
    with tempfile.TemporaryDirectory() as name:
        inner = Path(name)
        (inner / "unit.c").write_text(text, encoding="utf-8")
        files = write_objects(objects.files, inner)
        run([*compiler(), *FLAGS, "-shared", "-o", f"unit{suffix}", "unit.c", *files, "-lm"], inner)
        library = (inner / f"unit{suffix}").read_bytes()
    entries = {
        "modelDescription.xml": description.fmi2(unit, found[1]),
        f"binaries/{folder}/{unit.name}{suffix}": library,
    }
    with outputs.replacing(output, force) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in entries.items():
            archive.writestr(zipfile.ZipInfo(path, DATE), data, zipfile.ZIP_DEFLATED)
    return [output]
