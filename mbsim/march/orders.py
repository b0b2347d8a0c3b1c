"""The order of a march on smooth motions, as the files of methods and integrators have it."""

from collections.abc import Mapping

from mbsim import registry
from mbsim.march.wrong_settings import OWN


def declared_order(method: str, integrator: str) -> float | None:
    """The order of a march on smooth motions, as the file of the method or of the integrator has it."""
    kind, word = ("methods", method) if integrator == OWN else ("integrators", integrator)
    found = registry.declaration(kind, word, "ORDER")
    return None if found is None else float(found)


def order_with(method: str, integrator: str, chosen: Mapping[str, object]) -> float | None:
    """The declared order, or a lower one that the `chosen` options of the method leave it (its ORDER_BY), defaults where not given."""
    options, known = registry.options("methods", method), [declared_order(method, integrator)]
    for name, orders in (registry.declaration("methods", method, "ORDER_BY") or {}).items():
        known.append(orders.get(chosen[name] if name in chosen else options[name].default))
    return min((float(order) for order in known if order is not None), default=None)


def rates_by_rows(method: str, chosen: Mapping[str, object], controls_error: bool, interval: float) -> list[str]:
    """What is said of options that are rates over the step by default, where the time between rows (s) stands for the step."""
    by = registry.declaration("methods", method, "ORDER_BY") or {}
    names = [name for name, orders in by.items() if None in orders and chosen.get(name) is None]
    if not names or not controls_error:
        return []
    return [
        f"{' and '.join(names)} of {method} are by default as fast as the time between rows, {interval:.3g} s, is short; "
        f"the steps of error control follow that: give {' and '.join(names)}"
    ]
