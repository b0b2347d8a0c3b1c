"""A model's measures, and what its controllers record, evaluated over a chunk of rows after the march.

That is done in plain NumPy (`mbsim.results.columns`).
"""

from collections import ChainMap
from collections.abc import Mapping
from typing import Any

import numpy as np

from mbsim.model.errors import ModelError
from mbsim.model.measures import Measure, terms
from mbsim.model.schema import Model
from mbsim.model.tree import Call, Name
from mbsim.observe.controllers import Controllers
from mbsim.observe.evaluation import key, names, value
from mbsim.observe.quantities import Quantities, Quantity, Rows
from mbsim.results.schema import Series, measure
from mbsim.system.system import Floats, System


class Measures:
    """The measures of an assembled model. Raises ModelError for a name that the assembled system turned out not to have."""

    def __init__(self, model: Model, system: System) -> None:
        self._measures = list(model.measures.values())
        self._found = Quantities(model, system)
        self._quantities: dict[Any, Quantity] = {}
        self.series: dict[str, Series] = {}
        self.controllers = Controllers(model.controllers, system)
        for target in self.controllers.targets.values():
            for node in terms(target.tree):
                self._resolve(node)  # the assembly has looked whether there is such a name
        self._before = list(self._quantities)  # what targets of controllers read
        problems = []
        for item in self._measures:
            for node in terms(item.value.tree):
                if missing := self._resolve(node):
                    has = ", ".join(system.coordinates)
                    path = ("measures", item.name)
                    problems.append(model.problem(path, f"{missing} is not known of this model; its coordinates are {has}"))
            self.series[item.name] = measure(self._units(item), item.value.text)
        if problems:
            raise ModelError(problems)

    def _resolve(self, node: Name | Call) -> str:
        """Find what a node stands for; returns the name where there is no such thing."""
        if isinstance(node, Call):
            self._quantities[key(node)] = self._found.function(node.function, names(node))
        elif node.name not in self.series and node.name not in self._quantities:
            found = self._found.find(node.name)
            if found is None:
                return node.name
            self._quantities[node.name] = found
        return ""

    def _units(self, item: Measure) -> str:
        """Those given, else those of the one thing that it names."""
        tree = item.value.tree
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
        values: dict[Any, Floats] = {}
        with np.errstate(all="ignore"):
            for one in self._before:
                values[one] = self._quantities[one].of(rows)
            of_controllers = self.controllers.chunk(variables, lambda e: np.broadcast_to(value(e.tree, values), rows.time.shape))
            known |= of_controllers
            for one in self._quantities.keys() - values.keys():
                values[one] = self._quantities[one].of(rows)
            for item in self._measures:
                values[item.name] = np.broadcast_to(value(item.value.tree, values), rows.time.shape)
        return {**of_controllers, **{item.name: values[item.name] for item in self._measures}}
