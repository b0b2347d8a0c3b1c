"""Isolation: a run that crashes or hangs its process becomes a row, and the next one runs."""

import pytest
import samples

import mbsim
from mbsim.studies.compare.worker import Source, Task, isolated
from mbsim.studies.engine.worker import DiedError

SOURCE = Source("oscillator.yaml", samples.OSCILLATOR)
SETTINGS = {"method": "svd", "integrator": "rk4", "step": 0.1, "output_step": 0.1, "drift": "full"}
CHILD = """
import os, time
from mbsim.studies.compare import worker
from mbsim.studies.engine.worker import serve
real = worker.execute
def execute(made, task):
    print("a stray word")
    if task.repeats == 2:
        os._exit(3)
    if task.repeats == 3:
        os.abort()
    if task.repeats == 4:
        time.sleep(1000)
    return real(made, task)
worker.execute = execute
serve()
"""


@pytest.fixture
def process():
    found = isolated(SOURCE, 120.0)
    found.worker.SERVE = CHILD
    yield found
    found.close()


def test_crashes_and_hangs(process):
    assert process.open() == (["x"], ["der(x)"])
    reasons = {2: "its process ended with exit code 3", 3: "its process was ended by SIGABRT", 4: "not finished after 0.2 s, the limit"}
    for repeats, reason in reasons.items():
        process.worker.timeout = 0.2 if repeats == 4 else 120.0
        outcome = process.run(Task(SETTINGS, repeats))
        assert (outcome.status, outcome.reason, outcome.result) == ("failed", reason, None)
    process.worker.timeout = 120.0
    outcome = process.run(Task(SETTINGS))
    assert outcome.status == "done" and len(outcome.result.time) == 11


def test_what_is_wrong_with_a_model_is_raised_here():
    process = isolated(Source("m.yaml", samples.OSCILLATOR.replace("potential", "potentail")), 120.0)
    try:
        with pytest.raises(mbsim.ModelError, match=r"m.yaml:3:\d+: energy.potentail: unknown key"):
            process.open()
    finally:
        process.close()


def test_a_child_that_cannot_start():
    process = isolated(SOURCE, 120.0)
    process.worker.SERVE = "raise SystemExit(7)"
    try:
        with pytest.raises(DiedError, match=r"assembling the model: its process ended with exit code 7"):
            process.open()
    finally:
        process.close()
