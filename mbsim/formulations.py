"""Which kernels solve a system by a method. There is one dispatch: the run, the compiling ahead of it, drift, passages and `auto` ask it.

A method states in its file

    KERNELS = [("bare tree", "_alpha_tree"), ..., ("always", "generalized_alpha")]

The first line whose condition holds names the file of `mbsim.methods` with the kernels. A condition is a key of CONDITIONS, or
`option=word` of an option of the method. Where no line holds, the method does not take the system. A method without KERNELS has its
kernels in its own file and takes every system. What a file of kernels declares of itself (DRIFT, CROSSES) is read from that file.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mbsim import registry
from mbsim.elements.kinds import BEAM, MODAL
from mbsim.jit import compile_kernels
from mbsim.saddle.graph import Partition
from mbsim.system.remembered import remembered
from mbsim.system.system import System

if TYPE_CHECKING:
    from mbsim.model.schema import Model

Value = bool | float | str | None  # of an option of a method or an integrator

# What an evaluation costs decides what `auto` is (docs/choosing.md): of `svd` it grows with the cube of the freedoms, of `lagrange` with
# that of the rows, of `cfa` with the number of bodies. With steps of a given size `svd` passes singular positions more surely.
MANY_BODIES = 8  # with loops: from here on `cfa` is the faster one in any case, for chains of 8 with rk4 by 2.8
LARGE_TREE = 30  # in joint coordinates with rows: of chains with one or four ties a step of `aba` takes a fifth or a third of that of `svd`
# Bodies from which implicit steps by blocks are faster than by dense matrices, by the dimension: measured on chains with springs.
BLOCKS_FROM = {2: 2, 3: 5}

# Of methods that `auto` takes: those that factor M, the one to change to where M is ill-conditioned, the one whose blocks also serve the
# start and the rank of large systems. In joint coordinates M itself loses digits where bodies are far from the root of their tree: the one
# that forms it, the one to change to, and all that go by the bodies' own inertias.
FACTOR_MASS, WITHOUT_MASS, BLOCKS = ("lagrange", "cfa"), "svd", "cfa"
OVER_JUMPS = "lagrange"  # which projects all speeds after a step, and so takes away what a jump of what is prescribed has left
FORMS_MASS, ARTICULATED, BY_INERTIAS = "svd", "aba", ("aba", "cfa", "generalized_alpha")
# Methods that solve the equations as they are, which blocks of bodies know.
AS_THEY_ARE = ("aba", "cfa", "kane", "lagrange")
# Settings of `auto` where explicit steps crawl: with dense matrices, and by blocks of bodies.
IMPLICIT: dict[str, str] = {"integrator": "radau"}
IMPLICIT_BLOCKS: dict[str, str] = {"method": "generalized_alpha"}
# Where none are given: positions of a beam of 50 rods are right to 4e-6 of their way, speeds to 4e-5. The method is of order 2: each
# further digit takes three times the steps.
IMPLICIT_TOLERANCES: dict[str, float] = {"rtol": 1e-5, "atol": 1e-7}
# Likewise of a model with `beams`, whose thin parts shear and stretch millions of times a second: with a hundredth of `atol` a strip of
# 1 mm takes fifty times the steps, for digits of motions that nobody sees. Without a step they march by `radau`: where beams vibrate on it
# takes a half to a tenth of the time of `generalized_alpha`, where they are damped up to three times it, and is right to 1e-8 of the way.
OWN_BEAM_TOLERANCES: dict[str, float] = {"rtol": 1e-5, "atol": 1e-5}
BEAM_TOLERANCES: dict[str, float] = {"rtol": 1e-6, "atol": 1e-6}
# Likewise where friction of contacts acts on beams: whether it holds or slips follows from their fast motions.
ROUGH_BEAM_TOLERANCES: dict[str, float] = {"rtol": 1e-6, "atol": 1e-8}
# Likewise of elastic parts, whose fastest modes ring unseen. They are few: explicit steps of order 8 follow all of them in most models, and
# else `radau`, of order 5, passes over those that do not count. A method of order 2 takes 5 to 50 times as long. Explicit steps are near
# their limit of stability there. At 1e-6 an error of a coordinate that is let pass is one of a speed, times the frequency of its mode, a
# quarter of a period later: rows were off by 6 rad/s. At 1e-8 a run takes at most 1.4 times as long, and less where steps were refused.
EXPLICIT_PART_TOLERANCES: dict[str, float] = {"rtol": 1e-8, "atol": 1e-8}
PART_TOLERANCES: dict[str, float] = {"rtol": 1e-6, "atol": 1e-6}
IMPLICIT_PART_TOLERANCES: dict[str, float] = {"rtol": 1e-4, "atol": 1e-4}


def _always() -> bool:
    return True


class SettingError(ValueError):
    """A model is not taken with a setting of its `simulation` block; `key` names it, and is empty where it is not one alone."""

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True)
class Traits:
    """The properties of a system that the choice of a method and its kernels depends on; known before the model is assembled."""

    bodies: int  # 0: the user's own coordinates or functions
    in_joint_coordinates: bool
    has_rows: bool  # whether there are constraints
    is_tree: bool = False  # of bodies in absolute coordinates: whether joints that close no loop are all the constraints
    is_planar: bool = False  # of bodies in absolute coordinates: whether they are planar and nothing is driven
    is_rolling: bool = False  # of bodies in absolute coordinates: whether there are nonholonomic constraints
    is_free: bool = False  # of the user's own coordinates: whether there are as many freedoms as constraint rows, or more
    dimension: int | None = None  # of bodies
    has_beams: bool = False  # which are stiff whatever moves
    has_parts: bool = False  # elastic ones
    has_loaded_friction: bool = False  # which slips with an effort that depends on a reaction (`mbsim.kernels.slipping`)
    may_lose_rank: bool = False  # whether rows may become dependent (`mbsim.system.work.may_lose_rank`)
    # Whether the elimination by blocks of bodies knows all rows and laws. Of a model it is taken for granted that laws have derivatives.
    eliminates: Callable[[], bool] = field(default=_always, compare=False)

    @classmethod
    def of(cls, system: System) -> "Traits":
        """Those of a system."""
        from mbsim.system.work import may_lose_rank  # compiles

        bodies, joint = len(system.bodies), system.in_joint_coordinates
        planar, absolute = system.dimension == 2 and not system.drivers, bodies > 0 and not joint
        return cls(
            bodies,
            joint,
            system.n_rows > 0,
            is_tree=absolute and _is_tree(system),
            is_planar=absolute and planar,
            is_rolling=absolute and _is_rolling(system),
            is_free=not bodies and 2 * system.n_rows <= system.n_v,
            dimension=system.dimension,
            has_beams=BEAM in system.arrays.loads[:, 0],
            has_parts=MODAL in system.arrays.loads[:, 0],
            has_loaded_friction=system.slips.known,
            may_lose_rank=may_lose_rank(system),
            eliminates=lambda: _eliminates(system),
        )

    @classmethod
    def of_model(cls, model: "Model") -> "Traits":
        """Those of the system that a model will be assembled to, found without assembling it."""
        bodies, joint = len(model.bodies), model.in_joint_coordinates
        others, parts = bool(model.drivers or model.constraints), bool(model.elastic)
        has_rows = (_has_cut_joints(model) if joint else bool(model.joints)) or others or parts or bool(model.couplings)
        absolute = bodies > 0 and not joint
        held = [(name, f"{name}_{frame}") for name, part in model.elastic.items() for frame in part.seats]
        loops = _loops([*((found.first, found.second) for found in model.joints.values()), *held])
        equations = any(found.type in ("holonomic", "nonholonomic") for found in model.constraints.values())
        return cls(
            bodies,
            joint,
            has_rows,
            is_tree=absolute and not others and not parts and not model.couplings and not loops,
            is_planar=absolute and model.dimension == 2 and not model.drivers,
            is_rolling=absolute and any(found.OF_SPEEDS for found in model.constraints.values()),
            is_free=model.coordinates is not None and 2 * len(model.constraints) <= len(model.coordinates),
            dimension=model.dimension if bodies else None,
            has_beams=bool(model.beams),
            has_parts=parts,
            has_loaded_friction=has_loaded_friction(model),
            may_lose_rank=has_rows and not (absolute and not others and not loops),
            eliminates=lambda: not (joint and equations),
        )

    @property
    def by_blocks(self) -> bool:
        """Whether implicit steps are solved by blocks of bodies, in absolute coordinates.

        Dense matrices cost no more in small mechanisms. Loops of few bodies are left to them too: they find the rank in every step.
        """
        if self.dimension is None or self.in_joint_coordinates:
            return False
        return self.bodies >= (MANY_BODIES if self.may_lose_rank else BLOCKS_FROM[self.dimension]) and self.eliminates()


CONDITIONS: dict[str, Callable[[Traits], bool]] = {
    "always": lambda traits: True,
    "no tree": lambda traits: not traits.in_joint_coordinates,
    "bare tree": lambda traits: traits.in_joint_coordinates and not traits.has_rows,
    "tree with rows": lambda traits: traits.in_joint_coordinates and traits.has_rows,
    "large tree with rows": lambda traits: (
        traits.in_joint_coordinates and traits.has_rows and traits.bodies >= MANY_BODIES and traits.eliminates()
    ),
    "bodies by blocks": lambda traits: traits.by_blocks,
}


@dataclass(frozen=True)
class Kernels:
    """The compiled code that solves a system by a method."""

    file: str  # of `mbsim.methods`, or the word of a method of another package

    @property
    def module_name(self) -> str:
        """The module's whole name."""
        return registry.home("methods", self.file)

    def module(self) -> ModuleType:
        """The module. Its kernels are compiled, or loaded, when they are used."""
        return registry.imported(self.module_name, compile_kernels)

    def declares(self, name: str, default: object = None) -> Any:
        """The literal that the file assigns to `name`; the file is read and not imported."""
        return registry.declaration("methods", self.file, name, default)


