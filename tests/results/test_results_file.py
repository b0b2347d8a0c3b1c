"""The result file: what xarray sees, what a kill leaves, what memory and time it costs."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import h5py
import numpy as np
import pytest
import synthetic
import xarray

from mbsim.results import SERIES, FileRecorder, Layout, MemoryRecorder, ResultError, linear, measure, open_result
from mbsim.results.outputs import HDF5_SIGNATURE, OutputError

HERE = Path(__file__).parent
DATED = ("history",)  # the only attribute that two runs of one model do not share


def recorder(path, layout=synthetic.LAYOUT, **given):
    return FileRecorder(path, layout, synthetic.MODEL, synthetic.PARAMETERS, synthetic.ATTRIBUTES, synthetic.static(layout), **given)


def child(code, *arguments):
    """A Python process that knows the synthetic run as `s`; `open_recorder` makes a recorder of it."""
    head = (
        "import sys, synthetic as s\n"
        "from mbsim.results import FileRecorder\n"
        "def open_recorder(path=sys.argv[1]):\n"
        "    return FileRecorder(path, s.LAYOUT, s.MODEL, s.PARAMETERS, s.ATTRIBUTES, s.STATIC)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])])}
    command = [sys.executable, "-c", head + code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True)


def test_xarray_opens_it_with_names_labels_and_units(file):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        dataset = xarray.open_dataset(file, engine="h5netcdf")
    with dataset:
        assert dict(dataset.sizes) == {
            **{"time": 200, "coordinate": 9, "speed": 9, "constraint": 9, "body": 3, "joint": 4, "driver": 1, "state": 1},
            **{"xyz": 3, "quaternion": 4},
            **{"force_element": 2, "force_with_length": 1, "force_on_body": 2, "force_with_torque": 1, "controller": 1},
        }
        assert "".join(dataset["quaternion"].values) == "wxyz"
        expected = synthetic.rows(0, 200)
        for name, series in SERIES.items():
            if {"beam_element", "interface", "stress_point"} & set(series.dimensions):  # it has no beams and no elastic parts
                assert name not in dataset
                continue
            assert dataset[name].dims == series.dimensions
            assert dataset[name].attrs["units"] == series.units
            assert dataset[name].attrs["long_name"] == series.long_name
            if name in expected:
                np.testing.assert_array_equal(dataset[name].values, expected[name])
        np.testing.assert_array_equal(dataset["q"].sel(coordinate="rod.angle").values, expected["q"][:, 5])
        np.testing.assert_array_equal(dataset["joint_force"].sel(joint="A", xyz="y").values, expected["joint_force"][:, 1, 1])
        assert str(dataset["speed_units"].sel(speed="der(rod.angle)").values) == "rad s-1"
        assert str(dataset["acceleration_units"].sel(speed="der(rod.x)").values) == "m s-2"
        assert dataset["model_yaml"].item() == synthetic.MODEL
        assert json.loads(dataset["parameters"].item()) == synthetic.PARAMETERS
        assert dataset.attrs["Conventions"] == "CF-1.11"
        assert json.loads(dataset.attrs["counts"]) == synthetic.FINAL["counts"]


def test_xarray_keeps_time_a_float(file):
    """xarray makes a timedelta of `seconds`, but not of `s`, also when it is told to decode time differences."""
    for decode in (None, True, False):
        with xarray.open_dataset(file, engine="h5netcdf", decode_timedelta=decode) as dataset:
            assert dataset["time"].dtype == np.float64
            assert dataset["time"].attrs["units"] == "s"
            assert dataset["q"].sel(time=0.1, method="nearest").sizes == {"coordinate": 9}


def test_variables_without_labels_are_absent(tmp_path):
    """A model in the user's coordinates has no bodies; arrays of width zero that the caller hands over are dropped."""
    writer = recorder(tmp_path / "disk.h5", synthetic.DISK)
    writer.append({**synthetic.rows(0, 3, synthetic.DISK), "body_position": np.empty((3, 0, 3)), "driver_effort": np.empty((3, 0))})
    writer.close("complete", {})
    with open_result(tmp_path / "disk.h5") as result:
        assert not [name for name in result.names() if name.startswith(("body_", "joint_", "driver_"))]
        assert result.labels("body") == []
        assert result["multiplier"].shape == (3, 3)
    with xarray.open_dataset(tmp_path / "disk.h5", engine="h5netcdf") as dataset:
        assert set(dataset.sizes) == {"time", "coordinate", "speed", "constraint"}


