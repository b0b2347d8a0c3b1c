"""Whether cables stay on their pulleys along the output rows of a run."""

from collections.abc import Mapping

import numpy as np

from mbsim.assembly.assembled import Assembly
from mbsim.elements.kinds import STRAND
from mbsim.system.system import Floats

OFF = 1e-6  # rad: by how much less than nothing a cable lies on a pulley that it has left


class Lifting:
    """Looks at poses; memory does not grow with them."""

    def __init__(self, made: Assembly) -> None:
        self._made, self._asked = made, bool((made.whole.arrays.relative[:, 0] == STRAND).any())
        self._angles: dict[tuple[str, int], float] = {}  # the last one on each pulley, rad
        self._off: dict[tuple[str, int], float] = {}  # the first time without, s

    def chunk(self, times: Floats, variables: Mapping[str, Floats]) -> None:
        """Look at rows at times (k,) in s."""
        if not self._asked:
            return
        from mbsim.scene.motion import motion
        from mbsim.scene.read import parse
        from mbsim.scene.spans import lying

        poses = motion(times, variables["body_position"], variables["body_orientation"])
        for cable in parse(self._made.scene).cables:
            for n, angle in lying(cable, poses):
                key = cable.name, n
                turns = np.unwrap(np.append(self._angles.get(key, angle[0] % (2.0 * np.pi)), angle))[1:]
                self._angles[key] = float(turns[-1])
                off = np.flatnonzero(turns + 2.0 * np.pi * cable.bends[n].turns < -OFF)
                if len(off):
                    self._off.setdefault(key, float(times[off[0]]))

    def warnings(self) -> list[str]:
        """Lines of what makes the motion doubtful."""
        told = "would lift off the circle path[{}] at t = {:.6g} s: from there on the run holds it there, as by a groove"
        return [f"the cable {name} {told.format(n, at)}" for (name, n), at in self._off.items()]
