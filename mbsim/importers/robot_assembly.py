"""The model of a robot, read and assembled: what is wrong with it in the words of robots, and what it tells of its inertias."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from mbsim.assembly.assembled import Assembly
from mbsim.importers.urdf_elements import RobotError

PLACES = 3  # random configurations that are tried where the mass matrix is singular in the first


def inertias(made: Assembly) -> dict[str, float]:
    """What moves along each speed, where the model starts: kg or kg m^2."""
    mobility = np.diag(np.linalg.pinv(made.system.M(made.start, made.q), hermitian=True))
    return {name: 1.0 / max(float(x), np.finfo(float).tiny) for name, x in zip(made.system.speeds, mobility, strict=True)}


def _in_words_of_robots(path: str, message: str) -> str:
    """`bodies.hand.inertia` -> `link 'hand': inertia`."""
    section, _, rest = path.partition(".")
    name, _, key = rest.partition(".")
    what = {"bodies": "link", "joints": "joint", "forces": "joint", "controllers": "joint"}.get(section)
    return f"{what} '{name}': {key}{': ' * bool(key)}{message}" if what else f"robot: {path}: {message}"


def assembled(text: str, folder: Path, words: Callable[[str, str], str] = _in_words_of_robots) -> Assembly:
    """The model, assembled. Raises RobotError if it is refused; `words` makes a message of a path and what is said of it."""
    from mbsim import registry
    from mbsim.assembly import assemble
    from mbsim.model.file.errors import ModelError
    from mbsim.model.load import load

    try:
        return assemble(load(text, registry, file=str(folder / "the model")))
    except ModelError as error:
        raise RobotError("\n".join(words(problem.path, problem.message) for problem in error.problems)) from None
    except ValueError as error:
        raise RobotError(f"robot: {error}") from None


def check_inertia(made: Assembly, notes: list[str]) -> None:
    """Raise RobotError if something without inertia moves in whatever configuration; a note if it does in the first only."""
    from mbsim.march.failures import without_inertia

    names = without_inertia(made.system, made.start, made.q)
    if not names:
        return
    rng = np.random.default_rng(0)
    turned = (made.system.move(made.q, rng.uniform(-0.7, 0.7, made.system.n_v)) for _ in range(PLACES))
    if all(without_inertia(made.system, made.start, q) for q in turned):
        raise RobotError(f"robot: nothing with mass or inertia moves with {', '.join(names)}: give the links behind it an inertia")
    notes.append(f"at the robot's zero nothing with mass or inertia moves with {', '.join(names)}: start in another configuration")
