"""Threads that eliminate parts of a system beside the march: of methods that have a kernel `serve`, while the march is in compiled code."""

import threading
from types import TracebackType
from typing import Self

import numpy as np

from mbsim.analyses.formulation import Formulation
from mbsim.jit import processor
from mbsim.kernels.block_columns import OVER
from mbsim.kernels.dissected import part_count


class Crew:
    """Entered around a call of the march. There are no threads where the system has no parts, or the process one processor.

    The numbers do not depend on the threads (`kernels.dissected`).
    """

    def __init__(self, formulation: Formulation) -> None:
        work, nothing = formulation.work, np.zeros(0)
        self._serve, self._threads = formulation.serve, list[threading.Thread]()
        self._arguments = formulation.system.functions, formulation.system.arrays, work, 0.0, nothing, nothing, nothing
        self._count = min(part_count(work.plan), processor.count()) - 1 if self._serve is not None else 0
        if self._count > 0:
            self._words = work.own.crew

    def __enter__(self) -> Self:
        if self._count > 0:
            self._words[OVER] = 0
            self._threads = [threading.Thread(target=self._serve, args=self._arguments, daemon=True) for _ in range(self._count)]
            for thread in self._threads:
                thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._threads:
            self._words[OVER] = 1
            for thread in self._threads:
                thread.join()
            self._threads = []
