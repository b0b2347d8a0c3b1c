"""Events as rows of a table: their numbers and rates are those of the formulas, and what a row cannot hold has code of its own."""

import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import sympy
from mechanisms import model

from mbsim import assemble
from mbsim.jit import COMPILES
from mbsim.march.events import with_events
from mbsim.march.settings import foreseen
from mbsim.model.expressions.expression import parse
from mbsim.system.equations import Symbols
from mbsim.system.event import event_code, rate_along
from mbsim.system.event_reads import LOOP, WHAT
from mbsim.system.switches import LawText
from mbsim.system.system import empty_arrays

SYMBOLS = (
    Symbols(["p"], ["x", "y"], ["der(x)", "der(y)"])
    .with_relative({"gap": 0, "angle": 1})
    .with_solved({"pull": "l1", "push": "a0", "off": "0"})
)
ROWS = (
    "0", "-2.5", "t - 0.75", "x", "0.3 - x", "2*(y - 0.25)/4", "-der(y)", "gap + 1e-12", "-(3*angle - 1)*2", "der(gap)", "1 - der(angle)/3",
    "pull - 2", "push", "x + x - 1", "x - x + 2", "off", "0*der(x) + 2",
)  # fmt: skip
CODE = ("x*y", "x + y", "p*x", "p", "sin(t)", "1/x", "max(x, 0.1)", "gap^2", "x*t", "x*x")


def values_of(rng: np.random.Generator) -> dict[str, Any]:
    arrays = empty_arrays(2, [rng.uniform()])
    relative = np.zeros((2, 5 + 6))
    relative[:, :2] = rng.uniform(0.2, 1.0, (2, 2))
    links = np.array([[0, 0, 0, k, k] for k in range(2)])  # coordinates of joints: their second rate is v_dot[k]
    vectors = {name: rng.uniform(0.2, 1.0, 2) for name in ("q", "v", "q_dot", "v_dot", "lam")}
    return {"arrays": arrays._replace(relative_values=relative, relative=links), "t": rng.uniform(), **vectors}


def expected(text: LawText, given: Mapping[str, Any]) -> tuple[float, float]:
    relative = given["arrays"].relative_values
    sources = {
        "q": given["q"], "v": given["v"], "d": given["q_dot"], "a": given["v_dot"], "l": given["lam"], "p": given["arrays"].parameters,
        "g": relative[:, 0], "w": relative[:, 1], "r": given["v_dot"],
    }  # fmt: skip

    def number(e: sympy.Expr) -> float:
        read = {s: given["t"] if s.name == "t" else sources[s.name[0]][int(s.name[1:])] for s in e.free_symbols}
        return float(e.subs(read))

    e = text.symbols.read(text.expression)
    return number(e), math.nan if {s.name[0] for s in e.free_symbols} & set("al") else number(rate_along(e, text.symbols))


def evaluated(texts: Sequence[str], given: Mapping[str, Any]) -> tuple[Any, np.ndarray, list[LawText]]:
    laws = [LawText(parse(text), SYMBOLS) for text in texts]
    code = event_code(["test_event_reads", *texts], lambda: laws)
    out = np.full((len(texts), 2), 7.0)
    code.function(given["arrays"]._replace(**code.arrays), *(given[name] for name in ("t", "q", "v", "q_dot", "v_dot", "lam")), out)
    return code, out, laws


