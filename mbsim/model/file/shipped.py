"""The shipped models: where they are, and which file a name or a path means."""

from pathlib import Path

SUFFIXES = (".yaml", ".yml")
STUDIES = "studies"  # the folder of shipped studies
SHOWN = 5  # files of a folder in a message
LONGEST = 120  # characters of a path in a message
_HINT = "; the text of a model, which Python may give in place of a path, has several lines"


class NoModelError(FileNotFoundError):
    """There is neither a file nor a shipped model of that name."""


def folder() -> Path:
    """The folder of the shipped models: in the package of an installed wheel, or at the root of a source tree. Raises NoModelError."""
    package = Path(__file__).resolve().parents[2]
    for place in (package / "_models", package.parent / "models"):
        if place.is_dir():
            return place
    raise NoModelError("this installation has no shipped models; give the path of a model file")


def shipped() -> dict[str, Path]:
    """Name -> path. The name is the path below the folder, without the suffix; without studies and their models. Raises NoModelError."""
    root = folder()
    paths = sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES and STUDIES not in path.relative_to(root).parts)
    return {path.relative_to(root).with_suffix("").as_posix(): path for path in paths}


def study(name: str) -> Path | None:
    """The shipped study of a name, None where there is none. Raises NoModelError."""
    path = folder() / STUDIES / f"{Path(name).name.removesuffix('.yaml')}.yaml"
    return path if path.is_file() else None


def find(name_or_path: str | Path) -> Path:
    """The file at that path, else the shipped model of that name, with or without `.yaml`. Raises NoModelError."""
    if not str(name_or_path).strip():
        raise NoModelError("a model is given by the path of its file or the name of a shipped model (got an empty text)")
    path = Path(name_or_path)
    if is_file(path):
        return path
    models = shipped()
    name = path.with_suffix("").as_posix() if path.suffix in SUFFIXES else path.as_posix()
    if name in models:
        return models[name]
    from mbsim.model.file.errors import nearest

    close = nearest(name, list(models))
    hint = f"did you mean '{close}'?" if close else "`mbsim models` lists the shipped ones"
    raise NoModelError(f"{_not_found(path)}; {hint}{_HINT * _may_be_text(str(name_or_path))}")


def shortened(path: Path) -> str:
    """A path as messages show it: its first characters where it is long, and nothing that a terminal would obey."""
    text = "".join(character if character.isprintable() else "?" for character in str(path))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def is_file(path: Path) -> bool:
    """Whether there is a file at a path. Raises NoModelError where the system cannot say: a name that is too long, a closed folder."""
    try:
        return path.is_file()
    except OSError as error:
        raise NoModelError(f"'{shortened(path)}' cannot be the path of a model: {(error.strerror or str(error)).lower()}{_HINT}") from None


def _may_be_text(given: str) -> bool:
    """Whether what was given as a path is rather the YAML text of a model."""
    return ": " in given or given.lstrip().startswith("{")


def _not_found(path: Path) -> str:
    """Why there is no model at a path: what is there, or which folder was searched."""
    if path.is_dir():
        inside = sorted(other.name for other in path.iterdir() if other.suffix in SUFFIXES)
        here = f"; it holds {', '.join(inside[:SHOWN])}{' ...' * (len(inside) > SHOWN)}" if inside else ""
        return f"'{shortened(path)}' is a folder, and a model is a file{here}"
    if path.exists():
        return f"'{shortened(path)}' is no regular file"
    folder = path.parent.absolute()
    where = f"there is no such file in {folder}" if folder.is_dir() else f"there is no folder {folder}"
    return f"'{shortened(path)}' is neither a file nor a shipped model ({where})"
