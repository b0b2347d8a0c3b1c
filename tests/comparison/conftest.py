"""Methods that do not exist, in the registry and in the runs: one of each way to go wrong."""

from typing import Any

import numpy as np
import pytest
import samples
from samples import changed

import mbsim
from mbsim import registry
from mbsim.results import Result
from mbsim.studies.compare import worker

FAKES = ("wrong", "wrong_reaction", "wrong_energy", "failing", "refusing", "raising", "own_step", "low_order", "restless", "loose")


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
        asked = settings["step"]
        if integrator.startswith("adaptive"):
            # an adaptive integrator as far as the table can see: its step follows from its tolerance
            asked = tolerance = float(registry.variant(integrator)[1]["rtol"])
            settings |= {"step": 0.5 * tolerance**0.25, "integrator": "rk4"}
        result = simulate(made, **settings | ({"method": "lagrange", "integrator": "rk4"} if word in FAKES else {}))
        if word == "failing":
            raise mbsim.SimulationError("stopped at t = 0.5 s: the mass matrix is singular at rod.x", 0.5, result)
        if word == "wrong":
            return changed(result, q=lambda q, t: q + 1e-4 * t[:, None])
        if word == "low_order":  # of order 2 where rk4 has 4, and so it claims
            return changed(result, q=lambda q, t: q + 0.1 * asked**2 * t[:, None], v=lambda v, t: v + 0.1 * asked**2)
        if word == "restless":  # to and fro from step to half step
            side = (-1) ** round(np.log2(asked / 0.02))
            return changed(result, q=lambda q, t: q + 0.3 * side * t[:, None])
        if word == "loose":  # its error follows the tolerance, from far
            return changed(result, q=lambda q, t: q + 3e3 * asked * t[:, None])
        if word == "wrong_energy":
            return changed(result, energy_balance=lambda e, t: e + 0.1 * t)
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
