"""Puts deliberate errors into the code, one at a time, and runs the test that must notice each.

    python scripts/mutations.py               all of them, 5 minutes; writes docs/mutations.md
    python scripts/mutations.py --only NAME   those with this in their name; the other rows of the table stay
    python scripts/mutations.py --quick       whether each can still be made and its test exists, and one that is quickly run

A mutation is a text of one file, which must occur there exactly once, what replaces it, and the id of a test. The test must pass in a
copy of the tree as it is and fail by an assertion in the changed copy: a test that breaks off in another way has noticed nothing.
Kernels run as plain Python (NUMBA_DISABLE_JIT=1; the same numbers, tests/integrators/test_without_compiler.py): to compile each changed
copy would take an hour. What is derived and generated goes into a cache folder of the copy's own. The exit code is 1 when a mutation is
not caught or cannot be made; the message says what to repair.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "mutations.md"
COPIED = ("mbsim", "models", "tests", "scripts", "pyproject.toml")
LONGEST = 1800.0  # s for one call of pytest
DERIVATIVES = "tests/system/test_constraint_derivatives.py"
CLOSED_FORMS = "tests/physics/test_closed_forms.py"


@dataclass(frozen=True)
class Mutation:
    """A deliberate error and the test that must notice it."""

    name: str
    file: str
    test: str
    old: str
    new: str


# fmt: off
MUTATIONS = (
    Mutation("a degree is not converted",
             "mbsim/model/expressions/functions.py", "tests/model/test_expressions.py::test_values[deg(90)-1.5707963267948966]",
             "Function(1, 1, math.radians", "Function(1, 1, float"),
    Mutation("a degree is not converted in derived equations",
             "mbsim/model/expressions/functions.py",
             "tests/model/test_symbolic.py::test_values_and_derivatives_agree_with_the_interpreter[deg(x)^2]",
             "x * on.number(math.pi / 180.0)", "x"),
    Mutation("the sign of a point's acceleration in the plane",
             "mbsim/kernels/planar_rows.py", f"{DERIVATIVES}::test_joint[revolute-2-two_bodies]",
             "return wi * ax - wj * bx,", "return wi * ax + wj * bx,"),
    Mutation("a dropped Coriolis term of a slide in the plane",
             "mbsim/kernels/planar_rows.py", f"{DERIVATIVES}::test_joint[prismatic-2-two_bodies]",
             "2.0 * wi * (nx * uy - ny * ux)", "wi * (nx * uy - ny * ux)"),
    Mutation("a wrong column of the second body's block",
             "mbsim/system/absolute.py", f"{DERIVATIVES}::test_joint[revolute-2-two_bodies]",
             "C[r, size * j + c] = J[r, size + c]", "C[r, size * j + c] = J[r, 2 * size - 1 - c]"),
    Mutation("a transposed block of a point in space",
             "mbsim/elements/rows/point.py", f"{DERIVATIVES}::test_joint[spherical-3-two_bodies]",
             "fi[o], fi[o + 1], fi[o + 2])", "fi[3 + c], fi[6 + c], fi[9 + c])"),
    Mutation("eta of a joint in space without its factor of two",
             "mbsim/kernels/spatial_rows.py", f"{DERIVATIVES}::test_joint[prismatic-3-two_bodies]",
             "s += 2.0 * (nx * dx + ny * dy + nz * dz)", "s += nx * dx + ny * dy + nz * dz"),
    Mutation("no gyroscopic term",
             "mbsim/kernels/spatial_rows.py", "tests/system/test_forces_and_energy.py::test_gyroscopic_term",
             "= cross(lx, ly, lz, x, y, z)", "= 0.0, 0.0, 0.0"),
    Mutation("a spring that pulls the second body the same way",
             "mbsim/elements/loads/spring.py",
             "tests/system/test_forces_and_energy.py::test_gravity_and_springs_are_derivatives_of_the_potential[2]",
             "push(h, n_b, j, -tension * dx, -tension * dy,", "push(h, n_b, j, tension * dx, tension * dy,"),
    Mutation("a load's power without the part of its torque",
             "mbsim/elements/loads/force.py",
             "tests/system/test_forces_and_energy.py::test_force_and_torque_do_the_work_they_say[2-constant]",
             "return fx * f[5] + fy * f[6] + torque * f[7]", "return fx * f[5] + fy * f[6]"),
    Mutation("the reaction on a joint's second body with the sign of the first",
             "mbsim/observe/observer.py", "tests/physics/test_reactions.py::test_cantilever[lagrange-2-True]",
             "g = np.where(on_ground, -1.0, 1.0)", "g = np.where(on_ground, 1.0, -1.0)"),
    Mutation("a wrong parallel-axis term of a composite body",
             "mbsim/kernels/composite.py", "tests/system/test_trees.py::test_mass_matrix_energy_power[0-3]",
             "- m * px * py", "+ m * px * py"),
    Mutation("a quaternion that turns the wrong way",
             "mbsim/kernels/rotations.py", f"{CLOSED_FORMS}::test_torque_free_body[lagrange]",
             "p[0] * w[0] + p[2] * w[2] - p[3] * w[1]", "p[0] * w[0] - p[2] * w[2] + p[3] * w[1]"),
    Mutation("a drift correction that is not weighted with the mass matrix",
             "mbsim/singular/projection.py", "tests/methods/test_projection.py::test_it_is_the_smallest_in_the_norm_of_the_mass_matrix[2]",
             "    clear(own.d)\n    rank, bad = factor(arrays, work, own, rows, kept if kept > 0 else -1, kept)",
             "    clear(own.d)\n    for k in range(own.d.shape[0]):\n        for j in range(own.d.shape[0]):\n"
             "            work.M[k, j] = 1.0 if j == k else 0.0\n"
             "    rank, bad = factor(arrays, work, own, rows, kept if kept > 0 else -1, kept)"),
    Mutation("a rank tolerance that is larger by 10^4",
             "mbsim/kernels/ranks.py", "tests/methods/test_accelerations.py::test_rows_that_almost_depend_on_each_other[1e-06-True]",
             "RANK_TOLERANCE = 1e-8", "RANK_TOLERANCE = 1e-4"),
    Mutation("a rank tolerance that is smaller by 10^4",
             "mbsim/kernels/ranks.py", "tests/methods/test_accelerations.py::test_rows_that_almost_depend_on_each_other[1e-10-False]",
             "RANK_TOLERANCE = 1e-8", "RANK_TOLERANCE = 1e-12"),
    Mutation("a weight of the classical Runge-Kutta method",
             "mbsim/integrators/rk4.py", "tests/integrators/test_order.py::test_fitted_order[driven_pendulum-lagrange-rk4-none]",
             "2.0 * (k2[j] + k3[j])", "(3.0 * k2[j] + k3[j])"),
    Mutation("a coefficient of the pair of Dormand and Prince",
             "mbsim/integrators/rk45.py", "tests/integrators/test_coefficients.py::test_order_of_the_solution[rk45]",
             "-2187 / 6784", "-2187 / 6785"),
    Mutation("a coefficient of the Adams-Bashforth predictor",
             "mbsim/integrators/predictor_corrector.py",
             "tests/integrators/test_coefficients.py::test_adams_formulas_are_exact_for_polynomials",
             "37.0 * f2[j]", "36.0 * f2[j]"),
    Mutation("an event that is located half a step late",
             "mbsim/march/crossing.py", "tests/integrators/test_events.py::test_crossing_is_located[lagrange-bdf]",
             "at = float(brentq(known, before, after, xtol=_precision(before, after), rtol=4 * np.finfo(float).eps))",
             "at = 0.5 * (float(brentq(known, before, after, xtol=_precision(before, after), rtol=4 * np.finfo(float).eps)) + after)"),
    Mutation("the sign of baumgarte's term of the positions",
             "mbsim/methods/baumgarte.py", "tests/methods/test_baumgarte.py::test_equation_and_defaults[options0-50.0-70.71067811865476]",
             "own.eta[i] += beta * beta * work.phi[i]", "own.eta[i] -= beta * beta * work.phi[i]"),
    Mutation("reported multipliers that are a thousandth too large",
             "mbsim/saddle/evaluation.py", f"{CLOSED_FORMS}::test_chaplygin_sleigh[baumgarte]",
             "copy(work.lam, row, n_q + 2 * n)", "for i in range(work.lam.shape[0]):\n        row[n_q + 2 * n + i] = 1.001 * work.lam[i]"),
    Mutation("multipliers of rattle that are a thousandth too large",
             "mbsim/methods/rattle.py", f"{CLOSED_FORMS}::test_chaplygin_sleigh[rattle]",
             "lam[i] *= 2.0 / dt", "lam[i] *= 2.002 / dt"),
    Mutation("a generalized-alpha method whose gamma lacks a term",
             "mbsim/methods/implicit/alpha.py", f"{CLOSED_FORMS}::test_chaplygin_sleigh[generalized_alpha]",
             "gamma = 0.5 + alpha_f - alpha_m", "gamma = 0.5"),
    Mutation("work of rattle that counts each half step as a whole one",
             "mbsim/methods/rattle.py", "tests/methods/test_step_methods.py::test_a_constraint_that_depends_on_time_does_work[rattle]",
             "z[end] += 0.5 * dt * power", "z[end] += dt * power"),
    Mutation("reactions of nullspace without the forces of inertia",
             "mbsim/methods/nullspace.py", "tests/methods/test_accelerations.py::test_equal_the_augmented_equations[four_bar-nullspace]",
             "force[j] += s * own.weighed[i, j]", "force[j] += 0.0 * own.weighed[i, j]"),
    Mutation("equations of svd without the inertia of the particular acceleration",
             "mbsim/methods/svd.py", "tests/methods/test_accelerations.py::test_equal_the_augmented_equations[four_bar-svd]",
             "force[i] = work.h[i] - force[i]", "force[i] = work.h[i]"),
    Mutation("an articulated inertia of which one product is added, not taken off",
             "mbsim/kernels/articulated.py", "tests/methods/test_tree_methods.py::test_methods_agree_with_every_joint[7]",
             "subtract_scaled(w, col.IA_B, U[0], W[3:])", "subtract_scaled(w, col.IA_B, -U[0], W[3:])"),
    Mutation("a velocity of broyden that is projected half-way",
             "mbsim/methods/broyden.py", "tests/methods/test_step_methods.py::test_lambda_root_finding_on_the_papers_pendulum[broyden]",
             "v[j] += own.d[j]", "v[j] += 0.5 * own.d[j]"),
)
# fmt: on
CHEAP = MUTATIONS[0]
# Loaded by the pytest of the copy: node id -> [outcome, type of the exception, its message], and where mbsim was imported from.
PLUGIN = """
import json
import os

