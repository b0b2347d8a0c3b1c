"""The straight-line code of the runs of one system: what is evaluated in a step, each as a kernel over the same slots."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from mbsim.contracts import SETTING_TOLERANCE
from mbsim.jit import Kernel
from mbsim.jit.straight.emission import LANES, Straight
from mbsim.jit.straight.graph import INPUT, Graph, TraceError, compare, larger, require
from mbsim.jit.straight.retarget import Retarget
from mbsim.march.formulation import Formulation
from mbsim.observe.observer import joint_table
from mbsim.straight.equations import ALLOWED, SLACK, Equations, Place, hold_corrections
from mbsim.straight.forms import Form
from mbsim.straight.linear import Number, Numbers, dot
from mbsim.straight.lookups import REPLACED
from mbsim.straight.shortcuts import SHORT_CUTS
from mbsim.straight.traced import TracedSystem, find_written
from mbsim.system.system import Floats, System

# In the slots, in this order. `speeds`, `q` and `W` are the state that is evaluated, and `begin` is that at the begin of a step.
INPUTS = ("t", "h", "tolerance", "span", "varied", "scales", "row_scales", "V2", "speeds", "q", "W", "begin", "sum", "farthest")
OUTPUTS = ("guards", "rates", "v", "turned", "row", "reactions", "energies", "worst", "new_q", "new_V2", "new_speeds", "moved", "share")
SHARED = ("record", "stage", "check", "correct", "check_speeds", "correct_speeds", "unit", "renew")
EQUAL_STEPS = (*SHARED, "half", "half_again", "whole", "end")  # what `march.py` calls
CUT_STEPS = (*EQUAL_STEPS, "weigh")
PROGRAMS = CUT_STEPS
Varied = tuple[tuple[str, int], ...]  # the name of each array, and a flat place in it


def reactions(system: System) -> list[list[int]]:
    """Of each joint in absolute coordinates its first row, the number of its rows, a column of Arrays.jacobian, and how many columns.

    These have the generalised reaction on a body (`mbsim.observe.observer.reactions`).
    """
    return [] if system.in_joint_coordinates or not system.bodies else [list(row) for row in joint_table(system).tolist()]


class Slots:
    """Where each quantity is: the first slot, and how many."""

    def __init__(self, system: System, form: Form, varied: int, further: Mapping[str, int] = MappingProxyType({})) -> None:
        """`further`: names and sizes of what stands behind INPUTS and OUTPUTS."""
        n, m, n_q = system.n_v, system.n_rows, system.n_q
        k = n - m if form.keeps_basis else 0
        self.speeds = k if form.keeps_basis else n
        z = self.speeds + n_q + 1
        sizes = {
            "t": 1, "h": 1, "tolerance": 1, "span": 1, "varied": varied, "scales": n, "row_scales": m, "V2": k * n,
            "speeds": self.speeds, "q": n_q, "W": 1, "begin": z, "sum": z, "farthest": n_q, "guards": 1, "rates": z, "v": n, "turned": 1,
            "row": n_q + 2 * n + m + 1, "reactions": sum(row[3] for row in reactions(system)), "energies": 3, "worst": 1,
            "new_q": n_q, "new_V2": k * n, "new_speeds": self.speeds, "moved": 1, "share": 1,
        }  # fmt: skip
        self.first: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        self.count = 0
        for name in (*INPUTS, *OUTPUTS):
            self.append(name, sizes[name])
        for name, size in further.items():
            self.append(name, size)

    def append(self, name: str, size: int) -> None:
        """A further quantity, behind the others."""
        self.first[name], self.sizes[name] = self.count, size
        self.count += size

    def place(self, name: str) -> slice:
        """The slots of a quantity."""
        return slice(self.first[name], self.first[name] + self.sizes[name])


class Known(NamedTuple):
    """A state of a run at which code is traced."""

    t: float
    q: Floats
    v: Floats
    speeds: Floats  # v, or p
    scales: Floats
    row_scales: Floats
    V2: Floats  # (k, n) of v over scales
    tolerance: float
    span: float


@dataclass(frozen=True)
class Programs:
    """The code of one system whose numbers at `varied` differ from run to run."""

    slots: Slots
    codes: Mapping[str, Straight]
    tells_energies: bool = False  # whether the output row has them

    @property
    def size(self) -> int:
        """Operations of all of them."""
        return sum(code.size for code in self.codes.values())

    def kernels(self, names: Sequence[str]) -> list[Kernel]:
        """Those of these names, in their order; another one stands for one that is not there."""
        return [self.codes.get(name, self.codes["stage"]).kernel for name in names]


@dataclass
class Tracing:
    """One program while it is recorded."""

    system: System
    run: Retarget
    varied: Varied
    written: dict[str, np.ndarray]
    slots: Slots
    known: Known
    form: Form
    folded: Collection[str] = ()
    graph: Graph = field(default_factory=Graph)

    def __post_init__(self) -> None:
        known, n = self.known, self.system.n_v
        self.traced = TracedSystem(self.system, self.run, self.varied, self.written)
        self.equations = Equations(self.traced, n, self.system.n_holonomic, self.form.least)
        arrays = self.system.arrays
        values = self.varied_values = [float(getattr(arrays, name).reshape(-1)[place]) for name, place in self.varied]
        self.t, self.q, self.v = self.inputs("t", [known.t])[0], self.inputs("q", known.q), self.inputs("v", known.v)
        self.speeds = self.inputs("speeds", known.speeds)
        scales = self.inputs("scales", known.scales)
        V2 = self.inputs("V2", known.V2.reshape(-1))
        rows = [[x / scale for x, scale in zip(V2[i : i + n], scales, strict=True)] for i in range(0, len(V2), n)]
        self.at = Place(
            self.traced.arrays(self.inputs("varied", values)), self.t, scales, self.inputs("row_scales", known.row_scales),
            self.inputs("tolerance", [known.tolerance])[0], self.inputs("span", [known.span])[0],
            rows if self.form.keeps_basis else None,
        )  # fmt: skip

    def inputs(self, name: str, values: Sequence[float] | Floats) -> Numbers:
        """The numbers in the slots of a quantity, with their values at the known state; these themselves of one that is folded."""
        if name in self.folded:
            return [float(x) for x in values]
        first = self.slots.first[name]
        return [self.graph.input(first + k, float(x)) for k, x in enumerate(values)]

    def code(self, further: Mapping[int, Number] = MappingProxyType({}), /, **outputs: "Numbers | Number") -> Straight:
        """The code that gives these; `further`: by their slots."""
        found = [(slot, self.graph.place(x)) for slot, x in further.items()]
        for name, values in outputs.items():
            for k, x in enumerate(values if isinstance(values, list) else [values]):
                found.append((self.slots.first[name] + k, self.graph.place(x)))
        return Straight(self.graph, tuple(found), self.slots.first["guards"])


def _evaluation(of: Tracing, whole: bool, energies: bool = False) -> Straight:
    """The rates; `whole`: with the output row, of which all is finite, reactions of joints, and how far coordinates have been.

    `energies`: with these.
    """
    solved, B = of.equations.solve(of.at, of.q, of.speeds)
    first = solved.a
    if of.at.V2 is not None:
        first = [sum((x * a for x, a in zip(row, solved.a, strict=True)), 0.0) for row in of.at.V2]
    found: dict[str, Numbers | Number] = {"rates": [*first, *solved.q_dot, solved.W_dot], "v": solved.v}
    if of.at.V2 is not None:
        found["turned"] = of.equations.turned(of.at, B)
    if whole:
        row = found["row"] = [*of.q, *solved.v, *solved.a, *solved.lam, *of.inputs("W", [0.0])]
        J, told = of.at.arrays.jacobian, list[Number]()
        for start, count, column, columns in reactions(of.system):
            for c in range(column, column + columns):
                told.append(dot([J[r, c] for r in range(start, start + count)], solved.lam[start : start + count]))
        found["reactions"] = told
        for x in row:
            require(compare("<", abs(x), math.inf))
        before = of.inputs("farthest", np.zeros(len(of.q)))
        found["farthest"] = [larger(far, abs(x)) for far, x in zip(before, of.q, strict=True)]
        if energies:
            found["energies"] = of.equations.energies(of.at, of.q, solved.v)
    return of.code(**found)


def _record(fresh: Callable[[], Tracing]) -> tuple[Straight, bool]:
    """The evaluation of an output row, and whether energies are told: where they can be, and no run leaves its lane for them."""
    plain = _evaluation(fresh(), whole=True)
    try:
        found = _evaluation(fresh(), whole=True, energies=True)
    except TraceError:
        return plain, False
    told = len(found.graph.guards) == len(plain.graph.guards)
    return (found, True) if told else (plain, False)


def _formula(of: Tracing, part: str) -> Straight:
    """A part of `integrators/rk4.py`: what follows an evaluation."""
    size = of.slots.sizes["rates"]
    y, k = [*of.speeds, *of.q, *of.inputs("W", [0.0])], of.inputs("rates", np.ones(size))
    h, begin, total = of.inputs("h", [1.0])[0], of.inputs("begin", np.ones(size)), of.inputs("sum", np.ones(size))
    if part == "half":
        return of.code(begin=y, sum=k, speeds=_moved(y, 0.5 * h, k))  # the state stands in its slots together
    if part == "end":
        return of.code(speeds=_moved(begin, h / 6.0, [a + b for a, b in zip(total, k, strict=True)]))
    added = [a + 2.0 * b for a, b in zip(total, k, strict=True)]
    return of.code(sum=added, speeds=_moved(begin, h if part == "whole" else 0.5 * h, k))


def _moved(z: Numbers, h: Number, k: Numbers) -> Numbers:
    return [a + h * b for a, b in zip(z, k, strict=True)]


def _check(of: Tracing) -> Straight:
    return of.code(worst=of.equations.residual(of.at, of.q)[1] - of.at.tolerance)


def _correct(of: Tracing) -> Straight:
    q, moved = of.equations.correct(of.at, of.q)
    hold_corrections(moved / of.equations.allowed(of.at, of.q, of.v), SLACK if of.form.pair is None else ALLOWED)
    return of.code(new_q=q)


def _correct_and_tell(of: Tracing) -> Straight:
    """As `_correct`, of steps that `_weigh` judges: the squares of all corrections of a step are added up."""
    q, moved = of.equations.correct(of.at, of.q)
    return of.code(new_q=q, moved=of.inputs("moved", [0.0])[0] + moved)


def _weigh(of: Tracing) -> Straight:
    """`singular/correction.py`, after a step. A method that keeps v weighs that at its end, and `svd` that of its last evaluation."""
    v = of.v if of.form.keeps_basis else of.speeds
    return of.code(share=of.inputs("moved", [0.0])[0] / of.equations.allowed(of.at, of.q, v))


def _weighs_alike(of: Tracing) -> bool:
    """Whether M is the same wherever a run is: the march weighs by that of its last evaluation."""
    first, terms = of.slots.first["q"], of.traced.terms(of.at.arrays, of.t, of.q, of.v)
    live = of.graph.live([of.graph.place(x) for row in terms.M for x in row])
    moving = {*range(first, first + len(of.q)), of.slots.first["t"], *range(of.slots.first["v"], of.slots.first["v"] + len(of.v))}
    return not any(of.graph.operations[at][0] == INPUT and of.graph.operations[at][1] in moving for at in live)


def _check_speeds(of: Tracing) -> Straight:
    return of.code(worst=of.equations.check_speeds(of.at, of.q, of.speeds))


def _correct_speeds(of: Tracing) -> Straight:
    return of.code(new_speeds=of.equations.correct_speeds(of.at, of.q, of.speeds))


def _unit(of: Tracing) -> Straight:
    return of.code(new_q=of.equations.unit(of.at, of.q))


def _renew(of: Tracing) -> Straight:
    V2, p = of.equations.renew(of.at, of.q, of.speeds)
    return of.code(new_V2=[x for row in V2 for x in row], new_speeds=p)


def known_of(formulation: Formulation, form: Form, t: float, q: Floats, v: Floats, z: Floats) -> Known:
    """What is known of a run that begins at t with the state z, whose lengths and basis are in the work arrays."""
    work, n = formulation.work, formulation.system.n_v
    V2, speeds = np.zeros((0, n)), v
    if form.keeps_basis:
        k = n - len(work.lam)
        V2, speeds = np.zeros((k, n)), z[:k]
        V2[:, work.own.columns] = work.own.V2[:k]  # `singular.decomposition.HELD`
    return Known(t, q, v, speeds, work.scales, work.row_scales, V2, float(work.settings[SETTING_TOLERANCE]), 0.0)


Further = Callable[[Callable[[], Tracing]], Mapping[str, Straight]]


def trace(
    system: System, form: Form, varied: Varied, known: Known, folded: Collection[str] = (), *,
    sizes: Mapping[str, int] = MappingProxyType({}), further: Further | None = None,
) -> Programs:  # fmt: skip
    """The code of runs of a system, at a state of one of them, whose numbers are in its arrays. Raises TraceError.

    `folded`: quantities of INPUTS that are the same in all runs, and constants of the code. `further`: more programs, over slots with
    these `sizes` beside.
    """
    slots, run = Slots(system, form, len(varied), sizes), Retarget({**REPLACED, **SHORT_CUTS})
    written = find_written(system, known.t, known.q, known.v)
    fresh = partial(Tracing, system, run, varied, written, slots, known, form, folded)
    made: dict[str, Callable[[Tracing], Straight]] = {
        "stage": partial(_evaluation, whole=False),
    }
    if form.pair is None and form.implicit is None:
        made |= {part: partial(_formula, part=part) for part in ("half", "half_again", "whole", "end")}
    if form.corrects_positions:
        made |= {"check": _check, "correct": _correct}
    if form.cuts and _weighs_alike(fresh()):
        made |= {"correct": _correct_and_tell, "weigh": _weigh}
    if form.corrects_speeds:
        made |= {"check_speeds": _check_speeds, "correct_speeds": _correct_speeds}
    if system.n_q - system.n_x != system.n_v:
        made["unit"] = _unit
    if form.keeps_basis:
        made["renew"] = _renew
    try:
        record, told = _record(fresh)
        codes = {"record": record, **{name: of(fresh()) for name, of in made.items()}, **(further(fresh) if further is not None else {})}
        return Programs(slots, codes, told)
    except (ArithmeticError, IndexError, TypeError, ValueError) as error:  # such as a mass of zero, by which processors divide
        raise error if isinstance(error, TraceError) else TraceError(f"its equations have no number at the start: {error}") from None


def empty_slots(slots: Slots) -> Floats:
    """Zeros: (slots, LANES)."""
    return aligned_zeros(slots.count, LANES)


def aligned_zeros(*shape: int) -> Floats:
    """Zeros whose rows of LANES begin where a vector of the processor does: it reads others a third slower."""
    count = math.prod(shape)
    found = np.zeros(count + LANES)
    begin = -(found.ctypes.data // found.itemsize) % LANES
    return found[begin : begin + count].reshape(shape)
