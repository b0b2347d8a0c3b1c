"""Numbers among the options of commands. click's own ranges take `nan`, which no comparison holds for, and `inf`."""

import math
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A finite number within bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Fails for what is no finite number."""
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return found


class Finite(FiniteRange):
    """A finite number."""

    name = "float"
