"""A run with contacts takes what an earlier run of the same assembled model has made, and is the same as one that makes all anew."""

import gc
from threading import Thread
from typing import Any
from weakref import ref

import mechanisms
import numpy as np
import pytest
from test_gap_contacts import WOODPECKER
from test_rough_contacts import BOX, DISKS, LOADED, by
from test_rows_that_wait import same
from test_simple_contacts import ROW
from test_unilateral import BALL

import mbsim
from mbsim.march.between import Following
from mbsim.march.formulation import Formulation
from mbsim.march.stretch import Stretch
from mbsim.results import Result

SETS = """
dimension: 2
gravity: [0, -9.81]
parameters: {k: 20, reached: 0}
bodies: {ball: {mass: 1, inertia: 0.1, position: [0, 0.6]}, block: {mass: 1, inertia: 1, position: [2, 1]}}
joints: {rail: {type: prismatic, bodies: [ground, block], at: [2, 0], axis: [0, 1]}}
contacts: {floor: {bodies: [ball, ground], plane: {normal: [0, 1]}, radius: 0.1, restitution: 0.5}}
forces: {spring: {type: spring_damper, bodies: [ball, block], at: [[0, 0.6], [2, 1]], value: k*(length - 2)}}
measures: {stiffness: k}
events:
  stiffer: {when: t - 0.25, do: {switch: {k: 40}}}
  kick: {when: t - 0.4, do: {set: {der(ball.y): 2}}}
simulation: {end: 1.2, output_step: 0.01}
"""
LINKS = 10
# stops that hold each other, of which some close where they are, beyond zero by round-off
CHAIN = {
    "dimension": 2,
    "gravity": [0, -9.81],
    "coordinates": "joint",
    "bodies": {f"l{k}": {"mass": 1, "inertia": 0.0833, "position": [k + 0.5, 0]} for k in range(LINKS)},
    "joints": {
        f"j{k}": {
            "type": "revolute",
            "bodies": ["ground" if k == 0 else f"l{k - 1}", f"l{k}"],
            "at": [k, 0],
            "stops": {"lower": -0.5, "upper": 0.5, "restitution": 0.4},
        }
        for k in range(LINKS)
    },
    "simulation": {"end": 1.8},
}
CASES: dict[str, Any] = {
    "chain": CHAIN,
    "woodpecker": by(WOODPECKER, end=0.3, output_step=None),
    "disks": DISKS,
    "box": BOX,
    "loaded joints": LOADED,
    "row": ROW,
    "ball": BALL,
    "equal steps": by(BALL, end=1.5, integrator="rk4", step=0.002),
    "implicit": by(BALL, end=1.5, integrator="radau"),
    "events that set and switch": SETS,
}


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Stretch]:
    """The stretches that are made from now on."""
    made, begin = list[Stretch](), Stretch.__init__

    def init(self: Stretch, *given: Any, **named: Any) -> None:
        made.append(self)
        begin(self, *given, **named)

    monkeypatch.setattr(Stretch, "__init__", init)
    return made


def identical(one: Result, other: Result) -> None:
    """Both are the same in all that they have recorded, and in what they say."""
    same(one, other)
    for word in ("counts", "notes", "warnings"):
        assert one.attributes[word] == other.attributes[word]


@pytest.mark.parametrize("case", CASES)
def test_a_run_that_is_repeated_is_the_same_and_makes_no_system(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = mechanisms.model(CASES[case])
    made = mbsim.assemble(model)
    first, stretches = mbsim.simulate(made), counted(monkeypatch)
    second, third = mbsim.simulate(made), mbsim.simulate(made)
    assert not stretches or case == "chain"  # of its systems sixteen are kept
    anew = mbsim.simulate(mbsim.assemble(model))
    assert stretches
    for one in (second, third, anew):
        identical(first, one)


def test_a_run_from_another_start_has_the_rank_and_the_lengths_of_that(monkeypatch: pytest.MonkeyPatch) -> None:
    model = mechanisms.model(CASES["woodpecker"])
    made, moved = mbsim.assemble(model), {"y": 0.01, "phi_S": -0.2}
    mbsim.simulate(made)
    stretches = counted(monkeypatch)
    again = mbsim.simulate(made, moved)
    assert not stretches
    identical(again, mbsim.simulate(mbsim.assemble(model), moved))


def test_other_settings_take_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = mechanisms.model(BALL)
    made = mbsim.assemble(model)
    mbsim.simulate(made)
    stretches = counted(monkeypatch)
    other = mbsim.simulate(made, rtol=1e-6)
    assert stretches
    identical(other, mbsim.simulate(mbsim.assemble(model), rtol=1e-6))


def test_a_run_that_ends_early_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C, or what `progress` raises, ends it anywhere."""
    made = mbsim.assemble(mechanisms.model(BALL))
    first = mbsim.simulate(made)

    def fail(at: float) -> None:
        raise ValueError(f"no more at {at}")

    with pytest.raises(ValueError, match="no more"):
        mbsim.simulate(made, progress=fail)
    stretches = counted(monkeypatch)
    identical(first, mbsim.simulate(made))
    assert stretches


def test_runs_within_a_run_share_nothing() -> None:
    """What the outer run has taken nobody else takes."""
    made, inner = mbsim.assemble(mechanisms.model(BALL)), list[Result]()
    first = mbsim.simulate(made)
    outer = mbsim.simulate(made, progress=lambda at: inner.append(mbsim.simulate(made)) if not inner else None)
    identical(first, outer)
    identical(first, inner[0])
    identical(first, mbsim.simulate(made))


def test_a_run_in_another_thread_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not ask for Ctrl-C, which only the main thread may."""
    made, found = mbsim.assemble(mechanisms.model(BALL)), list[Result]()
    first = mbsim.simulate(made)
    stretches = counted(monkeypatch)
    thread = Thread(target=lambda: found.append(mbsim.simulate(made)))
    thread.start()
    thread.join()
    identical(first, found[0])
    assert not stretches
    identical(first, mbsim.simulate(made))


def test_what_is_left_is_freed_with_the_assembly() -> None:
    gc.collect()
    gc.disable()
    try:
        made = mbsim.assemble(mechanisms.model(CASES["woodpecker"]))
        mbsim.simulate(made)
        assert made.coming is not None
        held: ref[Formulation] = ref(made.coming.left.parts[0].first.formulation.system)
        assert held() is not None
        del made
        assert held() is None
    finally:
        gc.enable()


def test_rows_between_follow_the_same_steps_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A march beside that comes back to a system knows how fast the run is, as a new one does."""
    rates, answer = list[float](), Following.answer

    def asked(self: Following, *given: Any) -> Any:
        found = answer(self, *given)
        assert self.kept.beside is not None
        rates.append(float(self.kept.beside._of.work.rate[0] - self._of.work.rate[0]))
        return found

    monkeypatch.setattr(Following, "answer", asked)
    mbsim.simulate(mechanisms.model(by(WOODPECKER, end=2.0, output_step=None, rtol=1e-9, atol=1e-10)))
    assert len(rates) > 10 and not np.any(rates)
