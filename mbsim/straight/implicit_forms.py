"""The code of implicit steps by the form of the equations; trees in joint coordinates have the matrix of their own kernels.

`mbsim.methods.implicit.alpha_tree` eliminates the nodes of a tree by what its evaluation leaves in work arrays. So its helpers are recorded
over work arrays of traced numbers. What they leave there of the factors, and the next evaluation does not write, stands in slots.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from mbsim.contracts import OK, Work
from mbsim.jit.straight.emission import Straight
from mbsim.jit.straight.graph import INPUT, Traced, TraceError, select
from mbsim.march.formulation import Formulation
from mbsim.methods.implicit import alpha, alpha_tree
from mbsim.straight.forms import Form
from mbsim.straight.implicit import (
    AGAIN,
    NEWTON,
    OF_ROWS,
    OF_SPEEDS,
    PLACED,
    End,
    Residual,
    StepPrograms,
    at_end,
    length,
    mask,
)
from mbsim.straight.linear import Number, Numbers
from mbsim.straight.programs import Known, Programs, Tracing, Varied, trace

TREE = "implicit.alpha_tree"
FACTORS = "tree_factors"  # the slots


def trace_steps(formulation: Formulation, form: Form, varied: Varied, known: Known) -> Programs:
    """As `trace`, of runs by implicit steps. Raises TraceError."""
    assert form.implicit is not None
    system = formulation.system
    n, m = system.n_v, system.n_rows
    sizes = {name: n if name in OF_SPEEDS else m if name in OF_ROWS else n + m if name == "change" else 1 for name in PLACED}
    tree = form.implicit.kernels == TREE
    further = TreePrograms(form.implicit, work=formulation.work) if tree else StepPrograms(form.implicit)
    return trace(system, form, varied, known, sizes=sizes, further=further)


class _Tree:
    """The helpers of the form, over work arrays of one program."""

    def __init__(self, of: Tracing, work: Work) -> None:
        functions, run = of.system.functions, of.run
        self._arrays, self._of, self._run = of.at.arrays, of, run
        self._system = SimpleNamespace(dynamics=run(functions.dynamics), tangent=run(functions.tangent))
        self._work = SimpleNamespace(**{name: _traced(x) for name, x in work._asdict().items() if isinstance(x, np.ndarray)})
        self._own = SimpleNamespace(**{name: _traced(x) for name, x in vars(work.own).items() if isinstance(x, np.ndarray)})
        self._form: Any = alpha_tree.FORM
        self._call(self._form.begin)

    @property
    def held(self) -> list[Any]:
        """The arrays in which factors stand, flat."""
        return [self._own.flat.reshape(-1), self._arrays.tree_work.reshape(-1)]

    def evaluate(self, end: End) -> Residual:
        """What the end of a step leaves of the equations."""
        self._own.next_v_dot[:] = end.unknown
        self._call(self._form.evaluate, self._of.t, _vector(end.q), _vector(end.v), 0.0, system=True)
        return Residual([], [], [], list(self._own.sides[: len(end.v)]), [], [], self._work.power[0])

    def factor(self, end: End, to_v: Number, to_q: Number) -> None:
        """Factor the matrix there. Raises TraceError."""
        out = _vector([*end.v, *end.q, 0.0])
        if self._call(self._form.factor, self._of.t, out, to_v, to_q, system=True) != OK:
            raise TraceError("the matrix of the first step is singular")

    def solve(self, b: Any) -> Numbers:
        """The correction of v_dot."""
        n = len(self._own.v_dot)
        self._own.sides[:n] = b[:n]
        self._call(self._form.solve)
        return list(self._own.change[:n])

    def _call(self, helper: object, *arguments: object, system: bool = False) -> Any:
        given = (self._system, self._arrays) if system else (self._arrays,)
        try:
            return self._run(helper)(*given, self._work, self._own, *arguments)
        except TraceError:
            raise
        except Exception as error:
            raise TraceError(f"the step of a tree does not run over traced numbers: {error}") from error


@dataclass
class TreePrograms(StepPrograms):
    """The programs of a step of a tree."""

    work: Work | None = None

    def newtons(self, fresh: Callable[[], Tracing]) -> dict[str, Straight]:
        """Both are recorded before the first is made, which gives what the second one reads."""
        of, then = fresh(), fresh()
        end, found, tree = self._evaluated(of)
        tree.factor(end, *of.run(alpha.step_slopes)(self.step.radius, length(of)))
        factors = [{at: x for at, x in enumerate(array) if isinstance(x, Traced)} for array in tree.held]
        first = of.slots.count
        of.slots.append(FACTORS, sum(map(len, factors)))
        again = self._again(then, tree, factors, first)
        needed = {again.graph.operations[at][1] for at in again.places if again.graph.operations[at][0] == INPUT}
        numbers = dict(enumerate((x for array in factors for x in array.values()), first))
        takes = mask(of, "takes")
        kept = {slot: select(takes, x, of.graph.input(slot, x.graph.values[x.at])) for slot, x in numbers.items() if slot in needed}
        return {NEWTON: self.iterated(of, found, tree, kept), AGAIN: again}

    def _again(self, of: Tracing, before: _Tree, factors: list[dict[int, Traced]], slot: int) -> Straight:
        assert self.work is not None
        tree = _Tree(of, self.work)
        for array, known, numbers in zip(tree.held, before.held, factors, strict=True):
            array[:] = known
            for at, x in numbers.items():
                array[at] = of.graph.input(slot, x.graph.values[x.at])
                slot += 1
        return self.iterated(of, tree.evaluate(at_end(of, self.step.radius)), tree)

    def found(self, of: Tracing) -> tuple[End, Residual]:
        """By inverse dynamics."""
        return self._evaluated(of)[:2]

    def _evaluated(self, of: Tracing) -> tuple[End, Residual, _Tree]:
        assert self.work is not None
        end, tree = at_end(of, self.step.radius), _Tree(of, self.work)
        return end, tree.evaluate(end), tree

    def inertia(self, of: Tracing, end: End, found: Residual) -> Numbers:
        """The diagonal of M, which the residual does without."""
        M = of.traced.terms(of.traced.arrays(of.inputs("varied", of.varied_values)), of.t, end.q, end.v).M
        return [M[j][j] for j in range(of.system.n_v)]


def _traced(x: Any) -> Any:
    return np.full(x.shape, 0.0, object) if x.dtype.kind == "f" else x.copy()


def _vector(values: Numbers) -> Any:
    out = np.empty(len(values), object)
    out[:] = values
    return out
