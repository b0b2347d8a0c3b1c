"""The modules of compiled code that a run uses. A run imports what is named here, and a first run compiles the same ahead."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from mbsim import contracts, jit, registry
from mbsim.formulations import AS_THEY_ARE, Traits, choose
from mbsim.march.blas_threads import Unthreaded
from mbsim.march.orders import declared_order
from mbsim.march.settings import Settings
from mbsim.march.wrong_settings import OWN
from mbsim.system.native import require_allowed
from mbsim.system.system import Floats, System

FLOW_BLOCKS_FROM = 150  # speeds from which `bdf`, `radau` and `ida` are faster by blocks: measured on beams and chains
# and from which the stages of compiled steps are, by whether the coordinates are those of joints: dense matrices have exact derivatives
STAGE_BLOCKS_FROM = {False: 30, True: 40}

MarchKernel = Callable[
    [contracts.MethodFunctions, contracts.SystemFunctions, contracts.Arrays, contracts.Work, Floats, float, Floats, Floats, Floats, Floats],
    int,
]  # of the contract MARCH: a kernel, or Python that drives a library's solver


@dataclass(frozen=True)
class Stepper:
    """What takes the steps of a run: an integrator, or the method itself."""

    march: Callable[[], MarchKernel]  # a march from one state on; one that drives a library's solver remembers that solver
    scratch: int  # rows as long as z that a march needs
    order: float  # on smooth motions; NaN where none is declared
    through_contacts: bool = False  # by steps that locate no event of contacts: rows between are not asked for, and no error is estimated


def flows_by_blocks(system: System) -> bool:
    """Whether the linear systems of implicit integrators are solved by blocks of bodies, as those of many are."""
    return system.n_v >= FLOW_BLOCKS_FROM and blocks_know(system)


def blocks_know(system: System) -> bool:
    """Whether blocks of bodies know all rows and laws of a system."""
    if system.dimension is None:
        return False
    return (system.in_joint_coordinates and not system.n_rows) or Traits.of(system).eliminates()


def takes_stages(settings: Settings) -> bool:
    """Whether an integrator's coupled stages are compiled ones."""
    return settings.options.get("solver") == "compiled" and settings.options.get("jacobian") == "auto"


def stages_by_blocks(method: str, system: System) -> bool:
    """Whether their linear systems are solved by blocks of bodies, as those of many are; else by dense matrices."""
    many = system.n_v >= STAGE_BLOCKS_FROM[system.in_joint_coordinates] and not system.n_x and not system.slips.known
    return many and method in AS_THEY_ARE and blocks_know(system)


def stage_blocks(settings: Settings, system: System) -> Any:
    """What makes the pencil of their linear systems by blocks of bodies; None where dense matrices are to be taken."""
    if not stages_by_blocks(settings.method, system):
        return None
    from mbsim.march.stage_blocks import block_pencil  # compiles

    return partial(block_pencil, system)


def stepper(settings: Settings, system: System) -> Stepper:
    """What takes the steps. Raises ValueError for an integrator that needs a package which is missing."""
    if system.units is not None:
        system.units.require_allowed()
        _require_rates(settings, system.units.controllers)
        system.units.tell(settings.tolerance("rtol"))
    found = _plain_stepper(settings, system)
    if system.samples is None:
        return found
    from mbsim.integrators._sampled import sampled  # compiled where it is needed only

    samples = system.samples
    require_allowed(samples.native)
    if samples.native:
        samples.function.tell(settings.tolerance("rtol"))
    table = samples.table(settings.start)
    if samples.native and (called := samples.function.called()) is not None:
        march = sampled(found.march, called, table)
        if isinstance(march(), partial):  # compiled, the samples excepted
            return replace(found, march=lambda: Raising(march(), called))
    return replace(found, march=sampled(found.march, samples.function, table))


def _require_rates(settings: Settings, units: tuple[str, ...]) -> None:
    """Raises ValueError for a method that makes its own steps: it needs derivatives of laws, which units are not asked for."""
    if settings.integrator != OWN:
        return
    raise ValueError(
        f"{settings.method} needs derivatives of what the units for model exchange ({', '.join(units)}) do, which they are not asked for: "
        f"take a method with an integrator ({', '.join(registry.names('integrators'))}), or the units for co-simulation, with `sample`"
    )


