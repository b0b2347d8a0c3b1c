"""The text in C of what a unit is: its memory, its tables and the calls of its kernels. What all units do is in the folder `c`."""

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np

from mbsim import contracts, registry
from mbsim.jit.portable import Objects
from mbsim.jit.signatures import Array, Block, Function, Scalar
from mbsim.march.settings import Settings
from mbsim.march.wrong_settings import OWN
from mbsim.programs.eventtext import event_calls, event_numbers, event_tables
from mbsim.programs.memory import Call, Entry, Number, Pointer
from mbsim.programs.phasetext import phase_numbers, phase_tables
from mbsim.programs.slottext import slot_numbers, slot_tables, slots_of
from mbsim.programs.stoptext import stop_calls, stop_numbers, stop_tables
from mbsim.programs.unit import Part, Unit
from mbsim.programs.variables import local_variables, place_in_row, state_references

GAP = 8  # zeros between two runs of words that are written apart
REASONS = {  # of codes: what a unit says
    contracts.SINGULAR_MASS: "the mass matrix is singular",
    contracts.DEPENDENT_CONSTRAINTS: "the constraints became dependent (singular position), which a unit does not pass",
    contracts.NOT_FINITE: "the motion is unbounded, or the step is too large",
    contracts.DRIFT_REMAINS: "a position constraint cannot be restored; try a smaller step",
    contracts.NO_CONVERGENCE: "the iteration of a step did not converge; try a smaller step",
    contracts.STEP_TOO_SMALL: "the step became too small to meet the tolerance",
    contracts.COARSE: "constraints turn faster than the steps can follow; try a smaller step",
    contracts.CROSSED: "a singular position lies ahead, which runs pass, and units do not",
    contracts.NO_HEADWAY: "the steps are so small that the motion does not get on",
    contracts.NO_EFFORT: "a friction that slips has no effort that fits the reactions that load it: it jams, or this is Painleve's paradox",
    contracts.BASIS_LOST: "the speeds that 'basis' names no longer determine the motion",
}


def part(name: str) -> str:
    """A file of the folder `c`."""
    return files("mbsim.programs").joinpath("c", name).read_text(encoding="utf-8")


def filled(name: str, replaced: Mapping[str, str]) -> str:
    """A file of the folder `c` with words in place of those that stand for them."""
    text = part(name)
    for key, value in replaced.items():
        text = text.replace(key, value)
    return text


def names_text(unit: Unit) -> list[str]:
    """The names of inputs and outputs, for who calls a unit."""
    listed = {"input": [one.name for one in unit.arguments], "output": [one.name for one in unit.outputs.outputs]}
    return [
        f"const char *const {unit.name}_{kind}_names[] = {{{', '.join([*map(quoted, names), 'NULL'])}}};" for kind, names in listed.items()
    ]


def quoted(text: str) -> str:
    """A string of C."""
    out = "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text.encode())
    return f'"{out}"'


def text_of(unit: Unit, objects: Objects) -> str:
    """Everything up to the functions of an interface. The kernels that it calls are added to `objects`. Raises NotPortableError."""
    calls = _Calls(unit, objects)
    bodies = [
        calls.dispatched("int64_t", "call_expand", [[part.expand] for part in unit.parts]),
        calls.dispatched("void", "call_outputs", [part.look for part in unit.parts]),
    ]
    if unit.march is not None:
        bodies.append(calls.dispatched("int64_t", "call_march", [[part.march] for part in unit.parts if part.march is not None]))
    if unit.exchange is not None:
        bodies.append(calls.dispatched("int64_t", "call_rates", [[its.rates] for its in unit.exchanges]))
        bodies.append(calls.dispatched("int64_t", "call_accept", [[its.accept] for its in unit.exchanges]))
        if unit.exchange.sample is not None:
            bodies.append(calls.dispatched("void", "call_sample", [[its.sample] for its in unit.exchanges if its.sample is not None]))
    bodies += event_calls(unit, calls.function, calls.dispatched) + stop_calls(unit, calls.dispatched)
    if unit.derivatives is not None:
        bodies.append(calls.dispatched("void", "call_matrix", [[its.left] for its in unit.slopes]))
        bodies.append(calls.dispatched("void", "call_along", [[its.along] for its in unit.slopes]))
    tables = _tables(unit, objects)
    head = [f"/* {unit.title}: written by mbsim. C99; it needs the C library and its part for mathematics. */"]
    head += [f"#include <{name}.h>" for name in ("math", "stddef", "stdint", "stdio", "stdlib", "string")]
    head += [f"#define {name} {int(there)}" for name, there in _offers(unit).items()]
    text = "\n".join([*head, "", *calls.declarations(tables[1]), "", *_constants(unit), "", *tables[0], "", *bodies, ""])
    exchange = ["exchange.c", *["indicators.c"] * (unit.events is not None)] * (unit.exchange is not None)
    phases, derivatives = ["phases.c"] * (unit.phases is not None), ["derivatives.c"] * (unit.derivatives is not None)
    phases = ["slots.c"] * (slots_of(unit) is not None) + phases
    phases += ["stops.c"] * (unit.parts[0].stops is not None)
    parts = ["core.c", *phases, "events.c", "steps.c", *exchange, *derivatives]
    return text + "\n".join(map(part, parts))


