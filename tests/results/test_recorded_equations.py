"""The constraint force equations that a run records on request: they reproduce its accelerations, and other mechanisms are refused."""

from pathlib import Path

import h5py
import numpy as np
import pytest
from click.testing import CliRunner
from mechanisms import close

import mbsim
from mbsim.cli import main
from mbsim.model.names import RESULT_NAMES
from mbsim.results import ResultError, open_result
from mbsim.results.schema import EQUATION_PREFIX, EQUATIONS

SHORT = ("--end", "1", "--output-step", "0.5", "--method", "aba")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the space robot whose equations were asked for."""
    path = tmp_path_factory.mktemp("run") / "robot.h5"
    done = CliRunner().invoke(main, ["run", "space_robot", *SHORT, "--record", "equations", "-o", str(path)], prog_name="mbsim")
    assert done.exit_code == 0, done.output
    return path


def test_they_reproduce_the_accelerations_of_the_run(recorded: Path) -> None:
    with open_result(recorded) as result:
        assert len(result.time) == 3
        e = {name.removeprefix(EQUATION_PREFIX): result[name] for name in EQUATIONS}
        order = [result.labels("speed").index(speed) for speed in result.labels("equation_free")]
        large = np.abs(result["acceleration"]).max()
        for k in range(3):
            F_S = np.linalg.solve(e["A"][k], -e["B"][k] @ e["F_T"][k])
            close(e["F_S"][k], F_S, atol=1e-9 * np.abs(F_S).max())
            exact = result["acceleration"][k][order]
            close(e["C"][k] @ e["F_T"][k] + e["B"][k].T @ F_S, exact, atol=1e-10 * large)
            close(e["Q_dot"][k], exact, atol=1e-10 * large)
            PW = e["P"][k] @ e["W"][k]
            close(PW.T @ np.linalg.solve(e["I"][k], PW), e["A"][k], atol=1e-10 * np.abs(e["A"][k]).max())
        assert np.abs(e["P"][2] - e["P"][0]).max() > 1e-6, "every row has its own"


def test_names_shapes_and_units_are_in_the_file(recorded: Path) -> None:
    """n = 9 bodies, N = 14 speeds."""
    shapes = {"(6 n, 6 n)": (54, 54), "(6 n, N)": (54, 14), "(6 n, 6 n - N)": (54, 40), "(6 n - N, 6 n - N)": (40, 40)}
    shapes |= {"(6 n - N, N)": (40, 14), "(N, N)": (14, 14), "(N,)": (14,), "(6 n - N,)": (40,), "(6 n,)": (54,)}
    with h5py.File(recorded) as file:
        for name in EQUATIONS:
            said = file[name].attrs
            assert file[name].shape == (3, *shapes[said["shape"].decode()]) and said["units"] and said["long_name"]
    with open_result(recorded) as result:
        assert result.units("equations_F_T", "der(J11.angle)") == "N m" and result.units("equations_F_T", "der(base.x)") == "N"
        assert result.units("equations_Q_dot", "der(J11.angle)") == "rad s-2"
        assert result.units("equations_bias", "L11.force.z") == "N" and result.units("equations_V_dot", "hub.moment.x") == "rad s-2"
        assert {result.units("equations_F_S", f"L11[{i}]") for i in range(5)} == {"N", "N m"}
        assert result.select("equations_A", "L11[0]", "L11[0]").shape == (3,)
        assert result.layout().equations.wrenches[:2] == ["L24.moment.x", "L24.moment.y"]
        assert "equations_A" in result.to_xarray()
    assert set(EQUATIONS) <= RESULT_NAMES
    told = CliRunner().invoke(main, ["info", str(recorded), "--wide"], prog_name="mbsim")
    assert told.exit_code == 0 and "equation_blocked 40, equation_free 14" in told.output


def test_a_run_does_not_have_them_unasked_and_has_them_in_memory() -> None:
    short = {"end": 0.02, "output_step": 0.01, "method": "aba"}
    with pytest.raises(ResultError, match="equations_A"):
        mbsim.simulate("space_robot", **short)["equations_A"]
    assert mbsim.simulate("space_robot", record=["equations"], **short)["equations_A"].shape == (3, 40, 40)


@pytest.mark.parametrize(("model", "reason"), [("pendulum", "coordinates: joint"), ("four_bar", "coordinates: joint")])
def test_other_mechanisms_are_refused(model: str, reason: str, tmp_path: Path) -> None:
    words = ["run", model, "--end", "0.01", "--record", "equations", "-o", str(tmp_path / "x.h5")]
    refused = CliRunner().invoke(main, words, prog_name="mbsim")
    assert refused.exit_code == 2 and reason in refused.output and "Traceback" not in refused.output
    assert not list(tmp_path.iterdir())


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match="record: unknown 'equation'; did you mean 'equations'"):
        mbsim.simulate("space_robot", end=0.01, record=["equation"])
