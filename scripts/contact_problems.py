"""Problems of contact with friction: how long they take, and which law of impact gains energy. For docs/contact_laws.md.

    python scripts/contact_problems.py            # Kane's pendulum, a cradle, random impacts by both laws; then times
    python scripts/contact_problems.py --quick    # few contacts, few impacts

Random problems, w = W' v before the impact: independent contacts (as many speeds as rows), and redundant ones (half as many). Each number
is the median over problems of the shortest of several calls, without what Python takes for a call.
"""

import statistics
import time
from itertools import product
from math import cos, radians, sin

import numpy as np
from command_line import parser

from mbsim.jit import bound
from mbsim.unilateral.impacts import LAWS, impact, one_after_the_other
from mbsim.unilateral.problem import ENUMERATION, LEMKE, METHODS, NEWTON, SOLVED, contacts, problem, scratch
from mbsim.unilateral.solution import solve

PROBLEMS = 12
REPEATS = 7
FEW = 4  # contacts that enumeration takes
IMPACTS = 1000


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


def kane_pendulum() -> None:
    """Two rods of 1 kg and 1 m at 20 and 30 degrees with -0.1 and -0.2 rad/s hit a rough floor, e = 0.5 (Kane and Levinson 1985)."""
    a, b, v = radians(20.0), radians(30.0), np.array([-0.1, -0.2])
    mass = np.array([[4.0 / 3.0, 0.5 * cos(a - b)], [0.5 * cos(a - b), 1.0 / 3.0]])
    W = np.array([[sin(a), sin(b)], [cos(a), cos(b)]])
    print(f"Kane's pendulum, before: {500.0 * v @ mass @ v:.4f} mJ; changes in mJ")
    for friction in (0.0, 0.3, 0.5):
        changes = (impact(W @ np.linalg.inv(mass) @ W.T, W @ v, contacts(1, 1, friction, restitution=0.5), law).energy for law in LAWS)
        print(f"  mu {friction}: " + ", ".join(f"{law} {1e3 * change:+.4f}" for law, change in zip(LAWS, changes, strict=True)))


def cradle() -> None:
    """One ball of 1 m/s hits four."""
    W, v = np.diff(np.eye(5), axis=0), np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    for e in (1.0, 0.9):
        for name, law in (("at once", impact), ("one after the other", one_after_the_other)):
            after = v + W.T @ law(W @ W.T, W @ v, contacts(np.ones(4), restitution=e)).impulses
            print(f"  cradle, e {e}, {name}: " + " ".join(f"{x:.4f}" for x in after))


def random_impacts(number: int) -> None:
    """How many impacts gain energy, of 2 to 4 planar contacts that all close."""
    for friction in (0.0, 0.5):
        for equal in (True, False):
            rng, gains, solved = np.random.default_rng(0), dict.fromkeys(LAWS, 0), dict.fromkeys(LAWS, 0)
            for _ in range(number):
                n = int(rng.integers(2, FEW + 1))
                W, v = rng.normal(size=(2 * n, 2 * n)), rng.normal(size=2 * n)
                W[::2] *= -np.sign(W[::2] @ v)[:, None]
                of = contacts(np.ones(n), 1, friction, restitution=np.full(n, 0.5) if equal else rng.uniform(0.0, 1.0, n))
                for law in LAWS:
                    made = impact(W @ W.T, W @ v, of, law, every=False)
                    gains[law] += made.gains
                    solved[law] += made.answer.code == SOLVED
            kind = "equal e" if equal else "different e"
            print(f"  mu {friction}, {kind}: " + ", ".join(f"{law} gains in {gains[law]} of {solved[law]}" for law in LAWS))


def print_times(most: int) -> None:
    """Print the table of times, up to so many contacts."""
    print(f"{'contacts':>8} {'rows':>5} {'':>11} {'method':>12} {'us':>9} {'solved':>7}")
    for tangents, n, redundant in product((1, 2), (1, 4, 16, 64), (False, True)):
        if n > most:
            continue
        methods = [ENUMERATION] * (n <= FEW and tangents == 1) + [LEMKE] * (tangents == 1) + [NEWTON]
        for method in methods:
            taken, solved = microseconds(n, tangents, redundant, method)
            kind = "redundant" if redundant else "independent"
            print(f"{n:8} {n * (1 + tangents):5} {kind:>11} {METHODS[method]:>12} {taken:9.1f} {solved:4}/{PROBLEMS}")


def main() -> None:
    """Print all of it."""
    quick = parser(__doc__).parse_args().quick
    kane_pendulum()
    cradle()
    random_impacts(10 if quick else IMPACTS)
    print_times(4 if quick else 64)


if __name__ == "__main__":
    main()
