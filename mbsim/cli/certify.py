"""Say how many digits of a result are right: run it again, finer and by another method."""

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli import NOT_GOOD_ENOUGH, InputError
from mbsim.cli.info import opened
from mbsim.cli.run import model_errors

if TYPE_CHECKING:
    from mbsim.certificate import Certificate

log = logging.getLogger("mbsim")
DIGITS = click.FloatRange(0.0, 15.0)


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--digits", type=DIGITS, help="How many are asked for of positions, speeds and unique reactions; exit code 3 with fewer.")
@click.option("--json", "as_json", is_flag=True, help="Print the certificate as JSON.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="JSON file; RESULT.certificate.json if not given.")
def command(result: Path, digits: float | None, as_json: bool, output: Path | None) -> None:
    """Certify the result file RESULT, from what it holds alone: its model, parameters and settings.

    The certificate is written into the result and as JSON, and its verdict printed.
    """
    certificate = certified(result, output or beside(result))
    click.echo(json.dumps(certificate.as_dict(), indent=2, ensure_ascii=False) if as_json else certificate.verdict)
    require(certificate, digits)


def beside(result: Path) -> Path:
    """Where the JSON file of a result goes."""
    return result.with_suffix(".certificate.json")


def certified(path: Path, output: Path) -> "Certificate":
    """The certificate of a result, written into it and as JSON. Exits with 2 for a result that cannot be certified."""
    from mbsim.certificate import CertificateError, certify
    from mbsim.results.annotate import annotate

    with opened(path) as result, model_errors():
        try:
            found = certify(result, lambda line: log.info("  certifying: %s", line))
        except CertificateError as error:
            raise InputError(f"{path}: {error}") from None
        earlier: list[Any] = result.attributes.get("certificates", [])
    try:
        annotate(path, "certificates", [*earlier, found.as_dict()])
        output.write_text(json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        click.echo(f"cannot write {error.filename or output}: {error.strerror or error}", err=True)
        raise click.exceptions.Exit(1) from None
    log.info("%s", output)
    return found


def require(certificate: "Certificate", digits: float | None) -> None:
    """Exit with 3 where fewer digits are right than were asked for."""
    if digits is not None and not certificate.reaches(digits):
        log.warning("  warning: fewer than the %g digits that were asked for: %s", digits, certificate.verdict)
        raise click.exceptions.Exit(NOT_GOOD_ENOUGH)
