"""Studies from Python: `mbsim.study(model, vary=..., outputs=...)` returns an xarray.Dataset."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from mbsim.assembly import load_model
from mbsim.jit import processor
from mbsim.model.file.errors import ModelError, Problem
from mbsim.model.file.overrides import Overrides
from mbsim.model.file.positions import Document, read
from mbsim.model.schema import Model
from mbsim.model.source import no_model
from mbsim.studies.engine.pool import make_pool, released
from mbsim.studies.runner.given import changes_of
from mbsim.studies.sampled.read import study_of
from mbsim.studies.sampled.run import run_study
from mbsim.studies.sampled.study import Study
from mbsim.studies.sampled.task import CPU, CUDA

if TYPE_CHECKING:
    import xarray

MISSING = "a study as an xarray.Dataset needs xarray and h5netcdf: pip install 'mbsim[xarray]' (or give `output`, and read the file)"
FILE = "arguments"
Source = str | Path | Mapping[str, Any] | Model


def study(
    model: Source,
    vary: Mapping[str, object],
    outputs: Mapping[str, str],
    *,
    sampling: Mapping[str, object] | None = None,
    simulation: Mapping[str, object] | None = None,
    parameters: Mapping[str, float | str] | None = None,
    analysis: str = "dynamic",
    keep: Sequence[str] = (),
    every: int = 1,
    alone: bool = False,
    workers: int | None = None,
    executor: str = "",
    dask: str = "",
    device: str = CPU,
    output: str | Path | None = None,
    resume: bool = False,
    force: bool = False,
) -> "xarray.Dataset":
    """Run a model for many values of its numbers: `mbsim study`, `mbsim sweep`.

    `model` is as in `mbsim.load_model`; of one that is read already, what was given beside its file is kept.
    `vary`, `outputs`, `sampling`, `simulation` and `analysis` are as in a study file (docs/studies.md): `vary={"k": [60, 120],
    "m": {"normal": {"mean": 2.0, "std": 0.02}}}`. `keep` names histories, of which every `every`-th row is kept. `alone`: each run is
    marched by itself, in no lane. `workers` runs go on at a time (default: the processors), in an `executor`, "threads" or "processes", or
    on the cluster with the scheduler at `dask`. `device`: "cpu", or "cuda" for a GPU, which one thread of this process asks. `output` is
    the file to write; without it the runs are kept in memory. The dimension `run` counts the runs; what varies and the outputs are
    variables over it, `failed` and `reason` tell of runs that failed.

    Raises ModelError with everything that is wrong with the study, DeviceError (a ValueError) where the device cannot run it, ImportError
    where xarray is missing, OSError for the file.
    """
    try:
        import h5netcdf  # noqa: F401
        import xarray
    except ImportError:
        raise ImportError(MISSING) from None
    made = prepare(
        model, vary, outputs, sampling=sampling, simulation=simulation, parameters=parameters, analysis=analysis, keep=keep, every=every,
        alone=alone,
    ).on(device)  # fmt: skip
    workers = 1 if device == CUDA and not dask else workers or processor.count()
    with released(make_pool(workers, executor, dask, made.runner.in_place)) as pool:
        if output is not None:
            run_study(made, Path(output), pool, resume=resume, force=force)
            return xarray.open_dataset(Path(output), engine="h5netcdf")
        with TemporaryDirectory(prefix="mbsim-study-") as folder:
            path = Path(folder) / "study.h5"
            run_study(made, path, pool)
            with xarray.open_dataset(path, engine="h5netcdf") as found:
                return found.load()


def prepare(model: Source, vary: Mapping[str, Any], outputs: Mapping[str, str], **further: Any) -> Study:
    """The checked study of these arguments. Raises ModelError, without places in a file; ValueError for tables given beside a model."""
    import yaml

    keep, every = further.pop("keep", ()), further.pop("every", 1)
    given = Overrides().over(further.pop("parameters", None), further.pop("simulation", None), None)
    document: Document | None = None
    if not isinstance(given_model := cast(object, model), str | Path | Mapping | Model):
        raise no_model(given_model)
    if isinstance(model, Mapping) or (isinstance(model, str) and "\n" in model):
        model = load_model(model)
    if isinstance(model, Model):
        given = changes_of(model).over(given.parameters, given.simulation, None)
        document, name, title = model.document, model.file, model.name
    else:
        name, title = str(model), Path(model).stem
    block: dict[str, Any] = {"model": name, "study": f"study of {title}", "vary": _plain(vary), "outputs": _plain(outputs)}
    further |= {"parameters": given.parameters, "simulation": given.simulation}
    block |= {key: _plain(value) for key, value in further.items() if value}
    if keep:
        block["keep"] = {"variables": list(keep), "every": every}
    text = yaml.safe_dump(block, sort_keys=False, allow_unicode=True, width=10_000)
    return without_places(text, FILE, document)


def without_places(text: str, source: str, model: Document | None = None) -> Study:
    """The study of a text that no file holds, of `model` where it is given.

    Raises ModelError, whose problems name the source and no line.
    """
    with no_places(source):
        return study_of(read(text, source), model=model)


@contextmanager
def no_places(source: str) -> Iterator[None]:
    """Take the lines out of the problems of a text that no file holds."""
    try:
        yield
    except ModelError as error:
        problems = [Problem(source, 0, 0, p.path, p.message) if p.file == source else p for p in error.problems]
        raise ModelError(problems) from None


def _plain(value: object) -> Any:
    """Data that YAML can write: arrays and tuples as lists, NumPy's numbers as Python's."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
