"""What public functions take as a model: all take the same kinds, or refuse with a sentence, and no path is opened that is none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import mbsim
from mbsim.cli.models import list_shipped

TEXT = list_shipped()["pendulum"].read_text()
END = {"end": 0.01}
VARY, OUTPUTS = {"m": {"from": 0.9, "to": 1.1}}, {"swing": "max(rod.angle)"}
MODELS: dict[str, Callable[[], Any]] = {
    "path": lambda: list_shipped()["pendulum"],
    "name": lambda: "pendulum",
    "text as long as no path": lambda: TEXT + f"# {'x' * 5000}\n",
    "data": lambda: yaml.safe_load(TEXT),
    "model": lambda: mbsim.load_model(TEXT),
}
NO_MODELS: dict[str, Any] = {
    "none": None, "number": 3, "bytes": b"pendulum", "empty": "", "too long": "x" * 5000, "one line": "bodies: {a: 1}",
    "system": lambda: mbsim.assemble("pendulum").system,
}  # fmt: skip


def fitted(model: Any) -> Any:
    table = {"time": [0.0, 0.005, 0.01], "angle": [0.0, 0.0, 0.0]}
    return mbsim.fit(model, VARY, table, {"rod.angle": "angle"}, simulation=END, workers=1)


ENTRIES: dict[str, Callable[[Any], Any]] = {
    "load_model": mbsim.load_model,
    "assemble": mbsim.assemble,
    "simulate": lambda m: mbsim.simulate(m, **END),
    "Runner": lambda m: mbsim.Runner(m, **END).run([]),
    "Stepper": mbsim.Stepper,
    "compare": lambda m: mbsim.compare(m, methods=["lagrange"], steps=[0.005], reference="auto", repeats=1, **END),
    "study": lambda m: mbsim.study(m, {"m": [0.9, 1.0]}, OUTPUTS, simulation=END, workers=1),
    "optimize": lambda m: mbsim.optimize(
        m, VARY, OUTPUTS, minimize="swing", method="nelder-mead", options={"maxiter": 1}, simulation=END, workers=1
    ),
    "fit": fitted,
    "sensitivity": lambda m: mbsim.sensitivity(m, {"m": {"normal": {"mean": 1.0, "std": 0.1}}}, OUTPUTS, simulation=END, workers=1),
    "equilibrium": mbsim.equilibrium,
    "equilibria": lambda m: mbsim.equilibria(m, "l", 0.9, 1.0, count=2),
    "modes": mbsim.modes,
    "root_locus": lambda m: mbsim.root_locus(m, "l", [0.9, 1.0]),
}
OF_SYSTEMS: dict[str, Callable[[Any], Any]] = {
    "redundancy": lambda s: mbsim.redundancy(s, 0.0, np.zeros(3)),
    "inverse_dynamics": lambda s: mbsim.inverse_dynamics(s, 0.0, np.zeros(3), np.zeros(3), np.zeros(3)),
    "forward_kinematics": lambda s: mbsim.forward_kinematics(s, 0.0, np.zeros(3)),
    "constraint_force_equations": lambda s: mbsim.constraint_force_equations(s, 0.0, np.zeros(3), np.zeros(3)),
}
REFUSED = {  # of a pendulum: that it is refused for what it is says that it was read
    "linearize": (lambda m: mbsim.linearize(m, ["m"], ["rod.angle"]), "an input is force:NAME or driver:NAME"),
    "inverse": (mbsim.inverse, "the drivers leave 1 degree of freedom"),
    "kinematics": (mbsim.kinematics, "the drivers leave 1 degree of freedom"),
    "holding": (lambda m: mbsim.holding(m, "m"), "the model has no stops"),
    "export": (lambda m: mbsim.export(m, "model.fmu", inputs=["nothing"]), "nothing"),
}


def test_all_public_functions_are_here() -> None:
    """Those that take neither a model nor a system are named."""
    others = {"callable_system", "register", "sampled", "open_result", "System", "ModelError", "SimulationError", "SimulationInterrupted",
              "StartError"}  # fmt: skip
    assert {*ENTRIES, *OF_SYSTEMS, *REFUSED, *others} == set(mbsim.__all__)


@pytest.mark.parametrize(("entry", "kind"), [(e, k) for e in ENTRIES for k in MODELS if e != "compare" or k in ("name", "data")])  # slow
def test_takes(entry: str, kind: str) -> None:
    assert ENTRIES[entry](MODELS[kind]()) is not None


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("entry", REFUSED)
def test_reads(entry: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, said = REFUSED[entry]
    with pytest.raises(ValueError, match=said):
        call(MODELS[kind]())


@pytest.mark.parametrize("kind", NO_MODELS)
@pytest.mark.parametrize("entry", [*ENTRIES, *REFUSED])
def test_refuses(entry: str, kind: str) -> None:
    given = NO_MODELS[kind]() if callable(NO_MODELS[kind]) else NO_MODELS[kind]
    if kind == "system" and entry in ("simulate", "compare"):
        pytest.skip("takes systems")
    call = ENTRIES[entry] if entry in ENTRIES else REFUSED[entry][0]
    with pytest.raises((TypeError, ValueError, mbsim.ModelError, FileNotFoundError)) as caught:
        call(given)
    said = {
        "empty": "a model is given by the path of its file",
        "too long": "'" + "x" * 120 + "...' cannot be the path of a model: file name too long",
        "one line": "'bodies: {a: 1}' is neither a file nor a shipped model",
        "system": "a model is a path, the name of a shipped model, YAML text or a dictionary (got System; give the model that it was",
    }.get(kind, f"a model is a path, the name of a shipped model, YAML text or a dictionary (got {type(given).__name__})")
    assert said in str(caught.value)


@pytest.mark.parametrize("given", ["pendulum", None, TEXT])
@pytest.mark.parametrize("entry", OF_SYSTEMS)
def test_of_systems(entry: str, given: Any) -> None:
    with pytest.raises(TypeError, match=rf"{entry} takes the system of an assembled model, .* \(got {type(given).__name__}\)"):
        OF_SYSTEMS[entry](given)
