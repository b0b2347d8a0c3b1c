"""Whether elastic parts spin so fast that what they leave out changes their motion."""

from collections.abc import Mapping, Sequence

import numpy as np

from mbsim.scene.elastic import Elastic
from mbsim.system.system import Floats

NOTICED = 0.02  # of the stiffness of the slowest motion: an effect of spin that is worth a warning


class Spinning:
    """Looks at the angular velocities of the frames of elastic parts; memory does not grow with them."""

    def __init__(self, parts: Sequence[Elastic]) -> None:
        self._parts = parts
        self._fastest: dict[str, tuple[float, float]] = {}  # of each part the largest angular velocity, rad/s, and its time, s

    def chunk(self, times: Floats, variables: Mapping[str, Floats]) -> None:
        """Look at rows at times (k,) in s."""
        for part in self._parts:
            omega = np.linalg.norm(variables["body_angular_velocity"][:, part.bodies[0]], axis=1)
            at = int(np.argmax(omega))
            before = self._fastest.get(part.name, (0.0, 0.0))
            self._fastest[part.name] = max(before, (float(omega[at]), float(times[at])))

    def warnings(self) -> list[str]:
        """Lines of what makes the motion doubtful."""
        found = []
        for part in self._parts:
            fastest, at = self._fastest.get(part.name, (0.0, 0.0))
            share = part.loose * (fastest / part.held) ** 2
            if share > NOTICED:
                found.append(
                    f"the elastic part {part.name} turns at {fastest:.3g} rad/s at t = {at:.6g} s, and its lowest frequency with its first "
                    f"interface held is {part.held:.3g} rad/s: the centrifugal load and the stiffening by it, {_percent(share)} the "
                    f"stiffness of that motion, are left out; {_advice(part.loose)}"
                )
        return found


def _percent(share: float) -> str:
    return f"about {100.0 * share:.2g} % of" if share < 10.0 else f"about {share:.2g} times"


def _advice(loose: float) -> str:
    return "give a slender part `stations`" if loose == 1.0 else f"its stations leave {100.0 * loose:.2g} % of its mass: give it more"
