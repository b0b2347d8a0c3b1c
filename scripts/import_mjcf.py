"""Imports every MJCF file below some folders and compares accelerations with MuJoCo's.

    python scripts/import_mjcf.py FOLDER ... [--states 3]
    python scripts/import_mjcf.py --quick      # a robot of its own, with all kinds of joints, actuators and an equality constraint

MuJoCo reads the same file. Files that it refuses and models in which nothing moves do not count. What the import names as not taken is set
to zero in MuJoCo's model: actuators and springs of tendons that are no sum of coordinates, the medium, contacts, limits, friction, the
damping of free joints. At random states accelerations without equality constraints are compared. With them they are compared at the
assembled configuration with random speeds: M, h and the rows are MuJoCo's there, and the derivative of the rows is a difference of fourth
order. Needs MuJoCo (`pip install mujoco`); without it only imports are counted. `pip download --no-deps dm_control` gets 65 files in a
wheel to unpack.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from command_line import MUJOCO, installed, parser
from numpy.typing import NDArray

import mbsim
from mbsim import registry
from mbsim.importers.formats import read
from mbsim.importers.robot import ONE_COORDINATE, Joint, Names, Robot
from mbsim.importers.robot_groups import bodies
from mbsim.importers.robot_laws import COORDINATES
from mbsim.importers.robot_model import Options, write_robot
from mbsim.importers.urdf_elements import RobotError, parse
from mbsim.kernels.rotations import matrices, quaternions
from mbsim.model.load import load
from mbsim.system.system import System

Floats = NDArray[np.float64]
TOLERANCE = 1e-9  # of the largest acceleration of a coordinate
OWN = """<mujoco model="own"><compiler angle="radian"/>
<default><joint damping="0.1" armature="0.02"/><geom density="700"/></default>
<worldbody>
  <body name="base" pos="0 0 1" gravcomp="0.3"><freejoint name="root"/><geom type="box" size=".2 .1 .05" pos=".01 .02 .03"/>
    <body name="arm" pos=".2 0 0" euler=".1 .2 .3">
      <joint name="a" axis="0 1 0" pos="0.01 0.02 0"/>
      <joint name="b" axis="1 0 0" pos="0 0 .1" stiffness="3" springref=".2"/>
      <joint name="c" type="slide" axis="0 0 1" ref=".1"/>
      <geom type="capsule" fromto="0 0 0 .3 .1 0" size=".02"/>
      <body name="hand" pos=".3 0 .1"><joint name="d" type="ball" stiffness="2"/><geom type="ellipsoid" size=".1 .05 .02"/>
        <frame pos="0 .1 0" axisangle="0 0 1 .3"><body><geom type="sphere" size=".02" pos="0 0 .1"/></body></frame></body>
    </body>
  </body>
  <body name="solo" pos="1 0 0"><joint name="e" axis="0 1 1" ref="0.3"/><geom type="cylinder" size=".1 .2" pos=".1 .2 .3"/></body>
</worldbody>
<tendon><fixed name="t" stiffness="5" damping="0.2"><joint joint="a" coef="0.5"/><joint joint="c" coef="-2"/></fixed></tendon>
<equality><joint joint1="a" joint2="e" polycoef="0 2 0 0 0"/><connect body1="solo" anchor=".1 .2 .3"/></equality>
<actuator><motor joint="a" gear="3"/><velocity joint="e" kv="2"/>
  <position name="p" joint="b" kp="10" dampratio="1" ctrlrange="-1 1" forcerange="-2 2"/>
  <general joint="c" biastype="affine" gainprm="30" biasprm="0 -30 0.7"/>
  <general tendon="t" dyntype="filter" dynprm="0.1" gainprm="2" biastype="affine" biasprm="0 -1 -.1"/></actuator>
