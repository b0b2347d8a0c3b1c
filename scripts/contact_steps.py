"""Steps through contacts (`impacts: steps`): their errors by step, and what a step costs. Printed, for docs/contact_laws.md.

    python scripts/contact_steps.py            # five motions by four steps; balls in a funnel and in a trough
    python scripts/contact_steps.py --quick    # one motion, few balls

Errors are those of coordinates at one time, m or rad, against a closed form or a run that locates events. Costs are of the processor, by
step, without assembling.
"""

from typing import NamedTuple

import numpy as np
from command_line import parser

import mbsim

STEPS = (1e-2, 1e-3, 1e-4)
MEANT = "gravity: [0, -9.81]"
BALL = f"""
dimension: 2
{MEANT}
bodies: {{ball: {{mass: 1, inertia: 0.1, position: [0, 1]}}}}
contacts: {{floor: {{bodies: [ball, ground], plane: {{normal: [0, 1]}}, radius: 0, restitution: 0.8}}}}
simulation: {{end: 2}}
"""
OSCILLATOR = """
dimension: 2
bodies: {block: {mass: 1, inertia: 1, position: [0.2, 0]}}
joints: {slide: {type: prismatic, bodies: [ground, block], at: [0, 0], axis: [1, 0], friction: {force: 0.2*9.81}}}
forces:
  spring: {type: spring_damper, bodies: [ground, block], at: [[-10, 0], [0.2, 0]], stiffness: 100, free_length: 10}
simulation: {end: 2}
"""
BOX = """
dimension: 2
gravity: [9.81*sin(0.4), -9.81*cos(0.4)]
bodies: {box: {mass: 1, inertia: (0.2^2+0.6^2)/12, position: [0, 0.3], shape: {type: box, size: [0.2, 0.6]}}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1]}, friction: 0.5}}
simulation: {end: 0.5}
"""
ROCKING = f"""
dimension: 2
{MEANT}
parameters: {{a: 0.122489331563432}}
bodies:
  block:
    mass: 1
    inertia: (0.2^2+0.8^2)/12
    position: ["-0.1*cos(a)+0.1+0.4*sin(a)", "0.1*sin(a)+0.4*cos(a)"]
    angle: -a
    shape: {{type: box, size: [0.2, 0.8]}}
contacts: {{floor: {{bodies: [block, ground], plane: {{normal: [0, 1]}}, friction: 20}}}}
simulation: {{end: 0.5}}
"""
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
simulation: {end: 0.3}
"""


class Motion(NamedTuple):
    """What is marched, and where it is at the end."""

    text: str
    exact: dict[int, float] | None  # coordinate -> its value; None: as located events say


MOTIONS = {
    "ball that bounces": Motion(BALL, {1: 0.260741728327106}),
    "Coulomb's oscillator": Motion(OSCILLATOR, {0: -0.0038}),
    "box that slides and topples": Motion(BOX, None),
    "Housner's block": Motion(ROCKING, None),
    "woodpecker": Motion(WOODPECKER, {0: -0.0413274161, 2: -0.3423738551}),
}


def trough(n: int) -> str:
    """Disks that fall into a trough."""
    names = [f"b{k}" for k in range(n)]
    lines = ["dimension: 2", MEANT, "bodies:"]
    for k, name in enumerate(names):
        row, i = divmod(k, 3)
        at = f"[{0.11 * (i - 1) + 0.003 * (row % 3):.5g}, {0.3 + 0.12 * row:.5g}]"
        lines.append(f"  {name}: {{mass: 0.1, inertia: 0.0001, position: {at}, shape: {{type: cylinder, radius: 0.05, length: 0.1}}}}")
    return "\n".join([*lines, *contacts(names, {"left": "[1, 1]", "right": "[-1, 1]"})])


def funnel(n: int) -> str:
    """Balls that fall into a funnel of four planes."""
    names, rng = [f"b{k}" for k in range(n)], np.random.default_rng(1)
    lines = ["gravity: [0, 0, -9.81]", "bodies:"]
    for k, name in enumerate(names):
        row, i = divmod(k, 4)
        x, y = rng.uniform(-0.01, 0.01, 2) + 0.12 * np.array([i % 2 - 0.5, i // 2 - 0.5])
        at = f"[{x:.5f}, {y:.5f}, {0.25 + 0.11 * row:.5g}]"
        lines.append(f"  {name}: {{mass: 0.1, inertia: [0.0001, 0.0001, 0.0001], position: {at}, shape: {{type: sphere, radius: 0.05}}}}")
    planes = {"east": "[-1, 0, 1]", "west": "[1, 0, 1]", "north": "[0, -1, 1]", "south": "[0, 1, 1]"}
    return "\n".join([*lines, *contacts(names, planes)])


def contacts(names: list[str], planes: dict[str, str]) -> list[str]:
    """Those of bodies with planes and with each other, and a simulation of one second."""
    law = "friction: 0.3, restitution: 0.3"
    of = ", ".join(names)
    lines = ["contacts:", *(f"  {plane}: {{bodies: [{of}, ground], plane: {{normal: {n}}}, {law}}}" for plane, n in planes.items())]
    return [*lines, f"  balls: {{between: [{of}], {law}}}", "simulation: {end: 1, step: 0.001, output_step: 0.02, impacts: steps}"]


def print_errors(quick: bool) -> None:
    """Print the errors of motions by step, s."""
    print(f"{'motion':>28} " + " ".join(f"{h:>8g}" for h in STEPS))
    for name, motion in list(MOTIONS.items())[: 1 if quick else None]:
        exact = motion.exact
        if exact is None:
            exact = dict(enumerate(np.asarray(mbsim.simulate(motion.text)["q"])[-1].tolist()))
        found = []
        for h in STEPS[: 1 if quick else None]:
            q = np.asarray(mbsim.simulate(motion.text, impacts="steps", step=h, output_step=0.1)["q"])[-1]
            found.append(max(abs(q[i] - x) for i, x in exact.items()))
        print(f"{name:>28} " + " ".join(f"{error:8.1e}" if error < 1.0 else "unstable" for error in found))


def print_costs(quick: bool) -> None:
    """Print what steps of many bodies cost."""
    for kind, make, numbers in (("disks in a trough", trough, (3, 20)), ("balls in a funnel", funnel, (4, 8, 20))):
        for n in numbers[: 1 if quick else None]:
            result = mbsim.simulate(make(n), end=0.05 if quick else 1.0)
            facts, loads = result.attributes, np.asarray(result["multiplier"])[-1]
            names = result.labels("constraint")
            touching = sum(abs(load) > 1e-9 for load, name in zip(loads, names, strict=True) if "stick" not in name)
            of = sum("stick" not in name for name in names)
            milliseconds = 1e3 * facts["march_cpu_time"] / facts["counts"]["steps"]
            balance = float(np.abs(result["energy_balance"]).max())
            print(f"{n} {kind}: {touching} of {of} contacts touch at the end, {milliseconds:.2f} ms a step, balance {balance:.1e} J")


def main() -> None:
    """Print all of it."""
    quick = parser(__doc__).parse_args().quick
    print_errors(quick)
    print_costs(quick)


if __name__ == "__main__":
    main()
