"""How long one problem of contact with friction takes, by the number of contacts and by method: `python scripts/contact_problems.py`.

Random problems, w = W' v before the impact: independent contacts (as many speeds as rows), and redundant ones (half as many). Each number
is the median over problems of the shortest of several calls, without what Python takes for a call.
"""

import statistics
import time

import numpy as np

from mbsim.jit import bound
from mbsim.unilateral.problem import ENUMERATION, LEMKE, METHODS, NEWTON, SOLVED, contacts, problem, scratch
from mbsim.unilateral.solution import solve

PROBLEMS = 12
REPEATS = 7
FEW = 4  # contacts that enumeration takes


def random_problem(rng: np.random.Generator, n: int, tangents: int, redundant: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """D, b and coefficients of friction of n contacts."""
    rows = n * (1 + tangents)
    W = rng.normal(size=(max(1, rows // 2) if redundant else rows, rows))
    return W.T @ W, W.T @ rng.normal(size=len(W)), rng.uniform(0.1, 0.8, n)


def microseconds(n: int, tangents: int, redundant: bool, method: int) -> tuple[float, int]:
    """Median time of a solution, and how many problems were solved."""
    rng = np.random.default_rng(n)
    times, solved = [], 0
    for _ in range(PROBLEMS):
        D, b, friction = random_problem(rng, n, tangents, redundant)
        given = problem(D, b, contacts(np.ones(n), tangents, friction))
        work = scratch(given)
        call = bound(solve, given, work, method, 0)
        taken = []
        for _ in range(REPEATS):
            work.p[:] = 0.0
            begin = time.perf_counter()
            code = call()
            taken.append(time.perf_counter() - begin)
        times.append(min(taken))
        solved += code == SOLVED
    return 1e6 * statistics.median(times), solved


def main() -> None:
    """Print the table."""
    print(f"{'contacts':>8} {'rows':>5} {'':>11} {'method':>12} {'us':>9} {'solved':>7}")
    for tangents in (1, 2):
        for n in (1, 4, 16, 64):
            for redundant in (False, True):
                methods = [ENUMERATION] * (n <= FEW and tangents == 1) + [LEMKE] * (tangents == 1) + [NEWTON]
                for method in methods:
                    taken, solved = microseconds(n, tangents, redundant, method)
                    kind = "redundant" if redundant else "independent"
                    print(f"{n:8} {n * (1 + tangents):5} {kind:>11} {METHODS[method]:>12} {taken:9.1f} {solved:4}/{PROBLEMS}")


if __name__ == "__main__":
    main()
