"""Stiff motions at equal error: `radau` in compiled code against what mbsim had before, and Exudyn, to docs/benchmarks-stages.md.

* The clamped beam of benchmark_stiff.py, of 50 rods, for 1 s: the error is that of the position of the tip at the end, in m.
* The arm of 30 hinges that controllers with gains of 1e4 N m/rad turn, for 0.2 s: of the angles at the end, in rad.
* The front axle of double wishbones with bushings over a bump, for 0.5 s: of all coordinates at the end.
* The flyball governor A05 of IFToMM's library, for 10 s: of all coordinates at the end.

    python scripts/benchmark_stages.py            # needs the extra `bench`: pip install '.[bench]'
    python scripts/benchmark_stages.py --quick    # small mechanisms, in seconds; without the peer mbsim alone

Each integrator runs with the loosest `rtol` of 10^(-k/2) that keeps the error within the one that is asked for, there and at the next
tighter one; `atol` is a hundredth of it. Only the march is timed, the least of three; Exudyn's is `SolveDynamic` with generalized-alpha of
spectral radius 0.9, the fewest equal steps and the fastest of its linear solvers. A run that takes ten times as long as the best is left
out. The reference is `radau` of order 9 with `rtol` 1e-11. Times are processor time of one process, one after the other.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from benchmark_exudyn import fewest_steps
from benchmark_stiff import ARM_END, GAIN, RADIUS, RATE_GAIN, TURN, assembled, marched, tip
from command_line import EXUDYN, MODELS, command, installed, output_folder, parser, versions
from measuring import origin, table, wrapped
from stiff_cases import beam, beam_of_peer, held_arm, wishbones

ERRORS = (1e-4, 1e-6, 1e-8)
PEER_ERRORS = (1e-4, 1e-6)  # further ones take the peer minutes
LEFT_OUT = 10.0  # times the best
LOOSEST, TIGHTEST = 2, 24  # k of 10^(-k/2)


class Case(NamedTuple):
    """A motion, and what of it is compared."""

    name: str
    made: Any
    methods: tuple[str, ...]  # with which integrators run
    end: float  # s
    of: Callable[[Any], np.ndarray]
    peer: Any = None


def cases(quick: bool, exudyn: bool) -> Iterator[Case]:
    """All of them."""
    import mbsim

    rods = 4 if quick else 50
    peer = beam_of_peer(rods, RADIUS) if exudyn else None
    end = 0.05 if quick else 1.0
    yield Case(f"beam of {rods} rods, absolute", assembled(beam(rods, "absolute", end, end)), ("cfa",), end, partial(tip, rods=rods), peer)
    yield Case(f"beam of {rods} rods, joint", assembled(beam(rods, "joint", end, end)), ("aba",), end, partial(tip, rods=rods))
    joints = 3 if quick else 30
    yield Case(f"arm of {joints} joints", assembled(held_arm(joints, GAIN, RATE_GAIN, TURN, ARM_END)), ("aba",), ARM_END, last)
    end = 0.02 if quick else 0.5
    yield Case("double wishbones", assembled(wishbones(end, 1e-3)), ("cfa",), end, last)
    governor = mbsim.assemble(mbsim.load_model(MODELS / "flyball_governor.yaml"))
    yield Case("governor A05", governor, ("auto",), 0.2 if quick else float(governor.simulation.end), last)


def last(result: Any) -> np.ndarray:
    """All coordinates at the end."""
    return np.asarray(result["q"][-1])


def candidates(case: Case) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Words of runs, and whether mbsim had them before."""
    for method in case.methods:
        for order in ("5", "9"):
            yield f"`radau`, order {order}", {"method": method, "integrator": "radau", "order": order}, False
        for integrator, more in (("dop853", {}), ("radau", {"solver": "scipy"}), ("bdf", {})):
            yield f"`{integrator}`{', SciPy' * bool(more)}", {"method": method, "integrator": integrator, **more}, True
    yield "`generalized_alpha`", {"method": "generalized_alpha"}, True


class Found(NamedTuple):
    """A run within an error."""

    seconds: float
    steps: int
    rtol: float


