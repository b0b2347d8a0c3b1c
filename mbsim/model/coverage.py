"""Checks that tables of time cover the whole run, and that its times resolve samples."""

from collections.abc import Iterator, Mapping
from typing import Any

from mbsim.model.events import Event
from mbsim.model.expressions.parsed import Call, Expression, Lookup, Name, Node
from mbsim.model.file.positions import Path
from mbsim.model.leaves import Block
from mbsim.model.measures import Measure
from mbsim.model.rephrase import Fault
from mbsim.model.sampling import find_unresolved
from mbsim.model.schema import Model
from mbsim.model.sections import SECTIONS


def find_uncovered(model: Model) -> Iterator[Fault]:
    """The calls of tables with the time alone whose points do not reach from the start to the end of the run."""
    start, end = model.simulation.start, model.simulation.end
    for path, expression in expressions(model):
        for call in _unconditional(expression.tree):
            table = call.table
            if table.points and not table.covers(start, end):
                covered, wanted = f"{table.low:g} to {table.high:g} s", f"{start:g} s to {end:g} s"
                written = path if model.document.has(path) else path[:-1]  # one expression, read as a list of one
                message = f"the table '{table.name}' covers {covered}, the run goes from {wanted}"
                yield Fault(written, message, "value", call.offset)


def unresolved_samples(model: Model) -> list[Fault]:
    """The samples that are too short for the times of the run."""
    sections = {"states": model.states, "controllers": model.controllers}
    return find_unresolved(sections, model.simulation.start, model.simulation.end)


def expressions(model: Model) -> Iterator[tuple[Path, Expression]]:
    """Every expression that is evaluated during the run, with its path."""
    waiting: list[tuple[Path, Any]] = [((name,), getattr(model, name)) for name, section in SECTIONS.items() if section.has_laws]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Expression):
            yield path, value
        elif isinstance(value, Measure):
            waiting.append(((*path, "value"), value.value))
        elif isinstance(value, Event):
            waiting += [((*path, "when"), value.when), ((*path, "do", "set"), value.do.set), ((*path, "do", "switch"), value.do.switch)]
        elif isinstance(value, Block):
            waiting += [((*path, name), getattr(value, name)) for name in type(value).model_fields]
        elif isinstance(value, Mapping):
            waiting += [((*path, name), item) for name, item in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, index), item) for index, item in enumerate(value)]


def _unconditional(tree: Node) -> Iterator[Lookup]:
    """The calls of tables whose argument is the time alone, but for those in a branch of if_else, which may never be taken."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Lookup) and isinstance(node.arguments[0], Name) and node.arguments[0].name == "t":
            yield node
        elif isinstance(node, Call):
            waiting.extend(node.arguments[:1] if node.function == "if_else" else node.arguments)
