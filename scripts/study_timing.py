"""How studies are timed: sizes of a run of the script, and processor times taken alternately."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Size:
    """Of a run of this script."""

    runs: int  # of a turn
    repeats: int
    throughput: int  # runs of the study whose throughput is measured
    turns: int  # of it
    varied: int  # runs of Exudyn's ParameterVariation
    tolerance: float  # m, rad, of a coordinate at their end
    reference: int  # steps of what they are compared with
    memory: tuple[int, int]  # runs


def processor_time(call: Callable[[], Any]) -> float:
    """Seconds of this process, all of its threads."""
    start = time.process_time()
    call()
    return time.process_time() - start


def alternately(first: Callable[[], Any], second: Callable[[], Any], repeats: int) -> tuple[list[float], list[float]]:
    """Processor seconds of both, turn by turn; one turn before that is not counted."""
    first(), second()
    pairs = [(processor_time(first), processor_time(second)) for _ in range(repeats)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def together(calls: list[Callable[[], Any]]) -> None:
    """Each in a thread of its own."""
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