def choose(of: System | Traits, method: str, options: Mapping[str, Value] | None = None) -> Kernels:
    """The kernels of a method, with these options, for a system. Raises ValueError for a system that the method does not take."""
    traits = of if isinstance(of, Traits) else Traits.of(of)
    kernels = _choose(traits, method, options or {})
    if kernels is not None:
        return kernels
    if not traits.in_joint_coordinates:
        said = f"the method '{method}' is for trees in joint coordinates; add `coordinates: joint` to the model"
        raise SettingError(said, "method")
    here = "" if isinstance(of, Traits) else f": {', '.join(dict.fromkeys(row.partition('[')[0] for row in of.rows))}"
    fitting = [word for word in registry.names("methods") if "tree with rows" in conditions(word)]
    raise SettingError(
        f"the method '{method}' is for trees without constraints in joint coordinates; here there are loops, drivers or equations{here}; "
        f"take {' or '.join(map(repr, fitting))}",
        "method",
    )


def fits(method: str, traits: Traits) -> bool:
    """Whether a method, with its default options, takes a system."""
    return _choose(traits, method, {}) is not None


def _choose(traits: Traits, method: str, options: Mapping[str, Value]) -> Kernels | None:
    declared = registry.declaration("methods", method, "KERNELS")
    for when, file in [("always", method)] if declared is None else declared:
        option, equals, word = when.partition("=")
        if options.get(option) == word if equals else CONDITIONS[when](traits):
            return Kernels(file)
    return None


