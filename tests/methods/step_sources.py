"""Systems that tests of methods with steps of their own share, and their errors."""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import mbsim
from mbsim.assembly import Assembly

LENGTH, GRAVITY = 1.98120, 9.80665
POINT_MASS = f"""
name: pendulum of Yang, Duan & Di
parameters: {{m: 44.452050, l: {LENGTH}, g: {GRAVITY}}}
coordinates: [x, y]
energy: {{kinetic: m/2*(der(x)^2 + der(y)^2), potential: m*g*y}}
constraints: {{rod: {{type: holonomic, equation: x^2 + y^2 - l^2}}}}
initial: {{x: l}}
simulation: {{end: 2}}
"""
TWO_RODS = """
name: double pendulum of rods
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 1/12, position: [0.5, 0]}
  b: {mass: 1, inertia: 1/12, position: [1.5, 0]}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  A: {type: revolute, bodies: [a, b], at: [1, 0]}
simulation: {end: 1}
"""
STIFF = """
name: pendulum on a cart on a stiff spring
dimension: 2
gravity: [0, -9.81]
parameters: {k: 1e6}
bodies:
  cart: {mass: 1, inertia: 0.1, position: [0, 0]}
  rod: {mass: 1, inertia: 1/12, position: [0.5, 0]}
joints:
  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}
  pin: {type: revolute, bodies: [cart, rod], at: [0, 0]}
forces: {spring: {type: spring_damper, bodies: [ground, cart], at: [[-1, 0], [0, 0]], stiffness: k, damping: 3}}
simulation: {end: 2}
"""
HANGING = """
name: bead on a string that is drawn in
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2, potential: 9.81*y}
constraints: {string: {type: holonomic, equation: x^2 + y^2 - (1 - 0.3*sin(t))^2}}
initial: {x: 0.6, y: -0.8, der(x): 1}
simulation: {end: 2}
"""


def pendulum_exact(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of the paper's pendulum from its angle, to 1e-12."""
    found = solve_ivp(lambda _, y: [y[1], -GRAVITY / LENGTH * np.cos(y[0])], (0, t), [0, 0], method="DOP853", rtol=1e-13, atol=1e-14)
    angle, rate = found.y[:, -1]
    return LENGTH * np.array([np.cos(angle), np.sin(angle)]), LENGTH * rate * np.array([-np.sin(angle), np.cos(angle)])


def errors(made: Assembly, method: str, steps: Any, end: float, q: np.ndarray, v: np.ndarray, **settings: Any) -> np.ndarray:
    """Largest error of q and of v at the end, a row for each step."""
    runs = [mbsim.simulate(made, method=method, end=end, step=h, output_step=end, **settings) for h in steps]
    return np.array([[np.abs(r["q"][-1] - q).max(), np.abs(r["v"][-1] - v).max()] for r in runs])