</mujoco>"""


def main() -> None:
    """Print a line for each file that is refused or off, then the counts."""
    arguments = parser(__doc__)
    arguments.add_argument("folders", nargs="*", type=Path)
    arguments.add_argument("--states", type=int, default=3)
    given = arguments.parse_args()
    peer = installed(MUJOCO, given.quick)
    with tempfile.TemporaryDirectory() as folder:
        if given.quick:
            Path(folder, "own.xml").write_text(OWN, encoding="utf-8")
        files = [file for root in [*given.folders, Path(folder)] for file in sorted(root.rglob("*.xml")) if _is_mjcf(file)]
        found = {file: said for file in files if (said := _outcome(file, given.states, peer)) is not None}
    for file, said in found.items():
        if isinstance(said, str) or not max(said) <= TOLERANCE:
            shown = said if isinstance(said, str) else f"accelerations {said[0]:.1e} off, with constraints {said[1]:.1e}"
            print(f"{file.parent.name}/{file.name}: {shown}")
    errors = [said for said in found.values() if not isinstance(said, str)]
    agree = ", ".join(f"{what} to {max((error[k] for error in errors), default=0.0):.1e}" for k, what in enumerate(("without", "with")))
    print(f"{len(errors)} of {len(found)} imported" + f", accelerations {agree} equality constraints" * peer)
    if not files or any(not isinstance(said, str) and not max(said) <= TOLERANCE for said in found.values()):
        sys.exit(1)


def _is_mjcf(path: Path) -> bool:
    try:
        return parse(path).tag == "mujoco"
    except RobotError:
        return False


def _outcome(path: Path, states: int, peer: bool) -> str | tuple[float, float] | None:
    """Why a file is refused, or the largest differences of accelerations without and with equality constraints; None: not a model."""
    theirs = None
    if peer:
        import mujoco

        try:
            theirs = mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            return None
        if theirs.nv == 0:
            return None
    try:
        robot = read(path, path.parent)
        text = write_robot(robot, Options(), path.name, path.parent).text
    except RobotError as error:
        return str(error).splitlines()[0]
    if theirs is None:
        return 0.0, 0.0
    made = mbsim.assemble(load(text, registry, file=str(path.parent / "the model")))
    found = _Peer(robot, theirs, made.system, yaml.safe_load(text).get("parameters", {}))
    free = max(found.free(seed) for seed in range(states))
    return free, max((found.tied(made.q, seed) for seed in range(states)), default=0.0) if made.system.n_rows else 0.0


class _Peer:
    """MuJoCo's model of a file, with what is not taken set to zero."""

    def __init__(self, robot: Robot, model: Any, system: System, inputs: dict[str, float]) -> None:
        import mujoco

        self.mj: Any = mujoco
        self.model, self.data, self.system = model, mujoco.MjData(model), system
        holder = bodies(robot, False)
        self.joints: list[tuple[Joint, int, Floats, Floats]] = []  # with the number, and axes and centre of the body in the link's frame
        moving = [joint for joint in robot.joints.values() if joint.kind != "fixed"]
        assert len(moving) == model.njnt, "the files have different joints"
        for k, joint in enumerate(moving):
            R, place = robot.pose[joint.child]
            body = holder.placed[holder.holder[joint.child]]
            if joint.kind == "free":
                dofs = slice(model.jnt_dofadr[k], model.jnt_dofadr[k] + 6)
                model.dof_damping[dofs] = model.dof_armature[dofs] = model.jnt_stiffness[k] = 0.0
            self.joints.append((joint, k, R.T @ body.R, R.T @ (body.centre - place)))
        model.opt.density = model.opt.viscosity = 0.0
        model.opt.wind[:] = 0.0
        clean = Names("actuator")
        for k in range(model.nu):
            name = f"ctrl_{clean.add(mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, k) or f'actuator_{k + 1}')}"
            if name not in inputs:
                model.actuator_gainprm[k] = model.actuator_biasprm[k] = 0.0
                model.actuator_gaintype[k] = model.actuator_biastype[k] = 0
            else:
                self.data.ctrl[k] = inputs[name]
        for k in range(model.ntendon):
            if model.wrap_type[model.tendon_adr[k]] != mujoco.mjtWrap.mjWRAP_JOINT:
                model.tendon_stiffness[k] = model.tendon_damping[k] = 0.0
            model.tendon_armature[k] = 0.0

    def _ours(self, acceleration: bool = False) -> tuple[Floats, Floats, Floats, Floats]:
        """q and v of ours at their state; T and b with v_dot of ours = T v_dot of theirs + b."""
        data, model, system = self.data, self.model, self.system
        q, v = np.zeros(system.n_q), np.zeros(system.n_v)
        T, b = np.zeros((system.n_v, model.nv)), np.zeros(system.n_v)
        at, speed = {name: k for k, name in enumerate(system.coordinates)}, {name: k for k, name in enumerate(system.speeds)}
        for joint, k, inner, arm in self.joints:
            p, d = model.jnt_qposadr[k], model.jnt_dofadr[k]
            if joint.kind in ONE_COORDINATE:
                name = f"{joint.name}.{COORDINATES[joint.kind]}"
                q[at[name]] = data.qpos[p] - model.qpos0[p] - joint.value
                T[speed[f"der({name})"], d] = 1.0
                continue
            first, turn = at[f"{joint.name}.qw"], speed[f"{joint.name}.omega.x"]
            if joint.kind == "free":
                R, w = matrices(data.qpos[p + 3 : p + 7]), data.qvel[d + 3 : d + 6]
                q[first - 3 : first] = data.qpos[p : p + 3] + R @ arm
                q[first : first + 4] = quaternions(R @ inner)
                T[turn - 3 : turn, d : d + 3] = np.eye(3)
                T[turn - 3 : turn, d + 3 : d + 6] = -R @ _cross(arm)
                T[turn : turn + 3, d + 3 : d + 6] = inner.T
                b[turn - 3 : turn] = R @ np.cross(w, np.cross(w, arm))
            else:
                q[first : first + 4] = quaternions(inner.T @ matrices(data.qpos[p : p + 4]) @ inner)
                T[turn : turn + 3, d : d + 3] = inner.T
        q[system.n_c :] = self.data.act[: system.n_x]
        v[:] = T @ data.qvel
        return q, v, T, b

    def _place(self, q: Floats) -> None:
        """Their configuration from ours."""
        at, model = {name: k for k, name in enumerate(self.system.coordinates)}, self.model
        for joint, k, inner, arm in self.joints:
            p = model.jnt_qposadr[k]
            if joint.kind in ONE_COORDINATE:
                self.data.qpos[p] = q[at[f"{joint.name}.{COORDINATES[joint.kind]}"]] + joint.value + model.qpos0[p]
                continue
            first = at[f"{joint.name}.qw"]
            R = matrices(q[first : first + 4])
            R = R @ inner.T if joint.kind == "free" else inner @ R @ inner.T
            if joint.kind == "free":
                self.data.qpos[p : p + 3] = q[first - 3 : first] - R @ arm
                p += 3
            self.data.qpos[p : p + 4] = quaternions(R)

    def free(self, seed: int) -> float:
        """The difference of accelerations without constraints at a random state, over the largest."""
        data, model, rng = self.data, self.model, np.random.default_rng(seed)
        model.opt.disableflags |= int(self.mj.mjtDisableBit.mjDSBL_CONSTRAINT)
        data.qpos[:] = model.qpos0
        self.mj.mj_integratePos(model, data.qpos, rng.standard_normal(model.nv), 1.0)
        data.qvel[:] = rng.standard_normal(model.nv)
        data.act[:] = rng.standard_normal(model.na)
        self.mj.mj_forward(model, data)
        q, v, T, b = self._ours()
        M, h = self.system.terms(0.0, q, v)[:2]
        return _off(_constrained(M, h, np.zeros((0, len(h))), np.zeros(0)), T @ data.qacc + b)

    def tied(self, start: Floats, seed: int) -> float:
        """The same with equality constraints, in the configuration `start`."""
        mj, data, model, system = self.mj, self.data, self.model, self.system
        bits, rng = mj.mjtDisableBit, np.random.default_rng(seed)
        model.opt.disableflags &= ~int(bits.mjDSBL_CONSTRAINT)
        model.opt.disableflags |= int(bits.mjDSBL_CONTACT | bits.mjDSBL_LIMIT | bits.mjDSBL_FRICTIONLOSS)
        self._place(start)
        data.act[:] = start[system.n_c :] if model.na == system.n_x else 0.0
        q, _, T, _ = self._ours()
        C = system.terms(0.0, q, np.zeros(system.n_v))[2]
        _, sizes, V = np.linalg.svd(C)
        inside = V[int((sizes > 1e-9 * sizes[0]).sum()) :]
        v = inside.T @ rng.standard_normal(len(inside))
        data.qvel[:] = np.linalg.solve(T, v)
        there, ways, step = data.qpos.copy(), {}, 1e-3
        for part in (-2, -1, 1, 2, 0):  # here last
            data.qpos[:] = there
            mj.mj_integratePos(model, data.qpos, data.qvel, part * step)
            mj.mj_forward(model, data)
            ways[part] = self._rows()
        change = (8.0 * (ways[1] - ways[-1]) - (ways[2] - ways[-2])) / (12.0 * step)
        mass = np.zeros((model.nv, model.nv))
        mj.mj_fullM(model, data, mass)
        theirs = _constrained(mass, data.qfrc_smooth, ways[0], -change @ data.qvel)
        q, v, T, b = self._ours()
        M, h, C, _, eta, _ = system.terms(0.0, q, v)
        return _off(_constrained(M, h, C, -eta), T @ theirs + b)

    def _rows(self) -> Floats:
        """Of the equality constraints."""
        data, model = self.data, self.model
        rows: Floats = np.zeros((data.nefc, model.nv))
        if self.mj.mj_isSparse(model):
            self.mj.mju_sparse2dense(rows, data.efc_J.ravel(), data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
        else:
            rows = np.array(data.efc_J).reshape(-1, model.nv)[: data.nefc]
        return rows.copy()


def _cross(a: Floats) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _off(ours: Floats, theirs: Floats) -> float:
    return float(np.abs(ours - theirs).max(initial=0.0) / max(np.abs(theirs).max(initial=0.0), np.finfo(float).tiny))


def _constrained(M: Floats, h: Floats, C: Floats, right: Floats) -> Floats:
    """The accelerations of M a + C^T lambda = h, C a = right; rows may depend on each other."""
    if not len(C):
        return np.asarray(np.linalg.solve(M, h), float)
    inverse = np.linalg.inv(M)
    A = C @ inverse @ C.T
    return np.asarray(inverse @ (h + C.T @ np.linalg.lstsq(A, right - C @ inverse @ h, rcond=1e-10)[0]))


if __name__ == "__main__":
    main()
