"""The blocks of a study file, as pydantic checks them. What depends on the model is checked afterwards (`read.py`)."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainValidator, WithJsonSchema, model_validator

from mbsim.model.fields import ItemError
from mbsim.model.file.csv_points import Decimal
from mbsim.model.file.errors import shown
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Block
from mbsim.studies.sampled.sampling import KINDS, Axis, Distribution, SamplingError, axis

DYNAMIC = "dynamic"
METHODS = (
    "auto",
    "differential_evolution",
    "dual_annealing",
    "shgo",
    "slsqp",
    "trust-constr",
    "cobyla",
    "nelder-mead",
    "powell",
    "l-bfgs-b",
)


def real(value: Plain) -> float:
    """A finite number. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300:
        raise ValueError(f"expected a number (got {shown(value)})")
    return float(value)


Real = Annotated[float, PlainValidator(real), WithJsonSchema({"type": "number"})]
_AXIS = ("from", "to", "count", "log")


class Varied:
    """A block of `vary`: an axis of a grid, values, a distribution, or only a range and a start, of which an optimiser chooses.

    A fit and derivatives need neither end of the range, and no start.
    """

    def __init__(self, value: Plain) -> None:
        """Raises ValueError, ItemError."""
        self.axis: Axis | None = None
        self.distribution: Distribution | None = None
        self.low: float | None = None
        self.high: float | None = None
        self.start: float | None = None
        self.add = False
        if isinstance(value, list):
            self.axis = Axis(_values(value, ()))
        elif isinstance(value, dict):
            self._block(value)
        else:
            raise ValueError(
                f"expected values such as [1, 2], {{from: 0, to: 1, count: 11}} or {{normal: {{mean: 2, std: 0.1}}}} (got {shown(value)})"
            )

    def _block(self, value: Mapped) -> None:
        block = dict(value)
        add, within, start = (block.pop(key, None) for key in ("add", "within", "start"))
        if add is not None and not isinstance(add, bool):
            raise ItemError(("add",), ValueError(f"expected true or false (got {shown(add)})"))
        self.add = bool(add)
        if start is not None:
            self.start = _real(start, "start")
        if "values" in block:
            self.axis = Axis(_values(block.pop("values"), ("values",)))
            self._nothing_else(block, within)
        elif "from" in block or "to" in block or not (block or within is not None):
            self._range(block, within)
        else:
            self._distribution(block, within)

    def _nothing_else(self, block: Mapped, within: Plain) -> None:
        if within is not None:
            raise ItemError(("within",), ValueError("'within' cuts a distribution off; values and axes have none"))
        if block:
            key = next(iter(block))
            raise ItemError(
                (key,), ValueError(f"unknown key '{key[:60]}'; allowed: from, to, count, log, values, add, start, within or a distribution")
            )

    def _range(self, block: Mapped, within: Plain) -> None:
        self.low, self.high = (_real(block[key], key) if key in block else None for key in ("from", "to"))
        low, high = self.low, self.high
        if "count" in block or "log" in block:
            for key in ("from", "to", "count"):
                if key not in block:
                    raise ValueError(f"missing key '{key}'")
            assert low is not None and high is not None
            count, log = block["count"], block.get("log", False)
            if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 10_000_000:
                raise ItemError(("count",), ValueError(f"expected a whole number from 1 on (got {shown(count)})"))
            if not isinstance(log, bool):
                raise ItemError(("log",), ValueError(f"expected true or false (got {shown(log)})"))
            try:
                self.axis = axis({"from": low, "to": high, "count": count, "log": log})
            except SamplingError as error:
                raise ItemError(error.key, ValueError(str(error))) from None
        if low is not None and high is not None and not low < high:
            raise ItemError(("to",), ValueError(f"must be greater than 'from' (got {low:g} to {high:g})"))
        if self.start is not None and ((low is not None and self.start < low) or (high is not None and self.start > high)):
            bounds = " and ".join(f"{word} {x:g}" for word, x in (("from", low), ("to", high)) if x is not None)
            raise ItemError(("start",), ValueError(f"must be within the range {bounds} (got {self.start:g})"))
        self._nothing_else({key: x for key, x in block.items() if key not in _AXIS}, within)

    def _distribution(self, block: Mapped, within: Plain) -> None:
        if len(block) != 1:
            names = ", ".join(block) or "nothing"
            raise ValueError(f"expected one distribution, {{from, to, count}} or {{values}} (got {names})")
        name, parameters = next(iter(block.items()))
        if not isinstance(parameters, dict):
            raise ItemError(
                (name,), ValueError(f"expected the parameters of a distribution, such as {{mean: 2, std: 0.1}} (got {shown(parameters)})")
            )
        read = tuple((str(key), _real(x, name, str(key))) for key, x in parameters.items())
        low, high = -float("inf"), float("inf")
        if within is not None:
            if not isinstance(within, list) or len(within) != 2:
                raise ItemError(("within",), ValueError(f"expected [lowest, highest] (got {shown(within)})"))
            low, high = (_real(x, "within", k) for k, x in enumerate(within))
        self.distribution = Distribution(name, read, low, high)
        try:
            self.distribution.check()
        except SamplingError as error:
            raise ItemError(error.key, ValueError(str(error))) from None


def _real(value: Plain, *path: str | int) -> float:
    try:
        return real(value)
    except ValueError as error:
        raise ItemError(path, error) from None


def _values(value: Plain, path: tuple[str, ...]) -> tuple[float, ...]:
    if not isinstance(value, list) or not value:
        error = ValueError(f"expected a list of numbers (got {shown(value)})")
        raise ItemError(path, error) if path else error
    return tuple(_real(x, *path, k) for k, x in enumerate(value))


