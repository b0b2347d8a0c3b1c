"""Access to a result by names and labels, in a file or in memory."""

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mbsim.results.schema import LABEL_UNITS, LABELLED, SERIES, ControllerLabels, ForceLabels, Layout, Series

if TYPE_CHECKING:
    from typing import Protocol, Self

    import pandas
    import xarray
    from matplotlib.figure import Figure

    class Viewer(Protocol):
        """A page that is open (mbsim.view.live)."""

        url: str

        def stop(self) -> None:
            """Close the page."""

        def __enter__(self) -> Self: ...

        def __exit__(self, *_: object) -> None: ...


MAX_CHOICES = 8  # listed in an error message
FORCE = "force"


class ResultError(ValueError):
    """The file is not a result of mbsim or is damaged, or the result does not contain the requested name."""


class Result:
    """Read access to a run: `result["q"]` is an array with the dimensions of `SERIES["q"]`, `result["crank.angle"]` one of its columns.

    Arrays of a file are read on each access. `close` or a `with` block closes the file.
    Names and labels that the result does not contain raise ResultError, which suggests similar ones.
    """

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
    ) -> None:
        self._read = read
        self._measures = dict(measures or {})
        self._series = {**SERIES, **self._measures}
        self._names = [name for name in self._series if name in set(names)]
        self._labels = labels
        self._label_units = label_units
        self._close = close
        self.attributes = attributes
        self.model_yaml = model_yaml
        self.parameters = parameters
        self.tables = tables or {}  # blocks of `tables` with the points that the run used
        self.folder = folder  # where the names of meshes begin: that of the file
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
        return self._series[name].long_name

    def labels(self, dimension: str) -> list[str]:
        """The labels of a dimension, such as `coordinate`, `body`, `joint`, `driver`, `force_element`; none if the model has none."""
        return list(self._labels.get(dimension, []))

    def units(self, name: str, label: str | None = None) -> str:
        """UDUNITS spelling. For `q`, `v`, `driver_effort`, `force_effort` ... the units of one label; "1" without it if they differ."""
        self._require(name)
        labels_units = self._label_units.get(LABEL_UNITS.get(name, ""), [])
        if label is not None and labels_units:
            return labels_units[self._index(SERIES[name].dimensions[1], label)]
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

    def evaluate(self, functional: str) -> float:
        """One number of the run: `evaluate("max(norm(joint_force:pin))")` (docs/studies.md), NaN where there is none.

        Raises mbsim.model.errors.ExpressionError for a text that is no functional of what the result holds, ResultError where the run has
        no such number.
        """
        return self.evaluated(functional)[0]

    def evaluated(self, functional: str) -> tuple[float, str]:
        """The same with its units."""
        from mbsim.results import functionals
        from mbsim.results.recorded_names import RecordedNames

        names, expression = RecordedNames(self), functionals.parse(functional)
        units = functionals.check(expression, names)
        try:
            return functionals.evaluate(expression, names), units
        except functionals.FunctionalError as error:
            raise ResultError(str(error)) from None

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
        raise ResultError(f"the result has no variable or label {name!r}{_did_you_mean(name, every)}")

    def _require(self, name: str) -> None:
        if name not in self._names:
            raise ResultError(f"the result has no variable {name!r}{_did_you_mean(name, self._names)}")

    def _index(self, dimension: str, label: str) -> int:
        labels = self.labels(dimension)
        if label not in labels:
            raise ResultError(f"the result has no {dimension} {label!r}{_did_you_mean(label, labels)}")
        return labels.index(label)

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled result contains its arrays and is restored in memory."""
        arrays = {name: self[name] for name in self._names}
        held = (self._labels, self._label_units, self.attributes, self.model_yaml, self.parameters, self._measures, self.tables, self.scene)
        return in_memory, (arrays, *held)

    def layout(self) -> Layout:
        """The labels and units, as a recorder takes them."""
        return Layout(
            title=str(self.attributes.get("title", "")),
            coordinates=self.labels("coordinate"),
            coordinate_units=self._label_units.get("coordinate_units", []),
            speeds=self.labels("speed"),
            speed_units=self._label_units.get("speed_units", []),
            constraints=self.labels("constraint"),
            bodies=self.labels("body"),
            joints=self.labels("joint"),
            drivers=self.labels("driver"),
            driver_units=self._label_units.get("driver_units", []),
            states=self.labels("state"),
            state_units=self._label_units.get("state_units", []),
            measures=self._measures,
            forces=ForceLabels(
                self.labels("force_element"),
                self._label_units.get("force_effort_units", []),
                self.labels("force_with_length"),
                self._label_units.get("force_length_units", []),
                self._label_units.get("force_rate_units", []),
                self.labels("force_on_body"),
                self.labels("force_with_torque"),
            ),
            controllers=ControllerLabels(self.labels("controller"), self._label_units.get("controller_units", [])),
        )

    def plot(self, *items: str) -> "Figure":
        """The picture of `mbsim plot`, or of these items, as a matplotlib figure: `result.plot("crank.angle", "energy").savefig("a.png")`.

        Raises mbsim.plots.panels.PlotError for an item that the result does not contain.
        """
        figure: Figure = importlib.import_module("mbsim.plots.figure").figure(self, list(items) or None)  # by name: it is a room above
        return figure

    def view(self, *others: "Result", camera: str | None = None, port: int | None = None, browser: bool = True) -> "Viewer":
        """Open the page of `mbsim view` with this result, and other results of the same mechanism over it. Returns at once.

        The viewer has the page's address, `url`, and `stop()`; `with result.view():` stops at the end of the block. A result in a file
        has to stay open meanwhile. `camera` and `port` as of the command; without `browser` none is opened.
        Raises ResultError for results that cannot be shown, ValueError for an unknown camera or a port that cannot be had.
        """
        viewer: Viewer = importlib.import_module("mbsim.view.live").view([self, *others], camera, port, browser)  # a room above, too
        return viewer

    def to_pandas(self, *items: str) -> "pandas.DataFrame":
        """A DataFrame over the time with a column for each number, or for these items: `to_pandas("crank.angle", "joint_force:pin")`."""
        from mbsim.results import tabular

        return tabular.to_pandas(self, items)

    def to_xarray(self) -> "xarray.Dataset":
        """A Dataset of all variables with their dimensions, labels and units."""
        from mbsim.results import tabular

        return tabular.to_xarray(self)

    def __repr__(self) -> str:
        from mbsim.results import represent

        return represent.text(self)

    def _repr_html_(self) -> str:
        from mbsim.results import represent

        return represent.html(self)

    def close(self) -> None:
        """Close the file. Reading is an error afterwards."""
        self._close()

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_memory(
    arrays: dict[str, np.ndarray],
    labels: dict[str, list[str]],
    label_units: dict[str, list[str]],
    attributes: dict[str, Any],
    model_yaml: str,
    parameters: dict[str, float],
    measures: Mapping[str, Series] | None = None,
    tables: dict[str, Any] | None = None,
    scene: str | Callable[[], str] = "",
) -> Result:
    """A result of these arrays, each with the dimensions given in `SERIES` or `measures`."""
    read = arrays.__getitem__
    return Result(
        read, list(arrays), labels, label_units, attributes, model_yaml, parameters, measures=measures, tables=tables, scene=scene
    )


def _did_you_mean(name: object, choices: list[str]) -> str:
    from mbsim.model.errors import nearest

    close = nearest(str(name), choices)
    if close:
        return f"; did you mean {close!r}?"
    more = f" and {len(choices) - MAX_CHOICES} more" if len(choices) > MAX_CHOICES else ""
    return f"; it has {', '.join(choices[:MAX_CHOICES]) or 'none'}{more}"
