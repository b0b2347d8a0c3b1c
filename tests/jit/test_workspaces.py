"""Work arrays are declared by name and shape; what is declared twice, of an unknown size or not at all is refused before a kernel runs."""

import copy
import pickle
import sys
from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim import contracts, jit, registry
from mbsim.jit import Workspace, indices, matrix, vector
from mbsim.system.work import work_arrays

FIRST = Workspace("test_first", a=vector("n"), b=matrix("m", "n + 1"))
SECOND = Workspace("test_second", FIRST, sizes=("k",), c=indices("2 * k + m"), d=vector("larger"))
OTHER = Workspace("test_other", a=vector("n"))
compiled = pytest.mark.skipif(not jit.COMPILES, reason="nothing is compiled")


@jit.kernel(jit.f8(contracts.WORK))
def written(work: Any) -> Any:
    first, second = FIRST(work), SECOND(work)
    first.a[1] = 2.0
    second.b[1, 2] = 3.0
    second.c[4] = 5
    second.d[0] = work.h[0]
    return first.b[1, 2] + second.a[1] + second.c[4]


def work(workspace: Workspace = SECOND) -> contracts.Work:
    """The work arrays of a shipped model, but for the method's own."""
    made = mbsim.assemble(mechanisms.shipped("pendulum_dae"))
    found = work_arrays(made.system, registry.module("methods", "lagrange"), [0.0] * contracts.SETTINGS, {})
    return found._replace(own=workspace.allocate({"n": 3, "m": 2, "larger": 3, "n_q": 3, "k": 2}))


def test_arrays_have_the_shapes_that_are_declared() -> None:
    own = work().own
    assert {name: getattr(own, name).shape for name in ("a", "b", "c", "d")} == {"a": (3,), "b": (2, 4), "c": (6,), "d": (3,)}
    assert own.c.dtype == np.int64 and own.d.dtype == np.float64 and not any(x.any() for x in own)


def test_a_kernel_reads_and_writes_them_by_name_also_through_a_workspace_that_begins_another() -> None:
    given = work()
    given.h[0] = 7.0
    assert written(given) == 10.0
    own = given.own
    assert (own.a[1], own.b[1, 2], own.c[4], own.d[0]) == (2.0, 3.0, 5, 7.0)


def test_copies_have_arrays_of_their_own() -> None:
    given = work()
    for other in (copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
        assert written(other) == 10.0 and FIRST(other) is other.own
    assert not given.own.a.any()


@pytest.mark.parametrize(
    ("name", "base", "arrays", "message"),
    [
        ("test_third", FIRST, {"a": vector("n")}, "a is declared in Work.test_first, too"),
        ("test_third", None, {"a": vector("rows")}, "a has the unknown size rows"),
        ("test_third", SECOND, {"e": matrix("n", "n - rank")}, "e has the unknown size rank"),
        ("test_first", None, {"b": matrix("m", "n + 1"), "a": vector("n")}, "there are two workspaces test_first"),
    ],
)
def test_a_wrong_declaration_is_refused(name: str, base: Workspace | None, arrays: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Workspace(name, base, **arrays)


def test_a_size_that_the_plan_does_not_give_is_refused() -> None:
    with pytest.raises(NameError, match="k"):
        SECOND.allocate({"n": 3, "m": 2, "larger": 3})


def test_arrays_of_another_method_are_refused() -> None:
    with pytest.raises(TypeError, match=r"those of Work\.test_other, not of Work\.test_first"):
        FIRST(work(OTHER))


def test_a_name_that_is_not_declared_does_not_compile() -> None:
    def reads(given: Any) -> Any:
        return OTHER(given).nothing[0]

    with pytest.raises(Exception, match="nothing"):
        jit.kernel(jit.f8(contracts.WORK))(reads)(work(OTHER))


@compiled
def test_a_workspace_is_taken_of_the_work_only() -> None:
    with pytest.raises(Exception, match="workspace test_other is taken of Work alone"):
        jit.kernel(jit.f8(jit.A1))(lambda x: OTHER(x).a[0])(np.zeros(1))


def test_a_method_without_the_arrays_of_the_projection_that_it_uses_is_refused() -> None:
    class Method:
        WORKSPACE = OTHER

    made = mbsim.assemble(mechanisms.shipped("pendulum"))
    with pytest.raises(TypeError, match="begins with PROJECTION"):
        work_arrays(made.system, Method, [0.0] * contracts.SETTINGS, {})


def test_options_are_found_by_name() -> None:
    options = {"one": {"default": 1.0}, "word": {"default": "b", "choices": ("a", "b")}}
    assert contracts.method_settings(options, "word", "one") == (contracts.SETTING_METHOD + 1, contracts.SETTING_METHOD)
    assert contracts.integrator_settings(options, "one") == (contracts.SETTING_INTEGRATOR,)
    assert contracts.choices(options, "word", "b", "a") == (1.0, 0.0)
    for wrong in (
        lambda: contracts.method_settings(options, "two"),
        lambda: contracts.choices(options, "word", "c"),
        lambda: contracts.integrator_settings(dict.fromkeys("abcdefghi"), "a"),
    ):
        with pytest.raises(ValueError):
            wrong()


@pytest.mark.parametrize(("kind", "one", "other"), [("methods", "svd", "riemann"), ("integrators", "rk45", "dop853")])
def test_options_that_several_leaves_share_are_read_without_importing_them(
    kind: str, one: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word in (one, other):
        monkeypatch.delitem(sys.modules, f"mbsim.{kind}.{word}", raising=False)
    found = [registry.declaration.__wrapped__(kind, word, "OPTIONS") for word in (one, other)]
    shared = [name for name in found[0] if found[0][name] == found[1].get(name)]
    assert len(shared) >= 2
    assert not {f"mbsim.{kind}.{one}", f"mbsim.{kind}.{other}"} & set(sys.modules)
