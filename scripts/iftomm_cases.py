"""The benchmarks A01 to A05 of IFToMM's library, for mbsim and for Exudyn: which model, how it may be run, what is compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from benchmark_exudyn import mechanism
from command_line import MODELS
from exudyn_peer import BodyData, JointData, Mechanism


@dataclass(frozen=True)
class Candidate:
    """A way to run mbsim. `adaptive`: by tolerance, not by step."""

    method: str
    integrator: str = "auto"
    adaptive: bool = False

    def words(self, level: float) -> dict[str, Any]:
        """For `simulate`; the level is a step in s or a tolerance."""
        if self.adaptive:
            return {"method": self.method, "integrator": self.integrator, "rtol": level, "atol": level}
        return {"method": self.method, "integrator": self.integrator, "step": level}

    def arguments(self, level: float) -> list[str]:
        """For `mbsim run`."""
        words = ["--method", self.method] + (["--integrator", self.integrator] if self.integrator != "auto" else [])
        if self.adaptive:
            return [*words, "--option", f"rtol={level!r}", "--option", f"atol={level!r}"]
        return [*words, "--step", repr(level)]


FIXED, ADAPTIVE = ("rk4",), ("rk45", "dop853")


def ways(*methods: str, adaptive: Sequence[str] = ADAPTIVE) -> list[Candidate]:
    """Every method with rk4 and with the adaptive integrators."""
    return [Candidate(m, i) for m in methods for i in FIXED] + [Candidate(m, i, True) for m in methods for i in adaptive]


@dataclass
class Case:
    """One benchmark: mbsim's model, Exudyn's mechanism, and what is compared."""

    title: str
    required: float
    what: str  # the error, in words with its unit
    model: str
    candidates: list[Candidate]
    build: Callable[[], Mechanism]
    pick: Callable[[np.ndarray], np.ndarray]  # from the peer's coordinates at a time: what is compared
    names: tuple[str, ...]  # the same in mbsim's model
    guess: int = 2000  # steps of the peer
    redundant: bool = False
    published: str = ""


def whole(name: str, text: Callable[[str], str] = lambda text: text, **torques: float) -> Mechanism:
    """The peer's mechanism of a shipped model, whose text may have to be changed for absolute coordinates."""
    import mbsim
    from mbsim import registry
    from mbsim.model.load import load

    file = MODELS / f"{name}.yaml"
    model = load(text(file.read_text(encoding="utf-8")), registry, file=str(file))
    return mechanism(model, mbsim.assemble(model), torques)


def pendulum() -> Mechanism:
    """A01: a point mass and a rod."""
    mass = BodyData(1.0, np.zeros((1, 1)), np.array([-1.0, 0.0]), np.zeros(2))
    return Mechanism(2, np.array([0.0, -9.81]), [mass], [JointData("rod", (-1, 0), np.zeros((2, 2)), np.zeros((0, 3)))])


def absolute(text: str) -> str:
    """The governor in absolute coordinates, all of its bodies turning at the start."""
    names = ("shaft", "slider", "right", "left")
    speeds = ", ".join(f"{name}.angular_velocity: [0, 0, w]" for name in names)
    fixed = ", ".join(f"{name}.angular_velocity" for name in names)
    text = text[: text.index("reference:")].replace("coordinates: joint\n", "").replace("method: aba", "method: cfa")
    return text.replace("{der(bearing.angle): w}", f"{{{speeds}, fix: [{fixed}]}}")


_ALL = (
    Case(
        "A01 pendulum", 5e-5, "energy error, J", "iftomm_pendulum", ways("lagrange"),
        pendulum, lambda q: q, (), published="OpenSim 0.637 s, Exudyn 0.037 s",
    ),
    Case(
        "A02 four-bars, N = 2", 1e-4, "tip, half of it, m", "n_four_bar_2", ways("cfa", "svd", adaptive=()),
        lambda: whole("n_four_bar_2"), lambda q: q[:2], ("crank0.x", "crank0.y"),
        published="OpenSim 0.455 s, Exudyn 0.0776 s (at h = 0.01 s)",
    ),
    Case(
        "A03 Andrews' squeezer", 1e-3, "crank angle, rad", "andrews_squeezer_iftomm", ways("cfa", "svd"),
        lambda: whole("andrews_squeezer_iftomm", K1=0.033), lambda q: q[2:3], ("K1.angle",), published="OpenSim 0.384 s",
    ),
    Case(
        "A04 Bricard", 1e-4, "centre of the third rod, m", "bricard", ways("cfa", "svd"),
        lambda: whole("bricard"), lambda q: q[6:9], ("rod3.x", "rod3.y", "rod3.z"), redundant=True, published="OpenSim 0.258 s",
    ),
    Case(
        "A05 flyball governor", 1e-4, "slider, m", "flyball_governor",
        [*ways("aba", adaptive=("rk45", "radau")), Candidate("generalized_alpha")],
        lambda: whole("flyball_governor", absolute), lambda q: q[5:6] - 0.5, ("guide.displacement",), published="OpenSim 0.233 s",
    ),
)  # fmt: skip
CASES = {case.title[:3]: case for case in _ALL}
