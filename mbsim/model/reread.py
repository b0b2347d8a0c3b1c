"""A model read again with other numbers: the text is parsed once, and only blocks that depend on the numbers are checked again.

A number that varies is a parameter by its name, or any number of the file by its path (`joints.pin.at[0]`), replaced or added to. What the
quick way cannot do (tables, settings, anything that is wrong) is read in full, so that the model and every message are those of a file with
these numbers in it.
"""

import ast
import re
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from pydantic import ValidationError

from mbsim.model import parameters as parameter_block
from mbsim.model.catalogue import Catalogue
from mbsim.model.coverage import find_uncovered
from mbsim.model.expressions.columns import Column
from mbsim.model.expressions.evaluation import ConstantCheck, constant_checks
from mbsim.model.expressions.expression import Expression, evaluate, parse
from mbsim.model.expressions.program import Program, UnfitError
from mbsim.model.fields import Context
from mbsim.model.file.errors import ExpressionError, few_suggestions
from mbsim.model.file.plain import Plain, value_at
from mbsim.model.file.positions import Document, Path
from mbsim.model.formulas import Formulas, with_fields
from mbsim.model.initial import Initial, read_initial
from mbsim.model.jumps import jumps
from mbsim.model.leaves import Block, Joint
from mbsim.model.load import Reading
from mbsim.model.schema import Body, Model
from mbsim.model.sections import SECTIONS
from mbsim.model.targets import Target

_QUICK = ("ground", "bodies", "joints", "forces", "controllers", "constraints", "drivers", "initial", "energy", "parameters")
_LATER = ("measures", "reference", "let")  # their expressions read parameters later
_OF_NO_PLACE = frozenset(("mass", "inertia", "velocity", "angular_velocity"))  # of bodies, between whose places beams are laid
_OF_LAWS = ("constraints", "forces")  # of the user's own coordinates: laws, which read parameters when they run
GRAVITY = ("gravity", "")  # of the fields of numbers, with its `vector`
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Numbers:
    """The numbers of a model that vary, and the model with them, which is made when it is asked for."""

    def __init__(self, parameters: dict[str, float], fields: dict[tuple[str, str], dict[str, Any]] | None, base: Model) -> None:
        """`fields`: of blocks by section and name, `values` of `initial`, `vector` of gravity; None: `base` is the model with them."""
        self.parameters, self.fields, self._base = parameters, fields, base

    @classmethod
    def of(cls, model: Model) -> "Numbers":
        """Those of a model that is read."""
        return cls(model.parameters, None, model)

    @property
    def alike(self) -> Model:
        """A model of the same names, whose numbers may be others."""
        return self._base

    @cached_property
    def model(self) -> Model:
        """The checked model."""
        if self.fields is None:
            return self._base
        sections: dict[str, Any] = {"parameters": self.parameters}
        for (section, name), fields in self.fields.items():
            if section == "initial":
                sections[section] = Initial(fields["values"], self._base.initial.fix)
            elif section == GRAVITY[0]:
                sections[section] = fields["vector"]
            elif not name:
                sections[section] = with_fields(getattr(self._base, section), fields)
            else:
                block = with_fields(getattr(self._base, section)[name], fields)
                sections.setdefault(section, dict(getattr(self._base, section)))[name] = block
        return replace(self._base, **sections)


