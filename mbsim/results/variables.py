"""The variables of a run by names and labels, in a file or in memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from mbsim.results.schema import EQUATIONS, LABEL_UNITS, LABELLED, SERIES, TIME_DIMENSION, Series

MAX_CHOICES = 8  # listed in an error message
FORCE = "force"


class ResultError(ValueError):
    """The file is not a result of mbsim or is damaged, or the result does not contain the requested name."""


class Variables:
    """What a run recorded. Names and labels that it does not contain raise ResultError, which suggests similar ones."""

    def __init__(
        self,
        read: Callable[[str], np.ndarray],
        names: Iterable[str],
        labels: dict[str, list[str]],
        label_units: dict[str, list[str]],
        attributes: dict[str, Any],
        model_yaml: str,
        parameters: dict[str, float],
        close: Callable[[], None] = lambda: None,
        measures: "Mapping[str, Series] | None" = None,
        tables: dict[str, Any] | None = None,
        scene: str | Callable[[], str] = "",
        folder: str = ".",
        home: str | None = None,
    ) -> None:
        self._read = read
        self._measures = dict(measures or {})
        self._series = {**SERIES, **EQUATIONS, **self._measures}
        self._names = [name for name in self._series if name in set(names)]
        self._labels = labels
        self._label_units = label_units
        self._close = close
        self.attributes = attributes
        self.model_yaml = model_yaml
        self.parameters = parameters
        self.tables = tables or {}  # blocks of `tables` with the points that the run used
        self.folder = folder if home is None else home  # where the names of meshes begin: that of the file, or of the model
        self.home = home  # of a run of this process: the folder of its model, which may name meshes anywhere
        self._scene = scene

    @property
    def scene(self) -> str:
        """JSON: what the bodies look like (mbsim.scene); empty without bodies."""
        return self._scene if isinstance(self._scene, str) else self._scene()

    def names(self) -> list[str]:
        """The variables of this result, in the order of `SERIES`, then the measures."""
        return list(self._names)

    def measures(self) -> list[str]:
        """The user's own variables."""
        return [name for name in self._measures if name in self._names]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._read(name) if name in self._names else self.select(name)

    @property
    def time(self) -> np.ndarray:
        """(time,) in s."""
        return self["time"]

    def dimensions(self, name: str) -> tuple[str, ...]:
        """The names of the axes of a variable."""
        self._require(name)
        return self._series[name].dimensions

    def long_name(self, name: str) -> str:
        """The description of a variable; for a measure its expression."""
        self._require(name)
        cycle = self.attributes.get("cycle") if name == TIME_DIMENSION else None
        return f"value of {cycle}" if cycle else self._series[name].long_name

    def labels(self, dimension: str) -> list[str]:
        """The labels of a dimension, such as `coordinate`, `body`, `joint`, `driver`, `force_element`; none if the model has none."""
        return list(self._labels.get(dimension, []))

    def units(self, name: str, label: str | None = None) -> str:
        """UDUNITS spelling. For `q`, `v`, `driver_effort`, `force_effort` ... the units of one label; "1" without it if they differ."""
        self._require(name)
        if name == TIME_DIMENSION and self.attributes.get("cycle"):
            return str(self.attributes.get("cycle_unit", "1"))
        labels_units = self._label_units.get(LABEL_UNITS.get(name, ""), [])
        if label is not None and labels_units:
            return labels_units[self._index(self._series[name].dimensions[1], label)]
        return labels_units[0] if len(set(labels_units)) == 1 else self._series[name].units

    def select(self, name: str, *labels: str) -> np.ndarray:
        """`select("q", "theta")`, `select("body_position", "slider", "x")`, or a bare label, `select("theta")`.

        A bare label is searched among coordinates, speeds, states, drivers, forces, constraints, joints and bodies, in that order,
        and stands for `q`, `v`, `states`, `driver_effort`, `force_effort`, `multiplier`, `joint_force` and `body_position`. The first
        axis is the time.
        """
        variable, *chosen = self.resolve(name, *labels)
        every = self._series[variable].dimensions
        dimensions = every[1:]
        if len(chosen) > len(dimensions):
            raise ResultError(f"{variable} has the dimensions {', '.join(every)}; too many labels: {', '.join(chosen)}")
        index = tuple(self._index(dimension, label) for dimension, label in zip(dimensions, chosen, strict=False))
        selected: np.ndarray = self[variable][(slice(None), *index)]  # type: ignore[arg-type]
        return selected

    def resolve(self, name: str, *labels: str) -> tuple[str, ...]:
        """The variable and the labels that a bare label stands for: `("theta",)` -> `("q", "theta")`. `force` means `force_effort`."""
        if name in self:
            return (name, *labels)
        if name == FORCE and labels and "force_effort" in self:
            return ("force_effort", *labels)
        for dimension, variable in LABELLED.items():
            if name in self.labels(dimension) and variable in self:
                return (variable, name, *labels)
        every = [*self._names, *(label for dimension in LABELLED for label in self.labels(dimension))]
        if name in every:
            raise ResultError(f"the result has no rows of {name!r}: the run stopped before the first one")
        raise ResultError(f"the result has no variable or label {name!r}{_did_you_mean(name, every)}")

    def _require(self, name: str) -> None:
        if name not in self._names:
            raise ResultError(f"the result has no variable {name!r}{_did_you_mean(name, self._names)}")

    def _index(self, dimension: str, label: str) -> int:
        labels = self.labels(dimension)
        if label not in labels:
            raise ResultError(f"the result has no {dimension} {label!r}{_did_you_mean(label, labels)}")
        return labels.index(label)

    def close(self) -> None:
        """Close the file. Reading is an error afterwards."""
        self._close()


def _did_you_mean(name: object, choices: list[str]) -> str:
    from mbsim.model.file.errors import nearest

    close = nearest(str(name), choices)
    if close:
        return f"; did you mean {close!r}?"
    more = f" and {len(choices) - MAX_CHOICES} more" if len(choices) > MAX_CHOICES else ""
    return f"; it has {', '.join(choices[:MAX_CHOICES]) or 'none'}{more}"
