"""The linear algebra of a library's solver takes one thread, and the setting of the process comes back."""

import threading

import numpy as np
import pytest

import mbsim
from mbsim.march import blas_threads
from mbsim.march.blas_threads import Unthreaded, libraries, one_thread


@pytest.fixture(autouse=True)
def without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in blas_threads.VARIABLES:
        monkeypatch.delenv(name, raising=False)


class Library:
    """A number of threads, as a library of OpenBLAS has one."""

    def __init__(self, count: int) -> None:
        self.count = count

    def put(self, count: int) -> None:
        self.count = count


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Library]:
    made = [Library(4), Library(3)]
    monkeypatch.setattr(blas_threads, "libraries", lambda: tuple((lambda each=each: each.count, each.put) for each in made))
    return made


def test_one_thread_within_and_as_many_as_before_after(found: list[Library]) -> None:
    def march(x: int) -> int:
        assert [each.count for each in found] == [1, 1]
        return x + 1

    assert Unthreaded(march)(1) == 2
    assert [each.count for each in found] == [4, 3]
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert [each.count for each in found] == [4, 3]


def test_runs_that_overlap_share_it(found: list[Library]) -> None:
    """The first ends while the second goes on."""
    inside, leave = threading.Event(), threading.Event()

    def second() -> None:
        with one_thread():
            inside.set()
            leave.wait()

    with one_thread():
        other = threading.Thread(target=second)
        other.start()
        inside.wait()
    assert [each.count for each in found] == [1, 1]
    leave.set()
    other.join()
    assert [each.count for each in found] == [4, 3]


def test_a_variable_of_the_user_stays(found: list[Library], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    with one_thread():
        assert [each.count for each in found] == [4, 3]


def test_the_libraries_of_numpy_and_scipy_are_found() -> None:
    if "openblas" not in str(np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]):
        pytest.skip("NumPy has another library")
    assert libraries()
    before = [get() for get, _ in libraries()]
    with one_thread():
        assert [get() for get, _ in libraries()] == [1] * len(before)
    assert [get() for get, _ in libraries()] == before


def test_the_march_keeps_its_own_attributes() -> None:
    class March:
        reason = "why"

        def __call__(self) -> int:
            return 3

    made = Unthreaded(March())
    assert made() == 3 and made.reason == "why" and not hasattr(made, "restarts")


def test_a_run_of_many_bodies_takes_one_thread(found: list[Library]) -> None:
    """Also where its march is compiled: ranks, observers and tangents beside it are NumPy's. Tiny matrices take one anyway."""
    seen: list[list[int]] = []
    for elements in (14, 2):
        beam = {"from": [0, 0], "to": [1, 0], "elements": elements, "clamped": ["start"], "section": {"rectangle": [0.02, 0.02]}}
        beam["material"] = {"E": 5e6, "nu": 0.3, "density": 1000}
        model = {"name": "beam", "dimension": 2, "gravity": [0, -9.81], "beams": {"boom": beam}, "simulation": {"end": 0.01}}
        mbsim.simulate(model, progress=lambda _: seen.append([each.count for each in found]))
        assert seen[-1] == ([1, 1] if elements == 14 else [4, 3])
    assert [each.count for each in found] == [4, 3]