@pytest.mark.parametrize("seed", range(3))
def test_rows_give_the_numbers_and_rates_of_their_formulas(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given, texts = values_of(rng), [str(x) for x in rng.permutation([*ROWS, *CODE])]
    code, out, laws = evaluated(texts, given)
    assert len(code.arrays["event_reads"]) == len(ROWS)
    assert code.reads_speeds
    np.testing.assert_allclose(out, [expected(law, given) for law in laws], rtol=1e-14, atol=1e-15)


def test_formulas_that_are_alike_share_a_loop_behind_the_rows() -> None:
    given = values_of(np.random.default_rng(3))
    texts = [f"max(x - 0.{k}, y + {k}) - gap" for k in range(1, 6)] + ["x - 1", "y^2"]
    code, out, laws = evaluated(texts, given)
    assert list(code.arrays["event_reads"][:, WHAT] == LOOP) == [False, *[True] * 5]
    np.testing.assert_allclose(out, [expected(law, given) for law in laws], rtol=1e-14)


def test_what_units_tell_has_no_rate() -> None:
    given, symbols = values_of(np.random.default_rng(4)), SYMBOLS.with_told(["x"])
    code = event_code(["test_event_reads told"], lambda: [LawText(parse(text), symbols) for text in ("x - 1", "y - 1")])
    out = np.zeros((2, 2))
    code.function(given["arrays"]._replace(**code.arrays), *(given[name] for name in ("t", "q", "v", "q_dot", "v_dot", "lam")), out)
    assert np.isnan(out[0, 1])
    assert out[1].tolist() == [given["q"][1] - 1.0, given["q_dot"][1]]


BOXES = """
name: boxes
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.01, position: [0, 0.06], shape: {type: box, size: [0.2, 0.1, 0.1]}}
  b: {mass: 1, inertia: 0.01, position: [0, 0.17], shape: {type: box, size: [0.2, 0.1, 0.1]}}
contacts:
  pair: {between: [a, b], friction: 0.3}
  floor: {bodies: [a, ground], plane: {normal: [0, 1]}, friction: 0.3, restitution: 0.5}
simulation: {end: 0.01}
"""
OTHER = BOXES.replace(
    "contacts:",
    """  c: {mass: 1, inertia: 0.01, position: [1, 1], shape: {type: box, size: [0.2, 0.1, 0.1]}}
contacts:
  more: {between: [a, c], friction: 0.4}""",
)


def kernels(text: str) -> dict[str, str]:
    """The keys of the kernels that watch the events of a model, and of its dynamics."""
    given = model(text)
    made = assemble(given)
    functions = with_events(made.system, foreseen(given), made.parameters, made.events)[0].functions
    watching = vars(sys.modules[functions.event.__module__])
    found = {name: one._code.source.key for name, one in watching.items() if name == "event" or name.startswith("alike_")}
    return {**found, "dynamics": functions.dynamics._code.source.key}


@pytest.mark.skipif(not COMPILES, reason="plain Python has no machine code")
def test_contacts_of_other_models_compile_nothing() -> None:
    first, other = kernels(BOXES), kernels(OTHER)
    assert first == other
    assert len(first) == 4  # two kinds of gaps of sides
    assert not first["dynamics"].startswith("mbsim_")  # of mbsim's own


def test_a_model_of_plain_contacts_does_without_sympy() -> None:
    text = BOXES.replace("  pair: {between: [a, b], friction: 0.3}\n", "")
    told = f"import sys, mbsim; print(mbsim.simulate({text!r})['time'][-1].item(), 'sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0.01", "False"]


def test_rates_of_what_has_cases_grow_with_the_cases() -> None:
    """A disk on a plate of six sides: derived by symbol after symbol, conditions came together to 70 kB, which no compiler ended with."""
    names = [f"g{k}" for k in range(12)]
    symbols = Symbols([], ["x", "y"], ["der(x)", "der(y)"]).with_relative({name: k for k, name in enumerate(names)})

    def rate(count: int) -> sympy.Expr:
        inner = ", ".join(f"{name} + 0.1" for name in names[:count])
        return rate_along(symbols.read(parse(f"2*g0 - max(0.3, g1 - 1.5*min({inner}, max(x, y)))")), symbols)

    sizes = [len(str(rate(count))) for count in (3, 6, 12)]
    assert sizes[2] < 6 * sizes[1] < 36 * sizes[0]  # each case compares with all others
    rng, step = np.random.default_rng(3), 1e-6
    e = symbols.read(parse("2*g0 - max(0.3, g1 - 1.5*min(g0 + 0.1, g2 + 0.1, g3 + 0.1, max(x, y)))"))
    found = rate_along(e, symbols)
    for _ in range(20):
        g, w, q, d = rng.uniform(0, 1, 12), rng.uniform(-1, 1, 12), rng.uniform(0, 1, 2), rng.uniform(-1, 1, 2)
        sources = {"g": g, "w": w, "q": q, "d": d}
        exact = float(found.subs({s: sources[s.name[0]][int(s.name[1:])] for s in found.free_symbols}))
        beside = [{"g": g + k * step * w, "q": q + k * step * d} for k in (-1, 1)]
        values = [float(e.subs({s: one[s.name[0]][int(s.name[1:])] for s in e.free_symbols})) for one in beside]
        assert exact == pytest.approx((values[1] - values[0]) / (2 * step), abs=1e-6)
