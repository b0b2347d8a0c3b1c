"""What a program of a unit is given: numbers, tables and calls, of which `c` knows the names. They become text in C, or in LLVM's language.

The program itself is the same for all units (`mbsim.programs.shim`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

# Of each table the columns of its lines, or the kind of its entries; [NAME]: so many of them stand in a line. `function` is a kernel,
# `call` a function that calls some.
TABLES = {
    "image_words": "uint64_t", "runs": "int32_t place, count, word", "images": "int32_t", "pointers": "int32_t place, target",
    "lengths": "int32_t place; int64_t value", "functions": "int32_t place; function function", "input_places": "int32_t",
    "local_places": "int32_t", "local_rates": "int8_t", "output_places": "int32_t [OUTPUT_COLUMNS]", "state_references": "uint32_t",
    "input_names": "text", "state_names": "text [NAMES]", "reasons": "text",
    "happenings": "text name, word; double sense, after; int32_t once, stops, way, stop, tells, releases",
    "both": "int32_t [WAYS]", "assignments": "int32_t event, kind, place, value", "begun": "int32_t phase, place, copy, count",
    "counted": "int32_t output, event", "meets_positions": "call [WAYS]", "meets_speeds": "call [WAYS]",
    "leads": "int16_t [EVENT_COUNT]", "holds": "int8_t [COMERS]", "comers": "int16_t [COMER_ROWS]",
    "doors": "int8_t locks, opens_and_closes_alone",
    "seats": "int32_t phase, which, line, first, second, moves, measures; double axis[3]",
    "shifts": "int32_t phase, which, row, of_geometry, place; double slope",
    "stop_near": "double", "stop_names": "text", "stop_reasons": "text", "mode_words": "text", "efforts": "int16_t event, stop, tells",
    "first_direction": "int16_t", "rubs": "int8_t", "stop_of": "int16_t", "bases": "int16_t",
    "row_lines": "int16_t comer, kind, keeps, turns, primitive, first, second, bodies[2]", "row_geometry": "double [ROW_GEOMETRY]",
    "row_levers": "double", "row_names": "text", "slots": "int16_t row, line, kind", "slot_first": "int16_t",
    "row_shifts": "int16_t line, place; double slope", "row_of_direction": "int16_t", "roams": "int8_t", "takes": "int16_t [ROOM]",
    "rooms": "int16_t [ROOM]", "frictions": "int16_t stop, comer, group, groups",
    "friction_groups": "int16_t component, components; double factor", "friction_components": "int16_t term, terms",
    "friction_terms": "int16_t line, other; double weight", "other_rows": "int16_t [OTHERS]",
}  # fmt: skip
# Functions that call kernels with the arguments of the phase in which an instance is, and whether they return a code.
CALLS = {
    "call_expand": True, "call_outputs": False, "call_march": True, "call_rates": True, "call_accept": True, "call_sample": False,
    "call_look": False, "call_look_before": False, "call_values": False, "call_start": True, "call_energy_of_row": False,
    "call_energy_of_state": False, "call_begin_events": True, "call_glance": False, "call_residual": False, "call_settle": True,
    "call_tell_modes": False, "call_set_sides": False, "call_matrix": False, "call_along": False,
}  # fmt: skip


class Columns(NamedTuple):
    """The kind of the lines of a table."""

    fields: list[tuple[str, str, int]]  # type, name, how many; one without a name: lines are no structures
    inner: str  # the number of entries in a line; empty: one


def columns(name: str) -> Columns:
    """Of a table."""
    declared = TABLES[name]
    if declared.endswith("]") and " [" in declared:
        kind, _, inner = declared[:-1].partition(" [")
        return Columns([(kind, "", 1)], inner)
    if " " not in declared:
        return Columns([(declared, "", 1)], "")
    found = []
    for part in declared.split("; "):
        kind, _, names = part.partition(" ")
        for one in names.split(", "):
            its, _, count = one.partition("[")
            found.append((kind, its, int(count[:-1]) if count else 1))
    return Columns(found, "")


@dataclass(frozen=True)
class Argument:
    """An argument of a kernel: a number, the address of a word, or of a kernel."""

    kind: str  # NUMBER, INTEGER, HELD (a number of the instance), ADDRESS, KERNEL
    value: Any  # the number, the place of the word, the name of the kernel

    @property
    def is_number(self) -> bool:
        """Whether it is handed over as a number, not as an integer."""
        return self.kind in (NUMBER, HELD)


NUMBER, INTEGER, HELD, ADDRESS, KERNEL = "number", "integer", "held", "address", "kernel"


class Called(NamedTuple):
    """A kernel, with its arguments."""

    kernel: str
    arguments: list[Argument]

    @property
    def shape(self) -> tuple[Any, ...]:
        """What phases have to have in common that one function calls it for: all but places and integers."""
        return self.kernel, tuple((x.kind, None if x.kind in (INTEGER, ADDRESS, HELD) else x.value) for x in self.arguments)


@dataclass(frozen=True)
class Function:
    """A function that calls kernels, one after the other. Arguments that differ between phases stand in lines of a table."""

    name: str
    returns: bool
    calls: list[Called]  # as in the first of its phases
    lines: dict[int, list[int]] = field(default_factory=dict)  # by phase; empty: nothing differs
    differs: dict[tuple[int, int], int] = field(default_factory=dict)  # (which call, which argument) -> the column


@dataclass(frozen=True)
class Dispatched:
    """A function that does what belongs to the phase. One of its name in `each` is that function: all phases have the same."""

    name: str
    returns: bool
    each: list[Function]
    of_phase: list[int]  # the place of its function in `each`

    def words(self) -> tuple[list[int], list[int]]:
        """The words that differ between phases, one after the other, and where those of each phase begin."""
        begins, words = list[int](), list[int]()
        for phase, k in enumerate(self.of_phase):
            begins.append(len(words))
            words += self.each[k].lines.get(phase, [])
        return begins, words


def dispatched(name: str, returns: bool, of_phases: Sequence[list[Called]]) -> Dispatched:
    """Phases whose kernels are the same share a function."""
    groups: dict[Any, list[int]] = {}
    for phase, calls in enumerate(of_phases):
        groups.setdefault(tuple(call.shape for call in calls), []).append(phase)
    each, of_phase = list[Function](), [0] * len(of_phases)
    for k, phases in enumerate(groups.values()):
        for phase in phases:
            of_phase[phase] = k
        each.append(_shared(f"{name}_{k}", returns, {phase: of_phases[phase] for phase in phases}))
    if len(each) == 1 and not each[0].lines:
        each = [replace(each[0], name=name)]
    return Dispatched(name, returns, each, of_phase)


def _shared(name: str, returns: bool, of_phases: Mapping[int, list[Called]]) -> Function:
    first = next(iter(of_phases.values()))
    differs: dict[tuple[int, int], int] = {}
    lines: dict[int, list[int]] = {phase: [] for phase in of_phases}
    for i, call in enumerate(first):
        for j, argument in enumerate(call.arguments):
            values = [calls[i].arguments[j].value for calls in of_phases.values()]
            if argument.kind in (INTEGER, ADDRESS, HELD) and any(value != values[0] for value in values):
                differs[i, j] = len(differs)
                for phase, value in zip(of_phases, values, strict=True):
                    lines[phase].append(value)
    return Function(name, returns, first, lines if differs else {}, differs)


@dataclass(frozen=True)
class Given:
    """Everything that the program of a unit is given."""

    title: str
    offers: Mapping[str, bool]  # what there is in it, for the preprocessor
    numbers: list[dict[str, int]]  # of each phase
    exact: Mapping[str, float]  # numbers that are no integers
    tables: Mapping[str, Sequence[Any]]  # lines; None in place of a text or a function: there is none
    calls: list[Dispatched]
    single: list[Function]  # that tables point to
    identity: str

    @property
    def kernels(self) -> dict[str, list[Argument] | None]:
        """All kernels that are called, with arguments of the right kinds; None: they are only pointed to."""
        found: dict[str, list[Argument] | None] = {}
        for function in self.functions():
            for call in function.calls:
                found[call.kernel] = call.arguments
                for argument in call.arguments:
                    if argument.kind == KERNEL:
                        found.setdefault(argument.value, None)
        for _, kernel in self.tables["functions"]:
            found.setdefault(kernel, None)
        return found

    def functions(self) -> Iterator[Function]:
        """All functions that call kernels."""
        yield from self.single
        for one in self.calls:
            yield from one.each

    def common(self) -> tuple[dict[str, int], list[str]]:
        """The numbers that are the same in all phases, and the names of the others."""
        same = {name: value for name, value in self.numbers[0].items() if all(one[name] == value for one in self.numbers)}
        return same, [name for name in self.numbers[0] if name not in same]
