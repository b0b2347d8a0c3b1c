"""Where the tasks of a study run: in this thread, in threads, in processes, or on a Dask cluster. All hand the answers back in order.

One worker belongs to each thread of a pool: for `threads` it runs there, for `processes` the thread waits for its child.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from mbsim.studies.engine.task import Job
from mbsim.studies.engine.worker import Child, DiedError, Local, Worker

AHEAD = 3  # tasks for each worker that are asked for before their turn
ATTEMPTS = 5  # of a task whose process dies
THREADS, PROCESSES = "threads", "processes"
KINDS = (THREADS, PROCESSES)
FEW = 4  # threads, up to which the interpreter's lock costs runs in place less than processes do
ONE_BLAS_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # of a child: there are as many children as processors
MISSING_DASK = "--dask needs dask.distributed, which is not installed here: pip install 'mbsim[dask]'"

T = TypeVar("T")  # a task
A = TypeVar("A")  # an answer


class PoolError(ValueError):
    """A pool that cannot run anything: a scheduler that is not there, a package that is missing, processes that die."""


class Pool(Protocol):
    """Some workers."""

    @property
    def workers(self) -> int:
        """Tasks that run at a time."""

    def run(self, job: Job[T, A], tasks: Iterator[T]) -> Iterator[tuple[T, A]]:
        """Each task with its answer, in their order. Tasks are taken as they are needed. Raises PoolError, and what tasks raise."""

    def close(self, at_once: bool = False) -> None:
        """Let the workers go; `at_once` with what they do unfinished."""


class _Hand(Protocol):
    """A worker, whatever its tasks are."""

    def stop(self) -> None:
        """As of `Worker`."""

    def close(self) -> None:
        """As of `Worker`."""


class _OfThreads:
    """One worker for each thread that asks, of the job that it asked for last."""

    def __init__(self, make: Callable[[Job[Any, Any]], Worker[Any, Any]]) -> None:
        self._make, self._own = make, threading.local()
        self._all: list[_Hand] = []
        self.stopped, self._lock = False, threading.Lock()

    def of(self, job: Job[T, A]) -> Worker[T, A]:
        """The worker of this thread for a job. Raises DiedError once they are stopped."""
        if getattr(self._own, "job", None) != job:
            made = self._make(job)
            with self._lock:
                if self.stopped:
                    raise DiedError("the workers were stopped")
                before: _Hand | None = getattr(self._own, "worker", None)
                if before is not None:
                    self._all.remove(before)
                    before.close()
                self._all.append(made)
            self._own.worker, self._own.job = made, job
        found: Worker[T, A] = self._own.worker
        return found

    def stop(self) -> None:
        """End what all of them do."""
        with self._lock:
            self.stopped = True
            for worker in self._all:
                worker.stop()

    def close(self) -> None:
        """Close all of them."""
        for worker in self._all:
            worker.close()


_HERE = _OfThreads(Local)


def run_here(job: Job[T, A], task: T) -> A:
    """The answer to a task, by the worker of this thread: what a machine of a cluster is asked to call."""
    return _HERE.of(job).run(task)


def _in_order(tasks: Iterator[T], submit: Callable[[T], A], ahead: Callable[[], int]) -> Iterator[tuple[T, A]]:
    """Each task with the future of its answer, which `submit` makes, in their order; `ahead` of them are asked for before their turn."""
    waiting: deque[tuple[T, A]] = deque()
    for task in tasks:
        waiting.append((task, submit(task)))
        if len(waiting) >= ahead():
            yield waiting.popleft()
    while waiting:
        yield waiting.popleft()


class Here:
    """This thread."""

    workers = 1

    def run(self, job: Job[T, A], tasks: Iterator[T]) -> Iterator[tuple[T, A]]:
        """As of `Pool`."""
        for task in tasks:
            yield task, run_here(job, task)

    def close(self, at_once: bool = False) -> None:
        """Nothing to let go."""


class Machine:
    """Threads or processes of this machine."""

    def __init__(self, workers: int, kind: str) -> None:
        self.workers, self._kind = workers, kind
        self._threads = ThreadPoolExecutor(workers, "mbsim-study")
        self._workers = _OfThreads(Local if kind == THREADS else lambda job: Child(job, environment=ONE_BLAS_THREAD))

    def run(self, job: Job[T, A], tasks: Iterator[T]) -> Iterator[tuple[T, A]]:
        """As of `Pool`. A process that dies takes no task with it: it is run again, at most ATTEMPTS times."""
        for task, future in _in_order(tasks, lambda task: self._threads.submit(self._answer, job, task), lambda: AHEAD * self.workers):
            yield task, future.result()

    def _answer(self, job: Job[T, A], task: T) -> A:
        for _ in range(ATTEMPTS):
            worker = self._workers.of(job)
            try:
                return worker.run(task)
            except DiedError:
                if self._workers.stopped:
                    raise
        raise PoolError(f"the processes that run the study died {ATTEMPTS} times, last in a run of {job.words(task)}")

    def close(self, at_once: bool = False) -> None:
        """As of `Pool`."""
        if at_once:
            self._workers.stop()
        # Threads whose children are gone end at once; a run in a thread may not look for a while.
        self._threads.shutdown(wait=not at_once or self._kind == PROCESSES, cancel_futures=True)
        self._workers.close()


class Cluster:
    """A Dask cluster, by the address of its scheduler."""

    def __init__(self, address: str, timeout: float = 10.0) -> None:
        """Raises PoolError where dask.distributed is missing, or no scheduler answers within `timeout` s."""
        self._address = address
        try:
            from distributed import Client
        except ImportError:
            raise PoolError(MISSING_DASK) from None
        try:
            self._client = Client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise PoolError(f"--dask {address}: no scheduler answers there ({' '.join(str(error).split())[:200]})") from None

    @property
    def workers(self) -> int:
        """The threads that the cluster has now."""
        return max(1, sum(map(int, self._client.nthreads().values())))

    def run(self, job: Job[T, A], tasks: Iterator[T]) -> Iterator[tuple[T, A]]:
        """As of `Pool`. The scheduler runs again what a worker that died had; workers may come and go."""
        from distributed.scheduler import KilledWorker

        def submit(task: T) -> "Future[A]":
            future: Future[A] = self._client.submit(run_here, job, task, pure=False, retries=ATTEMPTS)
            return future

        try:
            for task, future in _in_order(tasks, submit, lambda: AHEAD * self.workers):
                try:
                    answer = future.result()
                except KilledWorker:
                    raise PoolError(f"the workers that run the study died, last in a run of {job.words(task)}") from None
                yield task, answer
        except (CancelledError, OSError) as error:
            raise PoolError(f"the scheduler at {self._address} has gone ({' '.join(str(error).split())[:200]})") from None

    def close(self, at_once: bool = False) -> None:
        """As of `Pool`."""
        self._client.close()


def make_pool(workers: int, kind: str = "", dask: str = "", in_place: bool = True) -> Pool:
    """The pool of a study. Without a `kind`, threads serve runs that hold the interpreter's lock little, and processes the others."""
    if dask:
        return Cluster(dask)
    if workers <= 1:
        return Here()
    return Machine(workers, kind or (THREADS if in_place and workers <= FEW else PROCESSES))


@contextmanager
def released(pool: Pool) -> Iterator[Pool]:
    """A pool for the block, which is closed then. Where the block ends by an exception, workers leave unfinished what they do."""
    finished = False
    try:
        yield pool
        finished = True
    finally:
        pool.close(at_once=not finished)
