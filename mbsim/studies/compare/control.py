"""What only other methods at the same steps can tell of a row: that the method is to blame, and not the motion or the steps.

Three things speak against a method, and each of them has another explanation too:

- its runs do not converge, or all are far off: so do all runs at steps that are too coarse;
- its errors shrink more slowly than its order: so do all errors where a law has kinks;
- its error is more than FAR tolerances, times what the motion multiplies those of the reference by: so are those of an integrator that
  controls errors loosely, or of a more sensitive stretch of the motion.

So a suspicious row is held against its peers, which are the other methods with the same integrator at the same steps (of a method that
makes its own steps: all with steps). Where none of them does better, a witness is run, that is a method of WITNESSES which is no row. If a
peer or a witness does better by BETTER, the row disagrees or is of low order. If none does, it keeps its verdict, and the case gets a note.
"""

from collections.abc import Callable, Iterator
from math import inf, isnan

import numpy as np

from mbsim import registry
from mbsim.studies.compare import events
from mbsim.studies.compare.measures import JUDGED
from mbsim.studies.compare.plan import OWN, Ladder, tolerances
from mbsim.studies.compare.reference import LOOSE
from mbsim.studies.compare.rows import Case, Course, Row
from mbsim.studies.compare.verdict import AGREES, DISAGREES, FAR, LOW_ORDER, UNRESOLVED, VAGUE

WITNESSES = ("lagrange", "svd")
BETTER = 10.0  # times smaller is the error of a peer that does better
MISSED = 0.5  # of an order: a method may be so much below its own
MOTION = {"position": "positions", "velocity": "speeds"}
Peer = tuple[str, Course]


