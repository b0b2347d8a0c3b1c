"""The `simulation` block's method and integrator with their options, which are keys of the block: `method: svd`, `hold: false`."""

from collections.abc import Collection, Mapping
from typing import Literal

from mbsim.model.catalogue import SOLVERS, Catalogue, SolverOption
from mbsim.model.file.errors import did_you_mean
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.rephrase import Fault
from mbsim.model.report import SIMULATION_SOURCE, Report
from mbsim.model.resolution import SOLVER_STEPS, step_fault
from mbsim.model.schema import Simulation

# Words of other codes for the keys of this block.
_MEANT = {
    "end": ("duration", "t_end", "tend", "tf", "t_final", "final_time", "stop_time", "time", "end_time", "length"),
    "start": ("t0", "t_start", "start_time", "begin"),
    "step": ("dt", "h", "timestep", "time_step", "step_size", "stepsize"),
    "output_step": ("output", "dt_out", "output_dt", "sampling", "sample_time", "print_step"),
    "integrator": ("solver", "scheme"),
    "method": ("formulation",),
}
TOLERANCES = ("rtol", "atol")  # options of what controls the error
_DEFAULTS = {key: str(Simulation.model_fields[key].default) for key in SOLVERS}


class SimulationReader:
    """Splits the given keys into the fields of `Simulation`, in `data`, and the options of the chosen method and integrator."""

    def __init__(
        self, catalogue: Catalogue, report: Report, given: Mapping[str, Plain], overrides: Mapping[str, Plain], beams: bool = False
    ) -> None:
        """`beams`: whether the model has any; they decide what `auto` is."""
        self.catalogue, self.report, self.overrides, self.beams = catalogue, report, overrides, beams
        self.data: Mapped = {}
        self._options: dict[str, tuple[str, Plain]] = {}  # name -> (the key that contains it, value)
        fields = set(Simulation.model_fields)
        for source in (given, overrides):
            if source is overrides and "method" in overrides and "integrator" not in overrides and self._owns_step(overrides["method"]):
                self.data.pop("integrator", None)  # the file's, for the file's method
            for key, value in source.items():
                if key in fields and (method := self._of_method(key, value, source)):
                    self._fault(key, key, f"a key of the run; the option of {method} is written `method: {method}({key}={value})`")
                elif key in fields or not isinstance(key, str):
                    self.data[key] = value
                else:
                    self._options[key] = (key, value)
            for key in SOLVERS:
                if key in source:
                    self._split(key)

    @property
    def _automatic(self) -> bool:
        return str(self.data.get("integrator", "auto")) == "auto"

    @property
    def _stepped(self) -> bool:
        """Whether steps of a size are asked for: options of error control on the command line make of the file's step that of the rows."""
        free, equal = (self.catalogue.options("integrators", self.catalogue.automatic_integrator(x, self.beams)) for x in (False, True))
        controls = self.overrides.keys() & (free.keys() - equal.keys())
        return self.data.get("step") is not None and ("step" in self.overrides or not controls)

    def _owns_step(self, text: Plain) -> bool:
        word = str(text).partition("(")[0].strip()
        return word in self.catalogue.names("methods") and bool(self.catalogue.misfit(word, "rk4"))

    def _of_method(self, key: str, value: Plain, source: Mapping[str, Plain]) -> str:
        """The method that is asked for, where it has an option of the name of this field and the value is one of its words."""
        text = source.get("method", self.data.get("method"))
        word = str(text).partition("(")[0].strip()
        known = isinstance(value, str) and word in self.catalogue.names("methods")
        option = self.catalogue.options("methods", word).get(key) if known else None
        return word if option is not None and value in option.choices else ""

    def _split(self, key: str) -> None:
        """`svd(hold=false)` -> the word and its options."""
        text = self.data[key]
        if not isinstance(text, str) or "(" not in text:
            return
        try:
            self.data[key], found = self.catalogue.variant(text)
        except ValueError as error:
            self.report.add(Fault((key,), str(error)), ("simulation",))
            del self.data[key]
            return
        if key == "method" and "drift" in found:  # lagrange(drift=none): a setting that tells variants of a method apart
            self.data["drift"] = found.pop("drift")
        self._options |= {name: (key, value) for name, value in found.items()}

    def complete(self, block: Simulation | None) -> Simulation | None:
        """The validated block with its options. Reports wrong options, even if the block has other errors."""
        chosen = {key: str(self.data.get(key, default)) for key, default in _DEFAULTS.items()}
        if any(word != "auto" and word not in self.catalogue.names(SOLVERS[key]) for key, word in chosen.items()):
            for name, (key, _) in self._options.items():  # only a key that belongs to no method or integrator is surely wrong
                if not self._owners(name):
                    self._unknown(name, key, ())
            return block
        if misfit := self.catalogue.misfit(**chosen):
            self.report.add(Fault(("integrator",), misfit), ("simulation",))
        elif chosen["integrator"] == "auto" and not self._owns_step(chosen["method"]):
            chosen["integrator"] = self.catalogue.automatic_integrator(self._stepped, self.beams)
        if chosen["method"] == "auto":
            chosen["method"] = "svd"  # its options may be given without its name (mbsim.march.settings)
        if self._options:
            allowed: dict[str, SolverOption] = {}
            for key, word in chosen.items():
                allowed |= self.catalogue.options(SOLVERS[key], word) if word != "auto" else {}
            for name, (key, value) in self._options.items():
                if self._gives_way(name, key):
                    if block is not None:
                        block.unused.append(name)
                elif name in allowed:
                    try:
                        read = allowed[name].read(value)
                    except ValueError as error:
                        self._fault(name, key, f"{name}: {error}" if key != name else str(error))
                    else:
                        if block is not None:
                            block.options[name] = read
                            fault = step_fault(read, block.start, block.end) if name in SOLVER_STEPS and isinstance(read, float) else ""
                            if fault:
                                self._fault(name, key, fault)
                elif self._replaced(name, key):
                    if block is not None:
                        block.unused.append(name)
                else:
                    self._foreign(name, key, allowed, chosen)
            defaults = {name: option.default for name, option in allowed.items()}
            if block is not None and (fault := self.catalogue.unsteady(chosen["method"], defaults | block.options)):
                self.report.add(Fault(("method",), fault), ("simulation",))
            if block is not None and "rtol" in block.options and (fault := self.catalogue.uncontrolled(block.options)):
                self._fault("rtol", self._options["rtol"][0], fault)
            asked = self.data.get("method", "auto") != "auto"  # what auto will be is decided later (mbsim.march.settings)
            if asked and block is not None and (fault := self.catalogue.inexact(chosen["method"], block.options)):
                self.report.add(Fault(("method",), fault), ("simulation",))
        return block

    def _replaced(self, name: str, key: str) -> bool:
        """Whether an option belongs to a choice of the file that the command line replaced, as a step does of an automatic integrator."""
        replaced = ("step" in self.overrides and self._automatic) or any(k in self.overrides for k in SOLVERS)
        return key == name and name not in self.overrides and replaced and bool(self._owners(name))

    def _gives_way(self, name: str, key: str) -> bool:
        """Whether a tolerance of the file gives way to steps of a size, which the command line asks for with a method that knows both."""
        asked = {"step", "method"} <= self.overrides.keys() and self._owns_step(self.overrides["method"])
        return asked and key == name and name in TOLERANCES and not self.overrides.keys() & set(TOLERANCES)

    def _foreign(self, name: str, key: str, allowed: Collection[str], chosen: Mapping[str, str]) -> None:
        owners = self._owners(name)
        words = " and ".join(f"'{word}'" for word in chosen.values() if word != "auto")
        if owners:
            chosen_so = self._automatic and name in TOLERANCES and self._stepped
            hint = "; `auto` takes these where a `step` is given: leave it out, or name the integrator" if chosen_so else ""
            self._fault(name, key, f"'{name}' is an option of {' and '.join(owners)}, not of {words}{hint}", "key")
        else:
            self._unknown(name, key, allowed)

    def _owners(self, name: str) -> list[str]:
        """The methods and the integrators that have an option of this name, in words."""
        found = []
        for key, kind in SOLVERS.items():
            words = [f"'{word}'" for word in self.catalogue.names(kind) if name in self.catalogue.options(kind, word)]
            found += [f"the {key}{'s' * (len(words) > 1)} {', '.join(words)}"] if words else []
        return found

    def _unknown(self, name: str, key: str, allowed: Collection[str]) -> None:
        meant = next((key for key, words in _MEANT.items() if name.lower() in words), "")
        hint = f"; did you mean '{meant}'?" if meant else did_you_mean(name, [*Simulation.model_fields, *allowed])
        self._fault(name, key, f"unknown key '{name[:60]}'{hint}", "key")

    def _fault(self, name: str, key: str, message: str, at: Literal["value", "key"] = "value") -> None:
        if name in self.overrides or key in self.overrides:
            self.report.outside(SIMULATION_SOURCE, f"simulation.{key}", message)
        else:
            self.report.add(Fault((key,), message, at if key == name else "value"), ("simulation",))
