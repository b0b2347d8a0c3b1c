"""Units whose contacts share phases: a system for each number of rows, in place of one for each set of them."""

import ctypes
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from exported import needs_compiler
from stopping import CASES as IN_THE_PLANE
from stopping import by
from stopping_in_space import CASES as IN_SPACE
from test_library import Library
from test_phases import shown_by

import mbsim
from mbsim.programs import phases, slots
from mbsim.programs.unit import unit_of

pytestmark = needs_compiler
BOX, POLYGONS = mechanisms.model(IN_SPACE["box in space"][0]), mechanisms.model(IN_THE_PLANE["polygons"][0])
POINTS = "what stops, contacts and friction hold, and what events lock and unlock, can be in more than 300 ways"


@pytest.mark.parametrize(("model", "corners"), [(BOX, 8), (POLYGONS, 8)], ids=["box", "polygons"])
def test_there_is_a_phase_for_each_number_of_rows(model: Any, corners: int) -> None:
    """Up to eight corners touch, and of these some stick."""
    unit = unit_of(model)
    assert len(unit.parts) == (corners + 1) * (corners + 2) // 2
    sizes = {part.inside.formulation.system.n_rows for part in unit.parts}
    assert len(sizes) > corners


def test_beside_a_friction_that_holds_or_not() -> None:
    """For what a hinge does, and for numbers of rows of a disk and of two corners, each open, slipping or sticking."""
    assert len(unit_of(mechanisms.model(IN_THE_PLANE["feet"][0])).parts) == 1 + 2 * (3 + 1) * (3 + 2) // 2


