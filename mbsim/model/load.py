"""Model file -> Model, or all its errors at once."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from mbsim.model import made_bodies, rules
from mbsim.model import parameters as parameter_block
from mbsim.model.catalogue import Catalogue, force_states, joint_states, leaf_of, place_names, relative_names
from mbsim.model.contacts import ContactBlock
from mbsim.model.coverage import find_uncovered, unresolved_samples
from mbsim.model.drivers import Driver
from mbsim.model.events import Event, read_events
from mbsim.model.expressions.tables import Table
from mbsim.model.fields import Context, Vector
from mbsim.model.file.errors import ModelError, did_you_mean, few_suggestions, shown
from mbsim.model.file.overrides import Overrides
from mbsim.model.file.plain import Mapped, Plain, value_at
from mbsim.model.file.positions import Document, read, read_file
from mbsim.model.initial import Initial, read_initial
from mbsim.model.json_schema import json_schema
from mbsim.model.jumps import jumps
from mbsim.model.leaves import Block, Constraint, Controller, Coupling, Force, Joint
from mbsim.model.let_block import read_let
from mbsim.model.measures import Measure, measurable, read_measures
from mbsim.model.names import GROUND, name_fault, state_names
from mbsim.model.reference import Reference, constraint_labels, driver_labels, find_misplaced, value_names
from mbsim.model.rephrase import Fault
from mbsim.model.report import PARAMETER_SOURCE, Report
from mbsim.model.schema import Body, Energy, Ground, Model, Simulation
from mbsim.model.sections import OF_FORCES, SECTIONS
from mbsim.model.simulation import SimulationReader
from mbsim.model.spanning import absent_states
from mbsim.model.states import State, read_states
from mbsim.model.steady import read_steady
from mbsim.model.table_block import TablesGiven, read_tables

__all__ = ["Catalogue", "json_schema", "load"]

_Block = TypeVar("_Block", bound=Block)


def load(
    source: str | Path,
    catalogue: Catalogue,
    parameters: Mapping[str, float | str] | None = None,
    simulation: Mapping[str, Plain] | None = None,
    file: str | None = None,
    tables: Mapping[str, Plain] | None = None,
    parts: int = 1,
) -> Model:
    """Read and check a model.

    `source` is a path; or, when `file` (the name to show in errors) is given, the YAML text itself. `parameters` replaces parameter
    values by name (numbers or expressions), `simulation` keys of the simulation block, `tables` blocks of tables by name. Each element of a
    beam is cut into so many `parts`; nodes of the file keep their names. Raises ModelError with every problem, in the order of the file.
    """
    text, file = (read_file(source), str(source)) if file is None else (str(source), file)
    with few_suggestions():
        return Reading(read(text, file), catalogue, parameters or {}, simulation or {}, tables or {}, parts).load()


class Reading:
    """One load: validates block after block and collects the problems; its `context` is that of the blocks."""

    def __init__(
        self,
        document: Document,
        catalogue: Catalogue,
        parameters: Mapping[str, float | str],
        simulation: Mapping[str, Plain],
        tables: Mapping[str, Plain],
        parts: int = 1,
    ) -> None:
        self.document = document
        self.catalogue = catalogue
        self.parameter_overrides = parameters
        self.simulation_overrides = simulation
        self.table_overrides = tables
        self.report = Report(document, parameters, simulation, tables)
        self.data: Mapped = {}
        self.context = Context(parts=parts)

    def load(self) -> Model:
        if not isinstance(self.document.data, dict):
            self.report.add(Fault((), f"expected a mapping with the keys of a model (got {shown(self.document.data)})"))
            raise ModelError(self.report.problems)
        self.data = self.document.data
        for key in self.data:
            if key not in SECTIONS:
                self.report.add(Fault((key,), f"unknown key '{key[:60]}'{did_you_mean(key, SECTIONS)}", "key"))
        coordinates = self._coordinates()
        dimension = None if coordinates is not None else self._dimension()
        values, unusable = self._parameters()
        if coordinates is not None:
            self._add(rules.of_bodies(self.data))
            self.data = {key: value for key, value in self.data.items() if key not in SECTIONS or not SECTIONS[key].of_bodies}
        self.named = made_bodies.named(self.data, replace(self.context, parameters=values, unusable=unusable), self.report)
        self.data = self.named.data
        bodies, joints = self.named.bodies(), self._mapping("joints")
        points = {name: frozenset(rules.mapping(body, "points")) for name, body in {GROUND: self.data.get(GROUND), **bodies}.items()}
        leaves_of = self._joint_leaves()
        couplings = dict.fromkeys(name for name, block in joints.items() if leaf_of(self.catalogue, "joints", block, Coupling))
        in_joints = coordinates is None and self.data.get("coordinates") == "joint"
        states = joint_states(leaves_of, bodies, dimension or 3) if in_joints else []
        self.context = Context(
            folder=str(Path(self.document.file).parent),
            parts=self.context.parts,
            dimension=dimension,
            parameters=values,
            unusable=unusable,
            state_names=frozenset(states) if in_joints else state_names(dimension, bodies, coordinates or ()),
            body_states=state_names(dimension, bodies, ()),
            relative_names=frozenset() if coordinates is not None else relative_names(leaves_of, bodies, dimension or 3),
            bodies=dict.fromkeys(bodies),
            points=points,
            place_names=place_names(points, dimension, in_joints),
            joints=dict.fromkeys(name for name in joints if name not in couplings),
            couplings=couplings,
            coordinates=coordinates or [],
            in_joint_coordinates=in_joints,
            joint_states=states,
            states=frozenset([*self._mapping("states"), *force_states(self.catalogue, {key: self._mapping(key) for key in OF_FORCES})]),
            methods=["auto", *self.catalogue.names("methods")],
            integrators=["auto", *self.catalogue.names("integrators")],
        )
        self.context = replace(self.context, tables=self._tables(unusable | values.keys(), coordinates or []))
        self.context = self._with_let()
        self._add(rules.misfits(self.data, coordinates))
        self._add(rules.find_misnamed(self.data, unusable | values.keys(), coordinates or []))
        ground = self._block(Ground, (GROUND,), {} if self.data.get(GROUND) is None else None) or Ground()
        solid = {name: block for name in self._mapping("bodies") if (block := self._block(Body, ("bodies", name))) is not None}
        own = self.named.read(self.context, solid, ground, self.report)
        leaves = self._leaves("joints", Block)
        joined = {name: block for name, block in leaves.items() if isinstance(block, Joint)}
        coupled = {name: block for name, block in leaves.items() if isinstance(block, Coupling)}
        if in_joints and len(leaves) == len(joints):
            self.context = replace(self.context, absent=absent_states(joined, coupled, bodies, dimension or 3))
        model = Model(
            name=self._name(),
            dimension=dimension,
            gravity=self._gravity(dimension),
            parameters=values,
            tables=self.context.tables,
            let=self.context.named,
            coordinates=coordinates,
            in_joint_coordinates=in_joints,
            ground=ground,
            bodies=own.bodies,
            beams=own.beams,
            elastic=own.elastic,
            joints=joined,
            couplings=coupled,
            drivers=self._drivers(),
            forces=self._leaves("forces", Force),
            controllers=self._leaves("controllers", Controller),
            constraints=self._leaves("constraints", Constraint),
            energy=self._block(Energy, ("energy",)) if self.data.get("energy") is not None else None,
            initial=self._initial(),
            steady=self._steady(),
            simulation=(simulation := self._simulation()),
            states=self._states(),
            measures=(measures := self._measures()),
            events=self._events(measures),
            contacts={k: made for k in self._mapping("contacts") if (made := self._block(ContactBlock, ("contacts", k))) is not None},
            reference=self._reference(simulation),
            text=self.document.text,
            file=self.document.file,
            document=self.document,
            overrides=Overrides(self.parameter_overrides, self.simulation_overrides, self.table_overrides),
        )
        if not any(problem.path.startswith("simulation") for problem in self.report.problems):
            self._add([*find_uncovered(model), *jumps(model), *unresolved_samples(model), *made_bodies.held_elsewhere(model)])
        if not self.report.problems:
            for path in rules.left_out(self.data, model):
                self.report.skip(path)
        self.report.close()
        if self.report.problems:
            raise ModelError(self.report.problems)
        return model

    def context_of(self, section: str, context: Context) -> Context:
        """The context of the blocks of a section, made of the common one. It costs as much as the model has names."""
        if section == "constraints" and not context.in_joint_coordinates:
            return replace(context, state_names=context.state_names | context.place_names)
        if section not in OF_FORCES:
            return context
        wide = self._with_states(motions=True)
        return replace(context, state_names=wide.state_names, absent=context.absent - self.context.relative_names)

    def table_names(self) -> Set[str]:
        """Those that parameters cannot call."""
        return self._mapping("tables").keys() - self._mapping("parameters").keys()

    def _add(self, found: Iterable[Fault], *prefix: str) -> None:
        for fault in found:
            self.report.add(fault, prefix)

    # Sections -----------------------------------------------------------------------------------------------------------------

    def _mapping(self, key: str) -> Mapped:
        """The section `key` as a mapping; an absent or empty one is an empty mapping."""
        value = self.data.get(key)
        if value is None or isinstance(value, dict):
            return value or {}
        if not any(problem.path == key for problem in self.report.problems):
            if key == "simulation":  # at the key, so that it does not count as an effect of the command line
                self.report.add(Fault((key,), f"expected a block such as {{end: 1}} (got {shown(value)})", "key"))
            else:
                self.report.add(Fault((key,), f"expected a mapping of names (got {shown(value)})"))
        return {}

    def _name(self) -> str:
        name, faults = rules.name_of(self.data, Path(self.document.file).stem)
        self._add(faults)
        return name

    def _dimension(self) -> int:
        value = self.data.get("dimension")
        gravity = self.data.get("gravity")
        planar = isinstance(gravity, list) and len(gravity) == 2
        if isinstance(value, int) and not isinstance(value, bool) and value in (2, 3):
            return value
        if value is not None:
            self.report.add(Fault(("dimension",), f"expected 2 or 3 (got {shown(value)})"))
        elif planar:
            self.report.add(Fault((), "missing key 'dimension' (gravity has 2 numbers; without 'dimension: 2' bodies are spatial)"))
        return 2 if planar else 3  # after an error: a guess, so that one mistake is not reported at every vector

    def _coordinates(self) -> list[str] | None:
        names, faults = rules.own_coordinates(self.data)
        self._add(faults, "coordinates")
        return names

    def _parameters(self) -> tuple[dict[str, float], frozenset[str]]:
        raw = dict(self._mapping("parameters"))
        for name in raw:
            if fault := name_fault(name, in_expressions=True):
                self.report.add(Fault((name,), fault, "key"), ("parameters",))
        for name, value in self.parameter_overrides.items():
            if name in raw:
                raw[name] = value
            else:
                hint = did_you_mean(name, raw) or "; the model has no parameters" * (not raw)
                self.report.outside(PARAMETER_SOURCE, "", f"unknown parameter '{name[:60]}'{hint}")
        values, found = parameter_block.solve(raw, self.table_names())
        self._add(found, "parameters")
        for name in raw.keys() - values.keys():
            self.report.skip(("parameters", name))
        return values, frozenset(raw) - values.keys()

    def _tables(self, parameters: Set[str], coordinates: Sequence[str]) -> dict[str, Table]:
        given = TablesGiven(self._mapping("tables"), self.table_overrides, Path(self.document.file).parent)
        return read_tables(given, {"parameters": parameters, "coordinates": coordinates}, self.context, self.report)

    def _with_let(self) -> Context:
        """The context with the names that `let` gives to expressions."""
        raw = self._mapping("let")
        if not raw:
            return self.context
        taken = self._taken("states")
        del taken["let"]
        known = self._measurable() | self._with_states(motions=True).state_names
        named, wrong = read_let(raw, self.context, known, taken, self.report)
        return replace(self.context, named=named, unusable=self.context.unusable | wrong)

    def _gravity(self, dimension: int | None) -> list[float]:
        given = self.data.get("gravity")
        block = self._block(_Gravity, (), {"gravity": given}) if given is not None else None
        return block.gravity if block is not None else [0.0] * (dimension or 0)

    def _drivers(self) -> dict[str, Driver]:
        drivers: dict[str, Driver] = {}
        taken: dict[str, dict[str | None, str]] = {}  # thing -> coordinate (None: its only one) -> driver
        for name in self._mapping("drivers"):
            driver = self._block(Driver, ("drivers", name))
            if driver is None:
                continue
            for thing, coordinate in driver.targets():
                those = taken.setdefault(thing, {})
                before = next((other for known, other in those.items() if known == coordinate or None in (known, coordinate)), None)
                if before is not None:
                    driven = f"the joint '{thing}'" if driver.joint else f"'{thing}{'.' if coordinate else ''}{coordinate or ''}'"
                    self.report.add(Fault(("drivers", name, driver.form), f"{driven} is already driven by '{before}'"))
                those.setdefault(coordinate, name)
            drivers[name] = driver
        return drivers

    def _initial(self) -> Initial:
        initial, found = read_initial(self._mapping("initial"), self.context)
        self._add(found, "initial")
        return initial

    def _steady(self) -> dict[str, float]:
        steady, found = read_steady(self._mapping("steady"), self.context)
        self._add(found, "steady")
        return steady

    def _simulation(self) -> Simulation:
        given = self._mapping("simulation")
        unused = Simulation(end=1.0)  # replaces a wrong block, whose problems are reported
        if not isinstance(self.data.get("simulation", {}), (dict, type(None))):
            return unused
        reader = SimulationReader(self.catalogue, self.report, given, self.simulation_overrides, bool(self._mapping("beams")))
        block = self._block(Simulation, ("simulation",), reader.data, self._with_states())
        return reader.complete(block) or unused

    def _measurable(self) -> frozenset[str]:
        """The names that a measure may have besides t, the parameters and other measures."""
        context, leaves = self._with_states(), self._joint_leaves()
        return measurable(context, leaves, *self._labels(), self._mapping("forces"), self._mapping("controllers"))

    def _events(self, measures: Collection[str]) -> dict[str, Event]:
        if not self._mapping("events"):
            return {}
        context = self._with_states(motions=True)
        lockable = [name for section in ("joints", "drivers", "constraints") for name in self._mapping(section)]
        return read_events(self._mapping("events"), context, {*self._measurable(), *measures}, lockable, self._labels(), self.report)

    def _measures(self) -> dict[str, Measure]:
        if not self._mapping("measures"):
            return {}
        known = replace(self.context, measurable=self._measurable())
        return read_measures(self._mapping("measures"), known, self._taken("states"), self.report, self._mapping("contacts"))

    def _joint_leaves(self) -> dict[str, type[Joint]]:
        """The classes of the joints whose `type` is known."""
        found = {name: leaf_of(self.catalogue, "joints", block, Joint) for name, block in self._mapping("joints").items()}
        return {name: leaf for name, leaf in found.items() if leaf is not None}

    def _states(self) -> dict[str, State]:
        return read_states(self._mapping("states"), self._with_states(motions=True), self._taken(), self.report)

    def _with_states(self, motions: bool = False) -> Context:
        """The context of what may read states, and `motions` of joints and points, too."""
        beside = self.context.relative_names | self.context.place_names if motions else frozenset()
        return replace(self.context, state_names=self.context.state_names | self.context.states | beside)

    def _taken(self, *sections: str) -> dict[str, Collection[str]]:
        """The names that measures and states cannot have, by section; those of further `sections` too."""
        sections = ("parameters", "tables", "let", "bodies", "beams", "elastic", "joints", "drivers", "constraints", *sections)
        return {**{key: self._mapping(key) for key in sections}, "coordinates": self.context.coordinates}

    def _labels(self) -> tuple[list[str], list[str]]:
        """The labels of the efforts of drivers and of the rows of gears and constraints."""
        constraints = constraint_labels(self._mapping("constraints"), self.catalogue, self.context.dimension)
        joints = self._mapping("joints")  # gears with play have a row at each flank, while that carries
        rigid = [name for name in self.context.couplings if "backlash" not in rules.mapping(joints, name)]
        return list(driver_labels(self._mapping("drivers"))), [*rigid, *constraints]

    def _reference(self, simulation: Simulation) -> Reference | None:
        if self.data.get("reference") is None:
            return None
        block = self._block(Reference, ("reference",))
        if block is not None:
            names = value_names(self._with_states().state_names, self.context.joints, *self._labels()) | self._mapping("measures").keys()
            own = not any(problem.path.startswith("simulation") for problem in self.report.problems)
            # A run that the command line ends early does not reach the later values. This is not an error of the file.
            span = (simulation.start, simulation.end) if own and not self.simulation_overrides.keys() & {"start", "end"} else None
            self._add(find_misplaced(block, names, span, self.context.parameters), "reference")
        return block

    # Blocks -------------------------------------------------------------------------------------------------------------------

    def _block(self, kind: type[_Block], path: tuple[str, ...], data: Plain = None, context: Context | None = None) -> _Block | None:
        """The block at `path`, or None when something is wrong with it."""
        given = value_at(self.data, path) if data is None else data
        return self.report.read(kind, path, given, context or self.context)

    def _leaves(self, kind: str, base: type[_Block]) -> dict[str, _Block]:
        """The section of joints, forces or constraints: every block by the class that its `type` names."""
        leaves = dict[str, _Block]()
        words, context, noun = self.catalogue.names(kind), self.context_of(kind, self.context), SECTIONS[kind].noun
        for name, data in self._mapping(kind).items():
            path = (kind, name)
            if not isinstance(data, dict):
                self.report.add(Fault(path, f"expected a mapping (keys and values) (got {shown(data)})"))
            elif "type" not in data:
                self.report.add(Fault(path, f"missing key 'type'; allowed: {', '.join(words)}", "block"))
            elif not isinstance(word := data["type"], str):
                self.report.add(Fault((*path, "type"), f"expected a kind of {noun} (got {shown(word)}); allowed: {', '.join(words)}"))
            elif word not in words:
                self.report.add(Fault((*path, "type"), f"unknown {noun} '{word[:60]}'{did_you_mean(word, words)}"))
            elif (leaf := leaf_of(self.catalogue, kind, data, base)) is None:
                self.report.add(Fault((*path, "type"), f"the class of '{word}' is no {base.__name__} (mbsim.model.leaves)"))
            elif leaf.NEEDS and (leaf.NEEDS == "bodies") == (self.context.dimension is None):
                fitting = [word for word in words if self.catalogue.leaf(kind, word).NEEDS != leaf.NEEDS]
                needed = "bodies" if leaf.NEEDS == "bodies" else "a list of 'coordinates'"
                here = f"; here: {', '.join(fitting)}" if fitting else ""
                self.report.add(Fault((*path, "type"), f"a {noun} of type '{word}' needs {needed}{here}"))
            elif (block := self._block(leaf, path, context=context)) is not None:
                leaves[name] = block
        return leaves


class _Gravity(Block):
    """Gravity as a block of its own, so that it is checked like any vector."""

    gravity: Vector
