"""What all FMUs have in common: made once, so that a linker alone makes units, and as a compiler of C has it."""

import shutil
import subprocess
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from exported import CART, WARNED, cart, compiled, needs_compiler, simulated
from test_stops_in_exchange import IN_THE_PLANE
from test_unit_events import BREAKING, eventful

from mbsim import export
from mbsim.programs import shim
from mbsim.programs.outputs import NotExportedError
from mbsim.programs.unit import unit_of

fmpy = pytest.importorskip("fmpy")
VERSIONS = sorted(shim.INTERFACES)
MODELS: dict[str, Any] = {"cart": cart(), "events": eventful(), "locks": yaml.safe_load(BREAKING), "stops": IN_THE_PLANE["arm"][0]}

EVERY = [(name, version, kind) for name in MODELS for version in VERSIONS for kind in ("CoSimulation", "ModelExchange")]
DEFAULT = [("locks", 2, "CoSimulation"), ("stops", 3, "ModelExchange")]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_file_is_that_of_its_source(version: int) -> None:
    """`python scripts/shim.py` makes it anew."""
    assert shim.assembly(version).partition("\n")[0] == shim.made_from(version)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ziglang") is None, reason="ziglang is not installed")
def test_the_script_gives_the_files(tmp_path: Path) -> None:
    """Of each kind of machines the same text, which is that of the package."""
    import importlib.util

    found = importlib.util.spec_from_file_location("shim_script", Path(__file__).parents[2] / "scripts" / "shim.py")
    assert found is not None and found.loader is not None
    script = importlib.util.module_from_spec(found)
    found.loader.exec_module(script)
    script.write(tmp_path)
    for version in VERSIONS:
        assert (tmp_path / f"fmi{version}.ll").read_text() == shim.assembly(version)


@needs_compiler
@pytest.mark.parametrize("version", VERSIONS)
def test_a_compiler_has_no_warnings(version: int, tmp_path: Path) -> None:
    (tmp_path / "unit.c").write_text(shim.text(version))
    done = subprocess.run(
        ["cc", *WARNED, "-O1", "-Wno-sign-compare", "-c", "unit.c"], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def path_with(folder: Path, *names: str) -> str:
    """A folder as PATH, with these programs alone."""
    folder.mkdir()
    for name in names:
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    return str(folder)


@pytest.mark.skipif(shutil.which("ld") is None, reason="there is no linker on this machine")
def test_a_linker_alone_makes_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("mbsim.programs.link.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", path_with(tmp_path / "path", "ld"))
    export(mechanisms.model(CART), tmp_path / "cart.fmu", ["push"], kind="both", method="lagrange", integrator="rk4")
    found = fmpy.simulate_fmu(str(tmp_path / "cart.fmu"), fmi_type="CoSimulation", stop_time=1.0, output_interval=0.02)
    assert np.isfinite(found["cart.x"]).all() and np.ptp(found["cart.x"]) > 0.01


def test_without_a_linker_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("mbsim.programs.link.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", path_with(tmp_path / "path"))
    with pytest.raises(NotExportedError, match=r"there is none: install binutils or gcc, or pip install 'mbsim\[fmu\]'"):
        export(mechanisms.model(CART), tmp_path / "cart.fmu")


@needs_compiler
def test_one_that_fails_leaves_it_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a linker that knows no folder with the C library. What the last one says is told."""
    monkeypatch.setenv("CC", "false")
    export(mechanisms.model(CART), tmp_path / "cart.fmu")
    monkeypatch.setattr("mbsim.programs.link.LINKERS", ())
    monkeypatch.setattr("mbsim.programs.link.COMPILERS", ())
    monkeypatch.setattr("mbsim.programs.link.find_spec", lambda name: None)
    with pytest.raises(NotExportedError, match="false failed"):
        export(mechanisms.model(CART), tmp_path / "again.fmu")


@needs_compiler
@pytest.mark.parametrize(
    ("name", "version", "fmi_type"), [one if one in DEFAULT else pytest.param(*one, marks=pytest.mark.slow) for one in EVERY]
)
def test_a_compiler_of_c_makes_the_same_unit(name: str, version: int, fmi_type: str, tmp_path: Path) -> None:
    """Bit for bit, with the messages of events."""
    model, settings = mechanisms.model(MODELS[name]), {"method": "lagrange", "kind": "both"}
    export(model, tmp_path / "it.fmu", fmi=version, **settings)
    (tmp_path / "c").mkdir()
    unit = unit_of(model, name="it", **settings)
    compiled(unit, version, tmp_path / "c", "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-O1", "-o", "it.so")
    with zipfile.ZipFile(tmp_path / "it.fmu") as made, zipfile.ZipFile(tmp_path / "c.fmu", "w") as other:
        for entry in made.namelist():
            other.writestr(entry, (tmp_path / "c" / "it.so").read_bytes() if entry.endswith(".so") else made.read(entry))
    found, said = [], []
    for file in ("it.fmu", "c.fmu"):
        heard: list[str] = []
        given = {"fmi_type": fmi_type, "stop_time": min(1.0, model.simulation.end), "output_interval": 0.02, "debug_logging": True}
        found.append(simulated(tmp_path / file, lambda *words, heard=heard: heard.append(str(words[-1])), **given))
        said.append(heard)
    assert all((found[0][column] == found[1][column]).all() for column in found[0].dtype.names)
    assert said[0] == said[1]
