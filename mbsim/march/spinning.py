"""Whether elastic parts spin so fast that what they leave out changes their motion."""

from collections.abc import Mapping

import numpy as np

from mbsim.assembly.assembled import Assembly
from mbsim.elements.kinds import MODAL
from mbsim.scene.elastic import Elastic
from mbsim.system.system import Floats

NOTICED = 0.02  # of the stiffness of the slowest motion: an effect of spin that is worth a warning


class Spinning:
    """Looks at the angular velocities of the frames of elastic parts; memory does not grow with them."""

    def __init__(self, made: Assembly) -> None:
        self._made, self._asked = made, bool((made.whole.arrays.loads[:, 0] == MODAL).any())
        self._parts: list[Elastic] = []
        self._fastest: dict[str, tuple[float, float]] = {}  # of each part the largest angular velocity, rad/s, and its time, s
        self._held: dict[str, tuple[float, float]] = {}  # its lowest frequency, rad/s, and the share of its mass that spin does not load

    def chunk(self, times: Floats, variables: Mapping[str, Floats]) -> None:
        """Look at rows at times (k,) in s."""
        if not self._asked:
            return
        if not self._parts:
            from mbsim.scene.read import parse

            self._parts = parse(self._made.scene).elastic
        for part in self._parts:
            omega = np.linalg.norm(variables["body_angular_velocity"][:, part.bodies[0]], axis=1)
            at = int(np.argmax(omega))
            before = self._fastest.get(part.name, (0.0, 0.0))
            self._fastest[part.name] = max(before, (float(omega[at]), float(times[at])))
            self._held[part.name] = part.held, part.loose

    def warnings(self) -> list[str]:
        """Lines of what makes the motion doubtful."""
        found = []
        for name, (fastest, at) in self._fastest.items():
            held, loose = self._held[name]
            share = loose * (fastest / held) ** 2
            if share > NOTICED:
                found.append(
                    f"the elastic part {name} turns at {fastest:.3g} rad/s at t = {at:.6g} s, and its lowest frequency with its first "
                    f"interface held is {held:.3g} rad/s: the centrifugal load and the stiffening by it, {_percent(share)} the stiffness "
                    f"of that motion, are left out; {_advice(loose)}"
                )
        return found


def _percent(share: float) -> str:
    return f"about {100.0 * share:.2g} % of" if share < 10.0 else f"about {share:.2g} times"


def _advice(loose: float) -> str:
    return "give a slender part `stations`" if loose == 1.0 else f"its stations leave {100.0 * loose:.2g} % of its mass: give it more"
