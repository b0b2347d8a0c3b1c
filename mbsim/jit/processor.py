"""The processor that machine code was made for, a part of the key of the cache; and how many there are."""

import os
from collections.abc import Iterator


def features() -> Iterator[str]:
    """The features of the processor for which the code was compiled."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            lines = file.read(8192).split("\n\n")[0].splitlines()
    except OSError:
        return
    yield from (line for line in lines if line.startswith(("vendor_id", "cpu family", "model", "flags")))


def count() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Windows and macOS
        return os.cpu_count() or 1
