"""What surrounds kernels: the words they are handed, what they refuse, threads, copies of the arrays, functions of other contracts."""

import copy
import pickle
import subprocess
import threading
from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim import contracts, jit
from mbsim.jit import kernels
from mbsim.system import bodies

pytestmark = pytest.mark.skipif(not jit.COMPILES, reason="there is nothing to be handed over without a compiler")


@jit.kernel(jit.f8(jit.A1, jit.A2, jit.I1, jit.I2, jit.i8, jit.f8))
def weigh(a: Any, A: Any, i: Any, table: Any, k: Any, x: Any) -> Any:
    """A number in which every entry counts differently; writes into two of the arrays."""
    total = x * k
    for j in range(a.shape[0]):
        total += (j + 1) * a[j]
    for j in range(A.shape[0]):
        for m in range(A.shape[1]):
            total += (j + 10 * m + 100) * A[j, m]
    for j in range(i.shape[0]):
        total += (j + 1000) * i[j]
    for j in range(table.shape[0]):
        for m in range(table.shape[1]):
            total += (j + 7 * m + 10000) * table[j, m]
    a[0] = -1.0
    A[A.shape[0] - 1, A.shape[1] - 1] = -2.0
    return total


def arguments() -> list[Any]:
    rng = np.random.default_rng(3)
    return [rng.standard_normal(4), rng.standard_normal((3, 2)), np.arange(5), np.arange(12).reshape(4, 3), 7, 0.25]


def test_numbers_and_arrays_arrive_and_are_written_in_place() -> None:
    compiled, plain = arguments(), arguments()
    assert weigh(*compiled) == pytest.approx(weigh.py_func(*plain), rel=1e-14)
    for one, other in zip(compiled[:4], plain[:4], strict=True):
        assert (one == other).all()
    assert compiled[0][0] == -1.0 and compiled[1][-1, -1] == -2.0


def test_a_bound_call_sees_what_the_arrays_hold_then() -> None:
    given = arguments()
    call = jit.bound(weigh, *given)
    before = call()
    given[2][0] += 1
    given[0][0] = arguments()[0][0]
    given[1][-1, -1] = arguments()[1][-1, -1]
    assert call() == pytest.approx(before + 1000.0, rel=1e-13)


@pytest.mark.parametrize("compiled", [True, False])
def test_numbers_that_are_given_are_those_of_each_call(compiled: bool) -> None:
    *arrays, k, x = arguments()
    of = weigh if compiled else weigh.py_func
    both, one = jit.bound(of, *arrays, jit.GIVEN, jit.GIVEN), jit.bound(of, *arrays, k, jit.GIVEN)
    both(0, 0.0)  # writes into the arrays, the same at each call
    rest = both(0, 0.0)
    assert both(3, 2.0) == pytest.approx(rest + 6.0, rel=1e-14)
    assert both(5, 0.5) == pytest.approx(rest + 2.5, rel=1e-14)
    assert one(x) == pytest.approx(rest + k * x, rel=1e-14)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, np.zeros(4, np.float32)), (0, np.zeros((4, 1))), (0, np.zeros(8)[::2]), (0, [1.0, 2.0]), (0, None), (0, np.zeros(4, ">f8")),
        (1, np.zeros((3, 2), order="F")), (1, np.zeros(3)), (2, np.zeros(5)), (2, np.zeros(5, np.int32)), (3, np.zeros((4, 3))),
        (4, "7"), (4, 0.5), (5, "x"),
    ],
)  # fmt: skip
def test_other_types_are_refused(place: int, value: Any) -> None:
    given = arguments()
    given[place] = value
    with pytest.raises((TypeError, ValueError)):
        weigh(*given)
    assert place == 0 or given[0][0] != -1.0, "nothing was run"


def test_too_many_and_too_few_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match=r"weigh takes 6 arguments \(got 5\)"):
        weigh(*arguments()[:5])
    with pytest.raises(TypeError, match=r"got 7"):
        weigh(*arguments(), 0)


def test_a_block_says_which_of_its_fields_is_wrong() -> None:
    arrays = mbsim.assemble(mechanisms.shipped("pendulum")).system.arrays
    wrong = arrays._replace(masses=arrays.masses.astype(np.float32))
    with pytest.raises(TypeError, match=r"Arrays\.masses: expected a contiguous array float64\[:, :\] \(got float32"):
        bodies.planar_residual(wrong, 0.0, np.zeros(3), np.zeros(2))
    with pytest.raises(TypeError, match="expected Arrays"):
        bodies.planar_residual(None, 0.0, np.zeros(3), np.zeros(2))


