"""Run a model over values and samples of its numbers, given in one line."""

import re
from pathlib import Path
from typing import Any

import click

from mbsim.cli._errors import InputError
from mbsim.cli._model import pairs
from mbsim.cli._study import Execution, check_text, run, study_options
from mbsim.cli.models import find_model
from mbsim.model.file.plain import Mapped

_SAMPLE = re.compile(r"\s*([^~]+?)\s*~\s*([A-Za-z_]\w*)\s*\((.*)\)\s*(?:within\s*\[(.*)\])?\s*\Z")
# What the arguments of a distribution are when they have no names.
_POSITIONS = {"normal": ("mean", "std"), "lognormal": ("sigma", "median"), "uniform": (), "exponential": ("mean",)}


@click.command()
@click.argument("model")
@click.option(
    "--vary", multiple=True, metavar="NAME=FROM:TO:COUNT", help="An axis of a grid, also NAME=1,2,5 or 1:100:9:log; may be repeated."
)
@click.option(
    "--sample", multiple=True, metavar="NAME~DIST(...)", help="A distribution: 'm~normal(2, 0.02)', 'l~uniform(0.9, 1.1)'; repeated."
)
@click.option("--output", "outputs", multiple=True, metavar="[NAME=]FUNCTIONAL", help="A number of a run; may be repeated.")
@click.option("-n", "--count", type=click.IntRange(1), help="Samples at each point of the grid.")
@click.option("--sampling", default="latin_hypercube", help="random, latin_hypercube, sobol or halton.", show_default=True)
@click.option("--seed", default=0, type=click.IntRange(0), help="Decides every sample.", show_default=True)
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--keep", multiple=True, metavar="NAME", help="A history to keep beside the numbers; may be repeated.")
@click.option("--every", default=1, type=click.IntRange(1), help="Keep every so many rows of them.")
@click.option("--analysis", default="dynamic", help="dynamic, modes or equilibrium.", show_default=True)
@click.option("--end", help="Last time, s.")
@click.option("--step", help="Largest step of the integrator, s.")
@click.option("--method", help="As of mbsim run.")
@click.option("--integrator", help="As of mbsim run.")
@study_options
def command(
    model: str,
    vary: tuple[str, ...],
    sample: tuple[str, ...],
    outputs: tuple[str, ...],
    count: int | None,
    sampling: str,
    seed: int,
    assignments: tuple[str, ...],
    keep: tuple[str, ...],
    every: int,
    analysis: str,
    how: Execution,
    **settings: str | None,
) -> None:
    """Run MODEL for every value of --vary and samples of --sample, and print the path of the result.

    NAME is a parameter, or the path of a number of the model file: joints.pin.at[0].

    \b
    mbsim sweep four_bar --vary omega=6:10:41 --sample "a~normal(1, 0.01)" -n 100 \\
        --output "peak=max(norm(joint_force:A))"
    """
    from mbsim.results.functionals import split_name

    block: Mapped = {"model": str(find_model(model)), "study": f"sweep of {Path(model).stem}"}
    block["vary"] = _named("--vary, --sample", [*map(_axis, vary), *map(_sample, sample)])
    if sample:
        block["sampling"] = {"type": sampling, "count": count or 1, "seed": seed}
    elif count is not None:
        raise InputError("-n counts samples; --sample gives what is sampled")
    found = [split_name(text) for text in outputs]
    block["outputs"] = _named(
        "--output", [(name if name != text.strip() else f"output_{k + 1}", text) for k, (name, text) in enumerate(found)]
    )
    block["simulation"] = {name: _value(value) for name, value in settings.items() if value is not None}
    block["parameters"] = {name: _value(value) for name, value in pairs("--set", assignments).items()}
    block["analysis"] = analysis
    if keep:
        block["keep"] = {"variables": list(keep), "every": every}
    study = check_text(_yaml(block))
    run(study, how, how.target_of(Path(model)))


def _named(option: str, given: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises InputError for a name that is given twice, of which the last one would count."""
    found = dict(given)
    for name in found:
        if sum(other == name for other, _ in given) > 1:
            raise InputError(f"{option}: '{name}' is given twice")
    return found


def _yaml(block: Mapped) -> str:
    import yaml

    return str(yaml.safe_dump(block, sort_keys=False, allow_unicode=True, width=10_000))


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _number(option: str, given: str, text: str) -> float:
    found = _value(text.strip())
    if isinstance(found, str):
        raise InputError(f"{option} {given}: expected a number (got '{text.strip()[:60]}')")
    return found


def _axis(given: str) -> tuple[str, Any]:
    """`k=60:240:50`, `k=1:100:9:log`, `k=1,2,5`. Raises InputError."""
    name, equals, text = given.partition("=")
    parts = text.split(":")
    if not equals or not name.strip() or not text.strip() or len(parts) not in (1, 3, 4):
        raise InputError(f"--vary takes NAME=FROM:TO:COUNT or NAME=VALUE,VALUE,... (got '{given}')")
    if len(parts) == 1:
        return name.strip(), [_number("--vary", given, part) for part in text.split(",")]
    if not parts[2].strip().isdigit() or parts[3:] not in ([], ["log"]):
        raise InputError(f"--vary takes NAME=FROM:TO:COUNT, perhaps with :log behind it (got '{given}')")
    low, high = (_number("--vary", given, part) for part in parts[:2])
    return name.strip(), {"from": low, "to": high, "count": int(parts[2]), **({"log": True} if parts[3:] else {})}


def _sample(given: str) -> tuple[str, Any]:
    """`m~normal(2, 0.02)`, `m~normal(mean=2, std=0.02) within [1.9, 2.1]`, `+m~...` for what is added. Raises InputError."""
    found = _SAMPLE.match(given)
    if found is None:
        raise InputError(f"--sample takes NAME~DISTRIBUTION(...), such as 'm~normal(2, 0.02)' (got '{given}')")
    name, distribution, inside, within = found.groups()
    arguments = [part.strip() for part in inside.split(",") if part.strip()]
    named = dict(part.split("=", 1) for part in arguments if "=" in part)
    plain = [_number("--sample", given, part) for part in arguments if "=" not in part]
    parameters = {key.strip(): _number("--sample", given, value) for key, value in named.items()}
    if plain and distribution == "uniform" and len(plain) == 2:
        parameters |= {"loc": plain[0], "scale": plain[1] - plain[0]}
    elif plain:
        words = _POSITIONS.get(distribution, ())
        if len(plain) > len(words):
            _require_distribution(given, distribution)
            raise InputError(f"--sample {given}: name the parameters of {distribution}, such as {distribution}(loc=1, scale=2)")
        parameters |= dict(zip(words, plain, strict=False))
    block: Mapped = {distribution: {**parameters}}
    if within is not None:
        block["within"] = [_number("--sample", given, part) for part in within.split(",")]
    if name.startswith("+"):
        block["add"] = True
    return name.removeprefix("+").strip(), block


def _require_distribution(given: str, name: str) -> None:
    """Raises InputError for a distribution that there is not, rather than for its arguments."""
    from mbsim.studies.sampled.sampling import Distribution, SamplingError

    try:
        _ = Distribution(name, ()).frozen
    except SamplingError as error:
        if str(error).startswith("unknown distribution"):
            raise InputError(f"--sample {given}: {error}") from None
