"""A model with contacts that was run is not assembled again when it is run again, as long as all of it is the same."""

from threading import Thread
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from test_repeated_runs import identical
from test_unilateral import BALL

import mbsim
from mbsim.analyses import at_hand
from mbsim.assembly import models
from mbsim.results import Result


@pytest.fixture(autouse=True)
def none_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_hand, "_left", [])
    monkeypatch.setattr(at_hand, "MOST", 4)  # other tests have none


@pytest.fixture
def assembled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The models that are assembled."""
    found, begin = list[Any](), models.begin

    def counted(model: Any) -> Any:
        found.append(model)
        return begin(model)

    monkeypatch.setattr(models, "begin", counted)
    return found


def test_it_is_assembled_once(assembled: list[Any]) -> None:
    model = mechanisms.model(BALL)
    first, second = mbsim.simulate(model), mbsim.simulate(model)
    assert len(assembled) == 1
    identical(first, second)
    assert first.model_yaml == second.model_yaml


def test_the_same_text_is_the_same_model(assembled: list[Any]) -> None:
    first = mbsim.simulate(mechanisms.model(BALL))
    identical(first, mbsim.simulate(mechanisms.model(BALL)))
    assert len(assembled) == 1


def test_other_settings_go_with_it(assembled: list[Any]) -> None:
    model = mechanisms.model(BALL)
    mbsim.simulate(model)
    short = mbsim.simulate(model, end=0.5)
    assert len(assembled) == 1 and short.time[-1] == 0.5
    at_hand._left.clear()
    identical(short, mbsim.simulate(model, end=0.5))


def test_other_parameters_make_another_one(assembled: list[Any]) -> None:
    text = yaml.safe_load(BALL) if isinstance(BALL, str) else dict(BALL)
    model = mechanisms.model(text | {"parameters": {"g": 9.81}, "gravity": [0, 0, "-g"] if text.get("dimension") == 3 else [0, "-g"]})
    slow, quick = mbsim.simulate(model, parameters={"g": 1.0}), mbsim.simulate(model)
    assert len(assembled) == 2 and not np.array_equal(slow["q"][-1], quick["q"][-1])
    identical(slow, mbsim.simulate(model, parameters={"g": 1.0}))
    assert len(assembled) == 2


def test_one_that_was_changed_in_place_is_another_one(assembled: list[Any]) -> None:
    """Nobody should, and who does must not get the result of before."""
    model, again = mechanisms.model(BALL), mechanisms.model(BALL)
    first = mbsim.simulate(model)
    gravity = list(model.gravity)
    model.gravity[:] = [0.5 * g for g in gravity]
    assert not np.array_equal(mbsim.simulate(model)["q"][-1], first["q"][-1])
    assert len(assembled) == 2
    identical(first, mbsim.simulate(again))
    model.gravity[:] = gravity
    identical(first, mbsim.simulate(model))


def test_few_are_at_hand() -> None:
    for k in range(at_hand.MOST + 3):
        mbsim.simulate(mechanisms.model(BALL), end=0.1 + 0.01 * k)
        mbsim.simulate(mbsim.load_model(mechanisms.model(BALL), simulation={"end": 0.1 + 0.01 * k}))
    assert len(at_hand._left) == at_hand.MOST


def test_runs_of_one_model_in_several_threads_share_nothing() -> None:
    model, found = mechanisms.model(BALL), list[Result]()
    first = mbsim.simulate(model)
    threads = [Thread(target=lambda: found.append(mbsim.simulate(model))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(threads)
    for one in found:
        identical(first, one)


def test_models_without_contacts_are_not_kept() -> None:
    mbsim.simulate("pendulum", end=0.01)
    assert not at_hand._left
