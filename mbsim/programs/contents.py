"""What the program of a unit is given, gathered from the unit: numbers, tables and calls (`mbsim.programs.given`)."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from mbsim import contracts, registry
from mbsim.jit.portable import Objects
from mbsim.jit.signatures import Array, Block, Scalar
from mbsim.jit.signatures import Function as PointedTo
from mbsim.march.settings import Settings
from mbsim.march.wrong_settings import OWN
from mbsim.programs.events_given import event_calls, event_exact, event_numbers, event_tables
from mbsim.programs.given import ADDRESS, CALLS, HELD, INTEGER, KERNEL, NUMBER, Argument, Called, Dispatched, Function, Given, dispatched
from mbsim.programs.memory import WORD, Call, Entry, Number, Pointer
from mbsim.programs.phases_given import phase_exact, phase_numbers, phase_tables
from mbsim.programs.slots_given import slot_exact, slot_numbers, slot_tables, slots_of
from mbsim.programs.stops_given import stop_calls, stop_exact, stop_numbers, stop_tables
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


def given_of(unit: Unit, objects: Objects) -> Given:
    """All of it. The kernels that are called are added to `objects`. Raises NotPortableError."""
    calls = _Calls(unit, objects)
    each: dict[str, list[list[Call]]] = {
        "call_expand": [[part.expand] for part in unit.parts],
        "call_outputs": [part.look for part in unit.parts],
    }
    if unit.march is not None:
        each["call_march"] = [[part.march] for part in unit.parts if part.march is not None]
    if unit.exchange is not None:
        each["call_rates"] = [[its.rates] for its in unit.exchanges]
        each["call_accept"] = [[its.accept] for its in unit.exchanges]
        if unit.exchange.sample is not None:
            each["call_sample"] = [[its.sample] for its in unit.exchanges if its.sample is not None]
    each |= event_calls(unit) | stop_calls(unit)
    if unit.derivatives is not None:
        each["call_matrix"] = [[its.left] for its in unit.slopes]
        each["call_along"] = [[its.along] for its in unit.slopes]
    found = [calls.dispatched(name, of_phases) for name, of_phases in each.items()]
    meets, single = calls.meets()
    tables, identity = _tables(unit, objects)
    exact = event_exact(unit) | phase_exact(unit) | stop_exact(unit) | slot_exact(unit)
    return Given(unit.title, _offers(unit), [_numbers(unit, part) for part in unit.parts], exact, tables | meets, found, single, identity)


def _offers(unit: Unit) -> dict[str, bool]:
    """What there is in a unit, for the preprocessor of a library of C."""
    return {
        "HAS_PHASES": unit.phases is not None, "HAS_EVENTS": unit.events is not None, "HAS_STOPS": unit.parts[0].stops is not None,
        "HAS_SLOTS": slots_of(unit) is not None, "COUNTS_EVENTS": bool(unit.outputs.counted),
    }  # fmt: skip


class _Calls:
    """Calls of kernels with the arguments that are fixed when an instance is made."""

    def __init__(self, unit: Unit, objects: Objects) -> None:
        self._unit, self._objects = unit, objects
        self._blocks: dict[tuple[int, int], int] = {}

    def dispatched(self, name: str, of_phases: list[list[Call]]) -> Dispatched:
        """A function that calls what belongs to the phase in which an instance is."""
        return dispatched(name, CALLS[name], [list(map(self._called, calls)) for calls in of_phases])

    def meets(self) -> tuple[dict[str, list[Any]], list[Function]]:
        """The tables of functions that put a state onto the constraints, by phase and way, and these functions."""
        each = [part.events for part in self._unit.parts if part.events is not None]
        if not each:
            return {}, []
        names: dict[int, Function] = {}
        tables: dict[str, list[Any]] = {}
        for kind in ("positions", "speeds"):
            lines = []
            for its in each:
                calls: list[Call | None] = [getattr(way, kind) for way in its.ways]
                for call in calls:
                    if call is not None and id(call) not in names:
                        names[id(call)] = Function(f"call_meet_{len(names)}", True, [self._called(call)])
                lines.append([None if call is None else names[id(call)].name for call in calls] or [None])
            tables[f"meets_{kind}"] = lines
        return tables, list(names.values())

    def _called(self, call: Call) -> Called:
        kernel = self._objects.add(call.kernel)
        pairs = zip(call.kernel.signature.arguments, call.arguments, strict=True)
        return Called(kernel, [word for kind, value in pairs for word in self._words(kind, value)])

    def _words(self, kind: Any, value: Any) -> list[Argument]:
        """The words of an argument."""
        memory = self._unit.memory
        if isinstance(kind, Scalar):
            if isinstance(value, np.ndarray):  # a number of the instance
                return [Argument(HELD, memory.place(value))]
            return [Argument(NUMBER, float(value)) if kind.name == "float64" else Argument(INTEGER, int(value))]
        if isinstance(kind, Array):
            address, shape = Argument(ADDRESS, memory.place(value)), value.shape
            if kind.ndim == 1:
                found: list[Any] = [0, 0, shape[0], WORD, address, shape[0], WORD]
            else:
                rows, columns = shape
                found = [0, 0, rows * columns, WORD, address, rows, columns, WORD * columns, WORD]
            return [x if isinstance(x, Argument) else Argument(INTEGER, int(x)) for x in found]
        if isinstance(kind, PointedTo):
            return [Argument(KERNEL, self._objects.add(value))]
        assert isinstance(kind, Block)
        block, held = value
        key = id(block), id(held)
        if key not in self._blocks:
            self._blocks[key] = memory.place_block(block, held)
        return [Argument(ADDRESS, self._blocks[key])]


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
        "REMEMBERS": int(unit.outputs.table.counts_turns), "TAKES_STEPS": int(unit.march is not None),
        "EXCHANGES": int(unit.exchange is not None), "DIFFERENTIATES": int(unit.derivatives is not None), "CONTROLS_ERROR": 0,
        "GLANCES": 0, "EVENT_COUNT": 0, "STOPS": 0, "COMERS": 0, "ROW_LINES": 0, "LOCALS": len(local_variables(unit)),
        "OUTPUT_COLUMNS": max(1, len(unit.outputs.outputs)),
        "NAMES": len(_states(unit)) + max(len(one.inside.formulation.system.rows) for one in unit.parts),
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
        numbers |= {"OF_A_STEP": of_work + contracts.SETTING_STEP_ERROR, "CONTROLS_ERROR": 1}
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


def _states(unit: Unit) -> list[str]:
    system = unit.inside.formulation.system
    return [*system.speeds, *system.coordinates, "work"]


def _tables(unit: Unit, objects: Objects) -> tuple[dict[str, Sequence[Any]], str]:
    """The tables, and what identifies the unit."""
    memory, images = unit.memory, unit.memory.images(len(unit.parts))
    runs, firsts, words = _images(images, memory.common)
    entries = [(x.place, objects.add(x.kernel)) for x in memory.blocks if isinstance(x, Entry)]
    rows = [part.inside.formulation.system.rows for part in unit.parts]
    longest = max(map(len, rows))
    identity = hashlib.sha256(
        repr((unit.title, sorted(objects.files), [o.name for o in unit.outputs.outputs], memory.end, _offers(unit))).encode()
        + b"".join(image.tobytes() for image in images)
    )
    tables: dict[str, Sequence[Any]] = {
        "image_words": words or [0], "runs": runs or [(0, 0, 0)], "images": firsts,
        "pointers": [(x.place, x.target) for x in memory.blocks if isinstance(x, Pointer)],
        "lengths": [(x.place, x.value) for x in memory.blocks if isinstance(x, Number)],
        "functions": entries,
        "input_places": [a.place for a in unit.arguments] or [0],
        "input_names": [*(a.name for a in unit.arguments), None],
        "state_names": [[*_states(unit), *names, *[None] * (longest - len(names))] for names in rows],
        "reasons": [REASONS.get(code, "the motion cannot go on") for code in range(max(REASONS) + 1)],
    }  # fmt: skip
    tables |= _reference_tables(unit) | event_tables(unit) | phase_tables(unit) | stop_tables(unit) | slot_tables(unit)
    return tables, identity.hexdigest()[:32]


def _reference_tables(unit: Unit) -> dict[str, Sequence[Any]]:
    """Where variables stand that are no inputs and no outputs, and what knowns and unknowns of derivatives are."""
    memory, tables = unit.memory, dict[str, Sequence[Any]]()
    if unit.exchange is not None:
        local = local_variables(unit)
        tables["local_places"] = [memory.place(unit.exchange.z_dot if rate else unit.inside.z) + one.place for one, rate in local] or [0]
        tables["local_rates"] = [int(rate) for _, rate in local] or [0]
    if unit.derivatives is not None:
        tables["output_places"] = _output_places(unit)
        if unit.exchange is not None:
            tables["state_references"] = state_references(unit) or [0]
    return tables


def _output_places(unit: Unit) -> list[list[int]]:
    """Where outputs stand in the output row of each phase; -1 of those that are no number of it, or no longer one."""
    found = []
    for k, part in enumerate(unit.parts):
        places = [place_in_row(unit, output.name, k) for output in unit.outputs.outputs]
        width = part.inside.formulation.width
        found.append([-1 if place is None or place >= width else place for place in places or [0]])
    return found


def _images(images: Sequence[np.ndarray], common: int) -> tuple[list[tuple[int, int, int]], list[int], list[int]]:
    """The runs of all images, with the place, the length and the first of their words, the first runs of each image, and the words.

    Runs of the same words, as phases have many, share them.
    """
    runs, firsts, words, known = list[tuple[int, int, int]](), [0], list[int](), dict[bytes, int]()
    for k, image in enumerate(images):
        for begin, length in _runs(image):
            its = image[begin : begin + length]
            at = known.setdefault(its.tobytes(), len(words))
            if at == len(words):
                words += its.tolist()
            runs.append((begin + common * (k > 0), length, at))
        firsts.append(len(runs))
    return runs, firsts, words


def _runs(image: np.ndarray) -> list[tuple[int, int]]:
    """Where words that are not zero begin, and how many there are."""
    runs: list[tuple[int, int]] = []
    for place in np.flatnonzero(image).tolist():
        if runs and place - sum(runs[-1]) < GAP:
            runs[-1] = runs[-1][0], place + 1 - runs[-1][0]
        else:
            runs.append((place, 1))
    return runs
