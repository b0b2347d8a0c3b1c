"""What only other methods can tell, on rows whose errors are given: when a method is to blame, and when the motion or the steps are."""

from math import inf
from typing import Any

import numpy as np
import pytest

from mbsim.results.read import in_memory
from mbsim.studies.compare.control import Control
from mbsim.studies.compare.plan import Ladder, make_plan
from mbsim.studies.compare.rows import Case, Course, Reference, Row
from mbsim.studies.compare.verdict import Scale

STEPS = (0.02, 0.01, 0.005, 0.0025)  # the last one is beyond the rows
SCALES = {"position": Scale(1.0, 1e-9, 1e-11), "velocity": Scale(1.0, 1e-8, 1e-11), "energy": Scale(1.0, 1e-8, 1e-11)}
MOTION = in_memory({"time": np.zeros(1), "q": np.ones((1, 1)), "v": np.ones((1, 1))}, {}, {}, {}, "", {})


def course(errors: Any, declared: float = 4.0, cut: tuple[bool, ...] = (False,) * 4, levels: tuple[float, ...] = STEPS) -> Course:
    return Course(declared, list(levels[: len(errors)]), [{"position": e, "velocity": e} for e in errors], list(cut[: len(errors)]))


def judged(methods: dict[str, Any], witness: Any = None, tolerances: bool = False, **given: Any) -> tuple[dict[str, set[str]], Case]:
    """Verdicts by method. A method is its errors, the last one of the run beyond its rows."""
    case = Case("x", "x", "", "", 0.0, 1.0, 0.1, Reference("a run", MOTION, errors={"position": 1e-11, "velocity": 1e-11}), scales=SCALES)
    levels = (1e-4, 1e-6, 1e-8, 1e-9) if tolerances else STEPS
    integrator = "dop853" if tolerances else "rk4"
    plan, ladders = make_plan(list(methods), [integrator], None, None), []
    for method, errors in methods.items():
        ladder = plan.ladder(method, integrator, levels[:-1])
        ladders.append(Ladder(method, integrator, tolerances, levels[:-1], ladder.order))
        case.courses[method, integrator] = course(errors, ladder.order, given.get("cut", (False,) * 4), levels)
        for level, error in list(zip(levels, errors, strict=True))[:-1]:
            row = Row(method, integrator, level, tolerances, level, given.get(f"{method}_verdict", "agrees"), result=MOTION)
            row.judgement.errors = {"position": error, "velocity": error}
            row.judgement.own = dict.fromkeys(row.judgement.errors, given.get(f"{method}_own", error))
            case.rows.append(row)
    called: list[str] = []

    def run(ladder: Ladder, method: str) -> Course | None:
        called.append(method)
        return None if witness is None else course(witness, levels=levels)

    Control(case, ladders, run).look()
    case.title = ",".join(called)
    return {method: {row.verdict for row in case.rows if row.method == method} for method in methods}, case


FOURTH = [1e-3 / 16**k for k in range(4)]
SECOND = [1e-3 / 4**k for k in range(4)]


def test_an_order_below_the_declared_one_is_named_by_a_method_that_has_it() -> None:
    verdicts, case = judged({"nullspace": SECOND, "svd": FOURTH})
    assert verdicts == {"nullspace": {"low order"}, "svd": {"agrees"}} and not case.notes and not case.title
    assert case.rows[0].reason == "order 2.0 of the positions, where nullspace with rk4 declares 4; svd has it"


def test_a_method_of_a_lower_order_is_no_witness_of_a_higher_one() -> None:
    """A controller with a limit: all are of order 2, which is what baumgarte declares; the others were of low order, and it was advised."""
    verdicts, case = judged({"baumgarte": SECOND, "cfa": SECOND, "nullspace": SECOND}, witness=SECOND)
    assert set().union(*verdicts.values()) == {"agrees"} and any("not smooth enough" in note for note in case.notes)


