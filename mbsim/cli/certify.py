"""Find how many digits of a result are right: repeat the run with finer steps and by another method."""

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli import NOT_GOOD_ENOUGH, InputError
from mbsim.cli._output import force_option, output_errors
from mbsim.cli.info import opened
from mbsim.cli.run import model_errors

if TYPE_CHECKING:
    from mbsim.studies.certificate import Certificate

log = logging.getLogger("mbsim")
DIGITS = click.FloatRange(0.0, 15.0)


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--digits", type=DIGITS, help="Required digits of positions, speeds and unique reactions; exit code 3 with fewer.")
@click.option("--json", "as_json", is_flag=True, help="Print the certificate as JSON.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="JSON file. Default: RESULT.certificate.json.")
@force_option
def command(result: Path, digits: float | None, as_json: bool, output: Path | None, force: bool) -> None:
    """Certify the result file RESULT. Only its own contents are used: model, parameters and settings.

    The certificate is written into the result and as JSON, and its verdict printed.
    """
    certificate = certified(result, output or beside(result), force)
    click.echo(json.dumps(certificate.as_dict(), indent=2, ensure_ascii=False) if as_json else certificate.verdict)
    require(certificate, digits)


def beside(result: Path) -> Path:
    """The path of the JSON file of a result."""
    return result.with_suffix(".certificate.json")


def writable(path: Path, output: Path, force: bool) -> None:
    """Raise InputError unless the certificate of the result `path` may be written to `output`."""
    from mbsim.results import outputs

    with output_errors():
        outputs.check_suffix(output, [".json"])
        outputs.require(output, force, [path])


def certified(path: Path, output: Path, force: bool) -> "Certificate":
    """The certificate of a result, written into it and as JSON. Exits with 2 for a result that cannot be certified."""
    writable(path, output, force)  # before the runs
    from mbsim.results import outputs
    from mbsim.results.annotate import annotate
    from mbsim.studies.certificate import CertificateError, certify

    with opened(path) as result, model_errors():
        try:
            found = certify(result, lambda line: log.info("  certifying: %s", line))
        except CertificateError as error:
            raise InputError(f"{path}: {error}") from None
        earlier: list[Any] = result.attributes.get("certificates", [])
    with output_errors():
        annotate(path, "certificates", [*earlier, found.as_dict()])
        outputs.write_text(output, json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n", force, [path])
    log.info("%s", output)
    return found


def require(certificate: "Certificate", digits: float | None) -> None:
    """Exit with 3 if fewer digits are right than required."""
    if digits is not None and not certificate.reaches(digits):
        log.warning("  warning: fewer than the %g digits that were asked for: %s", digits, certificate.verdict)
        raise click.exceptions.Exit(NOT_GOOD_ENOUGH)
