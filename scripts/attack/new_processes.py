"""Commands of every shipped model, each in a new process: what one process has loaded for another model helps nobody there.

    python scripts/attack/new_processes.py [--quick] [--models NAME ...]

Tests share processes, so that a kernel which one of them has loaded is there for the next. A user's process has nothing. What has to hold:
no command ends with a traceback or with another exit code than those of the documentation.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mbsim.model.file.shipped import shipped

COMMANDS = (
    ("check",),
    ("equilibrium",),
    ("modes",),
    ("run", "--end", "0.01", "--method", "generalized_alpha", "--step", "0.001"),
    ("run", "--end", "0.01", "--integrator", "radau"),
    ("run", "--end", "0.01"),
)
QUICK = ("differential_hoist",)
EXIT_CODES = range(4)  # right, stopped, refused, not good enough
LONGEST = 600.0  # s


def ends_badly(model: str, command: Sequence[str], folder: Path) -> str:
    """The last words of a command that ends with a traceback or an unknown exit code; empty where it does not."""
    given = [sys.executable, "-m", "mbsim", command[0], model, *command[1:]]
    if command[0] == "run":
        given += ["-o", str(folder / "result.h5"), "--force"]
    try:
        done = subprocess.run(given, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return f"not ended after {LONGEST:g} s"
    if done.returncode in EXIT_CODES and "Traceback" not in done.stderr:
        return ""
    return f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the models " + ", ".join(QUICK))
    parser.add_argument("--models", nargs="*", help="names or files; all shipped ones if not given")
    asked = parser.parse_args()
    models = list(QUICK) if asked.quick else asked.models or [*shipped()]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            for command in COMMANDS:
                if words := ends_badly(model, command, Path(folder)):
                    bad += 1
                    print(f"{model} {' '.join(command)}: {words}", flush=True)
    print(f"{len(models)} models, {len(models) * len(COMMANDS)} commands: {bad} ended badly")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
