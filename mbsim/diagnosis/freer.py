"""Freer joints in place of joints whose rows depend on each other, without another degree of freedom.

A joint is the set of components of force and torque, in its axes, that it can transmit, as its leaf says. A freer joint transmits fewer.
Leaves also say whether they are suggested (`SUGGESTED`). Of a group with
k rows too many, joints are exchanged for freer ones that transmit k components less in all, and the choice is kept if the rank of C stays:
then the rows left are independent, and what the mechanism can do is what it could. The rank is looked at where the mechanism starts
and in poses around it; a linkage that moves by its special proportions only is told from one that always would by that.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from mbsim import registry
from mbsim.diagnosis.blocks import is_large
from mbsim.diagnosis.consistent import StartError, assemble_position
from mbsim.diagnosis.redundancy import Redundancy, count_rank, singular_values
from mbsim.kernels.rotations import matrices
from mbsim.model.leaves import Joint
from mbsim.system.system import Floats, JointRecord, System

TURNED = {2: ("xyz", "yxz"), 3: ("xyz", "yzx", "zxy")}  # the new joint's x, y, z may lie along these of the old one
FREED = {"fx": "sliding along x", "fy": "sliding along y", "fz": "sliding along z"} | {f"t{c}": f"turning about {c}" for c in "xyz"}
POSES = 3  # around the start
SPREAD = 0.1  # m, rad: how far from it
AT_ONCE = 3  # joints exchanged together
TRIED = 600  # choices looked at


class Exchange(NamedTuple):
    """One joint for a freer one."""

    joint: str
    old: str
    new: str
    freed: list[str]  # "turning about x" ..., in the old joint's axes


class Suggestion(NamedTuple):
    """Rows that depend on each other, all groups that share a joint together, and the choices of exchanges that make them independent."""

    rows: list[str]
    choices: list[list[Exchange]]  # those of few joints first


def suggestions(system: System, t: float, q: Floats, found: Redundancy, types: Mapping[str, str]) -> list[Suggestion]:
    """Freer joints for the groups that `found` names at (t, q). `types` are the words of the joints.

    None for systems in joint coordinates, and for large ones.
    """
    if system.dimension is None or system.in_joint_coordinates or is_large(system) or not found.groups:
        return []
    poses = [q, *_around(system, t, q)]
    return [Suggestion(rows, _for_group(system, t, poses, found.rank, rows, types)) for rows in _sharing_joints(system, found.groups)]


def _sharing_joints(system: System, groups: list[list[str]]) -> list[list[str]]:
    order = {name: k for k, name in enumerate(system.rows)}
    merged: list[set[str]] = []
    for group in groups:
        rows, touched = set(group), {name.partition("[")[0] for name in group}
        for other in [m for m in merged if touched & {name.partition("[")[0] for name in m}]:
            rows |= other
            merged.remove(other)
        merged.append(rows)
    return [sorted(rows, key=order.__getitem__) for rows in merged]


def _around(system: System, t: float, q: Floats) -> Iterator[Floats]:
    """Poses on the constraints near q, the same in every run."""
    rng, nothing = np.random.default_rng(0), np.zeros(system.n_v, bool)
    for _ in range(POSES):
        try:
            yield assemble_position(system, t, system.move(q, SPREAD * rng.standard_normal(system.n_v)), nothing)
        except StartError:
            continue


def _for_group(
    system: System, t: float, poses: list[Floats], rank: int, group: list[str], types: Mapping[str, str]
) -> list[list[Exchange]]:
    rows = {name: k for k, name in enumerate(system.rows)}
    inside = {rows[name] for name in group}
    matrices_ = [system.C(t, q) for q in poses]
    excess = len(inside) - _rank(matrices_[0][sorted(inside)])
    joints = [joint for joint in system.joints if inside & set(range(joint.rows.start, joint.rows.stop))]
    freer = {joint.name: list(_freer(system, joint, types[joint.name], matrices_[0], poses[0])) for joint in joints}
    transmitted = [{joint.name: _components(system, joint, q) for joint in joints} for q in poses]
    rare = {candidate.word for candidate in _candidates(system.dimension or 3) if candidate.is_rare}
    usual = {name: [choice for choice in choices if choice[0].new not in rare] for name, choices in freer.items()}
    for exchanges in (usual, freer):
        if found := _independent(joints, exchanges, excess, rank, matrices_, transmitted):
            return found
    return []


def _independent(
    joints: list[JointRecord],
    exchanges: Mapping[str, list[tuple[Exchange, list[str]]]],
    excess: int,
    rank: int,
    matrices_: list[Floats],
    transmitted: list[dict[str, dict[str, Floats]]],
) -> list[list[Exchange]]:
    """The exchanges of as few joints as can be that free `excess` components and leave the rank of each C as it is."""
    found: list[list[Exchange]] = []
    tried = 0
    for count in range(1, min(AT_ONCE, excess, len(joints)) + 1):
        for chosen in combinations(joints, count):
            for choice in product(*(exchanges[joint.name] for joint in chosen)):
                if sum(len(exchange.freed) for exchange, _ in choice) != excess:
                    continue
                tried += 1
                if tried > TRIED:
                    return found
                kept = [keep for _, keep in choice]
                if all(_rank(_exchange_rows(C, chosen, kept, rows_of)) == rank for C, rows_of in zip(matrices_, transmitted, strict=True)):
                    found.append([exchange for exchange, _ in choice])
        if found:
            break
    return found


def _freer(system: System, joint: JointRecord, word: str, C: Floats, q: Floats) -> Iterator[tuple[Exchange, list[str]]]:
    """What the joint can be exchanged for, with the components that are kept."""
    dimension = system.dimension or 3
    leaf = registry.leaf("joints", word)
    held = leaf.transmission(dimension) if issubclass(leaf, Joint) else None
    if held is None:
        return
    components = _components(system, joint, q)
    own = C[joint.rows]
    spanned = np.vstack([own, *(components[c] for c in held)])
    if not _rank(spanned) == _rank(own) == len(held):  # its frames do not coincide: a universal joint's
        return
    seen = set()
    for new in _candidates(dimension):
        for axes in TURNED[dimension]:
            kept = sorted(c[0] + axes["xyz".index(c[1])] for c in new.transmits)
            if set(kept) < set(held) and tuple(kept) not in seen:
                seen.add(tuple(kept))
                yield Exchange(joint.name, word, new.word, [FREED[c] for c in held if c not in kept]), kept


class _Candidate(NamedTuple):
    """A joint that may be suggested."""

    word: str
    is_rare: bool
    transmits: list[str]


def _candidates(dimension: int) -> list[_Candidate]:
    """Those that transmit most first; of two that transmit the same mbsim's own."""
    found = []
    for word in registry.names("joints"):
        with suppress(registry.PluginError):  # of a package that cannot be imported
            leaf = registry.leaf("joints", word)
            if issubclass(leaf, Joint) and leaf.SUGGESTED and (transmits := leaf.transmission(dimension)) is not None:
                others = not leaf.__module__.startswith("mbsim.")
                found.append(((-len(transmits), others, word), _Candidate(word, leaf.SUGGESTED == "rare", transmits)))
    return [candidate for _, candidate in sorted(found)]


