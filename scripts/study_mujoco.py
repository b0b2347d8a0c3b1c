"""Studies against MuJoCo: its rollout, and MJX on the processor. Parts of docs/benchmarks-studies.md."""

import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from benchmark_exudyn import fewest_steps
from command_line import MODELS
from measuring import Report, ratio
from study_lanes import FOUR_BAR
from study_timing import Size, alternately, processor_time, together

import mbsim
from mbsim.studies.runner.in_lanes import InLanes
from mbsim.studies.runner.runner import Runner

PENDULUMS = """<mujoco><option timestep="1e-3" integrator="RK4" gravity="0 0 -9.81"><flag contact="disable"/></option><worldbody>
<body><joint type="hinge" axis="0 1 0"/><geom type="sphere" size="1e-3" pos="0 0 -1" mass="1"/>
<body pos="0 0 -1"><joint type="hinge" axis="0 1 0"/><geom type="sphere" size="1e-3" pos="0 0 -1" mass="1"/></body></body>
</worldbody></mujoco>"""
# The loop is closed by a soft constraint, as all of MuJoCo's are: as stiff as a step allows (a time constant of two steps).
LOOP = """<mujoco><option timestep="{step}" integrator="RK4" gravity="0 0 -9.81" tolerance="1e-12"><flag contact="disable"/></option>
<worldbody>
<body><joint type="hinge" axis="0 -1 0"/>{crank}
<body pos="{a} 0 0"><joint type="hinge" axis="0 -1 0"/>{coupler}<site name="coupler" pos="{b} 0 0"/></body></body>
<body pos="{d} 0 0"><joint type="hinge" axis="0 -1 0"/>{rocker}<site name="rocker" pos="{c} 0 0"/></body>
</worldbody>
<equality><connect site1="coupler" site2="rocker" solref="{soft} 1" solimp="0.9999 0.9999 0.001 0.5 2"/></equality></mujoco>"""
FINE, ROUGH = 4000, 1e-6  # steps from which both codes begin, and the largest error, rad: steps of more than 2 ms leave the lanes
ROD = '<inertial pos="{half} 0 0" mass="{mass}" diaginertia="{inertia} {inertia} {inertia}"/>'


def four_bar(steps: int) -> str:
    """The four-bar of rods with so many steps of 1 s."""
    lengths = mbsim.load_model(FOUR_BAR).parameters
    rods = {name: lengths[of] for name, of in (("crank", "a"), ("coupler", "b"), ("rocker", "c"))}
    drawn = {name: ROD.format(half=0.5 * x, mass=x, inertia=x**3 / 12.0) for name, x in rods.items()}
    return LOOP.format(step=1.0 / steps, soft=2.0 / steps, **drawn, **{name: lengths[name] for name in "abcd"})


def start_of_four_bar() -> np.ndarray:
    """The angles of MuJoCo's hinges, and their speeds (2, 3), rad and rad/s."""
    made = mbsim.assemble(mbsim.load_model(FOUR_BAR))
    place = {name: k for k, name in enumerate(made.system.coordinates)}
    found = np.array([[x[place[f"{name}.angle"]] for name in ("crank", "coupler", "rocker")] for x in (made.q, made.v)])
    found[:, 1] -= found[:, 0]
    return found


def ended(steps: int) -> tuple[float, float]:
    """MuJoCo's angle of the crank after 1 s, rad, and how far the loop is open there, m."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(four_bar(steps))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = start_of_four_bar()
    mujoco.mj_step(model, data, nstep=steps)
    mujoco.mj_kinematics(model, data)
    return float(data.qpos[0]), float(np.linalg.norm(data.site("coupler").xpos - data.site("rocker").xpos))


def our_end(steps: int) -> tuple[float, float]:
    """The same of mbsim, and the largest residual of its equations of positions, m."""
    run = mbsim.simulate(FOUR_BAR, end=1.0, step=1.0 / steps, output_step=1.0)
    return float(run.select("crank.angle")[-1]), float(run["residual_position"][-1])


def rolled(xml: str, starts: np.ndarray, steps: int) -> tuple[Callable[[], Any], Callable[[], None]]:
    """MuJoCo's rollout of one model from all starts (k, 2, n), in two threads; and what closes it."""
    import mujoco
    from mujoco import rollout

    model = mujoco.MjModel.from_xml_string(xml)
    data, full = [mujoco.MjData(model) for _ in range(2)], mujoco.mjtState.mjSTATE_FULLPHYSICS
    states = np.zeros((len(starts), mujoco.mj_stateSize(model, full)))
    states[:, 1 : 1 + 2 * starts.shape[2]] = starts.reshape(len(starts), -1)
    made = rollout.Rollout(nthread=2)
    return lambda: made.rollout(model, data, states, nstep=steps), made.close