def test_readable_before_the_first_row(tmp_path):
    writer = recorder(tmp_path / "x.h5")
    with open_result(tmp_path / "x.h5.part") as result:
        assert result.attributes["status"] == "running"
        assert result.time.shape == (0,)
        assert result.labels("joint") == ["O", "A", "B", "guide"]
    writer.close("failed", {"failure": "the start cannot be assembled"})
    with open_result(tmp_path / "x.h5") as result:
        assert result.attributes["failure"] == "the start cannot be assembled"


def test_an_older_result_stays_until_the_new_one_is_complete(file):
    before = file.read_bytes()
    writer = recorder(file)
    writer.append(synthetic.rows(0, 5))
    assert file.read_bytes() == before
    assert writer.close("complete", {}) == file
    assert not list(file.parent.glob("*.part"))
    with writer.result() as result:
        assert len(result.time) == 5


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.parametrize("appends", [1, 2, 3, 5, 8])
def test_kill_leaves_every_flushed_row(tmp_path, appends):
    """The child says when an append has returned; it is killed while it writes on."""
    path = tmp_path / "killed.h5"
    code = (
        "import itertools\n"
        "recorder = open_recorder()\n"
        "for k in itertools.count():\n"
        "    recorder.append(s.rows(300 * k, 300 * (k + 1)))\n"
        "    print(k, flush=True)\n"
    )
    process = child(code, path)
    for _ in range(appends):
        assert process.stdout.readline()
    process.kill()
    process.communicate()
    assert not path.exists()
    with open_result(f"{path}.part") as result:
        rows = len(result.time)
        assert rows >= 300 * appends
        expected = synthetic.rows(0, rows)
        assert set(expected) <= set(result.names())
        for name, values in expected.items():
            np.testing.assert_array_equal(result[name], values)


def test_memory_does_not_grow_with_the_rows(tmp_path):
    """80 MB of rows pass through; ru_maxrss is in kB on Linux and in bytes on macOS."""
    resource = pytest.importorskip("resource")
    writer = recorder(tmp_path / "long.h5")
    chunk = synthetic.rows(0, 1000)
    unit = 1 if sys.platform == "darwin" else 1024
    for number in range(65):
        writer.append(chunk)
        if number == 4:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    writer.close("complete", {})
    assert (tmp_path / "long.h5").stat().st_size > 65e6
    assert after - before < 15e6


@pytest.mark.parametrize("layout", [synthetic.LAYOUT, synthetic.DISK], ids=["bodies", "coordinates"])
def test_memory_and_file_give_equal_results(tmp_path, layout):
    arguments = (
        layout,
        synthetic.MODEL,
        synthetic.PARAMETERS,
        {**synthetic.ATTRIBUTES, "versions": {"numba": "0.68"}},
        synthetic.static(layout),
    )
    memory, file = MemoryRecorder(*arguments), FileRecorder(tmp_path / "x.h5", *arguments)
    for writer in (memory, file):
        for first in (0, 10):
            chunk = synthetic.rows(first, first + 10, layout)
            writer.append(chunk)
            for values in chunk.values():
                values[...] = np.nan  # a caller fills its buffers again
    final = {**synthetic.FINAL, "failure": None, "projected": True, "end": np.float64(0.02), "gravity": (0.0, -9.81)}
    assert memory.close("complete", final) is None
    assert file.close("complete", final) == tmp_path / "x.h5"
    kept = memory.result()
    with file.result() as read:
        assert kept.names() == read.names()
        for name in read.names():
            assert kept[name].dtype == read[name].dtype
            np.testing.assert_array_equal(kept[name], read[name])
            assert kept.units(name) == read.units(name)
        for dimension in ("coordinate", "speed", "constraint", "body", "joint", "driver", "xyz", "quaternion"):
            assert kept.labels(dimension) == read.labels(dimension)
        assert {k: v for k, v in kept.attributes.items() if k not in DATED} == {k: v for k, v in read.attributes.items() if k not in DATED}
        assert kept.attributes["versions"].keys() == {"python", "numpy", "h5py", "numba"}
        assert (kept.model_yaml, kept.parameters) == (read.model_yaml, read.parameters)


def test_a_chunk_must_fit_the_layout(tmp_path):
    writer = recorder(tmp_path / "x.h5")
    chunk = synthetic.rows(0, 4)
    with pytest.raises(ValueError, match=r"body_position has shape \(4, 2, 3\); expected \(4, 3, 3\)"):
        writer.append({**chunk, "body_position": chunk["body_position"][:, :2]})
    with pytest.raises(ValueError, match="unknown variables"):
        writer.append({**chunk, "speed": chunk["q"]})
    writer.append(chunk)
    with pytest.raises(ValueError, match="a chunk holds"):
        writer.append({"time": chunk["time"]})


