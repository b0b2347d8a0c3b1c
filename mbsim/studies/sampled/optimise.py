"""The values between their limits at which an output is smallest or largest, by the methods of scipy.optimize.

The methods see numbers from 0 to 1 between the limits of what varies. Those that draw populations have them run side by side. Gradients are
central differences, whose runs go side by side too, or those of direct differentiation. Every method but `differential_evolution` begins at
`start`, or in the middle; `auto` there and elsewhere.
"""

from typing import Any

import numpy as np

from mbsim.model.file.errors import shown
from mbsim.results.functionals import Floats
from mbsim.studies.runner.direct import Direct, DirectError
from mbsim.studies.sampled.blocks import Optimize
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.study import Study

GRADIENT = ("slsqp", "trust-constr", "l-bfgs-b")
AUTO, GLOBAL = "auto", "differential_evolution"
CONSTRAINED = (AUTO, "differential_evolution", "slsqp", "trust-constr", "cobyla", "shgo")
SIMPLEX = 0.1  # of the range: edges of the first simplex of Nelder and Mead
WORST = 1e30  # of a run that failed or has no number: worse than any other
STARTS = 8  # of `auto`
EACH = {"maxiter": 60, "ftol": 1e-10}  # of each start
SAME = 1e-5  # of the best value, or of its change over the starts: ends that are one optimum
POLISH = 20  # iterations of SLSQP after the populations
AT_LIMIT = 1e-6  # of the range
STATIONARY, UNCERTAIN = 1e-3, 1e-2  # of the steepest gradient, or of the objective: what the gradient of an optimum, and its error, may be
MET = 1e-6  # of the limit, or 1e-9: how far a limit may be exceeded by round-off of an optimiser


class OptimiseError(ValueError):
    """An optimisation that cannot be done as it is asked for."""


def check(study: Study) -> None:
    """Raise OptimiseError for a method that does not take limits of outputs."""
    block = study.optimize
    assert block is not None
    if block.subject_to and block.method not in CONSTRAINED:
        raise OptimiseError(f"optimize.method: {block.method} takes no `subject_to`; take {', '.join(CONSTRAINED)}")
    if block.gradient == "direct" and block.method not in (*GRADIENT, "differential_evolution"):
        raise OptimiseError(f"optimize.gradient: {block.method} takes no gradient; differential_evolution, {', '.join(GRADIENT)} do")


class EnoughError(Exception):
    """As many runs as are allowed are made."""


