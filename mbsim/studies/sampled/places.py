"""Where the runs of a study run: in this thread, in threads, in processes, or on a Dask cluster.

All of them take batches of runs that follow each other and hand them back in this order. Scheduling, and going on when a worker dies, is
the business of `concurrent.futures` and `dask.distributed`.
"""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any, Protocol

from mbsim.results.functionals import Floats
from mbsim.studies.sampled import task as tasks
from mbsim.studies.sampled.task import Batch, Task, run_batch

AHEAD = 3  # batches for each worker that are asked for before their turn
ATTEMPTS = 5  # of a batch whose process dies
THREADS, PROCESSES = "threads", "processes"
MISSING_DASK = "--dask needs dask.distributed, which is not installed here: pip install 'mbsim[dask]'"

Ranges = Iterator[tuple[int, int]]
Values = Callable[[int, int], Floats]


class PlaceError(ValueError):
    """A place that cannot run anything: a scheduler that is not there, a package that is missing."""


class Place(Protocol):
    """Somewhere that runs batches."""

    @property
    def workers(self) -> int:
        """Runs that go on at a time."""

    def run(self, task: Task, ranges: Ranges, values: Values) -> Iterator[tuple[Floats, Batch]]:
        """The batches of runs (first, last), in their order, with the values (last - first, n) of their runs."""

    def close(self, at_once: bool = False) -> None:
        """Let the workers go; `at_once` with what they do unfinished."""


class Here:
    """This thread."""

    workers = 1

    def run(self, task: Task, ranges: Ranges, values: Values) -> Iterator[tuple[Floats, Batch]]:
        for first, last in ranges:
            given = values(first, last)
            yield given, run_batch(task, given)

    def close(self, at_once: bool = False) -> None:
        """Nothing to let go."""


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process hears Ctrl-C and ends the others
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class Pool:
    """Threads or processes of this machine."""

    def __init__(self, workers: int, kind: str) -> None:
        self.workers, self._kind = workers, kind
        self._executor = self._new()

    def _new(self) -> Executor:
        if self._kind == THREADS:
            return ThreadPoolExecutor(self.workers, "mbsim-study")
        import multiprocessing

        # `spawn`: a fork would copy locks that threads of this process hold.
        return ProcessPoolExecutor(self.workers, multiprocessing.get_context("spawn"), _ignore_interrupts)

    def run(self, task: Task, ranges: Ranges, values: Values) -> Iterator[tuple[Floats, Batch]]:
        """As of `Place`. A process that dies takes no run with it: what it had is run again, at most ATTEMPTS times."""
        waiting: deque[tuple[Floats, Any]] = deque()
        died = 0
        more = True
        while more or waiting:
            while more and len(waiting) < AHEAD * self.workers:
                following = next(ranges, None)
                more = following is not None
                if following is not None:
                    given = values(*following)
                    waiting.append((given, self._executor.submit(run_batch, task, given)))
            if not waiting:
                return
            given, future = waiting[0]
            try:
                batch = future.result()
            except BrokenProcessPool:
                died += 1
                if died >= ATTEMPTS:
                    raise PlaceError(f"the processes that run the study died {died} times, last in a run of {given[0].tolist()}") from None
                self._executor.shutdown(wait=False, cancel_futures=True)
                self._executor = self._new()
                waiting = deque((kept, self._executor.submit(run_batch, task, kept)) for kept, _ in waiting)
                continue
            waiting.popleft()
            yield given, batch

    def close(self, at_once: bool = False) -> None:
        if at_once:
            for runner in list(tasks.RUNNERS):
                runner.cancel()
        processes = list((getattr(self._executor, "_processes", None) or {}).values())
        self._executor.shutdown(wait=not at_once, cancel_futures=True)
        for process in processes if at_once else ():
            with suppress(OSError, ValueError):
                process.terminate()


class Cluster:
    """A Dask cluster, by the address of its scheduler."""

    def __init__(self, address: str, timeout: float = 10.0) -> None:
        """Raises PlaceError where Dask is missing or no scheduler answers."""
        self._address = address
        try:
            from distributed import Client
        except ImportError:
            raise PlaceError(MISSING_DASK) from None
        try:
            self._client = Client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise PlaceError(f"--dask {address}: no scheduler answers there ({' '.join(str(error).split())[:200]})") from None

    @property
    def workers(self) -> int:
        """The threads that the cluster has now."""
        return max(1, sum(map(int, self._client.nthreads().values())))

    def run(self, task: Task, ranges: Ranges, values: Values) -> Iterator[tuple[Floats, Batch]]:
        """As of `Place`. The scheduler runs again what a worker that died had; workers may come and go. Raises PlaceError where it goes."""
        try:
            yield from self._batches(task, ranges, values)
        except (CancelledError, OSError) as error:
            raise PlaceError(f"the scheduler at {self._address} has gone ({' '.join(str(error).split())[:200]})") from None

    def _batches(self, task: Task, ranges: Ranges, values: Values) -> Iterator[tuple[Floats, Batch]]:
        from distributed.scheduler import KilledWorker

        waiting: deque[tuple[Floats, Any]] = deque()
        more = True
        while more or waiting:
            while more and len(waiting) < AHEAD * self.workers:
                following = next(ranges, None)
                more = following is not None
                if following is not None:
                    given = values(*following)
                    waiting.append((given, self._client.submit(run_batch, task, given, pure=False, retries=ATTEMPTS)))
            if not waiting:
                return
            given, future = waiting.popleft()
            try:
                batch = future.result()
            except KilledWorker:
                raise PlaceError(f"the workers that run the study died, last in a run of {given[0].tolist()}") from None
            yield given, batch

    def close(self, at_once: bool = False) -> None:
        self._client.close()


def place(workers: int, kind: str = "", dask: str = "", in_place: bool = True) -> Place:
    """Where a study runs. Without a `kind`, threads serve runs that hold the interpreter's lock little, and processes the others."""
    if dask:
        return Cluster(dask)
    if workers <= 1:
        return Here()
    return Pool(workers, kind or (THREADS if in_place and workers <= 4 else PROCESSES))
