"""Results as tables: pandas, xarray, CSV, MATLAB, Parquet, and what they say of themselves."""

import builtins
import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from click.testing import CliRunner
from scipy.io import loadmat

import mbsim
from mbsim.cli import main
from mbsim.results import Result, ResultError, tabular
from mbsim.results.read import in_memory

TIMES = np.array([0.0, 0.1, 0.2])


@pytest.fixture
def result() -> Result:
    """Two coordinates, a joint and an energy."""
    arrays = {
        "time": TIMES, "q": np.arange(6.0).reshape(3, 2), "v": -np.arange(6.0).reshape(3, 2),
        "joint_force": np.arange(9.0).reshape(3, 1, 3), "energy_kinetic": np.array([1.0, 2.0, 1 / 3]),
        "joint_reaction_unique": np.array([True]),
    }  # fmt: skip
    labels = {
        "coordinate": ["rod.angle", "x<y"], "speed": ["der(rod.angle)", "der(x<y)"], "joint": ["pin"], "xyz": ["x", "y", "z"],
    }  # fmt: skip
    units = {"coordinate_units": ["rad", "m"], "speed_units": ["rad s-1", "m s-1"]}
    return in_memory(arrays, labels, units, {"title": "a & b", "method": "svd", "integrator": "rk4", "status": "complete"}, "", {})


ALL = ["time", "rod.angle", "x<y", "der(rod.angle)", "der(x<y)", *(f"joint_force:pin:{axis}" for axis in "xyz"), "energy_kinetic"]


def test_columns(result: Result) -> None:
    found = tabular.columns(result)
    assert list(found) == ALL
    assert found["joint_force:pin:y"].tolist() == [1.0, 4.0, 7.0]
    assert list(tabular.columns(result, ["pin:z", "rod.angle", "joint_force"])) == ["time", ALL[7], ALL[1], ALL[5], ALL[6]]
    with pytest.raises(ResultError, match="no columns over time: joint_reaction_unique"):
        tabular.columns(result, ["joint_reaction_unique"])
    with pytest.raises(ResultError, match="did you mean"):
        tabular.columns(result, ["rod.angel"])


def test_labels_are_items(result: Result) -> None:
    assert result["x<y"].tolist() == [1.0, 3.0, 5.0] and result["q"].shape == (3, 2)
    with pytest.raises(ResultError, match="no variable or label 'rod'"):
        result["rod"]


def test_data_frames_and_datasets(result: Result) -> None:
    frame = result.to_pandas("rod.angle", "energy_kinetic")
    assert frame.index.name == "time" and list(frame.columns) == ["rod.angle", "energy_kinetic"]
    assert frame["rod.angle"].to_list() == [0.0, 2.0, 4.0]
    data = result.to_xarray()
    assert float(data["joint_force"].sel(joint="pin", xyz="z", time=0.1)) == 5.0
    assert data["energy_kinetic"].attrs["units"] == "J" and data.attrs["title"] == "a & b"


def test_a_dataset_is_that_of_the_file(tmp_path: Path) -> None:
    """Variables, dimensions, coordinates and values; the file has more attributes."""
    path = tmp_path / "a.h5"
    mbsim.simulate("pendulum", end=0.02, output=path)
    with mbsim.open_result(path) as made:
        data = made.to_xarray()
    with xarray.open_dataset(path, engine="h5netcdf") as opened:
        assert set(data.variables) >= {name for name in opened.variables if opened[name].dims and "time" in opened[name].dims}
        for name in data.data_vars:
            assert data[name].dims == opened[name].dims
            assert np.array_equal(data[name], opened[name])
        assert data["coordinate"].to_numpy().tolist() == opened["coordinate"].to_numpy().tolist()


def test_csv_and_matlab_hold_every_digit(result: Result, tmp_path: Path) -> None:
    tabular.export(result, tmp_path / "a.csv")
    rows = list(csv.reader((tmp_path / "a.csv").open()))
    assert rows[0] == ALL and [float(row[-1]) for row in rows[1:]] == [1.0, 2.0, 1 / 3]
    tabular.export(result, tmp_path / "a.mat")
    tabular.export(result, tmp_path / "a.mat")  # its own files are replaced
    found = loadmat(tmp_path / "a.mat")
    assert found["energy_kinetic"].ravel().tolist() == [1.0, 2.0, 1 / 3] and found["d_rod_angle"].ravel().tolist() == [0.0, -2.0, -4.0]
    assert found["names"]["joint_force_pin_x"][0, 0].item() == "joint_force:pin:x"
    with pytest.raises(FileExistsError, match="force"):
        tabular.export(result, tmp_path / "a.csv")


def test_parquet(result: Result, tmp_path: Path) -> None:
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    tabular.export(result, tmp_path / "a.parquet")
    assert pandas.read_parquet(tmp_path / "a.parquet")["x<y"].to_list() == [1.0, 3.0, 5.0]


@pytest.mark.parametrize(("package", "call"), [("pandas", "to_pandas"), ("xarray", "to_xarray")])
def test_missing_packages_are_named(package: str, call: str, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(tabular.ExportError, match=f"pip install {package}"):
        getattr(result, call)()
    if package == "pandas":
        with pytest.raises(tabular.ExportError, match="pip install pandas pyarrow"):
            tabular.export(result, tmp_path / "a.parquet")
        assert not list(tmp_path.iterdir())


def test_what_a_result_says(result: Result) -> None:
    assert repr(result) == (
        "<mbsim result: a & b, svd with rk4>\n  3 rows from 0 to 0.2 s\n  coordinates rod.angle, x<y; variables: names()"
    )
    html = result._repr_html_()
    assert "a &amp; b" in html and "x&lt;y" in html and "<td" in html and "x<y" not in html
    stopped = in_memory({"time": np.zeros(0)}, {}, {}, {"status": "failed", "failure": "at once\nmore"}, "", {})
    assert "no rows; failed: at once" in repr(stopped)


def test_the_figure_of_a_result(result: Result) -> None:
    figure = result.plot("rod.angle", "energy_kinetic")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["rod.angle", "Energy kinetic"]


def test_export_command(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    mbsim.simulate("pendulum", end=0.02, output=path)
    run = CliRunner().invoke(main, ["export", str(path), "-o", str(tmp_path / "a.csv"), "-w", "rod.angle"])
    assert run.exit_code == 0 and (tmp_path / "a.csv").read_text().startswith("time,rod.angle\n0.0,0.0\n")
    for words, said in (
        (["-o", str(tmp_path / "a.txt")], "one of .csv, .xlsx, .md, .tex, .mat, .parquet"),
        (["-o", str(tmp_path / "a.csv")], "--force"),
        (["-o", str(tmp_path / "b.csv"), "-w", "rod.angel"], "rod.angle"),
    ):
        run = CliRunner().invoke(main, ["export", str(path), *words])
        assert run.exit_code == 2 and said in run.output