class Problem:
    """The objective and the limits as SciPy sees them, over x in [0, 1]^n."""

    def __init__(self, study: Study, evaluations: Evaluations) -> None:
        block = study.optimize
        assert block is not None
        self.block: Optimize = block
        self._study, self._evaluations = study, evaluations
        names = list(study.units)
        self.goal = str(block.minimize if block.minimize is not None else block.maximize)
        self._sign = 1.0 if block.minimize is not None else -1.0
        self._place = names.index(self.goal)
        self._limits = [(names.index(name), limit.min, limit.max) for name, limit in block.subject_to.items()]
        varied = list(study.varied.values())
        self.low = np.array([one.low for one in varied], float)
        self.high = np.array([one.high for one in varied], float)
        starts = [0.5 * (lo + hi) if one.start is None else one.start for one, lo, hi in zip(varied, self.low, self.high, strict=True)]
        self._steepest = 0.0  # gradient of the objective so far
        self.by_differences = 0  # gradients that were asked of direct differentiation, at points where it fails
        self.method = block.method  # that is taken
        self._direct: Direct | None = None
        try:
            if block.gradient == "direct" or (block.method == AUTO and not block.options):
                self._direct = Direct(study.runner)
        except DirectError as error:
            if block.gradient == "direct":
                raise OptimiseError(f"optimize.gradient: {error}") from None
        self.best: tuple[float, float, Floats] | None = None  # of the runs so far: what exceeds limits, the objective, x (n,)
        self._watched = block.max_runs
        evaluations.progress.most = block.max_runs
        self.start = np.clip((np.array(starts) - self.low) / (self.high - self.low), 0.0, 1.0)

    @property
    def n(self) -> int:
        """What varies."""
        return len(self.low)

    def values(self, x: Floats) -> Floats:
        """The values (k, n) at x (k, n)."""
        return np.asarray(self.low + np.clip(np.atleast_2d(x), 0.0, 1.0) * (self.high - self.low))

    @property
    def has_derivatives(self) -> bool:
        """Whether gradients are those of direct differentiation."""
        return self._direct is not None

    def outputs(self, x: Floats) -> Floats:
        """(k, outputs). Raises EnoughError where all runs that are allowed are made."""
        if self._watched is not None and self._evaluations.progress.done >= self._watched:
            raise EnoughError
        found = self._evaluations.outputs(self.values(x))
        self._note(np.atleast_2d(x), found)
        return found

    def ended(self) -> None:
        """Count no further runs: what is asked for now was run before, or is the last one."""
        self._watched = None

    def _note(self, x: Floats, outputs: Floats) -> None:
        """Keep the best of some points (k, n) with these outputs, and tell it."""
        value = self._sign * outputs[:, self._place]
        out = np.max([np.maximum(-margin, 0.0) for margin in self._margins(outputs)] or [np.zeros(len(x))], axis=0)
        for k in np.flatnonzero(np.isfinite(value) & np.isfinite(out)):
            if self.best is None or (out[k], value[k]) < self.best[:2]:
                self.best = float(out[k]), float(value[k]), np.array(x[k])
                beyond = ", limits not kept" if out[k] > 0.0 else ""
                self._evaluations.progress.best = f"best {self.goal} {self._sign * value[k]:.6g}{beyond}"

    def objective(self, x: Floats) -> Floats:
        """(k,) to be minimised."""
        found = self._sign * self.outputs(x)[:, self._place]
        return np.where(np.isfinite(found), found, WORST)

    def margins(self, x: Floats) -> Floats:
        """(k, limits): not negative where a limit is kept."""
        found = self.outputs(x)
        out = np.array(self._margins(found)).T.reshape(len(found), -1)
        return np.where(np.isfinite(out), out, -WORST)

    def _margins(self, outputs: Floats) -> list[Floats]:
        """Of each limit (k,)."""
        columns = []
        for place, low, high in self._limits:
            columns += [outputs[:, place] - low] if low is not None else []
            columns += [high - outputs[:, place]] if high is not None else []
        return columns

    def violated(self, x: Floats) -> Floats:
        """(k,) how far the limits are exceeded at most, less what an optimiser leaves."""
        sizes = [abs(limit) for _, low, high in self._limits for limit in (low, high) if limit is not None]
        slack = MET * np.array(sizes) + 1e-9
        margins = self.margins(x)
        return np.maximum(-(margins + slack), 0.0).max(axis=1, initial=0.0) if sizes else np.zeros(len(margins))

    def gradient(self, x: Floats) -> Floats:
        """(1 + limits, n) derivatives of the objective and the margins at x (n,): direct, or central differences inside the limits."""
        if self._direct is not None:
            try:
                return self._directly(self._direct, x)
            except DirectError:
                self.by_differences += 1
        h = self.block.step
        forward, backward = np.clip(x + h * np.eye(self.n), 0.0, 1.0), np.clip(x - h * np.eye(self.n), 0.0, 1.0)
        points = np.concatenate([forward, backward])
        found = np.column_stack([self.objective(points), self.margins(points)])
        width = np.diag(forward - backward)[:, None]
        return np.ascontiguousarray(((found[: self.n] - found[self.n :]) / width).T)  # SLSQP of SciPy 1.17 reads rows without strides

    def _directly(self, direct: Direct, x: Floats) -> Floats:
        """The same by direct differentiation. Raises DirectError."""
        return self._rows(direct, x)[0]

    def _rows(self, direct: Direct, x: Floats) -> tuple[Floats, Floats]:
        """The derivatives (1 + limits, n) of the objective and the margins, and their errors. Raises DirectError."""
        span = self.high - self.low
        found = direct(self.values(x)[0], span)
        jacobian, errors = found.jacobian * span, found.errors * span
        if not np.isfinite(jacobian).all():
            raise DirectError("an output has no number")
        places = [(self._place, self._sign)]
        for place, low, high in self._limits:
            places += [(place, 1.0)] if low is not None else []
            places += [(place, -1.0)] if high is not None else []
        self._steepest = max(self._steepest, float(np.linalg.norm(jacobian[self._place])))
        rows = np.ascontiguousarray([sign * jacobian[place] for place, sign in places])
        return rows, np.array([errors[place] for place, _ in places])

    def doubt(self, x: Floats) -> str:
        """Why direct differentiation does not show x (n,), at which a method has converged, to be an optimum; '' where it does.

        There the gradient is a sum of those of the limits that are met, none of them with a negative factor (Karush, Kuhn and Tucker).
        """
        if self._direct is None:
            return ""
        from scipy.optimize import nnls

        x = np.clip(x, 0.0, 1.0)
        try:
            rows, errors = self._rows(self._direct, x)
        except DirectError as error:
            return f"no derivative at the end: {error}"
        sizes = [abs(limit) for _, low, high in self._limits for limit in (low, high) if limit is not None]
        met = [k for k, margin in enumerate(self.margins(x[None])[0]) if margin <= 10.0 * (MET * sizes[k] + 1e-9)]
        unit = np.eye(self.n)
        normals = [*rows[1:][met], *unit[x < AT_LIMIT], *-unit[x > 1.0 - AT_LIMIT]]
        known = [*errors[1:][met], *np.zeros((len(normals) - len(met), self.n))]
        factors, left = nnls(np.array(normals).T, rows[0]) if normals else (np.zeros(0), float(np.linalg.norm(rows[0])))
        uncertain = float(np.linalg.norm(errors[0] + np.array(known).reshape(-1, self.n).T @ factors))
        size = max(self._steepest, abs(float(self.objective(x[None])[0])))
        if uncertain > UNCERTAIN * size:
            return f"the gradient at the end is known to {uncertain:.2g} over the ranges only"
        if left > STATIONARY * size + 10.0 * uncertain:
            return f"the gradient at the end is {left:.3g} over the ranges, and not zero"
        return ""


