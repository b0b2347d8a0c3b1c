"""Redraws the figures and the table of Liu, Hu & Zhang 2016, section 4, from `models/space_robot.yaml`, with chosen link data.

    python scripts/space_robot_figures.py            # needs Pinocchio: pip install '.[bench]'
    python scripts/space_robot_figures.py --quick    # a fraction of a second of motion; without Pinocchio too

Writes `space_robot.png` (hub attitude, arm angles, reaction of link L11: figs. 8 to 10), `space_robot_difference.png` (cfa against aba:
figs. 11 and 12, and at acceleration level) and `space_robot.md`
(Table 1: processor time of the march, also with other arms; multiplications).
"""

import os
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import space_robot_sizes as sizes
from command_line import PINOCCHIO, command, installed, output_folder, parser, versions
from measuring import origin, table
from numpy.typing import NDArray

import mbsim
from mbsim.assembly import Assembly
from mbsim.march.formulation import formulate
from mbsim.march.settings import resolve

FULL, QUICK = (10.0, 1.0, 5), (0.2, 0.02, 1)  # s of motion of the pictures, and of the times; turns that count
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


def document(worst: float, found: dict[int, dict[str, list[float]]], end: float, quick: bool, peer: str) -> str:
    """docs/space_robot.md."""
    heads, *rows = sizes.time_table(found, end)
    counted = sizes.count_table(list(found))
    shapes = sizes.shape_table(quick)
    return f"""# The space robot of Liu, Hu & Zhang 2016

{origin(command(__file__), versions("numba", "numpy"))}
- Load of the machine at the end: {os.getloadavg()[0]:.1f}; medians of {len(next(iter(found[sizes.SHIPPED].values())))} turns

![hub attitude, arm angles, reaction of L11](images/space_robot.png)

Largest relative difference of the accelerations of `cfa` and `aba` along the motion: {worst:.1e} (the paper's: 1e-12).

![cfa less aba](images/space_robot_difference.png)

## What is arbitrary

The paper gives the hub's size, the number of arms and the run: 10 s at a step of 0.002 s. Its table of link data is
lost. The masses, lengths, inertias and torques of `models/space_robot.yaml` are chosen. Arms with other numbers of
links have the same mass and length (`scripts/space_robot_sizes.py`), equal links, and hinges about z, y, y and x in
turn. The cost of an evaluation does not depend on any of these numbers but the number of links.

The numbers of the paper's Table 1 are lost, too. Its text gives their order: the recursive method is the quickest,
then the serial form, then the general form of the constraint force algorithm, and Kane's equations are the slowest.

## Table 1

`rk4` with steps of 0.002 s. Median (smallest to largest). The paper's Kane is the coupled form, with a full mass
matrix.

{table(heads, rows)}
{peer}
Which orders hold, by the smallest times:

{chr(10).join(sizes.orders(found))}

Kane's equations have as many unknowns as the robot has speeds: six of the hub and one a link. The matrix A of the
constraint forces has five a link, so the general form factors a matrix several times as large. The serial form
replaces that by rounds over all joints of an arm, which pay for themselves with longer arms only. The paper's Kane is
the slowest of its four. It says that the model was derived as one coupled system and is huge. Here the mass matrix of
Kane's equations comes from the composite rigid body algorithm in both forms; a model written out for one robot is not
measured.

## Multiplications

What solving A F_S = X_dot takes, counted by the code that solves it (`scripts/errata_trees.py`). The assembly of A and
what comes before and after it is the same for all three and is not counted.

{table(counted[0], counted[1:])}

Elimination from the leaves to the base is the correction that mbsim makes: it has no new blocks in any tree
([errata](errata.md#liu-section-3-the-cost)). Multiplications a joint, in chains and in binary trees:

{table(shapes[0], shapes[1:])}

In chains odd-even elimination costs a number of rounds that is the logarithm of the length. In binary trees every joint
belongs to a node, and its cost a joint grows with the square of their number. From the leaves to the base the cost a
joint is bounded in both.
"""


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    end, timed, turns = QUICK if given.quick else FULL
    peered = installed(PINOCCHIO, given.quick)
    mpl.use("Agg")
    made = sizes.robot(sizes.SHIPPED)
    cfa, aba = (mbsim.simulate(made, method=method, end=end) for method in ("cfa", "aba"))
    found = {links: sizes.times(links, timed, turns) for links in (sizes.QUICK_SIZES if given.quick else sizes.SIZES)}
    peer = ""
    if peered:
        calls = int(aba.attributes["counts"]["evaluations"])
        seconds = pinocchio_time(made, calls)
        peer = (
            f"\n{calls} calls of Pinocchio's `aba` from Python, without laws and integrator, took {seconds:.3f} s with four links an arm.\n"
        )
    with output_folder(given) as folder:
        draw(cfa, folder / "images" / "space_robot.png")
        worst = differences(made, cfa, aba, folder / "images" / "space_robot_difference.png")
        text = document(worst, found, timed, given.quick, peer)
        (folder / "space_robot.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
