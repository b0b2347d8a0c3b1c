"""A worker assembles a job once and runs its tasks, one at a time: in the thread that asks, or in a process of its own.

The process is a plain child that reads a job and then tasks from its stdin and writes the answers to its stdout, as pickles between the
two of us. Python's process pools are not suitable: they run the caller's script again in the child, which fails for a script without a
`__main__` guard, and a pool one of whose children was killed is broken.
"""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Generic, NamedTuple, Protocol, TypeVar

from mbsim.studies.engine.task import Answer_co, Bench, Job, Task_contra

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


class Worker(Protocol[Task_contra, Answer_co]):
    """Runs the tasks of one job."""

    def run(self, task: Task_contra) -> Answer_co:
        """The answer to a task. Raises what the job or the task raises, DiedError."""

    def stop(self) -> None:
        """End what it does, from another thread. It runs no more: whoever waits for it gets DiedError, or what the task makes of it."""

    def close(self) -> None:
        """Release what it holds."""


class DiedError(RuntimeError):
    """The process of a worker died, took too long, or was stopped. The next task gets another one, but of a worker that was stopped."""


STOPPED = "its worker was stopped"


class Local(Generic[_Task, _Answer]):
    """A worker in the thread that asks."""

    def __init__(self, job: Job[_Task, _Answer]) -> None:
        self._job = job
        self._bench: Bench[_Task, _Answer] | None = None
        self._stopped = False

    def run(self, task: _Task) -> _Answer:
        """As of `Worker`."""
        self._bench = self._bench or self._job.open()
        if self._stopped:
            raise DiedError(STOPPED)
        return self._bench.run(task)

    def stop(self) -> None:
        """As of `Worker`."""
        self._stopped = True
        if self._bench is not None:
            self._bench.cancel()

    def close(self) -> None:
        """Nothing to release."""


class _Said(NamedTuple, Generic[_Answer]):
    """An answer of a child."""

    answer: _Answer


class _Failed(NamedTuple):
    """The error that came in place of an answer of a child."""

    error: Exception


class Child(Generic[_Task, _Answer]):
    """A worker in a child process, which is replaced when it died or took too long."""

    # What the child runs. The parent hears Ctrl-C and ends the child, from the child's first moment on.
    SERVE = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from mbsim.studies.engine.worker import serve; serve()"

    def __init__(self, job: Job[_Task, _Answer], timeout: float | None = None, environment: Mapping[str, str] | None = None) -> None:
        """`timeout` limits a task, s, the start of a child and the assembly included. `environment` holds where the user sets nothing."""
        self._job, self.timeout, self._environment = job, timeout, dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[_Said[_Answer] | _Failed | None] = queue.Queue()
        self._stopped, self._lock = False, threading.Lock()

    def run(self, task: _Task) -> _Answer:
        """As of `Worker`."""
        process = self._process or self._start()
        assert process.stdin is not None
        try:
            pickle.dump(task, process.stdin)
            process.stdin.flush()
            said = self._answers.get(timeout=self.timeout)
        except queue.Empty:
            self.close()
            raise DiedError(f"not finished after {self.timeout:g} s, the limit") from None
        except OSError:  # the child closed its end
            said = None
        if said is None:
            why = STOPPED if self._stopped else _obituary(process.wait())
            self.close()
            raise DiedError(why)
        if isinstance(said, _Failed):
            raise said.error
        return said.answer

    def stop(self) -> None:
        """As of `Worker`."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the child."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                assert stream is not None
                with suppress(OSError):  # of what it still holds for a child that is gone
                    stream.close()

    def _start(self) -> "subprocess.Popen[bytes]":
        paths = os.pathsep.join(path for path in sys.path if path)
        with self._lock:  # so that `stop` finds the process, or no process is started
            if self._stopped:
                raise DiedError(STOPPED)
            process = self._process = subprocess.Popen(
                [sys.executable, "-c", self.SERVE],
                env={**self._environment, **os.environ, "PYTHONPATH": paths}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        self._answers = queue.Queue()
        threading.Thread(target=_listen, args=(process.stdout, self._answers), daemon=True).start()
        assert process.stdin is not None
        with suppress(OSError):  # of one that has died: the task finds out why
            pickle.dump(self._job, process.stdin)
        return process


def _obituary(code: int) -> str:
    """Why a process ended, by its return code."""
    if code >= 0:
        return f"its process ended with exit code {code}"
    try:
        return f"its process was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"its process was ended by signal {-code}"


def _listen(stream: IO[bytes], answers: "queue.Queue[_Said[_Answer] | _Failed | None]") -> None:
    """Pass on the answers of a child; None when it is gone, or has said what cannot be understood."""
    try:
        while True:
            answers.put(pickle.load(stream))
    except Exception:  # a pickle of any class may raise anything
        answers.put(None)


def serve() -> None:
    """The child: reads a job, then tasks, from stdin and writes an answer for each to stdout. It ends when its parent does."""
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text must not mix with the answers
    worker = Local(pickle.load(stdin))
    while True:
        try:
            task = pickle.load(stdin)
        except EOFError:  # the parent is gone
            return
        try:
            said: _Said[object] | _Failed = _Said(worker.run(task))
        except Exception as error:  # a job that cannot be assembled, a task, or a bug: the parent must be told in any case
            said = _Failed(error)
        try:
            stdout.write(_pack(said))
            stdout.flush()
        except OSError:  # the parent is gone
            os._exit(1)


def _pack(said: _Said[object] | _Failed) -> bytes:
    """As a pickle; an error of any class may not have one, or one that cannot be read."""
    try:
        packed = pickle.dumps(said)
        if isinstance(said, _Failed):
            pickle.loads(packed)
        return packed
    except Exception:
        found = said.error if isinstance(said, _Failed) else said.answer
        return pickle.dumps(_Failed(RuntimeError(f"{type(found).__name__}: {found}")))
