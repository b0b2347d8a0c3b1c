"""A unit as a functional mock-up unit: an archive of its description and of a shared library."""

import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mbsim.jit.portable import Objects
from mbsim.programs import shim
from mbsim.programs.contents import given_of
from mbsim.programs.description import VERSIONS, description
from mbsim.programs.link import link
from mbsim.programs.llvmtext import text_of
from mbsim.programs.outputs import NotExportedError
from mbsim.programs.platforms import Platform, platforms
from mbsim.programs.unit import Unit
from mbsim.results import outputs

DATE = (1980, 1, 1, 0, 0, 0)  # of the files in the archive: the same model gives the same bytes


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
    given = given_of(unit, objects)
    if token:
        given = replace(given, identity=token)
    program = objects.program([shim.assembly(version), text_of(given)], f"fmi{version}")
    return given.identity, link({"unit": program, **objects.files}, target)
