"""What a user may type: empty names, pipes, numbers that are none; each is a line and an exit code, and never a wait."""

import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim.cli import main
from mbsim.cli.models import list_shipped

MASSLESS = """dimension: 2
coordinates: joint
bodies:
  rod: {mass: 0, inertia: 0, unchecked_inertia: true, position: [0.5, 0]}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
forces:
  load: {type: force, body: rod, value: [1, 5]}
  rope: {type: spring_damper, points: [ground, rod], stiffness: 10, free_length: 0.2}
simulation: {end: 1}
"""


def said(*words: str) -> str:
    """What a command says that is refused."""
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == 2 and not isinstance(done.exception, (ValueError, ArithmeticError)), done.output
    return done.stderr


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("new", ""), "PATH is empty: a model is a file such as four_bar.yaml"),
        (("equilibrium", "swinging_rod", "--steady", "der(rod.angle)=1e300"), "not greater than 1e+50 in size (got '1e300')"),
        (("equilibrium", "swinging_rod", "--steady", "der(rod.angle)=nan"), "not greater than 1e+50 in size (got 'nan')"),
        (("view", "swinging_rod", "-o", "x.gif", "--fps", "nan"), "Invalid value for '--fps': nan is not a finite number."),
        (("run", "a", "b"), "mbsim run takes MODEL and no more (got also 'b')\n"),
        (("modes", "a", "k=3", "x"), "mbsim modes takes MODEL and no more (got also 'k=3', 'x'); did you mean --set k=3?"),
        (
            ("run", "a", "--max-step", "1"),
            "'max_step' is an option of bdf, dop853, ida, lsoda, radau, rk45: write --option max_step=VALUE\n",
        ),
        (("run", "a", "--foo", "1"), "No such option '--foo'."),
        (("run", "a", "a.h5"), "mbsim run takes MODEL and no more (got also 'a.h5'); did you mean -o a.h5?"),
        (("diff", "a", "b", "c"), "mbsim diff takes FIRST and SECOND and no more (got also 'c')"),
        (("schema", "x"), "mbsim schema takes no argument (got 'x')"),
        (("draw", "swinging_rod", "--at", "inf"), "Invalid value for '--at': inf is not a finite number."),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(words: tuple[str, ...], line: str) -> None:
    assert line in said(*words)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_that_nobody_writes_into_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert f"{pipe} is no regular file" in said("info", str(pipe))
    assert f"{pipe}: nobody writes into this pipe" in said("import", str(pipe), "-o", str(tmp_path / "x.yaml"))


def test_a_model_in_place_of_a_result_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A format that is not known is said before that FILE, which may be a model, is no result."""
    monkeypatch.chdir(tmp_path)
    Path("m.yaml").write_text(MASSLESS)
    for words in (("info",), ("plot",), ("export", "-o", "x.csv")):
        assert "m.yaml is not a result of mbsim: it is a YAML file; `mbsim run m.yaml` writes" in said(words[0], "m.yaml", *words[1:])
    assert "the suffix says the format, of a result one of .csv, " in (text := said("export", "m.yaml", "-o", "x.xyz"))
    assert "of a model one of .c, .so, .dylib, .dll, .fmu" in text
    Path("r.h5").write_bytes(b"\x89HDF\r\n\x1a\n and more")
    assert "r.h5: the file is an HDF5 file, such as a result, and no model" in said("check", "r.h5")


def test_what_has_no_inertia_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(MASSLESS)
    for command in ("equilibrium", "modes"):
        assert "nothing has inertia in der(pin.angle)" in said(command, str(tmp_path / "m.yaml"))


def test_assemble_takes_what_load_model_takes() -> None:
    path = list_shipped()["four_bar"]
    made = mbsim.assemble(mbsim.load_model(path))
    for source in (path, str(path), "four_bar", path.read_text(encoding="utf-8")):
        assert mbsim.assemble(source).q.tolist() == made.q.tolist()
    with pytest.raises(mbsim.ModelError):
        mbsim.assemble("dimension: 2\nbodies: {}\n")


@pytest.mark.parametrize("text", ["t;x\n0,0;1,5\n0,5;2,5\n", "t\tx\n0,0\t1,5\n0,5\t2,5\n", "0,5 1,5\n1,0 2,5\n"])
def test_decimals_with_a_comma_are_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(text)
    source = (
        f"dimension: 2\nbodies: {{a: {{mass: 1, inertia: 1}}}}\ntables: {{f: {{file: '{tmp_path / 'x.csv'}'}}}}\nsimulation: {{end: 1}}\n"
    )
    with pytest.raises(mbsim.ModelError, match=r"decimals have a point, not a comma \(`decimal: comma` reads such numbers\)"):
        mbsim.load_model(source)
    (table,) = mbsim.load_model(source.replace("csv'", "csv', decimal: comma")).tables.values()
    np.testing.assert_array_equal(table.points, np.genfromtxt(text.replace(",", ".").replace(";", " ").splitlines())[-2:])
    (tmp_path / "x.csv").write_text(text.replace("0,5", "0.5").replace("1,0", "1.0"))
    with pytest.raises(mbsim.ModelError, match="with `decimal: comma` decimals have a comma, not a point"):
        mbsim.load_model(source.replace("csv'", "csv', decimal: comma"))