class Raising:
    """A compiled march that calls units at its samples; it raises what these do."""

    def __init__(self, march: MarchKernel, samples: Any) -> None:
        """`samples` has `take_error`, which gives what was raised."""
        self._march, self._samples = march, samples

    def __call__(self, *arguments: Any) -> int:
        """March; see the contract MARCH."""
        filled = int(self._march(*arguments))
        if (error := self._samples.take_error()) is not None:
            raise error
        return filled


def _plain_stepper(settings: Settings, system: System) -> Stepper:
    """The same of a system without samples."""
    module = registry.imported(_stepper(settings), jit.compile_kernels)
    order = declared_order(settings.method, settings.integrator)
    order = float("nan") if order is None else order
    if settings.integrator == OWN:
        method = choose(system, settings.method, settings.options).module()

        def march() -> MarchKernel:
            return partial(module.march, method.step)

        return Stepper(march, module.SCRATCH + method.SCRATCH, order)
    if registry.declaration("methods", settings.method, "SEARCHES", False):
        search = choose(system, settings.method, settings.options).module().search

        def searching() -> MarchKernel:
            made: MarchKernel = module.searcher(search)
            return made

        return Stepper(searching, module.SCRATCH, order)

    if takes_stages(settings) and system.units is None:  # their iteration needs derivatives of laws; SciPy's takes differences
        independent = registry.declaration("methods", settings.method, "INDEPENDENT_SPEEDS", False)
        made = partial(module.staged, system, settings.options, independent, stage_blocks(settings, system))
        return Stepper(made, module.SCRATCH, order)

    def marching() -> MarchKernel:
        made: Any = module.marcher()
        if getattr(made, "by_blocks", None) is not None and flows_by_blocks(system) and system.units is None:
            from mbsim.march.flow_blocks import FlowBlocks  # compiles

            made.blocks = partial(FlowBlocks, system)
        return made if isinstance(made, partial | jit.Kernel) else Unthreaded(made)

    return Stepper(marching, module.SCRATCH, order)


def compile_shared() -> None:
    """Compile, or load, what all methods share, before a second process needs it for its method."""
    jit.compile_kernels("mbsim.system.work")


def compile_stepper_and_observer(settings: Settings, system: System) -> None:
    """Compile, or load, what a run needs besides the system and the method."""
    for function in system.functions:
        jit.have_ready(function)
    if takes_stages(settings) and stages_by_blocks(settings.method, system):
        _compile_pencil(system)
    jit.compile_kernels(*observer_modules(system.in_joint_coordinates))
    jit.have_ready(stepper(settings, system).march())
    jit.compile_kernels(registry.imported(_stepper(settings), jit.compile_kernels).__name__)
    if system.loads:
        from mbsim.system.observe_forces import observer_of

        jit.have_ready(observer_of(system))
    from mbsim.system.work import watcher

    jit.have_ready(watcher(system))


def _compile_pencil(system: System) -> None:
    """Compile, or load, what the linear systems of stages by blocks take. Their march is left to a second process meanwhile."""
    from mbsim.saddle.pencils import pencil_of
    from mbsim.system.block_tangents import block_tangent_of

    for kernel in (block_tangent_of(system), *pencil_of(system.in_joint_coordinates)):
        jit.have_ready(kernel)


def compile_for_events() -> None:
    """Compile, or load, what the first event of a contact asks for besides what decides of it; the run would compile it alone."""
    jit.compile_kernels("mbsim.integrators._looks", "mbsim.integrators._placing", "mbsim.singular.orientation", "mbsim.kernels.following")


def observer_modules(in_joint_coordinates: bool) -> tuple[str, ...]:
    """The modules that turning output rows into what is recorded takes."""
    return "mbsim.system.work", f"mbsim.system.observe{'_trees' * in_joint_coordinates}"


def _stepper(settings: Settings) -> str:
    if settings.integrator == OWN:
        return f"mbsim.integrators.{'_controlled' if settings.controls_error else '_fixed'}"
    return registry.home("integrators", settings.integrator)
