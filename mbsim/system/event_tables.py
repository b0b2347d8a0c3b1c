"""The rows of `Arrays.event_reads` and `Arrays.event_numbers`: of events that read one quantity, and of those that share a loop.

What an event reads is found in its parsed text, so SymPy is not imported for a model whose events are all of the first kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from types import ModuleType

import numpy as np

from mbsim.model.expressions.parsed import Name, Node, Number
from mbsim.system.alike import Formula, Group, grouped
from mbsim.system.event_reads import (
    ACCELERATION,
    COLUMNS,
    CONSTANTS,
    COORDINATE,
    INDEX,
    LOOP,
    MULTIPLIER,
    NOTHING,
    RELATIVE,
    RELATIVE_RATE,
    SPEED,
    TIME,
)
from mbsim.system.switches import LawText

WHAT_OF = {  # first letter of a symbol (`codegen.SOURCES`) -> what is read
    "q": COORDINATE, "v": SPEED, "a": ACCELERATION, "g": RELATIVE, "w": RELATIVE_RATE, "l": MULTIPLIER,
}  # fmt: skip
_SPEEDS = (SPEED, RELATIVE_RATE)

ARGUMENTS = "t, q, v, q_dot, v_dot, lam, out"


@dataclass
class EventTable:
    """Rows to be filled, in the order of the arrays."""

    reads: list[list[int]] = field(default_factory=list)
    numbers: list[list[float]] = field(default_factory=list)
    reads_speeds: bool = False

    def take(self, line: int, text: LawText) -> bool:
        """Whether an event is a number, or a number and a factor times one quantity: then it has a row."""
        found = _linear(text.expression.tree)
        if found is None:
            return False
        number, (name, factor) = found
        what, index = (NOTHING, 0) if name is None else _place(text.symbols.codes.get(name, ""))
        if what == LOOP or not (isfinite(number) and isfinite(factor)):
            return False
        self.reads.append([line, what, index])
        self.numbers.append([number, factor])
        self.reads_speeds |= what in _SPEEDS
        return True

    def share(self, formulas: Sequence[Formula]) -> tuple[str, str, list[Formula]]:
        """Rows of formulas that are alike: the source of a kernel (contract EVENTS_ALIKE) for each kind, the lines that call them, and the
        formulas that are left. The kernel's name and code say nothing of the model, so that models share it."""
        import hashlib

        groups, left = grouped(formulas)
        source, calls = "", ""
        kinds = {hashlib.sha256(group.text.encode()).hexdigest()[:12]: group for group in groups}
        for loop, (kind, group) in enumerate(sorted(kinds.items())):  # in an order that is the same for all models with these kinds
            source += _loop(f"alike_{kind}", group)
            calls += f"alike_{kind}(arrays, {ARGUMENTS}, {loop})\n"
            self.reads += [[line, LOOP, loop, *numbers] for line, *numbers in group.reads()]
            self.numbers += [[float(value) for value in code.values] for _, code in group.formulas]
        return source, calls, left

    @property
    def source(self) -> str:
        """Python that gives the rows."""
        return f"EVENT_READS = {self.reads!r}\nEVENT_NUMBERS = {self.numbers!r}\n"


def arrays_of(module: ModuleType) -> dict[str, np.ndarray]:
    """The arrays, by their names, of the rows that a generated module gives."""
    return {
        "event_reads": _rectangle(module.EVENT_READS, COLUMNS, np.int64),
        "event_numbers": _rectangle(module.EVENT_NUMBERS, CONSTANTS, np.float64),
    }


def _rectangle(rows: Sequence[Sequence[float]], columns: int, dtype: type) -> np.ndarray:
    out: np.ndarray = np.zeros((len(rows), max([columns, *map(len, rows)])), dtype)
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out


def _loop(name: str, group: Group) -> str:
    body = group.text.replace("VALUES[k, ", "arrays.event_numbers[k, ")
    for n in range(group.width, 0, -1):  # the line, then what is read
        body = body.replace(f"READS[k, {n}]", f"arrays.event_reads[k, {INDEX + n}]")
    body = body.replace("READS[k, 0]", "arrays.event_reads[k, LINE]")
    inner = "".join(f"            {line}\n" for line in body.splitlines())
    head = f"\n\n@kernel(EVENTS_ALIKE)\ndef {name}(arrays, {ARGUMENTS}, loop):\n    for k in range(arrays.event_reads.shape[0]):\n"
    return f"{head}        if arrays.event_reads[k, WHAT] == LOOP and arrays.event_reads[k, INDEX] == loop:\n{inner}"


_Term = tuple[str | None, float]  # a name, and the factor that it has


def _place(code: str) -> tuple[int, int]:
    """What a symbol stands for, and which; LOOP of what is none of these."""
    if code == "t":
        return TIME, 0
    if code == "0":
        return NOTHING, 0
    return (WHAT_OF.get(code[:1], LOOP), int(code[1:])) if code[1:].isdigit() else (LOOP, 0)


def _linear(node: Node) -> tuple[float, _Term] | None:
    """A number, and the one name that is added to it with its factor; None of all else."""
    if isinstance(node, Number):
        return float(node.value), (None, 0.0)
    if isinstance(node, Name):
        return 0.0, (node.name, 1.0)
    if node.function not in ("+", "neg", "*", "/"):
        return None
    parts = [_linear(one) for one in node.arguments]
    known = [part for part in parts if part is not None]
    names = {name for _, (name, _) in known if name is not None}
    if len(known) < len(parts) or len(names) > 1:
        return None
    name = next(iter(names), None)
    if node.function == "+":
        return sum(number for number, _ in known), (name, sum(factor for _, (_, factor) in known))
    if node.function == "neg":
        ((number, (_, factor)),) = known
        return -number, (name, -factor)
    if node.function == "/":
        (above, (top, factor)), (below, (bottom, _)) = known
        return None if bottom is not None or below == 0.0 else (above / below, (top, factor / below))
    number, factor = known[0][0], known[0][1][1]
    for other, (_, slope) in known[1:]:
        if factor != 0.0 and slope != 0.0:
            return None
        number, factor = number * other, factor * other + number * slope
    return number, (name, factor)
