"""What small motions and steady motions leave out: of elastic parts without stations the centrifugal load and the stiffening by it."""

import numpy as np

from mbsim.assembly import Assembly
from mbsim.diagnosis.turning import has_bodies_alone, of_speeds
from mbsim.march.spinning import Spinning
from mbsim.scene.read import parse
from mbsim.system.system import Floats


def left_out(made: Assembly, q: Floats, v: Floats) -> list[str]:
    """What is said of elastic parts that turn at (q, v), a sentence each."""
    if not v.any() or not has_bodies_alone(made.system) or not made.scene:
        return []
    parts = parse(made.scene).elastic
    if not parts:
        return []
    found = Spinning(parts)
    found.chunk(np.array([made.start]), {"body_angular_velocity": of_speeds(made.system, q, v).turn[None]})
    return found.warnings()
