"""Access to a result by names and labels, in a file or in memory."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mbsim.hooks import show
from mbsim.results.schema import ControllerLabels, EquationLabels, ForceLabels, Layout, Series
from mbsim.results.variables import ResultError, Variables

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


__all__ = ["Result", "ResultError", "in_memory"]


class Result(Variables):
    """Read access to a run: `result["q"]` is an array with the dimensions of `SERIES["q"]`, `result["crank.angle"]` one of its columns.

    Arrays of a file are read on each access. `close` or a `with` block closes the file.
    Names and labels that the result does not contain raise ResultError, which suggests similar ones.
    """

    def evaluate(self, functional: str) -> float:
        """One number of the run: `evaluate("max(norm(joint_force:pin))")` (docs/studies.md), NaN where there is none.

        Raises mbsim.model.file.errors.ExpressionError for a text that is no functional of what the result holds, ResultError where the run
        has no such number.
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

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled result contains its arrays and is restored in memory."""
        arrays = {name: self[name] for name in self._names}
        held = (
            self._labels,
            self._label_units,
            self.attributes,
            self.model_yaml,
            self.parameters,
            self._measures,
            self.tables,
            self.scene,
            self.home,
        )
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
            equations=EquationLabels(
                self.labels("equation_wrench"),
                self._label_units.get("equation_wrench_units", []),
                self._label_units.get("equation_wrench_acceleration_units", []),
                self.labels("equation_free"),
                self._label_units.get("equation_free_units", []),
                self._label_units.get("equation_acceleration_units", []),
                self.labels("equation_blocked"),
                self._label_units.get("equation_blocked_units", []),
            ),
            beam_elements=self.labels("beam_element"),
            interfaces=self.labels("interface"),
            stress_points=self.labels("stress_point"),
        )

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of the run in their order, a dictionary each: `time` (s), the name of the `event`, and what it did (`do`).

        Where it changed anything: `changes`, the coordinates and speeds before and after; `switched`, the parameters likewise;
        `energy` (J), what the mechanism gained.
        """
        found: list[dict[str, Any]] = self.attributes.get("events", [])
        return found

    def plot(
        self, *items: str, over: "Sequence[Result]" = (), title: str | None = None, size: str | None = None, style: str = "screen"
    ) -> "Figure":
        """The picture of `mbsim plot`, or of these items, as a matplotlib figure: `result.plot("crank.angle in deg").savefig("a.png")`.

        A notebook shows it. `over` are results that are drawn over this one; `title`, `size` ("16x9cm") and `style` ("screen" or "print")
        as of the command. Raises mbsim.plots.panels.PlotError for an item that a result does not contain, ValueError for a size or a style
        that is none.
        """
        figure: Figure = show("plot", [self, *over], list(items) or None, title, size, style)
        return figure

    def draw(self, at: float | None = None, camera: str | None = None, names: bool | None = None, trace: Sequence[str] = ()) -> "Figure":
        """The schematic of `mbsim draw` in the row nearest to the time `at` (s), by default the first, as a matplotlib figure.

        `camera`, `names` and `trace` (points) as of the command. Raises ResultError for a result without bodies or rows and a time outside
        of the run, mbsim.scene.read.SceneError for a point that is none,
        mbsim.plots.panels.PlotError for an unknown camera.
        """
        figure: Figure = show("draw", self, at, camera, names, [trace] if isinstance(trace, str) else trace)
        return figure

    def view(
        self, *others: "Result", camera: str | None = None, port: int | None = None, browser: bool = True, trace: Sequence[str] = ()
    ) -> "Viewer":
        """Open the page of `mbsim view` with this result, and other results of the same mechanism over it. Returns at once.

        The viewer has the page's address, `url`, and `stop()`; `with result.view():` stops at the end of the block. A result in a file
        has to stay open meanwhile. `camera`, `port` and `trace` as of the command; without `browser` none is opened, nor in a
        notebook, which shows the page within itself.
        Raises ResultError for results that cannot be shown, ValueError for an unknown camera or a port that cannot be had.
        """
        viewer: Viewer = show("view", [self, *others], camera, port, browser, [trace] if isinstance(trace, str) else trace)
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
    home: str | None = None,
) -> Result:
    """A result of these arrays, each with the dimensions given in `SERIES` or `measures`. `home` is the folder of the model's file."""
    read = arrays.__getitem__
    return Result(
        read,
        list(arrays),
        labels,
        label_units,
        attributes,
        model_yaml,
        parameters,
        measures=measures,
        tables=tables,
        scene=scene,
        home=home,
    )
