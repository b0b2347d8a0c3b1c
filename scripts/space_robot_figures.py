"""Redraws the figures and the table of Liu, Hu & Zhang 2016, section 4, from `models/space_robot.yaml`, with chosen link data.

    python scripts/space_robot_figures.py            # needs Pinocchio: pip install '.[bench]'
    python scripts/space_robot_figures.py --quick    # a fraction of a second of motion; without Pinocchio too

Writes `space_robot.png` (hub attitude, arm angles, reaction of link L11: figs. 8 to 10), `space_robot_difference.png` (cfa against aba:
figs. 11 and 12, and at acceleration level) and `space_robot.md`
(Table 1: CPU time of the march, five repeats).
"""

import statistics
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from command_line import MODELS, PINOCCHIO, installed, output_folder, parser
from numpy.typing import NDArray

import mbsim
from mbsim.analyses.formulation import formulate
from mbsim.analyses.settings import resolve
from mbsim.assembly import Assembly

FULL, QUICK = (10.0, 5), (0.2, 1)  # s of motion, repeats
METHODS = {
    "Kane's equations (`kane`)": "kane",
    "recursive (`aba`)": "aba",
    "constraint forces, general form (`cfa`, `dense`)": "cfa(elimination=dense)",
    "constraint forces, serial form (`cfa`, `odd_even`)": "cfa(elimination=odd_even)",
    "constraint forces, leaves to base (`cfa`)": "cfa",
}
ARM = ("J11", "J12", "J13", "J14")


def attitude(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Roll, pitch, yaw (fixed axes, deg) of quaternions (k, 4)."""
    w, x, y, z = p.T
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1, 1))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.degrees(np.unwrap(np.array([roll, pitch, yaw]), axis=1)).T


def accelerations(made: Assembly, method: str, times: Any, q: Any, v: Any) -> NDArray[np.float64]:
    """v_dot (k, n) that a method finds at given states."""
    system = made.system
    solved = formulate(system, resolve(None, system, {"end": 1.0, "method": method}))
    rows = np.zeros((len(times), system.n_q + 2 * system.n_v + 1))
    for t, q_i, v_i, row in zip(times, q, v, rows, strict=True):
        z = np.concatenate([v_i, q_i, [0.0]])
        solved.start(t, q_i, v_i, z)
        solved.expand(t, z, row)
    return rows[:, system.n_q + system.n_v : -1]


def draw(result: Any, path: Path) -> None:
    """Figures 8 to 10."""
    import matplotlib.pyplot as plt

    joint = result.labels("joint").index("J11")
    figure, axes = plt.subplots(4, 1, figsize=(7, 10), sharex=True, layout="constrained")
    panels = (
        (attitude(result["body_orientation"][:, 0]), ("roll", "pitch", "yaw"), "hub, deg"),
        (np.degrees(np.array([result.select(f"{name}.angle") for name in ARM]).T), ARM, "arm 1, deg"),
        (result["joint_force_local"][:, joint], "xyz", "force on L11, N"),
        (result["joint_torque_local"][:, joint], "xyz", "moment on L11, N m"),
    )
    for axis, (values, labels, title) in zip(axes, panels, strict=True):
        axis.plot(result.time, values, label=list(labels))
        axis.set_ylabel(title)
        axis.legend(loc="upper left", ncols=len(labels), fontsize="small")
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("time, s")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def differences(made: Assembly, cfa: Any, aba: Any, path: Path) -> float:
    """Figures 11 and 12 and the largest relative difference of accelerations."""
    import matplotlib.pyplot as plt

    every = slice(10, None, 10)  # not the start, where nothing moves yet
    times, q, v = cfa.time[every], cfa["q"][every], cfa["v"][every]
    one, other = (accelerations(made, name, times, q, v) for name in ("cfa", "aba"))
    relative = np.abs(one - other).max(axis=1) / np.abs(other).max(axis=1)
    figure, axes = plt.subplots(3, 1, figsize=(7, 7), sharex=True, layout="constrained")
    axes[0].plot(cfa.time, attitude(cfa["body_orientation"][:, 0]) - attitude(aba["body_orientation"][:, 0]))
    axes[0].set_ylabel("hub, deg")
    axes[1].plot(cfa.time, np.degrees(np.array([cfa.select(f"{n}.angle") - aba.select(f"{n}.angle") for n in ARM]).T))
    axes[1].set_ylabel("arm 1, deg")
    axes[2].semilogy(times, np.maximum(relative, 1e-18))
    axes[2].set_ylabel("accelerations, relative")
    axes[2].set_xlabel("time, s")
    for axis in axes:
        axis.grid(alpha=0.3)
    figure.suptitle("cfa less aba")
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return float(relative.max())


def pinocchio_time(made: Assembly, calls: int) -> float:
    """Of as many calls of its aba from Python as the march makes evaluations."""
    import pinocchio as pin
    from pinocchio_peer import Peer

    peer = Peer(made.system)
    q, v = peer.state(made.q, made.v)
    tau, model, data, aba = np.zeros(made.system.n_v), peer.model, peer.data, pin.aba
    tick = time.process_time()
    for _ in range(calls):
        aba(model, data, q, v, tau)
    return time.process_time() - tick


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    end, repeats = QUICK if given.quick else FULL
    peered = installed(PINOCCHIO, given.quick)
    mpl.use("Agg")
    made = mbsim.assemble(mbsim.load_model(MODELS / "space_robot.yaml"))
    results: dict[str, Any] = {}
    times: dict[str, list[float]] = {word: [] for word in METHODS}
    for _ in range(repeats):
        for word, method in METHODS.items():
            results[method] = mbsim.simulate(made, method=method, end=end)
            times[word].append(results[method].attributes["march_time"])
    counts = results["aba"].attributes["counts"]
    heading = f"CPU time of {end:g} s, {counts['steps']:,} steps of RK4: median (smallest to largest) of {repeats}, s"
    lines = [f"| algorithm | {heading} |", "|---|---|"]
    for word, row in times.items():
        lines.append(f"| {word} | {statistics.median(row):.3f} ({min(row):.3f} to {max(row):.3f}) |")
    if peered:
        calls = int(counts["evaluations"])
        seconds = pinocchio_time(made, calls)
        lines.append(f"| {calls} calls of Pinocchio's `aba` from Python, without laws and integrator | {seconds:.3f} |")
    with output_folder(given) as folder:
        draw(results["cfa"], folder / "images" / "space_robot.png")
        worst = differences(made, results["cfa"], results["aba"], folder / "images" / "space_robot_difference.png")
        lines = [
            "# The space robot of Liu, Hu & Zhang 2016", "",
            "Written by `scripts/space_robot_figures.py` from `models/space_robot.yaml`.",
            "The link data are chosen, because those of the paper are lost.",
            "",
            "![hub attitude, arm angles, reaction of L11](images/space_robot.png)", "",
            f"Largest relative difference of the accelerations of `cfa` and `aba` along the motion: {worst:.1e} (the paper's: 1e-12).", "",
            "![cfa less aba](images/space_robot_difference.png)", "", *lines,
        ]  # fmt: skip
        (folder / "space_robot.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