def test_a_system_may_record_fewer_variables(tmp_path):
    """A system without energies does not give them; the file then has none."""
    chunk = {name: values for name, values in synthetic.rows(0, 4).items() if not name.startswith("energy")}
    writer = recorder(tmp_path / "x.h5")
    writer.append(chunk)
    writer.close("complete", {})
    with writer.result() as result:
        assert "energy_kinetic" not in result
        with pytest.raises(ResultError, match="no variable or label 'energy_kinetic'"):
            result["energy_kinetic"]


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cannot write .*the folder .*absent does not exist"):
        recorder(tmp_path / "absent" / "x.h5")
    (tmp_path / "folder.h5").mkdir()
    with pytest.raises(OutputError, match="it is a folder"):
        recorder(tmp_path / "folder.h5")
    (tmp_path / "taken.h5.part").mkdir()
    with pytest.raises(OutputError, match="no partial result"):
        recorder(tmp_path / "taken.h5")
    with pytest.raises(ValueError, match=r"the suffix says the format, one of \.h5, \.hdf5, \.nc"):
        recorder(tmp_path / "x.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.h5", "taken.h5.part"]


def test_a_second_run_does_not_disturb_the_first(tmp_path):
    """Another process is refused before it touches the file; so is the same process."""
    writer = recorder(tmp_path / "x.h5")
    writer.append(synthetic.rows(0, 10))
    code = "try:\n    open_recorder()\nexcept OSError as error:\n    print(error)\n"
    said, _ = child(code, tmp_path / "x.h5").communicate()
    assert "another run is writing it" in said
    writer.append(synthetic.rows(10, 20))
    writer.close("complete", {})
    with writer.result() as result:
        np.testing.assert_array_equal(result["q"], synthetic.rows(0, 20)["q"])


def test_what_a_killed_run_left_is_replaced(tmp_path):
    """And nothing else: a file of that name that no run of ours began stays, and so does the result."""
    part = tmp_path / "x.h5.part"
    for left in (b"", HDF5_SIGNATURE, HDF5_SIGNATURE + bytes(5000)):
        part.write_bytes(left)
        recorder(tmp_path / "x.h5").close("complete", {})
        assert [path.name for path in tmp_path.iterdir()] == ["x.h5"]
    before = (tmp_path / "x.h5").read_bytes()
    part.write_bytes(b"rubbish")
    with pytest.raises(OutputError, match="no partial result"):
        recorder(tmp_path / "x.h5")
    assert part.read_bytes() == b"rubbish" and (tmp_path / "x.h5").read_bytes() == before


@pytest.mark.parametrize("old", [True, False], ids=["over an older result", "new"])
def test_a_full_disk_costs_no_flushed_row(tmp_path, old):
    """A limit on the file's size stands in for the disk. The process ends normally, the rows until then are in the part file, and an older
    result is as it was."""
    path = tmp_path / "x.h5"
    if old:
        recorder(path).close("complete", {})
        before = path.read_bytes()
    code = (
        "import resource\n"
        "recorder = open_recorder()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (6_000_000, 6_000_000))\n"
        "try:\n"
        "    for k in range(20):\n"
        "        recorder.append(s.rows(500 * k, 500 * (k + 1)))\n"
        "        print(k + 1, flush=True)\n"
        "except OSError as error:\n"
        "    print(error)\n"
        "    print(recorder.close('failed', {'failure': 'disk full'}))\n"
    )
    process = child(code, path)
    said, complaint = process.communicate()
    assert (process.returncode, complaint) == (0, "")
    *counts, message, kept = said.splitlines()
    assert kept == f"{path}.part"
    assert f"cannot write the result {path}: File too large; the {500 * int(counts[-1])} rows before are in {kept}" in message
    with open_result(kept) as result:
        assert len(result.time) == 500 * int(counts[-1]) > 0
        assert result.attributes["status"] == "running"
        np.testing.assert_array_equal(result["joint_force"], synthetic.rows(0, len(result.time))["joint_force"])
    with xarray.open_dataset(kept, engine="h5netcdf") as dataset:  # the part file has all rows, and no others, for any reader
        assert dataset.sizes["time"] == 500 * int(counts[-1])
    assert path.read_bytes() == before if old else not path.exists()


def test_a_disk_that_is_full_from_the_start_leaves_nothing(tmp_path):
    code = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))\n"
        "try:\n"
        "    open_recorder()\n"
        "except OSError as error:\n"
        "    print(error)\n"
    )
    said, complaint = child(code, tmp_path / "x.h5").communicate()
    assert "File too large" in said and complaint == ""
    assert not list(tmp_path.iterdir())


