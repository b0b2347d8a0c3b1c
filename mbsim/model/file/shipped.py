"""The shipped models: where they are, and which file a name or a path means."""

from pathlib import Path

SUFFIXES = (".yaml", ".yml")
STUDIES = "studies"  # the folder of shipped studies
SHOWN = 5  # files of a folder in a message


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
    path = Path(name_or_path)
    if path.is_file():
        return path
    models = shipped()
    name = path.with_suffix("").as_posix() if path.suffix in SUFFIXES else path.as_posix()
    if name in models:
        return models[name]
    from mbsim.model.file.errors import nearest

    close = nearest(name, list(models))
    hint = f"did you mean '{close}'?" if close else "`mbsim models` lists the shipped ones"
    raise NoModelError(f"{_not_found(path)}; {hint}")


def _not_found(path: Path) -> str:
    """Why there is no model at a path: what is there, or which folder was searched."""
    if path.is_dir():
        inside = sorted(other.name for other in path.iterdir() if other.suffix in SUFFIXES)
        here = f"; it holds {', '.join(inside[:SHOWN])}{' ...' * (len(inside) > SHOWN)}" if inside else ""
        return f"'{path}' is a folder, and a model is a file{here}"
    if path.exists():
        return f"'{path}' is no regular file"
    folder = path.parent.absolute()
    where = f"there is no such file in {folder}" if folder.is_dir() else f"there is no folder {folder}"
    return f"'{path}' is neither a file nor a shipped model ({where})"
