"""Writes the models of many rods or points whose statics and small motions have closed forms: catenary, hinged_beam, hanging_chain.

python scripts/rods.py catenary 12 > models/catenary.yaml
python scripts/rods.py --quick    # each of them with four
"""

from math import cosh, pi, sinh, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import jn_zeros


def catenary(n: int) -> str:
    """A chain of an even number of rods between two points, with a given horizontal pull; drawn as two straight halves."""
    half = n // 2
    # The span that gives the pull H: rod k stands at tan(angle) = (2 k - 1 - n) m g/(2 H).
    slope = [f"{2 * k - 1}*m*g/(2*H)" for k in range(1, half + 1)]
    span = " + ".join(f"1/sqrt(1 + ({x})^2)" for x in slope)
    sag = " + ".join(f"({x})/sqrt(1 + ({x})^2)" for x in slope)
    l, m, g, pull = 1.0 / n, 3.0 / n, 9.81, 12.0
    width = 2 * l * sum(1 / sqrt(1 + ((2 * k - 1) * m * g / (2 * pull)) ** 2) for k in range(1, half + 1))
    ratio = float(brentq(lambda x: sinh(x) / x - n * l / width, 1e-3, 10.0))  # of half the span to the parameter of the smooth catenary
    smooth = width / (2 * ratio)
    depth = smooth * (cosh(ratio) - 1.0)
    lines = [
        f"# A chain of {n} equal rods hangs between two points of one height. The pull H is the same in all hinges, and rod k stands at",
        "# tan(angle) = (2 k - 1 - n) m g/(2 H); the span is the one that makes the pull H. It is drawn as a V, far from balance.",
        f"# Written by scripts/rods.py catenary {n}.",
        f"name: catenary of {n} rods",
        "dimension: 2",
        "gravity: [0, -g]",
        "parameters:",
        "  g: 9.81",
        f"  l: 1/{n}        # of a rod, m",
        f"  m: 3/{n}        # of a rod, kg",
        "  H: 12           # pull, N",
        f"  span: 2*l*({span})",
        f"  sag: l*({sag})",
        f"  a: acos(span/({n}*l))      # angle of the halves as drawn",
        "bodies:",
    ]
    for k in range(n):
        down = k < half
        x = f"{k + 0.5}*l*cos(a)"
        y = f"-{k + 0.5 if down else n - k - 0.5}*l*sin(a)"
        points = "points: {A: [-l/2, 0], B: [l/2, 0]}"
        lines.append(f"  rod{k}: {{mass: m, inertia: m*l^2/12, position: [{x}, {y}], angle: {'-' * down}a, {points}}}")
    lines += ["joints:", "  J0: {type: revolute, points: [ground, rod0.A]}"]
    lines += [f"  J{k}: {{type: revolute, points: [rod{k - 1}.B, rod{k}.A]}}" for k in range(1, n)]
    lines += [
        f"  J{n}: {{type: revolute, bodies: [rod{n - 1}, ground], at: [span, 0]}}",
        "simulation: {end: 2}",
        f"measures: {{depth: {{value: -rod{half}.A.y, unit: m}}}}",
        "reference:",
        "  source: closed form by the balance of a rod; that of the smooth chain by Huygens, Leibniz and Bernoulli 1691",
        "  equilibrium:",
        "    - {of: depth, value: sag, tolerance: 1e-10, stable: true}",
        f"    - {{of: joint_force.J{half}.x, value: -H, tolerance: 1e-8}}",
        f"    - {{of: joint_force.J0.y, value: {n}*m*g/2, tolerance: 1e-8}}",
        f"    - {{of: rod0.angle, value: -atan({n - 1}*m*g/(2*H)), tolerance: 1e-9}}",
        f"    - {{of: rod{half}.angle, value: atan(m*g/(2*H)), tolerance: 1e-9}}",
        f"    - {{of: depth, value: {depth:.10f}, tolerance: {_two(depth / n**2)}}}    # smooth; the rods differ by O(1/n^2)",
        f"    - {{of: joint_force.J{half}.x, value: {-m * g / l * smooth:.8f}, tolerance: {_two(6 * pull / n**2)}}}    # smooth",
    ]
    return "\n".join(lines) + "\n"