def _offers(unit: Unit) -> dict[str, bool]:
    """What there is in a unit, for its preprocessor."""
    exchange, events = unit.exchange, unit.events
    return {
        "HAS_PHASES": unit.phases is not None, "HAS_EVENTS": events is not None, "HAS_STOPS": unit.parts[0].stops is not None,
        "HAS_SLOTS": slots_of(unit) is not None,
        "HAS_INDICATORS": events is not None and exchange is not None,
        "COUNTS_EVENTS": bool(unit.outputs.counted), "GLANCES": events is not None and events.glance is not None,
        "HAS_STEPS": unit.march is not None, "HAS_EXCHANGE": exchange is not None,
        "HAS_SAMPLES": exchange is not None and exchange.sample is not None, "HAS_DERIVATIVES": unit.derivatives is not None,
        "HAS_TOLERANCE": unit.march is not None and unit.inside.settings.controls_error,
    }  # fmt: skip


class _Calls:
    """Calls of kernels with the arguments that are fixed when an instance is made."""

    def __init__(self, unit: Unit, objects: Objects) -> None:
        self._unit, self._objects = unit, objects
        self._prototypes: dict[str, str] = {}
        self._blocks: dict[tuple[int, int], int] = {}

    def function(self, returns: str, name: str, calls: list[Call]) -> str:
        lines = [f"static {returns} {name}(int64_t *m)", "{", "    int64_t result = 0;", "    void *error = NULL;"]
        for call in calls:
            kernel = self._objects.add(call.kernel)
            words = [
                word
                for kind, value in zip(call.kernel.signature.arguments, call.arguments, strict=True)
                for word in self._words(kind, value)
            ]
            self._prototypes[kernel] = ", ".join("double" if kind == "d" else "int64_t" for kind, _ in words)
            arguments = ", ".join(text for _, text in words)
            lines.append(
                f"    {'if (' if returns != 'void' else '(void)'}{kernel}(&result, &error, {arguments})",
            )
            lines[-1] += " != 0) return -1;" if returns != "void" else ";"
        lines += ["    return result;"] if returns != "void" else []
        return "\n".join([*lines, "}", ""])

    def dispatched(self, returns: str, name: str, of_phases: list[list[Call]]) -> str:
        """A function that calls what belongs to the phase in which an instance is."""
        if len(of_phases) == 1:
            return self.function(returns, name, of_phases[0])
        each = [self.function(returns, f"{name}_{k}", calls) for k, calls in enumerate(of_phases)]
        names = ", ".join(f"{name}_{k}" for k in range(len(each)))
        table = f"static {returns} (*const {name}_of[])(int64_t *) = {{{names}}};"
        does = f"{'return ' if returns != 'void' else ''}{name}_of[m[PHASE]](m);"
        return "\n".join([*each, table, f"static {returns} {name}(int64_t *m) {{ {does} }}", ""])

    def _words(self, kind: Any, value: Any) -> list[tuple[str, str]]:
        """The words of an argument in C, and whether they are numbers (d) or integers (i)."""
        memory = self._unit.memory
        if isinstance(kind, Scalar):
            if isinstance(value, np.ndarray):  # a number of the instance
                return [("d", f"((double *)m)[{memory.place(value)}]")]
            return [("d", float(value).hex())] if kind.name == "float64" else [("i", str(int(value)))]
        if isinstance(kind, Array):
            address, shape = f"(int64_t)(intptr_t)(m + {memory.place(value)})", value.shape
            if kind.ndim == 1:
                found = ["0", "0", str(shape[0]), "8", address, str(shape[0]), "8"]
            else:
                rows, columns = shape
                found = ["0", "0", str(rows * columns), "8", address, str(rows), str(columns), str(8 * columns), "8"]
            return [("i", word) for word in found]
        if isinstance(kind, Function):
            return [("i", f"(int64_t)(intptr_t)&{self._named(value)}")]
        assert isinstance(kind, Block)
        block, held = value
        key = id(block), id(held)
        if key not in self._blocks:
            self._blocks[key] = memory.place_block(block, held)
        return [("i", f"(int64_t)(intptr_t)(m + {self._blocks[key]})")]

    def _named(self, kernel: Any) -> str:
        name = self._objects.add(kernel)
        self._prototypes.setdefault(name, "void")
        return name

    def declarations(self, pointed: list[str]) -> list[str]:
        """Prototypes of all kernels that are called, or pointed to."""
        for name in pointed:
            self._prototypes.setdefault(name, "void")
        found = [
            f"extern int32_t {name}({'void' if arguments == 'void' else 'int64_t *, void **, ' + arguments});"
            for name, arguments in self._prototypes.items()
        ]
        return ["#ifdef __cplusplus", 'extern "C" {', "#endif", *found, "#ifdef __cplusplus", "}", "#endif"]


