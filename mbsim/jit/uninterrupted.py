"""Ctrl-C while machine code is emitted."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def uninterrupted() -> Iterator[None]:
    """An interrupt that comes within is raised at the end.

    LLVM hands over what it has emitted by calling Python. That call is the first Python code after a second or more, so that a Ctrl-C of
    that time is raised in it; but an exception cannot pass through LLVM. It was dropped, and the code with it ("no compiled object yet").
    Signals are the main thread's, and there is nothing to hold back elsewhere.
    """
    before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if before is None:  # nor where the handler is not Python's
        yield
        return
    came = False

    def remember(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True

    signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
