"""Models as programs without Python: a library of C, or a functional mock-up unit. docs/export.md."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbsim.model.schema import Model

SHARED = (".so", ".dylib", ".dll")
SUFFIXES = (".c", *SHARED, ".fmu")


def export(
    source: "str | Path | Mapping[str, Any] | Model",
    output: str | Path,
    inputs: Collection[str] = (),
    outputs: Sequence[str] = (),
    changeable: Collection[str] = (),
    *,
    parameters: Mapping[str, float | str] | None = None,
    fmi: int = 2,
    kind: str = "cs",
    derivatives: bool | None = None,
    native: bool = False,
    plain: bool = False,
    platforms: Sequence[str] = (),
    force: bool = False,
    **settings: object,
) -> list[Path]:
    """Write a model as a library of C (`output` ends with .c; .so: a shared one) or as an FMU (.fmu), and return the files.

    `inputs` and `changeable` are parameters of the model's laws: the first vary with time, the second are the parameters of the unit.
    `outputs` are names of what a run records and of measures; without any, coordinates, speeds, states and measures. `parameters` are
    parameters of the model with other values, and `settings` (method, integrator, step, rtol ...) those of `mbsim.simulate`.

    `fmi`: 2 or 3, the version of the standard. `kind`: "cs" for co-simulation, "me" for model exchange, "both". `derivatives`: whether the
    unit gives directional derivatives; None: for model exchange. `native`: for processors such as this one, else for all of its kind,
    slower. `plain`: a library of C as source alone, with steps of equal size, for any compiler. `platforms`: the kinds of machines that an
    FMU is for, such as linux64 or aarch64-linux; this one without any. `force`: also over files that mbsim did not write. Raises
    mbsim.programs.outputs.NotExportedError (a ValueError) for what no unit can have, ModelError, ValueError, OSError.
    """
    from mbsim.jit.portable import NotPortableError
    from mbsim.programs.fmu import write_fmu
    from mbsim.programs.library import write_library, write_shared
    from mbsim.programs.outputs import NotExportedError
    from mbsim.programs.plain import write_plain
    from mbsim.programs.unit import identifier, unit_of
    from mbsim.results.outputs import check_suffix

    path = Path(output)
    check_suffix(path, SUFFIXES)
    if path.suffix.lower() != ".fmu" and (kind != "cs" or derivatives):
        raise NotExportedError("kind, derivatives: of .fmu files; a library of C takes its steps itself")
    if plain and (native or path.suffix.lower() != ".c"):
        raise NotExportedError("plain: of .c files, and without native: the compiler that takes them decides on processors")
    unit = unit_of(source, inputs, outputs, changeable, identifier(path.stem), parameters, kind, derivatives, **settings)
    try:
        if plain:
            return write_plain(unit, path, force)
        if path.suffix.lower() == ".c":
            return write_library(unit, path, native, force)
        if path.suffix.lower() in SHARED:
            return write_shared(unit, path, native, force)
        return write_fmu(unit, path, native, force, fmi, platforms)
    except NotPortableError as error:
        raise NotExportedError(str(error)) from error
