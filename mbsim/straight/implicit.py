"""The straight-line code of a step of `generalized_alpha`: the parts that `studies/lanes/implicit.py` calls.

A step predicts, iterates, and ends (`mbsim.methods.implicit.step`). `predict` extrapolates the unknowns, v_dot and lam at the end of the
step. `newton` finds the residual there, the matrix of the iteration, its factors and the correction; `again` the same with factors that
stand in the slots; `correct` adds the correction. `end` takes the speeds onto C v + xi = 0, where the step does so, and hands over to the
next step.

The matrices are those of the method, so the iterates are the same to round-off. Where the method finds a matrix by hand-written tangents,
or by differences (`tangent`, `tangent_again`), here the recorded operations are differentiated, which is exact. The order of the
elimination is fixed when they are recorded, and its pivots are looked at in every lane.

What a program gives is taken by lanes in which `takes` is not zero; others keep what stands in their slots. So a lane that is done keeps
its numbers while its neighbours go on.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, Protocol

from mbsim.jit.straight.derivatives import differentiate, is_zero
from mbsim.jit.straight.emission import Straight
from mbsim.jit.straight.graph import Traced, TraceError, compare, larger, require, select
from mbsim.methods.implicit import alpha
from mbsim.methods.implicit.step import FAR
from mbsim.straight.elimination import Eliminated, eliminate, entries
from mbsim.straight.equations import Rows, largest
from mbsim.straight.forms import Implicit
from mbsim.straight.linear import Matrix, Number, Numbers, added, dot, times
from mbsim.straight.programs import Tracing

log = logging.getLogger("mbsim")

KNOWN_STEP = 1e-3  # s: of the state at which the code is recorded
INFINITE = float("inf")
NONE: Mapping[int, Number] = MappingProxyType({})
PREDICT, NEWTON, AGAIN, TANGENT, TANGENT_AGAIN, CORRECT, END = "predict", "newton", "again", "tangent", "tangent_again", "correct", "end"
STEPS = ("record", PREDICT, NEWTON, AGAIN, TANGENT, TANGENT_AGAIN, CORRECT, END)  # what the march calls
# What a step hands to the next one; times over those of the steps before; masks of lanes; what an iteration holds. Behind these stand the
# factors of both matrices.
PLACED = (
    "v_dot", "a", "before_v_dot", "lam", "before_lam", "pace", "before_pace", "missed", "power",
    "ratio", "share", "compares", "takes", "moves", "pulls",
    "next_v_dot", "next_lam", "ahead", "ahead_v", "change", "size", "off", "gap", "next_power", "next_xi",
)  # fmt: skip
OF_SPEEDS = {"v_dot", "a", "before_v_dot", "pace", "before_pace", "next_v_dot", "ahead", "ahead_v"}
OF_ROWS = {"lam", "before_lam", "next_lam", "next_xi"}


class End(NamedTuple):
    """The end of a step."""

    unknown: Numbers  # v_dot, then lam
    q: Numbers
    v: Numbers
    moved: Numbers  # displacement of the step


class Residual(NamedTuple):
    M: Matrix
    C: Matrix
    xi: Numbers
    pushed: Numbers  # h + C' lam - M v_dot
    phi: Numbers
    rates: Numbers  # C v + xi
    power: Number


class Solver(Protocol):
    """What solves for a correction."""

    def solve(self, b: Sequence[Number]) -> Numbers:
        """The correction of v_dot and lam for right sides."""


@dataclass
class Held:
    """Factors that stand in slots: which of their numbers do, and the constants."""

    factors: Eliminated
    first: int

    def factors_of(self, of: Tracing) -> Eliminated:
        """The factors, of numbers of another graph."""
        found, at = list[Number](), self.first
        for x in self.factors.numbers:
            found.append(of.graph.input(at, x.graph.values[x.at]) if isinstance(x, Traced) else x)
            at += isinstance(x, Traced)
        return self.factors.of(found)


@dataclass
class StepPrograms:
    """Records the programs of a step, one after the other."""

    step: Implicit
    held: dict[str, Held] = field(default_factory=dict)
    xi: Numbers = field(default_factory=list)  # those that are constants, else None

    def __call__(self, fresh: Callable[[], Tracing]) -> Mapping[str, Straight]:
        found = {PREDICT: self.predict(fresh()), **self.newtons(fresh)}
        if self.step.has_tangent:
            try:
                found |= {TANGENT: self.newton(fresh(), TANGENT, _tangent), TANGENT_AGAIN: self.again(fresh(), TANGENT)}
            except TraceError as error:  # runs that need it leave their lanes
                log.debug("Lanes go without the whole tangent: %s", error)
        return found | {CORRECT: self.correct(fresh()), END: self.end(fresh())}

    def newtons(self, fresh: Callable[[], Tracing]) -> dict[str, Straight]:
        """NEWTON and AGAIN."""
        return {NEWTON: self.newton(fresh(), NEWTON, self.matrix), AGAIN: self.again(fresh(), NEWTON)}

    def predict(self, of: Tracing) -> Straight:
        """`step.predict`."""
        r, h, n = self.step.radius, length(of), of.system.n_v
        _, to_q = of.run(alpha.step_slopes)(r, h)
        _, _, beta, gamma = of.run(alpha.coefficients)(r)
        v_dot, a, pace, before_pace = (read(of, name) for name in ("v_dot", "a", "pace", "before_pace"))
        ratio, share, compares, missed = (read(of, name)[0] for name in ("ratio", "share", "compares", "missed"))
        by_pace = compare(">", compares * missed, 0.0)
        ahead, ahead_v, guess = list[Number](), list[Number](), list[Number]()
        for j, x in enumerate(_extrapolated(v_dot, read(of, "before_v_dot"), ratio)):
            at_end = of.run(alpha.next_a)(r, 0.0, v_dot[j], a[j])
            ahead_v.append(of.speeds[j] + h * ((1.0 - gamma) * a[j] + gamma * at_end))
            ahead.append(h * of.speeds[j] + h * h * ((0.5 - beta) * a[j] + beta * at_end))
            d = h * (pace[j] + share * (pace[j] - before_pace[j]))
            guess.append(select(by_pace, (d - ahead[j]) / to_q, x))
        lam = _extrapolated(read(of, "lam"), read(of, "before_lam"), ratio)
        assert len(guess) == n
        return of.code(ahead=ahead, ahead_v=ahead_v, next_v_dot=guess, next_lam=lam)

    def matrix(self, of: Tracing, end: End, found: Residual) -> list[dict[int, Number]]:
        """CONSTANT: [M, -C'; C, 0], with stiffness and damping where the method's has them."""
        n = of.system.n_v
        if not self.step.is_near:
            return _bordered([entries(row) for row in found.M], [entries(row) for row in found.C], found.C)
        to_v, to_q = of.run(alpha.step_slopes)(self.step.radius, length(of))
        seeds = {v.at: {j: to_v} for j, v in enumerate(end.v)}
        for j in range(n):
            unit = [1.0 if k == j else 0.0 for k in range(n)]
            for q, x in zip(end.q, of.traced.rates(of.at.arrays, of.t, end.q, unit), strict=True):
                if not is_zero(x):
                    seeds.setdefault(q.at, {})[j] = to_q * x
        late = found.rates[of.system.n_holonomic :]
        slopes = differentiate([*found.pushed, *late], seeds)
        A = [_less(entries(row), change) for row, change in zip(found.M, slopes[:n], strict=True)]
        below = [entries(row) for row in found.C[: of.system.n_holonomic]]
        below += [{j: x / to_v for j, x in row.items()} for row in slopes[n:]]
        return _bordered(A, below, found.C)

    def newton(self, of: Tracing, name: str, matrix: "Callable[[Tracing, End, Residual], list[dict[int, Number]]]") -> Straight:
        """The residual, the factors of a matrix there, and the correction."""
        end, found = self.found(of)
        factors = eliminate(matrix(of, end, found), self.inertia(of, end, found), of.form.least)
        held = self.held[name] = Held(factors, of.slots.count)
        numbers = [x for x in factors.numbers if isinstance(x, Traced)]
        of.slots.append(f"{name}_factors", len(numbers))
        self.xi = found.xi
        kept = [x for x in held.factors_of(of).numbers if isinstance(x, Traced)]
        takes = mask(of, "takes")
        return self.iterated(of, found, factors, **{f"{name}_factors": [select(takes, a, b) for a, b in zip(numbers, kept, strict=True)]})

    def again(self, of: Tracing, name: str) -> Straight:
        """The same with factors that are known."""
        return self.iterated(of, self.found(of)[1], self.held[name].factors_of(of))

    def inertia(self, of: Tracing, end: End, found: Residual) -> Numbers:
        """The diagonal of M."""
        return [found.M[j][j] for j in range(of.system.n_v)]

    def found(self, of: Tracing) -> tuple[End, Residual]:
        """The end of the step, and what it leaves of the equations."""
        end = at_end(of, self.step.radius)
        n, m = of.system.n_v, of.system.n_rows
        terms, a, lam = of.traced.terms(of.at.arrays, of.t, end.q, end.v), end.unknown[:n], end.unknown[n:]
        M = [[terms.M[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
        pushed = [terms.h[i] + dot([terms.C[k][i] for k in range(m)], lam) - dot(M[i], a) for i in range(n)]
        phi = of.traced.residual(of.at.arrays, of.t, end.q)
        return end, Residual(M, terms.C, terms.xi, pushed, phi, added(times(terms.C, end.v), terms.xi), terms.power)

    def iterated(
        self, of: Tracing, found: Residual, factors: Solver, further: Mapping[int, Number] = NONE, /, **outputs: Numbers
    ) -> Straight:
        """The correction, the sizes that are judged, and what is kept of the last residual, in the lanes that take it."""
        n, holonomic, h = of.system.n_v, of.system.n_holonomic, length(of)
        to_v, to_q = of.run(alpha.step_slopes)(self.step.radius, h)
        late = found.rates[holonomic:]
        change = factors.solve([*found.pushed, *(-x / to_q for x in found.phi), *(-x / to_v for x in late)])
        total: Number = 0.0
        for x in (*found.pushed, *found.phi, *late, *change):
            total = total + abs(x)
        require(compare("<", total, INFINITE))
        takes, scales = mask(of, "takes"), of.at.row_scales
        given = {
            "change": change,
            "size": [abs(h * to_v) * largest(change[:n], of.at.scales)],
            "off": [largest(found.phi, scales[:holonomic])],
            "gap": [largest([h * x for x in late], scales[holonomic:])],
            "next_power": [found.power],
            "next_xi": [found.xi[k] if isinstance(self.xi[k], Traced) else 0.0 for k in range(len(found.xi))],
        }
        taken = {name: [select(takes, x, kept) for x, kept in zip(made, read(of, name), strict=True)] for name, made in given.items()}
        return of.code(further, **outputs, **taken)

    def correct(self, of: Tracing) -> Straight:
        """The unknowns by the correction, in the lanes that take it."""
        n, change = of.system.n_v, read(of, "change")
        moves, pulls = mask(of, "moves"), mask(of, "pulls")
        v_dot = [select(moves, x + d, x) for x, d in zip(read(of, "next_v_dot"), change[:n], strict=True)]
        lam = [select(pulls, x + d, x) for x, d in zip(read(of, "next_lam"), change[n:], strict=True)]
        return of.code(next_v_dot=v_dot, next_lam=lam)

    def end(self, of: Tracing) -> Straight:
        """`step.keep_rates`, `step.accept` and `step.keep`."""
        r, h, n = self.step.radius, length(of), of.system.n_v
        to_v, to_q = of.run(alpha.step_slopes)(r, h)
        end = at_end(of, r)
        v_dot, lam, v = end.unknown[:n], end.unknown[n:], end.v
        xi = [kept if isinstance(x, Traced) else x for x, kept in zip(self.xi, read(of, "next_xi"), strict=True)]
        if self.step.keeps_rates:
            terms = of.traced.terms(of.at.arrays, of.t, end.q, [0.0] * n)
            rates, xi = added(times(terms.C, v), terms.xi), terms.xi
            wanted = [-x / to_v if k < of.system.n_holonomic else 0.0 for k, x in enumerate(rates)]
            change, pull = Rows(terms.M, terms.C, of.form.least).onto([0.0] * n, wanted)
            v = [x + to_v * d for x, d in zip(v, change, strict=True)]
            v_dot, lam = added(v_dot, change), added(lam, pull)
        last, a, pace = (read(of, name) for name in ("v_dot", "a", "pace"))
        power = read(of, "next_power")[0] - dot(lam, xi)
        W = of.inputs("W", [0.0])[0] + 0.5 * h * (read(of, "power")[0] + power)
        q = of.equations.unit(of.at, end.q) if of.system.n_q != n else end.q
        next_a = [of.run(alpha.next_a)(r, x, before, own) for x, before, own in zip(v_dot, last, a, strict=True)]
        return of.code(
            speeds=v, q=q, W=W, v_dot=v_dot, a=next_a, before_v_dot=last, lam=lam, before_lam=read(of, "lam"),
            pace=[d / h for d in end.moved], before_pace=pace, missed=_missed(of, self.step.adds_up, end, h, to_q), power=power,
        )  # fmt: skip


def _missed(of: Tracing, adds_up: bool, end: End, h: Number, to_q: Number) -> Number:
    """`step.compare_guesses`."""
    ratio, share, compares = (read(of, name)[0] for name in ("ratio", "share", "compares"))
    by_v_dot: Number = 0.0
    by_pace: Number = 0.0
    sums: Numbers = [0.0, 0.0]
    missed = list[Number]()
    ahead, pace, before_pace = (read(of, name) for name in ("ahead", "pace", "before_pace"))
    for j, guess in enumerate(_extrapolated(read(of, "v_dot"), read(of, "before_v_dot"), ratio)):
        missed.append(end.moved[j] - ahead[j] - to_q * guess)
        both = [missed[j], end.moved[j] - h * (pace[j] + share * (pace[j] - before_pace[j]))]
        sums = added(both, sums) if adds_up else both
        by_v_dot, by_pace = larger(by_v_dot, abs(sums[0])), larger(by_pace, abs(sums[1]))
    nearer = select(compare("<", by_pace, (FAR if adds_up else 1.0) * by_v_dot), largest(missed, of.at.scales), 0.0)
    return select(compare(">", compares, 0.0), nearer, 0.0)


def _tangent(of: Tracing, end: End, found: Residual) -> list[dict[int, Number]]:
    """TANGENT: the whole derivative of the residual by v_dot at the end of the step."""
    n = of.system.n_v
    slopes = differentiate(found.pushed, {x.at: {j: 1.0} for j, x in enumerate(end.unknown[:n])})
    return _bordered([_less({}, change) for change in slopes], [entries(row) for row in found.C], found.C)


def _bordered(A: Sequence[dict[int, Number]], below: Sequence[dict[int, Number]], C: Matrix) -> list[dict[int, Number]]:
    """[A, -C'; below, 0]."""
    n = len(A)
    beside = [{n + k: -row[j] for k, row in enumerate(C) if not is_zero(row[j])} for j in range(n)]
    return [*({**row, **more} for row, more in zip(A, beside, strict=True)), *below]


def _less(row: dict[int, Number], other: Mapping[int, Number]) -> dict[int, Number]:
    found = dict(row)
    for j, x in other.items():
        found[j] = found[j] - x if j in found else -x
    return found


def at_end(of: Tracing, radius: float) -> End:
    """`newton.advance`."""
    to_v, to_q = of.run(alpha.step_slopes)(radius, length(of))
    unknown = [*read(of, "next_v_dot"), *read(of, "next_lam")]
    v = [ahead + to_v * x for ahead, x in zip(read(of, "ahead_v"), unknown, strict=False)]
    moved = [ahead + to_q * x for ahead, x in zip(read(of, "ahead"), unknown, strict=False)]
    return End(unknown, of.traced.moved(of.at.arrays, of.q, moved), v, moved)


def _extrapolated(last: Numbers, before: Numbers, ratio: Number) -> Numbers:
    return [x + ratio * (x - y) for x, y in zip(last, before, strict=True)]


def length(of: Tracing) -> Number:
    return of.inputs("h", [KNOWN_STEP])[0]


def read(of: Tracing, name: str) -> Numbers:
    """What stands in the slots of a quantity of PLACED; at the known state the step begins with v, and all else is zero."""
    size = of.slots.sizes[name]
    if name == "ahead_v":
        return of.inputs(name, [float(x) for x in of.known.v])
    if name == "ahead":
        return of.inputs(name, [KNOWN_STEP * float(x) for x in of.known.v])
    return of.inputs(name, [0.0] * size)


def mask(of: Tracing, name: str) -> Traced:
    found: Traced = compare("!=", of.inputs(name, [1.0])[0], 0.0)
    return found
