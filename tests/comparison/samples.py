"""Small models that the tests of this folder run."""

from mbsim.registry import Option

PENDULUM = """name: pendulum <i>&</i> pin
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 1/12, position: [1/2, 0]}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
simulation: {end: 1, step: 1e-2}
"""
OSCILLATOR = """name: oscillator
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: 2*x^2}
initial: {x: 1}
simulation: {end: 1, step: 0.02}
"""  # x = cos(2 t)
TOLERANT = {"rtol": Option("rtol", "relative tolerance", 1e-6, above=0.0), "atol": Option("atol", "absolute tolerance", 1e-9, above=0.0)}
