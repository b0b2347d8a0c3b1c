"""A unit as plain C99: the straight-line code of its model, without a library of kernels and without memory that is allocated.

The march is that of `mbsim.studies.lanes.march` for one run; the equations and their code are those of `mbsim.straight`.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mbsim.contracts import WATCH_LIMIT
from mbsim.diagnosis.redundancy import find_rank
from mbsim.jit.straight.emission import Straight
from mbsim.jit.straight.graph import INPUT, Graph, TraceError
from mbsim.jit.straight.retarget import Retarget
from mbsim.programs.ctext import filled, names_text
from mbsim.programs.outputs import NotExportedError
from mbsim.programs.straight_text import function_text, number_text
from mbsim.programs.unit import Unit
from mbsim.results import outputs
from mbsim.singular.projection import CORRECTIONS
from mbsim.straight.equations import APART
from mbsim.straight.forms import EQUAL, Form, form_of
from mbsim.straight.lookups import REPLACED
from mbsim.straight.programs import Known, Programs, Slots, Varied, known_of, trace
from mbsim.straight.traced import TracedSystem, find_written

FOLDED = ("tolerance", "scales", "row_scales")  # of `programs.INPUTS`: constants of one run
WAY_OUT = "leave --plain out, or take the settings that it asks for"
_NAMES = {"unit": "unit_length"}  # of functions in C, where they are others


def write_plain(unit: Unit, output: Path, force: bool = False) -> list[Path]:
    """Write `output` (.c), its header and an example beside it; returns the files. Raises NotExportedError, OSError."""
    core = _core(unit)
    model, folder = unit.name, output.parent
    replaced = {
        "@MODEL@": model, "@GUARD@": f"MBSIM_{model.upper()}_H", "@CALL@": _call(unit),
        "@S@": _inner(unit), "@INPUTS@": str(len(unit.arguments)), "@OUTPUTS@": str(len(unit.shown)),
        "@SLOTS@": str(core.slots), "@HEADER@": f"{output.stem}.h", "@STEP@": repr(unit.step),
        "@END@": repr(unit.inside.settings.end), "@TITLE@": unit.title.replace("*/", "* /"),
    }  # fmt: skip

    names = names_text(unit)
    head = f'#include "{output.stem}.h"\n\n#include <math.h>\n#include <stddef.h>\n'
    written = {
        output: "\n".join([head, core.text, "", *names, "", filled("plain.c", replaced), *(f"#undef {x}" for x in core.macros), ""]),
        folder / f"{output.stem}.h": filled("plain.h", replaced),
        folder / f"{output.stem}_main.c": filled("plain_main.c", replaced),
    }
    for path in written:
        outputs.require(path, force)
    for path, text in written.items():
        outputs.write_text(path, text, force)
    return list(written)


def _call(unit: Unit) -> str:
    """The macro that stands before functions that CUDA's threads call, too."""
    return f"MBSIM_{unit.name.upper()}_CALL"


def _inner(unit: Unit) -> str:
    """What names inside the file begin with: it may be included in another one."""
    return f"{unit.name}_s_"


class _Core(NamedTuple):
    """The functions and numbers of one unit."""

    text: str
    slots: int
    macros: list[str]  # that no longer hold behind the file


def _core(unit: Unit) -> _Core:
    inside = unit.inside
    formulation, settings = inside.formulation, inside.settings
    system = formulation.system
    form = form_of(system, settings)
    if isinstance(form, str):
        raise NotExportedError(f"plain C: {form}; {WAY_OUT}")
    if form.implicit is not None:
        raise NotExportedError(f"plain C: it has no code for the implicit steps of {settings.method}; {WAY_OUT}")
    if form.pair is not None:
        raise NotExportedError(f"plain C takes steps of equal size: name {EQUAL} (--integrator {EQUAL}), or leave --plain out")
    form = replace(form, least=APART)  # no other march is at hand
    varied = tuple(("parameters", argument.place) for argument in unit.arguments)
    row = inside.row[0]
    q, v = row[: system.n_q].copy(), row[system.n_q : system.n_q + system.n_v].copy()
    if find_rank(system, settings.start, q) < system.n_rows:
        raise NotExportedError("plain C: rows of constraints depend on each other at the start, as `mbsim check` says; leave --plain out")
    known = known_of(formulation, form, settings.start, q, v, inside.z)
    try:
        programs = trace(system, form, varied, known, FOLDED)
        _require_fixed_rows(unit, varied, known, programs.slots)
        tell = _tell(unit, varied, known, programs.slots)
    except TraceError as error:
        raise NotExportedError(f"plain C: {error}; {WAY_OUT}") from None
    if any(code.graph.decided for code in [*programs.codes.values(), tell]):
        raise NotExportedError("plain C: a law of the model, or an output, chooses by a comparison what is done; leave --plain out")
    functions = [function_text(_inner(unit) + _NAMES.get(name, name), code, _call(unit)) for name, code in programs.codes.items()]
    numbers = _numbers(unit, form, programs)
    begun = _begun(unit, known, programs.slots, float(row[-1]))
    lines = [
        *(f"#define {name} {value}" for name, value in numbers.items()),
        *functions,
        function_text(f"{_inner(unit)}tell", tell, _call(unit)),
        f"static const struct {{ int slot; double value; }} {_inner(unit)}begun[] = {{",
        *(f"    {{{slot}, {number_text(value)}}}," for slot, value in begun),
        "};",
    ]
    return _Core("\n".join(lines), programs.slots.count + len(unit.shown), list(numbers))


