"""Rows at events wait for each other before they are recorded, which changes none of them."""

from collections.abc import Sequence
from typing import Any

import mechanisms
import numpy as np
import pytest
from test_gap_contacts import WOODPECKER
from test_rough_contacts import DISKS, LOADED, by
from test_simple_contacts import ROW

import mbsim
import mbsim.march.estimate
import mbsim.march.rows
from mbsim.march.recording import Part, Recording
from mbsim.results import Result

CASES = {"woodpecker": by(WOODPECKER, end=0.13), "disks": DISKS, "loaded joints": by(LOADED, end=0.5)}


@pytest.mark.parametrize("case", CASES)
def test_rows_that_wait_are_those_that_do_not(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the error of steps of equal size, which is found between events."""
    model, recorded = mechanisms.model(CASES[case]), list[int]()
    keep = Recording.keep

    def counted(self: Recording, parts: Sequence[Part], *given: Any) -> None:
        recorded.append(len(parts))
        keep(self, parts, *given)

    monkeypatch.setattr(Recording, "keep", counted)
    result = mbsim.simulate(model)
    together, recorded[:] = len(recorded), []
    monkeypatch.setattr(mbsim.march.rows, "WAIT", 1)
    alone = mbsim.simulate(model)
    assert len(recorded) > 1.5 * together
    same(result, alone)


def same(one: Result, other: Result) -> None:
    """Both are the same in all digits."""
    assert one.events == other.events
    for name in one.names():
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.mark.parametrize("case", [*CASES, "row", "woodpecker with equal steps"])
def test_rows_are_recorded_as_what_contacts_did_then(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several stretches together, with the error of equal steps, too: before, each change of what holds recorded those before."""
    steps = WOODPECKER.replace("rtol: 1.0e-11, atol: 1.0e-13", "integrator: rk4, step: 1.0e-4")
    more = {"row": ROW, "woodpecker with equal steps": by(steps, end=0.13)}
    model, parts = mechanisms.model((CASES | more)[case]), list[int]()
    keep = Recording.keep

    def counted(self: Recording, given: Sequence[Part], *others: Any) -> None:
        parts.append(len(given))
        keep(self, given, *others)

    monkeypatch.setattr(Recording, "keep", counted)
    result = mbsim.simulate(model)
    assert max(parts) > 1
    together, parts[:] = len(parts), []
    monkeypatch.setattr(mbsim.march.rows, "MOST", 1)
    alone = mbsim.simulate(model)
    assert len(parts) > together and max(parts) == 1
    same(result, alone)


def test_an_estimate_begins_behind_an_event_as_with_more_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    model = mechanisms.model(DISKS)
    result = mbsim.simulate(model)
    monkeypatch.setattr(mbsim.march.estimate, "isfinite", lambda x: False)  # then the row behind an event goes the long way
    same(result, mbsim.simulate(model))
    assert np.nanmax(result["error_estimate"]) > 0.0


def test_the_distances_of_contacts_that_do_not_touch_are_those_of_each_row() -> None:
    """Before, they were those of the last event."""
    result = mbsim.simulate(mechanisms.model(DISKS))
    q, length = np.asarray(result["q"]), np.asarray(result["force_length"])
    wanted = np.stack([q[:, 1], q[:, 4], np.hypot(q[:, 3] - q[:, 0], q[:, 4] - q[:, 1])], axis=1)  # heights of centres, and between them
    np.testing.assert_allclose(length, wanted, rtol=1e-12)
    v, rate = np.asarray(result["v"]), np.asarray(result["force_rate"])
    np.testing.assert_allclose(rate[:, :2], v[:, [1, 4]], rtol=1e-12, atol=1e-12)


APART = """
dimension: 2
gravity: [0, -9.81]
bodies:
  ball: {mass: 1, inertia: 0.1, position: [0, 0.5]}
  block: {mass: 1, inertia: 1, position: [2, 0], velocity: [4, 0]}
joints: {slide: {type: prismatic, bodies: [ground, block], at: [2, 0], axis: [1, 0], friction: {force: 2}}}
contacts: {floor: {bodies: [ball, ground], plane: {normal: [0, 1]}, radius: 0, restitution: 0.8}}
simulation: {end: 1.5}
"""


@pytest.mark.parametrize("impact_law", ["newton", "poisson"])
def test_impacts_leave_alone_what_slips_elsewhere(impact_law):
    """Nothing has a row here: the block slips on, and the ball bounces three times."""
    result = mbsim.simulate(APART, impact_law=impact_law)
    assert [line["do"] for line in result.events if line["event"] == "floor"] == ["impact"] * 3
    assert np.asarray(result["q"])[-1, 3] == pytest.approx(2.0 + 4.0 * 1.5 - 0.5 * 2.0 * 1.5**2, abs=1e-9)
    effort = np.asarray(result["force_effort"])[1:]
    assert (effort.min(axis=0) == [-2.0, 0.0]).all() and (effort.max(axis=0) == [-2.0, 0.0]).all()