def implicit_tolerances(traits: Traits) -> dict[str, float]:
    """Those of `generalized_alpha` where `auto` takes it and none are given."""
    return OWN_BEAM_TOLERANCES if traits.has_beams or traits.has_parts else IMPLICIT_TOLERANCES


def conditions(method: str) -> list[str]:
    """What a method's KERNELS ask of a system, one after the other; empty where its own file serves every system."""
    return [when for when, _ in registry.declaration("methods", method, "KERNELS") or ()]


def automatic_method(traits: Traits, options: Collection[str], controlled: bool = False, open_integrator: bool = False) -> tuple[str, str]:
    """The method that `auto` stands for with these options given, and why.

    `controlled`: the integrator chooses the steps; `open_integrator`: no integrator is given.
    """
    if own := registry.options("methods", "svd").keys() & set(options):
        return "svd", f"its option {min(own)} is given"
    elastic = "beams" if traits.has_beams else "elastic parts" if traits.has_parts else ""
    if elastic and open_integrator and not controlled and not traits.has_loaded_friction:
        return IMPLICIT_BLOCKS["method"], f"{elastic} are stiff, and explicit steps of a given size unstable"
    if elastic:
        return BLOCKS, f"{elastic}, which are several bodies each"
    if traits.in_joint_coordinates:
        if traits.has_rows and traits.bodies < LARGE_TREE:
            return "svd", f"joint coordinates with constraints, fewer than {LARGE_TREE} bodies"
        return "aba", f"a tree in joint coordinates {f'with {LARGE_TREE} bodies or more' if traits.has_rows else 'without constraints'}"
    if traits.bodies >= MANY_BODIES:
        return "cfa", f"{MANY_BODIES} bodies or more"
    if traits.is_tree:
        return "cfa", "no closed loops"
    if controlled and (traits.is_planar or traits.is_rolling):
        why = "bodies in the plane without drivers" if traits.is_planar else "rows of speeds, as of rolling or contacts"
        return "cfa", f"{why}, and error control"
    if traits.is_free:
        return "lagrange", "as many freedoms as constraints, or more"
    return "svd", f"fewer than {MANY_BODIES} bodies" if traits.bodies else "no bodies, but coordinates of the user's"


