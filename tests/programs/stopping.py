"""Models with rigid stops, contacts and dry friction, and what of them is compared: for the tests of units."""

from typing import Any

import yaml

ARM = """
name: a bouncing arm
dimension: 2
gravity: [0, -9.81]
parameters: {push: 0}
bodies: {arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}}
joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0], stops: {lower: -0.5, upper: 0.4, restitution: 0.6}}}
forces: {push: {type: joint_torque, joint: pin, value: push + 12*sin(4*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
ROW = """
name: sliders in a row
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [0, 0], velocity: [3, 0]}
  b: {mass: 2, inertia: 1, position: [1, 0]}
  c: {mass: 1, inertia: 1, position: [2, 0]}
joints:
  p: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0], stops: {lower: -0.5, restitution: 0.7}}
  q: {type: prismatic, bodies: [a, b], at: [0.5, 0], axis: [1, 0], stops: {lower: -0.4, restitution: 0.8}}
  r: {type: prismatic, bodies: [b, c], at: [1.5, 0], axis: [1, 0], stops: {lower: -0.3, upper: 0.5, restitution: 0.5}}
forces: {push: {type: force, body: c, value: [-4, 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
FOUR = """
name: a four-bar with stops
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0.5]}
  b: {mass: 1, inertia: 0.1, position: [0.75, 1.25]}
  c: {mass: 1, inertia: 0.1, position: [1.5, 0.75]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0], stops: {lower: -0.6, upper: 0.5, restitution: 0.5}}
  q: {type: revolute, bodies: [a, b], at: [0, 1]}
  r: {type: revolute, bodies: [b, c], at: [1.5, 1.5], stops: {lower: -0.8, upper: 1.2, restitution: 0.3}}
  s: {type: revolute, bodies: [ground, c], at: [1.5, 0]}
forces: {push: {type: joint_torque, joint: p, value: 15*sin(5*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
CRANK = """
name: a slider-crank with a stop of its slider
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.01, position: [0.1, 0.05]}
  rod: {mass: 1, inertia: 0.03, position: [0.4, 0.05]}
  slider: {mass: 1, inertia: 0.01, position: [0.6, 0]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, bodies: [crank, rod], at: [0.2, 0.1]}
  B: {type: revolute, bodies: [rod, slider], at: [0.6, 0]}
  guide: {type: prismatic, bodies: [ground, slider], at: [0.6, 0], axis: [1, 0], stops: {lower: -0.1, restitution: 0}}
forces: {push: {type: joint_torque, joint: O, value: 6*cos(6*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 2, impacts: events}
"""
CRANKS = """
name: redundant parallelograms with stops on two cranks
dimension: 2
gravity: [0, -9.81]
bodies:
  c0: {mass: 1, inertia: 0.0833, position: [0.0, 0.5]}
  c1: {mass: 1, inertia: 0.0833, position: [1.0, 0.5]}
  c2: {mass: 1, inertia: 0.0833, position: [2.0, 0.5]}
  d0: {mass: 1, inertia: 0.0833, position: [0.5, 1]}
  d1: {mass: 1, inertia: 0.0833, position: [1.5, 1]}
joints:
  p0: {type: revolute, bodies: [ground, c0], at: [0, 0], stops: {lower: -0.6, upper: 0.7, restitution: 0.4}}
  p1: {type: revolute, bodies: [ground, c1], at: [1, 0], stops: {lower: -0.6, upper: 0.7, restitution: 0.4}}
  p2: {type: revolute, bodies: [ground, c2], at: [2, 0]}
  u0: {type: revolute, bodies: [c0, d0], at: [0, 1]}
  u1: {type: revolute, bodies: [d0, c1], at: [1, 1]}
  v1: {type: revolute, bodies: [c1, d1], at: [1, 1]}
  v2: {type: revolute, bodies: [d1, c2], at: [2, 1]}
forces: {push: {type: joint_torque, joint: p0, value: -1+9*sin(5*t)}}
simulation: {method: svd, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
GEAR = """
name: gears with play
dimension: 2
bodies:
  pinion: {mass: 1, inertia: 0.02, position: [0, 0]}
  wheel: {mass: 3, inertia: 0.05, position: [0.3, 0]}
joints:
  A: {type: revolute, bodies: [ground, pinion], at: [0, 0]}
  B: {type: revolute, bodies: [ground, wheel], at: [0.3, 0]}
  mesh: {type: gear, joints: [A, B], teeth: [20, 40], backlash: {play: 0.02, restitution: 0.3, closing_speed: 1.0e-3}}
forces:
  motor: {type: joint_torque, joint: A, value: sin(9*t)}
  brake: {type: joint_torque, joint: B, value: -0.3*der(B.angle)}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
SPACE = """
name: a double pendulum in space with stops
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [1.2, 0.1, 0]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0.8, 0.6], stops: {lower: -0.5, upper: 0.4, restitution: 0.5}}
  q:
    {type: cylindrical, bodies: [a, b], at: [1, 0, 0], axis: [1, 0, 0],
     stops: {coordinate: displacement, lower: -0.2, upper: 0.2, restitution: 0.7}}
forces: {push: {type: force, body: b, value: [0, 3*sin(6*t), 4]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
DISKS = """
name: disks between walls
dimension: 2
gravity: [0, -9.81]
bodies:
  one: {mass: 1, inertia: 0.005, position: [0, 0.5], velocity: [2, 0], shape: {type: cylinder, radius: 0.1, length: 0.02}}
  two: {mass: 2, inertia: 0.005, position: [0.6, 0.3], shape: {type: cylinder, radius: 0.1, length: 0.02}}
contacts:
  floor: {bodies: [one, two, ground], plane: {normal: [0, 1]}, restitution: 0.7}
  pair: {between: [one, two], restitution: 0.9}
  right: {bodies: [two, ground], plane: {normal: [-1, 0], through: [1, 0]}, restitution: 0.5}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
SPHERES = """
name: spheres on a plane
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  one: {mass: 1, inertia: [0.005, 0.005, 0.005], position: [0, 0.01, 0.5], velocity: [2, 0, 0], shape: {type: sphere, radius: 0.1}}
  two: {mass: 2, inertia: [0.005, 0.005, 0.005], position: [0.6, 0, 0.3], shape: {type: sphere, radius: 0.1}}
contacts:
  floor: {bodies: [one, two, ground], plane: {normal: [0, 0, 1]}, restitution: 0.6}
  pair: {between: [one, two], restitution: 0.9}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
EVENTS = """
name: stops and events that set, switch, lock and unlock
dimension: 2
gravity: [0, -9.81]
parameters: {k: 0}
bodies:
  arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}
  bob: {mass: 0.5, inertia: 0.02, position: [1.3, 0]}
joints:
  pin: {type: revolute, bodies: [ground, arm], at: [0, 0], stops: {lower: -0.5, upper: 0.4, restitution: 0.5}}
  weld: {type: fixed, bodies: [arm, bob], at: [1, 0]}
  hook: {type: revolute, bodies: [ground, bob], at: [1.3, -1.5], locked: false}
forces: {push: {type: joint_torque, joint: pin, value: k + 12*sin(4*t)}}
events:
  kick: {when: t - 0.33, do: {set: {der(arm.angle): 1}}}
  more: {when: t - 1.25, do: {switch: {k: 8}}}
  free: {when: t - 1.4, do: {unlock: weld}}
  catch: {when: t - 1.6, do: {lock: hook}}
  less: {when: t - 2.0, do: {switch: {k: -9}}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
RUB = """
name: an arm with dry friction and stops
dimension: 2
gravity: [0, -9.81]
parameters: {push: 0}
bodies: {arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}}
joints:
  pin:
    {type: revolute, bodies: [ground, arm], at: [0, 0],
     stops: {lower: -0.5, upper: 0.4, restitution: 0.4}, friction: {torque: 4, static: 5}}
forces: {push: {type: joint_torque, joint: pin, value: push + 5 + 12*sin(4*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
OSCILLATORS = """
name: Coulomb oscillator and a slider on it
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [0.2, 0]}
  b: {mass: 0.5, inertia: 1, position: [0.2, 0], velocity: [1, 0]}
joints:
  p: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0], friction: {force: 1.5}}
  q: {type: prismatic, bodies: [a, b], at: [0, 0], axis: [1, 0], friction: {force: 0.7, static: 0.9}}
forces: {spring: {type: force, body: a, value: [-30*a.x, 0]}, drive: {type: force, body: b, value: [3*sin(3*t), 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
RUBBING = """
name: a four-bar with friction in two hinges
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0.5]}
  b: {mass: 1, inertia: 0.1, position: [0.75, 1.25]}
  c: {mass: 1, inertia: 0.1, position: [1.5, 0.75]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0], friction: {torque: 2}}
  q: {type: revolute, bodies: [a, b], at: [0, 1]}
  r: {type: revolute, bodies: [b, c], at: [1.5, 1.5], stops: {lower: -0.8, upper: 1.2, restitution: 0.3}}
  s: {type: revolute, bodies: [ground, c], at: [1.5, 0]}
forces: {push: {type: joint_torque, joint: p, value: 15*sin(5*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
DISK = """
name: a disk that slides, rolls, and is pushed
dimension: 2
gravity: [0, -9.81]
bodies: {disk: {mass: 1, inertia: 0.005, position: [0, 0.1], velocity: [2, 0], shape: {type: cylinder, radius: 0.1, length: 0.02}}}
contacts: {floor: {bodies: [disk, ground], plane: {normal: [0, 1]}, friction: 0.2, static: 0.25}}
forces: {push: {type: force, body: disk, value: [14*sin(4*t), 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
SPINNING = """
name: disks with spin that meet
dimension: 2
gravity: [0, -9.81]
bodies:
  one:
    {mass: 1, inertia: 0.004, position: [0, 0.5], velocity: [2, 0], angular_velocity: 30,
     shape: {type: cylinder, radius: 0.1, length: 0.02}}
  two: {mass: 2, inertia: 0.008, position: [0.6, 0.1], shape: {type: cylinder, radius: 0.1, length: 0.02}}
contacts:
  floor: {bodies: [one, two, ground], plane: {normal: [0, 1]}, friction: 0.3, restitution: 0.5, closing_speed: 0.05}
  pair: {between: [one, two], friction: 0.2, restitution: 0.7}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 2, impacts: events}
"""
LOADED = """
name: an arm with a slider, which rub by what loads them
dimension: 2
gravity: [0, -9.81]
bodies: {arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}, bob: {mass: 0.5, inertia: 0.01, position: [1.2, 0]}}
joints:
  pin: {type: revolute, bodies: [ground, arm], at: [0, 0], friction: {coefficient: 0.3, radius: 0.05, static: 0.4}}
  slide:
    {type: prismatic, bodies: [arm, bob], at: [1.2, 0], axis: [1, 0], friction: {coefficient: 0.2, length: 0.3},
     stops: {lower: -0.4, upper: 0.3, restitution: 0.5}}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 2, impacts: events}
"""
CRATE = """
name: a crate on two feet, which is pushed until it tips
dimension: 2
gravity: [1.5, -9.81]
bodies: {box: {mass: 1, inertia: 0.02, position: [0, 0.2], points: {l: [-0.2, -0.2], r: [0.2, -0.2]}}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1]}, points: [l, r], friction: 1.5}}
forces: {push: {type: force, body: box, value: [12*t, 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
BOX = """
name: a box that slides, tilts and falls back
dimension: 2
gravity: [0, -9.81]
bodies: {box: {mass: 1, inertia: 0.0333, position: [0, 0.3], velocity: [2.5, 0], shape: {type: box, size: [0.2, 0.6, 0.1]}}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1]}, friction: 0.5, restitution: 0.1}}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 2, impacts: events}
"""
STEP = """
name: a disk that falls onto a block, rolls over its edge, and pushes it
dimension: 2
gravity: [0, -9.81]
bodies:
  disk:
    {mass: 1, inertia: 0.005, position: [0.03, 0.45], velocity: [0.6, 0], angular_velocity: 4,
     shape: {type: cylinder, radius: 0.1, length: 0.02}}
  block:
    mass: 20
    inertia: 0.2
    position: [0, 0.1]
    shape: {type: plate, polygon: [[-0.2, 0.1], [0, -0.2], [0.2, 0.1]], thickness: 0.1}
joints: {rail: {type: prismatic, bodies: [ground, block], at: [0, 0.1], axis: [1, 0]}}
contacts: {step: {between: [block, disk], friction: 0.3, restitution: 0.3, closing_speed: 0.05}}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 1, impacts: events}
"""
POLYGONS = """
name: a box that tumbles onto another one, slides and tips over its end
dimension: 2
gravity: [0, -9.81]
bodies:
  low: {mass: 4, inertia: 0.1, position: [0, 0], shape: {type: box, size: [0.5, 0.1, 0.1]}}
  high:
    {mass: 1, inertia: 0.003, position: [0.1, 0.2], velocity: [0.5, 0], angular_velocity: 2, shape: {type: box, size: [0.15, 0.15, 0.1]}}
joints: {rail: {type: prismatic, bodies: [ground, low], at: [0, 0], axis: [1, 0]}}
forces: {push: {type: force, body: low, value: [-12*t, 0]}}
contacts: {pair: {between: [low, high], friction: 0.4, restitution: 0.2, closing_speed: 0.05}}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 2, impacts: events}
"""
# friction that reactions of a joint load, in phases that contacts share
FEET = """
name: an arm whose hinge rubs by what loads it, which hits the ground, beside a disk that rolls
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.0833, position: [0.5, 0], points: {tip: [0.5, 0.05], toe: [0.45, -0.05]}}
  disk: {mass: 0.5, inertia: 0.003, position: [0.9, -0.3], shape: {type: cylinder, radius: 0.1, length: 0.02}}
joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0], friction: {coefficient: 0.3, radius: 0.05, static: 0.4}}}
contacts:
  floor:
    {bodies: [arm, ground], plane: {normal: [0, 1], through: [0, -0.4]}, points: [tip, toe], friction: 0.3, restitution: 0.3,
     closing_speed: 0.05}
  roll: {bodies: [disk, ground], plane: {normal: [0, 1], through: [0, -0.4]}, friction: 0.5, closing_speed: 0.05}
forces:
  push: {type: joint_torque, joint: pin, value: 8*sin(4*t)}
  spring: {type: spring_damper, bodies: [arm, disk], at: [[0.9, 0], [0.9, -0.3]], stiffness: 10, free_length: 0.2}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 2, impacts: events}
"""
# from rest: rows hold at the start, and those of two contacts share what is known of both
CRATES = """
name: two crates, one on the other, the lower one pushed
dimension: 2
gravity: [0, -9.81]
bodies:
  low: {mass: 4, inertia: 0.1, position: [0, 0.1], shape: {type: box, size: [0.5, 0.2, 0.1]}}
  high: {mass: 1, inertia: 0.01, position: [0.1, 0.3], shape: {type: box, size: [0.2, 0.2, 0.1]}}
contacts:
  floor: {bodies: [low, ground], plane: {normal: [0, 1]}, friction: 0.3}
  pair: {between: [low, high], friction: 0.4, restitution: 0.2, closing_speed: 0.05}
forces: {push: {type: force, body: low, value: [80*t*sin(4*t), 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 1.5, impacts: events}
"""
# Glocker's woodpecker, see simulation/test_gap_contacts.py, at looser tolerances
WOODPECKER = """
parameters:
  {m_M: 0.0003, J_M: 5.0e-9, m_S: 0.0045, J_S: 7.0e-7, c: 0.0056, l_M: 0.01, l_G: 0.015, h_M: 0.0058, l_S: 0.0201, h_S: 0.02, r_O: 0.0025,
   r_M: 0.0031, g: 9.81, mu: 0.3}
coordinates: [y, phi_M, phi_S]
energy:
  kinetic: m_M/2*der(y)^2 + J_M/2*der(phi_M)^2 + m_S/2*(der(y) + l_M*der(phi_M) + l_G*der(phi_S))^2 + J_S/2*der(phi_S)^2
  potential: (m_M + m_S)*g*y + m_S*g*(l_M*phi_M + l_G*phi_S) + c/2*(phi_M - phi_S)^2
contacts:
  beak:
    gap: l_M + l_G - l_S - r_O - h_S*phi_S
    slide: der(y) + l_M*der(phi_M) + (l_G - l_S)*der(phi_S)
    friction: mu
    restitution: 0.5
  lower: {gap: r_M - r_O + h_M*phi_M, slide: der(y) + r_M*der(phi_M), friction: mu}
  upper: {gap: r_M - r_O - h_M*phi_M, slide: der(y) + r_M*der(phi_M), friction: mu}
initial: {phi_M: -0.0006/0.0058, phi_S: -0.2788, der(y): -0.3411, der(phi_S): -7.4583}
simulation: {method: lagrange, integrator: dop853, output_step: 0.01, end: 0.6, rtol: 1.0e-8, atol: 1.0e-12, impacts: events}
"""


def joint(text: str, **settings: Any) -> dict[str, Any]:
    """A model in joint coordinates."""
    read: dict[str, Any] = yaml.safe_load(text) | {"coordinates": "joint"}
    del read["simulation"]["method"]
    read["simulation"] |= settings
    return read


def by(text: str, **settings: Any) -> dict[str, Any]:
    """A model with other settings."""
    read: dict[str, Any] = yaml.safe_load(text)
    read["simulation"] |= settings
    return read


def let_go(text: str) -> dict[str, Any]:
    """POLYGONS, whose rail is let go while one rests on the other."""
    read: dict[str, Any] = yaml.safe_load(text)
    read["events"] = {"free": {"when": "t - 0.9", "do": {"unlock": "rail"}}}
    return read


SHOWN = ["arm.angle", "der(arm.angle)", "multiplier.pin_lower", "energy_work"]
ROWS = ["a.x", "b.x", "c.x", "der(b.x)", "multiplier.r_lower", "energy_work"]
CASES: dict[str, tuple[Any, list[str]]] = {
    "arm": (ARM, SHOWN),
    "crank in joint coordinates": (joint(CRANK), ["O.angle", "A.angle"]),
    "disks": (DISKS, ["one.x", "one.y", "two.x", "two.y"]),
    "crank": (CRANK, ["slider.x", "crank.angle", "joint_force:guide", "multiplier.guide_lower"]),
    "row": (ROW, ROWS),
    "one after the other": (by(ROW, simultaneous=False), ROWS),
    "poisson": (by(ROW, impact_law="poisson"), ROWS),
    "error control": (by(ROW, integrator="dop853", rtol=1e-10, atol=1e-10), ROWS),
    "four-bar": (FOUR, ["a.angle", "c.x", "multiplier.p_lower", "multiplier.r_upper"]),
    "four-bar in joint coordinates": (joint(FOUR), ["p.angle", "r.angle"]),
    "redundant cranks": (CRANKS, ["c0.angle", "d1.x", "multiplier.p0_upper", "multiplier.p1_upper"]),
    "redundant cranks by cfa": (by(CRANKS, method="cfa"), ["c0.angle", "d1.x"]),
    "redundant cranks in joint coordinates": (joint(CRANKS), ["p0.angle", "v1.angle"]),
    "gears": (GEAR, ["pinion.angle", "wheel.angle", "multiplier.mesh_lower"]),
    "gears in joint coordinates": (joint(GEAR), ["A.angle", "B.angle"]),
    "space": (SPACE, ["a.x", "b.z", "b.qx", "multiplier.p_upper"]),
    "space in joint coordinates": (joint(SPACE), ["p.angle", "q.displacement"]),
    "spheres": (SPHERES, ["one.x", "one.y", "one.z", "two.x", "two.z"]),
    "events": (EVENTS, ["arm.angle", "bob.x", "bob.y"]),
    "friction and stops": (RUB, ["arm.angle", "multiplier.pin_friction", "multiplier.pin_lower", "energy_work"]),
    "friction and stops in joint coordinates": (joint(RUB), ["pin.angle"]),
    "oscillators": (OSCILLATORS, ["a.x", "b.x", "der(b.x)"]),
    "a four-bar that rubs": (RUBBING, ["a.angle", "c.x", "multiplier.p_friction"]),
    "a four-bar that rubs in joint coordinates": (joint(RUBBING), ["p.angle", "r.angle"]),
    "disk": (DISK, ["disk.x", "disk.angle", "multiplier.floor", "energy_work"]),
    "disks with spin": (SPINNING, ["one.x", "one.y", "two.x", "two.y", "one.angle"]),
    "disks with spin by Poisson's law": (by(SPINNING, impact_law="poisson"), ["one.x", "one.y", "two.x", "two.y", "one.angle"]),
    "loaded friction": (LOADED, ["arm.angle", "bob.x", "bob.y", "energy_work"]),
    "crate": (CRATE, ["box.x", "box.y", "box.angle"]),
    "box": (BOX, ["box.x", "box.y", "box.angle"]),
    "sides and corners": (STEP, ["disk.x", "disk.y", "disk.angle", "block.x"]),
    "polygons that are let go": (let_go(POLYGONS), ["low.x", "low.y", "high.x", "high.y", "high.angle"]),
    "polygons": (POLYGONS, ["low.x", "high.x", "high.y", "high.angle", "multiplier.pair_3"]),
    "polygons by cfa": (by(POLYGONS, method="cfa"), ["low.x", "high.x", "high.y", "high.angle"]),
    "crates": (CRATES, ["low.x", "high.x", "high.y", "high.angle"]),
    "feet": (FEET, ["arm.angle", "disk.x", "disk.angle", "multiplier.floor_1", "multiplier.roll", "energy_work"]),
    "woodpecker": (WOODPECKER, ["y", "phi_M", "phi_S", "energy_work"]),
}
