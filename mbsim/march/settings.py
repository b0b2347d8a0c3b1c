"""How a run is integrated and recorded. `resolve` is the one place where what is `auto`, or not given, is decided; it says why, too."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from mbsim import contracts, registry
from mbsim.formulations import (
    IMPLICIT_BLOCKS,
    SettingError,
    Traits,
    Value,
    automatic_integrator,
    automatic_method,
    choose,
    implicit_tolerances,
    refuses_loaded_friction,
)
from mbsim.march.kept_options import KINDS, OWN_TOLERANCES, asks_for_control, kept_options
from mbsim.march.orders import declared_order
from mbsim.march.wrong_settings import DRIFT, OWN, STEPS, corners, too_short, wrong_numbers, wrong_steps
from mbsim.model.resolution import SOLVER_STEPS
from mbsim.system.system import System

if TYPE_CHECKING:
    from mbsim.model.schema import Model, Simulation

DEFAULT_STEP = 1e-3  # s: a fixed step, or the time between rows of a prescribed motion, where none is given
ROWS = 1000  # intervals between output rows where error control chooses the steps and neither a step nor an output step is given
STEP_ERROR = 3e-6  # of the way of a step: the error at which steps of a given size are not taken
TOLERANCES = {"rtol": 1e-9, "atol": 1e-10}  # of the integrator that `auto` chooses without a step: six digits of the motion or more


@dataclass(frozen=True)
class Asked:
    """What a `simulation` block asks for, as plain data. What is None or `auto` is decided by `resolve`. Times in s."""

    end: float
    start: float = 0.0
    step: float | None = None
    output_step: float | None = None
    method: str = "auto"
    integrator: str = "auto"
    drift: str = "auto"
    drift_tolerance: float = 1e-10
    stop: str | None = None  # expression of t and state
    corners: str = "auto"  # of laws: whether steps end on them
    impact_law: str = "newton"
    simultaneous: bool = True  # impacts at one time
    impacts: str = "auto"  # how contacts are gone through
    options: Mapping[str, Value] = field(default_factory=dict)  # of the method and the integrator
    unused: tuple[str, ...] = ()  # options of others that stood in their place

    @classmethod
    def of(cls, block: "Simulation | Asked") -> "Asked":
        """The block of a model as plain data."""
        if isinstance(block, Asked):
            return block
        plain = {name: getattr(block, name) for name in FIELDS - {"stop"}}
        return cls(**plain, stop=None if block.stop is None else block.stop.text, options=dict(block.options), unused=tuple(block.unused))


UNUSED = "not used"  # what `Settings.choices` says of such an option
FIELDS = {entry.name for entry in fields(Asked)} - {"options", "unused"}
CALLED_WITH = ("parameters", "output", "progress", "forces", "record", "allow_wrong", "allow_native", "force")  # further ones of `simulate`
_DEFAULTS = {entry.name: entry.default for entry in fields(Asked) if entry.name in FIELDS - {"end", "step", "output_step"}}


@dataclass(frozen=True)
class Settings:
    """How a run is integrated and recorded, with nothing left open: what `resolve` returns. Times in s; `drift_tolerance` in m or rad."""

    end: float
    start: float
    step: float  # the largest; of an integrator that controls its error the time between rows where no `output_step` is given
    output_step: float | None  # every step when None
    method: str
    integrator: str  # OWN where the method makes its own steps
    drift: str
    drift_tolerance: float
    stop: str | None  # expression of t and state; the run ends where it crosses zero
    corners: str  # `locate`: steps end where laws change; `step_over`: they do not
    impact_law: str
    simultaneous: bool  # impacts at one time happen at once, not one after the other
    impacts: str  # `events`: located; `steps`: gone through by steps; `auto`: located, and by steps where events crowd
    options: Mapping[str, Value]  # of the method and of the integrator: those given, and the defaults
    choices: Mapping[str, str]  # field that was not given -> `what was chosen: why`

    @property
    def interval(self) -> float:
        """Time between output rows, s."""
        return self.output_step or self.step

    @property
    def controls_error(self) -> bool:
        """Whether the integrator chooses its steps by tolerances."""
        return "rtol" in self.options

    @property
    def locates_corners(self) -> bool:
        """Whether steps end where laws change."""
        return self.corners == "locate"

    @property
    def wrong(self) -> str:
        """Why the motion of the method with these options is wrong, as a published formula is; empty where it is not."""
        found = registry.declaration("methods", self.method, "WRONG")
        applies = found is not None and all(self.options.get(name) == value for name, value in found["options"].items())
        return str(found["reason"]) if applies else ""

    @property
    def unused(self) -> list[str]:
        """What is said of options in the block that what is given over it leaves no use for."""
        names = [name for name, said in self.choices.items() if said == UNUSED]
        words = " and ".join(dict.fromkeys(word for word in (self.method, self.integrator) if word != OWN))
        return [f"{', '.join(names)} of the model's `simulation` block: {UNUSED} by {words}"] if names else []

    @property
    def explicit(self) -> bool:
        """Whether steps are taken by an explicit rule."""
        kind = ("methods", self.method) if self.integrator == OWN else ("integrators", self.integrator)
        return not registry.declaration(*kind, "STIFF", False)

    @property
    def explicit_steps(self) -> bool:
        """Whether steps of a fixed size are."""
        return self.explicit and not self.controls_error

    def tolerance(self, name: str) -> float | None:
        """`rtol`, or `atol`, of an integrator that controls its error."""
        found = self.options.get(name)
        return None if found is None else float(found)

    def codes(self, rheonomic: bool) -> list[float]:
        """`Work.settings`, except for what the method itself writes there."""
        out = [0.0] * contracts.SETTINGS
        out[contracts.SETTING_DRIFT] = DRIFT[self.drift]
        out[contracts.SETTING_TOLERANCE] = self.drift_tolerance
        out[contracts.SETTING_RHEONOMIC] = float(rheonomic)
        out[contracts.SETTING_STEP] = self.step
        out[contracts.SETTING_INDEPENDENT] = float(registry.declaration("methods", self.method, "INDEPENDENT_SPEEDS", False))
        out[contracts.SETTING_CONTROLLED] = float(self.controls_error)
        out[contracts.SETTING_ORDER] = declared_order(self.method, self.integrator) or 0.0
        per_step = (registry.declaration("methods", self.method, "PER_STEP") or {}).get(self.integrator, {})
        given = {**self.options, **{name: x / self.step for name, x in per_step.items() if self.options.get(name) is None}}
        out[contracts.SETTING_STEP_ERROR] = float((self.tolerance("rtol") if self.controls_error else None) or STEP_ERROR)
        for kind, word, first in (
            ("methods", self.method, contracts.SETTING_METHOD),
            ("integrators", self.integrator, contracts.SETTING_INTEGRATOR),
        ):
            for i, (name, option) in enumerate(_options(kind, word).items()):
                out[first + i] = option.code(given.get(name))
        return out


def resolve(
    simulation: "Simulation | Asked | None", system: System, given: Mapping[str, object] | None = None, allow_wrong: bool = False
) -> Settings:
    """The settings of a run: the `simulation` block of a model with `given` (fields and options, from Python) put over it.

    `method` and `integrator` may carry options, `svd(hold=false)`, and `method` also `drift`. Options of the block that belong to a method
    or integrator which is not used any more are dropped; so is the block's integrator where the given method makes its own steps.
    Raises ValueError with everything that is wrong; also for a variant whose motion is known to be wrong, unless with `allow_wrong`.
    """
    settings = _resolve(simulation, given or {}, system)
    if settings.wrong and not allow_wrong:
        raise ValueError(f"{settings.wrong} (docs/errata.md); --allow-wrong, from Python allow_wrong=True, runs it nevertheless")
    return settings


def foreseen(model: "Model") -> Settings:
    """What `resolve` will return for the system of a model, before it is assembled. Raises ValueError with everything that is wrong."""
    return _resolve(model.simulation, {}, Traits.of_model(model))


def open_to_trial(settings: Settings, system: System) -> bool:
    """Whether a trial may put an implicit integrator in place of the explicit one that `resolve` chose (`mbsim.march.trial`).

    Neither integrator nor step is given, there are forces, which may be stiff, and no Python is called for them.
    """
    chosen = {"integrator", "step"} <= settings.choices.keys() and settings.controls_error and settings.integrator != OWN
    return bool(chosen and settings.explicit and _may_be_stiff(settings, system))


def bound_to_step(settings: Settings, system: System) -> bool:
    """The same where a step is given, but neither method nor integrator."""
    chosen = {"method", "integrator"} <= settings.choices.keys() and "step" not in settings.choices and settings.explicit_steps
    return bool(chosen and _may_be_stiff(settings, system))


def _may_be_stiff(settings: Settings, system: System) -> bool:
    acting = bool(system.loads or system.n_x or not system.bodies)
    searches = registry.declaration("methods", settings.method, "SEARCHES", False)
    return acting and system.failure is None and not searches


def _options(kind: str, word: str) -> Mapping[str, registry.Option]:
    """The options of a method ("methods") or an integrator ("integrators")."""
    return {} if word == OWN else registry.options(kind, word)


@dataclass
class _Draft:
    """Settings while they are decided. `values` are by field; what is not given is absent or `auto`."""

    values: dict[str, Any]
    options: dict[str, Any]
    choices: dict[str, str] = field(default_factory=dict)
    controlled: bool = False  # by options over a step of the block

    def choose(self, name: str, value: str, reason: str) -> None:
        """Fill in a field that was not given."""
        self.values[name], self.choices[name] = value, f"{value}: {reason}"

    @property
    def stepped(self) -> bool:
        """Whether a step is given."""
        return "step" in self.values

    def options_of(self, kind: str) -> Mapping[str, registry.Option]:
        """The options of the method ("methods") or the integrator ("integrators")."""
        return _options(kind, self.values[KINDS[kind]])


def _resolve(simulation: "Simulation | Asked | None", given: Mapping[str, object], of: System | Traits) -> Settings:
    """The decisions, one after the other. Raises ValueError with everything that is wrong."""
    traits = of if isinstance(of, Traits) else Traits.of(of)
    draft = _merge(simulation, given, traits)
    problems = [*wrong_numbers(draft.values), *_split(draft, "methods"), *_split(draft, "integrators")]
    defaults: Mapping[str, float] = {}
    unfit: list[str] = []  # why the method does not take the system
    if not problems:
        defaults, problem = _choose_integrator(draft, traits)
        problems = [problem] if problem else []
    if not problems:
        method = draft.values["method"]
        unfit = _choose_drift(draft, of)
        if traits.has_loaded_friction:
            unfit += filter(None, [refuses_loaded_friction(method, draft.values["integrator"] == OWN)])
        problems = [*unfit, *_read_options(draft, defaults)]
        draft.values["corners"], problem = corners(method, draft.values["integrator"], "rtol" in draft.options, draft.values["corners"])
        problems += wrong_steps(draft.values, draft.options)
        misfits = (registry.unsteady(method, draft.options), registry.inexact(method, draft.options))
        problems += filter(None, [problem, *misfits, registry.uncontrolled(draft.options)])
        problems += _idle_tolerance(draft, simulation, given)
        _choose_steps(draft)
        steps = {name: draft.options[name] for name in SOLVER_STEPS if name in draft.options}
        problems += too_short(steps, draft.values["start"], draft.values["end"])
    if problems:
        raise SettingError("; ".join(problems), "method" if problems == unfit else "")
    return Settings(**draft.values, options=draft.options, choices=draft.choices)


def _merge(simulation: "Simulation | Asked | None", given: Mapping[str, Any], traits: Traits) -> _Draft:
    """What is given in Python over what the block says, with a method."""
    block, options, unused = dict[str, Any](), dict[str, Any](), set[str]()
    if simulation is not None:
        asked = Asked.of(simulation)
        unused = set(asked.unused)
        block = {name: value for name in FIELDS if (value := getattr(asked, name)) is not None}
        options = dict(asked.options)
    over = {name: value for name, value in given.items() if name in FIELDS and value is not None}
    further = {name: value for name, value in given.items() if name not in FIELDS and name != "options"} | dict(given.get("options", {}))
    if "end" not in block | over:
        raise ValueError("end, the last time of the run in s, must be given for a system that no model file describes")
    draft = _Draft(_DEFAULTS | block | over, {})
    if draft.values["impacts"] == STEPS and not draft.stepped:
        draft.values["step"], draft.choices["step"] = DEFAULT_STEP, f"{DEFAULT_STEP:g} s: the default of steps through contacts"
    words = {name: str(draft.values[name]).partition("(")[0].strip() for name in KINDS.values()}
    if asks_for_control(block, over, options | further, words, traits.has_beams):
        rows, draft.controlled = draft.values.pop("step"), True
        draft.values["output_step"] = draft.values.get("output_step") or rows
    if str(draft.values["method"]).strip() == "auto":
        known = registry.knows("integrators", words["integrator"])
        integrator = words["integrator"] if known else registry.automatic_integrator(draft.stepped, traits.has_beams)
        controlled = "rtol" in registry.options("integrators", integrator)
        is_open = words["integrator"] in ("auto", OWN)
        draft.choose("method", *automatic_method(traits, options.keys() | further.keys(), controlled, is_open))
        words["method"] = draft.values["method"]
        tolerances = implicit_tolerances(traits)
        named = tolerances.keys() & (options.keys() | further.keys())
        if draft.values["method"] == IMPLICIT_BLOCKS["method"] and not draft.stepped and not named:
            further = {**further, **tolerances}
    replaced = "method" in over and "integrator" not in over and registry.knows("methods", words["method"])
    if replaced and registry.misfit(words["method"], words["integrator"]):
        draft.values["integrator"] = words["integrator"] = "auto"
    if (kept := kept_options(block, over, further, words, draft.stepped, traits.has_beams)) is not None:
        unused |= options.keys() - kept
        options = {name: value for name, value in options.items() if name in kept}
    draft.choices |= dict.fromkeys(sorted(unused - further.keys()), UNUSED)
    draft.options = options | further
    return draft


def _split(draft: _Draft, kind: str) -> list[str]:
    """Take `svd(hold=false)` apart and look the word up; returns the problems."""
    name = KINDS[kind]
    if not isinstance(draft.values[name], str):
        return [f"{name} must be a name, as `mbsim run --help` lists them (got {draft.values[name]!r:.60})"]
    try:
        word, found = registry.variant(draft.values[name])
    except ValueError as error:
        return [f"{name}: {error}"]
    if not (kind == "integrators" and word in ("auto", OWN)) and not registry.knows(kind, word):
        from mbsim.model.file.errors import did_you_mean

        words = registry.names(kind) + ["auto", OWN] * (kind == "integrators")
        return [f"unknown {name} {word!r}{did_you_mean(word, words)}"]
    draft.values[name] = word
    if name == "method" and "drift" in found:  # lagrange(drift=none): a setting that tells variants of a method apart
        if found["drift"] not in ("auto", *DRIFT):
            return [f"{name}: drift: expected auto or {' or '.join(DRIFT)} (got {found['drift'][:60]!r})"]
        draft.values["drift"] = found.pop("drift")
    draft.options |= found
    return []


def _choose_integrator(draft: _Draft, traits: Traits) -> tuple[Mapping[str, float], str]:
    """Settle the integrator; returns the tolerances that are its defaults where it is chosen here, and what is wrong."""
    method, integrator = draft.values["method"], draft.values["integrator"]
    if integrator in ("auto", OWN) and registry.declaration("methods", method, "OWNS_STEP", False):
        draft.choose("integrator", OWN, f"{method} makes its own steps")
    elif integrator == "auto":
        chosen, reason, tolerances = automatic_integrator(traits, method, draft.stepped, draft.controlled)
        draft.choose("integrator", chosen, reason)
        return TOLERANCES if tolerances is None else tolerances, ""
    elif misfit := registry.misfit(method, integrator):
        return {}, misfit
    elif integrator == OWN:
        return {}, f"the method {method!r} needs an integrator"
    return {}, ""


def _choose_drift(draft: _Draft, of: System | Traits) -> list[str]:
    """Settle the drift by what the kernels declare; returns why the method does not take the system."""
    try:
        kernels = choose(of, draft.values["method"], draft.options)
    except ValueError as error:
        return [str(error)]
    if draft.values["drift"] == "auto":
        declared = kernels.declares("DRIFT")
        for option, drifts in (kernels.declares("DRIFT_BY") or {}).items():
            declared = drifts.get(draft.options.get(option), declared)
        draft.choose("drift", declared or "full", f"the default of {draft.values['method']}" if declared else "the default")
    return []


def _idle_tolerance(draft: _Draft, simulation: "Simulation | Asked | None", given: Mapping[str, object]) -> list[str]:
    """What is wrong where a tolerance of the drift is given and nothing is corrected.

    That of the block is dropped where what is given over the block leaves the drift as it is.
    """
    method, drift = draft.values["method"], draft.values["drift"]
    if not registry.idle_tolerance(method, drift):
        return []
    over = given.get("drift_tolerance") is not None
    block = simulation is not None and not (given.keys() & {"method", "drift"}) and Asked.of(simulation).drift_tolerance
    if not over and block in (False, _DEFAULTS["drift_tolerance"]):
        return []
    return [f"drift_tolerance is not used: {method} with `drift: {drift}` corrects no drift; leave it away, or give `drift: full`"]


def _read_options(draft: _Draft, defaults: Mapping[str, float]) -> list[str]:
    """The options of the method and of the integrator, those given and the defaults; returns the problems."""
    of_method, of_integrator = draft.options_of("methods"), draft.options_of("integrators")
    given, allowed = draft.options, {**of_method, **of_integrator}
    words = f"the method {draft.values['method']!r} and the integrator {draft.values['integrator']!r}"
    problems = [f"{words} both have an option {name!r}, so that neither can be given" for name in of_method if name in of_integrator]
    draft.options = {}
    for name, option in allowed.items():
        try:
            draft.options[name] = option.read(given[name]) if given.get(name) is not None else defaults.get(name, option.default)
        except ValueError as error:
            problems.append(f"{name}: {error}")
    if draft.values["integrator"] == OWN and "rtol" in allowed:  # a method of equal steps, or with control of their error
        missing = {name: value for name, value in OWN_TOLERANCES.items() if draft.options.get(name) is None}
        draft.options = {name: value for name, value in draft.options.items() if name not in missing}
        draft.options |= missing if len(missing) < len(OWN_TOLERANCES) else {}
    for name in given.keys() - allowed.keys():
        from mbsim.model.file.errors import did_you_mean, nearest

        keys = [*FIELDS, *CALLED_WITH]
        hint = did_you_mean(name, [*allowed, *keys] if nearest(name, keys) else allowed)
        if name in OWN_TOLERANCES and draft.stepped and "integrator" in draft.choices:
            hint = ", which `auto` takes where a step is given: leave it out, or name the integrator"
        problems.append(f"unknown option {name!r} of {draft.values['method']} and {draft.values['integrator']}{hint}")
    return problems


def _choose_steps(draft: _Draft) -> None:
    """The step, and what the time between rows is."""
    values, controlled = draft.values, "rtol" in draft.options
    output, given = values.setdefault("output_step", None), draft.stepped
    if not given:
        values["step"] = (output or (values["end"] - values["start"]) / ROWS) if controlled else DEFAULT_STEP
        fixed = f"{DEFAULT_STEP:g} s: the default of a fixed step"
        draft.choices["step"] = "none: error control chooses the steps" if controlled else fixed
    if not output:
        reason = "every step" if not controlled else "the step that is given" if given else f"the run in {ROWS} parts"
        draft.choices["output_step"] = f"{values['step']:g} s: {reason}"