def _numbers(unit: Unit, form: Form, programs: Programs) -> dict[str, str]:
    slots, system, settings = programs.slots, unit.inside.formulation.system, unit.inside.settings
    places = ("t", "h", "span", "V2", "speeds", "q", "guards", "turned", "worst", "new_q", "new_V2", "new_speeds", "varied")
    has = {"HAS_UNIT": "unit", "HAS_CHECK": "check", "HAS_SPEEDS": "check_speeds", "HAS_RENEW": "renew"}
    counts = {
        "SLOTS": slots.count + len(unit.shown), "OUTPUT": slots.count, "N_Q": system.n_q, "N_SPEEDS": slots.speeds,
        "N_V2": slots.sizes["V2"], "CORRECTIONS": CORRECTIONS, "BEGUN": len(_slots_begun(slots)),
    }  # fmt: skip
    way = float(unit.inside.formulation.work.watch[WATCH_LIMIT])
    floats = {"START": settings.start, "STEP": settings.step, "WAY": way, "LIMIT": form.hold_limit**2}
    return {
        **{name.upper(): str(slots.first[name]) for name in places},
        **{name: str(int(code in programs.codes)) for name, code in has.items()},
        **{name: str(value) for name, value in counts.items()},
        **{name: number_text(value) for name, value in floats.items()},
    }


def _slots_begun(slots: Slots) -> list[int]:
    return [k for name in ("varied", "V2", "speeds", "q", "W") for k in range(slots.place(name).start, slots.place(name).stop)]


def _begun(unit: Unit, known: Known, slots: Slots, work: float) -> list[tuple[int, float]]:
    """Slots and what they hold at the start."""
    values = np.concatenate([[a.start for a in unit.arguments], known.V2.reshape(-1), known.speeds, known.q, [work]])
    return list(zip(_slots_begun(slots), values.tolist(), strict=True))


def _traced(unit: Unit, varied: Varied, known: Known) -> TracedSystem:
    system = unit.inside.formulation.system
    return TracedSystem(system, Retarget(REPLACED), varied, find_written(system, known.t, known.q, known.v))


def _require_fixed_rows(unit: Unit, varied: Varied, known: Known, slots: Slots) -> None:
    """Raises NotExportedError where an input moves constraints: the state would have to be put onto them anew."""
    graph, traced, first = Graph(), _traced(unit, varied, known), slots.first["varied"]
    arrays = traced.arrays([graph.input(first + k, a.start) for k, a in enumerate(unit.arguments)])
    t = graph.input(slots.first["t"], known.t)
    q = [graph.input(slots.first["q"] + k, float(x)) for k, x in enumerate(known.q)]
    terms = traced.terms(arrays, t, q, None)
    found = [x for row in terms.C for x in row] + list(terms.xi) + list(traced.residual(arrays, t, q))
    for at in graph.live([graph.place(x) for x in found]):
        operation = graph.operations[at]
        if operation[0] == INPUT and first <= operation[1] < first + len(unit.arguments):
            name = unit.arguments[operation[1] - first].name
            raise NotExportedError(f"plain C: {name!r} moves a constraint; leave --plain out")


def _tell(unit: Unit, varied: Varied, known: Known, slots: Slots) -> Straight:
    """The code of the outputs, from the output row."""
    shown, graph, run = unit.outputs, Graph(), Retarget(REPLACED)
    if shown.counted or shown.table.looks_at_bodies or shown.table.counts_turns:
        raise NotExportedError(
            "plain C shows coordinates, speeds, accelerations, multipliers, efforts of drivers and measures of them: "
            "name outputs without others (--outputs), or leave --plain out"
        )
    first, values = slots.first, unit.inside.row[0]
    arrays = _traced(unit, varied, known).arrays([graph.input(first["varied"] + k, a.start) for k, a in enumerate(unit.arguments)])
    row = np.empty(len(values), object)
    row[:] = [graph.input(first["row"] + k, float(x)) for k, x in enumerate(values)]
    t, table = graph.input(first["t"], known.t), shown.table
    from mbsim.system.tell import tell  # compiles

    found = np.full(len(table.table), 0.0, object)
    run(tell)(arrays, table.table, table.numbers, table.memory, t, row, np.zeros(0), found)
    if shown.combined is not None:
        combined = np.full(len(unit.shown), 0.0, object)
        run(shown.combined)(arrays, t, found, combined)
        found = combined
    return Straight(graph, tuple((slots.count + k, graph.place(x)) for k, x in enumerate(found)), first["guards"])