def _constants(unit: Unit) -> list[str]:
    """All numbers by name. Those that differ between phases are macros, which look into a table for the phase of a `unit`."""
    each = [_numbers(unit, part) for part in unit.parts]
    same = {name: value for name, value in each[0].items() if all(one[name] == value for one in each)}
    lines = ["enum {", *(f"    {name} = {value}," for name, value in same.items()), "};"]
    if differ := [name for name in each[0] if name not in same]:
        values = ["{" + ", ".join(str(one[name]) for name in differ) + "}" for one in each]
        lines.append(_array(f"static const struct {{ int32_t {', '.join(f'of_{name}' for name in differ)}; }} placed[]", values, 1))
        lines += [f"#define {name} (placed[unit->words[PHASE]].of_{name})" for name in differ]
    return lines


def _numbers(unit: Unit, part: Part) -> dict[str, int]:
    """The numbers of a phase."""
    memory, inside = unit.memory, part.inside
    system, work = inside.formulation.system, inside.formulation.work
    clock, scratch = inside.march.parts[1], inside.march.scratch
    counters = memory.place(unit.counters)
    numbers = {
        "WORDS": memory.end, "ARRAYS": memory.size, "COMMON": memory.common, "INPUTS": len(unit.arguments), "OUTPUTS": len(unit.shown),
        "STATE": inside.formulation.size, "SPEEDS": system.n_v, "ROWS": system.n_rows, "WIDTH": inside.formulation.width,
        "STATUS": memory.place(work.status), "CLOCK": memory.place(clock), "CLOCK_SIZE": len(clock), "WAY": memory.place(unit.way),
        "SCRATCH": memory.place(scratch), "SCRATCH_ROWS": len(scratch), "ROW": memory.place(inside.row), "OUTPUT": memory.place(unit.shown),
        "CONTROL": memory.place(unit.control), "TIME": memory.place(unit.control), "CONTROL_TIME": 0, "CONTROL_H": 1, "CONTROL_ANCHOR": 2,
        "COUNT": counters, "TURNED": counters + 1, "FRESH_OUTPUTS": counters + 2, "FRESH_RATES": counters + 3,
        "PHASE": counters + 4, "PARAMETERS": memory.place(system.arrays.parameters),
        "CONTROL_SAMPLED": 3, "CONTROL_TOLERANCE": 4, "Z": memory.place(inside.z), "COORDINATES": system.n_q,
        "REMEMBERED": memory.place(unit.table_memory), "REMEMBERED_SIZE": unit.table_memory.size,
        "REMEMBERS": int(unit.outputs.table.counts_turns),
    }  # fmt: skip
    if unit.exchange is not None:
        its = unit.exchange
        numbers |= {
            "Z_DOT": memory.place(its.z_dot), "KEPT": memory.place(its.kept), "NOMINALS": memory.place(its.nominals),
            "CLOCKS": len(its.table),
            "SAMPLES": memory.place(its.table), "STATES": len(its.states), "STATUS_SIZE": work.status.size,
            "BESIDE": memory.place(work.beside), "BESIDE_SIZE": work.beside.size,
        }  # fmt: skip
    if unit.derivatives is not None:
        d = unit.slopes[unit.parts.index(part)]
        numbers |= {
            "MATRIX": memory.place(d.matrix), "XI": memory.place(d.xi), "Q_D": memory.place(d.q_d), "V_D": memory.place(d.v_d),
            "PARAMETERS_D": memory.place(d.twin.parameters),
            "RESIDUAL_D": memory.place(d.out), "SCALES": memory.place(work.state_scales), "DERIVATIVE_SCRATCH": memory.place(d.scratch),
            "PIVOTS": memory.place(d.pivots),
        }  # fmt: skip
    settings = unit.inside.settings
    if settings.controls_error:
        of_work = memory.place(work.settings)
        numbers |= {"RELATIVE": of_work + _place(settings, "rtol"), "ABSOLUTE": of_work + _place(settings, "atol")}
        numbers["OF_A_STEP"] = of_work + contracts.SETTING_STEP_ERROR
    numbers |= event_numbers(unit, part)
    if unit.phases is not None:
        numbers |= phase_numbers(unit, part) | stop_numbers(unit, part) | slot_numbers(unit, part)
    named = {
        "STATUS_CODE": contracts.STATUS_CODE, "STATUS_INDEX": contracts.STATUS_INDEX, "STATUS_CHANGED": contracts.STATUS_CHANGED,
        "STATUS_PAUSE": contracts.STATUS_PAUSE, "CLOCK_TIME": contracts.CLOCK_TIME, "CODE_SINGULAR_MASS": contracts.SINGULAR_MASS,
        "CODE_NOT_FINITE": contracts.NOT_FINITE, "CODE_DRIFT_REMAINS": contracts.DRIFT_REMAINS,
        "CODE_NO_CONVERGENCE": contracts.NO_CONVERGENCE, "CODE_STEP_TOO_SMALL": contracts.STEP_TOO_SMALL,
        "CODE_OK": contracts.OK, "STATUS_FRESH": contracts.STATUS_FRESH, "SAMPLE_FIRST": contracts.SAMPLE_FIRST,
        "SAMPLE_PERIOD": contracts.SAMPLE_PERIOD, "SAMPLE_DUE": contracts.SAMPLE_DUE, "SAMPLE_COLUMNS": contracts.SAMPLE_COLUMNS,
    }  # fmt: skip
    return numbers | named