def hinged_beam(n: int) -> str:
    """A hinged beam as rods with rotational springs EI/l in their joints, pressed along its axis (Hencky's chain)."""
    lines = [
        f"# A beam on two supports as {n} rods with rotational springs EI/l between them (Hencky's chain), pressed by P. Its modes are",
        "# sines at the hinges, w_j = sin(j f), f = k pi/n, so all of it has a closed form: the force at which it buckles and",
        "#   omega_k^2 = (4 EI/l^3 (1 - cos f)^2 - 2 P/l (1 - cos f))/(rho l (2 + cos f)/3)",
        "# With n the frequencies tend to those of Euler and Bernoulli by the fourth order, the force to Euler's by the second.",
        "#   mbsim modes hinged_beam --at start --vary P=0:12:25",
        f"# Written by scripts/rods.py hinged_beam {n}.",
        f"name: hinged beam of {n} rods",
        "dimension: 2",
        "parameters:",
        f"  l: 1/{n}        # of a rod, m",
        "  EI: 1           # N m^2",
        "  rho: 1          # mass for each metre, kg/m",
        "  P: 0            # N",
        "  some: 5         # another P, N",
    ]
    lines += [f"  f{k}: {k}*pi/{n}" for k in (1, 2, 3)]
    lines.append("bodies:")
    for k in range(n):
        lines.append(f"  rod{k}: {{mass: rho*l, inertia: rho*l^3/12, position: [{k + 0.5}*l, 0], points: {{A: [-l/2, 0], B: [l/2, 0]}}}}")
    lines += ["joints:", "  J0: {type: revolute, points: [ground, rod0.A]}"]
    lines += [f"  J{k}: {{type: revolute, points: [rod{k - 1}.B, rod{k}.A]}}" for k in range(1, n)]
    lines += [f"  J{n}: {{type: point_on_line, points: [ground, rod{n - 1}.B], axis: [1, 0]}}", "forces:"]
    lines += [f"  s{k}: {{type: rotational_spring_damper, joint: J{k}, stiffness: EI/l}}" for k in range(1, n)]
    lines += [
        f"  press: {{type: force, body: rod{n - 1}.B, value: [-P, 0]}}",
        "simulation: {end: 1}",
        "reference:",
        "  source: closed form of the chain (Hencky 1920; Wang et al., Hencky bar-chain/net, 2020); of the beam by Euler and Bernoulli",
        "  modes:",
    ]
    for k in (1, 2, 3):
        c = f"cos(f{k})"
        free, stiff = f"rho*l*(2 + {c})/3", f"4*EI/l^3*(1 - {c})^2"
        lines.append(f"    - {{eigenvalue: [0, sqrt({stiff}/({free}))], tolerance: {1e-8 * k**2:g}}}")
        error = 1.5 * (k * pi) ** 2 * (k * pi / n) ** 4 / 160
        lines.append(f"    - {{eigenvalue: [0, ({k}*pi)^2*sqrt(EI/rho)], tolerance: {_two(error)}}}    # Euler and Bernoulli")
    euler = _two(2 * pi**4 / 12 / n**2)
    lines += [
        "    - {eigenvalue: [0, sqrt((4*EI/l^3*(1 - cos(f1))^2 - 2*some/l*(1 - cos(f1)))/(rho*l*(2 + cos(f1))/3))], tolerance: 1e-8, "
        "parameters: {P: 5}}",
        "  borders:",
        "    - {parameter: P, between: [5, 12], value: 2*EI/l^2*(1 - cos(f1)), tolerance: 1e-7, becomes: unstable, at: start}",
        f"    - {{parameter: P, between: [5, 12], value: pi^2*EI, tolerance: {euler}, becomes: unstable, at: start}}    # Euler",
    ]
    return "\n".join(lines) + "\n"


def hanging_chain(n: int) -> str:
    """Equal masses on massless links, hanging: zeros of Laguerre's polynomial, and in the limit of Bessel's function J0."""
    lines = [
        f"# {n} equal masses on links without mass hang one below the other: omega^2 l/g are the zeros of Laguerre's polynomial L_{n}",
        f"# (Bernoulli 1733). They tend to those of a chain {n + 0.5:g} l long, (j/2)^2 g/length with the zeros j of Bessel's function J0.",
        f"# Written by scripts/rods.py hanging_chain {n}.",
        f"name: hanging chain of {n} masses",
        "dimension: 2",
        "coordinates: joint",
        "gravity: [0, -g]",
        "parameters:",
        "  g: 9.81",
        "  l: 0.1          # of a link, m",
        "  m: 0.2          # kg",
        "  J: 1e-14        # of a mass, as of a point, kg m^2",
        "bodies:",
    ]
    lines += [f"  p{k}: {{mass: m, inertia: J, position: [0, -{k + 1}*l]}}" for k in range(n)]
    lines.append("joints:")
    lines += [f"  J{k}: {{type: revolute, bodies: [{f'p{k - 1}' if k else 'ground'}, p{k}], at: [0, -{k}*l]}}" for k in range(n)]
    lines += ["simulation: {end: 2}", "reference:", "  source: Daniel Bernoulli 1733, as in Routh, Advanced Rigid Dynamics", "  modes:"]
    zeros = np.sort(np.polynomial.laguerre.lagroots([0.0] * n + [1.0]))
    lines += [f"    - {{eigenvalue: [0, sqrt({x:.12g}*g/l)], tolerance: 1e-8}}" for x in zeros]
    for j in jn_zeros(0, 3):
        omega = j / 2 * sqrt(9.81 / (0.1 * (n + 0.5)))
        error = 2 * omega * (abs(j**2 - 2) / (96 * (n + 0.5) ** 2))
        lines.append(f"    - {{eigenvalue: [0, {j:.12g}/2*sqrt(g/({n + 0.5:g}*l))], tolerance: {_two(error)}}}    # of the smooth chain")
    return "\n".join(lines) + "\n"


def _two(x: float) -> str:
    """Two digits, rounded up."""
    return f"{x * 1.05:.1e}"


MODELS = {"catenary": catenary, "hinged_beam": hinged_beam, "hanging_chain": hanging_chain}


def main() -> None:
    from command_line import parser  # here, because a test runs this file without its folder on the import path

    arguments = parser(__doc__)
    arguments.add_argument("model", nargs="?", choices=MODELS)
    arguments.add_argument("n", type=int, nargs="?", help="number of rods or masses; of a catenary even")
    given = arguments.parse_args()
    if given.quick:
        for write in MODELS.values():
            print(write(4), end="")
        return
    if given.model is None or given.n is None or given.n < 2 or (given.model == "catenary" and given.n % 2):
        arguments.error("which model, of how many rods? A catenary has an even number")
    print(MODELS[given.model](given.n), end="")


if __name__ == "__main__":
    main()
