"""Workspaces: work arrays that are declared by name and shape, allocated once a run, and read by name in kernels and in Python.

    WORKSPACE = Workspace(
        "svd",
        HELD,  # begins with the arrays of this one, so that its kernels and helpers serve here, too
        force=vector("n"),  # h - M a_p
        reduced_mass=matrix("n", "n"),  # N' M N, then its Cholesky factor
    )

In a kernel `own = WORKSPACE(work)`, and `own.force` is the array. That costs nothing: the words of the arrays stand behind those of
`work` itself (`Workspace.stand_in`), in the order of the declaration, and the call only says of which type they are. A name that is not
declared does not compile; a name that is declared twice, or a size that nobody knows, is refused when the module is imported.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from mbsim.jit import extents
from mbsim.jit.signatures import A1, A2, I1, Array, Block


@dataclass(frozen=True)
class Shape:
    """An array of a workspace: its type, and its extents as sums and products of sizes, such as `2 * n + 1`."""

    kind: Array
    extents: tuple[str, ...]


def matrix(rows: str, columns: str) -> Shape:
    """A matrix of floats."""
    return Shape(A2, (rows, columns))


def vector(length: str) -> Shape:
    """A vector of floats."""
    return Shape(A1, (length,))


def indices(length: str) -> Shape:
    """A vector of integers."""
    return Shape(I1, (length,))


class WorkArrays(SimpleNamespace):
    """The arrays of a workspace for one run, as attributes."""

    _workspace: "Workspace"

    def __iter__(self) -> Iterator[np.ndarray]:
        return (getattr(self, name) for name in self._workspace.shapes)


class Workspace(Block):
    """A declaration of work arrays. `base`: whose arrays come first; `sizes`: names of sizes of its own, which a method's plan gives.

    Raises ValueError for names that are taken and for sizes that are not known.
    """

    known: ClassVar[frozenset[str]] = frozenset()  # sizes that every run knows
    declared: ClassVar[dict[str, list[tuple[str, Shape]]]] = {}  # name -> arrays: kernels of one name are compiled for one layout
    holder: ClassVar[Block]  # the block that holds the words of a workspace, and the name of the field, which is its last
    field: ClassVar[str]

    @classmethod
    def know(cls, *sizes: str) -> None:
        """Let workspaces that are declared from now on use these sizes, which every run knows."""
        cls.known |= {*sizes}

    @classmethod
    def stand_in(cls, holder: Block, field: str) -> None:
        """Workspaces are the field of this block. Raises ValueError where it is not the last: what follows would have no fixed place."""
        if field != list(holder.kinds)[-1]:
            raise ValueError(f"{field} is not the last field of {holder}")
        cls.holder, cls.field = holder, field

    def __init__(self, name: str, base: "Workspace | None" = None, /, *, sizes: Iterable[str] = (), **arrays: Shape) -> None:
        self.base = base
        self.shapes: dict[str, Shape] = {**(base.shapes if base is not None else {}), **arrays}
        self.sizes: frozenset[str] = self.known | {*sizes} | (base.sizes if base is not None else frozenset())
        if base is not None and (twice := base.shapes.keys() & arrays.keys()):
            raise ValueError(f"workspace {name}: {', '.join(sorted(twice))} is declared in {base}, too")
        for field, shape in arrays.items():
            unknown = extents.sizes(shape.extents) - self.sizes
            if unknown:
                raise ValueError(f"workspace {name}: {field} has the unknown size {', '.join(sorted(unknown))}")
        if self.declared.setdefault(name, list(self.shapes.items())) != list(self.shapes.items()):
            raise ValueError(f"there are two workspaces {name}")
        self.cls = WorkArrays
        self.lay_out(f"Work.{name}", {field: shape.kind for field, shape in self.shapes.items()})

    def allocate(self, sizes: Mapping[str, int]) -> WorkArrays:
        """Zeros for these sizes. Raises NameError where one that is needed is not given."""
        return WorkArrays(_workspace=self, **{field: np.zeros(*found) for field, found in _extents(self, tuple(sizes.items())).items()})

    def begins(self, other: "Workspace") -> bool:
        """Whether `other` is this workspace, or begins with its arrays; one without arrays begins all."""
        return other.name == self.name or not self.shapes or (other.base is not None and self.begins(other.base))

    def short(self, value: WorkArrays) -> tuple[int, ...]:
        """What a block holds of it: the words of all its arrays, also of those behind the ones declared here."""
        found = getattr(value, "_workspace", None)
        if found is None or not self.begins(found):
            raise TypeError(f"expected {self.name} (got {found or type(value)})")
        return super().short(value) if found.name == self.name else found.short(value)

    def __call__(self, work: Any) -> Any:
        """The arrays that `work` holds, seen as this workspace. Raises TypeError where they are others."""
        found = getattr(work, self.field)
        if not self.begins(found._workspace):
            raise TypeError(f"the work arrays are those of {found._workspace}, not of {self.name}")
        return found


@lru_cache(64)
def _extents(workspace: Workspace, sizes: tuple[tuple[str, int], ...]) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """The extents and the type of each array for these sizes; a run allocates the same ones several times."""
    known = dict(sizes)
    return {
        field: (tuple(extents.value(extent, known) for extent in shape.extents), np.dtype(shape.kind.dtype))
        for field, shape in workspace.shapes.items()
    }
