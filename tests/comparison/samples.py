"""Small models that the tests of this folder run."""

from typing import Any

from mbsim.registry import Option
from mbsim.results import Result
from mbsim.results.read import in_memory

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


def changed(result: Result, **functions: Any) -> Result:
    """The result with functions of (array, time) applied to some variables."""
    _, (arrays, *rest) = result.__reduce__()
    return in_memory({name: functions[name](x, result.time) if name in functions else x for name, x in arrays.items()}, *rest)


TOLERANT = {"rtol": Option("rtol", "relative tolerance", 1e-6, above=0.0), "atol": Option("atol", "absolute tolerance", 1e-9, above=0.0)}
