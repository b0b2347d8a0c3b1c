"""Models with contacts in space that rub, and what of them is compared: for the tests of units."""

from typing import Any

import yaml
from stopping import SPHERES, by, joint

BALL = """
name: a ball with spin that bounces, slides, rolls, and is pushed until it slips
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ball:
    {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.25], velocity: [1, 0.5, 0], angular_velocity: [3, -20, 5],
     shape: {type: sphere, radius: 0.1}}
contacts:
  floor:
    {bodies: [ball, ground], plane: {normal: [0, 0.1, 1]}, friction: 0.3, static: 0.36, restitution: 0.5, closing_speed: 0.05}
forces: {push: {type: force, body: ball, value: [20*t*sin(4*t), 8*cos(2*t), 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
MARBLE = """
name: a ball that resists rolling and drilling
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ball:
    {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.12], velocity: [1, 0.5, 0], angular_velocity: [3, -2, 5],
     shape: {type: sphere, radius: 0.1}}
contacts:
  floor:
    {bodies: [ball, ground], plane: {normal: [0, 0, 1]}, friction: 0.3, rolling_resistance: 0.01, drilling_resistance: 0.005,
     closing_speed: 0.05}
forces: {push: {type: force, body: ball, value: [1.5*sin(3*t), 0.8*cos(2*t), 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 1, impacts: events}
"""
STOOL = """
name: a stool on three feet that is pushed, slides, turns and tips
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  stool:
    mass: 1
    inertia: [0.03, 0.03, 0.02]
    position: [0, 0, 0.2]
    points: {a: [0.2, 0, -0.2], b: [-0.1, 0.17, -0.2], c: [-0.1, -0.17, -0.2]}
contacts: {floor: {bodies: [stool, ground], plane: {normal: [0, 0, 1]}, points: [a, b, c], friction: 0.5}}
forces: {push: {type: force, body: stool, at: [0, 0.1, 0.3], value: [6.5*sin(3*t), 3*sin(2*t), 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
LEG = """
name: a leg with a ball at its end that swings along the ground
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  hip: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 1]}
  leg: {mass: 1, inertia: [0.08, 0.08, 0.002], position: [0.15, 0, 0.55], points: {foot: [0.3, 0, 0.1]}}
joints:
  yaw: {type: revolute, bodies: [ground, hip], at: [0, 0, 1], axis: [0, 0, 1]}
  pitch: {type: revolute, bodies: [hip, leg], at: [0, 0, 1], axis: [0, 1, 0], stops: {lower: -1, upper: 0.5, restitution: 0.3}}
contacts:
  floor: {bodies: [leg, ground], plane: {normal: [0, 0, 1]}, points: [foot], friction: 0.4, restitution: 0.2, closing_speed: 0.05}
forces:
  turn: {type: joint_torque, joint: yaw, value: 2*sin(3*t)}
  lift: {type: joint_torque, joint: pitch, value: 4*sin(5*t)}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""

BOX = """
name: a box in space that slides, topples over its edge and comes to rest
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  box:
    {mass: 1, inertia: [0.03, 0.03, 0.01], position: [0, 0, 0.31], velocity: [2.0, 0.3, 0], shape: {type: box, size: [0.2, 0.3, 0.6]}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 0, 1]}, friction: 0.5, restitution: 0.1, closing_speed: 0.05}}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 2, impacts: events}
"""
ROLLER = """
name: a capsule on its side that resists rolling and drilling, spins, slides and rolls to rest under an uneven load
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  roller:
    {mass: 2, inertia: [0.055, 0.055, 0.0196], position: [0, 0, 0.14], orientation: {axis: [1, 0, 0], angle: pi/2}, velocity: [0.3, 0, 0],
     angular_velocity: [0, 1, -2], shape: {type: capsule, radius: 0.14, length: 0.5}}
contacts:
  floor: {bodies: [roller, ground], plane: {normal: [0, 0, 1]}, friction: 0.4, rolling_resistance: 0.01, drilling_resistance: 0.004}
forces: {lift: {type: force, body: roller, at: [0, 0.2, 0.14], value: [0, 0, 6]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 1.2, impacts: events}
"""


def spheres() -> dict[str, Any]:
    """SPHERES that rub."""
    text: dict[str, Any] = yaml.safe_load(SPHERES)
    for contact in text["contacts"].values():
        contact |= {"friction": 0.3, "closing_speed": 0.05}
    return text


BY_ERROR = {"integrator": "dop853", "rtol": 1e-9, "atol": 1e-9}
PLACE = ["ball.x", "ball.y", "ball.z", "ball.omega.x", "ball.omega.z"]
# both ends share what acts along it: the one that is pressed by less carries less
ROD = """
name: a rod that comes to rest with its ends pressed unevenly
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 2, inertia: [0.055, 0.055, 0.02], position: [0, 0, 0.14], velocity: [0, 0.1, 0], orientation: {axis: [1, 0, 0], angle: pi/2},
    shape: {type: capsule, radius: 0.14, length: 0.5}}
contacts: {floor: {bodies: [rod, ground], plane: {normal: [0, 0, 1]}, friction: 0.4}}
forces:
  lift: {type: force, body: rod, at: [0, 0.2, 0.14], value: [0, 0, 6]}
  along: {type: force, body: rod, at: [0, 0, 0], value: [0, 3.4*t, 0]}
  across: {type: force, body: rod, at: [0, 0.25, 0], value: ["1.2*(1 - t/2)", 0, 0]}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 1, impacts: events}
"""
CASES: dict[str, tuple[Any, list[str]]] = {
    "ball": (by(BALL, **BY_ERROR), [*PLACE, "multiplier.floor", "energy_work"]),
    "ball by Poisson's law": (by(BALL, impact_law="poisson", **BY_ERROR), PLACE),
    "ball that resists": (MARBLE, PLACE),
    "roller": (ROLLER, ["roller.x", "roller.y", "roller.omega.z", "multiplier.floor_1", "multiplier.floor_2_rolling.slip0"]),
    "rod": (ROD, ["rod.x", "rod.y", "rod.z", "multiplier.floor_1_stick.slip1", "multiplier.floor_2_stick.slip1"]),
    "stool": (STOOL, ["stool.x", "stool.y", "stool.z", "stool.omega.z"]),
    "leg": (LEG, ["leg.x", "leg.y", "leg.z"]),
    "leg in joint coordinates": (joint(LEG), ["yaw.angle", "pitch.angle"]),
    "box in space": (BOX, ["box.x", "box.y", "box.z", "box.omega.z", "multiplier.floor_5", "multiplier.floor_8_stick.slip0"]),
    "spheres that rub": (spheres(), ["one.x", "one.y", "two.x", "two.z"]),
}
