"""What `run --certify` and `certify` share: where a certificate goes, making it, and the digits that were asked for."""

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli._errors import NOT_GOOD_ENOUGH, InputError
from mbsim.cli._model import model_errors
from mbsim.cli._output import output_errors
from mbsim.cli._result import open_or_exit

if TYPE_CHECKING:
    from mbsim.studies.certificate import Certificate

log = logging.getLogger("mbsim")


def beside(result: Path) -> Path:
    """The path of the JSON file of a result."""
    return result.with_suffix(".certificate.json")


def writable(path: Path, output: Path, force: bool) -> None:
    """Raise InputError unless the certificate of the result `path` may be written to `output`."""
    from mbsim.results import outputs

    with output_errors():
        outputs.check_suffix(output, [".json"])
        outputs.require(output, force, [path])


def write_certificate(path: Path, output: Path, force: bool) -> "Certificate":
    """The certificate of a result, written into it and as JSON. Exits with 2 for a result that cannot be certified."""
    writable(path, output, force)  # before the runs
    from mbsim.results import outputs
    from mbsim.results.annotate import annotate
    from mbsim.studies.certificate import CertificateError, certify

    with open_or_exit(path) as result, model_errors():
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
