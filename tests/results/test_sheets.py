"""Tables: of results with units and decimal commas, of studies, modes and comparisons; workbooks, Markdown and LaTeX."""

import csv
import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim.cli import main
from mbsim.results import outputs
from mbsim.results.sheet import ExportError, Sheet
from mbsim.results.sheets import of_comparison
from mbsim.results.units import UNITS, UnitError, factor

MIXED = Sheet("t", {"name_of": ["a|b", "50 % & more"], "x": [1.0 / 3.0, float("nan")], "n": [2, None]}, {"x": "m"})
ROW = {"method": "svd", "integrator": "rk4", "step": 0.01, "verdict": "agrees", "rms_error": 1.25e-7, "wall_time": 0.5, "evaluations": 401}


def ran(*words: str, code: int = 0) -> str:
    found = CliRunner().invoke(main, list(words))
    assert found.exit_code == code, found.output
    return found.output


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sheets") / "a.h5"
    mbsim.simulate("pendulum", end=0.02, output=path)
    return path


@pytest.fixture
def compared(tmp_path: Path) -> Path:
    """A file as `mbsim compare -o` writes it, with one row that ran and one that did not."""
    facts = {"ok": True, "command": "mbsim compare x", "date": "d", "machine": "m", "models": [
        {"name": "x", "title": "X", "reference": {"errors": {"position": 1e-12}}, "advice": {"lines": ["Use svd."]},
         "rows": [ROW, {**dict.fromkeys(ROW), "method": "aba", "integrator": "rk4", "verdict": "failed", "reason": "why"}]}]}  # fmt: skip
    path = tmp_path / "c.h5"
    with h5py.File(path, "w") as file:
        file.attrs["comparison"] = json.dumps(facts)
    return path


def test_each_unit_converts_and_names_its_quantity() -> None:
    for name, (of, size) in UNITS.items():
        assert factor(of, name) * size == pytest.approx(1.0, rel=1e-15)
        others = {other for other, _ in UNITS.values()} - {of}
        for other in others:
            with pytest.raises(UnitError, match="is no unit of what is in"):
                factor(other, name)
    assert factor("rad s-1", "rpm") == pytest.approx(60.0 / (2.0 * np.pi)) and factor("m s-2", "g") == pytest.approx(1.0 / 9.80665)
    with pytest.raises(UnitError, match="is no unit of what has no unit"):
        factor("1", "deg")


def test_text_for_programs_and_for_readers(tmp_path: Path) -> None:
    MIXED.write(tmp_path / "a.csv", with_units=True, comma=True)
    assert (tmp_path / "a.csv").read_text() == f"name_of;x (m);n\na|b;{repr(1 / 3).replace('.', ',')};2\n50 % & more;;\n"
    MIXED.write(tmp_path / "a.md")
    assert (tmp_path / "a.md").read_text().startswith("| name_of | x (m) | n |\n| --- | ---: | ---: |\n| a\\|b | 0.333 | 2 |\n")
    MIXED.write(tmp_path / "a.tex")
    assert "name\\_of & x (m) & n \\\\\n\\midrule\na|b & 0.333 & 2 \\\\\n50 \\% \\& more &  &  \\\\" in (tmp_path / "a.tex").read_text()
    for suffix in ("md", "tex"):
        MIXED.write(tmp_path / f"a.{suffix}")  # its own files are replaced
        with (tmp_path / f"a.{suffix}").open("a") as file:
            file.write("edited\n")
        with pytest.raises(FileExistsError, match="--force"):
            MIXED.write(tmp_path / f"a.{suffix}")
    with pytest.raises(ExportError, match=r"one of .csv, .xlsx, .md, .tex"):
        MIXED.write(tmp_path / "a.doc")