def automatic_integrator(
    traits: Traits, method: str, stepped: bool, controlled: bool = False
) -> tuple[str, str, Mapping[str, float] | None]:
    """The integrator that `auto` stands for beside a method that makes no steps, why, and its tolerances; None: the usual ones.

    `stepped`: a step is given; `controlled`: an option of error control, over a step that is for the rows then.
    """
    if stepped:
        return registry.automatic_integrator(stepped), "a step is given", {}
    searches = registry.declaration("methods", method, "SEARCHES", False)  # with explicit steps alone
    if traits.has_beams and not searches:
        of_beams = ROUGH_BEAM_TOLERANCES if traits.has_loaded_friction else BEAM_TOLERANCES
        return IMPLICIT["integrator"], "beams are stiff, and explicit steps would crawl", of_beams
    tolerances, given = EXPLICIT_PART_TOLERANCES if traits.has_parts else None, "an option of error control" if controlled else "no step"
    return registry.automatic_integrator(stepped), f"{given} is given, so that the error is controlled", tolerances


def has_loaded_friction(model: "Model") -> bool:
    """Whether friction of a model depends on reactions: that of contacts, and that of joints with a coefficient."""
    joints = any(one.coefficient is not None for joint in model.joints.values() for one in getattr(joint, "friction", ()))
    return joints or any(contact.is_rough for contact in model.contacts.values())


def deciding_module(model: "Model") -> str:
    """The module of the kernels that most likely decide at events what stops, contacts and dry friction of a model do; empty without."""
    joints = any(getattr(joint, "stops", ()) or getattr(joint, "friction", ()) for joint in model.joints.values())
    if model.simulation.impacts == "steps" or not (joints or model.contacts):
        return ""
    return f"mbsim.integrators._{'rubbing' if has_loaded_friction(model) else 'settling'}"


def stages_module(model: "Model") -> str:
    """The module of the march by coupled stages, where a run of a model most likely takes it; empty where not."""
    asked = model.simulation.integrator
    chosen = asked == "auto" and bool(model.beams) and model.simulation.step is None and model.simulation.method in ("auto", *AS_THEY_ARE)
    return "mbsim.integrators._implicit" if chosen or asked == IMPLICIT["integrator"] else ""


def refuses_loaded_friction(method: str, owns_steps: bool) -> str:
    """Why a method does not take such friction; empty where it does. It is found around a right-hand side, which not all of them have."""
    if owns_steps:
        does = "makes its own steps"
    elif registry.declaration("methods", method, "SEARCHES", False):
        does = "searches for its multipliers"
    else:
        return ""
    return f"{method} {does}: friction that depends on a reaction needs another method, such as svd, cfa or lagrange"


def _eliminates(system: System) -> bool:
    from mbsim.system.structure import is_known  # not needed before there is a system

    return is_known(system)


@remembered
def _is_tree(system: System) -> bool:
    """Whether joints that close no loop are all the constraints of a system."""
    rows = sum(found.rows.stop - found.rows.start for found in system.joints)
    return rows == system.n_rows and not _loops((joint.first, joint.second) for joint in system.joints)


@remembered
def _is_rolling(system: System) -> bool:
    """Whether a system has nonholonomic constraints."""
    return bool(set(range(system.n_holonomic, system.n_rows)) - {driver.row for driver in system.drivers})


def _loops(pairs: Iterable[tuple[Hashable, Hashable]]) -> bool:
    """Whether pairs of bodies close a loop, the ground among them."""
    together = Partition()
    return not all(together.join(first, second) for first, second in pairs)


def _has_cut_joints(model: "Model") -> bool:
    """Whether joints are cut: they close loops, are cut by the user, or have no motions of which to make coordinates."""
    together = Partition()
    from mbsim.model.lockable import lockable

    coming = lockable(model)
    for name, joint in model.joints.items():
        motions: Mapping[int | None, object] = getattr(joint, "MOTIONS", {})
        if joint.cut or name in coming or motions.get(model.dimension) is None or not together.join(joint.first, joint.second):
            return True
    return False