VariedField = Annotated[Varied, PlainValidator(Varied), WithJsonSchema({"type": ["array", "object"]})]


class SamplingBlock(Block):
    """How distributions are sampled."""

    type: Literal["grid", "random", "latin_hypercube", "sobol", "halton"] = Field(description=f"one of {', '.join(KINDS)}")
    count: Annotated[int, Field(ge=1, le=100_000_000)] = Field(default=1, description="samples at each point of the grid")
    seed: Annotated[int, Field(ge=0)] = Field(default=0, description="decides every sample")


class Keep(Block):
    """Histories that are kept beside the numbers."""

    variables: Annotated[list[str], Field(min_length=1)] = Field(description="rod.angle, joint_force:pin ...")
    every: Annotated[int, Field(ge=1)] = Field(default=1, description="keep every so many rows")


class Limits(Block):
    """What a constraint of an optimisation allows."""

    min: Real | None = Field(default=None, description="smallest allowed value")
    max: Real | None = Field(default=None, description="largest allowed value")

    @model_validator(mode="after")
    def _some(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("give min, max or both")
        return self


class Optimize(Block):
    """What is optimised."""

    minimize: str | None = Field(default=None, description="an output")
    maximize: str | None = Field(default=None, description="an output")
    subject_to: dict[str, Limits] = Field(default_factory=dict, description="limits of outputs")
    method: Literal[METHODS] = Field(  # type: ignore[valid-type]
        default="differential_evolution", description="of scipy.optimize; auto: slsqp from several starts where derivatives are known"
    )
    max_runs: Annotated[int, Field(ge=1)] | None = Field(default=None, description="after so many runs it stops with the best so far")
    options: dict[str, Any] = Field(default_factory=dict, description="of that method: maxiter, popsize, tol ...")
    seed: Annotated[int, Field(ge=0)] = Field(default=0, description="of methods that draw numbers")
    gradient: Literal["differences", "direct"] = Field(default="differences", description="how methods with gradients have them")
    step: Annotated[Real, Field(gt=0)] = Field(default=1e-4, description="of differences, as a share of the range of what varies")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.minimize is None) == (self.maximize is None):
            raise ValueError("give either minimize or maximize")
        return self


class Fit(Block):
    """A measurement that a run is fitted to."""

    table: str = Field(description="a CSV file with one row of names, relative to the study file")
    decimal: Decimal = Field(default="point", description="comma: its numbers have a decimal comma")
    time: str = Field(description="its column of times, s")
    columns: dict[str, str] = Field(description="what a run records -> the column that measured it")
    weights: dict[str, Real] = Field(default_factory=dict, description="what a run records -> weight of its residuals; default 1")
    confidence: Annotated[Real, Field(gt=0, lt=1)] = Field(default=0.95, description="of the intervals")
    loss: Literal["linear", "soft_l1", "huber", "cauchy", "arctan"] = Field(default="linear", description="of scipy.optimize.least_squares")


class Sensitivity(Block):
    """How outputs depend on what varies."""

    type: Literal["derivatives", "sobol", "morris", "fast"] = Field(description="derivatives, or indices of SALib")
    method: Literal["differences", "direct"] = Field(default="differences", description="of derivatives")
    count: Annotated[int, Field(ge=2)] = Field(default=1024, description="base samples of the indices")
    seed: Annotated[int, Field(ge=0)] = Field(default=0, description="of the samples")


class StudyBlock(Block):
    """A study file."""

    study: str = Field(default="", description="title")
    model: str = Field(description="path of the model file, relative to this one, or the name of a shipped model")
    parameters: dict[str, float | str] = Field(
        default_factory=dict, description="parameters of the model that have another value in all runs"
    )
    vary: dict[str, VariedField] = Field(default_factory=dict, description="parameters by name, or numbers of the model file by path")
    sampling: SamplingBlock | None = Field(default=None, description="how distributions are sampled")
    simulation: dict[str, Any] = Field(default_factory=dict, description="keys of the simulation block that replace those of the model")
    analysis: Literal["dynamic", "modes", "equilibrium"] = Field(default="dynamic", description="what a run is")
    outputs: dict[str, float | str] = Field(default_factory=dict, description="numbers of a run: functionals by name")
    keep: Keep | None = Field(default=None, description="histories to keep beside the numbers")
    alone: bool = Field(default=False, description="march each run by itself, in no lane, as `mbsim run` does to the last bit")
    optimize: Optimize | None = Field(default=None, description="an optimisation in place of samples")
    fit: Fit | None = Field(default=None, description="a least-squares fit in place of samples")
    sensitivity: Sensitivity | None = Field(default=None, description="sensitivities in place of samples")


def study_schema() -> Mapped:
    """The JSON schema (draft 2020-12) of study files."""
    found = StudyBlock.model_json_schema()
    found["properties"]["vary"] |= {"additionalProperties": _varied_schema(), "minProperties": 1}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": "mbsim study"}


def _varied_schema() -> Mapped:
    number: Mapped = {"type": "number"}
    values: Mapped = {"type": "array", "items": number, "minItems": 1}
    words: Mapped = {
        "add": {"type": "boolean"},
        "start": number,
        "from": number,
        "to": number,
        "log": {"type": "boolean"},
        "values": values,
    }
    words |= {"count": {"type": "integer", "minimum": 1}, "within": {**values, "minItems": 2, "maxItems": 2}}
    distribution: Mapped = {"type": "object", "additionalProperties": number, "description": "a distribution of scipy.stats by its name"}
    return {"anyOf": [values, {"type": "object", "properties": words, "additionalProperties": distribution}]}
