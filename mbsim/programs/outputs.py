"""The outputs of a unit: names of what a run records, and measures of the model, found by compiled code."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mbsim.assembly import Assembly
from mbsim.model.expressions.functions import MEASURING
from mbsim.model.expressions.parsed import Call, Name, Node, Number
from mbsim.model.file.errors import did_you_mean
from mbsim.model.recorded import ENERGIES, FORCE_VECTORS, FORCES, REACTIONS, terms
from mbsim.observe.evaluation import names
from mbsim.observe.facts import Facts
from mbsim.observe.quantities import Quantities
from mbsim.programs.quantities import Behind, Table
from mbsim.results.schema import SERIES

if TYPE_CHECKING:
    from mbsim.model.events import Event
    from mbsim.model.schema import Model


COUNTS = re.compile(r"event_count\((.+)\)")
NOTHING = Number(0.0)  # in place of what the program in C counts


class NotExportedError(ValueError):
    """Something that a unit cannot have. The message says what, and the way out."""


@dataclass(frozen=True)
class Output:
    """A number that a unit shows."""

    name: str
    unit: str  # UDUNITS spelling
    description: str


@dataclass(frozen=True)
class Outputs:
    """What a unit shows, and what finds it."""

    outputs: list[Output]
    table: Table
    combined: Any  # the kernel that makes the outputs of the table's numbers, of contract RESIDUAL; None: they are these numbers
    counted: Mapping[int, str] = field(default_factory=dict)  # of outputs that count an event: its name


def default_names(made: Assembly) -> list[str]:
    """What a unit shows where nothing is asked for: coordinates, speeds, states and measures."""
    system = made.system
    measures = [] if made.measures is None else [term.name for term in made.measures.given.measures]
    return list(dict.fromkeys([*system.coordinates, *system.speeds, *measures]))


def outputs_of(model: "Model", made: Assembly, wanted: Sequence[str], behind: Behind | None = None) -> Outputs:
    """Outputs by the names of results and of measures; `joint_force:pin` are three. Raises NotExportedError with all unknown names.

    `behind`: what stands behind the output row.
    """
    facts = Facts.of(model)
    table, quantities = Table(facts, made.system, made.whole, behind), Quantities(facts, made.whole)
    measures = {} if made.measures is None else {term.name: term for term in made.measures.given.measures}
    found: list[Output] = []
    trees: list[Node] = []
    counted: dict[int, str] = {}
    problems = []
    for name in dict.fromkeys(part for item in wanted for part in _parts(item, made)):
        if name in measures:
            series = made.measures.series[name] if made.measures is not None else None
            assert series is not None
            tree = _spelled_out(measures[name].tree, {term: item.tree for term, item in measures.items()})
            if missing := [_said(node) for node in terms(tree) if _row(table, node) is None]:
                problems.append(
                    f"the measure {name!r} reads {', '.join(missing)}, which a unit does not show: name outputs without it (--outputs)"
                )
                continue
            found.append(Output(name, series.units, series.long_name))
            trees.append(tree)
            continue
        if (counts := COUNTS.fullmatch(name)) is not None:
            if counts[1] not in model.events:
                problems.append(f"unknown event {counts[1][:60]!r} of an output{did_you_mean(counts[1], model.events)}")
            counted[len(found)] = counts[1]
            found.append(Output(name, "1", f"how often the event {counts[1]} has happened"))
            trees.append(NOTHING)
            continue
        row = table.find(name)
        quantity = quantities.find(name) if row is not None else None
        if row is None or quantity is None:
            problems.append(_unknown(name, model, made, measures))
            continue
        found.append(Output(name, quantity.units, _described(name)))
        trees.append(Name(name))
    if problems:
        raise NotExportedError("; ".join(problems))
    plain = [tree.name for tree in trees if isinstance(tree, Name)]
    if len(plain) == len(trees):
        alone = Table(facts, made.system, made.whole, behind)
        if [alone.find(name) for name in plain] == list(range(len(plain))):  # else others, of which they are made, stand between
            return Outputs(found, alone, None)
    return Outputs(found, table, _combined(model, table, trees), counted)


def values_of(model: "Model", made: Assembly, events: "Sequence[Event]", behind: Behind | None = None) -> Outputs:
    """What events set and switch, one after the other, found as outputs are. Raises NotExportedError with all that units do not know."""
    table = Table(Facts.of(model), made.system, made.whole, behind)
    measures = {name: item.value.tree for name, item in model.measures.items()}
    found: list[Output] = []
    trees: list[Node] = []
    problems = []
    for event in events:
        for kind, values in (("sets", event.do.set), ("switches", event.do.switch)):
            for target, expression in values.items():
                tree = _spelled_out(expression.tree, measures)
                if missing := [_said(node) for node in terms(tree) if _row(table, node) is None]:
                    problems.append(f"the event {event.name!r} {kind} {target!r} by {', '.join(missing)}, which a unit does not show")
                found.append(Output(target, "1", ""))
                trees.append(tree)
    if problems:
        raise NotExportedError("; ".join(problems))
    return Outputs(found, table, _combined(model, table, trees) if trees else None)


def _parts(item: str, made: Assembly) -> list[str]:
    """`joint_force:pin` as the names of its numbers, `joint_force:pin:x` as one."""
    name = item.strip().replace(":", ".")
    variable, _, label = name.partition(".")
    if variable in REACTIONS and label in [joint.name for joint in made.system.joints]:
        axes = "xyz" if variable.startswith("joint_force") or made.system.dimension == 3 else "z"
        return [f"{name}.{axis}" for axis in axes[: 2 if axes == "xyz" and made.system.dimension == 2 else 3]]
    return [name]


def _unknown(name: str, model: "Model", made: Assembly, measures: Any) -> str:
    variable = name.partition(".")[0]
    if variable in (*FORCES, *FORCE_VECTORS) or variable.startswith("controller_") or name == "energy_balance":
        return f"{name!r} is recorded by runs, and not shown by units: name the coordinates it is made of, or a measure of these"
    known = {*made.system.coordinates, *made.system.speeds, *measures, *model.parameters, *ENERGIES[:3]}
    known |= {f"{quantity}.{joint.name}.{axis}" for quantity in REACTIONS for joint in made.system.joints for axis in "xyz"}
    known |= {f"{body}.{axis}" for body in made.system.bodies for axis in "xyz"[: made.system.dimension]}
    return f"unknown output {name[:60]!r}{did_you_mean(name, known - {name})}"


def _described(name: str) -> str:
    series = SERIES.get(name.partition(".")[0])
    return "" if series is None else series.long_name


def _said(node: Name | Call) -> str:
    return node.name if isinstance(node, Name) else f"{node.function}({', '.join(names(node))})"


def _row(table: Table, node: Name | Call) -> int | None:
    """The row of a name or of a function of bodies."""
    return table.find(node.name) if isinstance(node, Name) else table.function(node.function, names(node))


def _spelled_out(tree: Node, measures: dict[str, Node]) -> Node:
    """A tree without names of other measures."""
    if isinstance(tree, Name) and tree.name in measures:
        return _spelled_out(measures[tree.name], measures)
    if isinstance(tree, Call) and tree.function not in MEASURING:
        return replace(tree, arguments=tuple(_spelled_out(argument, measures) for argument in tree.arguments))
    return tree


def _combined(model: "Model", table: Table, trees: Sequence[Node]) -> Any:
    """The kernel that finds the values of trees from the numbers of the table."""
    import sympy

    from mbsim.model.expressions.symbolic import translate
    from mbsim.system.codegen import HEADER, cached_module, function

    symbols: dict[str, Any] = {}

    def plain(tree: Node) -> Node:
        if isinstance(tree, Name) or (isinstance(tree, Call) and tree.function in MEASURING):
            row = _row(table, tree)
            symbols.setdefault(f"x{row}", sympy.Symbol(f"x{row}", real=True))
            return Name(f"x{row}")
        if isinstance(tree, Call):
            return replace(tree, arguments=tuple(map(plain, tree.arguments)))
        return tree

    plains = [plain(tree) for tree in trees]
    before = "\n".join(f"{name} = x[{name[1:]}]" for name in symbols)
    key_text = f"outputs {plains!r} {sorted((name, repr(t)) for name, t in getattr(model, 'tables', {}).items())}"

    def source() -> str:
        pairs = [(f"y[{i}]", translate(tree, symbols)) for i, tree in enumerate(plains)]
        return HEADER + function("outputs", "RESIDUAL", "t, x, y", pairs, before)

    return cached_module(key_text, source).outputs
