"""Point masses in absolute coordinates: bodies without inertia, which do not turn.

A body has an orientation in these coordinates, and methods solve with its block of M. A point mass is therefore given the inertia m 1 m^2
and rows that hold its orientation. Neither changes the motion as long as nothing turns the body: then these rows carry no torque, and its
kinetic energy is that of its centre. Whether anything turns it is asked of the system itself (`refuse_turned`).
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from mbsim.constraints._table import Geometry, Row, RowConstraint
from mbsim.elements.primitives import angle, perpendicular
from mbsim.model.fields import Point
from mbsim.model.file.errors import ModelError
from mbsim.model.formulas import with_fields
from mbsim.model.names import GROUND, owner
from mbsim.model.schema import Model
from mbsim.system.system import Floats, System

RADIUS = 1.0  # m, of gyration of the inertia that stands for none
STATES = 4  # at which it is asked whether something turns a point mass
SPREAD = 0.1  # of lengths (m) and angles (rad) between these
SEED = 0
TURNS = 1e-12  # of the largest entry: what is smaller is round-off
_GLOBAL = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


class HeldOrientation(RowConstraint):
    """The body does not turn."""

    body: str

    def rows(self, geometry: Geometry) -> list[Row]:
        """Three rows in space, one in the plane."""
        first, second = geometry.place(Point(GROUND, None), None), geometry.place(Point(self.body, None), None)
        if geometry.dimension == 2:
            return [Row("", angle(), first, second, (_GLOBAL, _GLOBAL))]
        pairs = [("y", "z"), ("z", "x"), ("x", "y")]
        return [Row(a + b, perpendicular(a, b), first, second, (_GLOBAL, _GLOBAL)) for a, b in pairs]


def point_masses(model: Model) -> list[str]:
    """The bodies without inertia of a model in absolute coordinates."""
    return [] if model.coordinates or model.in_joint_coordinates else [name for name, body in model.bodies.items() if body.is_point_mass]


def held_by(body: str) -> str:
    """What the rows that hold a point mass are called."""
    return f"{body}_orientation"


def with_point_masses(model: Model) -> Model:
    """A model whose point masses have inertia and do not turn. Raises ModelError where a name is taken."""
    names = point_masses(model)
    if not names:
        return model
    taken = {*model.joints, *model.couplings, *model.drivers, *model.constraints, *model.acting(), *model.events}
    clash = "its row would be called '{}', a name that is taken"
    if problems := [model.problem(("bodies", name), clash.format(held_by(name))) for name in names if held_by(name) in taken]:
        raise ModelError(problems)
    bodies, constraints = dict(model.bodies), dict(model.constraints)
    for name in names:
        inertia = bodies[name].mass * RADIUS**2
        diagonal = [0.0 if model.dimension == 2 else inertia] * 2 + [inertia]
        matrix = [[diagonal[i] if i == j else 0.0 for j in range(3)] for i in range(3)]
        bodies[name] = with_fields(bodies[name], {"inertia": matrix})
        constraints[held_by(name)] = HeldOrientation.model_construct(type="held", body=name, locked=True)
    return replace(model, bodies=bodies, constraints=constraints)


def refuse_turned(model: Model, names: Iterable[str], system: System, t: float, q: Floats) -> None:
    """Raise ModelError where a row or a force would turn one of the point masses `names`, at states about q (n_q,)."""
    rng, n, problems = np.random.default_rng(SEED), 3 if system.dimension == 2 else 6, {}
    at = {name: system.bodies.index(name) for name in names}
    columns = {name: slice(n * b + (2 if n == 3 else 3), n * b + n) for name, b in at.items()}
    for _ in range(STATES if at else 0):
        displacement, v = SPREAD * rng.standard_normal(system.n_v), rng.standard_normal(system.n_v)
        for turning in columns.values():
            displacement[turning] = v[turning] = 0.0
        _, h, C, *_ = system.terms(t, system.move(q, displacement), v)
        for name, turning in columns.items():
            by_rows = np.abs(C[:, turning]).max(axis=1, initial=0.0) > TURNS * max(1.0, np.abs(C).max(initial=0.0))
            found = [owner(row) for row, turns in zip(system.rows, by_rows, strict=True) if turns and owner(row) != held_by(name)]
            if np.abs(h[turning]).max() > TURNS * np.abs(h).max():
                found.append("a force")
            if found:
                said = f"a body without inertia cannot be turned, and {', '.join(dict.fromkeys(found))} would turn it: hold and load its "
                problems[name] = said + "centre of mass alone, or give it an inertia"
    if problems:
        raise ModelError([model.problem(("bodies", name), said) for name, said in problems.items()])
