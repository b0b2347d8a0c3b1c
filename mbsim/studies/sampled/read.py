"""Study file -> Study, or all its errors at once, each at its place in the file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import ValidationError

from mbsim.model.file import shipped
from mbsim.model.file.errors import ExpressionError, ModelError, Problem, did_you_mean, few_suggestions, shown
from mbsim.model.file.positions import Document, read, read_file
from mbsim.model.names import name_fault
from mbsim.model.rephrase import Fault, faults
from mbsim.model.report import Report
from mbsim.model.targets import PathError, target
from mbsim.results.functionals import NUMBER, VECTOR, FunctionalError, check, parse
from mbsim.studies.runner.runner import Runner
from mbsim.studies.sampled.blocks import StudyBlock
from mbsim.studies.sampled.sampling import GRID, MOST, Plan, Sampling, SamplingError
from mbsim.studies.sampled.study import Study
from mbsim.studies.sampled.task import Task, labels_of, list_outputs, spread

RESERVED = (
    "run", "failed", "reason", "time", "label", "history", "history_units", "axes", "findings", "identity", "model_yaml", "study_yaml",
)  # fmt: skip


def read_study(path: str | Path, overrides: Mapping[str, object] | None = None) -> Study:
    """Read and check a study file; keys of `simulation` may be replaced. Raises ModelError with every problem."""
    return study_of(read(read_file(path), str(path)), overrides)


def study_of(document: Document, overrides: Mapping[str, object] | None = None, model: Document | None = None) -> Study:
    """The study of a document that was read; of `model`, where it is given, and not of the file that the study names.

    Raises ModelError with every problem.
    """
    with few_suggestions():
        return _Reader(document, dict(overrides or {}), model).study()


class _Reader:
    def __init__(self, document: Document, overrides: dict[str, Any], model: Document | None) -> None:
        self._document, self._overrides, self._given = document, overrides, model
        self._report = Report(document, (), ())

    def study(self) -> Study:
        data = self._document.data
        if not isinstance(data, dict):
            self._fault((), f"expected a mapping with the keys of a study (got {shown(data)})")
            raise ModelError(self._report.problems)
        block = self._block(data)
        known = self._model(data)
        if known is not None:
            self._targets(known, data)
        outputs = self._outputs(data)
        if block is not None:
            self._roles(block)
        self._stop_if_wrong()
        assert block is not None and known is not None
        return self._complete(block, known, outputs)

    def _fault(
        self, path: tuple[str | int, ...], message: str, at: Literal["value", "key", "block"] = "value", offset: int | None = None
    ) -> None:
        self._report.add(Fault(path, message, at, offset))

    def _stop_if_wrong(self) -> None:
        if self._report.problems:
            raise ModelError(self._report.problems)

    def _block(self, data: dict[str, Any]) -> StudyBlock | None:
        try:
            return StudyBlock.model_validate(data)
        except ValidationError as error:
            for fault in faults(error, StudyBlock, data):
                self._report.add(fault)
            return None

    def _model(self, data: dict[str, Any]) -> Document | None:
        """The model file, read but not checked."""
        name = data.get("model")
        if not isinstance(name, str) or self._given is not None:
            return self._given
        beside = Path(self._document.file).parent / name
        try:
            path = beside if shipped.is_file(beside) and name else shipped.find(name)
            return read(read_file(path), str(path))
        except ModelError as error:
            self._report.problems += error.problems
        except shipped.NoModelError as error:
            self._fault(("model",), str(error))
        return None

    def _targets(self, model: Document, data: dict[str, Any]) -> None:
        vary = data.get("vary")
        for name in vary if isinstance(vary, dict) else ():
            try:
                target(model, name)
            except PathError as error:
                self._fault(("vary", name), str(error), "key")
            if name in RESERVED:
                self._fault(("vary", name), f"the name '{name}' is one of the study's own", "key")

    def _outputs(self, data: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        outputs, varied = data.get("outputs"), data.get("vary")
        varied = varied if isinstance(varied, dict) else {}
        for name, text in (outputs if isinstance(outputs, dict) else {}).items():
            fault = name_fault(name, in_expressions=True)
            if not fault and (name in RESERVED or name in varied):
                fault = f"the name '{name}' is already used in {'vary' if name in varied else 'the study'}"
            if fault:
                self._fault(("outputs", name), fault, "key")
            if not isinstance(text, (str, int, float)) or isinstance(text, bool):
                continue
            try:
                found[name] = parse(text, Path(self._document.file).parent)
            except ExpressionError as error:
                self._fault(("outputs", name), error.message, offset=error.offset)
        return found

    def _roles(self, block: StudyBlock) -> None:
        """What belongs together: samples, an optimisation, a fit, sensitivities."""
        goals = [name for name in ("optimize", "fit", "sensitivity") if getattr(block, name) is not None]
        if len(goals) > 1:
            self._fault((goals[1],), f"a study has one of optimize, fit and sensitivity (got {', '.join(goals)})", "key")
        if not block.vary:
            self._fault((), "missing key 'vary'" if "vary" not in self._document.data else "'vary' is empty: nothing varies", "block")
        if not block.outputs and block.fit is None and block.keep is None:
            self._fault((), "missing key 'outputs' (or 'keep')", "block")
        if block.keep is not None and block.analysis != "dynamic":
            self._fault(("keep",), f"histories are of marches; the analysis is {block.analysis}", "key")
        drawn = [name for name, one in block.vary.items() if one.distribution is not None]
        if goals:
            return
        for name, one in block.vary.items():
            if one.axis is None and one.distribution is None:
                self._fault(("vary", name), "missing key 'count': a range without it is for optimize, fit and sensitivity")
        kind = block.sampling.type if block.sampling else GRID
        if drawn and kind == GRID:
            self._fault(("vary", drawn[0]), "a distribution needs `sampling: {type: latin_hypercube, count: 1000}` or another type", "key")
        if block.sampling and kind != GRID and not drawn:
            self._fault(("sampling", "type"), f"{kind} samples distributions, and none varies")

    def _complete(self, block: StudyBlock, model: Document, outputs: dict[str, Any]) -> Study:
        simulation = {**block.simulation, **self._overrides}
        keep = tuple(block.keep.variables) if block.keep else ()
        if block.fit is not None:
            keep = tuple(dict.fromkeys([*keep, *block.fit.columns]))
        task = Task(
            model.text, model.file, tuple((name, one.add) for name, one in block.vary.items()), list_outputs(outputs),
            tuple(block.parameters.items()), tuple(simulation.items()), block.analysis, keep,
            block.keep.every if block.keep else 1, block.alone,
        )  # fmt: skip
        try:
            runner = Runner(
                model, [name for name, _ in task.vary], {}, parameters=dict(task.parameters), simulation=simulation,
                analysis=task.analysis, add=[name for name, add in task.vary if add],
            )  # fmt: skip
        except ModelError as error:
            raise ModelError([*self._report.problems, *map(self._own, error.problems)]) from None
        except ValueError as error:
            self._fault(("simulation",) if block.simulation else (), str(error))
            raise ModelError(self._report.problems) from None
        units = self._units(runner, outputs)
        labels = self._labels(task, runner, block)
        self._goals(block, runner)
        self._stop_if_wrong()
        runner.outputs = outputs
        plan = self._plan(block)
        self._stop_if_wrong()
        if not any((block.optimize, block.fit, block.sensitivity)):
            task = task.of_many(plan.runs, np.concatenate([plan.values(k, k + 1) for k in spread(plan.runs)]))
        title = block.study or Path(self._document.file).stem
        return Study(
            title, task, plan, block.vary, runner, units, labels, block.optimize, block.fit, block.sensitivity, self._document.text,
            self._document.file, self._document,
        )  # fmt: skip

    def _own(self, problem: Problem) -> Problem:
        """A problem of the model that an override of the study caused, at the override."""
        path: tuple[str | int, ...] = tuple(problem.path.split("."))
        if problem.line == 0 and path[0] in ("parameters", "simulation", ""):
            known = self._document.has(path[:2])
            return self._document.problem(list(path[:2]) if known else ["parameters"], problem.message)
        return problem

    def _units(self, runner: Runner, outputs: dict[str, Any]) -> dict[str, str]:
        names, found = runner.names(), {}
        for name, expression in outputs.items():
            try:
                found[name] = check(expression, names)
            except ExpressionError as error:
                self._fault(("outputs", name), error.message, offset=error.offset)
        return found

    def _labels(self, task: Task, runner: Runner, block: StudyBlock) -> dict[str, str]:
        found: dict[str, str] = {}
        names = runner.names()
        for name in task.keep:
            try:
                kind = names.find(name).kind
                if kind == NUMBER:
                    raise FunctionalError(f"'{name}' is one number of a run and no history")
                if kind == VECTOR and block.fit is not None and name in block.fit.columns:
                    raise FunctionalError(f"'{name}' is a vector; name a component, {name}:x")
            except FunctionalError as error:
                in_keep = block.keep is not None and name in block.keep.variables
                path: tuple[str | int, ...] = ("fit", "columns", name)
                if in_keep and block.keep is not None:
                    path = ("keep", "variables", block.keep.variables.index(name))
                self._fault(path, str(error), "value" if in_keep else "key")
                return {}
        found = labels_of(task, runner)
        return found

    def _goals(self, block: StudyBlock, runner: Runner) -> None:
        """Names of outputs in `optimize`, and what an optimiser needs of what varies."""
        if block.optimize is not None:
            goal = "minimize" if block.optimize.minimize is not None else "maximize"
            wanted = str(getattr(block.optimize, goal))
            if wanted not in block.outputs:
                self._fault(("optimize", goal), f"unknown output '{wanted[:60]}'{did_you_mean(wanted, block.outputs)}")
            for name in block.optimize.subject_to:
                if name not in block.outputs:
                    self._fault(("optimize", "subject_to", name), f"unknown output '{name[:60]}'{did_you_mean(name, block.outputs)}", "key")
        if block.optimize is not None or block.sensitivity is not None:
            indices = block.sensitivity is not None and block.sensitivity.type != "derivatives"
            for name, one in block.vary.items():
                open_ended = one.low is None or one.high is None
                if open_ended and (block.optimize is not None or one.distribution is None) and (indices or block.optimize is not None):
                    self._fault(("vary", name), "expected {from: ..., to: ...}, between which values are chosen")

    def _plan(self, block: StudyBlock) -> Plan:
        goal = block.optimize or block.fit or block.sensitivity
        axes = {} if goal else {k: one.axis for k, one in enumerate(block.vary.values()) if one.axis is not None}
        drawn = {} if goal else {k: one.distribution for k, one in enumerate(block.vary.values()) if one.distribution is not None}
        given = block.sampling
        sampling = Sampling(given.type, given.count, given.seed) if given else Sampling()
        plan = Plan(len(block.vary), axes, drawn, sampling)
        if plan.runs > MOST:
            self._fault(("vary",), f"the study has {plan.runs:,} runs; at most {MOST:,} are allowed", "key")
        else:
            try:
                plan.values(0, 1)
            except SamplingError as error:
                self._fault(("sampling", *error.key), str(error))
        return plan
