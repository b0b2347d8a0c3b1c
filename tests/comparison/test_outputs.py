"""The table, JSON, HDF5 and HTML of one comparison with every kind of row."""

import base64
import json
import re
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray

import mbsim
from mbsim.studies.compare import pictures
from mbsim.studies.compare.table import COLUMNS, text

METHODS = ["svd", "lagrange", "wrong", "failing", "refusing", "own_step"]
ROW_KEYS = {
    "method", "integrator", "step", "tolerance", "effective_step", "verdict", "reason", "end_error", "rms_error", "estimated_error",
    "velocity_rms_error", "velocity_estimated_error", "reaction_disagreement", "reaction_rms_disagreement", "reaction_estimated_error",
    "order", "order_points", "max_phi", "max_velocity_residual", "max_acceleration_residual", "energy_balance", "steps", "evaluations",
    "factorisations", "svds", "iterations", "corrections", "wall_time", "wall_times", "published", "wrong", "source", "steps_cut",
    "velocity_order", "velocity_order_points", "energy_rms_error", "energy_estimated_error",
}  # fmt: skip


@pytest.fixture
def found(fakes, pendulum):
    return mbsim.compare(
        pendulum, methods=METHODS, integrators=["rk4", "adaptive(rtol=1e-6)"], steps=[0.02, 0.01], repeats=1, command="mbsim compare <x>"
    )


def test_json_has_the_documented_keys(found, tmp_path):
    found.save(tmp_path / "x.json")
    data = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert set(data) == {"$comment", "ok", "command", "date", "machine", "versions", "repeats", "models"}
    assert data["ok"] is False and data["command"] == "mbsim compare <x>"
    case = data["models"][0]
    assert set(case) == {"advice", "name", "title", "file", "start", "end", "output_step", "reference", "reach", "notes", "rows"}
    assert set(case["reference"]) == {"description", "reason", "errors", "published"}
    assert len(case["rows"]) == 4 * 3 + 2 + 2  # a method that refuses the model has one row by integrator
    assert all(set(row) == ROW_KEYS for row in case["rows"])
    failing = next(row for row in case["rows"] if row["method"] == "failing")
    assert failing["rms_error"] is None and failing["verdict"] == "failed"


def test_every_key_of_the_json_and_column_of_the_table_is_documented(found):
    text = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")
    facts = found.facts()
    keys = {*facts, *facts["models"][0], *facts["models"][0]["reference"], *ROW_KEYS}
    assert not {key for key in keys if f"`{key}`" not in text}
    for _, name, _ in COLUMNS:
        assert re.search(rf"\| `.*\b{re.escape(name)}", text) or name in ("method", "integrator"), name


def test_hdf5_groups_open_in_xarray(found, tmp_path):
    path = tmp_path / "x.h5"
    found.save(path)
    with h5py.File(path) as file:
        assert json.loads(file.attrs["comparison"])["repeats"] == 1
        assert file["pendulum_i_i_pin/failing/rk4/0.01"].attrs["verdict"] == b"failed"
        assert set(file["pendulum_i_i_pin"]) == {"reference", *METHODS}
    row = next(row for row in found.cases[0].rows if row.name == "svd/rk4/0.01")
    with xarray.open_dataset(path, group="pendulum_i_i_pin/svd/rk4/0.01", engine="h5netcdf") as run:
        np.testing.assert_array_equal(run.q.sel(coordinate="rod.x"), row.result["q"][:, 0])
        np.testing.assert_array_equal(run.time, row.result.time)
        assert run.joint_force.dims == ("time", "joint", "xyz") and run.joint_force.attrs["units"] == "N"
        assert run.attrs["method"] == "svd" and run.attrs["verdict"] == "agrees"
        assert run.attrs["rms_error"] == row.judgement.errors["position"]
        assert run.attrs["median_march_time"] == row.wall_time
    with xarray.open_dataset(path, group="pendulum_i_i_pin/reference", engine="h5netcdf") as run:
        assert "lagrange" in run.attrs["description"] and run.attrs["estimated_position_error"] < 1e-9


def test_html_needs_nothing_else_and_escapes_what_a_user_wrote(found, tmp_path):
    found.save(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!data:)', page) and "<script" not in page and "@import" not in page
    assert "pendulum &lt;i&gt;&amp;&lt;/i&gt; pin" in page and "<i>" not in page
    assert "mbsim compare &lt;x&gt;" in page
    assert "<details><summary>The model file" in page and "inertia: 1/12" in page
    for words in ("this method needs independent constraints", "disagrees", "own_step", "adaptive(rtol=1e-6)", "numpy"):
        assert words in page
    svgs = [base64.b64decode(data).decode() for data in re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)]
    assert len(svgs) == 3
    mechanism, *svgs = svgs
    assert "pin" in mechanism
    for words in ("wall time (s)", "evaluations of the equations", "svd, rk4", "rms error of the positions (m, rad)"):
        assert words in svgs[0]
    for words in ("Drift: position constraints", "Energy balance", "time (s)", "own_step, step 0.01"):
        assert words in svgs[1]


def test_the_table_fits_a_terminal(found):
    table = text(found, limit=80)
    assert max(map(len, table.splitlines())) <= 80
    words = " ".join(table.split())
    assert "refusing, rk4: refused: this method needs independent constraints" in words
    assert "of marching only, one run, after" in words and "not shown: " in words
    assert "not shown" not in found.table()  # in Python: all columns
    shown = {
        name for _, name, _ in COLUMNS if re.search(rf"(^|\s){re.escape(name)}(\s|$)", table.split("\n\n")[-1].partition("\n  lagrange")[0])
    }
    assert {"method", "tol.", "error", "verdict", "time"} <= shown


def test_pictures_of_zero_errors_and_of_nothing(found):
    case = found.cases[0]
    for row in case.rows:
        row.judgement.errors = dict.fromkeys(row.judgement.errors, 0.0)
        if row.against is not None:
            row.against.position[:] = 0.0
    assert "<svg" in pictures.work_precision(case) and "<svg" in pictures.histories(case)
    case.rows = [row for row in case.rows if row.result is None]
    assert "<svg" in pictures.work_precision(case) and "<svg" in pictures.histories(case)


def test_another_suffix(found, tmp_path):
    with pytest.raises(ValueError, match=r"one of \.html, \.json, \.h5"):
        found.save(tmp_path / "x.pdf")
    with pytest.raises(FileNotFoundError):
        found.save(tmp_path / "absent" / "x.json")
    assert not list(tmp_path.iterdir())


def test_a_long_method_does_not_push_out_the_errors(pendulum):
    long = "broyden(multiplier=constant, root_finder=bfs, start=paper)"
    found = mbsim.compare(pendulum, methods=[long, "lagrange"], integrators=["rk4"], steps=[0.02, 0.01], repeats=1)
    table = text(found, limit=80)
    assert max(map(len, table.splitlines())) <= 80
    head = re.search(r"\n  method +tol\. +error +est\. .*verdict\n  (.*)\n    (.*)\n", table)
    assert head and head[1].startswith("broyden(multiplier=constant, ") and head[1].endswith("agrees")
    assert head[1].split()[0] + f" {head[2]}" == long
    assert f"  {long} " in found.table()  # in Python: in one line
