"""`mbsim diff` and `mbsim cite`: what differs between two results, and how mbsim and a method are cited."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim import registry
from mbsim.cli import main
from mbsim.results import ResultError
from mbsim.results.difference import difference
from mbsim.version import commit

ROOT = Path(__file__).parents[2]


def ran(*words: str) -> tuple[int, str]:
    found = CliRunner().invoke(main, list(words))
    assert found.exception is None or isinstance(found.exception, SystemExit), found.output
    return found.exit_code, found.output


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same run twice, one with another step, one of another method, one with fewer rows."""
    folder = tmp_path_factory.mktemp("difference")
    made = {
        "one": {}, "again": {}, "coarse": {"step": 2e-3, "output_step": 2e-3}, "method": {"method": "lagrange"},
        "rows": {"output_step": 0.01},
    }  # fmt: skip
    for name, settings in made.items():
        mbsim.simulate("pendulum", end=0.2, output=folder / f"{name}.h5", **settings)
    return {name: folder / f"{name}.h5" for name in made}


def test_a_run_does_not_differ_from_itself(files: dict[str, Path]) -> None:
    code, said = ran("diff", str(files["one"]), str(files["again"]))
    assert code == 0 and said.splitlines()[-1] == "no variable differs"
    assert ran("diff", str(files["one"]), str(files["again"]), "--all")[1].count("\n") > 10


def test_what_is_infinite_in_both_does_not_differ(tmp_path: Path) -> None:
    """The radius of a way that is straight, and of one that bends."""
    model = {
        "name": "point", "dimension": 2, "bodies": {"b": {"mass": 1, "inertia": 1, "velocity": [2, 0]}},
        "forces": {"f": {"type": "force", "body": "b", "value": [0, "if_else(t < 0.5, 0, bend)"]}}, "parameters": {"bend": 0},
        "measures": {"radius": {"value": "der(b.x)/der(b.y)", "unit": "m"}}, "simulation": {"end": 1, "output_step": 0.1},
    }  # fmt: skip
    results = [mbsim.simulate(model, parameters={"bend": bend}) for bend in (0, 0, 1)]
    assert np.isinf(results[0]["radius"]).all() and difference(*results[:2]).within(0.0)
    assert not difference(*results[1:]).within(0.0)


def test_the_largest_difference_is_where_it_is_said_to_be(files: dict[str, Path]) -> None:
    code, said = ran("diff", str(files["one"]), str(files["method"]), "--json")
    facts = json.loads(said)
    assert code == 1 and not facts["same"] and {"name": "method", "first": "cfa", "second": "lagrange"} in facts["facts"]
    found = {row["name"]: row for row in facts["variables"]}
    with mbsim.open_result(files["one"]) as one, mbsim.open_result(files["method"]) as other:
        apart = np.abs(one["q"] - other["q"])
        row = found["q"]
        assert row["largest"] == apart.max() and row["size"] == pytest.approx(max(np.abs(one["q"]).max(), np.abs(other["q"]).max()))
        k = int(np.argmin(np.abs(one.time - row["time"])))
        assert apart[k, one.labels("coordinate").index(row["label"])] == apart.max()
    assert ran("diff", str(files["one"]), str(files["method"]), "--rtol", "1e-6")[0] == 0


def test_rows_of_the_same_time_are_compared(files: dict[str, Path]) -> None:
    code, said = ran("diff", str(files["one"]), str(files["rows"]), "--rtol", "1e-13")
    assert code == 0 and "21 rows of the same time" in said
    with mbsim.open_result(files["one"]) as one, mbsim.open_result(files["coarse"]) as coarse:
        found = difference(one, coarse)
        assert found.rows == 101 and not found.within(0.0) and found.within(1e-6)
        assert difference(coarse, one).rows == 101
    other = mbsim.simulate("pendulum", start=0.0, end=0.2)
    shifted = mbsim.simulate("four_bar", end=0.01)
    shifted._read("time")[:] += 5.0
    with pytest.raises(ResultError, match="no time in common"):
        difference(other, shifted)


def test_what_only_one_has_is_said(files: dict[str, Path], tmp_path: Path) -> None:
    mbsim.simulate("four_bar", end=0.01, output=tmp_path / "f.h5")
    code, said = ran("diff", str(files["one"]), str(tmp_path / "f.h5"), "--rtol", "1e9")
    assert code == 1 and "joint O (only one has it)" in said and "joint pin (only one has it)" in said
    assert ran("diff", str(files["one"]), str(tmp_path / "none.h5"))[0] == 2


def test_a_number_against_none_is_infinitely_far(files: dict[str, Path]) -> None:
    with mbsim.open_result(files["one"]) as one:
        first = mbsim.simulate("pendulum", end=0.2)
        first._read("q")[3, 0] = np.nan
        found = {change.name: change for change in difference(one, first).changes}
        assert found["q"].largest == np.inf and not difference(one, first).within(1e300)


def test_a_result_says_how_it_was_made(files: dict[str, Path]) -> None:
    from hashlib import sha256

    with mbsim.open_result(files["one"]) as one:
        assert one.attributes["model_sha256"] == sha256(one.model_yaml.encode()).hexdigest()
        assert one.attributes["platform"] and one.attributes.get("commit", "") == commit()


@pytest.mark.parametrize("method", registry.names("methods"))
def test_every_method_with_a_source_cites_its_paper(method: str) -> None:
    source = registry.declaration("methods", method, "SOURCE")
    code, said = ran("cite", "--method", method)
    assert code == 0 and said.startswith("The mbsim developers: mbsim")
    if source is None:
        assert len(said.splitlines()) == 1
    else:
        first = source["paper"].partition(",")[0].partition(" ")[0]
        assert (
            said.splitlines()[1].startswith(f"{first}, ") and said.splitlines()[-1] == f"{method}: {source['paper']}, {source['equations']}"
        )


def test_citations_of_a_result_and_of_all(files: dict[str, Path]) -> None:
    code, said = ran("cite", str(files["method"]), "--format", "bibtex")
    assert code == 0 and "@software{mbsim" in said and said.count("@article{") == 1 and "author = {Yang, Dongwu and Duan" in said
    assert said.count("{") == said.count("}")
    assert len(ran("cite")[1].splitlines()) == 1 + 4, "mbsim and the four papers"
    assert "did you mean 'svd'?" in ran("cite", "--method", "sdv")[1]


def test_the_version_of_a_checkout_names_its_commit() -> None:
    said = ran("--version")[1].strip()
    assert said == f"mbsim {mbsim.__version__}" + (f" (commit {commit()})" if commit() else "")
    if (ROOT / ".git").exists():
        assert len(commit()) == 12
