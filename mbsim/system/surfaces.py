"""Source of the function that finds where something round touches given surfaces, and keeps what their rows need among the laws."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mbsim.kernels import surface_columns as at
from mbsim.model.rolling_surfaces import AXES, RollingSurface
from mbsim.system.codegen import function, lines
from mbsim.system.equations import Symbols, usable

if TYPE_CHECKING:
    import sympy

# What f is derived by, for each of the rows of laws: x and y so many times, and by time up to so often.
_PARTS = {
    at.HEIGHT: (0, 0, 2), at.X: (1, 0, 2), at.Y: (0, 1, 2), at.XX: (2, 0, 1), at.XY: (1, 1, 1), at.YY: (0, 2, 1),
    at.XXX: (3, 0, 0), at.XXY: (2, 1, 0), at.XYY: (1, 2, 0), at.YYY: (0, 3, 0),
}  # fmt: skip
SEARCHED = (at.HEIGHT, at.X, at.Y, at.XX, at.XY, at.YY)  # by `mbsim.kernels.feet`, in this order


def surface_laws(surfaces: Mapping[int, RollingSurface], symbols: Symbols) -> str:
    """Source of `surface_laws(arrays, t, q, out)`. `surfaces`: by the first of their rows among the laws."""
    import sympy

    text, found, written = "", "", []
    for k, (law, surface) in enumerate(surfaces.items()):
        n = len(surface.centre) - 1
        u = [sympy.Symbol(f"x{2 * k + i}", real=True) for i in range(n)]
        inner = Symbols([], [], [])
        inner.names = symbols.names | dict(zip(AXES, u, strict=False))
        f = inner.read(surface.height)
        parts = {row: _derived(f, u, counts, symbols.t) for row, counts in _PARTS.items()}
        usable(surface.height, [e for part in parts.values() for e in part])
        searched = [parts[row][0] for row in SEARCHED]
        text += _helper(f"surface_{k}", [s.name for s in u], searched if n == 2 else [searched[0], searched[1], searched[3]])
        body, centre = lines([symbols.read(e) for e in surface.centre])
        search = "foot_of_surface" if n == 2 else "foot_of_line"
        found += "".join(f"{line}\n" for line in body)
        found += f"{', '.join(s.name for s in u)} = {search}(surface_{k}, arrays, t, {', '.join(centre)})\n"
        written += [(f"arrays.laws[{law + at.FOOT}, {i}]", s) for i, s in enumerate(u)]
        written += [(f"arrays.laws[{law + row}, {i}]", e) for row, part in parts.items() for i, e in enumerate(part)]
    return text + function("surface_laws", "RESIDUAL", "t, q, out", written, found)


def _derived(f: "sympy.Expr", u: "list[sympy.Symbol]", counts: tuple[int, int, int], t: "sympy.Symbol") -> "list[sympy.Expr]":
    """A derivative by places with its rates; those by an axis that is not there are zero."""
    import sympy

    *places, rates = counts
    if len(u) == 1 and places[1]:
        return [sympy.S.Zero] * (rates + 1)
    for symbol, count in zip(u, places, strict=False):
        f = f.diff(symbol, count) if count else f
    return [f.diff(t, i) if i else f for i in range(rates + 1)]


def _helper(name: str, arguments: list[str], values: "list[sympy.Expr]") -> str:
    body, results = lines(values)
    text = f"\n\n@helper\ndef {name}(arrays, t, {', '.join(arguments)}):\n"
    return text + "".join(f"    {line}\n" for line in body) + f"    return {', '.join(results)}\n"