@pytest.mark.slow
def test_a_method_that_plans_tells_rows_of_other_bodies_apart() -> None:
    """cfa works out beforehand what follows from the bodies of the rows: those of corners of either box are two kinds."""
    model = mechanisms.model(by(IN_THE_PLANE["polygons"][0], method="cfa"))
    assert len(unit_of(model).parts) == ((4 + 1) * (4 + 2) // 2) ** 2


def test_sets_that_differ_in_more_have_phases_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the feet of a stool, each open, slipping or sticking; of a box there are too many."""
    stool = mechanisms.model(IN_SPACE["stool"][0])
    assert len(unit_of(stool).parts) == 11  # the three feet stand at the start, and that phase is not used again
    monkeypatch.setattr(slots, "_are_alike", lambda *_: False)
    assert len(unit_of(stool).parts) == 27
    with pytest.raises(ValueError, match=POINTS):
        unit_of(BOX)


def test_systems_of_other_rows_are_not_alike() -> None:
    """What is put into the slots of a system is compared with it number by number: geometry, bodies, other tables, other rows."""
    from mbsim.assembly.lock_records import Locks

    inside = unit_of(POLYGONS).inside
    made = inside.made
    assert made.coming is not None and made.unilaterals is not None
    model, open_now = mechanisms.model(IN_THE_PLANE["polygons"][0]), made.coming.locks.open | made.unilaterals.rows
    from mbsim.assembly.unilateral import with_unilaterals

    lines = slots.lines_of(
        with_unilaterals(model), made, made.coming, inside, [[frozenset(), frozenset({"pair_3"}), frozenset({"pair_9"})]]
    )
    assert lines is not None
    one, other, two = (
        made.coming.restore(made, Locks(open_now - {*held})).system for held in (["pair_3"], ["pair_9"], ["pair_3", "pair_9"])
    )
    assert slots._are_alike(lines, one, other, inside.settings) and not slots._are_alike(lines, one, two, inside.settings)
    for name in ("geometry", "masses", "row_bodies", "primitives"):
        changed = other.arrays._replace(**{name: getattr(other.arrays, name) + np.ones(1, getattr(other.arrays, name).dtype)})
        from dataclasses import replace

        assert not slots._are_alike(lines, one, replace(other, arrays=changed), inside.settings)


@pytest.mark.slow
def test_more_rows_than_there_is_room_for_stop_a_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so; where there is no room for any contact to speak of, the unit is refused."""
    monkeypatch.setattr(phases, "MOST_SHARED", 10)
    library = Library(tmp_path, BOX, outputs=["box.x"], native=True)
    unit = library.create()
    while library.step(unit, 0.02) == 0:
        assert library.c.unit_time(unit) < 1.0
    assert b"more rows of contacts hold at once than a unit has a system for" in library.c.unit_message(unit)
    library.c.unit_free(unit)
    monkeypatch.setattr(phases, "MOST_SHARED", 9)
    with pytest.raises(ValueError, match=POINTS):
        unit_of(BOX)


@pytest.mark.slow
def test_states(tmp_path: Path) -> None:
    """A state of one set of rows is restored where another one holds, and in another instance: all goes on bit for bit."""
    names = ["box.x", "box.omega.z", "multiplier.floor_5", "multiplier.floor_8_stick.slip0"]
    library = Library(tmp_path, BOX, outputs=names, native=True)
    unit, other, kept = library.create(), library.create(), ctypes.create_string_buffer(library.c.unit_state_size())
    found = []
    for k in range(60):
        if k == 12:  # two corners stick
            library.c.unit_save(unit, kept)
        assert library.step(unit, 0.02) == 0, library.c.unit_message(unit)
        found.append(library.outputs(unit, len(names)))
    assert found[12][2] != 0.0 and found[12][3] == 0.0 and found[-1][3] != 0.0
    for again in (unit, other):
        assert library.c.unit_restore(again, kept) == 0
        for row in found[12:]:
            assert library.step(again, 0.02) == 0 and library.outputs(again, len(names)) == row
        library.c.unit_free(again)


def thrown_box(random: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """A box that is thrown onto a plane."""
    read: dict[str, Any] = yaml.safe_load(IN_SPACE["box in space"][0])
    box, floor = read["bodies"]["box"], read["contacts"]["floor"]
    box |= {
        "position": [0, 0, 0.4],
        "velocity": random.uniform(-1.5, 1.5, 3).tolist(),
        "angular_velocity": random.uniform(-6, 6, 3).tolist(),
    }
    floor |= {"friction": random.uniform(0.1, 0.8), "restitution": float(random.choice([0.0, 0.3, 0.6])), "closing_speed": 0.1}
    return read, ["box.x", "box.y", "box.z", "box.omega.z"]


def thrown_polygon(random: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """A triangle that is thrown onto a box, which slides."""
    read: dict[str, Any] = yaml.safe_load(IN_THE_PLANE["polygons"][0])
    corners = (random.uniform(0.05, 0.1, 3)[:, None] * [[-1, -0.6], [1, -0.6], [0.1, 1]]).tolist()
    read["bodies"]["high"] |= {
        "position": [random.uniform(-0.1, 0.1), 0.2], "velocity": [random.uniform(-0.6, 0.6), 0],
        "angular_velocity": random.uniform(-5.0, 5.0), "shape": {"type": "plate", "polygon": corners, "thickness": 0.1},
    }  # fmt: skip
    read["contacts"]["pair"] |= {"friction": random.uniform(0.1, 0.8), "restitution": float(random.choice([0.0, 0.3]))}
    return read, ["low.x", "high.x", "high.y", "high.angle"]


@pytest.mark.slow
@pytest.mark.parametrize("thrown", [thrown_box, thrown_polygon], ids=["box", "polygon"])
@pytest.mark.parametrize("seed", range(6))
def test_random_throws_are_those_of_a_stepper(seed: int, thrown: Any, tmp_path: Path) -> None:
    """Where a run cannot go on, neither can the unit; what only Python decides stops the unit with that word."""
    text, names = thrown(np.random.default_rng(seed))
    model = mechanisms.model(text)
    library, stepper = Library(tmp_path, model, outputs=names, native=True), mbsim.Stepper(model)
    unit = library.create()
    for _ in range(50):
        done = library.step(unit, 0.02)
        try:
            stepper.step(0.02)
        except mbsim.SimulationError:
            assert done == -1
            break
        if done != 0 and b"runs decide that, in Python" in library.c.unit_message(unit):
            break
        assert done == 0, library.c.unit_message(unit)
        wanted = shown_by(stepper, None, names)
        np.testing.assert_allclose(library.outputs(unit, len(wanted)), wanted, rtol=1e-7, atol=1e-7)
    library.c.unit_free(unit)


def test_rows_that_resist_have_their_levers() -> None:
    """By which couples are measured where rows share a load, whichever place of a phase they take."""
    unit = unit_of(mechanisms.model(IN_SPACE["ball that resists"][0]))
    assert unit.phases is not None and unit.phases.slots is not None
    levers = {line.name: line.lever for line in unit.phases.slots.lines.each if line.lever != 1.0}
    assert levers == {"floor_rolling.slip0": 0.01, "floor_rolling.slip1": 0.01, "floor_drilling": 0.005}
