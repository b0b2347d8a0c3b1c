"""The models that `compare` takes, before they run: where they come from, and who runs them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from mbsim import registry
from mbsim.formulations import Traits
from mbsim.march.settings import DEFAULT_STEP
from mbsim.model.source import TEXT, file_or_text, no_model
from mbsim.studies.compare.worker import Runner, Source, in_process, isolated, read_text

if TYPE_CHECKING:
    from mbsim.model.reference import Reference

Begin = tuple[ArrayLike | None, ArrayLike | None]  # q, v of a System


@dataclass
class Subject:
    """A model before it runs."""

    name: str
    title: str
    file: str
    text: str
    start: float
    end: float
    step: float
    output_step: float | None
    drift_tolerance: float
    published: "Reference | None"
    runner: Runner
    traits: Traits
    settings: dict[str, Any] = field(default_factory=dict)  # of each of its runs
    stiff: bool = False  # whether explicit steps follow it in vain, as beams


def subject_of(model: object, end: float | None, timeout: float, begin: Begin) -> Subject:
    """What is compared of a model as `compare` takes it, up to the time `end` (s), within `timeout` (s) a run.

    Raises ModelError for a file with errors, TypeError for what is no model, ValueError for a System without its start or end.
    """
    from mbsim.model.load import load
    from mbsim.model.schema import Model

    if isinstance(model, str | Path | Mapping):
        given, name = file_or_text(model)
        text = read_text(given) if isinstance(given, Path) else given
        source = Source(name or str(given), text, {}, {} if end is None else {"end": end})
        loaded = load(source.text, registry, simulation=source.simulation, file=source.file)
    elif isinstance(model, Model):
        loaded = model
        block = model.simulation
        simulation = {"start": block.start, "end": end or block.end, "drift": block.drift, "drift_tolerance": block.drift_tolerance}
        source = Source(model.file, model.text, model.parameters, simulation)
    else:
        return _assembled(model, end, begin)
    source = replace(source, tables={name: table.block() for name, table in loaded.tables.items()})
    block = loaded.simulation
    return Subject(
        name=_word(loaded.name) if loaded.file == TEXT else Path(loaded.file).stem,
        title=loaded.name,
        file=loaded.file,
        text=loaded.text,
        start=block.start,
        end=end or block.end,
        step=block.step or DEFAULT_STEP,
        output_step=block.output_step,
        drift_tolerance=block.drift_tolerance,
        published=loaded.reference,
        runner=isolated(source, timeout),
        traits=Traits.of_model(loaded),
        stiff=bool(loaded.beams) or _crawls(loaded),
    )


def _crawls(loaded: Any) -> bool:
    """Whether a run of a model that gives no step takes an implicit integrator, because explicit steps would crawl."""
    from mbsim.assembly.models import assemble
    from mbsim.march.settings import resolve
    from mbsim.march.trial import decide
    from mbsim.model.file.errors import ModelError

    if loaded.simulation.step is not None:
        return False
    try:
        made = assemble(loaded)
        asked = resolve(made.simulation, made.whole, {})
        return decide(made, asked).integrator != asked.integrator
    except (ModelError, ValueError, ArithmeticError):  # its rows say why
        return False


def _assembled(made: object, end: float | None, begin: Begin) -> Subject:
    """An Assembly or a System, in this process."""
    from mbsim.assembly import Assembly
    from mbsim.system.system import System

    if not isinstance(made, Assembly | System):
        raise no_model(made)
    assembled = made if isinstance(made, Assembly) else None
    block = assembled.simulation if assembled is not None else None
    last = end if block is None else end or block.end
    if last is None:
        raise ValueError("end, the last time of the runs in s, must be given for a system that no model file describes")
    q, v = begin
    if isinstance(made, Assembly):
        title, runner = made.system.name, in_process(made)
    elif q is None or v is None:
        raise ValueError("q and v, the start, must be given for a system that no model file describes")
    else:
        title, runner = made.name, in_process((made, q, v))
    traits = Traits.of(made.system if isinstance(made, Assembly) else made)
    return Subject(
        name=_word(title),
        title=title,
        file="",
        text=assembled.text if assembled is not None else "",
        start=assembled.start if assembled is not None else 0.0,
        end=last,
        step=(block.step if block is not None else None) or DEFAULT_STEP,
        output_step=block.output_step if block is not None else None,
        drift_tolerance=block.drift_tolerance if block is not None else 1e-10,
        published=None,
        runner=runner,
        traits=traits,
        settings={} if end is None else {"end": end},
        stiff=traits.has_beams,
    )


def _word(title: str) -> str:
    """The title of a model that has no file as the name of a file."""
    return re.sub(r"[^\w.-]+", "_", title).strip("._") or "system"