class Control:
    """Of one model: all its rows are there. `witness` runs a method with an integrator and returns its errors, or None."""

    def __init__(self, case: Case, ladders: list[Ladder], witness: Callable[[Ladder, str], Course | None]) -> None:
        self.case, self.witness = case, witness
        self.ladders = {(ladder.method, ladder.integrator): ladder for ladder in ladders}
        self.called: dict[tuple[str, str], Course | None] = {}
        self.unlike: dict[str, list[str]] = {}  # integrator -> what no peer does better

    def look(self) -> None:
        """Judge every row anew that is suspicious."""
        for key, rows in self.case.ladders().items():
            ladder, course = self.ladders[key], self.case.courses.get(key)
            if course is None:
                continue
            if rows[-1].verdict == UNRESOLVED:
                for row in rows:
                    self._unresolved(ladder, row)
            if ladder.adaptive:
                for row in rows:
                    self._far(ladder, row)
            else:
                self._low(ladder, course, rows)
        self.case.notes += [words for found in self.unlike.values() for words in dict.fromkeys(found)]
        self.case.notes += events.notes(self.case)

    def _peers(self, ladder: Ladder) -> Iterator[Peer]:
        """The other methods, then the witnesses, which are run when they are asked for."""
        own = ladder.integrator == OWN
        word = registry.variant(ladder.method)[0]
        for (method, integrator), course in self.case.courses.items():
            alike = not self.ladders[method, integrator].adaptive if own else integrator == ladder.integrator
            if method != ladder.method and alike:
                yield method, course
        integrator = "rk4" if own else ladder.integrator
        for method in WITNESSES:
            key = (method, integrator)
            if method == word or key in self.case.courses:
                continue
            if key not in self.called:
                self.called[key] = self.witness(ladder, method)
            called = self.called[key]
            if called is not None:
                yield method, called

    def _nearer(self, ladder: Ladder, row: Row, measure: str) -> tuple[str, float] | None:
        """A peer whose error is smaller by BETTER at the same step or tolerance, with its error."""
        error = row.judgement.errors[measure]
        for method, course in self._peers(ladder):
            found = course.error(row.level if row.adaptive else row.step, measure, row.cut)
            if found is not None and BETTER * found <= error:
                return method, found
        return None

    def _unresolved(self, ladder: Ladder, row: Row) -> None:
        """A row whose own error is not known, or is of the size of the motion, on a ladder that does not come to rest."""
        for measure in JUDGED:
            if row.verdict != UNRESOLVED or measure not in row.judgement.errors:
                continue
            error, scale, own = row.judgement.errors[measure], self.case.scales[measure], row.judgement.own.get(measure, inf)
            if own <= VAGUE * scale.reach:
                continue  # it converges: what is open is something else
            if error > scale.floor + scale.reference and (peer := self._nearer(ladder, row, measure)):
                level = "tolerance" if row.adaptive else "step"
                row.verdict = DISAGREES
                row.reason = f"{measure} error {error:.1e}, and {peer[0]} has {peer[1]:.1e} at the same {level}; {row.reason}"

    def _far(self, ladder: Ladder, row: Row) -> None:
        """A row whose error is many tolerances."""
        reference = self.case.reference
        if row.verdict not in (AGREES, UNRESOLVED) or row.result is None or reference.result is None:
            return
        rtol, atol = tolerances(ladder.settings(row.level, self.case.interval)["integrator"])
        for measure, name in (("position", "q"), ("velocity", "v")):
            error = row.judgement.errors.get(measure, 0.0)
            size = float(np.abs(reference.result[name]).max(initial=0.0))
            unit, theirs = atol + rtol * size, LOOSE * (1.0 + size)
            multiplied = max(1.0, reference.errors.get(measure, 0.0) / theirs)
            if error <= FAR * multiplied * unit + self.case.scales[measure].floor:
                continue
            many = f"{error / unit:.0f} tolerances"
            if peer := self._nearer(ladder, row, measure):
                row.verdict = DISAGREES
                row.reason = f"{measure} error {error:.1e}, {many}; {peer[0]} has {peer[1]:.1e} at the same tolerance"
                return
            words = f"With {ladder.integrator} at tolerance {row.level:g} no method is much nearer than {ladder.method}, {many} off"
            self._note(ladder, f"{words}: the motion multiplies errors, or the integrator controls them loosely.")
            return

    def _low(self, ladder: Ladder, course: Course, rows: list[Row]) -> None:
        """A method whose errors shrink too slowly everywhere on its ladder."""
        for measure, words in MOTION.items():
            scale = self.case.scales.get(measure)
            reached = float("nan") if scale is None else course.reached(measure, scale)
            if scale is None or isnan(reached) or reached >= ladder.order - MISSED:
                continue
            peer = next((name for name, other in self._peers(ladder) if self._in_order(other, measure, ladder.order)), None)
            who = f"{ladder.method} with {ladder.integrator}" if ladder.integrator != OWN else ladder.method
            if peer is None:
                found = f"No method here reaches order {ladder.order:g} of the {words} with {ladder.integrator}"
                self._note(ladder, f"{found}: the motion is not smooth enough, or the steps are too long.")
                continue
            for row in rows:
                if row.verdict in (AGREES, UNRESOLVED) and row.result is not None:
                    row.verdict = LOW_ORDER
                    row.reason = f"order {reached:.1f} of the {words}, where {who} declares {ladder.order:g}; {peer} has it"

    def _note(self, ladder: Ladder, words: str) -> None:
        self.unlike.setdefault(ladder.integrator, []).append(words)

    def _in_order(self, course: Course, measure: str, order: float) -> bool:
        """Whether a course shows this order, or errors that are too small to show one.

        That it shows an order of its own that is lower says nothing: where a law has kinks, a method of order 1 or 2 still does.
        """
        scale = self.case.scales[measure]
        reached = course.reached(measure, scale)
        if not isnan(reached):
            return reached >= order - MISSED
        last = [errors[measure] for errors, cut in zip(course.errors, course.cut, strict=True) if measure in errors and not cut]
        return bool(last) and last[-1] <= scale.floor + FAR * scale.reference
