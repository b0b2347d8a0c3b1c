"""List the shipped models, or print the path of one."""

from pathlib import Path

import click

from mbsim.cli import InputError

SUFFIXES = (".yaml", ".yml")
STUDIES = "studies"  # the folder of shipped studies
SHOWN = 5  # files of a folder in a message


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the shipped models with descriptions and paths, or print the path of the model NAME.

    `mbsim run NAME` accepts these names too.
    """
    if name is not None:
        click.echo(find_model(name))
        return
    found = shipped()
    titles = {key: describe(path) for key, path in found.items()}
    columns = [max((len(cell) for cell in cells), default=0) for cells in (found, titles.values())]
    for key, path in found.items():
        click.echo(f"{key:{columns[0]}}  {titles[key]:{columns[1]}}  {path}")


def folder() -> Path:
    """The folder of the shipped models: in the package of an installed wheel, or at the root of a source tree. Raises InputError."""
    here = Path(__file__).resolve()
    for place in (here.parents[1] / "_models", here.parents[2] / "models"):
        if place.is_dir():
            return place
    raise InputError("this installation has no shipped models; give the path of a model file")


def shipped() -> dict[str, Path]:
    """Name -> path. The name is the path below the folder, without the suffix. Studies and their models are not among them."""
    root = folder()
    paths = sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES and STUDIES not in path.relative_to(root).parts)
    return {path.relative_to(root).with_suffix("").as_posix(): path for path in paths}


def find_model(name_or_path: str | Path) -> Path:
    """The file at that path, else the shipped model of that name, with or without `.yaml`. Raises InputError."""
    path = Path(name_or_path)
    if path.is_file():
        return path
    models = shipped()
    name = path.with_suffix("").as_posix() if path.suffix in SUFFIXES else path.as_posix()
    if name in models:
        return models[name]
    from mbsim.model.errors import nearest

    close = nearest(name, list(models))
    hint = f"did you mean '{close}'?" if close else "`mbsim models` lists the shipped ones"
    raise InputError(f"{_not_found(path)}; {hint}")


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


def describe(path: Path) -> str:
    """The opening comment of the file, else its `name:`, read as text: a listing needs no YAML reader."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") and line.strip("# "):
            return line.strip("# ")
        if line.startswith("name:"):
            return line.removeprefix("name:").strip().strip("\"'")
    return ""