def optimise(study: Study, evaluations: Evaluations) -> dict[str, Any]:
    """The findings of an optimisation, as plain data. Raises OptimiseError for options that the method does not take."""
    check(study)
    problem = Problem(study, evaluations)
    block = problem.block
    problem.outputs(problem.start[None])  # the first run: what the file has, as far as it is inside
    way = {AUTO: _auto, GLOBAL: _differential_evolution}.get(block.method, _other)
    try:
        best, said, ended = way(problem)
    except TypeError as error:
        raise OptimiseError(f"optimize.options: {shown(block.options)}: {error}") from None
    except EnoughError:
        best = problem.start if problem.best is None else problem.best[2]
        said, ended = f"stopped after {evaluations.progress.done} runs (max_runs), with the best so far", False
    problem.ended()
    if problem.by_differences:
        said += f"; {problem.by_differences} gradients by differences, where direct differentiation failed"
    doubt = problem.doubt(best) if ended and problem.method in GRADIENT else ""
    if doubt:
        said, ended = f"{doubt}; {said}", False
    outputs = problem.outputs(best[None])[0]
    return {
        "kind": "optimize", "method": problem.method, "goal": problem.goal,
        "sense": "minimize" if block.minimize is not None else "maximize",
        "values": dict(zip(study.names, problem.values(best)[0].tolist(), strict=True)),
        "outputs": {name: _number(x) for name, x in zip(study.units, outputs, strict=True)},
        "violated": float(problem.violated(best[None])[0]),
        "limits": {name: {"min": limit.min, "max": limit.max} for name, limit in block.subject_to.items()},
        "at_limit": [name for name, x in zip(study.names, best, strict=True) if x < AT_LIMIT or x > 1.0 - AT_LIMIT],
        "evaluations": evaluations.progress.done, "converged": ended, "message": said,
    }  # fmt: skip


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _auto(problem: Problem) -> tuple[Floats, str, bool]:
    """SLSQP with direct gradients, from the start and from points all over the ranges; populations where there are no such gradients.

    Some tens of runs find a smooth optimum where populations need thousands. That all starts lead to it speaks for its being the best one.
    """
    if not problem.has_derivatives:
        problem.method = GLOBAL
        return _differential_evolution(problem)
    from scipy.stats import qmc

    problem.method = "slsqp"
    others = qmc.Sobol(problem.n, rng=problem.block.seed).random(STARTS)[: STARTS - 1]
    ends = [_slsqp(problem, start, EACH) for start in [problem.start, *others]]
    points = np.clip(np.array([end.x for end in ends]), 0.0, 1.0)
    best = _better(problem, *points)
    if problem.violated(best[None])[0] > 0.0 or not np.isfinite(problem.outputs(best[None])).all():
        problem.method = GLOBAL
        return _differential_evolution(problem)
    values, kept = problem.objective(points), problem.violated(points) == 0.0
    lowest = float(problem.objective(best[None])[0])
    spread = float(np.ptp(values[kept & (values < WORST)]))
    same = kept & (values - lowest <= SAME * max(abs(lowest), spread))
    ended = any(bool(end.success) for end, one in zip(ends, same, strict=True) if one)
    said = f"{int(same.sum())} of {STARTS} starts lead to this value"
    return best, said if same.sum() > 1 else f"{said}; differential_evolution looks everywhere", ended


