"""What of a system decides which method and which kernels it gets; known before the model is assembled."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbsim.system.system import System

if TYPE_CHECKING:
    from mbsim.model.schema import Model


@dataclass(frozen=True)
class Traits:
    """The properties of a system that the choice of a method depends on."""

    bodies: int  # 0: the user's own coordinates or functions
    in_joint_coordinates: bool
    has_rows: bool  # whether there are constraints
    is_tree: bool = False  # of bodies in absolute coordinates: whether joints that close no loop are all the constraints
    is_planar: bool = False  # of bodies in absolute coordinates: whether they are planar and nothing is driven
    is_rolling: bool = False  # of bodies in absolute coordinates: whether there are nonholonomic constraints
    is_free: bool = False  # of the user's own coordinates: whether there are as many freedoms as constraint rows, or more

    @classmethod
    def of(cls, system: System) -> "Traits":
        """Those of a system."""
        bodies, joint = len(system.bodies), system.in_joint_coordinates
        rows = sum(found.rows.stop - found.rows.start for found in system.joints)
        tree = bodies > 0 and not joint and rows == system.n_rows and not _loops((j.first, j.second) for j in system.joints)
        planar, absolute = system.dimension == 2 and not system.drivers, bodies > 0 and not joint
        velocity = set(range(system.n_holonomic, system.n_rows)) - {driver.row for driver in system.drivers}
        free = not bodies and 2 * system.n_rows <= system.n_v
        return cls(bodies, joint, system.n_rows > 0, tree, absolute and planar, absolute and bool(velocity), free)

    @classmethod
    def of_model(cls, model: "Model") -> "Traits":
        """Those of the system that a model will be assembled to, found without assembling it."""
        joints = _has_cut_joints(model) if model.in_joint_coordinates else bool(model.joints)
        others = bool(model.drivers or model.constraints or model.couplings)
        tree = bool(model.bodies) and not model.in_joint_coordinates and not others
        tree = tree and not _loops((joint.first, joint.second) for joint in model.joints.values())
        free = model.coordinates is not None and 2 * len(model.constraints) <= len(model.coordinates)
        planar, absolute = model.dimension == 2 and not model.drivers, bool(model.bodies) and not model.in_joint_coordinates
        rolling = any(constraint.type != "holonomic" for constraint in model.constraints.values())
        bodies = len(model.bodies)
        return cls(bodies, model.in_joint_coordinates, joints or others, tree, absolute and planar, absolute and rolling, free)


def _loops(pairs: Iterable[tuple[Hashable, Hashable]]) -> bool:
    """Whether pairs of bodies close a loop, the ground among them."""
    group: dict[Hashable, Hashable] = {}

    def root(body: Hashable) -> Hashable:
        while body in group:
            body = group[body]
        return body

    for first, second in pairs:
        a, b = root(first), root(second)
        if a == b:
            return True
        group[a] = b
    return False


def _has_cut_joints(model: "Model") -> bool:
    """Whether joints are cut: they close loops, are cut by the user, or have no motions of which to make coordinates."""
    group: dict[str, str] = {}

    def root(body: str) -> str:
        while body in group:
            body = group[body]
        return body

    for joint in model.joints.values():
        first, second = root(joint.first), root(joint.second)
        motions: Mapping[int | None, object] = getattr(joint, "MOTIONS", {})
        if first == second or joint.cut or motions.get(model.dimension) is None:
            return True
        group[first] = second
    return False
