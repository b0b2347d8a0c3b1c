"""A model's measures, and what its controllers record, evaluated over a chunk of rows after the march.

That is done in plain NumPy (`mbsim.results.columns`).
"""

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mbsim.model.expressions.parsed import Call, Name, Node
from mbsim.model.expressions.usual_words import spelled
from mbsim.model.file.errors import ModelError, Problem
from mbsim.model.recorded import terms
from mbsim.observe.controllers import Controllers, Led
from mbsim.observe.evaluation import key, names, value
from mbsim.observe.facts import Facts
from mbsim.observe.quantities import Quantities, Quantity, Rows
from mbsim.results.schema import SERIES, Series, measure
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.model.schema import Model


class Term(NamedTuple):
    """A measure as the model gives it."""

    name: str
    text: str
    tree: Node
    unit: str | None  # None: that of the quantity that it names, `1` if it is composed


class Given(NamedTuple):
    """All that measures are made of besides the system, as plain data."""

    facts: Facts
    measures: list[Term]
    controllers: list[Led]

    @classmethod
    def of(cls, model: "Model") -> "Given":
        """What a checked model gives."""
        measures = [Term(item.name, item.value.text, item.value.tree, item.unit) for item in model.measures.values()]
        led = {name: block for name, block in model.controllers.items() if block.target is not None or block.target_rate is not None}
        return cls(Facts.of(model), measures, [Led.of(name, block) for name, block in led.items()])

    def plain(self) -> "Given":
        """With what is described only when it is asked for."""
        return self._replace(facts=self.facts.plain())


class Measures:
    """The measures of an assembled model. Raises ModelError for a name that the assembled system turned out not to have."""

    def __init__(self, given: Given, system: System, problem: Callable[[Sequence[str], str], Problem] | None = None) -> None:
        """`problem` puts a message to its place in the model; without it all names have been found before."""
        self.given, self._system = given, system
        self._found = Quantities(given.facts, system)
        self._quantities: dict[object, Quantity] = {}
        self.series: dict[str, Series] = {}
        self.controllers = Controllers(given.controllers, system)
        for led in given.controllers:
            for node in terms(led.tree):
                self._resolve(node)  # the assembly has looked whether there is such a name
        self._before = list(self._quantities)  # what targets of controllers read
        problems = []
        for item in given.measures:
            for node in terms(item.tree):
                if missing := self._resolve(node):
                    assert problem is not None, missing
                    message = f"{spelled(missing)} is not known of this model; its {self._instead(missing)}"
                    problems.append(problem(("measures", item.name), message))
            self.series[item.name] = measure(self._units(item), item.text)
        if problems:
            raise ModelError(problems)

    @classmethod
    def of(cls, model: "Model", system: System) -> "Measures | None":
        """Those of a model, and what its controllers record; None where there are neither. Raises ModelError."""
        return cls(Given.of(model), system, model.problem) if model.measures or model.controllers else None

    def with_parameters(self, parameters: Mapping[str, float]) -> "Measures":
        """The same with other values of parameters."""
        return Measures(self.given._replace(facts=replace(self.given.facts, parameters=dict(parameters))), self._system)

    def with_values(self, parameters: Floats) -> "Measures":
        """The same with the first numbers of these (`Arrays.parameters`) as parameters; these themselves where nothing differs."""
        known = self.given.facts.parameters
        values = dict(zip(known, parameters.tolist(), strict=False))
        return self if len(values) < len(known) or values == dict(known) else self.with_parameters(values)

    def _instead(self, missing: str) -> str:
        """What the model has of the kind that is missing."""
        if missing.startswith("beam_"):
            from mbsim.observe.beams import beam_sizes

            sizes = beam_sizes(self._system)
            return f"elements of beams are {', '.join(f'{name}[0] to {name}[{count - 1}]' for name, count in sizes.items())}"
        of_rows = missing.startswith("multiplier.")
        names = self._system.rows if of_rows else self._system.coordinates
        return f"{'rows' if of_rows else 'coordinates'} are {', '.join(names)}"

    def _resolve(self, node: Name | Call) -> str:
        """Find what a node stands for; returns the name where there is no such thing."""
        if isinstance(node, Call):
            self._quantities[key(node)] = self._found.function(node.function, names(node))
        elif node.name not in self.series and node.name not in self._quantities:
            found = self._of_element(node.name) if node.name.startswith("beam_") else self._found.find(node.name)
            if found is None:
                return node.name
            self._quantities[node.name] = found
        return ""

    def _of_element(self, name: str) -> Quantity | None:
        """What is recorded of an element of a beam."""
        from mbsim.observe.beams import of_element  # loads more than models without beams need

        if (found := of_element(self._system, name)) is None:
            return None
        variable, place = found
        return Quantity(SERIES[variable].units, lambda rows: np.moveaxis(rows.variables[variable], 0, -1)[place])

    def _units(self, item: Term) -> str:
        """Those given, else those of the one thing that it names."""
        tree = item.tree
        if item.unit is not None:
            return item.unit
        if isinstance(tree, Name) and tree.name in self.series:
            return self.series[tree.name].units
        found = self._quantities.get(key(tree))
        return found.units if found is not None else "1"

    def chunk(self, variables: Mapping[str, Floats], memory: dict[str, tuple[float, float, float]]) -> dict[str, Floats]:
        """Every measure (k,) of a chunk of rows; `memory` is empty for the first chunk of a run, and the same dictionary for the next."""
        known: dict[str, Floats] = {}
        given: Any = variables  # only read, and each only if asked for: those of a run in place are made then
        rows = Rows(ChainMap(known, given), memory)
        values: dict[object, Floats] = {}
        with np.errstate(all="ignore"):
            for one in self._before:
                values[one] = self._quantities[one].of(rows)
            of_controllers = self.controllers.chunk(variables, lambda tree: np.broadcast_to(value(tree, values), rows.time.shape))
            known |= of_controllers
            for one in self._quantities.keys() - values.keys():
                values[one] = self._quantities[one].of(rows)
            for item in self.given.measures:
                values[item.name] = np.broadcast_to(value(item.tree, values), rows.time.shape)
        return {**of_controllers, **{item.name: values[item.name] for item in self.given.measures}}