def _components(system: System, joint: JointRecord, q: Floats) -> dict[str, Floats]:
    """The rows (n_v,) that keep each component of the relative motion at the joint's point on its second body, in its axes there."""
    planar = system.dimension == 2
    place = q[: system.n_c].reshape(len(system.bodies), -1)

    def pose(body: int) -> tuple[Floats, Floats]:
        if body < 0:
            return np.zeros(3), np.eye(3)
        if planar:
            c, s = np.cos(place[body, 2]), np.sin(place[body, 2])
            return np.array([*place[body, :2], 0.0]), np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return place[body, :3], matrices(place[body, 3:])

    centre, R = pose(joint.second)
    point, axes = centre + R @ joint.second_point, R @ joint.second_axes
    found = {}
    for k, letter in enumerate("xyz"):
        for kind in "ft":
            row, d = np.zeros(system.n_v), axes[:, k]
            for body, sign in ((joint.first, -1.0), (joint.second, 1.0)):
                if body < 0:
                    continue
                r, R = pose(body)
                along, about = (d, np.cross(point - r, d)) if kind == "f" else (np.zeros(3), d)
                if planar:
                    row[3 * body : 3 * body + 3] = sign * np.array([*along[:2], about[2]])
                else:
                    row[6 * body : 6 * body + 6] = sign * np.concatenate([along, R.T @ about])
            found[kind + letter] = row
    return found


def _exchange_rows(C: Floats, joints: tuple[JointRecord, ...], kept: list[list[str]], components: dict[str, dict[str, Floats]]) -> Floats:
    """C with the rows of `joints` replaced."""
    left = np.ones(len(C), bool)
    for joint in joints:
        left[joint.rows] = False
    return np.vstack([C[left], *(components[joint.name][c] for joint, keep in zip(joints, kept, strict=True) for c in keep)])


def _rank(C: Floats) -> int:
    return count_rank(singular_values(C))
