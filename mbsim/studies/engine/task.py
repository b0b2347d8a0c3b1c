"""What is run again and again: a job is plain data that any worker can assemble, and a task is one thing that is done with it.

job                          assembled                task                          answer
a model with what varies     a Runner                 values of runs in a row       outputs, failures, histories
a model as text              an Assembly              method, integrator, step      a result, times, or why there is none
"""

from typing import Protocol, TypeVar

Task = TypeVar("Task", contravariant=True)
Answer = TypeVar("Answer", covariant=True)


class Bench(Protocol[Task, Answer]):
    """A job that was assembled. It belongs to one thread, but for `cancel`."""

    def run(self, task: Task) -> Answer:
        """Run a task. What it raises reaches whoever asked for it."""

    def cancel(self) -> None:
        """End the task that another thread runs, as soon as it looks."""


class Job(Protocol[Task, Answer]):
    """What all tasks of a study have in common. Equal jobs have the same answers. It is pickled where a worker is elsewhere."""

    def open(self) -> Bench[Task, Answer]:
        """Assemble it. Raises what the assembly raises."""

    def words(self, task: Task) -> str:
        """How a task is named in a message."""