def _place(settings: Settings, name: str) -> int:
    """Where `rtol`, or `atol`, stands in `Work.settings` of a run that controls its error."""
    if settings.integrator == OWN:
        return contracts.method_settings(registry.options("methods", settings.method), name)[0]
    return contracts.integrator_settings(registry.options("integrators", settings.integrator), name)[0]


def _tables(unit: Unit, objects: Objects) -> tuple[list[str], list[str]]:
    """The tables, and the kernels that they point to."""
    memory, images = unit.memory, unit.memory.images(len(unit.parts))
    offsets = [0] + [memory.common] * len(unit.parts)
    found = [_runs(image) for image in images]
    runs = [(offset + begin, length) for offset, its in zip(offsets, found, strict=True) for begin, length in its]
    words = [
        word for image, its in zip(images, found, strict=True) for begin, length in its for word in image[begin : begin + length].tolist()
    ]
    firsts = [sum(map(len, found[:k])) for k in range(len(found) + 1)]
    begins = [sum(length for its in found[:k] for _, length in its) for k in range(len(found) + 1)]
    pointers = [x for x in memory.blocks if isinstance(x, Pointer)]
    lengths = [x for x in memory.blocks if isinstance(x, Number)]
    entries = [(x.place, objects.add(x.kernel)) for x in memory.blocks if isinstance(x, Entry)]
    system = unit.inside.formulation.system
    states = [*system.speeds, *system.coordinates, "work"]
    rows = [part.inside.formulation.system.rows for part in unit.parts]
    longest = max(map(len, rows))
    reasons = [REASONS.get(code, "the motion cannot go on") for code in range(max(REASONS) + 1)]
    identity = hashlib.sha256(
        repr((unit.title, sorted(objects.files), [o.name for o in unit.outputs.outputs], memory.end, _offers(unit))).encode()
        + b"".join(image.tobytes() for image in images)
    )
    lines = [
        _array("static const uint64_t image_words[]", [f"UINT64_C({word:#x})" for word in words] or ["0"], 4),
        _array("static const struct { int32_t place, count; } runs[]", [f"{{{a}, {b}}}" for a, b in runs] or ["{0, 0}"], 8),
        _array("static const struct { int32_t run, word; } images[]", [f"{{{a}, {b}}}" for a, b in zip(firsts, begins, strict=True)], 8),
        _array("static const struct { int32_t place, target; } pointers[]", [f"{{{x.place}, {x.target}}}" for x in pointers], 8),
        _array("static const struct { int32_t place; int64_t value; } lengths[]", [f"{{{x.place}, {x.value}}}" for x in lengths], 8),
        _array(
            "static const struct { int32_t place; void (*function)(void); } functions[]",
            [f"{{{place}, (void (*)(void)){name}}}" for place, name in entries], 1,
        ),
        _array("static const int32_t input_places[]", [str(a.place) for a in unit.arguments] or ["0"], 12),
        *_reference_tables(unit),
        _array("static const char *const input_names[]", [*(quoted(a.name) for a in unit.arguments), "NULL"], 1),
        _array(
            f"static const char *const state_names[][{len(states) + longest}]",
            ["{" + ", ".join(quoted(name) for name in [*states, *names]) + "}" for names in rows], 1,
        ),
        _array("static const char *const reasons[]", [quoted(text) for text in reasons], 1),
        *event_tables(unit.events, unit, quoted),
        *phase_tables(unit),
        *stop_tables(unit, quoted),
        *slot_tables(unit, quoted),
        f"static const char identity[] = {quoted(identity.hexdigest()[:32])};",
    ]  # fmt: skip
    return lines, [name for _, name in entries]


