"""The Runner: one model, run again and again with other numbers.

    runner = mbsim.Runner("four_bar.yaml", vary=["omega", "joints.C.at[0]"], outputs={"peak": "max(norm(joint_force:A))"}, end=1.0)
    runner.run([8.0, 3.0]).values  # array([...])
    runner(omega=9.0)["peak"]  # the others as in the file

A run puts the numbers into the arrays that kernels read, finds the consistent start and marches. Nothing is read from a file, no block is
checked that does not depend on the numbers, and no work array is allocated. The numbers of a run do not depend on the runs before it, and
are those of `simulate` with the same file. What cannot be done so is done by `simulate` itself: another structure, a stop expression,
singular positions, failures, and what they say. `Outcome.anew` tells which way it was.

A runner is for one thread; `copy` makes another one. Kernels give the interpreter's lock up while they march.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts, registry
from mbsim.analyses.dynamic import run_and_record
from mbsim.assembly import assemble
from mbsim.assembly.bodies import Bodies
from mbsim.assembly.generalized import Generalized
from mbsim.assembly.point_masses import point_masses
from mbsim.march.between import Following
from mbsim.march.conditioning import alternative
from mbsim.march.ending import SimulationError
from mbsim.march.formulation import Formulation, formulate
from mbsim.march.kernels import stepper
from mbsim.march.output_times import OutputTimes
from mbsim.march.settings import resolve
from mbsim.march.trial import decide
from mbsim.model.expressions.expression import Expression
from mbsim.model.file.errors import did_you_mean
from mbsim.model.file.overrides import Overrides
from mbsim.model.file.positions import Document
from mbsim.model.reread import GRAVITY, Numbers, Rereading
from mbsim.model.schema import Model
from mbsim.model.targets import Target, aimed
from mbsim.observe.observer import Observer
from mbsim.observe.quantities import Quantity
from mbsim.results import Result
from mbsim.results.functionals import check, numbers_of, parse
from mbsim.results.reductions import SPANNED
from mbsim.studies.runner.fast_march import FastMarch, fits
from mbsim.studies.runner.fast_start import FastStart, PlainStart
from mbsim.studies.runner.given import RunnerError, base_of, changes_of, document_of
from mbsim.studies.runner.in_place import InPlace, StructureError, Table
from mbsim.studies.runner.other_analyses import ANALYSES, DYNAMIC
from mbsim.studies.runner.outcome import FAILURES, Outcome, with_warnings, words_of
from mbsim.studies.runner.recorded import ArraysOf, Recorded, RunNames, Seen, Told, asks_between, lazily
from mbsim.system.system import Floats, System

_STARTS = ("initial", "measures", "reference")
_OF_NO_PLACE = {"mass", "velocity", "angular_velocity"}  # of a body
_LAWS = ("energy", "forces", "drivers", "constraints")  # of the user's own coordinates: expressions, whose parameters are an array


class Runner:
    """See the module. `model` is as `mbsim.load_model` takes it, or a `Document`; of a `Model` what was given when it was read is kept."""

    def __init__(
        self,
        model: str | Path | Mapping[str, object] | Document | Model,
        vary: Sequence[str | Target] = (),
        outputs: Mapping[str, str | Expression] | None = None,
        *,
        parameters: Mapping[str, float | str] | None = None,
        simulation: Mapping[str, object] | None = None,
        analysis: str = DYNAMIC,
        add: Sequence[str] = (),
        plain: Sequence[str] = (),
        **settings: object,
    ) -> None:
        """`vary`: parameters by name, numbers of the file by path; those in `add` are added to what the file has.

        `outputs`: functionals by name. `parameters` are set once. `simulation`, or further keywords, are keys of the simulation block.
        `analysis`: dynamic, modes or equilibrium. `plain`: the quick pieces that give way to the plain ones, which give the same numbers:
        "numbers" (`planar.py`), "start" (`fast_start.py`).

        Raises ModelError, PathError, ExpressionError, RunnerError, ValueError for settings.
        """
        if analysis not in (DYNAMIC, *ANALYSES):
            raise RunnerError(f"unknown analysis '{analysis}'{did_you_mean(analysis, (DYNAMIC, *ANALYSES))}")
        self._document = document_of(model)
        given = changes_of(model) if isinstance(model, Model) else Overrides()
        self._arguments: dict[str, Any] = {
            "vary": list(vary),
            "outputs": dict(outputs or {}),
            "analysis": analysis,
            "add": list(add),
            "plain": list(plain),
            "parameters": {**given.parameters, **(parameters or {})},
            "simulation": {**given.simulation, **(simulation or {}), **settings},
        }
        self._document, self.targets = aimed(self._document, vary, add)
        if twice := sorted({x.name for k, x in enumerate(self.targets) if x.name in [one.name for one in self.targets[:k]]}):
            raise RunnerError(f"vary: {', '.join(twice)} is given twice, and a run has one value of it")
        self.outputs = {name: parse(x) if not isinstance(x, Expression) else x for name, x in (outputs or {}).items()}
        self.analysis = analysis
        self._reread = Rereading(self._document, registry, self.targets, self._arguments["simulation"], self._arguments["parameters"])
        self.model = self._reread.model
        self.made = assemble(self.model)
        self.result: Result | None = None  # of the last run, until the next one
        self.keeps_result = True  # else it need not have rows that follow the motion where no output asks for them
        self._cancelled = False
        self.in_place, self.why_anew = False, ""  # whether runs change numbers in place, and why not
        self.why_fixed = "" if analysis == DYNAMIC else analysis  # why the arrays do not take other numbers
        self.base = base_of(self._document, self.model, self.targets)  # (n,) what the file has for each target; 0 of what is added
        if analysis == DYNAMIC:
            self._prepare()
        self.units = self._check_outputs()

    def _prepare(self) -> None:
        """What runs in place need. Raises ValueError for settings that do not fit."""
        made, model = self.made, self.model
        self.settings = decide(made, resolve(made.simulation, made.whole, {}))
        self.why_fixed = self._obstacle_to_filling()
        self.why_anew = self.why_fixed or self._obstacle_to_runs()
        self._lazy = lazily(made, lambda name: self._recorded[name], model.parameters)
        self._march = None if self.why_anew else FastMarch(made.system, self.settings)
        self._recorded: Mapping[str, Floats] = {}
        if self._march is None:
            return
        self._prepare_filling(self._march.formulation)
        self._following = self.following()
        self.in_place = True

    def _prepare_filling(self, formulation: Formulation) -> None:
        """What puts numbers into the arrays, finds the start and records rows."""
        made, model = self.made, self.model
        paths = [x.path for x in self.targets if not x.parameter]
        plain = "numbers" in self._arguments["plain"] or made.coming is not None
        try:
            fields = None if plain else self._reread.numbers(self.base.tolist()).fields
        except FAILURES:
            fields = None
        starts = _STARTS if fields is None else (*_STARTS, GRAVITY[0])
        harmless = (*starts, *_LAWS) if model.coordinates else starts
        only_start = not self._reread.touches(*harmless) and not any(path[0] not in starts for path in paths)
        self._in_place = InPlace(model, made, only_start, fields)
        self._start = (PlainStart if "start" in self._arguments["plain"] else FastStart)(made.system, made.start)
        self._known: dict[str, Quantity] = {}  # columns of rows, by name
        self._observer = Observer(made.system, formulation.beside(self.settings).work)

    def _obstacle_to_filling(self) -> str:
        """Why the arrays do not take other numbers, or ''."""
        made, model, own = self.made, self.model, [x.path for x in self.targets if not x.parameter]
        if model.simulation.start_from != "model":
            return "the start is an equilibrium, which every run looks for"
        if made.system.failure is not None:
            return "the system has Python functions" if made.system.units is None else "the model has units for model exchange"
        if made.unilaterals is not None:
            return "stops, contacts and dry friction come and go"
        if made.events is not None and any(made.events.solved):
            return "an event watches what the equations of motion are solved for"
        if made.system.samples is not None:
            return "the model has states that are held between samples"
        fixed = [path for path in self._reread.affected if path[0] in ("simulation", "tables", "dimension", "coordinates")]
        if any(path[:2] != ("simulation", "stop") for path in fixed) or any(path[:1] == ("simulation",) for path in own):
            return "what varies alters the settings, a table or the kind of coordinates"
        turns = self._reread.touches(*_STARTS, "let", GRAVITY[0], "bodies") or not self._reread.touches_only("bodies", _OF_NO_PLACE)
        if point_masses(model) and turns:
            return "whether something turns a point mass is asked of the places of bodies and joints"
        if any(path[0] == "let" for path in own):
            return "what varies is what a name of `let` stands for, which laws contain"
        return ""

    def _obstacle_to_runs(self) -> str:
        """Why runs are not plain cases of a march, or ''."""
        made = self.made
        if self.settings.stop is not None:
            return "a stop expression ends the run"
        if made.coming is not None:
            return "joints, drivers or constraints come and go"
        if made.events is not None:
            return "the model has events"
        if made.system.n_rows and not FastStart(made.system, made.start).is_regular(made.q):
            return "constraints are redundant or singular at the start, so that every run is looked through"
        return "" if fits(made.system, self.settings) else "the run has too many rows to be held"

    def _check_outputs(self) -> dict[str, str]:
        """The units of the outputs. Raises ExpressionError with the name in front."""
        names = self.names()
        return {name: check(expression, names) for name, expression in self.outputs.items()}

    def names(self) -> Any:
        """The names that outputs may use."""
        if self.analysis != DYNAMIC:
            return ANALYSES[self.analysis].names(self.made, self.model)
        empty = {"time": np.zeros(0)}
        return RunNames(self._lazy, Numbers.of(self.model), self.made.system, empty)

    # runs

    def __call__(self, values: Sequence[float] | None = None, /, **named: float) -> dict[str, float]:
        """The outputs of a run with these values, in the order of `vary` or by name. Raises SimulationError where the run failed."""
        found = self.run(self.base if values is None else values, **named)
        if found.failed:
            raise SimulationError(found.reason, float("nan"), None)
        return dict(zip(self.outputs, found.values.tolist(), strict=True))

    def run(self, values: Sequence[float] | Floats, keep: Sequence[str] = (), /, **named: float) -> Outcome:
        """One run; a failure is an outcome. `keep`: histories to hand over too. Raises RunnerError for other than one value a target."""
        chosen = np.array(values, float)
        if chosen.shape != (len(self.targets),):
            raise RunnerError(f"expected {len(self.targets)} values: {', '.join(x.name for x in self.targets)} (got {chosen.size})")
        for name, value in named.items():
            places = [k for k, x in enumerate(self.targets) if x.name == name]
            if not places:
                raise RunnerError(f"'{name}' does not vary{did_you_mean(name, [x.name for x in self.targets])}")
            chosen[places[0]] = value
        self.result = None
        if self.is_cancelled():
            return self._none("cancelled")
        try:
            numbers = self._reread.numbers(chosen.tolist())
            if self.in_place:
                found = self._run_in_place(numbers, keep)
                if found is not None:
                    return found
                if self.is_cancelled():
                    return self._none("cancelled")
            return self._run_anew(numbers.model, keep)
        except FAILURES as error:
            return self._none(words_of(error))

    def _none(self, reason: str) -> Outcome:
        """A run that failed."""
        return Outcome(np.full(len(self.outputs), np.nan), reason, True, True)

    def is_cancelled(self) -> bool:
        """Whether another thread has ended what this runner does."""
        return self._cancelled

    def run_many(self, values: object, keep: Sequence[str] = ()) -> list[Outcome]:
        """Runs of several sets of values (k, n), in their order."""
        given = np.asarray(values, float)
        given = given.reshape(-1, len(self.targets)) if self.targets else given.reshape(len(given), 0)
        return [self.run(row, keep) for row in given]

    def _run_in_place(self, numbers: Numbers, keep: Sequence[str]) -> Outcome | None:
        """A run of the plain case; None for any other."""
        march, start = self.march, self.begun(numbers)
        if start is None or not march(self._in_place.with_records, *start):
            return None
        return self.followed(numbers, march.rows, int(march.formulation.work.counts[contracts.COUNT_STEPS]), keep)

    # what marches in lanes take of a runner

    @property
    def march(self) -> FastMarch:
        """Of runs in place."""
        assert self._march is not None
        return self._march

    def numbers(self, values: Floats) -> Numbers:
        """The numbers of the model with these values (n,). Raises ModelError."""
        return self._reread.numbers(values.tolist())

    def restore(self, numbers: Numbers, put: Callable[[], None]) -> None:
        """Have numbers that fitted before in the arrays again; `put` puts there what they were."""
        self._in_place.restore(numbers, put)

    def current(self) -> System:
        """The system with the numbers that are in its arrays."""
        return self._in_place.with_records()

    def begun(self, numbers: Numbers) -> tuple[Floats, Floats] | None:
        """Put numbers into the arrays; the start (q, v) of a plain case, None for any other."""
        try:
            q, v = self._start(self._in_place.fill(numbers))
        except (StructureError, *FAILURES):  # the long way says what it is
            return None
        return (q, v) if self._start.is_regular(q) else None

    def table(self, values: Floats) -> Table | None:
        """What the runs with these values (k, n) put into the arrays; None where each is asked by `numbers` and `begun`."""
        found = None if self._arguments["plain"] else self._reread.columns(values)
        return found and self._in_place.table(*found, len(values))

    def following(self) -> Following:
        """What looks at rows of runs in place."""
        return Following(self.march.formulation, stepper(self.settings, self.made.system), self.settings, fill=True, check=False)

    def watches(self, keep: Sequence[str]) -> bool:
        """Whether rows of runs in place may lack some of the motion that is asked for."""
        return self._asks(keep) and self._following.watches

    def _asks(self, keep: Sequence[str]) -> bool:
        return self.keeps_result or bool(keep) or self._asks_between

    @cached_property
    def _asks_between(self) -> bool:
        return asks_between(self.outputs.values(), self.model, self.made.system)

    def followed(
        self, numbers: Numbers, marched: Floats, steps: int, keep: Sequence[str], told: Told | None = None,
        known: Callable[[], Outcome | None] = lambda: None,
    ) -> Outcome:  # fmt: skip
        """What the rows (k, width) of a run in place come to, whose numbers are in the arrays and which took so many steps.

        `told`: what is known beside these rows; `known`: what they come to by themselves, where that is known.
        """
        times, rows, own, warned = self.march.times, marched, None, list[str]()
        if self.watches(keep):
            self._following.restart()
            times, rows, own = self._following.chunk(times, rows, steps)
            warned = self._following.said()[1]
        found = known() if rows is marched else None
        found = found or self.outcome_of(numbers, times, rows, keep, own, told=told if rows is marched else None)
        return with_warnings(found, warned)

    # what direct differentiation takes of a runner

    def require_filling(self) -> None:
        """Make ready to put numbers into the arrays, also of runs that are assembled anew. Raises ValueError where that cannot be."""
        if self.why_fixed:
            raise ValueError(self.why_fixed)
        if not self.in_place:
            self._prepare_filling(formulate(self.made.system, self.settings))

    def placed(self, values: Floats) -> tuple[Floats, Floats]:
        """Put these values (n,) into the arrays; the consistent start. Raises StructureError, ModelError, TableError, StartError."""
        return self._start(self._in_place.fill(self.numbers(values)))

    @property
    def source(self) -> Bodies | Generalized:
        """What the system is made of, with the numbers of the last run."""
        return self._in_place.source

    def outcome_of(
        self, numbers: Numbers, times: Floats, rows: Floats, keep: Sequence[str] = (), own: NDArray[np.intp] | None = None,
        happened: Sequence[Mapping[str, object]] = (), told: Told | None = None, seen: Seen | None = None,
    ) -> Outcome:  # fmt: skip
        """What output rows (k, width) and events come to, with these numbers, which are in the arrays; of histories those at `own`.

        `seen` looks at the rows where they are of several systems. They have places then for all rows that come and go.
        """
        system = self.made.whole if seen is not None else self._in_place.system
        self._lazy.attributes["events"] = list(happened)
        self._recorded = Recorded(lambda: self.observer if seen is None else seen, numbers, system, times, rows, told)
        self._lazy.parameters = numbers.parameters
        self.result = self._lazy
        return self._outcome(RunNames(self._lazy, numbers, system, self._recorded, self._known), keep, False, own)

    @property
    def observer(self) -> Observer:
        """What knows the system with the numbers that are in its arrays."""
        self._observer.restart(self._in_place.with_records())
        return self._observer

    def _run_anew(self, model: Model, keep: Sequence[str]) -> Outcome:
        made = assemble(model)
        if self.analysis != DYNAMIC:
            return self._outcome(ANALYSES[self.analysis].run(made, model), keep, True)
        settings = decide(made, resolve(made.simulation, made.whole, {}))
        result = run_and_record(made, settings, dense=True, other=alternative(made, settings, {}))
        self.result = result
        names = RunNames(result, Numbers.of(model), made.whole, ArraysOf(result))
        asked = OutputTimes(settings.start, settings.end, settings.interval)
        own = None
        if len(result.time) > asked.intervals + 1:  # with rows between
            within = asked.between(0, asked.intervals)
            own = np.searchsorted(result.time, within[within <= result.time[-1]] - 1e-6 * settings.interval)
        warned = [str(x) for x in result.attributes.get("warnings", []) if str(x).startswith(SPANNED) and self._asks(keep)]
        return with_warnings(self._outcome(names, keep, True, own), warned)

    def _outcome(self, names: Any, keep: Sequence[str], anew: bool, own: NDArray[np.intp] | None = None) -> Outcome:
        values, reasons = numbers_of(self.outputs, names)
        kept = {name: np.array(names.find(name).values()) for name in keep}
        kept = kept if own is None else {name: values[own] for name, values in kept.items()}
        said = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        return Outcome(np.array(list(values.values())), said, False, anew, kept)

    def with_rows(self, interval: float) -> "Runner":
        """Another one, whose rows are so far apart, in s."""
        simulation = {**self._arguments["simulation"], "output_step": interval}
        return Runner(self._document, **{**self._arguments, "outputs": self.outputs, "simulation": simulation})

    def copy(self) -> "Runner":
        """Another runner like this one, for another thread."""
        return type(self)(self._document, **self._arguments)

    def cancel(self) -> None:
        """End the run that goes on in another thread. This runner runs no more."""
        self._cancelled = True
        march = getattr(self, "_march", None)
        if march is not None:
            march.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.result = None
