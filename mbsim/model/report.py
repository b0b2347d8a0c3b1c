"""Collects the problems of a model and puts each at its place: in the file, or at the override that caused it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from mbsim.model.fields import Context
from mbsim.model.file.errors import Problem, path_text
from mbsim.model.file.plain import Plain
from mbsim.model.file.positions import Document, Path
from mbsim.model.rephrase import Fault, faults

# The origins of overrides, which have no place in a file.
PARAMETER_SOURCE = "given parameters"
SIMULATION_SOURCE = "given settings"
TABLE_SOURCE = "given tables"
LEFT_OUT = "this was left out, which is a mistake of mbsim and not of the file; please report it"

_Block = TypeVar("_Block", bound=BaseModel)


class Report:
    """The problems of one load so far."""

    def __init__(self, document: Document, parameters: Collection[str], simulation: Collection[str], tables: Collection[str] = ()) -> None:
        self.document = document
        self.parameters = parameters  # the overridden names
        self.simulation = simulation
        self.tables = tables
        self.problems: list[Problem] = list(document.problems)
        self.unread: list[Path] = []  # values that could not be read because of a problem reported elsewhere

    def add(self, fault: Fault, prefix: Sequence[str | int] = ()) -> None:
        """Add a fault whose path is relative to `prefix`."""
        path = (*prefix, *fault.path)
        message = fault.message + self._places(fault, prefix)
        source = self._override(path, fault)
        if source:
            self.outside(source, path_text(path), message)
            return
        if fault.at == "value" and fault.offset is not None:
            mark = self.document.offset_mark(path, fault.offset)
            if message == "'(' is never closed" and self.document.in_flow(path):
                message += " (inside { } or [ ], quote an expression that has a comma)"
        elif fault.at == "value":
            mark = self.document.mark(path)
        else:
            mark = self.document.key_mark(path)
        self.problems.append(Problem(self.document.file, mark.line, mark.column, path_text(path), message))

    def read(self, kind: type[_Block], path: Path, data: Plain, context: Context, short: str = "") -> _Block | None:
        """The block that `data` at `path` describes; None where something is wrong with it, which is then among the problems.

        `short`: the key of the block that a value in place of the block stands for.
        """
        whole = not short or isinstance(data, dict)
        block = data if whole else {short: data}
        try:
            return kind.model_validate(block, context=context)
        except ValidationError as error:
            for fault in faults(error, kind, block):
                self.add(fault if whole else replace(fault, path=()), path)
            self.skip(path)
            return None

    def outside(self, source: str, path: str, message: str) -> None:
        """Add a problem that has no place in the file."""
        self.problems.append(Problem(source, 0, 0, path, message))

    def skip(self, path: Sequence[str | int]) -> None:
        """Record that the value at `path` is not read because of a problem that is reported elsewhere."""
        self.unread.append(tuple(path))

    def close(self) -> None:
        """Check that every skipped value has its reason among the problems: no part of a file is ignored silently."""
        if not self.problems:
            for path in self.unread:
                self.add(Fault(path, LEFT_OUT))

    def _places(self, fault: Fault, prefix: Sequence[str | int]) -> str:
        """The further places of a fault that exist in the file."""
        paths = [(*prefix, *path) for path in fault.related]
        marks = [self.document.key_mark(path) for path in paths if self.document.has(path)]
        return f" (also at {', '.join(f'{mark.line}:{mark.column}' for mark in marks)})" if marks else ""

    def _override(self, path: Sequence[str | int], fault: Fault) -> str:
        """The origin of a value that is not in the file; empty if it is."""
        if len(path) > 1 and path[0] == "parameters" and path[1] in self.parameters:
            return PARAMETER_SOURCE
        if len(path) > 1 and path[0] == "tables" and path[1] in self.tables:
            return TABLE_SOURCE
        if len(path) > 1 and path[0] == "simulation" and path[1] in self.simulation:
            return SIMULATION_SOURCE
        if tuple(path) == ("simulation",) and fault.at == "value" and self.simulation:
            return SIMULATION_SOURCE  # the override made the block as a whole wrong (end before start)
        return ""