class Rereading:
    """Reads one model again and again. It has a state of its own: one per thread."""

    def __init__(
        self,
        document: Document,
        catalogue: Catalogue,
        targets: Sequence[Target],
        simulation: Mapping[str, Plain] | None = None,
        parameters: Mapping[str, float | str] | None = None,
    ) -> None:
        """`parameters` and `simulation` replace what the file has. Raises ModelError."""
        self.targets = list(targets)
        self._document, self._catalogue = document, catalogue
        self._fixed, self._simulation = dict(parameters or {}), dict(simulation or {})
        with few_suggestions():
            self._reading = Reading(document, catalogue, self._fixed, self._simulation, {})
            self.model = self._reading.load()
        raw = document.data.get("parameters") or {}
        self._raw = {**raw, **self._fixed}
        self.affected = self._affected()
        # Laws contain what a name of `let` stands for: a name that is given another expression makes other laws.
        named = any(target.path[0] == "let" for target in self.targets)
        whole = bool(named or self._makes_bodies_anew())
        self._is_quick = not whole and all(path[0] in (*_QUICK, *_LATER) for path in self.affected)
        plain = not (whole or self.model.tables)
        computed = plain and all(path[0] in (*_QUICK, *_LATER, GRAVITY[0]) for path in self.affected)
        self._columns: Callable[[Sequence[Any]], Any] | None = None  # as `_computed`, of columns
        self._computed = self._formulas() if computed else None

    def _makes_bodies_anew(self) -> bool:
        """Whether beams or elastic parts may depend on what varies, or paths of the file, in which nodes have no names yet, do."""
        if not (self.model.beams or self.model.elastic):
            return False
        laid = any(path[0] in ("beams", "elastic", "ground") for path in self.affected) or not self.touches_only("bodies", _OF_NO_PLACE)
        return laid or any(not target.parameter for target in self.targets)

    def _affected(self) -> list[Path]:
        """The blocks (section, name) that depend on the targets."""
        names = {target.parameter for target in self.targets if target.parameter}
        names |= {str(target.path[1]) for target in self.targets if target.path[0] == "let"}
        mentions = {name: _words(value) for name, value in [*self._raw.items(), *(self._document.data.get("let") or {}).items()]}
        grown = True
        while grown:
            more = {name for name, words in mentions.items() if words & names} - names
            names, grown = names | more, bool(more)
        self._names = names
        paths = {target.path[:2] for target in self.targets if not target.parameter}
        found: list[Path] = []
        for section, block in self._document.data.items():
            if section == "parameters":
                continue
            several = isinstance(block, dict) and (SECTIONS[section].names or section == "simulation")
            for name, inner in block.items() if several else [(None, block)]:
                path: Path = (section,) if name is None else (section, name)
                if _words(inner) & names or any(changed[: len(path)] == path for changed in paths):
                    found.append(path)
        return found

    def _formulas(self) -> Callable[[Sequence[float]], Numbers] | None:
        """What computes the model without checking blocks again; None where something is not computed so."""
        model, raw = self.model, self._document.data
        changed = {x.path: (f"{k}", x.add) for k, x in enumerate(self.targets) if not x.parameter}
        program = Program({name: value for name, value in model.parameters.items() if name not in self._names})
        formulas = Formulas(program, self._names, changed)
        try:
            for k, x in enumerate(self.targets):
                program.given(x.parameter or f"{k}", k)
            base = [self._now(x) for x in self.targets]
            self._define_parameters(program)
            blocks: dict[tuple[str, str], dict[str, ast.expr]] = {}
            laws: list[Expression] = []  # which read parameters when they run, but whose parts without other names need a value
            for path in self.affected:
                section = str(path[0])
                if section in _LATER:
                    continue
                if section == "initial":
                    made = formulas.build({k: v for k, v in raw["initial"].items() if k != "fix"}, model.initial.values, path, False)
                    if made is not None:
                        blocks[section, ""] = {"values": made}
                elif section == GRAVITY[0]:
                    made = formulas.build(raw[section], model.gravity, path, False)
                    if made is not None:
                        blocks[GRAVITY] = {"vector": made}
                elif section == "energy" and model.energy is not None and not any(x[0] == section for x in changed):
                    energies = model.energy.kinetic, model.energy.potential, model.energy.dissipation
                    laws += [law for law in energies if law is not None]
                elif section in _OF_LAWS and model.coordinates and not any(x[:2] == path for x in changed):
                    found = _laws_of(getattr(model, section)[path[1]])
                    if found is None:
                        return None
                    laws += found
                elif section == "ground":
                    blocks[section, ""] = formulas.fields(raw[section], model.ground, path)
                else:
                    name = str(path[1]) if section in ("bodies", "joints", "forces", "controllers") else ""
                    checked = getattr(model, section).get(name) if name else None
                    if checked is None or not _is_plain(checked):
                        return None
                    blocks[section, name] = formulas.fields(value_at(raw, path), checked, path)
            checks = self._checks(program, laws)
            compute = program.function(_result(program, list(model.parameters), blocks))
            if compute(base) != (model.parameters, {key: self._checked(key, fields) for key, fields in blocks.items()}):
                return None
        except (UnfitError, ExpressionError, ArithmeticError, ValueError, TypeError):
            return None

        whole = [law for law in laws if law.names <= model.parameters.keys()]
        self._columns = compute if program.is_arithmetic and not whole and not checks else None

        def computed(values: Sequence[float]) -> Numbers:
            parameters, fields = compute([float(value) for value in values])
            for law in whole:
                evaluate(law, parameters)
            for check in checks:
                check(parameters)
            return Numbers(parameters, fields, model)

        return computed

    def _checks(self, program: Program, laws: Sequence[Expression]) -> list[ConstantCheck]:
        """What is checked of parts of laws, as far as the program does not."""
        left = []
        for law in laws:
            for check in constant_checks(law.tree, self.model.parameters.keys(), self._names):
                try:
                    program.require(check)
                except UnfitError:
                    left.append(check)
        return left

    def _now(self, x: Target) -> float:
        """What the file has for a target; 0 of what is added. Raises ExpressionError."""
        if x.add:
            return 0.0
        if x.parameter:
            return self.model.parameters[x.parameter]
        return evaluate(parse(value_at(self._document.data, x.path)), self.model.parameters)

    def _checked(self, key: tuple[str, str], fields: Collection[str]) -> dict[str, Any]:
        """The checked values of these fields of a block."""
        section, name = key
        block = getattr(self.model, section)
        if key == GRAVITY:
            return {"vector": block}
        block = block[name] if name else block
        return {field: getattr(block, field) for field in fields}

    def _define_parameters(self, program: Program) -> None:
        """The parameters that depend on others, in an order in which they can be computed. Raises UnfitError."""
        given = {target.parameter for target in self.targets if not target.add} - {""}
        trees = {name: parse(self._raw[name]) for name in self._raw if name in self._names and name not in given}
        if any(target.add and target.parameter for target in self.targets):
            raise UnfitError("a parameter is added to")
        while trees:
            ready = [name for name, expression in trees.items() if expression.names.isdisjoint(trees.keys())]
            for name in ready:
                program.define(name, trees[name].tree)
            for name in ready:
                del trees[name]
            if not ready:
                raise UnfitError("parameters depend on each other")

    def touches(self, *sections: str) -> bool:
        """Whether a block of other sections than these depends on the targets."""
        return any(path[0] not in sections for path in self.affected)

    def touches_only(self, section: str, fields: Set[str]) -> bool:
        """Whether in the blocks of a section nothing but these fields depends on the targets."""
        data, names = self._document.data, self._names
        changed = {target.path[:3] for target in self.targets if not target.parameter}
        for path in self.affected:
            block = data[path[0]][path[1]] if path[0] == section and len(path) == 2 else {}
            if any((_words(value) & names or (*path, key) in changed) and key not in fields for key, value in block.items()):
                return False
        return True

    def with_values(self, values: Sequence[float]) -> Model:
        """The model with a value for each target. Raises ModelError, at the place in the file."""
        return self.numbers(values).model

    def numbers(self, values: Sequence[float]) -> Numbers:
        """The numbers of that model. Raises ModelError."""
        if self._computed is not None:
            try:
                return self._computed(values)
            except (UnfitError, ArithmeticError, ValueError):  # the long way does it, or says what is wrong
                pass
        return Numbers.of(self._read(values))

    def columns(self, values: np.ndarray) -> tuple[dict[str, Any], dict[tuple[str, str], dict[str, Any]]] | None:
        """Parameters and fields, as `Numbers` has them, of many sets of values (k, n) at once: a Column in place of what varies.

        None where they are not found so, or one of them does not fit: then each is read by itself.
        """
        if self._columns is None:
            return None
        try:
            with np.errstate(all="ignore"):
                parameters, fields = self._columns([Column(values[:, k].copy()) for k in range(values.shape[1])])
        except (UnfitError, ArithmeticError, ValueError, TypeError):
            return None
        return parameters, fields

    def _read(self, values: Sequence[float]) -> Model:
        changes = {target: float(value) for target, value in zip(self.targets, values, strict=True)}
        parameters = dict(self._fixed)
        for target, value in changes.items():
            if target.parameter:
                parameters[target.parameter] = _change(self._raw[target.parameter], target, value)
        data = self._document.data
        if any(not target.parameter for target in changes):
            data, copied = dict(data), set[Path]()
            for target, value in changes.items():
                if not target.parameter:
                    _replace(data, target, value, copied)
        named = self._reading.data if self.model.beams or self.model.elastic else data
        found = self._quickly(named, parameters) if self._is_quick else None
        return found if found is not None else self._fully(data, parameters)

    def _fully(self, data: object, parameters: Mapping[str, float | str]) -> Model:
        with few_suggestions():
            return Reading(replace(self._document, data=data), self._catalogue, parameters, self._simulation, {}).load()

    def _quickly(self, data: Mapping[str, Any], given: Mapping[str, Plain]) -> Model | None:
        """The model by its affected blocks only; None where something is wrong with one."""
        values, faults = parameter_block.solve({**self._raw, **given}, self._reading.table_names())
        if faults or len(values) < len(self._raw):
            return None
        context = replace(self._reading.context, parameters=values)
        sections: dict[str, Any] = {"parameters": values}
        model = self.model
        try:
            for path in self.affected:
                section = str(path[0])
                if section in _LATER:
                    continue
                if section == "initial":
                    sections["initial"], wrong = read_initial(data["initial"], context)
                    if wrong:
                        return None
                elif (kind := SECTIONS[section].block) is not None and not SECTIONS[section].names:
                    sections[section] = kind.model_validate(data[section], context=self._reading.context_of(section, context))
                else:
                    name = str(path[1])
                    attribute = "couplings" if section == "joints" and name in model.couplings else section
                    block = self._block(section, name, data[section][name], context)
                    sections.setdefault(attribute, dict(getattr(model, attribute)))[name] = block
        except ValidationError:
            return None
        found = replace(model, **sections)
        if (model.tables or "drivers" in sections) and [*find_uncovered(found), *jumps(found)]:
            return None
        return found

    def _block(self, section: str, name: str, data: Plain, context: Context) -> Block:
        kind = SECTIONS[section].block or type(getattr(self.model, section).get(name) or self.model.couplings[name])
        return kind.model_validate(data, context=self._reading.context_of(section, context))


