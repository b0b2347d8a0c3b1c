"""What of a system decides which method and which kernels it gets; known before the model is assembled."""

from collections.abc import Mapping
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

    @classmethod
    def of(cls, system: System) -> "Traits":
        """Those of a system."""
        return cls(len(system.bodies), system.in_joint_coordinates, system.n_rows > 0)

    @classmethod
    def of_model(cls, model: "Model") -> "Traits":
        """Those of the system that a model will be assembled to, found without assembling it."""
        joints = _has_cut_joints(model) if model.in_joint_coordinates else bool(model.joints)
        others = model.drivers or model.constraints or model.couplings
        return cls(len(model.bodies), model.in_joint_coordinates, joints or bool(others))


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
