"""A mechanism moved by hand: its free coordinates set one at a time, all others following the position constraints."""

import numpy as np
from scipy.linalg import qr

from mbsim.assembly import Assembly
from mbsim.diagnosis.consistent import StartError, assemble_position
from mbsim.diagnosis.redundancy import count_rank
from mbsim.system.system import Floats

STRIDE = 0.04  # m or rad: a longer way is gone in such steps, so that the mechanism keeps its assembly mode
STEEPEST = 50.0  # of the others' displacement to the free one's: beyond it a dead point is near
CLOSE = 0.5  # of a step: an assembly that ends farther away has jumped


class Dragging:
    """The positions that an assembled mechanism can take at the time of its start."""

    def __init__(self, made: Assembly) -> None:
        self._made, self.q = made, made.q.copy()
        self.free: list[int] = _independent(self._motions())  # places in v
        names = [made.system.speeds[j] for j in self.free]
        self.names = [name.removeprefix("der(").removesuffix(")") for name in names]
        self.turns = [made.system.speed_units[j].startswith("rad") for j in self.free]
        self._moved = np.zeros(len(self.free))  # of coordinates that are no entries of q

    def _motions(self) -> Floats:
        """(n_v, f) displacements that the position constraints allow here, orthonormal."""
        system = self._made.system
        C = system.C(self._made.start, self.q)[: system.n_holonomic]
        if not len(C):
            return np.eye(system.n_v)
        sizes = np.linalg.norm(C, axis=1, keepdims=True)
        _, sigma, V = np.linalg.svd(C / np.where(sizes > 0.0, sizes, 1.0))
        motions: Floats = V[count_rank(sigma) :].T
        return motions

    def value(self, i: int) -> float:
        """Of a free coordinate, m or rad; of one that is no coordinate of the model how far it was moved."""
        names = self._made.system.coordinates
        return float(self.q[names.index(self.names[i])]) if self.names[i] in names else float(self._moved[i])

    def go(self, i: int, wanted: float) -> bool:
        """Move a free coordinate to a value. False where it cannot be reached; the mechanism is then as near as it gets."""
        for _ in range(1 + int(abs(wanted - self.value(i)) / STRIDE)):
            way = wanted - self.value(i)
            step = float(np.clip(way, -STRIDE, STRIDE))
            if step == 0.0:
                return True
            if not self._step(i, step):
                return False
        return abs(wanted - self.value(i)) < 1e-6

    def _step(self, i: int, step: float) -> bool:
        system, motions = self._made.system, self._motions()
        wanted = np.zeros(len(self.free))
        wanted[i] = step
        shares, *_ = np.linalg.lstsq(motions[self.free], wanted, rcond=None)
        d = motions @ shares
        if np.abs(d[self.free] - wanted).max() > 1e-6 * abs(step) or np.abs(d).max() > STEEPEST * abs(step):
            return False
        held = np.zeros(system.n_v, bool)
        held[self.free] = True
        moved = system.move(self.q, d)
        try:
            found = assemble_position(system, self._made.start, moved, held) if system.n_holonomic else moved
        except StartError:
            return False
        if np.abs(found - moved).max() > CLOSE * max(np.abs(d).max(), abs(step)):
            return False
        self.q = found
        self._moved[i] += step
        return True


def _independent(motions: Floats) -> list[int]:
    """As many entries of v as there are motions, which determine the others: the largest pivots."""
    if not motions.shape[1]:
        return []
    *_, order = qr(motions.T, mode="economic", pivoting=True)
    return sorted(int(j) for j in order[: motions.shape[1]])