def _reference_tables(unit: Unit) -> list[str]:
    """Where variables stand that are no inputs and no outputs, and what knowns and unknowns of derivatives are."""
    memory, tables = unit.memory, []
    if unit.exchange is not None:
        local = local_variables(unit)
        places = [memory.place(unit.exchange.z_dot if rate else unit.inside.z) + one.place for one, rate in local]
        tables = [
            _array("static const int32_t local_places[]", [str(x) for x in places] or ["0"], 12),
            _array("static const int8_t local_rates[]", [str(int(rate)) for _, rate in local] or ["0"], 12),
            f"#define LOCALS {len(local)}",
        ]
    if unit.derivatives is not None:
        tables.append(f"static const int32_t output_places[][{max(1, len(unit.outputs.outputs))}] = {{{', '.join(_output_places(unit))}}};")
        if unit.exchange is not None:
            tables.append(_array("static const uint32_t state_references[]", [str(x) for x in state_references(unit)] or ["0"], 12))
    return tables


def _output_places(unit: Unit) -> list[str]:
    """Where outputs stand in the output row of each phase; -1 of those that are no number of it, or no longer one."""
    found = []
    for k, part in enumerate(unit.parts):
        places = [place_in_row(unit, output.name, k) for output in unit.outputs.outputs]
        width = part.inside.formulation.width
        found.append("{" + ", ".join(str(-1 if place is None or place >= width else place) for place in places or [0]) + "}")
    return found


def _array(declaration: str, items: list[str], per_line: int) -> str:
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
    return declaration + " = {\n    " + ",\n    ".join(lines) + "\n};"


def _runs(image: np.ndarray) -> list[tuple[int, int]]:
    """Where words that are not zero begin, and how many there are."""
    runs: list[tuple[int, int]] = []
    for place in np.flatnonzero(image).tolist():
        if runs and place - sum(runs[-1]) < GAP:
            runs[-1] = runs[-1][0], place + 1 - runs[-1][0]
        else:
            runs.append((place, 1))
    return runs
