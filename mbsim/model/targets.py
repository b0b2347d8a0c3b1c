"""What varies from run to run: a parameter of a model by its name, or any number of its file by its path, `joints.pin.at[0]`."""

from dataclasses import dataclass

from mbsim.model.file.plain import Plain
from mbsim.model.file.positions import Document, Path


class PathError(ValueError):
    """A path that leads to no number of the file."""


@dataclass(frozen=True)
class Target:
    """A number of the model that varies."""

    name: str  # as it was written
    path: Path
    add: bool = False  # whether a value is added to what the file has

    @property
    def parameter(self) -> str:
        """Its name where it is a parameter, else ''."""
        return str(self.path[1]) if len(self.path) == 2 and self.path[0] == "parameters" else ""


def target(document: Document, name: str, add: bool = False) -> Target:
    """What a name means: a parameter, or a path. Raises PathError."""
    from mbsim.model.file.errors import did_you_mean

    known = document.data.get("parameters") if isinstance(document.data, dict) else None
    known = known if isinstance(known, dict) else {}
    if name in known:
        return Target(name, ("parameters", name), add)
    path = document.split(name)
    value = document.data
    for depth, part in enumerate(path):
        inside = isinstance(value, dict) and part in value
        inside = inside or (isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value))
        if not inside:
            if len(path) == 1:
                raise PathError(f"unknown parameter '{name[:60]}'{did_you_mean(name, known) if known else '; the model has no parameters'}")
            raise PathError(_missing(value, path, depth))
        value = value[part]
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise PathError(f"'{name[:60]}' is no number of the file; a path such as joints.pin.at[0] leads to one")
    if path[0] in ("measures", "reference"):
        raise PathError(f"'{name[:60]}' is of what is recorded, and no number of the mechanism; outputs read parameters and measures")
    if isinstance(value, str) and (path[0] == "name" or path[-1] == "type"):
        raise PathError(f"'{name[:60]}' is a word and no number")
    return Target(name, path, add)


def _missing(value: Plain, path: Path, depth: int) -> str:
    """What is said of a path whose part at `depth` does not exist in `value`."""
    from mbsim.model.file.errors import did_you_mean, path_text

    found = path_text(path[:depth]) or "the file"
    if isinstance(value, list):
        return f"{found} has {len(value)} items, counted from 0; there is no [{path[depth]}]"
    if isinstance(value, dict):
        return f"{found} has no '{path[depth]}'{did_you_mean(str(path[depth]), [str(key) for key in value])}"
    return f"{found} is a single value; nothing is below it"
