"""A unit as a functional mock-up unit: an archive of its description and of a shared library."""

import re
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from mbsim.jit.portable import Objects
from mbsim.programs.ctext import part, text_of
from mbsim.programs.description import VERSIONS, description
from mbsim.programs.link import compiler, run, write_objects
from mbsim.programs.outputs import NotExportedError
from mbsim.programs.platforms import Platform, platforms
from mbsim.programs.unit import Unit
from mbsim.results import outputs

DATE = (1980, 1, 1, 0, 0, 0)  # of the files in the archive: the same model gives the same bytes


def interface(unit: Unit, version: int) -> list[str]:
    """The files of the folder `c` with the functions of a version of FMI."""
    if version == 2:
        return ["instance.c", "fmi2.c", *["exchange2.c"] * (unit.exchange is not None)]
    return ["instance.c", "fmi3.c", "never3.c", "events3.c", "absent3.c" if unit.exchange is None else "exchange3.c"]


def write_fmu(
    unit: Unit, output: Path, native: bool = False, force: bool = False, version: int = 2, targets: Sequence[str] = ()
) -> list[Path]:
    """Write an FMU of FMI 2.0 or 3.0, for these platforms, or for this kind of machine; returns the file.

    `native`: for processors such as this one. `force`: also over what mbsim did not write. Raises NotExportedError, OSError.
    """
    if version not in VERSIONS:
        raise NotExportedError(f"fmi: expected {' or '.join(map(str, VERSIONS))} (got {version!r})")
    chosen = platforms(list(targets))
    others = [target.name for target in chosen if not target.is_this]
    if native and others:
        raise NotExportedError(f"--native is for processors such as this one, and {', '.join(others)} is of another kind")
    places = {target: f"binaries/{target.folder(version)}/{unit.name}{target.suffix}" for target in chosen}
    token, libraries = "", dict[str, bytes]()
    for target, place in places.items():
        token, libraries[place] = _library(unit, native, version, target, token)
    entries = {"modelDescription.xml": description(unit, token, version), **libraries}
    with outputs.replacing(output, force) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in entries.items():
            archive.writestr(zipfile.ZipInfo(path, DATE), data, zipfile.ZIP_DEFLATED)
    return [output]


def _library(unit: Unit, native: bool, version: int, target: Platform, token: str) -> tuple[str, bytes]:
    """What identifies the unit, which is `token` where there is one, and its library for a platform. Raises NotExportedError."""
    objects = Objects(native, "" if target.is_this else target.triple)
    text = "\n".join([text_of(unit, objects), *map(part, interface(unit, version))])
    found = re.search(r'identity\[\] = "(\w+)"', text)
    assert found is not None
    if token:
        text = text[: found.start(1)] + token + text[found.end(1) :]
    with tempfile.TemporaryDirectory() as name:
        inner, library = Path(name), f"unit{target.suffix}"
        (inner / "unit.c").write_text(text, encoding="utf-8")
        files = write_objects(objects.files, inner)
        run([*compiler(target), "-shared", "-o", library, "unit.c", *files, "-lm"], inner)
        return token or found[1], (inner / library).read_bytes()
