"""Writes the N four-bar of the IFToMM benchmark A02 as a model: N + 1 cranks on ground pivots 1 m apart, N couplers, all 1 m and 1 kg.

python scripts/n_four_bar.py 40 > models/n_four_bar_40.yaml
python scripts/n_four_bar.py --quick    # that of two windows
"""

# Tip (x, y) of the first crank at t seconds: closed form, all cranks turn alike, theta_ddot = a sin theta from upright.
TIP = {
    1: {1: (-0.26071267518365036, -0.96541643915907317), 10: (0.47838505776097056, 0.8781501787912093)},
    2: {
        1: (-0.19502030194943509, -0.98079920566217383),
        2: (0.057815795768011432, 0.99832726786345548),
        4: (0.11761610237680861, 0.9930591384513251),
        10: (0.32845811154081538, 0.94451853817860096),
    },
    40: {1: (-0.1153568806321099, -0.99332411130045019), 10: (0.18051222666672839, 0.98357274058231157)},
}
SPEED = {1: 1.96693471944032, 2: 1.50664218084183, 40: 1.16762210875171}  # rad/s at 10 s, clockwise


def model(n: int, step: float = 0.01) -> str:
    """The YAML text; with the reference where it is known."""
    half = "points: {A: [-0.5, 0], B: [0.5, 0]}"
    lines = [
        f"# IFToMM benchmark A02 with {n} windows: parallel cranks that turn together, in one line with the couplers each half turn.",
        f"# Written by scripts/n_four_bar.py {n}. There the constraints lose rank, and the linkage could change to another branch.",
        f"name: {n} four-bar{'s' * (n > 1)} in parallel, IFToMM A02",
        "dimension: 2",
        "gravity: [0, -9.81]",
        "bodies:",
    ]
    for i in range(n + 1):
        motion = "velocity: [0.5, 0], angular_velocity: -1"
        lines.append(f"  crank{i}: {{mass: 1, inertia: 1/12, position: [{i}, 0.5], angle: pi/2, {motion}, {half}}}")
    for i in range(n):
        lines.append(f"  coupler{i}: {{mass: 1, inertia: 1/12, position: [{i}.5, 1], velocity: [1, 0], {half}}}")
    lines.append("joints:")
    for i in range(n + 1):
        lines.append(f"  O{i}: {{type: revolute, bodies: [ground, crank{i}], at: [{i}, 0]}}")
    for i in range(n):
        lines.append(f"  A{i}: {{type: revolute, points: [crank{i}.B, coupler{i}.A]}}")
        lines.append(f"  B{i}: {{type: revolute, points: [coupler{i}.B, crank{i + 1}.B]}}")
    lines.append(f"simulation: {{end: 10, step: {step:g}, method: cfa}}")
    if n in TIP:
        lines += ["reference:", "  source: closed form in elliptic functions", "  values:"]
        for t, tip in TIP[n].items():
            for axis, value in zip("xy", tip, strict=True):
                lines.append(f"    - {{time: {t}, of: crank0.{axis}, value: {value!r}/2, tolerance: 1e-5}}")
        lines.append(f"    - {{time: 10, of: der(crank0.angle), value: {-SPEED[n]!r}, tolerance: 1e-4}}")
    return "\n".join(lines) + "\n"


def main() -> None:
    from command_line import parser  # here, because a test runs this file without its folder on the import path

    arguments = parser(__doc__)
    arguments.add_argument("n", type=int, nargs="?", help="number of windows")
    given = arguments.parse_args()
    if given.n is None and not given.quick:
        arguments.error("how many windows?")
    print(model(given.n or 2), end="")


if __name__ == "__main__":
    main()