found = {}


def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        found[report.nodeid] = ["passed", "", ""]


def pytest_exception_interact(node, call, report):
    found[node.nodeid] = [report.when or "collect", call.excinfo.type.__name__, str(call.excinfo.value)]


def pytest_sessionfinish(session):
    import mbsim

    with open(os.environ["MUTATION_REPORT"], "w", encoding="utf-8") as file:
        json.dump({"mbsim": mbsim.__file__, "found": found, "collected": [item.nodeid for item in session.items]}, file)
"""


class Problem(Exception):
    """What has to be repaired."""


def changed(mutation: Mutation, text: str) -> str:
    """The file's text with the error in it."""
    count = text.count(mutation.old)
    if count != 1:
        raise Problem(
            f"{mutation.name!r}: {mutation.old.strip()!r} occurs {count} times in {mutation.file}, not once: give MUTATIONS in "
            f"scripts/mutations.py the text that now does this, and the file it stands in"
        )
    return text.replace(mutation.old, mutation.new)


class Copy:
    """A copy of the tree in a temporary folder, in which tests run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root, self.cache = folder, folder / "tree", folder / "cache"
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, self.root / name)
        (folder / "mutation_report.py").write_text(PLUGIN, encoding="utf-8")

    def pytest(self, arguments: list[str]) -> dict[str, list[str]]:
        """Outcomes by node id; `collected` tests that did not run have none. Raises Problem where pytest gets nowhere."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(self.root), str(self.folder)]), MUTATION_REPORT=str(report))
        environment["NUMBA_DISABLE_JIT"] = "1"
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # a changed file of the same size and second must not look like the one before
        environment["MBSIM_CACHE_DIR"] = str(self.cache)
        command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "mutation_report", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False)
        if not report.exists():
            raise Problem(f"pytest {' '.join(arguments)} made no report:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        told = json.loads(report.read_text(encoding="utf-8"))
        if not Path(told["mbsim"]).is_relative_to(self.root):
            raise Problem(f"the tests imported {told['mbsim']}, not the copy in {self.root}")
        found: dict[str, list[str]] = {name: ["collected", "", ""] for name in told["collected"]} | told["found"]
        return found

    def run(self, mutation: Mutation) -> str:
        """How the mutation showed. Raises Problem where its test does not fail by an assertion."""
        path = self.root / mutation.file
        text = path.read_text(encoding="utf-8")
        path.write_text(changed(mutation, text), encoding="utf-8")
        try:
            outcome, kind, message = self.pytest([mutation.test]).get(mutation.test, ["not collected", "", ""])
        finally:
            path.write_text(text, encoding="utf-8")
            shutil.rmtree(self.cache, ignore_errors=True)  # nothing of one mutation serves the next
        if outcome == "passed":
            raise Problem(f"{mutation.name!r}: {mutation.test} did not notice it")
        if kind != "AssertionError":
            raise Problem(f"{mutation.name!r}: {mutation.test} ended in {kind or outcome}, not by an assertion: {message[:300]}")
        return shown(message)


def shown(message: str) -> str:
    """The line of an assertion's message that says most: by how much numbers differ, else the first."""
    lines = [" ".join(line.split()) for line in message.splitlines() if line.strip()]
    return next((line for line in lines if line.startswith("Max absolute difference")), lines[0] if lines else "assert")[:100]


def check(copy: Copy, mutations: tuple[Mutation, ...], only_collect: bool) -> list[str]:
    """What is stale in the table, and which tests are not there or fail as it is."""
    problems = []
    for mutation in mutations:
        try:
            changed(mutation, (ROOT / mutation.file).read_text(encoding="utf-8"))
        except (Problem, OSError) as error:
            problems.append(str(error))
    tests = list(dict.fromkeys(mutation.test for mutation in mutations))
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    found = copy.pytest(["--collect-only", *files] if only_collect else tests)
    for test in tests:
        outcome, kind, message = found.get(test, ["not there", "", ""])
        if outcome != ("collected" if only_collect else "passed"):
            problems.append(f"{test} is {outcome} without any mutation: name another test in MUTATIONS {kind} {message[:300]}".strip())
    return problems


def kept_lines() -> dict[str, str]:
    """How each mutation of docs/mutations.md showed when it was written."""
    rows = TABLE.read_text(encoding="utf-8").splitlines() if TABLE.exists() else []
    cells = [row.removeprefix("| ").removesuffix(" |").split(" | ") for row in rows if row.startswith("| ")]
    return {row[0]: row[-1].strip("`") for row in cells}


def write_table(lines: dict[str, str]) -> None:
    """docs/mutations.md, of how each mutation showed."""
    text = [
        "# Mutations",
        "",
        "Deliberate errors, and the test that notices each. `python scripts/mutations.py` puts one after the other into a copy of the",
        "tree, runs the test there and writes this table; the test passes without the error and fails by an assertion with it.",
        "",
        "| error | file | was | became | test | how it showed |",
        "|---|---|---|---|---|---|",
    ]
    for mutation in MUTATIONS:
        changes, line = (code(x) for x in (mutation.old, mutation.new)), code(lines[mutation.name])
        cells = [mutation.name, f"`{mutation.file}`", *changes, f"`{mutation.test}`", line]
        text.append("| " + " | ".join(cells) + " |")
    TABLE.write_text("\n".join(text) + "\n", encoding="utf-8")


def code(text: str) -> str:
    """For a cell of a table."""
    return "`" + " ".join(text.split()).replace("|", "\\|") + "`"


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="check the table and run one mutation")
    parser.add_argument("--only", metavar="NAME", action="append", help="the mutations whose name contains this")
    options = parser.parse_args()
    chosen = tuple(m for m in MUTATIONS if not options.only or any(name in m.name for name in options.only))
    if not chosen:
        parser.error(f"no mutation is called {' or '.join(options.only)}")
    lines = kept_lines()
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        copy = Copy(Path(folder))
        problems = check(copy, chosen, only_collect=options.quick)
        for mutation in (CHEAP,) if options.quick else chosen:
            start = time.perf_counter()
            try:
                line = copy.run(mutation)
            except (Problem, subprocess.TimeoutExpired) as error:
                problems.append(str(error))
                line = "NOT CAUGHT"
            lines[mutation.name] = line
            print(f"{time.perf_counter() - start:6.0f} s  {mutation.name}: {line}", flush=True)
    if not options.quick and not problems and all(mutation.name in lines for mutation in MUTATIONS):
        write_table(lines)
    for problem in problems:
        print(f"repair: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
