"""Measures plain C (`mbsim export --plain`) beside the library of compiled kernels, for docs/export.md.

    python scripts/exported_plain.py            # prints the table
    python scripts/exported_plain.py --quick    # one model, a few runs

Both march a second by steps of 1 ms with an output after each, again and again, in programs of C that read their own processor time. They
are run one after the other, several times; medians count. Needs a compiler of C.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from command_line import MODELS, REFUSED, parser
from measuring import table

import mbsim

RUNS = {"double_pendulum": 300, "four_bar": 60, "slider_crank": 60, "space_robot": 20}  # of a second each
STEPS, REPEATED = 1000, 7
MAIN = """#include <stdio.h>
#include <time.h>
#include "unit.h"
int main(void)
{
    DECLARED
    double sum = 0.0;
    clock_t begun = clock();
    for (int r = 0; r < RUNS; r++) {
        unit_reset(unit);
        for (int i = 0; i < STEPS; i++) {
            if (unit_step(unit, 1e-3) != 0) return 1;
            sum += unit_output(unit, 0);
        }
    }
    printf("%.17g %.17g", (double)(clock() - begun) / CLOCKS_PER_SEC / RUNS / STEPS * 1e6, sum);
    return 0;
}
"""
LIBRARY = "library, `--native`"
WAYS = {LIBRARY: ["-O2", "-fno-strict-aliasing"], "plain C": ["-O2"], "plain C, `-march=native`": ["-O2", "-march=native"]}


def costs(name: str, runs: int, repeated: int, folder: Path) -> dict[str, float]:
    """Microseconds of a step in each way."""
    programs: dict[str, Path] = {}
    for k, (way, flags) in enumerate(WAYS.items()):
        inner, plain = folder / f"{name}-{k}", way != LIBRARY
        inner.mkdir()
        mbsim.export(MODELS / f"{name}.yaml", inner / "unit.c", plain=plain, native=not plain, integrator="rk4", step=1e-3)
        declared = "static unit_unit held, *unit = &held;" if plain else "unit_unit *unit = unit_create();"
        text = MAIN.replace("DECLARED", declared).replace("RUNS", str(runs)).replace("STEPS", str(STEPS))
        (inner / "loop.c").write_text(text)
        files = ["unit.c", "loop.c", *([] if plain else ["libunit_kernels.a"])]
        subprocess.run(["cc", "-std=c99", *flags, "-o", "loop", *files, "-lm"], cwd=inner, check=True)
        programs[way] = inner / "loop"
    taken: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(repeated):
        for way, program in programs.items():
            said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
            taken[way].append(float(said.split()[0]))
    return {way: statistics.median(times) for way, times in taken.items()}


def main() -> None:
    given = parser(__doc__).parse_args()
    if shutil.which("cc") is None:
        print("a compiler of C (cc) not installed: nothing is measured", file=sys.stderr)
        sys.exit(0 if given.quick else REFUSED)
    chosen = {"double_pendulum": 10} if given.quick else RUNS
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, runs in chosen.items():
            found = costs(name, runs, 3 if given.quick else REPEATED, Path(folder))
            base, plain, native = found.values()
            rows.append((f"`{name}`", f"{base:.3f}", f"{plain:.3f}", f"{base / plain:.2f}", f"{base / native:.2f}"))
    print(table(("model", LIBRARY, "plain C", "times", "with `-march=native`"), rows))


if __name__ == "__main__":
    main()
