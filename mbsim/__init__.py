"""mbsim: constrained multibody systems from YAML model files, by the published formulations side by side.

    model = mbsim.load_model("models/pendulum.yaml")
    result = mbsim.simulate(model, method="svd", end=10.0)
    result["q"], result.select("rod.angle")

Everything is imported on first use, so that `import mbsim` is quick.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mbsim import hooks
from mbsim.version import __version__ as __version__

if TYPE_CHECKING:
    from mbsim.analyses.api import equilibria, equilibrium, holding, inverse, linearize, modes, root_locus
    from mbsim.analyses.dynamic import simulate
    from mbsim.analyses.inverse import forward_kinematics, inverse_dynamics
    from mbsim.analyses.kinematic import kinematics
    from mbsim.analyses.stepping import Stepper
    from mbsim.assembly import assemble, load_model
    from mbsim.assembly.python_forces import sampled
    from mbsim.diagnosis.consistent import StartError
    from mbsim.diagnosis.redundancy import redundancy
    from mbsim.march.ending import SimulationError, SimulationInterrupted
    from mbsim.model.file.errors import ModelError
    from mbsim.observe.constraint_forces import constraint_force_equations
    from mbsim.programs import export
    from mbsim.registry import register
    from mbsim.results import open_result
    from mbsim.studies.compare.study import compare
    from mbsim.studies.runner.runner import Runner
    from mbsim.studies.sampled.api import study
    from mbsim.studies.sampled.goals import fit, optimize, sensitivity
    from mbsim.system.callables import callable_system
    from mbsim.system.system import System

_HOMES = {
    "load_model": "mbsim.assembly",
    "assemble": "mbsim.assembly",
    "compare": "mbsim.studies.compare.study",
    "Runner": "mbsim.studies.runner.runner",
    "study": "mbsim.studies.sampled.api",
    "simulate": "mbsim.analyses.dynamic",
    "SimulationError": "mbsim.march.ending",
    "SimulationInterrupted": "mbsim.march.ending",
    "callable_system": "mbsim.system.callables",
    "System": "mbsim.system.system",
    "open_result": "mbsim.results",
    "redundancy": "mbsim.diagnosis.redundancy",
    "register": "mbsim.registry",
    "ModelError": "mbsim.model.file.errors",
    "StartError": "mbsim.diagnosis.consistent",
    "inverse_dynamics": "mbsim.analyses.inverse",
    "forward_kinematics": "mbsim.analyses.inverse",
    "constraint_force_equations": "mbsim.observe.constraint_forces",
    "kinematics": "mbsim.analyses.kinematic",
    "equilibria": "mbsim.analyses.api",
    "equilibrium": "mbsim.analyses.api",
    "holding": "mbsim.analyses.api",
    "modes": "mbsim.analyses.api",
    "root_locus": "mbsim.analyses.api",
    "linearize": "mbsim.analyses.api",
    "inverse": "mbsim.analyses.api",
    "optimize": "mbsim.studies.sampled.goals",
    "fit": "mbsim.studies.sampled.goals",
    "sensitivity": "mbsim.studies.sampled.goals",
    "Stepper": "mbsim.analyses.stepping",
    "sampled": "mbsim.assembly.python_forces",
    "export": "mbsim.programs",
}

__all__ = [
    "ModelError", "Runner", "SimulationError", "SimulationInterrupted", "StartError", "Stepper", "System", "assemble",
    "callable_system", "compare", "constraint_force_equations", "equilibria", "equilibrium", "export", "fit",
    "forward_kinematics", "holding", "inverse", "inverse_dynamics", "kinematics", "linearize", "load_model", "modes",
    "open_result", "optimize", "redundancy", "register", "root_locus", "sampled", "sensitivity", "simulate", "study",
]  # fmt: skip


def _way(module: str, function: str) -> Callable[..., Any]:
    """A function of a room above, imported when it is called."""

    def show(*arguments: object) -> Any:
        import importlib

        return getattr(importlib.import_module(module), function)(*arguments)

    return show


hooks.register("plot", _way("mbsim.pictures", "plot"))
hooks.register("draw", _way("mbsim.pictures", "draw_result"))
hooks.register("draw model", _way("mbsim.pictures", "draw_model"))
hooks.register("plot modes", _way("mbsim.pictures", "plot_modes"))
hooks.register("view", _way("mbsim.view.live", "view"))


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    if name == "sweep":
        raise AttributeError("module 'mbsim' has no attribute 'sweep'; what `mbsim sweep` does is mbsim.study")
    raise AttributeError(f"module 'mbsim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
