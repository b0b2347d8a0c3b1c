"""What a model of thousands of bodies must not cost: a matrix of all speeds, a search in lists of all names."""

from typing import Any

import mechanisms
import pytest

import mbsim
from mbsim.assembly import events
from mbsim.march.conditioning import Conditioning

MANY = 400


def links(count: int, **rest: Any) -> Any:
    bodies = {f"l{k}": {"mass": 1, "inertia": 1 / 12, "position": [k + 0.5, 0]} for k in range(count)}
    joints = {f"j{k}": {"type": "revolute", "bodies": ["ground" if k == 0 else f"l{k - 1}", f"l{k}"], "at": [k, 0]} for k in range(count)}
    return mechanisms.model({"dimension": 2, "gravity": [0, -9.81], "bodies": bodies, "joints": joints, "simulation": {"end": 0.01}} | rest)


class Refused:
    """Of a list: it is not searched."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def __iter__(self) -> Any:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        raise AssertionError(f"'{name}' is looked for among all names")


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_accelerations_of_many_links_are_not_put_into_dense_equations(coordinates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def dense(*_: object) -> None:
        raise AssertionError("M of all speeds is formed")

    rest = {"coordinates": "joint"} if coordinates == "joint" else {}
    made = mbsim.assemble(links(MANY, **rest))
    monkeypatch.setattr(Conditioning, "_loss", dense)
    assert mbsim.simulate(made, step=1e-3).attributes["method"] in ("aba", "cfa")
    with pytest.raises(AssertionError, match="is formed"):  # with few, and with a method that forms M
        mbsim.simulate(links(4, coordinates="joint"), method="kane", step=1e-3)


def test_what_events_set_is_found_without_a_search_for_each_coordinate() -> None:
    model = links(3)
    system = mbsim.assemble(model).system
    object.__setattr__(system, "speeds", Refused(system.speeds))
    events._check(model, system)