def test_a_run_that_the_disk_cannot_hold_is_refused(tmp_path):
    with pytest.raises(OSError, match=r"10000000000000 rows of 1\d\d\d bytes take 1.*GB free; output_step thins the rows"):
        recorder(tmp_path / "x.h5", rows=10**13)
    assert not list(tmp_path.iterdir())


def test_files_that_are_no_results(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no result file"):
        open_result(tmp_path / "absent.h5")
    text = tmp_path / "text.h5"
    text.write_text("time,q\n")
    with pytest.raises(ResultError, match="it is not an HDF5 file"):
        open_result(text)
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["time"] = [0.0]
    with pytest.raises(ResultError, match=r"other\.h5 is not a result of mbsim: it has no"):
        open_result(tmp_path / "other.h5")
    with h5py.File(tmp_path / "study.h5", "w") as other:
        other.attrs["kind"] = np.bytes_("mbsim study")
    with pytest.raises(ResultError, match=r"study\.h5 is not the result of a run: it holds a study"):
        open_result(tmp_path / "study.h5")
    for kind, held in linear.NAMES.items():
        with h5py.File(tmp_path / "linear.h5", "w") as other:
            other.attrs["kind"] = kind
        with pytest.raises(ResultError, match=rf"linear\.h5 is not the result of a run: it holds {held}$"):
            open_result(tmp_path / "linear.h5")


def test_a_truncated_file_is_refused(file):
    file.write_bytes(file.read_bytes()[:3000])
    with pytest.raises(ResultError, match="cut off"):
        open_result(file)


def test_wide_models_are_written(tmp_path):
    """200 bodies: a row is wider than a chunk is meant to be."""
    names = [f"b{i}" for i in range(200)]
    units = ["m"] * 200
    layout = Layout("wide", names, units, [f"der({n})" for n in names], ["m s-1"] * 200, [], names, [], [], [])
    writer = recorder(tmp_path / "wide.h5", layout)
    writer.append(synthetic.rows(0, 70, layout))
    writer.append(synthetic.rows(70, 71, layout))
    writer.close("complete", {})
    with writer.result() as result:
        np.testing.assert_array_equal(result["body_orientation"], synthetic.rows(0, 71, layout)["body_orientation"])
        assert result.units("q") == "m"
        assert result.units("acceleration") == "m s-2"


def test_measures_and_tables_of_a_run_that_still_writes(tmp_path):
    """A model's own variables are found in the part file, in the order of the model, and nothing else is taken for one."""
    measures = {"swing": measure("rad", "pin.angle"), "gap": measure("m", "distance(a, b)")}
    layout = dataclasses.replace(synthetic.LAYOUT, measures=measures)
    arguments = (layout, synthetic.MODEL, synthetic.PARAMETERS, synthetic.ATTRIBUTES, synthetic.STATIC)
    tables = {"lift": {"points": [[0.0, 1.0], [2.0, 3.0]]}}
    recorder = FileRecorder(tmp_path / "run.h5", *arguments, tables)
    with open_result(tmp_path / "run.h5.part") as part:
        assert part.measures() == [] and part.tables == tables
    rows = synthetic.rows(0, 10)
    recorder.append(rows | {"swing": rows["time"], "gap": 2 * rows["time"]})
    with open_result(tmp_path / "run.h5.part") as part:
        assert part.measures() == ["swing", "gap"] and part.layout().measures == measures
        np.testing.assert_array_equal(part.select("gap"), 2 * rows["time"])
    with pytest.raises(ValueError, match="expected"):
        recorder.append(rows)
    recorder.close("complete", {})
    plain = FileRecorder(tmp_path / "plain.h5", *(synthetic.LAYOUT, *arguments[1:]))
    with pytest.raises(ValueError, match="unknown variables"):
        plain.append(rows | {"swing": rows["time"]})
    plain.append(rows)
    plain.close("complete", {})
    with open_result(tmp_path / "plain.h5") as result:
        assert result.measures() == [] and result.tables == {}


def test_a_start_that_was_not_committed_is_not_promised(tmp_path):
    """The first row waits for those that follow; where these cannot be written nothing is kept, and nothing is left."""
    code = (
        "import resource\n"
        "recorder = open_recorder()\n"
        "recorder.append(s.rows(0, 1))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))\n"
        "try:\n"
        "    recorder.append(s.rows(1, 500))\n"
        "except OSError as error:\n"
        "    print(error)\n"
        "    recorder.close('failed', {})\n"
    )
    said, complaint = child(code, tmp_path / "x.h5").communicate()
    assert said == f"[Errno 27] cannot write the result {tmp_path / 'x.h5'}: File too large\n" and complaint == ""
    assert not list(tmp_path.iterdir())