def test_a_witness_is_run_where_no_row_tells() -> None:
    verdicts, case = judged({"nullspace": SECOND}, FOURTH)
    assert verdicts == {"nullspace": {"low order"}} and case.title == "lagrange"
    verdicts, case = judged({"lagrange": SECOND}, FOURTH)  # it is not its own witness
    assert verdicts == {"lagrange": {"low order"}} and case.title == "svd"


def test_kinks_lower_the_order_of_every_method_and_are_no_fault_of_one() -> None:
    verdicts, case = judged({"nullspace": SECOND}, SECOND)
    assert verdicts == {"nullspace": {"agrees"}} and case.title == "lagrange,svd"
    assert case.notes[0].startswith("No method here reaches order 4 of the positions with rk4: ")


def test_a_method_may_declare_less() -> None:
    assert judged({"broyden(multiplier=constant)": SECOND}, FOURTH)[0] == {"broyden(multiplier=constant)": {"agrees"}}
    first = [1e-3 / 2**k for k in range(4)]
    assert judged({"broyden(multiplier=constant)": first}, FOURTH)[0] == {"broyden(multiplier=constant)": {"low order"}}
    assert judged({"baumgarte": first}, FOURTH)[0] == {"baumgarte": {"agrees"}}
    assert judged({"baumgarte(alpha=5, beta=5)": first}, FOURTH)[0] == {"baumgarte(alpha=5, beta=5)": {"low order"}}


@pytest.mark.parametrize("errors", [[1e-3, 1e-3 / 16, 5e-5, 4e-5], [9e-10, 5e-10, 3e-10, 1e-10], [1e-3, 4e-4, 3e-5, 2e-6]])
def test_an_order_that_is_reached_somewhere_or_cannot_be_seen_is_no_fault(errors: list[float]) -> None:
    """A plateau after order 4; what the correction of the drift leaves; steps that are too long at first."""
    assert judged({"nullspace": errors}, FOURTH)[0] == {"nullspace": {"agrees"}}


def test_runs_that_were_cut_do_not_show_an_order() -> None:
    assert judged({"nullspace": SECOND}, FOURTH, cut=(True, True, False, False))[0] == {"nullspace": {"agrees"}}


def test_runs_that_do_not_converge_disagree_where_another_method_is_near() -> None:
    off = [0.5, 0.6, 0.5, 0.6]
    given = {"nullspace_verdict": "unresolved", "nullspace_own": inf}
    verdicts, case = judged({"nullspace": off}, FOURTH, **given)
    assert verdicts == {"nullspace": {"disagrees"}}
    assert case.rows[0].reason.startswith("position error 5.0e-01, and lagrange has 1.0e-03 at the same step")
    assert judged({"nullspace": off}, off, **given)[0] == {"nullspace": {"unresolved"}}  # so are all runs of so coarse steps


def test_what_is_open_for_another_reason_stays_open() -> None:
    """A published value that the steps are too long for, of a method of order 2."""
    assert judged({"nullspace": SECOND}, [1e-8] * 4, nullspace_verdict="unresolved")[0] != {"nullspace": {"disagrees"}}


def test_an_error_of_many_tolerances_is_the_fault_of_the_method_or_of_nobody() -> None:
    far, near = [1e-2, 1e-3, 1e-4, 1e-5], [1e-4, 1e-6, 1e-8, 1e-9]
    verdicts, case = judged({"nullspace": far, "svd": near}, tolerances=True)
    assert [row.verdict for row in case.rows] == ["agrees", "disagrees", "disagrees", "agrees", "agrees", "agrees"]
    assert case.rows[1].reason == "position error 1.0e-03, 500 tolerances; svd has 1.0e-06 at the same tolerance"
    verdicts, case = judged({"nullspace": far}, far, tolerances=True)
    assert verdicts == {"nullspace": {"agrees"}}
    assert case.notes[0].startswith("With dop853 at tolerance 1e-06 no method is much nearer than nullspace, 500 tolerances off: ")
