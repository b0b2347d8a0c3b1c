"""Whether output rows follow the motion, and rows between those that do not.

A row has q, v and v_dot. Between two rows that follow the motion the trapezoidal rule holds,

    v_1 - v_0 = h (a_0 + a_1) / 2,   q_1 - q_0 = h (v_0 + v_1) / 2,

to 3 % of the largest speed that the coordinate has had: at nine rows a period and more. Where an acceleration jumps at the corner of a law,
it holds to 1e-5 of that, as an integral over rows is wrong by what the jump leaves open. Where it does not hold, a march beside the run's,
with work arrays of its own, goes from the row before to the row after and gives those between; the run's own steps stay. Rows that stay
off by more than 10 %, at fewer than five rows a period, span an oscillation or an impact: a number that is found from them (a frequency,
a largest value) may be that of no motion.

A smooth law that acts for less than a step, as exp(-(t - 5)^2/1e-6), may be passed over: no stage of the step sees it, so that its error is
estimated as nothing. A row there does see it. So where a march beside comes to another row than the run, and shorter steps come there too,
the run gives a warning.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from mbsim.jit import bound
from mbsim.kernels import following
from mbsim.march.beside import Answer, Asked, MarchBeside
from mbsim.march.formulation import Formulation
from mbsim.march.kernels import Stepper
from mbsim.march.lengths import link_of
from mbsim.march.settings import Settings
from mbsim.march.shorter_steps import why_shorter
from mbsim.results.reductions import SPANNED
from mbsim.system.remembered import remembered
from mbsim.system.system import Floats, System

FOLLOWS = 0.03  # of the largest speed of a coordinate: what the trapezoidal rule may be off where rows are filled in
SPANS = 0.1  # likewise: rows that are off by more are told of. Sines at nine rows a period look like themselves, and peak to 0.3 %
DENSEST = 1e-5  # of the run: rows nearer to each other than this lie between events; as output, they would be too many
AGREES = 0.01  # of the largest speed: how far from the row of the run a march beside may come, which goes by other steps
SHORTER = 8  # times shorter are the steps that are to confirm that a march beside is right and the run is not
DIFFERS, TOLERANCES = 1e-3, 100.0  # of the largest speed, and times rtol if that is more: what they have to tell apart
ALIKE = 0.1  # of that may remain between both of them
CHECKED, ALONE = 1e-3, 30.0  # of the largest speed, and times what rows two places away are off: where such a law may have acted
MOST_CHECKED, MOST_IN_ALL = 4, 50  # places of a chunk, those that are off most, and of a run
LONELY = 3  # rows, of which none has such neighbours
ROUNDS = 6  # of finer rows
FINER = 4  # times as many rows in a round, and in the first one PER_STEP for each step of the run if that is more
PER_STEP, MOST_FINER = 1.25, 256
MOST_BESIDE, FEW = 5, 500  # times the run's own steps, and how many more, after which nothing is filled in any more
STRETCH = 64  # intervals that a march beside goes through at once
MOST_ROWS, MOST_BYTES = 200_000, 200e6  # between the rows of a run
TOLD, WARNED = 0.0, 0.05  # of the time of the run: rows that do not follow the motion are worth a note, a warning
OFTEN = 3  # looks, after which the call is bound
MOST_LOOKS, MOST_HELD = 64, 4e6  # that are held for other rows as many, and bytes of the rows of all
LOOKED, WITHIN = 8, np.array([0.25, 0.5, 0.75])  # places, spread over those that are marked, and parts of the time between rows there
CORRECTED = 100.0  # times the absolute tolerance: as far a correction of positions goes where the constraints hardly hold them
ATOL = 1e-8  # where steps are of equal size


Places = slice | NDArray[np.intp]
T = TypeVar("T")
Asks: TypeAlias = Generator[Asked, Answer, T]  # what comes to T by marches beside
Filled = tuple[Floats, Floats, NDArray[np.intp]]  # times, rows, and the places of those that the run has itself


class Look:
    """What the kernel sees of so many rows of one run. It is bound where it is asked often, as a study looks at as many in each run."""

    def __init__(self, of: Formulation, fastest: Floats, atol: float, rows: int, share: float) -> None:
        n, n_q = of.system.n_v, of.system.n_q
        self.fastest = fastest
        self.times, self.rows = np.zeros(rows), np.zeros((rows, of.width))
        self.off, self.often = np.zeros(rows - 1, np.int64), np.zeros(n, np.int64)  # between rows, and how often a speed is
        most, scales, corners = np.zeros(n), np.zeros(n), share == FOLLOWS
        self._arguments = (
            self.times, self.rows, n_q, *rates_of(of.system), most, fastest, scales, share, of.work.kept_corners, corners,
            atol, self.off, self.often,
        )  # fmt: skip
        self._asked = 0
        self._call: Callable[[], int] | None = None

    def __call__(self) -> int:
        """Mark between which rows something is missed; returns how many places these are."""
        self._asked += 1
        if self._call is None and self._asked > OFTEN:
            self._call = bound(following.spans, *self._arguments)
        found: int = following.spans(*self._arguments) if self._call is None else self._call()
        return found


@dataclass
class Kept:
    """What looking at the rows of one system needs, and a run that comes back to it takes again."""

    looks: dict[tuple[int, float], Look] = field(default_factory=dict)  # by how many rows, and what they may be off
    beside: MarchBeside | None = None


class Following:
    """Looks at the rows of one run as they come, and fills in those that lack."""

    def __init__(self, formulation: Formulation, stepper: Stepper, settings: Settings, fill: bool, check: bool = True) -> None:
        """`fill`: give the rows between too; so it is where the time between rows was not given and tolerances choose the steps.

        `check`: look for laws that steps passed over, too.
        """
        self._of, self._stepper, self._settings = formulation, stepper, settings
        self._fills = fill or (settings.controls_error and "output_step" in settings.choices)
        samples = formulation.system.samples
        repeats = (samples is None or not samples.calls_python) and formulation.system.units is None
        self._fills, self._repeats = self._fills and repeats, repeats
        self._checks = check and repeats and settings.controls_error
        self._fastest, self.kept, self._comes_back = np.zeros(formulation.system.n_v), Kept(), False
        self._own: NDArray[np.intp] = np.arange(0)  # the places of as many rows as the last ones
        self._atol = settings.tolerance("atol") or ATOL
        self._left = int(min(MOST_ROWS, MOST_BYTES / (8 * formulation.width)))
        self.restart()

    def restart(self) -> None:
        """Forget the rows of the run before."""
        self._fastest[:] = 0.0
        self._last: tuple[Floats, Floats] | None = None
        self._spare, self._taken, self._beside_taken = self._left, 0, 0
        self._comes_back = True
        self._spanned = self._first = self._longest = 0.0
        self._worst, self._passed_over, self._checked = "", "", 0

    def go_on(self, formulation: Formulation, stepper: Stepper, kept: Kept) -> None:
        """The rows to come are of another system, with the same coordinates and speeds; `kept` is what was made for its rows before."""
        self._of, self._stepper, self.kept, self._last, self._beside_taken, self._comes_back = formulation, stepper, kept, None, 0, True

    def jump(self, t: float, row: Floats) -> None:
        """The run goes on from another state at t than it had, whose row is recorded: nothing is between the last row and this one."""
        if self._last is not None:
            self._last = np.array([t]), row[None].copy()

    @property
    def watches(self) -> bool:
        """Whether anything can lie between rows: steps of equal size that end on rows leave nothing."""
        if self._stepper.through_contacts:
            return False
        return self._settings.controls_error or self._settings.interval > 1.5 * self._settings.step

    def chunk(self, times: Floats, rows: Floats, steps: int) -> Filled:
        """Rows (k, width) that follow those of the last call, with those that lack between, and the places (k,) of the former.

        The run took so many `steps` for them.
        """
        asks = self.asks(times, rows, steps)
        answer: Answer | None = None
        while True:
            try:
                asked = next(asks) if answer is None else asks.send(answer)
            except StopIteration as end:
                filled: Filled = end.value
                return filled
            answer = self.answer(asked)

    def answer(self, asked: Asked) -> Answer:
        """The march beside the run that is asked for, by the run's own method."""
        if self.kept.beside is None:
            self.kept.beside = MarchBeside(self._of.beside(self._settings), self._stepper)
        elif self._comes_back:  # not before: by now it is known how fast the motion is
            self.kept.beside.restart(self._of)
        self._comes_back = False
        return self.kept.beside.answer(asked)

    def asks(self, times: Floats, rows: Floats, steps: int) -> Asks[Filled]:
        """As `chunk`; what has to be marched beside is asked for. Rows may be wider, with what is known beside them."""
        if len(self._own) != len(times):
            self._own = np.arange(len(times))
        own = self._own
        self._taken += steps
        if not self.watches or not len(times):
            return times, rows, own
        asked = times
        begun = self._last is not None
        if self._last is not None:
            times, rows = np.concatenate([self._last[0], times]), np.concatenate([self._last[1], rows])
        else:
            self._first = float(times[0])
        spans = self._spans(times, rows)
        if self._checks and not self._passed_over:
            yield from self._check(times, rows)
        if not spans.any():
            self._last = times[-1:].copy(), rows[-1:].copy()
            return asked, rows[1:] if begun else rows, own
        finer = max(FINER, min(MOST_FINER, ceil(PER_STEP * steps / max(len(times) - 1, 1))))
        for _ in range(ROUNDS if self._fills else 0):
            if not spans.any() or finer * int(spans.sum()) > self._spare:
                break
            before = len(times)
            times, rows = yield from self._filled(times, rows, spans, finer)
            if len(times) == before:
                break
            self._spare -= len(times) - before
            spans, finer = self._spans(times, rows), FINER
        told = self._spans(times, rows, SPANS) if spans.any() else spans
        told = told & self._shows(times, rows) if told.any() else told
        passes_over = steps > len(asked)  # several steps to a row
        found = not told.any() or passes_over or (yield from self._reveals(times, rows, told))
        gaps = np.diff(times)[told] if found else np.zeros(0)
        self._spanned += float(gaps.sum())
        self._longest = max(self._longest, float(gaps.max(initial=0.0)))
        self._last = times[-1:].copy(), rows[-1:].copy()
        times, rows = (times[1:], rows[1:]) if begun else (times, rows)
        return times, rows, own if len(times) == len(asked) else np.searchsorted(times, asked)

    def _spans(self, times: Floats, rows: Floats, share: float = FOLLOWS) -> NDArray[np.bool_]:
        """(k - 1,) bool: between which rows more goes on than they tell, by a share of the largest speed."""
        key = len(times), share
        looks = self.kept.looks
        look = looks.get(key)
        if look is None or look.fastest is not self._fastest:
            look = Look(self._of, self._fastest, self._atol, *key)
            held = look.rows.nbytes + sum(each.rows.nbytes for each in looks.values())
            if len(looks) < MOST_LOOKS and held <= MOST_HELD:
                looks[key] = look
        look.times[:], look.rows[:] = times, rows[:, : self._of.width]
        if look():
            self._worst = self._of.system.speeds[int(np.argmax(look.often))]
        found: NDArray[np.bool_] = look.off != 0
        return found

    def _shows(self, times: Floats, rows: Floats) -> NDArray[np.bool_]:
        """(k - 1,) bool: where more than a correction of positions can lie between rows: that goes farther beside singular positions."""
        n, n_q, least = self._of.system.n_v, self._of.system.n_q, SPANS * self._scales()
        v, a, dt = rows[:, n_q : n_q + n], rows[:, n_q + n : n_q + 2 * n], np.diff(times)[:, None]
        jumped = np.abs(np.diff(v, axis=0) - dt * (a[1:] + a[:-1]) / 2) > least
        speeds, where = places(self._of.system)
        rates = v[:, speeds]
        missed = np.abs(np.diff(rows[:, where], axis=0) - dt * (rates[1:] + rates[:-1]) / 2)
        moved = missed > CORRECTED * self._atol * max(1.0, link_of(self._of.work))
        found: NDArray[np.bool_] = np.any(jumped, axis=1) | np.any(moved, axis=1)
        return found

    def _scales(self) -> Floats:
        """(n,) what a speed is large or small against, as the kernel has it."""
        units = rates_of(self._of.system)[1]
        most = np.zeros(len(units))
        np.maximum.at(most, units, self._fastest)
        return np.maximum(np.maximum(self._fastest, following.SLOW * most[units]), following.AT_REST * self._atol)

    def _reveals(self, times: Floats, rows: Floats, told: NDArray[np.bool_]) -> Asks[bool]:
        """Whether speeds between some of these rows leave the line between them: else only accelerations do not fit.

        Within long steps over what is stiff and damped, rows are good to the tolerance, and their accelerations are not: a stiff beam makes
        much of a small strain.
        """
        n, n_q, marked = self._of.system.n_v, self._of.system.n_q, np.flatnonzero(told)
        if not self._repeats or not self._settings.controls_error:
            return True
        for i in marked[np.unique(np.linspace(0, len(marked) - 1, LOOKED).astype(int))]:
            inner = times[i] + WITHIN * (times[i + 1] - times[i])
            if not times[i] < inner[0] < inner[-1] < times[i + 1]:
                return True
            found = yield from self._ask(Asked(float(times[i]), rows[i], np.append(inner, times[i + 1]), self._settings.step))
            if found is None:
                return True
            first, last = rows[i, n_q : n_q + n], rows[i + 1, n_q : n_q + n]
            line = first + np.append(WITHIN, 1.0)[:, None] * (last - first)
            if (np.abs(found[:, n_q : n_q + n] - line) > SPANS * self._scales()).any():
                return True
        return False

    def _filled(self, times: Floats, rows: Floats, spans: np.ndarray, finer: int) -> Asks[tuple[Floats, Floats]]:
        """With rows between those that do not follow the motion, as far as there are any."""
        bad, new_times, new_rows = np.flatnonzero(spans), [times], [rows]
        for stretch in np.split(bad, np.flatnonzero(np.diff(bad) != 1) + 1):
            for i in range(0, len(stretch), STRETCH):
                if self._is_costly:
                    break
                part = stretch[i : i + STRETCH]
                shares = np.arange(1, finer) / finer
                inner = (times[part, None] + shares * (times[part + 1] - times[part])[:, None]).ravel()
                found = yield from self._between(times, rows, part, inner)
                if found is not None:
                    new_times.append(inner)
                    new_rows.append(found)
        merged = np.concatenate(new_times)
        order = np.argsort(merged, kind="stable")
        return merged[order], np.concatenate(new_rows)[order]

    def _between(self, times: Floats, rows: Floats, part: NDArray[np.intp], inner: Floats) -> Asks[Floats | None]:
        """Rows at `inner` times between the rows of neighbouring places, or None where the march beside does not come to the run's row."""
        first, last = part[0], part[-1] + 1
        begin, end, row = float(times[first]), float(times[last]), rows[last]
        found = yield from self._ask(Asked(begin, rows[first], np.append(inner, end), self._settings.step))
        if found is None:
            return None
        if self._checks and not self._passed_over and self._apart(found[-1], row) > 1.0:
            closer = yield from self._ask(Asked(begin, rows[first], np.array([end]), min(self._settings.step, (end - begin) / SHORTER)))
            if closer is not None and self._apart(closer[-1], found[-1]) <= ALIKE * self._apart(found[-1], row):
                self._passed_over = self._told(begin, end, found[-1], row)
        return found[:-1] if self._agree(found[-1], row) else None

    def _ask(self, asked: Asked) -> Asks[Floats | None]:
        """The rows of a march beside."""
        answer = yield asked
        self._beside_taken += answer.steps
        return answer.rows

    def _check(self, times: Floats, rows: Floats) -> Asks[None]:
        """Whether the run passed over a law, where rows alone tell of more than those about them do."""
        if len(times) <= LONELY:
            return
        n, n_q = self._of.system.n_v, self._of.system.n_q
        v, a, dt = rows[:, n_q : n_q + n], rows[:, n_q + n : n_q + 2 * n], (times[1:] - times[:-1])[:, None]  # np.diff takes as long as all
        missed = np.abs(v[1:] - v[:-1] - dt * (a[1:] + a[:-1]) / 2).max(axis=1, initial=0.0) * (dt[:, 0] > 0.0)
        least = CHECKED * float(self._fastest.max())
        if not float(missed.max()) > least:
            return
        around = np.full(len(missed) + 4, np.nan)  # a row that has none about it tells nothing: no comparison with NaN holds
        around[2:-2] = missed
        alone = missed > np.maximum(least, ALONE * np.fmax(around[:-4], around[4:]))
        if not alone.any():
            return
        for i in np.argsort(np.where(alone, -missed, 0.0), kind="stable")[: min(MOST_CHECKED, int(alone.sum()))]:
            if self._checked < MOST_IN_ALL and not self._is_costly:
                self._checked += 1
                yield from self._between(times, rows, np.array([i]), np.zeros(0))

    def _apart(self, found: Floats, row: Floats) -> float:
        """How far the speeds of two rows are from each other, of what is told of."""
        n, n_q = self._of.system.n_v, self._of.system.n_q
        least = max(DIFFERS, TOLERANCES * (self._settings.tolerance("rtol") or 0.0)) * self._fastest.max() + following.AT_REST * self._atol
        return float(np.abs(found[n_q : n_q + n] - row[n_q : n_q + n]).max(initial=0.0) / least)

    def _told(self, begin: float, end: float, found: Floats, row: Floats) -> str:
        """In words, that shorter steps come to another row."""
        n, n_q = self._of.system.n_v, self._of.system.n_q
        apart = np.abs(found[n_q : n_q + n] - row[n_q : n_q + n])
        j = int(np.argmax(apart))
        why, instead = why_shorter(self._of.system, self._settings)
        return (
            f"{why}: from t = {begin:.9g} to {end:.9g} s shorter steps come to another {self._of.system.speeds[j]} (by {apart[j]:.3g}), "
            f"and what follows is not the motion of the model; {instead} a max_step of {end - begin:.3g} s or less"
        )

    @property
    def _is_costly(self) -> bool:
        """Whether marches beside take much more than the run: where stiff parts are damped, each of them begins with steps of theirs."""
        return self._beside_taken > FEW + MOST_BESIDE * self._taken

    def _agree(self, found: Floats, row: Floats) -> bool:
        """Whether a march beside comes to the row of the run: beside a singular position it may go on in another branch."""
        n, n_q = self._of.system.n_v, self._of.system.n_q
        apart = np.abs(found[n_q : n_q + n] - row[n_q : n_q + n])
        return bool((apart <= AGREES * self._fastest.max() + following.AT_REST * self._atol).all())

    def said(self) -> tuple[list[str], list[str]]:
        """Notes and warnings of laws that were passed over and of rows that do not follow the motion, at the end of the run."""
        passed = [self._passed_over] if self._passed_over else []
        if self._last is None or self._spanned <= TOLD:
            return [], passed
        span = float(self._last[0][0]) - self._first
        share = self._spanned / span if span > 0.0 else 0.0
        text = (
            f"{SPANNED} oscillations or impacts of {self._worst} in {share:.2g} of the time: plots, and numbers found from rows, "
            "miss what is between; "
        )
        if self._longest >= DENSEST * span:
            text += f"a shorter output_step (here {self._longest:.3g} s) shows it"
        else:
            text += f"each lies within {self._longest:.3g} s, too short for any output_step; the table of events has every impact"
        return ([], [*passed, text]) if share > WARNED else ([text], passed)


def together(indices: Sequence[int]) -> Places:
    """Indices as a slice where they follow each other, so that what they pick out of an array is not copied."""
    found = np.array(indices, int)
    if len(found) and (np.diff(found) == 1).all():
        return slice(int(found[0]), int(found[-1]) + 1)
    return found


@remembered
def rates_of(system: System) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each speed the coordinate whose rate it is, or NO_COORDINATE, and the number of its unit."""
    known = {f"der({name})": i for i, name in enumerate(system.coordinates[: system.n_c])}
    numbers = {unit: k for k, unit in enumerate(dict.fromkeys(system.speed_units))}
    coordinates = [known.get(name, following.NO_COORDINATE) for name in system.speeds]
    return np.array(coordinates, np.int64), np.array([numbers[unit] for unit in system.speed_units], np.int64)


@remembered
def places(system: System) -> tuple[Places, Places]:
    """The speeds that are rates of coordinates, and these."""
    known = {f"der({name})": i for i, name in enumerate(system.coordinates[: system.n_c])}
    found = [(j, known[name]) for j, name in enumerate(system.speeds) if name in known]
    return together([j for j, _ in found]), together([i for _, i in found])
