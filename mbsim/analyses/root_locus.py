"""How the eigenvalues of small motions move with a parameter, and where they cross the imaginary axis."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq, linear_sum_assignment

from mbsim.analyses.linear import FLAT, Modes, about, modes, state_at
from mbsim.analyses.static import circles
from mbsim.assembly import Assembly
from mbsim.diagnosis.spectrum import Spectrum
from mbsim.results import Result
from mbsim.system.system import Floats


@dataclass(frozen=True)
class Crossing:
    """Where an eigenvalue crosses the imaginary axis."""

    value: float  # of the parameter
    frequency_hz: float  # of the eigenvalue there
    becomes: str  # stable or unstable, as the parameter grows: what the eigenvalue becomes


@dataclass(frozen=True)
class Locus:
    """Eigenvalues over a parameter."""

    parameter: str
    values: Floats  # (k,)
    eigenvalues: np.ndarray  # (k, N) complex, a column a branch
    stable: np.ndarray  # (k,) bool
    crossings: list[Crossing]
    notes: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: the keys of `mbsim modes --vary --json`."""
        return {
            "parameter": self.parameter,
            "values": self.values.tolist(),
            "eigenvalues": [[[float(x.real), float(x.imag)] for x in row] for row in self.eigenvalues],
            "stable": self.stable.tolist(),
            "crossings": [{"value": c.value, "frequency_hz": c.frequency_hz, "becomes": c.becomes} for c in self.crossings],
            "notes": self.notes,
        }

    def __repr__(self) -> str:
        span = f"{self.parameter} = {self.values[0]:g} to {self.values[-1]:g}, {len(self.values)} values"
        where = []
        for c in self.crossings:
            how = f"oscillating at {c.frequency_hz:.6g} Hz" if c.frequency_hz else "without oscillation"
            where.append(f"  {self.parameter} = {c.value:.9g}: a motion becomes {c.becomes}, {how}")
        return "\n".join([f"<mbsim root locus: {span}>", *(where or [f"  {'stable' if self.stable.all() else 'unstable'} everywhere"])])


def locus(load: Callable[[float], Assembly], parameter: str, values: Floats, at: str | Result = "auto") -> Locus:
    """The eigenvalues of `load(value)` for every value, and where they cross the imaginary axis, refined.

    Raises what `modes` raises, and ValueError where the number of variables changes.
    """
    if at == "auto":
        kinds = {modes(load(float(value))).state.kind for value in values[:: max(1, len(values) - 1)]}
        at = next(kind for kind in ("steady", "start", "equilibrium") if kind in kinds)
    found = [modes(load(float(value)), at) for value in values]
    counts = {len(one.spectrum.values) for one in found}
    if len(counts) > 1:
        raise ValueError(f"the number of variables changes over {parameter}: {', '.join(map(str, sorted(counts)))}")
    branches = [np.array(found[0].spectrum.values)]
    for one in found[1:]:
        apart = np.abs(branches[-1][:, None] - one.spectrum.values[None, :])
        branches.append(one.spectrum.values[linear_sum_assignment(apart)[1]])
    crossings = []
    for k in range(len(values) - 1):
        crossings += _crossings(load, at, float(values[k]), float(values[k + 1]), found[k].spectrum, found[k + 1].spectrum)
    notes = _notes(found)
    stable = np.array([one.stable for one in found])
    return Locus(parameter, np.asarray(values, float), np.array(branches), stable, crossings, notes)


def _notes(found: list[Modes]) -> list[str]:
    """What is said of all values of the parameter, once; of bodies on circles at the last value where they turn."""
    turning = [one for one in found if one.state.turning is not None]
    each = [(one, {*circles(one.system, one.state.turning)} if one.state.turning is not None else set()) for one in found]
    said = [note for one, told in each for note in one.notes() if note not in told or one is turning[-1]]
    return list(dict.fromkeys(said))


def _crossings(
    load: Callable[[float], Assembly], at: str | Result, low: float, high: float, first: Spectrum, last: Spectrum
) -> list[Crossing]:
    """Crossings between two values of the parameter: the j-th largest real part is continuous in it, and changes its sign."""
    before, after = first.growing, last.growing
    found: list[Crossing] = []
    conjugate = -1

    def there(value: float) -> Spectrum:
        made = load(value)
        return about(made.system, state_at(made, at), min(first.zeros, last.zeros)).spectrum

    for j in range(min(before, after), max(before, after)):
        ends, known = ([_largest(one, j, values) for one in (first, last)] for values in ("raw", "values"))
        from_axis = min(known) == 0.0
        if j == conjugate or (not from_axis and ends[0] * ends[1] >= 0.0):
            continue
        if from_axis:
            pair = _Pair(j, min(before, after), first if known[0] > known[1] else last)
            value = float(brentq(lambda x, pair=pair: pair.split(there(x)), low, high, xtol=1e-13 * (high - low), rtol=1e-13))
            frequency = pair.frequency / (2.0 * np.pi)
        else:
            value = float(brentq(lambda x, j=j: _largest(there(x), j), low, high, xtol=1e-13 * (high - low), rtol=1e-13))
            frequency = abs(float(_order(there(value))[j].imag)) / (2.0 * np.pi)
        conjugate = j + 1 if frequency else -1
        found.append(Crossing(value, frequency, "unstable" if after > before else "stable"))
    return sorted(found, key=lambda crossing: crossing.value)


class _Pair:
    """Two eigenvalues that meet on the imaginary axis and leave it to both sides: the j-th largest real part where it is not zero."""

    def __init__(self, j: int, quiet: int, off: Spectrum) -> None:
        """`quiet`: so many motions grow while the two are on the axis; `off`: where they are off it."""
        self._j, self._quiet, self._least = j, quiet, np.inf
        self.frequency = 0.0  # rad/s, where they were nearest to the axis so far
        self.split(off)

    def split(self, found: Spectrum) -> float:
        """How far they are apart, as ((l1 - l2)/2)^2: this passes zero smoothly.

        Off the axis that is the square of the real part. On it they are the neighbours whose mean is nearest to the frequency.
        """
        if found.growing > self._quiet:
            apart = _largest(found, self._j) ** 2
            if apart < self._least:
                self._least, self.frequency = apart, abs(float(_order(found)[self._j].imag))
            return apart
        values = found.values[found.zeros :]
        axis = np.sort(values.imag[values.real == 0.0])
        if len(axis) < 2:
            return -FLAT
        k = int(np.argmin(np.abs(0.5 * (axis[1:] + axis[:-1]) - self.frequency)))
        return -max(float(0.5 * (axis[k + 1] - axis[k])) ** 2, FLAT)


def _order(found: Spectrum) -> np.ndarray:
    """The eigenvalues that are not zero, the largest real part first."""
    raw = found.raw[found.zeros :]
    return np.asarray(found.values[found.zeros :][np.argsort(-raw.real, kind="stable")])


def _largest(found: Spectrum, j: int, values: str = "raw") -> float:
    """The j-th largest real part of the eigenvalues that are not zero, `raw` or without round-off (`values`)."""
    parts = np.sort(getattr(found, values)[found.zeros :].real)[::-1]
    return float(parts[j]) if j < len(parts) else -np.inf