def against_rollout(size: Size, report: Report) -> None:
    """The double pendulum, 1 s in 1000 steps of RK4, and the four-bar at equal error, in two threads: MuJoCo's rollout with one model."""
    count = 2 * size.runs
    starts = np.zeros((count, 2, 2))
    starts[:, 0] = np.random.default_rng(1).normal([2.0, -0.1], 0.01, (count, 2))
    theirs, close = rolled(PENDULUMS, starts, 1000)
    ours = Runner(MODELS / "double_pendulum.yaml", ["initial.theta1"], {"last": "final(theta1)"}, end=1.0)
    compared("Double pendulum, 1 s", ours, np.linspace(1.9, 2.1, size.runs)[:, None], theirs, size, report)
    close()
    exact, tolerance = our_end(max(size.reference, FINE))[0], min(size.tolerance, ROUGH)
    their_steps = fewest_steps(lambda n: abs(ended(n)[0] - exact), tolerance, FINE, order=2)
    our_steps = fewest_steps(lambda n: abs(our_end(n)[0] - exact), tolerance, FINE, order=4)
    theirs, close = rolled(four_bar(their_steps), np.repeat(start_of_four_bar()[None], count, axis=0), their_steps)
    ours = Runner(FOUR_BAR, ["omega"], {"last": "final(crank.angle)"}, end=1.0, step=1.0 / our_steps)
    title = f"Four-bar, 1 s at error {tolerance:g}, {their_steps} steps against {our_steps}"
    compared(title, ours, np.linspace(7.9, 8.1, size.runs)[:, None], theirs, size, report)
    close()
    report.note(
        f"At the end the four-bar's loop is open by {ended(their_steps)[1]:.1e} m in MuJoCo, by {our_end(our_steps)[1]:.1e} m here."
    )


def compared(title: str, ours: Runner, sets: np.ndarray, theirs: Callable[[], Any], size: Size, report: Report) -> None:
    """Runs by themselves and in lanes, in two threads, beside as many of MuJoCo."""
    pair = [ours, ours.copy()]
    tiles, count = [InLanes(one.copy(), sets, 10**6) for one in pair], 2 * len(sets)

    def by_themselves() -> None:
        together([partial(one.run_many, sets) for one in pair])

    def in_lanes() -> None:
        together([partial(one.run_many, sets) for one in tiles])

    mine, others = alternately(by_themselves, theirs, size.repeats)
    value, rates = ratio(others, mine), [count / statistics.median(seconds) for seconds in (others, mine)]
    report.figure(
        f"{title}: MuJoCo's rollout / mbsim", ">= 4",
        f"**{value:.1f}**; {rates[1]:.3g} against {rates[0]:.3g} runs a second of processor time", value >= 4.0,
    )  # fmt: skip
    mine, others = alternately(in_lanes, theirs, size.repeats)
    value = ratio(others, mine)
    report.figure(
        "The same, in lanes, as a study of so many runs goes", ">= 4",
        f"**{value:.0f}**; {count / statistics.median(mine):,.0f} runs a second of processor time", value >= 4.0,
    )  # fmt: skip


def against_mjx(size: Size, report: Report) -> None:
    """The double pendulum and the four-bar by MJX on the processor, compiled by XLA, in double precision: 1 s in 1000 steps of RK4."""
    import jax
    import mujoco
    from mujoco import mjx

    jax.config.update("jax_enable_x64", True)
    count = size.runs
    near = np.zeros((count, 2, 2))
    near[:, 0] = np.random.default_rng(1).normal([2.0, -0.1], 0.01, (count, 2))
    same = np.repeat(start_of_four_bar()[None], count, axis=0)
    pendulum = Runner(MODELS / "double_pendulum.yaml", ["initial.theta1"], {"last": "final(theta1)"}, end=1.0)
    bar = Runner(FOUR_BAR, ["omega"], {"last": "final(crank.angle)"}, end=1.0)
    cases = (
        ("Double pendulum", PENDULUMS, near, pendulum, np.linspace(1.9, 2.1, count)),
        ("Four-bar", four_bar(1000), same, bar, np.linspace(7.9, 8.1, count)),
    )
    for title, xml, starts, ours, values in cases:
        model = mujoco.MjModel.from_xml_string(xml)
        own = mjx.put_model(model)
        blank = mjx.make_data(own)

        def ran(q: Any, v: Any, own: Any = own, blank: Any = blank) -> Any:
            """The coordinates after 1 s."""
            return jax.lax.scan(lambda d, _: (mjx.step(own, d), None), blank.replace(qpos=q, qvel=v), None, length=1000)[0].qpos

        compiled = jax.jit(jax.vmap(ran))

        def call(compiled: Any = compiled, starts: np.ndarray = starts) -> None:
            compiled(starts[:, 0], starts[:, 1]).block_until_ready()

        first = processor_time(call)
        tiles = InLanes(ours, values[:, None], 10**6)
        mine, theirs = alternately(partial(tiles.run_many, values[:, None]), call, size.repeats)
        value, rates = ratio(theirs, mine), [count / statistics.median(seconds) for seconds in (theirs, mine)]
        report.figure(
            f"{title}, 1 s, {count} at a time: MJX / mbsim in lanes", ">= 4",
            f"**{value:.0f}**; {rates[1]:,.0f} against {rates[0]:,.0f} runs a second of processor time; before, MJX compiles for "
            f"{first:.0f} s", value >= 4.0,
        )  # fmt: skip
