"""Imports every URDF file below some folders, with a fixed and with a floating base, and compares accelerations with Pinocchio's.

    python scripts/import_robots.py FOLDER ... [--states 3]
    python scripts/import_robots.py --quick      # a robot of its own with joints that mimic, links without mass and damping

Pinocchio reads the same file; files that it refuses, and those in which nothing moves, do not count. Joints that the model does not have,
because nothing with mass hangs on them, are locked in its model; joints that mimic others are tied by multipliers over its mass matrix.
Needs Pinocchio (`pip install pin`); without it only imports are counted. `pip download --no-deps example-robot-data` gets 69 files in a
wheel to unpack.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from command_line import PINOCCHIO, installed, parser
from numpy.typing import NDArray

import mbsim
from mbsim import registry
from mbsim.importers.robot import Names, Robot
from mbsim.importers.urdf import Options, UrdfError, conversion, read
from mbsim.kernels.rotations import matrices
from mbsim.model.load import load
from mbsim.model.schema import Model
from mbsim.system.system import System

Floats = NDArray[np.float64]
TOLERANCE = 1e-9  # of the largest acceleration of a joint or the root
LEAST = 1e-3  # m/s^2, rad/s^2: where weights act along no joint, the largest is round-off
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def _own() -> str:
    """The robot of `--quick`."""
    inertia = '<inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.003" ixz="-0.002" iyz="0.004"/>'
    links = [f'<link name="{name}"/>' for name in ("cross", "tool")]
    for mass, name in enumerate(("base", "arm", "left", "right"), 1):
        links.append(f'<link name="{name}"><inertial><origin xyz="0.1 0.02 -0.3"/><mass value="{mass}"/>{inertia}</inertial></link>')
    mimic = '<mimic joint="l" multiplier="-1.5" offset="0.1"/>'
    rows = (
        ("a", "continuous", "base", "cross", "1 0 0", ""), ("b", "continuous", "cross", "arm", "0 1 0", ""),
        ("l", "prismatic", "arm", "left", "0 0 1", LIMIT), ("r", "prismatic", "arm", "right", "0 1 1", LIMIT + mimic),
        ("t", "continuous", "right", "tool", "0 1 0", ""),
    )  # fmt: skip
    joints = [
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>{more}'
        '<origin xyz="0.2 -0.1 0.3" rpy="0.3 -0.5 0.7"/><dynamics damping="0.3"/></joint>'
        for name, kind, parent, child, axis, more in rows
    ]
    return "".join(['<robot name="own">', *links, *joints, "</robot>"])


def main() -> None:
    """Print a line for each file that is refused or off, then the counts."""
    arguments = parser(__doc__)
    arguments.add_argument("folders", nargs="*", type=Path)
    arguments.add_argument("--states", type=int, default=3)
    given = arguments.parse_args()
    peer = installed(PINOCCHIO, given.quick)
    with tempfile.TemporaryDirectory() as folder:
        if given.quick:
            Path(folder, "own.urdf").write_text(_own(), encoding="utf-8")
        files = sorted(file for root in [*given.folders, Path(folder)] for file in root.rglob("*.urdf"))
        tried = {(file, floating): _outcome(file, floating, given.states, peer) for file in files for floating in (False, True)}
    found = {key: said for key, said in tried.items() if said is not None}
    for (file, floating), said in found.items():
        if isinstance(said, str) or said > TOLERANCE:
            print(f"{file.name}{' --floating' * floating}: {said if isinstance(said, str) else f'accelerations {said:.1e} off'}")
    for floating in (False, True):
        of = [said for (_, free), said in found.items() if free == floating]
        errors = [said for said in of if not isinstance(said, str)]
        print(
            f"{'floating' if floating else 'fixed'}: {len(errors)} of {len(of)} imported"
            + f", accelerations agree with Pinocchio's to {max(errors, default=0.0):.1e} of the largest" * bool(peer)
        )
    if not files or any(not isinstance(said, str) and not said <= TOLERANCE for said in found.values()):
        sys.exit(1)


def _outcome(path: Path, floating: bool, states: int, peer: bool) -> str | float | None:
    """Why a file is refused, or the largest difference of accelerations; 0 without a peer. None: the peer has no such model."""
    if peer:
        import pinocchio as pin

        try:
            theirs_alone = pin.buildModelFromUrdf(str(path))
        except ValueError:
            return None
        if theirs_alone.nv == 0 and not floating:
            return None
    try:
        text = conversion(path, Options(floating=floating), path.parent).text
    except UrdfError as error:
        return str(error).splitlines()[0]
    if not peer:
        return 0.0
    model = yaml.safe_load(text)
    model.pop("forces", None)  # damping, which is not part of Pinocchio's model
    checked = load(yaml.safe_dump(model, sort_keys=False), registry, file=str(path.parent / "the model"))
    made = mbsim.assemble(checked)
    theirs = _Peer(read(path, path.parent), path, floating, made.system, checked)
    try:
        return max(theirs.difference(made.system, made.q, seed) for seed in range(states))
    except np.linalg.LinAlgError:
        return "imported, but Pinocchio's mass matrix is singular"


class _Peer:
    """Pinocchio's model of a file, with the joints of ours."""

    def __init__(self, robot: Robot, path: Path, floating: bool, system: System, model: Model) -> None:
        import pinocchio as pin

        self.pin: Any = pin
        self.floating = floating
        self.model: Any = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floating else []))
        self.data = self.model.createData()
        ours: dict[str, int] = {}  # the first coordinate of each joint
        for k, name in enumerate(system.coordinates):
            if name.rpartition(".")[0] in robot.joints:
                ours.setdefault(name.rpartition(".")[0], k)
        moving = [(k, name) for k in range(1 + floating, self.model.njoints) if (name := Names("joint").add(self.model.names[k])) in ours]
        self.joints = [(self.model.joints[k], ours[name], robot.joints[name].value) for k, name in moving]  # and place in our q
        self.kept = [*range(6 * floating)]  # the others are locked at their zero
        for joint, _, _ in self.joints:
            self.kept += range(joint.idx_v, joint.idx_v + joint.nv)
        # Of planar joints: components along the axes of ours -> along those of the link at the joint's zero.
        self.turned: dict[int, Floats] = {}
        for (_, name), (joint, _, _) in zip(moving, self.joints, strict=True):
            if robot.joints[name].kind == "planar":
                leaf: Any = model.joints[name]
                self.turned[joint.idx_v] = (robot.pose[robot.joints[name].child][0].T @ np.array(leaf.frames(3)[0], float).T)[:2, :2]
        at = {name: self.model.joints[k].idx_v for k, name in moving}
        ties = [(name, mimic) for name in at if (mimic := robot.joints[name].mimic) is not None and mimic.joint in at]
        self.rows = np.zeros((len(ties), self.model.nv))
        for row, (name, mimic) in zip(self.rows, ties, strict=True):
            row[at[name]], row[at[mimic.joint]] = 1.0, -mimic.ratio

    def difference(self, system: System, start: Floats, seed: int) -> float:
        """The largest difference of accelerations at a random state, over the largest of them."""
        pin, model, rng = self.pin, self.model, np.random.default_rng(seed)
        q, v = system.move(start, rng.standard_normal(system.n_v)), rng.standard_normal(system.n_v)
        M, h, C, eta = system.terms(0.0, q, v)[:4]
        a = _constrained(M, h, C, eta)
        q_pin, v_pin, behind = pin.neutral(model), np.zeros(model.nv), system.n_q - system.n_v
        for joint, k, value in self.joints:
            if joint.idx_v in self.turned:  # Pinocchio: place along the axes of the parent, velocity along those of the link
                S, R = self.turned[joint.idx_v], _plane(q[k + 2])
                q_pin[joint.idx_q : joint.idx_q + 4] = [*(S @ q[k : k + 2]), np.cos(q[k + 2]), np.sin(q[k + 2])]
                v_pin[joint.idx_v : joint.idx_v + 3] = [*(R.T @ S @ v[k - behind : k - behind + 2]), v[k - behind + 2]]
                continue
            x = q[k] + value
            q_pin[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(x), np.sin(x)] if joint.nq == 2 else x
            v_pin[joint.idx_v] = v[k - behind]
        if self.floating:  # Pinocchio: the frame of the root link in place of the body's, components in its axes
            R = matrices(q[3:7]) @ matrices(start[3:7]).T
            arm, w = R @ start[:3], matrices(q[3:7]) @ v[3:6]
            quaternion = pin.Quaternion(R)
            q_pin[:7] = [*(q[:3] - arm), quaternion.x, quaternion.y, quaternion.z, quaternion.w]
            v_pin[:3], v_pin[3:6] = R.T @ (v[:3] - np.cross(w, arm)), R.T @ w
        mass = np.triu(pin.crba(model, self.data, q_pin))
        mass = mass + np.triu(mass, 1).T
        h_pin, kept, expected = -pin.nonLinearEffects(model, self.data, q_pin, v_pin), self.kept, np.zeros(model.nv)
        expected[kept] = _constrained(mass[np.ix_(kept, kept)], h_pin[kept], self.rows[:, kept], np.zeros(len(self.rows)))
        off = [a[k - behind] - expected[joint.idx_v] for joint, k, _ in self.joints if joint.idx_v not in self.turned]
        for joint, k, _ in self.joints:
            if joint.idx_v in self.turned:
                at, own, R = joint.idx_v, a[k - behind : k - behind + 3], _plane(q[k + 2])
                turning = v_pin[at + 2] * np.array([-v_pin[at + 1], v_pin[at]])  # the axes of the link turn
                off += [*(R.T @ self.turned[at] @ own[:2] - expected[at : at + 2] - turning), own[2] - expected[at + 2]]
        if self.floating:
            turning = matrices(q[3:7]) @ a[3:6]
            moving = a[:3] - np.cross(turning, arm) - np.cross(w, np.cross(w, arm))
            off += [*(R @ expected[3:6] - turning), *(R @ (expected[:3] + np.cross(v_pin[3:6], v_pin[:3])) - moving)]
        scale = max(np.abs(expected).max(initial=0.0), LEAST)
        return float(np.abs(off).max(initial=0.0) / scale)


def _plane(angle: float) -> Floats:
    """(2, 2): a turn in the plane."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def _constrained(M: Floats, h: Floats, C: Floats, eta: Floats) -> Floats:
    """The accelerations of M a + C^T lambda = h, C a = eta; the rows are independent."""
    n = len(h)
    matrix = np.block([[M, C.T], [C, np.zeros((len(C), len(C)))]])
    return np.asarray(np.linalg.solve(matrix, np.concatenate([h, eta]))[:n])


if __name__ == "__main__":
    main()
