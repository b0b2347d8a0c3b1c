"""A unit as a library of C: the source, its header, a static library of the kernels, an example and a file for CMake."""

import tempfile
from pathlib import Path

from mbsim.jit.portable import Objects
from mbsim.programs.ctext import filled, names_text, text_of
from mbsim.programs.link import archiver, run, write_objects
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
