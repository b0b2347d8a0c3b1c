"""Which values a study runs: grids, and samples of SciPy's quasi-random sequences and distributions.

The runs are every point of the grid with every sample, the grid's last axis before the samples changing slowest; the same samples belong to
each point of the grid, so that differences between points are not those of samples. The file and its seed decide every value.
"""

import inspect
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mbsim.model.file.errors import did_you_mean

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
GRID = "grid"
KINDS = (GRID, "random", "latin_hypercube", "sobol", "halton")
# What engineers call them -> SciPy's name, and SciPy's names of the parameters.
ALIASES: dict[str, tuple[str, dict[str, str]]] = {
    "normal": ("norm", {"mean": "loc", "std": "scale"}),
    "lognormal": ("lognorm", {"sigma": "s", "median": "scale"}),
    "triangular": ("triang", {}),
    "exponential": ("expon", {"mean": "scale"}),
}
EDGE = 1e-16  # probabilities stay this far from 0 and 1, where a distribution may be infinite
MOST = 100_000_000  # runs


class SamplingError(ValueError):
    """Values that cannot be sampled; `key` is the part of the block that is wrong."""

    def __init__(self, message: str, *key: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True)
class Axis:
    """Values of a grid."""

    values: tuple[float, ...]


@dataclass(frozen=True)
class Distribution:
    """A distribution of scipy.stats, perhaps cut off at both ends."""

    name: str
    parameters: tuple[tuple[str, float], ...]
    low: float = -math.inf
    high: float = math.inf

    @cached_property
    def frozen(self) -> Any:
        """SciPy's. Raises SamplingError."""
        from scipy import stats

        scipy_name, renamed = ALIASES.get(self.name, (self.name, {}))
        maker = getattr(stats, scipy_name, None)
        if self.name.startswith("_") or not isinstance(maker, (stats.rv_continuous, stats.rv_discrete)):
            known = [name for name in vars(stats) if isinstance(getattr(stats, name), (stats.rv_continuous, stats.rv_discrete))]
            hint = did_you_mean(self.name, [*ALIASES, *known])
            raise SamplingError(
                f"unknown distribution '{self.name[:60]}'{hint or '; a distribution of scipy.stats by its name'}", self.name
            )
        shapes = [word.strip() for word in (maker.shapes or "").split(",") if word.strip()]
        known = [*shapes, "loc", *(["scale"] if isinstance(maker, stats.rv_continuous) else [])]
        given: dict[str, float] = {}
        for name, value in self.parameters:
            if name not in known and name not in renamed:
                raise SamplingError(f"unknown parameter '{name[:60]}'{did_you_mean(name, [*renamed, *known])}", self.name, name)
            given[renamed.get(name, name)] = value
        if missing := [name for name in shapes if name not in given]:
            raise SamplingError(f"missing parameter '{missing[0]}' of {self.name}", self.name)
        frozen = maker(**given)
        if not np.isfinite(frozen.ppf(0.5)):
            shown = ", ".join(f"{name} {value:g}" for name, value in self.parameters)
            raise SamplingError(f"there is no {self.name} distribution with {shown or 'no parameters'}", self.name)
        return frozen

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return float(self.frozen.cdf(self.low)), float(self.frozen.cdf(self.high))

    def check(self) -> None:
        """Raise SamplingError where there is no such distribution, or nothing of it is within its limits."""
        low, high = self._ends if (self.frozen, self.low < self.high)[1] else (1.0, 0.0)
        if not high > low:
            raise SamplingError(f"the distribution has nothing within [{self.low:g}, {self.high:g}]", "within")

    def at(self, u: Floats) -> Floats:
        """The values (k,) at probabilities u (k,) in (0, 1)."""
        low, high = self._ends
        found = self.frozen.ppf(np.clip(low + u * (high - low), EDGE, 1.0 - EDGE))
        return np.asarray(np.clip(np.asarray(found, float), self.low, self.high), float)


@dataclass(frozen=True)
class Sampling:
    """How many samples, and of which sequence."""

    kind: str = GRID
    count: int = 0
    seed: int = 0


@dataclass(frozen=True)
class Plan:
    """The values of every run. `axes` and `distributions` are by the place of what varies."""

    n: int  # what varies
    axes: Mapping[int, Axis]
    distributions: Mapping[int, Distribution]
    sampling: Sampling

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the grid."""
        return tuple(len(axis.values) for axis in self.axes.values())

    @property
    def samples(self) -> int:
        """At each point of the grid."""
        return self.sampling.count if self.distributions else 1

    @property
    def runs(self) -> int:
        """All of them."""
        return math.prod(self.shape) * self.samples

    @cached_property
    def _sampled(self) -> Floats:
        """(samples, distributions) values."""
        u = probabilities(self.sampling, len(self.distributions)) if self.distributions else np.zeros((1, 0))
        return np.column_stack([d.at(u[:, k]) for k, d in enumerate(self.distributions.values())]) if self.distributions else u

    def values(self, first: int, last: int) -> Floats:
        """The values (last - first, n) of some runs."""
        runs = np.arange(first, last)
        out = np.zeros((len(runs), self.n))
        point, sample = np.divmod(runs, self.samples)
        for (k, axis), index in zip(self.axes.items(), np.unravel_index(point, self.shape) if self.axes else (), strict=True):
            out[:, k] = np.array(axis.values)[index]
        for column, k in enumerate(self.distributions):
            out[:, k] = self._sampled[sample, column]
        return out


def probabilities(sampling: Sampling, n: int) -> Floats:
    """Points (count, n) of the unit cube. Raises SamplingError."""
    count, seed = sampling.count, sampling.seed
    if sampling.kind == "random":
        return np.random.default_rng(seed).random((count, n))
    from scipy.stats import qmc

    makers = {"latin_hypercube": qmc.LatinHypercube, "sobol": qmc.Sobol, "halton": qmc.Halton}
    maker = makers[sampling.kind]
    word = "rng" if "rng" in inspect.signature(maker).parameters else "seed"  # before SciPy 1.15
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Sobol points that are no power of two, of which docs/studies.md tells
        try:
            return np.asarray(maker(d=n, **{word: seed}).random(count), float)
        except ValueError as error:
            raise SamplingError(str(error), "count") from None


def axis(block: Mapping[str, Any]) -> Axis:
    """The axis of `{from, to, count, log}`. Raises SamplingError."""
    low, high, count, log = block["from"], block["to"], block["count"], block.get("log", False)
    if log and not (low > 0.0 and high > 0.0):
        raise SamplingError(f"a logarithmic axis is of numbers greater than 0 (got {low:g} to {high:g})", "log")
    made = np.geomspace(low, high, count) if log else np.linspace(low, high, count)
    return Axis(tuple(float(x) for x in made))
