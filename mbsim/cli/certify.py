"""Find how many digits of a result are right: repeat the run with finer steps and by another method."""

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim.cli._certificate import beside, require, write_certificate
from mbsim.cli._number import FiniteRange
from mbsim.cli._output import force_option

if TYPE_CHECKING:
    pass

log = logging.getLogger("mbsim")
DIGITS = FiniteRange(0.0, 15.0)


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
    certificate = write_certificate(result, output or beside(result), force)
    click.echo(json.dumps(certificate.as_dict(), indent=2, ensure_ascii=False) if as_json else certificate.verdict)
    require(certificate, digits)
