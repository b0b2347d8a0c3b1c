"""Two bodies on a hinge and on every joint that Exudyn has too, against its own integration; of the extra `bench`."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import body_block, close

import mbsim

exudyn = pytest.importorskip("exudyn")

END, STEPS = 0.5, 4000
AXIS = np.array([0.36, 0.48, 0.8])
PIN = np.array([0.8, -0.6, 0.0])
AT = [0.7, 0.1, 0.25]
# Exudyn constrains displacements along, and turns about, the axes of the first body's frame; here x is `axis`, z is `pin`
CONSTRAINED = {
    "cylindrical": [0, 1, 1, 0, 1, 1],
    "planar": [1, 0, 0, 0, 1, 1],
    "point_on_line": [0, 1, 1, 0, 0, 0],
    "point_on_plane": [1, 0, 0, 0, 0, 0],
    "parallel_axes": [0, 0, 0, 0, 1, 1],
    "pin_in_slot": [0, 1, 1, 1, 1, 0],
    "distance": [],
}


def model(word: str) -> dict[str, Any]:
    joint: dict[str, Any] = {"type": word, "bodies": ["b0", "b1"], "at": AT}
    if word == "distance":
        joint["at"] = [AT, [1.3, -0.2, 0.6]]
    else:
        joint["axis"] = AXIS.tolist()
    if word == "pin_in_slot":
        joint["pin"] = PIN.tolist()
    return {
        "gravity": [0.3, -9.81, 0.5],
        "bodies": {"b0": body_block(3, 0), "b1": body_block(3, 1)},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "b0"], "at": [0, 0, 0], "axis": PIN.tolist()}, "x": joint},
        "initial": {"der(b1.x)": 0.5, "b1.angular_velocity": [1.0, -2.0, 0.5]},
        "simulation": {"end": END, "step": 1e-3, "method": "lagrange"},
    }


def positions_of_the_peer(made: Any, source: dict[str, Any]) -> np.ndarray:
    """(2, 3) at the end, from the start that was assembled here."""
    import exudyn.utilities as items

    from mbsim.kernels.rotations import matrices

    container = exudyn.SystemContainer()
    system = container.AddSystem()
    ground = system.CreateGround()
    bodies = []
    for k, block in enumerate(source["bodies"].values()):
        q, v, i = made.q[7 * k : 7 * k + 7], made.v[6 * k : 6 * k + 6], block["inertia"]
        R = matrices(q[3:])
        bodies.append(
            system.CreateRigidBody(
                inertia=items.RigidBodyInertia(
                    mass=block["mass"], inertiaTensor=np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]])
                ),
                nodeType=exudyn.NodeType.RotationEulerParameters,
                referencePosition=q[:3],
                referenceRotationMatrix=R,
                initialVelocity=v[:3],
                initialAngularVelocity=R @ v[3:],
                gravity=source["gravity"],
            )
        )
    frame = np.column_stack([AXIS, np.cross(PIN, AXIS), PIN])
    system.CreateGenericJoint(
        itemNumbers=[ground, bodies[0]],
        position=[0, 0, 0],
        rotationMatrixAxes=frame,
        constrainedAxes=[1, 1, 1, 1, 1, 0],
        useGlobalFrame=True,
    )
    word = source["joints"]["x"]["type"]
    if word == "distance":
        ends = [
            matrices(made.q[7 * k + 3 : 7 * k + 7]).T @ (np.array(source["joints"]["x"]["at"][k]) - made.q[7 * k : 7 * k + 3])
            for k in range(2)
        ]
        length = float(np.linalg.norm(np.subtract(*source["joints"]["x"]["at"])))
        markers = [system.AddMarker(items.MarkerBodyPosition(bodyNumber=b, localPosition=p)) for b, p in zip(bodies, ends, strict=True)]
        system.AddObject(items.DistanceConstraint(markerNumbers=markers, distance=length))
    else:
        system.CreateGenericJoint(
            itemNumbers=bodies, position=AT, rotationMatrixAxes=frame, constrainedAxes=CONSTRAINED[word], useGlobalFrame=True
        )
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = STEPS, END
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.solution.file.write = False
    system.SolveDynamic(settings)
    return np.array([system.GetObjectOutputBody(body, exudyn.OutputVariableType.Position, [0, 0, 0]) for body in bodies])


@pytest.mark.parametrize("word", CONSTRAINED)
def test_same_motion(word: str) -> None:
    source = model(word)
    made = mbsim.assemble(mechanisms.model(source))
    found = mbsim.simulate(made)["body_position"]
    assert np.abs(found[-1] - found[0]).max() > 0.15
    close(found[-1], positions_of_the_peer(made, source), atol=1e-6)
