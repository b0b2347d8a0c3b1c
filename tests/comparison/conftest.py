"""Methods that do not exist, in the registry and in the runs: one of each way to go wrong."""

from typing import Any

import pytest
import samples

import mbsim
from mbsim import registry
from mbsim.results import Result
from mbsim.results.read import in_memory
from mbsim.studies.compare import worker

FAKES = ("wrong", "wrong_reaction", "failing", "refusing", "raising", "own_step")


def changed(result: Result, **functions: Any) -> Result:
    """The result with functions of (array, time) applied to some variables."""
    _, (arrays, *rest) = result.__reduce__()
    return in_memory({name: functions[name](x, result.time) if name in functions else x for name, x in arrays.items()}, *rest)


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods FAKES and an integrator `adaptive` with tolerances, on top of the real ones; for runs in this process."""
    names, options, declaration, simulate = registry.names, registry.options, registry.declaration, worker.simulate
    extra = {"methods": FAKES, "integrators": ("adaptive",)}

    def fake_declaration(kind: str, word: str, name: str, default: Any = None) -> Any:
        if word in FAKES or word == "adaptive":
            return (name == "OWNS_STEP" and word == "own_step") or default
        return declaration(kind, word, name, default)

    def fake_simulate(made: Any, **settings: Any) -> Result:
        word, integrator = settings["method"], settings["integrator"]
        if word == "refusing":
            raise ValueError("this method needs independent constraints")
        if word == "raising":
            raise ZeroDivisionError("division by zero")
        if word == "own_step":
            assert integrator == "auto"
        if integrator.startswith("adaptive"):
            # an adaptive integrator as far as the table can see: its step follows from its tolerance
            tolerance = float(registry.variant(integrator)[1]["rtol"])
            settings |= {"step": 0.5 * tolerance**0.25, "integrator": "rk4"}
        result = simulate(made, **settings | ({"method": "lagrange", "integrator": "rk4"} if word in FAKES else {}))
        if word == "failing":
            raise mbsim.SimulationError("stopped at t = 0.5 s: the mass matrix is singular at rod.x", 0.5, result)
        if word == "wrong":
            return changed(result, q=lambda q, t: q + 1e-4 * t[:, None])
        if word == "wrong_reaction":
            return changed(result, joint_force=lambda f, t: 1.01 * f)
        return result

    monkeypatch.setattr(registry, "names", lambda kind: sorted([*names(kind), *extra.get(kind, ())]))
    monkeypatch.setattr(registry, "declaration", fake_declaration)
    monkeypatch.setattr(
        registry, "options", lambda kind, word: samples.TOLERANT if word == "adaptive" else {} if word in FAKES else options(kind, word)
    )
    monkeypatch.setattr(worker, "simulate", fake_simulate)


@pytest.fixture(scope="session")
def pendulum() -> Any:
    """An assembly, which runs in this process."""
    from mbsim.model.load import load

    return mbsim.assemble(load(samples.PENDULUM, registry, file="pendulum.yaml"))
