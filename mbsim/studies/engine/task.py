"""What is run again and again: a job is plain data that any worker can assemble, and a task is one thing that is done with it.

job                          assembled                task                          answer
a model with what varies     a Runner                 values of runs in a row       outputs, failures, histories
a model as text              an Assembly              method, integrator, step      a result, times, or why there is none
"""

from typing import Protocol, TypeVar

Task_contra = TypeVar("Task_contra", contravariant=True)
Answer_co = TypeVar("Answer_co", covariant=True)


class Bench(Protocol[Task_contra, Answer_co]):
    """A job that was assembled. It belongs to one thread, but for `cancel`."""

    def run(self, task: Task_contra) -> Answer_co:
        """Run a task. What it raises reaches whoever asked for it."""

    def cancel(self) -> None:
        """End the task that another thread runs, as soon as it looks."""


class Job(Protocol[Task_contra, Answer_co]):
    """What all tasks of a study have in common. Equal jobs have the same answers. It is pickled where a worker is elsewhere."""

    def open(self) -> Bench[Task_contra, Answer_co]:
        """Assemble it. Raises what the assembly raises."""

    def words(self, task: Task_contra) -> str:
        """How a task is named in a message."""
