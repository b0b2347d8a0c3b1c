"""Reads what a functional mock-up unit says of itself: modelDescription.xml in its archive (FMI 2.0, 3.0). Plain Python; nothing is run."""

import platform
import sys
import zipfile
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from mbsim.model.file.fmu_exchange import exchange_of
from mbsim.model.file.fmu_records import BOOLEAN, INTEGER, OUTPUT, PARAMETER, REAL, Description, FmuError, Variable

DESCRIPTION = "modelDescription.xml"
MAX_BYTES = 50_000_000  # of a description
LONGEST_NAME = 300  # characters of a path in a message
_TYPES = {"Real": REAL, "Float64": REAL, "Integer": INTEGER, "Enumeration": INTEGER, "Boolean": BOOLEAN, "Int32": INTEGER}
_FOLDERS = {  # of the machine: FMI 2.0, FMI 3.0
    ("linux", "x86_64"): ("linux64", "x86_64-linux"), ("linux", "aarch64"): ("aarch64-linux", "aarch64-linux"),
    ("darwin", "x86_64"): ("darwin64", "x86_64-darwin"), ("darwin", "aarch64"): ("aarch64-darwin", "aarch64-darwin"),
    ("win32", "x86_64"): ("win64", "x86_64-windows"), ("win32", "aarch64"): ("aarch64-windows", "aarch64-windows"),
}  # fmt: skip
_KINDS = ("CoSimulation", "ModelExchange")  # by whether for model exchange
_OTHERWISE = (  # what to say where it is missing: the other kind is there, or not; by whether for model exchange
    ("is for model exchange alone: leave out `sample`", "is for co-simulation alone: give `sample`"),
    ("is neither for co-simulation nor for model exchange",) * 2,
)
SUFFIXES = {"linux": ".so", "darwin": ".dylib", "win32": ".dll"}


def binary_folder(version: int) -> str:
    """The folder of the libraries for this machine. Raises FmuError for one that the standard does not name."""
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    found = _FOLDERS.get((sys.platform, machine))
    if found is None:
        raise FmuError(f"FMI names no folder for {sys.platform} on {machine}")
    return found[version - 2]


def read_fmu(path: Path, exchange: bool = False) -> Description:
    """The description of a unit for co-simulation, or for model `exchange`, with a library for this machine. Raises FmuError."""
    shown = str(path)[-LONGEST_NAME:]
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            check_paths(names)
            if DESCRIPTION not in names:
                raise FmuError(f"{shown} is no FMU: it has no {DESCRIPTION}")
            if archive.getinfo(DESCRIPTION).file_size > MAX_BYTES:
                raise FmuError(f"{shown}: {DESCRIPTION} is larger than {MAX_BYTES} bytes")
            root = ElementTree.fromstring(archive.read(DESCRIPTION))
    except FileNotFoundError:
        raise FmuError(f"there is no file {shown!r}") from None
    except (OSError, zipfile.BadZipFile, RuntimeError) as error:
        raise FmuError(f"{shown} is no FMU: {error}") from None
    except ElementTree.ParseError as error:
        raise FmuError(f"{shown}: {DESCRIPTION} is no XML: {error}") from None
    return _described(root, path, names, exchange)


def check_paths(names: list[str]) -> None:
    """Raises FmuError for paths that lead out of an archive."""
    for name in names:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or "\0" in name:
            raise FmuError(f"the path {name[:LONGEST_NAME]!r} leads out of the archive, which no FMU has")


def _described(root: ElementTree.Element, path: Path, names: list[str], exchange: bool) -> Description:
    number, shown = root.get("fmiVersion", ""), str(path)[-LONGEST_NAME:]
    version = {"2.0": 2}.get(number, 3 if number.startswith("3.") else 0)
    if root.tag != "fmiModelDescription" or not version:
        raise FmuError(f"{shown} is of FMI {number or '?'}; 2.0 and 3.0 are known")
    offer = root.find(_KINDS[exchange])
    if offer is None:
        raise FmuError(f"{shown} {_OTHERWISE[root.find(_KINDS[not exchange]) is None][exchange]}")
    if offer.get("needsExecutionTool") == "true":
        raise FmuError(f"{shown} needs the program that made it ({root.get('generationTool', 'not named')}) to run: export it without that")
    identifier, folder = offer.get("modelIdentifier", ""), binary_folder(version)
    library = f"binaries/{folder}/{identifier}{SUFFIXES[sys.platform]}"
    if library not in names:
        there = sorted({name.split("/")[1] for name in names if name.startswith("binaries/") and name.count("/") > 1})
        raise FmuError(f"{shown} has no library for this machine ({folder}); it has {', '.join(there) or 'none at all'}")
    token = root.get("guid" if version == 2 else "instantiationToken", "")
    saves = offer.get("canGetAndSetFMUstate" if version == 2 else "canGetAndSetFMUState") == "true"
    variables = dict(_variables(root, version, exchange))
    exchanged = exchange_of(root, version, variables, offer, shown) if exchange else None
    return Description(path, version, token, identifier, variables, saves, library, exchanged)


def _variables(root: ElementTree.Element, version: int, exchange: bool) -> list[tuple[str, Variable]]:
    found = []
    for element in root.findall("ModelVariables/*"):
        kind = element if version == 3 else next(iter([x for x in element if x.tag in (*_TYPES, "String")]), element)
        its_type, causality = _TYPES.get(kind.tag, kind.tag), element.get("causality", "local")
        why = ""
        if its_type == kind.tag:
            why = f"is of type {kind.tag}; numbers of 64 bits, whole numbers of 32 and Booleans are connected"
        elif causality != PARAMETER and its_type != REAL and not (exchange and causality == OUTPUT):
            why = f"is of type {kind.tag}; inputs and outputs are real numbers"
        elif element.find("Dimension") is not None:
            why = "is an array; single numbers are connected"
        elif causality == PARAMETER and element.get("initial", "exact") != "exact":
            why = "is a parameter that the unit finds by itself"
        found.append((element.get("name", ""), Variable(int(element.get("valueReference", "0")), causality, its_type, why)))
    return found
