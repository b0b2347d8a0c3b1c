"""Steps that end where laws change: closed forms, an own march by SciPy with frozen cases, the order kept, touches, sliding motions."""

import itertools

import mechanisms
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbsim
from mbsim import registry
from mbsim.assembly import assemble, load_model
from mbsim.march.settings import resolve

G, UP = 9.81, 4.0
CONTROLLED = [name for name in ("dop853", "rk45", "bdf", "radau", "lsoda") if "rtol" in registry.options("integrators", name)]
LOCATING = [name for name in registry.names("integrators") if registry.declaration("integrators", name, "LOCATES", False)]
OWN_STEPS = [name for name in registry.names("methods") if registry.declaration("methods", name, "LOCATES", False)]
THROWN = f"""
name: thrown
dimension: 2
gravity: [0, -{G}]
parameters: {{share: 0.999, lift: 9}}
bodies: {{b: {{mass: 1, inertia: 0.1, position: [0, 1], velocity: [0, {UP}]}}}}
joints: {{guide: {{type: prismatic, bodies: [ground, b], at: [0, 1], axis: [0, 1]}}}}
forces: {{l: {{type: force, body: b, value: [0, 'lift*step(b.y - 1 - share*{UP}^2/2/{G})']}}}}
measures: {{height: b.y}}
simulation: {{end: 1}}
"""


LENGTH = THROWN.replace(
    f"{{type: force, body: b, value: [0, 'lift*step(b.y - 1 - share*{UP}^2/2/{G})']}}",
    f"{{type: spring_damper, bodies: [ground, b], at: [[0, 0], [0, 1]], value: '-lift*step(length - 1 - share*{UP}^2/2/{G})'}}",
)


def own(law: str, end: float, x: float = 1.0, v: float = 0.0, more: str = "") -> str:
    """A mass on a line under a force."""
    return f"""
name: mass on a line
coordinates: [x]
energy: {{kinetic: der(x)^2/2, potential: 0}}
{more}
forces: {{f: {{type: generalized, coordinate: x, value: '{law}'}}}}
initial: {{x: {x}, der(x): {v}}}
simulation: {{end: {end}}}
"""


def thrown(share: float, lift: float = 9.0) -> tuple[float, float, float]:
    """A time 0.3 s after the force of THROWN was on, and height and speed then."""
    high = share * UP**2 / 2 / G
    v = np.sqrt(UP**2 - 2 * G * high)
    off = (UP - v) / G + 2 * v / (G - lift)
    return off + 0.3, 1 + high - v * 0.3 - G / 2 * 0.3**2, -v - G * 0.3


def counts(result) -> dict[str, int]:
    return result.attributes["counts"]


@pytest.mark.parametrize("share", [0.9, 0.999, 0.999999])
@pytest.mark.parametrize("settings", [{}, {"max_step": 1e-3}, {"integrator": "rk45", "rtol": 1e-9, "atol": 1e-10}, {"first_step": 0.4}])
def test_a_law_that_is_on_for_a_part_of_one_step(share, settings):
    end, y, v = thrown(share)
    found = mbsim.simulate(load_model(THROWN, {"share": share}), end=end, **settings)
    assert found["b.y"][-1] == pytest.approx(y, abs=1e-8)
    assert found["der(b.y)"][-1] == pytest.approx(v, abs=1e-8)


@pytest.mark.parametrize("integrator", LOCATING)
def test_every_integrator_that_locates(integrator):
    if integrator == "ida":
        pytest.importorskip("sksundae")
    end, y, _ = thrown(0.9)  # an error of the height of the switch is seen in the end 20 times as large
    found = mbsim.simulate(load_model(THROWN, {"share": 0.9}), end=end, integrator=integrator, rtol=1e-9, atol=1e-10)
    assert found["b.y"][-1] == pytest.approx(y, abs=1e-6)


