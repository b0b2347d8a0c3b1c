"""What is a number, a unit or a crossing by its form only is refused, or told of: dates, constants, signs of a word processor."""

from pathlib import Path

import pytest

import mbsim
from mbsim.model.notes import notes

MODEL = """name: rod
dimension: 2
gravity: [0, -9.81]
parameters: {m: 2.0, k: 80}
bodies:
  rod: {mass: m, inertia: 0.1, position: [0.5, 0]}
joints:
  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}
events: {e: {when: rod.y + 0.1}}
measures: {s: {value: rod.y, unit: m}}
simulation: {end: 1, stop: t - 3}
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mass: m", "mass: 2026-11-30", "6:15: bodies.rod.mass: expected a number or an expression (got the date 2026-11-30); "),
        ("k: 80", "k: 2026-01-02", "4:25: parameters.k: expected a number or an expression (got the date 2026-01-02); "),
        ("mass: m", "mass: m\N{SUPERSCRIPT TWO}", "6:16: bodies.rod.mass: a square is written ^2"),
        ("mass: m", "mass: 3 \N{MINUS SIGN} 1", "6:17: bodies.rod.mass: a minus is written '-', the hyphen of the keyboard"),
        ("unit: m", "unit: 3", "10:36: measures.s.unit: expected a unit such as m or rad s-1, or 1 (got 3)"),
        ("unit: m", "unit: 2026-01-02", "10:36: measures.s.unit: expected a unit such as m or rad s-1, or 1 (got '2026-01-02')"),
        ("when: rod.y + 0.1", "when: 3", "9:20: events.e.when: expected an expression that changes and crosses zero, such as t - 2"),
        ("when: rod.y + 0.1", "when: deg(90)", "9:20: events.e.when: expected an expression that changes and crosses zero"),
        ("stop: t - 3", "stop: 3", "11:28: simulation.stop: expected an expression that changes and crosses zero, such as t - 2"),
    ],
)
def test_it_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    """A date was the difference of its numbers, and an event whose condition is a constant was taken without a word."""
    path = tmp_path / "m.yaml"
    path.write_text(MODEL.replace(old, new), encoding="utf-8")
    with pytest.raises(mbsim.ModelError) as error:
        mbsim.load_model(path)
    assert str(error.value).startswith(f"{path}:{said}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("unit", ["1", '"1"', "'%'", "kg m2 s-1", "\N{GREEK SMALL LETTER MU}m"])
def test_units_are_taken(unit: str) -> None:
    measure = mbsim.load_model(MODEL.replace("unit: m", f"unit: {unit}")).measures["s"]
    assert measure.unit == unit.strip("\"'")


ALONE = "depends on parameters alone, which no event switches"
SWITCHED = "{when: k - 3}, f: {when: t - 1, do: {switch: {k: 1}}}"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "when: rod.y + 0.1",
            "when: k - 3",
            ["events.e.when never crosses zero: k - 3 depends on parameters alone, which no event switches"],
        ),
        ("stop: t - 3", "stop: k", ["simulation.stop never crosses zero: k depends on parameters alone, which no event switches"]),
        ("{when: rod.y + 0.1}", SWITCHED, []),
    ],
)
def test_parameters_alone_are_told_of(old: str, new: str, told: list[str]) -> None:
    assert [x for x in notes(mbsim.load_model(MODEL.replace(old, new))) if "never crosses" in x] == told
