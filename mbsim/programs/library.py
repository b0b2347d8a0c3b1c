"""A unit as a library of C: source, header, a static library of the kernels, an example, a file for CMake; or as a shared library."""

import tempfile
from pathlib import Path

from mbsim.jit.portable import Objects
from mbsim.programs.ctext import filled, names_text, text_of
from mbsim.programs.link import archiver, compiler, run, write_objects
from mbsim.programs.outputs import NotExportedError
from mbsim.programs.platforms import shared_suffix
from mbsim.programs.unit import Unit
from mbsim.results import outputs


def write_library(unit: Unit, output: Path, native: bool = False, force: bool = False) -> list[Path]:
    """Write `output` (.c) and, beside it, .h, lib*.a, the example and CMakeLists.txt; returns the files.

    `native`: for processors such as this one. `force`: also over what mbsim did not write. Raises NotExportedError, OSError.
    """
    objects = Objects(native)
    model, folder = unit.name, output.parent
    core = text_of(unit, objects)
    replaced = {
        "@MODEL@": model, "@INPUTS@": str(len(unit.arguments)), "@OUTPUTS@": str(len(unit.shown)), "@SOURCE@": output.name,
        "@HEADER@": f"{output.stem}.h", "@LIBRARY@": f"{output.stem}_kernels", "@STEP@": repr(unit.step),
        "@END@": repr(unit.inside.settings.end), "@TITLE@": unit.title, "@MAIN@": f"{output.stem}_main.c",
    }  # fmt: skip

    header = filled("unit.h", replaced)
    names = names_text(unit)
    written = {
        output: f'#include "{output.stem}.h"\n\n{core}\n' + "\n".join(names) + "\n\n" + filled("library.c", replaced),
        folder / f"{output.stem}.h": header,
        folder / f"{output.stem}_main.c": filled("main.c", replaced),
        folder / "CMakeLists.txt": filled("CMakeLists.txt", replaced),
    }
    archive = folder / f"lib{output.stem}_kernels.a"
    for path in (*written, archive):
        outputs.require(path, force)
    with tempfile.TemporaryDirectory() as name:
        inner = Path(name)
        run([*archiver(), "rcs", "kernels.a", *write_objects(objects.files, inner)], inner)
        library = (inner / "kernels.a").read_bytes()
    for path, text in written.items():
        outputs.write_text(path, text, force)
    with outputs.replacing(archive, force) as partial:
        partial.write_bytes(library)
    return [*written, archive]


def write_shared(unit: Unit, output: Path, native: bool = False, force: bool = False) -> list[Path]:
    """Write `output` (.so, or as this machine calls them), a shared library, and beside it .h and the example; returns the files.

    Raises NotExportedError, also where there is no compiler of C, and OSError.
    """
    if output.suffix.lower() != shared_suffix():
        raise NotExportedError(f"a shared library of this machine ends with {shared_suffix()} (got {output.name})")
    beside = [output.with_suffix(".h"), output.with_name(f"{output.stem}_main.c")]
    for path in (output, *beside):
        outputs.require(path, force)
    command = [*compiler(), "-std=c99", "-O2", "-fPIC", "-fno-strict-aliasing", "-shared"]
    with tempfile.TemporaryDirectory() as name:
        inner = Path(name)
        source, *_, archive = write_library(unit, inner / f"{output.stem}.c", native)
        run([*command, source.name, archive.name, "-lm", "-o", output.name], inner)
        library, texts = (inner / output.name).read_bytes(), [(inner / path.name).read_text(encoding="utf-8") for path in beside]
    for path, text in zip(beside, texts, strict=True):
        outputs.write_text(path, text, force)
    with outputs.replacing(output, force) as partial:
        partial.write_bytes(library)
        partial.chmod(0o755)
    return [output, *beside]