def within(case: Case, words: dict[str, Any], truth: np.ndarray, errors: tuple[float, ...], best: dict[float, float]) -> dict[float, Found]:
    """The first run within each of the errors, the largest first, as far as it takes no more than LEFT_OUT times the `best`."""
    from mbsim import SimulationError

    passed: list[tuple[float, Found]] = []
    for k in range(LOOSEST, TIGHTEST):
        rtol = 10.0 ** (-k / 2)
        run = partial(marched, case.made, end=case.end, rtol=rtol, atol=1e-2 * rtol, **words)
        try:
            result = run()
        except SimulationError:
            passed.append((np.inf, Found(np.inf, 0, rtol)))
            continue
        seconds = float(result.attributes["march_time"])
        if seconds < 10.0:
            seconds = min(seconds, *(float(run().attributes["march_time"]) for _ in range(2)))
        passed.append((float(np.abs(case.of(result) - truth).max()), Found(seconds, int(result.attributes["counts"]["steps"]), rtol)))
        worst = max(passed[-1][0], passed[-2][0] if len(passed) > 1 else np.inf)
        if worst <= errors[-1]:
            break
        wanted = next((error for error in errors if worst > error), errors[-1])
        if seconds > LEFT_OUT * best.get(wanted, np.inf):
            break
    pairs = list(pairwise(passed))
    first = {error: next((one for (a, one), (b, _) in pairs if max(a, b) <= error), None) for error in errors}
    return {error: one for error, one in first.items() if one is not None}


def compared(case: Case) -> list[list[str]]:
    """The lines of a case."""
    exact = marched(case.made, end=case.end, method=case.methods[0], integrator="radau", order="9", rtol=1e-11, atol=1e-13)
    truth, best, lines, before = case.of(exact), dict[float, float](), [], dict[float, float]()
    for name, words, known in candidates(case):
        found = within(case, words, truth, ERRORS, best)
        for error, one in found.items():
            best[error] = min(best.get(error, np.inf), one.seconds)
            if known:
                before[error] = min(before.get(error, np.inf), one.seconds)
        shown = [f"{1e3 * found[e].seconds:.3g} ({found[e].steps})" if e in found else "" for e in ERRORS]
        lines.append([case.name, name, *shown])
        print(" | ".join(lines[-1]), flush=True)
    if case.peer is not None:
        peer, shown = case.peer, []
        peer.choose_solver(200, case.end)
        for error in ERRORS:
            if error not in PEER_ERRORS:
                shown.append("")
                continue
            steps = fewest_steps(lambda n: float(np.abs(peer.coordinates(n, case.end)[-3:-1] - truth).max()), error, 500, order=2)
            took = min(peer.run(steps, case.end) for _ in range(2))
            shown.append(f"{1e3 * took:.3g} ({steps}), {took / best[error]:.0f} times the best")
        lines.append([case.name, f"Exudyn ({peer.solver.name})", *shown])
        print(" | ".join(lines[-1]), flush=True)
    gains = [f"{before[e] / best[e]:.1f}" if e in before and e in best else "" for e in ERRORS]
    lines.append([case.name, "best before over best now", *gains])
    print(" | ".join(lines[-1]), flush=True)
    return lines


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    exudyn = installed(EXUDYN, given.quick) and not given.quick
    with patch("time.perf_counter", time.process_time):  # what else runs on the machine does not count
        lines = [line for case in cases(given.quick, exudyn) for line in compared(case)]
    heads = ("mechanism", "steps by", *(f"{error:g}: ms (steps)" for error in ERRORS))
    paragraphs = (__doc__ or "").split("\n\n")
    text = ["# Stiff motions at equal error", "", origin(command(__file__), versions("numba", "numpy", "scipy", "exudyn")), ""]
    text += ["\n* ".join(wrapped(bullet, "  ") for bullet in paragraphs[1].split("\n*")), "", wrapped(paragraphs[3].rstrip()), ""]
    with output_folder(given) as folder:
        (folder / "benchmarks-stages.md").write_text("\n".join([*text, table(heads, lines)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
