"""The warning of impacts that gain energy, from a table of events."""

from typing import Any

from mbsim.march.gaining import gained


def line(energy: float | None, gains: bool = True) -> dict[str, Any]:
    made: dict[str, Any] = {"time": 1.0, "event": "c", "do": "impact"}
    return made | ({"energy": energy} if energy is not None else {}) | ({"gains": True} if gains else {})


def test_a_gain_of_round_off_is_no_warning() -> None:
    """As of a corner that takes over from a side, whose speed of closing is a rounding: beside impacts that take 1e8 times as much."""
    assert gained([line(-190.0, gains=False), line(5.5e-7)]) == []


def test_gains_that_count_are_told() -> None:
    assert "an impact gains energy (0.5 J in all)" in gained([line(-190.0, gains=False), line(0.5), line(5.5e-7)])[0]
    assert "an impact gains energy (5.5e-07 J in all)" in gained([line(5.5e-7)])[0]
    assert "an impact gains energy," in gained([line(-190.0, gains=False), line(None)])[0]
