"""Workers and pools: each kind answers alike, in order, with the error of a task where it was asked; processes that die are replaced."""

import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import mbsim
from mbsim.studies.engine.pool import ATTEMPTS, PROCESSES, THREADS, Pool, PoolError, make_pool, released
from mbsim.studies.engine.worker import Child, DiedError, Local

POOLS = [(1, ""), (2, THREADS), (2, PROCESSES)]


class OddError(Exception):
    """An error whose pickle cannot be read."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


@dataclass(frozen=True)
class Squares:
    """A job: squares of numbers. -1 is an error, -2 an odd one, -3 has no pickle; a path kills the process where it is no file yet."""

    begin: int = 0

    def open(self) -> "Squares":
        if self.begin < 0:
            raise LookupError("it cannot begin")
        return self

    def words(self, task: Any) -> str:
        return f"the number {task}"

    def run(self, task: Any) -> Any:
        if isinstance(task, str):
            if not Path(task).is_file():
                Path(task).write_text("seen")
                os._exit(3)
            return task
        if task == -1:
            raise ValueError("no square of -1")
        if task == -2:
            raise OddError(1, 2)
        return threading.Lock() if task == -3 else self.begin + task * task

    def cancel(self) -> None:
        raise AssertionError("nobody cancels")


@dataclass(frozen=True)
class Deadly(Squares):
    """A job whose tasks end their process."""

    def run(self, task: Any) -> Any:
        os._exit(3)


@pytest.fixture(params=POOLS, ids=["here", "threads", "processes"])
def pool(request: pytest.FixtureRequest) -> Any:
    with released(make_pool(*request.param)) as found:
        yield found


def test_answers_come_in_order(pool: Pool) -> None:
    for begin in (0, 1):  # another job on the same workers
        assert list(pool.run(Squares(begin), iter(range(20)))) == [(k, begin + k * k) for k in range(20)]


def test_tasks_are_taken_as_they_are_needed(pool: Pool) -> None:
    taken: list[int] = []
    answers = pool.run(Squares(), (taken.append(k) or k for k in range(1000)))
    next(answers)
    assert len(taken) <= 3 * pool.workers


def test_errors_reach_whoever_asked(pool: Pool) -> None:
    with pytest.raises(ValueError, match="no square of -1"):
        list(pool.run(Squares(), iter([1, -1])))
    with pytest.raises(LookupError, match="it cannot begin"):
        list(pool.run(Squares(-1), iter([1])))
    assert list(pool.run(Squares(), iter([3]))) == [(3, 9)]


@pytest.mark.parametrize(("task", "words"), [(-2, "OddError: 1 and 2"), (-3, "lock")])
def test_what_has_no_pickle_is_said(task: int, words: str) -> None:
    worker = Child(Squares())
    try:
        with pytest.raises(RuntimeError, match=words):
            worker.run(task)
        assert worker.run(2) == 4
    finally:
        worker.close()


def test_a_process_that_dies_takes_no_task_with_it(tmp_path: Path) -> None:
    tasks = [1, str(tmp_path / "a"), 2, str(tmp_path / "b"), 3]
    with released(make_pool(2, PROCESSES)) as pool:
        assert [answer for _, answer in pool.run(Squares(), iter(tasks))] == [1, tasks[1], 4, tasks[3], 9]


def test_a_task_that_always_dies_ends_the_study() -> None:
    said = f"the processes that run the study died {ATTEMPTS} times, last in a run of the number 7"
    with released(make_pool(2, PROCESSES)) as pool, pytest.raises(PoolError, match=said):
        list(pool.run(Deadly(), iter([7])))


@pytest.mark.parametrize("kind", [Local, Child])
def test_a_stopped_worker_runs_no_more(kind: type) -> None:
    worker = kind(Squares())
    worker.stop()
    with pytest.raises(DiedError, match="stopped"):
        worker.run(1)
    worker.close()


SCRIPT = """
import mbsim
print("begun")
vary, outputs = {"bodies.rod.mass": [1.0, 2.0]}, {"last": "final(rod.angle)"}
found = mbsim.study("pendulum", vary, outputs, simulation={"end": 0.01}, executor="processes", workers=2)
print(found["last"].values.size)
"""


def test_processes_without_a_guard_for_the_main_module(tmp_path: Path) -> None:
    """A study in processes does not run the caller's script again."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    paths = os.pathsep.join(filter(None, [str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["begun", "2"]


def test_a_worker_of_marches_imports_no_analysis_that_it_does_not_make() -> None:
    """Equilibria and modes take much of SciPy, which was a third of the time that each worker took to begin."""
    code = "import sys, mbsim.studies.sampled.task; print({'scipy.linalg', 'scipy.optimize', 'numba'} & {*sys.modules} or 'nothing')"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "nothing\n"
