"""How a run is integrated and recorded: the fields of a model's `simulation` block, checked against the leaves that exist."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from mbsim import jit, registry
from mbsim.model.resolution import SOLVER_STEPS, step_fault
from mbsim.system.system import System

DRIFT = {"none": jit.DRIFT_NONE, "position": jit.DRIFT_POSITION, "full": jit.DRIFT_FULL}
_KINDS = {"methods": "method", "integrators": "integrator"}
MANY_BODIES = (
    8  # from which `auto` is `cfa`. Chains with rk4: cfa is the fastest from 2 bodies on, at 8 by 2.8 (svd) and 5.8 (lagrange); up
)
# to 7 bodies svd costs a few microseconds a step more and keeps velocity constraints to round-off.
STEP = 1e-3  # s: of a fixed step that is not given
ROWS = 1000  # intervals between output rows where error control chooses the steps and neither a step nor an output step is given
TOLERANCES = {"rtol": 1e-9, "atol": 1e-10}  # of the integrator that `auto` chooses without a step: six digits of the motion or more
NOT_GIVEN = float("nan")  # this object, not any NaN
OWN = "own"  # what stands for the integrator of a method that makes its own steps


@dataclass(frozen=True)
class Settings:
    """Times in s; `drift_tolerance` in the units of the residuals (m, rad). Raises ValueError with everything that is wrong.

    `method` and `integrator` may carry options, `svd(hold=false)`, and `method` also `drift`; `options` holds those of both, the given
    ones and the defaults.
    Where no `step` is given, `auto` is an integrator that controls its error. Afterwards `step` is a number: of such an integrator the time
    between rows where no `output_step` is given, of another one STEP.
    `integrator` and `drift` are `auto` or a word on entry and the word that applies afterwards; what `auto` is as a method depends on the
    system and is settled by `merged`.
    """

    end: float
    start: float = 0.0
    step: float = NOT_GIVEN
    output_step: float | None = None  # every step when None
    method: str = "svd"
    integrator: str = "auto"
    drift: str = "auto"
    drift_tolerance: float = 1e-10
    stop: str | None = None  # expression of t and state; the run ends where it crosses zero
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problems = [
            f"{name} must be positive (got {value})"
            for name in ("step", "drift_tolerance")
            if (value := getattr(self, name)) is not NOT_GIVEN and not value > 0
        ]
        if not self.end > self.start:
            problems.append(f"end must be after start (got start {self.start}, end {self.end})")
        if self.output_step is not None and not self.output_step > 0:
            problems.append(f"output_step must be positive (got {self.output_step})")
        problems += self._short({name: getattr(self, name) for name in ("step", "output_step")})
        if self.drift not in ("auto", *DRIFT):
            problems.append(f"unknown drift {self.drift!r}; allowed: auto, {', '.join(DRIFT)}")
        given = dict(self.options)
        for kind, name in _KINDS.items():
            problems += self._word(kind, name, given)
        if not problems:
            problems = self._resolve(given)
        if problems:
            raise ValueError("; ".join(problems))

    def _word(self, kind: str, name: str, given: dict[str, Any]) -> list[str]:
        """Split `svd(hold=false)` and look the word up; returns the problems."""
        words = registry.names(kind) + ["auto", OWN] * (kind == "integrators")
        try:
            word, found = registry.variant(getattr(self, name))
        except ValueError as error:
            return [f"{name}: {error}"]
        if word not in words:
            from mbsim.model.errors import did_you_mean

            return [f"unknown {name} {word!r}{did_you_mean(word, words)}"]
        object.__setattr__(self, name, word)
        if name == "method" and "drift" in found:  # lagrange(drift=none): a setting that tells variants of a method apart
            if found["drift"] not in ("auto", *DRIFT):
                return [f"{name}: drift: expected auto or {' or '.join(DRIFT)} (got {found['drift'][:60]!r})"]
            object.__setattr__(self, "drift", found.pop("drift"))
        given |= found
        return []

    def _resolve(self, given: dict[str, Any]) -> list[str]:
        """Settle what is `auto` and read the options; returns the problems."""
        own = bool(registry.declaration("methods", self.method, "OWNS_STEP", False))
        stepped, defaults = self.step is not NOT_GIVEN, dict[str, float]()
        if self.integrator == "auto" or (own and self.integrator == OWN):
            defaults = {} if own or stepped else TOLERANCES
            object.__setattr__(self, "integrator", OWN if own else registry.automatic_integrator(stepped))
        elif misfit := registry.misfit(self.method, self.integrator):
            return [misfit]
        elif self.integrator == OWN:
            return [f"the method {self.method!r} needs an integrator"]
        if self.drift == "auto":
            object.__setattr__(self, "drift", registry.declaration("methods", self.method, "DRIFT", "full"))
        problems: list[str] = []
        options: dict[str, Any] = {}
        allowed = dict(self.allowed("methods")) | dict(self.allowed("integrators"))
        for name, option in allowed.items():
            try:
                options[name] = option.read(given[name]) if given.get(name) is not None else defaults.get(name, option.default)
            except ValueError as error:
                problems.append(f"{name}: {error}")
        for name in given.keys() - allowed.keys():
            from mbsim.model.errors import did_you_mean

            problems.append(f"unknown option {name!r} of {self.method} and {self.integrator}{did_you_mean(name, allowed)}")
        object.__setattr__(self, "options", options)
        if not stepped:
            chosen = (self.output_step or (self.end - self.start) / ROWS) if "rtol" in options else STEP
            object.__setattr__(self, "step", chosen)
        return problems + self._short({name: options[name] for name in SOLVER_STEPS if name in options})

    def _short(self, steps: Mapping[str, Any]) -> list[str]:
        """Steps that are too short for the time."""
        faults = {name: step_fault(value, self.start, self.end) for name, value in steps.items()}
        return [f"{name} is {fault}" for name, fault in faults.items() if fault]

    def allowed(self, kind: str) -> Mapping[str, registry.Option]:
        """The options of the chosen method ("methods") or integrator ("integrators")."""
        word = getattr(self, _KINDS[kind])
        return {} if word == OWN else registry.options(kind, word)

    def codes(self, rheonomic: bool) -> list[float]:
        """`Work.settings`, but for what the method itself says."""
        out = [0.0] * jit.SETTINGS
        out[jit.SETTING_DRIFT] = DRIFT[self.drift]
        out[jit.SETTING_TOLERANCE] = self.drift_tolerance
        out[jit.SETTING_RHEONOMIC] = float(rheonomic)
        out[jit.SETTING_STEP] = self.step
        out[jit.SETTING_EVENT] = float(self.stop is not None)
        out[jit.SETTING_INDEPENDENT] = float(registry.declaration("methods", self.method, "INDEPENDENT_SPEEDS", False))
        for kind, first in (("methods", jit.SETTING_METHOD), ("integrators", jit.SETTING_INTEGRATOR)):
            for i, (name, option) in enumerate(self.allowed(kind).items()):
                out[first + i] = option.code(self.options[name])
        return out


def automatic(bodies: int, options: Collection[str], tree: bool | None = None) -> str:
    """The method that `auto` stands for: `cfa` for many bodies, else `svd`, and `svd` where one of its options is given.

    In joint coordinates (`tree` is not None) `aba` where there are no constraints, else `svd`.
    """
    if registry.options("methods", "svd").keys() & set(options):
        return "svd"
    if tree is not None:
        return "aba" if tree else "svd"
    return "cfa" if bodies >= MANY_BODIES else "svd"


def merged(block: Any, given: Mapping[str, Any], system: System) -> Settings:
    """The settings of a model's `simulation` block with those given in Python put over them, for a system.

    Options of the file that belong to a method or integrator which is not used any more are dropped, like the file's integrator where
    the given method makes its own steps.
    """
    names = Settings.__dataclass_fields__.keys() - {"options"}
    values = {name: value for name in names if (value := getattr(block, name)) is not None} if block is not None else {}
    options = dict(block.options) if block is not None else {}
    if values.get("stop") is not None:
        values["stop"] = values["stop"].text
    chosen = {name: value for name, value in given.items() if name in names}
    extra = {name: value for name, value in given.items() if name not in names and name != "options"} | dict(given.get("options", {}))
    if str((values | chosen).get("method", "auto")).strip() == "auto":
        (chosen if "method" in chosen else values)["method"] = automatic(
            len(system.bodies), options.keys() | extra.keys(), not system.n_rows if system.in_joint_coordinates else None
        )
    words = {name: str((values | chosen).get(name, "auto")).partition("(")[0].strip() for name in _KINDS.values()}
    replaced = "method" in chosen and "integrator" not in chosen and words["method"] in registry.names("methods")
    if replaced and registry.misfit(words["method"], words["integrator"]):
        values["integrator"] = words["integrator"] = "auto"
    if chosen.keys() & set(_KINDS.values()):
        kept: set[str] = set()
        automatic_one = registry.automatic_integrator("step" in values | chosen)
        for kind, name in _KINDS.items():
            word = automatic_one if words[name] == "auto" else words[name]
            kept |= set(registry.options(kind, word)) if word in registry.names(kind) else set()
        options = {name: value for name, value in options.items() if name in kept}
    return Settings(**(values | chosen), options=options | extra)
