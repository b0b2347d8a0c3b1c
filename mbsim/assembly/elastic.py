"""The rows and loads of elastic parts.

An interface or a station stands at r = x + A (r_0 + Phi eta + e eta' Q eta), turned by Psi eta against the axes A of the part; Q is zero
where the part has no stations. Six rows of the kind `interface` say so, over what is measured between the frame and the interface, and
between the ground and the bodies that carry eta: these do not turn.
"""

import numpy as np

from mbsim.assembly.builder import Builder
from mbsim.assembly.records import Element, RelativeCoordinate
from mbsim.elements.kinds import ALONG, ATTITUDE, BILINEAR, INTERFACE, MODAL
from mbsim.forces._table import Load
from mbsim.model.elastic import PER_CARRIER, Elastic
from mbsim.model.elastic_block import carrier
from mbsim.system.system import Floats

NONE = 1e-13  # of the largest entry of a shape: what is left of zeros
UNITS = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])


def add_parts(builder: Builder) -> None:
    """The rows and loads of all elastic parts."""
    index = builder.reference.index
    ground = builder.ground()
    for name, part in builder.model.elastic.items():
        found = part.reduced
        modes = []
        for k in range(len(found.omegas)):
            body = index[carrier(name, k)[0]]
            modes.append(_measured(builder, ALONG, ground, body, k % PER_CARRIER))
        for k in range(0, len(found.omegas), PER_CARRIER):
            holder = carrier(name, k)[0]
            for c in range(3):
                _row(
                    builder,
                    f"{name}.{holder.removeprefix(name + '_')}_r{'xyz'[c]}",
                    [(_measured(builder, ATTITUDE, ground, index[holder], c), 1.0)],
                )
            for k_axis in range(len(found.omegas) - k, PER_CARRIER):  # coordinates that carry no mode
                at = _measured(builder, ALONG, ground, index[holder], k_axis)
                _row(builder, f"{name}.{holder.removeprefix(name + '_')}_{'xyz'[k_axis]}", [(at, 1.0)])
            _load(builder, name, index[holder], _dampers(part, k), found.mode_mass)
        holders = [index[carrier(name, k)[0]] for k in range(0, len(found.omegas), PER_CARRIER)]
        for i, frame in enumerate(part.seats):
            place = [float(x) for x in part.place(frame) - found.centre]
            curve = _products(builder, holders, found.curves[i]) if len(found.curves) else []
            for c in range(6):
                kind = ALONG if c < 3 else ATTITUDE
                at = _measured(builder, kind, index[name], index[f"{name}_{frame}"], c % 3, place)
                label = f"{name}.{frame}_{'r' * (c > 2)}{'xyz'[c % 3]}"
                drawn = [] if c > 2 or abs(found.along[c]) < NONE else [(k, -float(found.along[c])) for k in curve]
                _row(builder, label, [(at, 1.0), *_terms(modes, found.shapes[i, c]), *drawn])


def _dampers(part: Elastic, k: int) -> list[tuple[float, float]]:
    """The frequency and the damper of each mode that the carrier of mode k, from 0 on, carries."""
    found, own = part.reduced, slice(k, k + PER_CARRIER)
    return [(float(w), part.damper(float(w), float(x))) for w, x in zip(found.omegas[own], found.heavier[own], strict=True)]


def _products(builder: Builder, holders: list[int], Q: Floats) -> list[int]:
    """Relative coordinates whose sum is eta' Q eta, eta carried by these bodies."""
    full = np.zeros((PER_CARRIER * len(holders),) * 2)
    full[: len(Q), : len(Q)] = Q
    blocks = full.reshape(len(holders), PER_CARRIER, len(holders), PER_CARRIER).transpose(0, 2, 1, 3)
    found, largest = list[int](), float(np.abs(Q).max())
    for a, first in enumerate(holders):
        for b, second in enumerate(holders[: a + 1]):
            B = blocks[a, b] if a == b else 2.0 * blocks[a, b]
            if np.abs(B).max() > NONE * largest:
                data = [*B.ravel().tolist(), float(a == b), *[0.0] * 14]
                found.append(builder.relative.add(RelativeCoordinate(BILINEAR, builder.ground() if a == b else first, second, data=data)))
    return found


def _terms(modes: list[int], shape: Floats) -> list[tuple[int, float]]:
    largest = max(map(abs, shape), default=0.0)
    return [(mode, -float(factor)) for mode, factor in zip(modes, shape, strict=True) if abs(factor) > NONE * largest]


def _measured(builder: Builder, kind: int, first: int, second: int, axis: int, place: list[float] | None = None) -> int:
    """A relative coordinate about or along an axis of the first body, from a place on it to the second body's centre."""
    data = [*(place or [0.0] * 3), 0.0, 0.0, 0.0, *UNITS[axis], *UNITS[axis]]
    line = RelativeCoordinate(kind, first, second, data=[*data, *[0.0] * (24 - len(data))])
    return builder.relative.add(line)


def _row(builder: Builder, label: str, terms: list[tuple[int, float]]) -> None:
    rows, ground = builder.rows, builder.ground()
    geometry = [float(len(terms)), 0.0, 0.0, *(float(x) for term in terms for x in term)]
    rows.elements.append(Element(INTERFACE, len(rows.names), ground, ground, -1, geometry))
    rows.names.append(label)


def _load(builder: Builder, part: str, body: int, modes: list[tuple[float, float]], mass: float) -> None:
    padded = [*modes, *[(0.0, 0.0)] * (PER_CARRIER - len(modes))]
    data = [*(mass * omega * omega for omega, _ in padded), *(mass * damper for _, damper in padded)]
    builder.loads.forces.append(part)
    builder.loads.lines.append(Load(MODAL, builder.ground(), body, -1, data))