def test_workbooks(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "a.xlsx"
    MIXED.write(path, with_units=True)
    MIXED.write(path)  # its own is replaced
    rows = list(openpyxl.load_workbook(path).active.values)
    assert rows == [("name_of", "x", "n"), ("a|b", 1 / 3, 2), ("50 % & more", None, None)]
    book = openpyxl.load_workbook(path)
    book.properties.lastModifiedBy = "somebody"
    book.save(path)
    assert not outputs.is_ours(path)
    with pytest.raises(FileExistsError, match="--force"):
        MIXED.write(path)


def test_columns_in_units_and_of_expressions(pendulum: Path, tmp_path: Path) -> None:
    ran("export", str(pendulum), "-w", "rod.angle in deg,norm(joint_force:pin)", "-o", str(tmp_path / "a.csv"), "--units")
    head, *rows = csv.reader((tmp_path / "a.csv").open())
    assert head == ["time (s)", "rod.angle (deg)", "norm(joint_force:pin) (N)"]
    with mbsim.open_result(pendulum) as result:
        force = np.linalg.norm(result.select("joint_force", "pin"), axis=1)
        np.testing.assert_allclose(np.array(rows, float)[:, 1:], np.column_stack([np.degrees(result["rod.angle"]), force]), rtol=1e-15)
    for item, said in (("rod.angle in kg", "unknown unit 'kg'"), ("sin(", "character"), ("rod.angel", "did you mean")):
        assert said in ran("export", str(pendulum), "-w", item, "-o", str(tmp_path / "b.csv"), code=2)
    for suffix, option in ((".mat", ["--units"]), (".parquet", ["--decimal", "comma"]), (".xlsx", ["--decimal", "comma"])):
        said = ran("export", str(pendulum), "-o", str(tmp_path / f"b{suffix}"), *option, code=2)
        assert f"{suffix} file has" in said and not (tmp_path / f"b{suffix}").exists()
    assert "it is what is read" in ran("export", str(pendulum), "-o", str(pendulum), code=2)


def test_a_study_and_modes(tmp_path: Path) -> None:
    study = tmp_path / "s.h5"
    model = "pendulum"
    ran("sweep", model, "--vary", "l=0.5:1:3", "--output", "final(rod.angle)", "--end", "0.1", "-o", str(study))
    ran("export", str(study), "-o", str(tmp_path / "s.csv"))
    rows = list(csv.DictReader((tmp_path / "s.csv").open()))
    assert [float(row["l"]) for row in rows] == [0.5, 0.75, 1.0] and {row["failed"] for row in rows} == {"0"}
    ran("info", str(study), "-o", str(tmp_path / "t.csv"))
    assert (tmp_path / "t.csv").read_text() == (tmp_path / "s.csv").read_text()
    modes = tmp_path / "m.h5"
    ran("modes", "double_pendulum", "-o", str(modes))
    ran("export", str(modes), "-o", str(tmp_path / "m.csv"), "-w", "frequency,theta1:amplitude")
    found = sorted({round(float(row["frequency"]), 12) for row in csv.DictReader((tmp_path / "m.csv").open())})
    expected = sorted({round(abs(value) / (2.0 * np.pi), 12) for value in mbsim.modes("double_pendulum").eigenvalues})
    assert found == expected


def test_a_comparison_is_told_drawn_and_exported(compared: Path, tmp_path: Path) -> None:
    said = ran("info", str(compared))
    assert "Use svd." in said and "1.25e-07" in said and "failed" in said
    assert json.loads(ran("info", str(compared), "--json"))["models"][0]["rows"][0]["evaluations"] == 401
    ran("plot", str(compared), "-o", str(tmp_path / "c.png"))
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    ran("export", str(compared), "-o", str(tmp_path / "c.csv"))
    rows = list(csv.DictReader((tmp_path / "c.csv").open()))
    assert (
        [row["verdict"] for row in rows] == ["agrees", "failed"] and float(rows[0]["rms_error"]) == 1.25e-7 and rows[1]["reason"] == "why"
    )
    ran("export", str(compared), "-o", str(tmp_path / "c.tex"))
    assert "svd & rk4 & 0.01 & agrees & 1.25e-07 & 401 & 0.5" in (tmp_path / "c.tex").read_text()
    assert "has no column 'rms_eror'; did you mean 'rms_error'?" in ran(
        "export", str(compared), "-w", "rms_eror", "-o", str(tmp_path / "d.csv"), code=2
    )
    assert "of a comparison error against time" in ran("plot", str(compared), "-w", "q", "-o", str(tmp_path / "d.png"), code=2)


@pytest.mark.parametrize("text", ["[]", '{"models": 3}', '{"models": [{"rows": [1]}]}'])
def test_a_damaged_comparison_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.h5"
    with h5py.File(path, "w") as file:
        file.attrs["comparison"] = text
    for words in (["info", str(path)], ["export", str(path), "-o", str(tmp_path / "x.csv")], ["plot", str(path)]):
        assert "is damaged" in ran(*words, code=2)


def test_a_comparison_of_several_models_says_which() -> None:
    facts = {"models": [{"name": name, "rows": [ROW]} for name in ("x", "y")]}
    heads, rows, _ = of_comparison(facts).readable()
    assert heads[0] == "model" and [row[0] for row in rows] == ["x", "y"]