def _result(program: Program, parameters: Sequence[str], blocks: Mapping[tuple[str, str], Mapping[str, ast.expr]]) -> ast.expr:
    """Parameters by name, and the fields of blocks."""
    names: list[ast.expr | None] = [ast.Constant(name) for name in parameters]
    keys: list[ast.expr | None] = [program.keep(key) for key in blocks]
    fields = [ast.Dict([ast.Constant(key) for key in of], list(of.values())) for of in blocks.values()]
    return ast.Tuple([ast.Dict(names, [program.named(name) for name in parameters]), ast.Dict(keys, list[ast.expr](fields))], ast.Load())


def _laws_of(block: Block) -> list[Expression] | None:
    """The laws of a block that has but words beside them; None of another one."""
    values = [getattr(block, name) for name in type(block).model_fields]
    plain = all(x is None or isinstance(x, (Expression, str, bool)) for x in values)
    return [x for x in values if isinstance(x, Expression)] if plain else None


def _is_plain(block: Block) -> bool:
    """Whether the checks of a block are of its numbers one by one: none compares them, and no shape makes a mass."""
    if isinstance(block, Body):
        return block.density is None
    return isinstance(block, Joint) or not type(block).__pydantic_decorators__.model_validators


def _change(raw: Plain, target: Target, value: float) -> float | str:
    """The value that stands in the file, as a number or an expression."""
    return f"({raw}) + ({value!r})" if target.add else value


def _replace(data: Any, target: Target, value: float, copied: set[Path]) -> None:
    """Change a number in data of which the blocks on the way are copied first, once."""
    for depth, part in enumerate(target.path[:-1], 1):
        if target.path[:depth] not in copied:
            copied.add(target.path[:depth])
            data[part] = data[part].copy()
        data = data[part]
    data[target.path[-1]] = _change(data[target.path[-1]], target, value)


def _words(value: Plain) -> set[str]:
    """All words in the texts of some data."""
    if isinstance(value, str):
        return set(_WORD.findall(value))
    if isinstance(value, dict):
        return set().union(*map(_words, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(_words, value)) if value else set()
    return set()
