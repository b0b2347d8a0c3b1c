"""The `let` block: names of expressions, which laws, constraints, measures and events may then use.

    let:
      slip: der(wheel.x) - radius*der(wheel.angle)
      load: max(0, stiffness*(radius - wheel.y))

A name stands for its expression wherever it is used, so it may hold what is known there. Names may use each other, but not in a circle.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from mbsim.model.expressions.expression import Expression, parse, unknown_name
from mbsim.model.expressions.parsed import Name, walk
from mbsim.model.fields import Context
from mbsim.model.file.errors import ExpressionError, shown
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.names import own_name_fault
from mbsim.model.rephrase import Fault
from mbsim.model.report import Report


class _Reading:
    """Reads the expressions, each after those that it uses."""

    def __init__(self, raw: Mapped, context: Context, known: Collection[str], report: Report) -> None:
        self._raw, self._context, self._known, self._report = raw, context, known, report
        self.found: dict[str, Expression] = {}
        self.wrong: set[str] = set()

    def read(self, name: str, above: tuple[str, ...] = ()) -> None:
        """Read one, and first those that it uses; `above` are those that use it. What is wrong is reported at its place."""
        if name in self.found or name in self.wrong:
            return
        try:
            value = self._raw[name]
            for used in self._uses(value):
                if used in (*above, name):
                    circle = " -> ".join([*(*above, name)[(*above, name).index(used) :], used])
                    self.wrong |= {*above, name}
                    raise ExpressionError(f"names of `let` stand for each other in a circle: {circle}")
                self.read(used, (*above, name))
            if name in self.wrong or self.wrong & self._uses(value):
                self.wrong.add(name)  # its reason is reported
                return
            context = replace(self._context, named=self.found)
            expression = parse(value, words=context.words(second_rates=True))
            fault = unknown_name(expression, self._known, context.parameters, context.unusable, ("t",), absent=context.absent)
            if fault is not None:
                raise fault
            if expression.names & context.unusable or any(not call.table.points for call in expression.lookups):
                self.wrong.add(name)
            else:
                self.found[name] = expression
        except ExpressionError as error:
            self.wrong.add(name)
            self._report.add(Fault((name,), error.message, offset=error.offset if isinstance(self._raw[name], str) else None), ("let",))

    def _uses(self, value: Plain) -> set[str]:
        """The names of the block in an expression, whatever else is wrong with it."""
        if not isinstance(value, str):
            return set()
        standing = {name: Expression(name, Name(name), frozenset([name])) for name in self._raw}
        tree = parse(value, words=replace(self._context, named=standing).words(second_rates=True)).tree
        return {part for node in walk(tree) if isinstance(node, Name) for part in _plain(node.name)} & self._raw.keys()


def _plain(name: str) -> tuple[str, str]:
    """A name, and that of which it is the rate."""
    return name, name.removeprefix("der(").removesuffix(")")


def read_let(
    raw: Mapped, context: Context, known: Collection[str], taken: Mapping[str, Collection[str]], report: Report
) -> tuple[dict[str, Expression], frozenset[str]]:
    """The expressions by name, with their names written out, and the names that are wrong, which is in `report`.

    `known`: names that they may have besides t, the parameters and each other; `taken`: names used by other sections.
    """
    reading = _Reading(raw, context, known, report)
    for name, value in raw.items():
        if fault := own_name_fault(name, taken):
            report.add(Fault((name,), fault, "key"), ("let",))
        if isinstance(value, (dict, list)) or value is None:
            report.add(Fault((name,), f"expected an expression (got {shown(value)})"), ("let",))
            reading.wrong.add(name)
    for name in raw:
        reading.read(name)
    for name in reading.wrong:
        report.skip(("let", name))
    return {name: reading.found[name] for name in raw if name in reading.found}, frozenset(reading.wrong)
