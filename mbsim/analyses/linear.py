"""Small motions of a model: modes about an equilibrium, a steady motion or a state."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mbsim.analyses.begun import with_units_begun
from mbsim.analyses.left_out import left_out
from mbsim.analyses.static import balance
from mbsim.assembly import Assembly
from mbsim.diagnosis.equilibrium import NoEquilibriumError
from mbsim.diagnosis.linearised import Linearised, accelerations, displacement_names, linearise
from mbsim.diagnosis.spectrum import Spectrum, spectrum
from mbsim.diagnosis.turning import Turning, has_bodies_alone, of_speeds
from mbsim.hooks import show
from mbsim.results import Result, open_result
from mbsim.system.system import Floats, System
from mbsim.terminal import table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AT_REST = 1e-6  # of the forces that act: what is left without them accelerating anything to speak of
EQUAL, DIGITS = 1e-6, 6  # of components of a shape: how much may differ what is equally large, and the digits that its order goes by
SHOWN = 1e-9  # of the largest component of a shape: a smaller one is round-off and shown as 0
FLAT = 1e-300
ABOUT = {
    "start": "the start",
    "equilibrium": "the equilibrium",
    "steady": "the steady motion",
    "result": "a row of a result",
}  # kind of a State, in words
LISTED = 8  # modes, in a repr
PERIODIC = "about the steady motion the coefficients of small motions change with the time, so that they have no eigenvalues"
MOMENT = "the state is neither an equilibrium nor a steady motion: the eigenvalues are those of this moment"


@dataclass(frozen=True)
class State:
    """What the small motions are about."""

    kind: str  # start, equilibrium, steady or result
    t: float  # s
    q: Floats  # (n_q,)
    v: Floats  # (n_v,)
    lam: Floats | None = None  # of an equilibrium
    notes: list[str] = field(default_factory=list)
    turning: Turning | None = None  # of a steady motion on circles


class Mode(NamedTuple):
    """One small motion: of a pair of complex eigenvalues the one with the positive imaginary part."""

    eigenvalue: complex  # 1/s
    frequency_hz: float
    damping_ratio: float  # NaN of an eigenvalue that is zero
    shape: dict[str, complex]  # by displacement and state, the largest component 1


@dataclass(frozen=True)
class Modes:
    """The small motions z' = A z about a state, and their eigenvalues: N variables z."""

    system: System
    state: State
    linear: Linearised
    spectrum: Spectrum
    stationary: bool  # nothing accelerates there, and the coefficients are constant along the motion

    @property
    def stable(self) -> bool:
        """Whether no small motion grows exponentially."""
        return self.spectrum.growing == 0

    @property
    def eigenvalues(self) -> np.ndarray:
        """(N,) complex, 1/s: the zeros first, then by size."""
        return self.spectrum.values

    @property
    def modes(self) -> list[Mode]:
        """The motions, one for each eigenvalue whose imaginary part is not negative, in the order of `eigenvalues`."""
        found = []
        for one in facts(self)["modes"]:
            ratio = one["damping_ratio"]
            shaped = {name: complex(*x) for name, x in one["shape"].items()}
            found.append(Mode(complex(*one["eigenvalue"]), one["frequency_hz"], np.nan if ratio is None else ratio, shaped))
        return found

    @property
    def A(self) -> Floats:
        """(N, N) with the variables `variables`."""
        return self.linear.A

    @property
    def variables(self) -> dict[str, str]:
        """The names of z -> their units: displacements, speeds, states."""
        return dict(zip(self.linear.names, self.linear.units, strict=True))

    @property
    def cyclic(self) -> list[str]:
        """Of each eigenvalue that is zero the variable on which nothing depends."""
        return [self.linear.names[k] for k in self.spectrum.free]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: the keys of `mbsim modes --json`."""
        return facts(self)

    def plot(self, *items: str) -> "Figure":
        """The picture of `mbsim plot` of modes, or of these items (`eigenvalues`, `mode:1`), as a matplotlib figure.

        Raises mbsim.plots.panels.PlotError for another item.
        """
        figure: Figure = show("plot modes", self, list(items) or None)
        return figure

    def __repr__(self) -> str:
        state = f"{'stable' if self.stable else 'unstable'}, about {ABOUT[self.state.kind]} at t = {self.state.t:g} s"
        zeros = f", {self.spectrum.zeros} of {len(self.eigenvalues)} eigenvalues are zero" if self.spectrum.zeros else ""
        listed = mode_lines(facts(self))
        more = [f"  and {len(listed) - LISTED} more"] if len(listed) > LISTED + 1 else []
        moment = [] if self.stationary else [f"  {MOMENT}"]
        return "\n".join([f"<mbsim modes: {self.system.name}>", f"  {state}{zeros}", *moment, *listed[: LISTED + 1], *more])

    def notes(self) -> list[str]:
        """What the user is to know, a sentence each."""
        said = list(self.state.notes)
        if not self.stationary:
            said.append(MOMENT)
        if self.linear.turned:
            said.append("frequencies are those seen from axes that turn with the bodies")
        if not self.linear.exact:
            said.append("the system has Python functions, whose derivatives are differences")
        return said


def modes(made: Assembly, at: str | Result = "auto") -> Modes:
    """The small motions about `equilibrium`, `steady`, `start`, `RESULT:TIME`, a row of a result of the same model, or a result's last row.

    `auto` takes the start where it is a steady motion, else the steady motion that its speeds lead to, else the equilibrium, with all
    drivers kept. Raises NoEquilibriumError, ValueError, mbsim.ResultError.
    """
    made, said = held(with_units_begun(made), at)
    if made.unilaterals is None and said:
        found = about(made.system, state_at(made, "equilibrium"))
        return replace(found, state=replace(found.state, notes=[*said, *found.state.notes]))
    if at == "auto":
        moving, why = _of_motion(made) if made.v.any() else (None, "")
        if moving is not None:
            return moving
        found = about(made.system, state := state_at(made, "equilibrium"))
        if not len(found.eigenvalues) or state.v.any() or not made.v.any():
            return found
        return replace(found, state=replace(state, notes=[_tell_other_state(made, why), *state.notes]))
    return about(made.system, state_at(made, at))


def _of_motion(made: Assembly) -> tuple[Modes | None, str]:
    """The small motions about the start where it is a steady motion, or about the one that its speeds lead to; else why there is none."""
    why, on_circles = "", has_bodies_alone(made.system) and of_speeds(made.system, made.q, made.v).goes_on_circles(made.q)
    for kind in ("steady", "start") if on_circles else ("start", "steady"):
        if kind == "steady" and (made.steady or made.unilaterals is not None):
            continue
        try:
            state = state_at(made, kind)
        except (ValueError, NoEquilibriumError) as error:
            why = str(error)
            continue
        found = about(made.system, state)
        if found.stationary:
            return found, ""
        if kind == "steady":
            why = PERIODIC
    return None, why or "the block `steady` gives other speeds"


def held(made: Assembly, at: str | Result) -> tuple[Assembly, list[str]]:
    """The model as it is linearised, and what is said of that: with stops, contacts and friction it has the rows of what holds at rest.

    Raises ValueError for another state of such a model, what `balance` raises.
    """
    if made.unilaterals is None:
        return made, []
    if at not in ("auto", "equilibrium"):
        made.require_bilateral("a linearisation about another state than the equilibrium")
    found = balance(made, keep=["all"])
    holding = [one.name for one in found.touching]
    what = ", ".join(holding) or "none of the stops, contacts and frictions"
    said = [f"{what} {'hold' if len(holding) > 1 else 'holds'}: small motions keep what is closed and what sticks"]
    return replace(found.made, q=found.found.q, v=np.zeros(made.system.n_v), unilaterals=None), [*said, *found.said]


def _tell_other_state(made: Assembly, why: str) -> str:
    """That the modes are not about the start, whose motion is not steady, but about a state at rest; `why` there is no steady motion."""
    if why == PERIODIC:
        return f"{PERIODIC}; these are the modes about the equilibrium at rest"
    system = made.system
    a, _ = accelerations(system, made.start, made.q, made.v)
    k = int(np.argmax(np.abs(a)))
    changes = f"{system.speeds[k]} changes at {a[k]:.3g} {system.speed_units[k].removesuffix(' s-1')} s-2"
    no = f"the start moves and is no steady motion ({changes}), nor does it lead to one: {why}"
    return f"{no}; these are the modes about the equilibrium at rest"


def about(system: System, state: State, zeros: int | None = None) -> Modes:
    """The small motions about a state; at most so many `zeros`."""
    a, lam = motion(system, state)
    linear = linearise(system, state.t, state.q, state.v, None, a, lam, turning=state.turning)
    found = spectrum(linear, zeros)
    return Modes(system, state, linear, found, stationary(system, state, linear, a, lam))


def motion(system: System, state: State) -> tuple[Floats, Floats]:
    """v_dot (n_v,) and the multipliers (m,) there."""
    if state.lam is None:
        return accelerations(system, state.t, state.q, state.v)
    return np.zeros(system.n_v) if state.turning is None else state.turning.accelerations(state.q), state.lam


def stationary(system: System, state: State, linear: Linearised, a: Floats, lam: Floats) -> bool:
    """Whether nothing accelerates, to speak of, and the coefficients are constant along the motion."""
    M, h, C, *_ = system.terms(state.t, state.q, state.v)
    w = 1.0 / np.sqrt(np.maximum(np.diag(M), FLAT))
    fastest = float(np.abs(np.linalg.eigvals(linear.A)).max(initial=0.0))
    # In joint coordinates the forces of an equilibrium may sum up to nothing; then the scale is what a displacement of one unit causes.
    acting = max(float(np.abs(force).max(initial=0.0)) for force in (w * h, w * (C.T @ lam), fastest**2 / w))
    if state.turning is not None:  # which was found where nothing accelerates in axes that turn
        return linear.steady
    return linear.steady and bool(np.abs(a / w).max(initial=0.0) <= AT_REST * max(acting, FLAT))


def state_at(made: Assembly, at: str | Result) -> State:
    """The state that `at` names (see `modes`). Raises NoEquilibriumError, ValueError, mbsim.ResultError."""
    made.require_bilateral("a linearisation")
    system = made.system
    if isinstance(at, Result):
        return _row(made, at, float(at.time[-1]) if len(at.time) else 0.0, "the result")
    if at == "auto":
        return modes(made).state
    if at == "start":
        return State("start", made.start, made.q, made.v, notes=left_out(made, made.q, made.v))
    if at in ("equilibrium", "steady"):
        moving = at == "steady" and bool(made.v.any()) and not made.steady
        found = balance(made, ["all"], {} if moving else None, moving)
        said = [note for note in found.notes() if note not in made.notes]
        lam = dict(zip(found.made.system.rows, found.found.lam.tolist(), strict=True))  # drivers that hold speeds of joints are left out
        multipliers = np.array([lam[row] for row in system.rows])
        return State(at, made.start, found.found.q, found.found.v, multipliers, said, found.found.turning)
    path, colon, text = at.rpartition(":")
    try:
        time = float(text)
    except ValueError:
        colon = ""
    if not colon or not path:
        raise ValueError(f"a state is equilibrium, steady, start or RESULT:TIME (got '{at}')")
    return _row(made, open_result(Path(path)), time, path)


def _row(made: Assembly, result: Result, time: float, path: str) -> State:
    """The row of a result that is nearest to a time. Raises ValueError where it is a result of another model or has no such row."""
    system = made.system
    n_c = system.n_c
    for kind, names in (("coordinate", system.coordinates[:n_c]), ("speed", system.speeds), ("state", system.states)):
        if list(result.labels(kind)) != names:
            raise ValueError(f"{path} is not a result of this model: its {kind}s are others")
    times = result.time
    if not len(times) or not times[0] <= time <= times[-1]:
        span = f"from {times[0]:g} s to {times[-1]:g} s" if len(times) else "no rows"
        raise ValueError(f"{path} has no row at t = {time:g} s; it goes {span}")
    k = int(np.argmin(np.abs(times - time)))
    states = result["states"][k] if system.n_x else np.zeros(0)
    q = np.concatenate([result["q"][k], states])
    v = np.array(result["v"][k], float)
    return State("result", float(times[k]), q, v, notes=left_out(made, q, v))


def facts(found: Modes) -> dict[str, Any]:
    """The modes as plain data: the keys of `mbsim modes --json`.

    One mode for each eigenvalue with an imaginary part that is not negative. Zeros are exact and their coordinates are in `cyclic`.
    """
    values, rows = found.spectrum.values, []
    for k, value in enumerate(values):
        if value.imag < 0.0:
            continue
        size = abs(value)
        rows.append({
            "frequency_hz": size / (2.0 * np.pi),
            "damping_ratio": None if size == 0.0 else float(-value.real / size) + 0.0,
            "eigenvalue": [float(value.real), float(value.imag)],
            "shape": shape(found, k),
        })  # fmt: skip
    system, state = found.system, found.state
    return {
        "eigenvalues": [[float(x.real), float(x.imag)] for x in values],
        "modes": rows,
        "stable": found.stable,
        "cyclic": found.cyclic,
        "at": {
            "kind": state.kind,
            "time": state.t,
            "stationary": found.stationary,
            "q": dict(zip(system.coordinates, state.q.tolist(), strict=True)),
            "v": dict(zip(system.speeds, state.v.tolist(), strict=True)),
        },
        "notes": found.notes(),
    }


def shape(found: Modes, k: int) -> dict[str, list[float]]:
    """The k-th eigenvector by displacement and state, [re, im]; of a zero that moves no place its speeds.

    The largest component is 1, and the first of several that are equally large.
    """
    system, n = found.system, found.system.n_v
    whole = found.linear.basis @ found.spectrum.vectors[:, k]
    moved = np.concatenate([whole[:n], whole[2 * n :]])
    names = [*displacement_names(system)[0], *system.states]
    if np.abs(moved).max(initial=0.0) <= SHOWN * np.abs(whole).max(initial=0.0):
        moved, names = whole[n : 2 * n], system.speeds
    sizes = np.abs(moved)
    largest = moved[int(np.argmax(sizes >= (1.0 - EQUAL) * sizes.max()))] if len(moved) else 1.0
    moved = moved / (largest if largest else 1.0)
    clean = [[float(part) if abs(part) > SHOWN else 0.0 for part in (x.real, x.imag)] for x in moved]
    return dict(zip(names, clean, strict=True))


def body_shapes(found: Modes) -> Floats:
    """Mode shapes of the bodies (N, bodies, 2, 3) complex: translation of the centre of mass (m) and rotation (rad), global axes."""
    from mbsim.analyses.inverse import forward_kinematics

    system, n = found.system, found.system.n_v
    out = np.zeros((len(found.spectrum.values), len(system.bodies), 2, 3), complex)
    for k in range(len(out)):
        whole = found.linear.basis @ found.spectrum.vectors[:, k]
        for part, factor in ((whole[:n].real, 1.0), (whole[:n].imag, 1j)):
            if part.any():
                seen = forward_kinematics(system, found.state.t, found.state.q, np.ascontiguousarray(part))
                out[k] += factor * np.array([[body["velocity"], body["angular_velocity"]] for body in seen.values()])
        largest = np.abs(out[k]).max(initial=0.0)
        out[k] /= largest if largest else 1.0
    return out


def mode_lines(plain: Mapping[str, Any], shown: int = 4, limit: int | None = None) -> list[str]:
    """The modes as lines of text: frequency, damping, eigenvalue and the largest components of the shape, folded to `limit` columns."""
    rows = [["frequency/Hz", "damping ratio", "eigenvalue/(1/s)", "shape"]]
    for mode in plain["modes"]:
        re, im = mode["eigenvalue"]
        if mode["damping_ratio"] is None:
            continue
        value = f"{re:.9g}" + (f" +- {im:.9g} i" if im else "")
        parts = sorted(mode["shape"].items(), key=lambda item: -round(abs(complex(*item[1])), DIGITS))[:shown]
        told = ", ".join(f"{name} {_polar(*x)}" for name, x in parts if any(x))
        rows.append([f"{mode['frequency_hz']:.7g}", f"{mode['damping_ratio']:.6g}", value, told])
    return table(rows, limit, indent="  ", items=True)


def _polar(re: float, im: float) -> str:
    size, angle = abs(complex(re, im)), np.degrees(np.arctan2(im, re))
    return f"{size:.3g}" if abs(angle) < 0.05 else f"-{size:.3g}" if abs(abs(angle) - 180.0) < 0.05 else f"{size:.3g} at {angle:.1f} deg"
