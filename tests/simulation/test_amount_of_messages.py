"""`-q` and `-v` say less and more on stderr, before the command and among its options."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from mbsim.cli import main

MODEL = """
name: falling point
dimension: 2
gravity: [0, -9.81]
bodies:
  stone: {mass: 1, inertia: 0.1, position: [0, 0]}
simulation: {end: 0.1, step: 0.01}
"""


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("option", ["-q", "--quiet", "-v", "--verbose", None])
def test_as_much_as_was_asked_for(option: str | None, before: bool, tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(MODEL, encoding="utf-8")
    given = [option] if option else []
    words = ["run", str(tmp_path / "model.yaml"), "-o", str(tmp_path / "x.h5")]
    done = CliRunner().invoke(main, [*given, *words] if before else [*words, *given])
    assert done.exit_code == 0, done.output
    summary, more = "falling point: 0.1 s of motion" in done.stderr, "compiled code:" in done.stderr
    assert (summary, more) == (option not in ("-q", "--quiet"), option in ("-v", "--verbose"))
