"""Forces along coordinates of joints that have several, or that count turns: joint against absolute coordinates, closed forms."""

import mechanisms
import numpy as np
import pytest
from mechanisms import close
from test_forces_and_energy import displaced, states

import mbsim


def test_joints_of_several_coordinates() -> None:
    """In joint coordinates: springs about either axis of a universal joint, along one of a planar joint, along and about a sleeve."""
    body = {"mass": 1, "inertia": [0.2, 0.3, 0.4]}
    source = {
        "coordinates": "joint",
        "bodies": {"a": body, "b": {**body, "position": [0.3, 0.1, 0.2]}, "c": {**body, "position": [0.1, 0, 0.5]}},
        "joints": {
            "U": {"type": "universal", "bodies": ["ground", "a"], "at": [0, 0, 0], "axes": [[1, 0, 0], [0, 1, 0]]},
            "P": {"type": "planar", "bodies": ["a", "b"], "at": [0, 0.1, 0], "axis": [0.36, 0.48, 0.8]},
            "C": {"type": "cylindrical", "bodies": ["b", "c"], "at": [0.1, 0.1, 0], "axis": [0, 0.6, 0.8]},
        },
        "forces": {
            "u1": {"type": "rotational_spring_damper", "joint": "U", "coordinate": "angle1", "stiffness": 3},
            "u2": {"type": "rotational_spring_damper", "joint": "U", "coordinate": "angle2", "stiffness": 5, "free_angle": 0.3},
            "p": {"type": "rotational_spring_damper", "joint": "P", "stiffness": 4},
            "x": {"type": "translational_spring_damper", "joint": "P", "coordinate": "y", "stiffness": 7},
            "c": {"type": "rotational_spring_damper", "joint": "C", "stiffness": 4},
            "d": {"type": "translational_spring_damper", "joint": "C", "stiffness": 4},
        },
        "simulation": {"end": 1},
    }
    for system, t, q, _ in states(source):
        x = dict(zip(system.coordinates, q, strict=True))
        stretch = [x["U.angle1"], x["U.angle2"] - 0.3, x["P.angle"], x["P.y"], x["C.angle"], x["C.displacement"]]
        rest = np.zeros(system.n_v)
        assert system.energy(t, q, rest)[1] == pytest.approx(np.array([3, 5, 4, 7, 4, 4]) @ np.square(stretch) / 2)
        close(system.h(t, q, rest), -displaced(system, q, lambda c, s=system, t=t, rest=rest: s.energy(t, c, rest)[1]), atol=1e-9)


@pytest.mark.parametrize("pair", [["a", "b"], ["b", "a"]], ids=["forth", "back"])
def test_angles_of_a_universal_joint_between_bodies(pair: list[str]) -> None:
    """Every force along them, and a law that reads them: in absolute coordinates and where the joint is cut as in joint coordinates."""
    source = {
        "gravity": [0.3, -9.81, 0.5],
        "bodies": {"a": mechanisms.body_block(3, 0), "b": mechanisms.body_block(3, 1)},
        "joints": {
            "O": {"type": "revolute", "bodies": ["ground", "a"], "at": [0.1, 0.2, 0.3], "axis": [0.36, 0.48, 0.8]},
            "U": mechanisms.joint_block("universal", 3, bodies=pair, at=[0.25, 0.15, -0.3]),
        },
        "forces": {
            "u1": {"type": "rotational_spring_damper", "joint": "U", "coordinate": "angle1", "stiffness": 30, "damping": 0.4},
            "u2": {"type": "rotational_spring_damper", "joint": "U", "coordinate": "angle2", "stiffness": 50, "free_angle": 0.2},
            "rub": {"type": "joint_friction", "joint": "U", "coordinate": "angle1", "viscous": 0.1},
            "stop": {"type": "joint_limit", "joint": "U", "coordinate": "angle2", "upper": 0.05, "stiffness": 100},
            "motor": {"type": "joint_torque", "joint": "U", "coordinate": "angle2", "value": "3*sin(5*t) - 0.3*der(U.angle2) + U.angle1"},
        },
        "simulation": {"end": 0.5, "step": 1e-3, "output_step": 0.05},
    }
    precise = {"method": "lagrange", "integrator": "dop853", "rtol": 1e-11, "atol": 1e-11}
    tree = mbsim.simulate(mechanisms.model(source | {"coordinates": "joint"}), **precise)
    between = [mbsim.simulate(mechanisms.model(source), **precise)]
    source["joints"] |= {"U": {**source["joints"]["U"], "cut": True}, "loose": {"type": "free", "bodies": ["ground", "b"]}}
    between.append(mbsim.simulate(mechanisms.model(source | {"coordinates": "joint"}), **precise))
    for result in between:
        for name in ("body_position", "body_velocity", "joint_force", "joint_torque", "energy_work", "energy_potential"):
            found = result[name][:, :2] if name.startswith("joint") else result[name]
            close(found, tree[name], atol=1e-8 * max(1.0, np.abs(tree[name]).max()))
    assert np.abs(tree["energy_work"]).max() > 0.1


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_planar_angles_count_turns(coordinates: str) -> None:
    """A spring between two bodies that no joint connects, and one in a joint, wound up by several turns."""
    body = {"mass": 1, "inertia": 2.0}
    source = {
        "dimension": 2,
        "coordinates": coordinates,
        "bodies": {"a": body, "b": body},
        "joints": {"A": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
                   "B": {"type": "revolute", "bodies": ["a", "b"], "at": [0, 0]}},
        "forces": {"s": {"type": "rotational_spring_damper", "bodies": ["ground", "b"], "stiffness": 0.5}},
        "initial": {"der(A.angle)": 10} if coordinates == "joint" else {"a.angular_velocity": 10, "b.angular_velocity": 10},
        "simulation": {"end": 6, "output_step": 0.5},
    }  # fmt: skip
    result = mbsim.simulate(mechanisms.model(source), method="svd", integrator="dop853", rtol=1e-10, atol=1e-10)
    wound = 10 / 0.5 * np.sin(0.5 * result["time"])
    assert wound.max() > 6 * np.pi
    close(result["energy_potential"], 0.5 * wound**2 / 2, atol=1e-6)
    close(result["body_angular_velocity"][:, 1, 2], 10 * np.cos(0.5 * result["time"]), atol=1e-7)
