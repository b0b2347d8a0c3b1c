"""Distances between two motions of the same model at the same times: positions, speeds, reactions, energy balances.

Each distance is a number per row, the largest over the coordinates. It mixes metres and radians, as the coordinates do. The quaternion of
a spatial body counts as one angle, that of the rotation between the two orientations, so that q and -q are the same.
"""

from dataclasses import dataclass

import numpy as np

from mbsim.results import Result

SAME_TIME = 1e-9  # of the span; output times of two runs differ by round-off only
SMALL_TORQUE = 1e-3  # m: torques count relative to the largest torque, or to the largest force at this arm if that is more
SMALL_MULTIPLIER = 1e-6  # of the largest multiplier; smaller ones count as zeros and are compared with the largest
# Of the span, and of the shortest time between singular positions that a motion goes through: how long before and after each reactions are
# not compared. They are errors of positions over how far it is: 1e-4 of the largest one at 1e-4 rad from where links of a four-bar meet.
BESIDE, BETWEEN = 1e-3, 1e-2
MEASURES = ("position", "velocity", "reaction")
JUDGED = (*MEASURES, "energy")  # of a comparison; the balance of energy is one number a row, and says nothing about digits
EXCHANGED = ("energy_potential", "energy_work")  # their level is arbitrary, that of the kinetic energy is not


@dataclass(frozen=True)
class Distance:
    """Distances between two motions over the rows that they share; each (rows,)."""

    time: np.ndarray
    position: np.ndarray  # m, rad
    velocity: np.ndarray  # m/s, rad/s
    # relative to the largest reaction of the second motion, 0 beside singular positions; None: no reaction is unique in both
    reaction: np.ndarray | None
    energy: np.ndarray | None = None  # J, of the energy balances; None: the second motion has none

    def of(self, measure: str) -> np.ndarray | None:
        """One of JUDGED."""
        values: np.ndarray | None = getattr(self, measure)
        return values


def find_shared(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the common times in two increasing arrays of times.

    Two rows at one time are the states before and after an event, which another run has at another time: they are left out.
    """
    near = SAME_TIME * max(abs(float(b[-1] - b[0])), 1e-300)
    place = np.clip(np.searchsorted(b, a), 0, len(b) - 1)
    place = np.where((place > 0) & (np.abs(b[np.maximum(place - 1, 0)] - a) <= np.abs(b[place] - a)), place - 1, place)
    found = np.flatnonzero((np.abs(b[place] - a) <= near) & ~_twice(a, near) & ~_twice(b, near)[place])
    return found, place[found]


def _twice(times: np.ndarray, near: float) -> np.ndarray:
    """(k,) bool: which rows have another one at their time."""
    close = np.diff(times) <= near
    found: np.ndarray = np.append(close, False) | np.append(False, close)
    return found


def distance(run: Result, other: Result) -> Distance:
    """The distance of `run` from `other` at the times that they share. Reactions are relative to those of `other`."""
    i, j = find_shared(run.time, other.time)
    known = "energy_balance" in run and "energy_balance" in other and bool(np.isfinite(other["energy_balance"]).all())
    energy = np.abs(run["energy_balance"][i] - other["energy_balance"][j]) if known else None
    reaction = _reactions(run, other, i, j)
    if reaction is not None:
        reaction[_beside_passages(run, other, run.time[i])] = 0.0
    return Distance(run.time[i], _positions(run, other, i, j), _largest(run["v"][i] - other["v"][j]), reaction, energy)


def _beside_passages(run: Result, other: Result, times: np.ndarray) -> np.ndarray:
    """(rows,) bool: which of the times are beside a singular position that one of the motions goes through."""
    beside, span = np.zeros(len(times), bool), float(np.ptp(times)) if len(times) else 0.0
    for motion in (run, other):
        changes = motion.attributes.get("rank_changes", [])
        passed = np.array([change["time"] for change in changes if change["before"] == change["after"]])
        apart = BETWEEN * np.diff(passed).min() if len(passed) > 1 else np.inf
        for t in passed:
            beside |= np.abs(times - t) < min(BESIDE * span, apart)
    return beside


def rms(values: np.ndarray) -> float:
    """Root of the mean square over the rows."""
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else 0.0


def reach(run: Result, measure: str) -> float:
    """The scales of errors: the largest change of a coordinate from its start, the largest speed, the largest energy that is exchanged;
    1 for reactions."""
    if measure == "reaction":
        return 1.0
    if measure == "energy":
        exchanged = [run[name] - run[name][0] for name in EXCHANGED if name in run]
        known = exchanged + [run["energy_kinetic"]] * ("energy_kinetic" in run)
        return max((float(np.abs(x).max(initial=0.0)) for x in known), default=0.0)
    values = run["v"] if measure == "velocity" else run["q"] - run["q"][0]
    return float(np.abs(values).max(initial=0.0))


def _largest(values: np.ndarray) -> np.ndarray:
    """Over all axes but the rows."""
    found: np.ndarray = np.abs(values.reshape(len(values), -1)).max(axis=1, initial=0.0)
    return found


def _positions(run: Result, other: Result, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    labels = run.labels("coordinate")
    a, b = run["q"][i], other["q"][j]
    quaternions = [[labels.index(f"{body}.q{part}") for part in "wxyz"] for body in run.labels("body") if f"{body}.qw" in labels]
    plain = np.setdiff1d(np.arange(len(labels)), np.array(quaternions, int).ravel())
    found = _largest(a[:, plain] - b[:, plain])
    for columns in quaternions:
        found = np.maximum(found, rotation_angle(a[:, columns], b[:, columns]))
    return found


def rotation_angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Angle (rows,) in rad of the rotation between unit quaternions (rows, 4), w first; exact also where it is tiny."""
    vector = a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(a[:, 1:], b[:, 1:])
    angle: np.ndarray = 2.0 * np.arctan2(np.linalg.norm(vector, axis=1), np.abs(np.sum(a * b, axis=1)))
    return angle


def _reactions(run: Result, other: Result, i: np.ndarray, j: np.ndarray) -> np.ndarray | None:
    if "joint_force" in run:
        unique = (run["joint_reaction_unique"] * other["joint_reaction_unique"]).astype(bool)
        if not unique.any():
            return None
        forces, torques = (other[name][j][:, unique] for name in ("joint_force", "joint_torque"))
        force = float(np.abs(forces).max(initial=0.0)) or 1.0
        torque = max(float(np.abs(torques).max(initial=0.0)), SMALL_TORQUE * force)
        by_force = _largest(run["joint_force"][i][:, unique] - forces) / force
        by_torque = _largest(run["joint_torque"][i][:, unique] - torques) / torque
        return np.maximum(by_force, by_torque).astype(float)
    if "multiplier" not in run:
        return None
    unique = (run["multiplier_unique"] * other["multiplier_unique"]).astype(bool)
    if not unique.any():
        return None
    theirs = other["multiplier"][j][:, unique]
    scale = np.abs(theirs).max(axis=0, initial=0.0)
    scale = np.maximum(scale, SMALL_MULTIPLIER * scale.max(initial=0.0))
    return _largest((run["multiplier"][i][:, unique] - theirs) / np.where(scale > 0.0, scale, 1.0))