@pytest.mark.parametrize("integrator", ["dop853", "rk45", "radau"])
def test_a_law_of_a_length_is_looked_at_where_the_step_ends(integrator):
    """Lengths are those that the last evaluation has left: of a coordinate, which is read from the state, the steps are the same."""
    assert LENGTH != THROWN
    runs = [mbsim.simulate(load_model(text, {"share": 0.9}), end=1.0, integrator=integrator, rtol=1e-9) for text in (THROWN, LENGTH)]
    assert abs(counts(runs[0])["steps"] - counts(runs[1])["steps"]) <= 1
    assert counts(runs[1])["rejected"] <= counts(runs[0])["rejected"] + 1
    assert runs[1]["b.y"][-1] == pytest.approx(runs[0]["b.y"][-1], abs=1e-9)


def test_what_is_tested_is_what_locates():
    assert {*CONTROLLED} == {*LOCATING} - {"ida"}  # an extra
    assert OWN_STEPS == ["generalized_alpha"]


@pytest.mark.parametrize("share", [0.9, 0.999, 0.999999])
@pytest.mark.parametrize("radius", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("method", OWN_STEPS)
def test_a_law_that_is_on_for_a_part_of_one_step_of_a_method(method, radius, share):
    """Its forces are constant between the switches, so that only where these are can be off; near the summit heights say little of that."""
    end, y, v = thrown(share)
    found = mbsim.simulate(load_model(THROWN, {"share": share}), end=end, method=method, spectral_radius=radius, rtol=1e-6, atol=1e-6)
    off = 2e-8 if share < 0.9999 else 2e-5
    assert found["b.y"][-1] == pytest.approx(y, abs=off)
    assert found["der(b.y)"][-1] == pytest.approx(v, abs=off)


@pytest.mark.parametrize("radius", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("corners", ["auto", "step_over"])
@pytest.mark.parametrize("tolerance", [1e-5, 1e-8])
@pytest.mark.parametrize("method", OWN_STEPS)
def test_what_a_jump_leaves_in_the_memory_of_a_method_fades(method, tolerance, corners, radius):
    """Steps grow threefold behind a switch that was stepped over; an error of the memory that grew with them was 359 m here, unseen."""
    given = {"method": method, "rtol": tolerance, "atol": tolerance, "spectral_radius": radius, "corners": corners}
    found = mbsim.simulate(load_model(own("-sign(x)", 20.0)), **given)
    assert found["x"][-1] == pytest.approx(banged(20.0), abs=1e-9 if corners == "auto" else 30 * tolerance)


@pytest.mark.parametrize("tolerance", [1e-5, 1e-6, 1e-7])
@pytest.mark.parametrize("method", OWN_STEPS)
def test_a_method_between_the_reversals_of_dry_friction(method, tolerance):
    found = mbsim.simulate(load_model(rubbed(1.5)), method=method, rtol=tolerance, atol=tolerance)
    assert found["x"][-1] == pytest.approx(swung(1.5), abs=5 * tolerance)


def _fits(method: str) -> bool:
    return not registry.declaration("methods", method, "OWNS_STEP", False)


@pytest.mark.parametrize("method", [name for name in registry.names("methods") if _fits(name)])
def test_every_method(method):
    model = load_model(THROWN)
    try:
        resolve(model.simulation, assemble(model).system, {"method": method, "integrator": "dop853", "rtol": 1e-9})
    except ValueError as error:
        if "joint coordinates" not in str(error):
            pytest.skip(str(error))
        text = THROWN.replace("dimension: 2", "dimension: 2\ncoordinates: joint").replace("b.y - 1", "guide.displacement")
        model = load_model(text.replace(f", velocity: [0, {UP}]", "") + f"initial: {{der(guide.displacement): {UP}}}")
    end, y, _ = thrown(0.999)
    found = mbsim.simulate(model, method=method, integrator="dop853", rtol=1e-9, atol=1e-10, end=end)
    assert found["height"][-1] == pytest.approx(y, abs=1e-8)


def test_a_touch_that_does_not_reach():
    found = mbsim.simulate(load_model(THROWN, {"share": 1.0001}))
    assert found["b.y"][-1] == pytest.approx(1 + UP - G / 2, abs=1e-12)


def test_stepping_over_is_the_motion_without_locating():
    end, y, _ = thrown(0.999)
    found = mbsim.simulate(load_model(THROWN), corners="step_over", end=end)
    assert abs(found["b.y"][-1] - y) > 1.0  # the force is not seen at all


@pytest.mark.parametrize("width", [1e-2, 1e-5, 1e-8])
def test_two_switches_of_time_in_one_step(width):
    found = mbsim.simulate(load_model(own(f"pulse(t - pi/7, {width})/{width}", 2.0, 0.0)), integrator="dop853", rtol=1e-9, atol=1e-10)
    assert found["x"][-1] == pytest.approx(2.0 - np.pi / 7 - width / 2, abs=1e-8 + 4e-11 / width)


def test_a_staircase():
    """x'' = floor(t/0.3) from rest: steps end where it jumps."""
    found = mbsim.simulate(load_model(own("floor(t/0.3)", 2.0, 0.0)), integrator="dop853", rtol=1e-6, atol=1e-8)
    assert found["x"][-1] == pytest.approx(sum((2.0 - 0.3 * k) ** 2 / 2 for k in range(1, 7)), abs=1e-11)


def banged(end: float) -> float:
    """x at the end of x'' = -sign(x) from rest at 1; `end` is in the first three quarters of a period."""
    quarter = np.sqrt(2.0)
    s = end % (4 * quarter)
    parts = [1 - s * s / 2, -quarter * (s - quarter) + (s - quarter) ** 2 / 2, -1 + (s - 2 * quarter) ** 2 / 2]
    return float(parts[int(s // quarter)])


def test_a_bang_bang_controller():
    found = mbsim.simulate(load_model(own("-sign(x)", 20.0)), integrator="dop853", rtol=1e-6, atol=1e-8)
    assert found["x"][-1] == pytest.approx(banged(20.0), abs=1e-9)
    assert counts(found)["evaluations"] < counts(mbsim.simulate(load_model(own("-sign(x)", 20.0)), corners="step_over"))["evaluations"]


K, MU = 100.0, 0.2 * G


def rubbed(end: float) -> str:
    """A mass on a spring with dry friction, from rest at 0.2 m."""
    return own(f"-{K}*x - {MU}*sign(der(x))", end, 0.2)


def swung(end: float) -> float:
    """x of it at the end, half swing by half swing."""
    half, x = np.pi / np.sqrt(K), 0.2
    swings = int(end // half)
    for n in range(swings):
        x = 2 * MU / K * (1 if n % 2 == 0 else -1) - x
    centre = MU / K * (1 if swings % 2 == 0 else -1)
    return float(centre + (x - centre) * np.cos(np.sqrt(K) * (end - swings * half)))


def test_dry_friction_between_its_reversals():
    found = mbsim.simulate(load_model(rubbed(1.5)), integrator="dop853", rtol=1e-9, atol=1e-10)
    assert found["x"][-1] == pytest.approx(swung(1.5), abs=1e-8)


def test_corners_of_a_table():
    table = "tables: {a: {points: [[0, 0], [0.3, 1], [0.7, -1], [1, 0]], interpolation: linear, periodic: true}}"
    found = mbsim.simulate(load_model(own("a(t)", 5.0, 0.0, 0.0, table)), integrator="dop853", rtol=1e-9, atol=1e-10)
    grid = np.unique(np.concatenate([n + np.array([0.0, 0.3, 0.7, 1.0]) for n in range(5)]))
    x = v = 0.0
    values = np.interp(grid % 1.0, [0, 0.3, 0.7, 1], [0, 1, -1, 0])
    for (t, s), (a, b) in zip(itertools.pairwise(grid), itertools.pairwise(values), strict=True):
        h = s - t
        x, v = x + h * v + h * h * (2 * a + b) / 6, v + h * (a + b) / 2
    assert found["x"][-1] == pytest.approx(x, abs=1e-9)
    assert counts(found)["steps"] > 15  # every corner ends one


def test_a_contact_gives_back_what_it_takes():
    floor = "floor: {type: contact, body: b, radius: 0.1, normal: [0, 1], stiffness: 1e4, exponent: 1, damping: 0}"
    model = load_model(THROWN.partition("forces:")[0] + f"forces: {{{floor}}}\nsimulation: {{end: 3}}")
    found = mbsim.simulate(model, integrator="dop853", rtol=1e-9, atol=1e-10)
    fall = np.sqrt(2 * G * (UP**2 / 2 / G + 0.9))
    w = np.sqrt(1e4)
    inside = 2 * (np.pi - np.arctan(fall * w / G)) / w
    period = 2 * fall / G + inside
    s = (3.0 - (UP + fall) / G - inside) % period
    assert s < 2 * fall / G
    assert found["b.y"][-1] == pytest.approx(0.1 + fall * s - G / 2 * s * s, abs=1e-7)


def test_a_motion_that_slides_along_a_switch_goes_on_and_is_named():
    found = mbsim.simulate(load_model(own("-sign(x + der(x))", 1.0)), integrator="dop853")
    slid = np.sqrt(3) - 1  # where x + der(x) is zero first: 1 - t - t^2/2
    assert found["x"][-1] == pytest.approx((1 - slid**2 / 2) * np.exp(slid - 1.0), abs=1e-4)
    (note,) = found.attributes["notes"]
    assert "'-sign(x + der(x))' changes again and again from t = 0." in note


@pytest.mark.parametrize(("corners", "least", "most"), [("locate", 4.5, 6.5), ("step_over", -1.0, 3.0)])
def test_the_order_is_kept(corners, least, most):
    """Steps of rk45 of one size, as `max_step` makes them, over the switches of an oscillator."""
    model = load_model(own("-10*x - 4*x*step(x)", 3.0))
    halves = np.pi / np.sqrt(14), np.pi / np.sqrt(10)
    s = 3.0 - halves[0] / 2 - halves[1] - halves[0]  # behind the third zero, going down
    known = -np.sqrt(1.4) * np.sin(np.sqrt(10) * s)
    steps = np.array([0.1, 0.05, 0.025])
    given = {"integrator": "rk45", "rtol": 1e6, "atol": 1e6, "corners": corners}
    errors = [abs(mbsim.simulate(model, max_step=h, first_step=h, **given)["x"][-1] - known) for h in steps]
    assert least < np.polyfit(np.log(steps), np.log(errors), 1)[0] < most


def test_settings_that_do_not_go_together():
    with pytest.raises(mbsim.ModelError, match=r"\d+:\d+: simulation.corners: unknown value 'sometimes'"):
        load_model(own("-x", 1.0).replace("end: 1.0", "end: 1.0, corners: sometimes"))
    with pytest.raises(ValueError, match=r"corners: locate needs one of .*'dop853'.*'generalized_alpha' with rtol.* \(here 'rk4'\)"):
        mbsim.simulate(load_model(own("-x", 1.0)), step=0.01, corners="locate")
    with pytest.raises(ValueError, match=r"corners: locate needs .* \(here 'generalized_alpha with equal steps'\)"):
        mbsim.simulate(load_model(own("-x", 1.0)), method="generalized_alpha", step=0.01, corners="locate")
    with pytest.raises(ValueError, match=r"corners: locate needs .* \(here 'rattle with equal steps'\)"):
        mbsim.simulate(load_model(own("-x", 1.0)), method="rattle", step=0.01, corners="locate")
    with pytest.raises(ValueError, match="unknown corners 'x'; allowed: auto, locate, step_over"):
        mbsim.simulate(load_model(own("-x", 1.0)), corners="x")


@pytest.mark.parametrize("name", LOCATING)
def test_equal_numbers_where_nothing_is_near(name):
    """A law of cases that are never near changes no bit of the motion of compiled integrators."""
    if name not in ("dop853", "rk45"):
        pytest.skip("solvers of libraries evaluate once more")
    found = [mbsim.simulate(load_model(own("-x + step(x - 9)", 5.0)), integrator=name, corners=c) for c in ("locate", "step_over")]
    assert (found[0]["x"] == found[1]["x"]).all()
    assert counts(found[0]) == counts(found[1])


RANDOM = """
name: two masses with laws of cases
parameters: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 0.1, g: 0.1, h: 0.1, w: 2, k: 4}
coordinates: [x, y]
energy: {kinetic: der(x)^2/2 + der(y)^2, potential: k*x^2/2 + k*(y - x)^2/4}
forces:
  one: {type: generalized, coordinate: x, value: 'a*step(x + 0.3*der(x) + f*sin(w*t) - 0.1) + b*abs(y - g)'}
  two: {type: generalized, coordinate: y, value: 'c*sign(x - h) - d*max(y - g, 0.4*x) + e*if_else(sin(w*t) > 0.3, 1, -x)'}
initial: {x: 0.5, der(x): 0.2, y: -0.3, der(y): 1}
simulation: {end: 4, rtol: 1e-9, atol: 1e-10, integrator: dop853}
"""


def frozen_march(p: dict[str, float], end: float) -> tuple[np.ndarray | None, int]:
    """[x, y, x', y'] at the end by DOP853 with events, each case kept until its event; None where these are too close. And how many."""

    def numbers(t, z):
        x, y, u, _ = z
        return np.array([
            x + 0.3 * u + p["f"] * np.sin(p["w"] * t) - 0.1, y - p["g"], x - p["h"], y - p["g"] - 0.4 * x, np.sin(p["w"] * t) - 0.3
        ])  # fmt: skip

    def rates(t, z, on):
        x, y, u, v = z
        one = p["a"] * on[0] + p["b"] * (y - p["g"]) * (1 if on[1] else -1)
        two = p["c"] * (1 if on[2] else -1) - p["d"] * (y - p["g"] if on[3] else 0.4 * x) + p["e"] * (1 if on[4] else -x)
        return [u, v, one - p["k"] * x - p["k"] / 2 * (x - y), (two - p["k"] / 2 * (y - x)) / 2]

    t, z, found, last = 0.0, np.array([0.5, -0.3, 0.2, 1.0]), 0, -1.0
    on = numbers(t, z) > 0
    while t < end:
        events = []
        for i in range(5):

            def event(t, z, on, i=i):
                return numbers(t, z)[i]

            event.terminal, event.direction = True, -1.0 if on[i] else 1.0
            events.append(event)
        part = solve_ivp(rates, (t, end), z, args=(on,), method="DOP853", rtol=1e-12, atol=1e-13, events=events, max_step=0.01)
        if any(((numbers(*at) > 0) != on).any() for at in zip(part.t[1:-1], part.y.T[1:-1], strict=True)):
            return None, found  # it slides along a switch
        t, z = float(part.t[-1]), part.y[:, -1]
        if part.status == 1:
            hit = [i for i in range(5) if len(part.t_events[i])]
            if len(hit) > 1 or t - last < 1e-4:
                return None, found
            on, last, found = on.copy(), t, found + 1
            on[hit[0]] = not on[hit[0]]
    return z, found


def random_laws(seed: int) -> tuple[dict[str, float], np.ndarray | None, int]:
    """Random parameters of RANDOM, and what `frozen_march` says of them."""
    rng = np.random.default_rng([33, seed])
    p = dict(zip("abcde", rng.uniform(-3, 3, 5), strict=True)) | dict(zip("fgh", rng.uniform(-0.5, 0.5, 3), strict=True))
    p |= {"w": rng.uniform(0.5, 6), "k": rng.uniform(1, 20)}
    return {name: float(value) for name, value in p.items()}, *frozen_march(p, 4.0)


@pytest.mark.parametrize("seed", range(160))
def test_random_laws_against_a_march_with_frozen_cases(seed):
    p, known, changes = random_laws(seed)
    if known is None:
        pytest.skip("cases change too closely for events")
    found = mbsim.simulate(load_model(RANDOM, p))
    assert [found[name][-1] for name in ("x", "y", "der(x)", "der(y)")] == pytest.approx(known, abs=2e-7)
    assert changes >= 1


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("method", OWN_STEPS)
def test_random_laws_by_a_method_with_steps_of_its_own(method, seed):
    p, known, _ = random_laws(seed)
    if known is None:
        pytest.skip("cases change too closely for events")
    given = {"method": method, "rtol": 1e-6, "atol": 1e-6, "corners": "locate"}
    found = mbsim.simulate(load_model(RANDOM.replace(", integrator: dop853", ""), p), **given)
    off = 30e-6 * (1.0 + float(np.abs(found["v"]).max()))
    assert [found[name][-1] for name in ("x", "y", "der(x)", "der(y)")] == pytest.approx(known.tolist(), abs=off)


@pytest.mark.parametrize("w", [0.01, 1e-4])
def test_rows_follow_a_force_that_jumps(w):
    """The work of a pulse, from rows: 500 N over w s is (500 w)^2 / 2 J."""
    found = mbsim.simulate(load_model(own(f"500*pulse(t - 0.3003, {w})", 1.0, x=0.0)))
    assert np.trapezoid(found["force_power"].ravel(), found["time"]) == pytest.approx((500.0 * w) ** 2 / 2.0, rel=1e-3)


def test_a_corner_nearer_to_the_start_than_numbers_can_tell() -> None:
    """The angle is zero but for round-off: the steps to the passage are so short that they do not move x, and one goes over it."""
    text = """
name: a kink at round-off from the start
coordinates: [x]
parameters: {k: 10, e: 2e-17}
energy: {kinetic: der(x)^2/2}
forces: {f: {type: generalized, coordinate: x, value: 22 - k*abs(sin(x - 1) - e)}}
initial: {x: 1}
simulation: {end: 0.1}
"""
    result = mbsim.simulate(mbsim.load_model(text), rtol=1e-10, atol=1e-12)
    assert result.attributes["counts"]["steps"] < 20
    x = 2.2 * (1.0 - np.cos(np.sqrt(10.0) * 0.1))  # without the third order of the sine
    assert result["x"][-1] - 1.0 == pytest.approx(x, abs=1e-5)


@pytest.mark.parametrize("method", ["cfa", "lagrange", "svd"])
@pytest.mark.parametrize("step", [0.01, 0.1, 0.3, None])
def test_a_trial_that_explodes_beyond_a_bound_does_not_aim(method: str, step: float | None) -> None:
    """A pendulum falls on a stiff stop. A long trial from its edge flies off beyond the other edge, which no motion comes to."""
    source = {
        "name": "pendulum between stops", "dimension": 2, "gravity": [0, -9.81],
        "bodies": {"rod": {"mass": 1, "inertia": 0.083, "position": [0.5, 0]}},
        "joints": {"pin": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
        "forces": {
            "stops": {"type": "joint_limit", "joint": "pin", "lower": -2, "upper": -1, "stiffness": 5000, "damping": 20, "depth": 0.01}
        },
        "initial": {"rod.angle": -1.3962634015954636, "der(rod.angle)": 4}, "simulation": {"end": 1, "output_step": 0.003},
    }  # fmt: skip
    made = assemble(mechanisms.model(source))
    options = {} if step is None else {"first_step": step}
    result = mbsim.simulate(made, method=method, integrator="dop853", **options)
    assert result.attributes["counts"]["steps"] < 1000
    fine = mbsim.simulate(made, method="svd", integrator="dop853", rtol=1e-11, atol=1e-12)
    mechanisms.close(result["q"], fine["q"], atol=5e-5)