def _differential_evolution(problem: Problem) -> tuple[Floats, str, bool]:
    """Storn & Price 1997: populations, all of whose runs go side by side; then SLSQP from the best."""
    from scipy.optimize import NonlinearConstraint, differential_evolution

    limits = problem.margins(problem.start[None]).shape[1]
    constraints = NonlinearConstraint(
        lambda x: problem.margins(np.atleast_2d(x.T)).T if x.ndim == 2 else problem.margins(x)[0], 0.0, np.inf
    )
    options = {"polish": False, "updating": "deferred", "tol": 1e-6, "init": "sobol", **problem.block.options}
    found = differential_evolution(
        lambda x: problem.objective(np.atleast_2d(x.T)),
        [(0.0, 1.0)] * problem.n, vectorized=True, rng=problem.block.seed, constraints=(constraints,) if limits else (), **options,
    )  # fmt: skip
    polished = _slsqp(problem, found.x, {"maxiter": POLISH})
    converged = bool(found.success or (polished.success and not problem.doubt(polished.x)))
    return _better(problem, found.x, polished.x), str(found.message if found.success else polished.message), converged


def _better(problem: Problem, *points: Floats) -> Floats:
    """The point with the smallest objective of those that keep the limits, or the one that exceeds them least."""
    x = np.clip(np.array(points), 0.0, 1.0)
    violated, value = problem.violated(x), problem.objective(x)
    return np.asarray(x[min(range(len(x)), key=lambda k: (violated[k], value[k]))])


def _slsqp(problem: Problem, start: Floats, options: dict[str, Any]) -> Any:
    from scipy.optimize import minimize

    limits = problem.margins(start[None]).shape[1]
    constraints = [{"type": "ineq", "fun": lambda x: problem.margins(x)[0], "jac": lambda x: problem.gradient(x)[1:]}] if limits else []
    return minimize(
        lambda x: float(problem.objective(x)[0]), start, jac=lambda x: problem.gradient(x)[0], bounds=[(0.0, 1.0)] * problem.n,
        constraints=constraints, method="SLSQP", options={"ftol": 1e-12, "maxiter": 200, **options},
    )  # fmt: skip


def _other(problem: Problem) -> tuple[Floats, str, bool]:
    from scipy import optimize

    block, bounds = problem.block, [(0.0, 1.0)] * problem.n
    if block.method == "slsqp":
        found = _slsqp(problem, problem.start, block.options)
    elif block.method == "dual_annealing":
        found = optimize.dual_annealing(lambda x: float(problem.objective(x)[0]), bounds, rng=block.seed, x0=problem.start, **block.options)
    elif block.method == "shgo":
        limits = [{"type": "ineq", "fun": lambda x: problem.margins(x)[0]}] if block.subject_to else None
        found = optimize.shgo(lambda x: float(problem.objective(x)[0]), bounds, constraints=limits, **block.options)
    else:
        extra: dict[str, Any] = {"jac": lambda x: problem.gradient(x)[0]} if block.method in GRADIENT else {}
        options = dict(block.options)
        if block.method == "nelder-mead":  # SciPy's own first simplex is a twentieth of the start wide, which may be next to nothing
            towards = np.where(problem.start < 0.5, SIMPLEX, -SIMPLEX)
            options.setdefault("initial_simplex", np.vstack([problem.start, problem.start + np.diag(towards)]))
        if block.subject_to:
            jac = {"jac": lambda x: problem.gradient(x)[1:]} if block.method in GRADIENT else {}
            extra["constraints"] = optimize.NonlinearConstraint(lambda x: problem.margins(x)[0], 0.0, np.inf, **jac)
        found = optimize.minimize(
            lambda x: float(problem.objective(x)[0]), problem.start, bounds=bounds, method=block.method, options=options, **extra
        )
    return _better(problem, np.asarray(found.x, float)), " ".join(str(found.message).split()), bool(found.success)