def test_words_are_where_numpy_has_its_numbers() -> None:
    """Of arrays that own their numbers and of parts of others, of those that may not be written, and of those without numbers."""
    whole = np.arange(24.0).reshape(6, 4)
    fixed = whole.copy()
    fixed.flags.writeable = False
    for array in (whole, whole[2:4], whole[1:2], fixed, np.zeros((3, 2), ">f8").astype(float)):
        place, rows, columns = jit.A2.short(array)
        assert place == array.ctypes.data and (rows, columns) == array.shape
        assert jit.A2.words(array)[4] == place
    assert jit.A2.short(np.zeros((0, 4)))[1:] == (0, 4)
    for wrong in (whole.T, whole[:, 1:], whole[::2], whole.astype(np.int64), whole.astype(">f8"), whole[0], 3.0, None):
        with pytest.raises(TypeError, match="expected a contiguous array"):
            jit.A2.short(wrong)
        with pytest.raises(TypeError, match="expected a contiguous array"):
            jit.A2.words(wrong)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), lambda x: x._replace()])
def test_a_copy_of_the_arrays_has_words_of_its_own(duplicate: Any) -> None:
    """Its arrays lie elsewhere; with the words of the original a kernel would write there."""
    made = mbsim.assemble(mechanisms.shipped("pendulum"))
    arrays = made.system.arrays
    assert len(arrays.words) and arrays.address
    other = duplicate(arrays)
    assert isinstance(other, contracts.Arrays) and "words" not in vars(other)
    assert (other.words == contracts.Arrays(*other).words).all()
    for one, two in zip(arrays, other, strict=True):
        assert (one == two).all()


def test_a_kernel_is_pickled_as_a_name() -> None:
    assert pickle.loads(pickle.dumps(bodies.planar_residual)) is bodies.planar_residual
    assert len(pickle.dumps(bodies.planar_residual)) < 100


def test_a_function_of_another_contract_is_refused_each_time() -> None:
    made = mbsim.assemble(mechanisms.shipped("pendulum"))
    solved = mechanisms.formulation(made.system, "lagrange")
    system, start = solved.system, solved.functions.start
    z = np.zeros(solved.size)
    given = (system.arrays, solved.work, 0.0, made.q, made.v, z)
    wrong = system.functions._replace(constraints=system.functions.dynamics)
    for _ in range(2):
        assert start(system.functions, *given) == contracts.OK
        assert start(tuple(system.functions), *given) == contracts.OK  # a plain tuple will do
        with pytest.raises(TypeError, match=r"SystemFunctions\.constraints: expected a kernel of another contract"):
            start(wrong, *given)
        with pytest.raises(TypeError, match="expected SystemFunctions"):
            start(tuple(system.functions)[:6], *given)


def test_subnormal_numbers_are_back_after_a_march() -> None:
    mbsim.simulate(mechanisms.shipped("pendulum"), end=0.01)
    small = np.array([1e-300])
    assert (small * 1e-10)[0] > 0.0


def test_two_threads_march_at_once() -> None:
    """The interpreter's lock is given up in kernels; what each writes is its own run's."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    alone = mbsim.simulate(made, end=2.0)["q"]
    found: list[Any] = [None] * 4

    def march(i: int) -> None:
        model = mbsim.assemble(mechanisms.shipped("four_bar"))
        found[i] = mbsim.simulate(model, end=2.0)["q"]

    threads = [threading.Thread(target=march, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for q in found:
        assert (q == alone).all()


def test_a_second_process_compiles_a_module_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It started for each run of a program whose first run was the first ever."""
    started: list[list[str]] = []

    class Child:
        def __init__(self, command: list[str], **_: Any) -> None:
            started.append(command[2:])

        def wait(self) -> None: ...
        def kill(self) -> None: ...

    monkeypatch.setattr(subprocess, "Popen", Child)
    monkeypatch.setattr(kernels, "is_cold", lambda: True)
    for modules in (["mbsim.never_imported"], ["mbsim.never_imported", "mbsim.never_there"], ["mbsim.never_imported"]):
        with jit.compiling_beside(*modules):
            pass
    line = "from mbsim.jit import compile_kernels; compile_kernels(*['mbsim.%s'])"
    assert started == [[line % "never_imported"], [line % "never_there"]]
