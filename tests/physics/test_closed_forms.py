"""Motions known in closed form or published, each with its source; all digits given are asked for as far as the step allows."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import METHODS, close
from scipy.special import ellipj, ellipk

from mbsim.results import Result

pytestmark = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(autouse=True)
def tolerances_of_the_method(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.close", mechanisms.near(method))


def run(source: Any, method: str, **settings: Any) -> Result:
    model = mechanisms.model(source) if isinstance(source, (str, dict)) else source
    return mechanisms.simulate(model, method=method, **settings)


def at(result: Result, name: str, time: float, *labels: str) -> Any:
    i = int(np.argmin(np.abs(result.time - time)))
    assert result.time[i] == pytest.approx(time, abs=1e-9)
    return result.select(name, *labels)[i]


PENDULUM = """
name: rod on a pin
dimension: 2
gravity: [0, -9.81]
parameters: {a: 1}
bodies:
  rod: {mass: 1, inertia: 1/12, position: [sin(a)/2, -cos(a)/2], angle: a}
joints:
  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}
simulation: {end: 1}
"""


@pytest.mark.parametrize(
    ("degrees", "ratio"),
    [(10, 1.001907188143217), (60, 1.073182007149364), (90, 1.180340599016096), (150, 1.762203729503756), (170, 2.439362719673884)],
)
def test_pendulum_period(method: str, degrees: float, ratio: float) -> None:
    """T / (2 pi sqrt(l/g)) = (2/pi) K(sin(a/2)); l = 2/3 for a uniform rod of 1 m on its end. Ratios computed to 16 digits."""
    small = 2 * np.pi * np.sqrt(2 / 3 / 9.81)
    assert ratio == pytest.approx(2 / np.pi * ellipk(np.sin(np.deg2rad(degrees) / 2) ** 2), rel=1e-14)
    model = mechanisms.model(PENDULUM, parameters={"a": f"deg({degrees})"})
    result = run(model, method, end=ratio * small, step=ratio * small / 2000)
    close(result.select("q", "rod.angle")[[1000, -1]], [-np.deg2rad(degrees), np.deg2rad(degrees)], atol=5e-9)
    close(result.select("v", "der(rod.angle)")[[1000, -1]], 0.0, atol=2e-8)


POINT_MASS = """
name: point mass on a massless rod
parameters: {g: 9.81}
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2, potential: g*y}
constraints: {rod: {type: holonomic, equation: x^2 + y^2 - 1}}
initial: {x: -1}
simulation: {end: 10}
"""


def test_simple_pendulum_of_the_multibody_benchmark_library(method: str) -> None:
    """Library of computational benchmark problems (IFToMM), A01: from (-1, 0) at rest, 10 s. Values by a Gauss-Legendre arc of 16 digits;
    the energy error the library asks for is 5e-5 J.
    """
    result = run(POINT_MASS, method, end=10.0, step=5e-4)
    expected = {
        1: (0.98629175113187532, -0.16501085312554117),
        2: (-0.79356619534332175, -0.60848393043379151),
        5: (-0.94230543504375734, -0.33475433841400058),
        10: (-0.27508746257611686, -0.96141920509912506),
    }
    for t, position in expected.items():
        close(at(result, "q", t), position, atol=2e-9)
    close(result["energy_balance"], 0.0, atol=1e-8)


def test_pendulum_with_period_two(method: str) -> None:
    """SUNDIALS cvPendulum: g = (2 K(1/2))^2, from (1, 0) at rest: the state recurs at t = 2, 4, ... exactly."""
    g = (2 * ellipk(0.5)) ** 2
    assert g == pytest.approx(13.750371636040745654980191559621114395801712, rel=1e-14)
    model = mechanisms.model(POINT_MASS.replace("x: -1", "x: 1"), parameters={"g": float(g)})
    result = run(model, method, end=30.0, step=5e-4, output_step=2.0)
    close(result["q"], np.broadcast_to([1.0, 0.0], (16, 2)), atol=5e-8)
    close(result["v"], 0.0, atol=5e-7)


def test_spherical_pendulum(method: str) -> None:
    """l = 1, from 60 degrees with azimuthal rate 3: theta and phi from the elliptic integrals."""
    source = """
name: spherical pendulum
coordinates: [x, y, z]
energy: {kinetic: (der(x)^2 + der(y)^2 + der(z)^2)/2, potential: 9.81*z}
constraints: {rod: {type: holonomic, equation: x^2 + y^2 + z^2 - 1}}
initial: {x: sin(deg(60)), z: -cos(deg(60)), der(y): 3*sin(deg(60))}
simulation: {end: 10}
"""
    result = run(source, method, step=1e-3)
    close(at(result, "q", 10), [0.46245069514125516, 0.63169042373412291, -0.62217888354232509], atol=1e-8)


def test_torque_free_body(method: str) -> None:
    """Euler's equations with I = (1, 2, 3): omega by Jacobi's elliptic functions (Landau & Lifshitz, Mechanics, sec. 37)."""
    source = """
name: torque-free body
dimension: 3
gravity: [0, 0, 0]
bodies: {body: {mass: 1, inertia: [1, 2, 3], angular_velocity: [0.6, 1.0, 0.8]}}
simulation: {end: 10}
"""
    result = run(source, method, step=1e-3)
    omega = result["v"][:, 3:]
    period = 7.4037811631533421
    tables = {
        1: (-0.23336543223628114, 1.1426025446484765, 0.73358921860553229),
        5: (0.48126566643618865, -1.062253904822068, 0.77279075255213141),
        10: (-1.1658888224426519, -0.026518931035894072, 0.98645776160575564),
    }
    for t, expected in tables.items():
        close(at(result, "v", t)[3:], expected, atol=1e-11)
    close(
        at(result, "body_orientation", 10, "body"),
        [0.89454401340683849, -0.31799467015316366, 0.2098284237982255, -0.23375720394999354],
        atol=1e-11,
    )

    # 2T = 4.28, L^2 = 10.12 > 2T I2: omega1 and omega3 are cn and dn, omega2 is sn
    I, T2, L2 = np.array([1.0, 2.0, 3.0]), 4.28, 10.12
    a1, a2, a3 = (
        np.sqrt((T2 * I[2] - L2) / (I[0] * (I[2] - I[0]))),
        np.sqrt((T2 * I[2] - L2) / (I[1] * (I[2] - I[1]))),
        np.sqrt((L2 - T2 * I[0]) / (I[2] * (I[2] - I[0]))),
    )
    m = (I[1] - I[0]) * (T2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - T2 * I[0]))
    rate = np.sqrt((I[2] - I[1]) * (L2 - T2 * I[0]) / I.prod())
    assert m == pytest.approx(0.46575342465753425) and 4 * ellipk(m) / rate == pytest.approx(period, rel=1e-14)
    sn, cn, dn, _ = ellipj(rate * np.linspace(0, period, 20001), m)
    start = int(np.argmin(np.abs(a1 * cn - 0.6) + np.abs(a2 * sn - 1.0)))  # the phase of the start, then refined
    phase = rate * start * period / 20000
    for _ in range(5):
        s, c, d, _ = ellipj(phase, m)
        phase -= (a2 * s - 1.0) / (a2 * c * d)
    sn, cn, dn, _ = ellipj(rate * result.time + phase, m)
    close(omega, np.stack([a1 * cn, a2 * sn, a3 * dn], axis=1), atol=1e-10)


TOP = """
name: heavy symmetric top
dimension: 3
gravity: [0, 0, -10]
parameters: {tilt: deg(30), precession: 0, spin: 8, l: 0.2}
bodies:
  top:
    mass: 1
    inertia: [1 - l^2, 1 - l^2, 0.5]
    position: [l*sin(tilt), 0, l*cos(tilt)]
    orientation: {axis: [0, 1, 0], angle: tilt}
    angular_velocity: [(spin - precession*cos(tilt))*sin(tilt), 0, precession + (spin - precession*cos(tilt))*cos(tilt)]
joints: {tip: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}}
initial: {fix: [top.angular_velocity]}
simulation: {end: 5, step: 1e-3}
"""


def test_nutating_top(method: str) -> None:
    """Lagrange's top with A = 1, C = 0.5, mgl = 2 from rest of the axis at 30 degrees, spin 8: elliptic functions (Whittaker, sec. 71)."""
    result = run(TOP, method)
    x, y, z = (result.select("body_position", "top", c) / 0.2 for c in "xyz")
    close(np.arccos(z[-1]), 0.70568461176826177, atol=1e-9)
    close(np.arctan2(y[-1], x[-1]), 2.7804185083398474, atol=1e-8)
    close(z.min(), 0.7606863250725241, atol=1e-6)  # the lower circle; rows do not meet the turning point
    # the spin about the axis is an integral
    close(result.select("v", "top.omega.z"), 8.0, atol=1e-10)


@pytest.mark.parametrize("rate", [0.7639320225002103, 5.2360679774997897])
def test_steady_precession_of_the_top(method: str, rate: float) -> None:
    """A cos(theta) p^2 - C w3 p + mgl = 0 with theta = 60 degrees, w3 = 6: both roots."""
    assert 0.5 * rate**2 - 3 * rate + 2 == pytest.approx(0, abs=1e-12)
    model = mechanisms.model(TOP, parameters={"tilt": "deg(60)", "precession": rate, "spin": 6})
    result = run(model, method, end=2 * np.pi / rate)
    close(result.select("body_position", "top", "z"), 0.1, atol=1e-10)
    close(result["body_position"][-1], result["body_position"][0], atol=1e-9)


def test_chaplygin_sleigh(method: str) -> None:
    """Neimark & Fufaev, Dynamics of Nonholonomic Systems, ch. III: u = V tanh(k(t + t0)), w = W sech(k(t + t0)); a planar body with a

    knife edge 0.4 m behind its centre of mass. The multiplier is the lateral force on the blade.
    """
    source = """
name: Chaplygin sleigh
dimension: 2
gravity: [0, 0]
parameters: {a: 0.4}
bodies: {sleigh: {mass: 1, inertia: 0.5, position: [a, 0], velocity: [0.3, a], angular_velocity: 1}}
constraints:
  blade: {type: nonholonomic, equation: cos(sleigh.angle)*der(sleigh.y) - sin(sleigh.angle)*der(sleigh.x) - a*der(sleigh.angle)}
simulation: {end: 5, step: 1e-3}
"""
    result = run(source, method)
    table = {  # t: u, w, angle, blade x, y, lateral force
        1: (0.6144648763107041, 0.7511939141374066, 0.8836503639264867, 0.3987974818203557, 0.2246634483378839, 0.3496835420725722),
        2: (0.7687920581140873, 0.490761269156501, 1.500179402309731, 0.6330782240778768, 0.8752924204364702, 0.2858283076950818),
        5: (0.8616185637531312, 0.1074035902847185, 2.266870698122389, -0.3513800669738175, 3.11795674419511, 0.0701067630326128),
    }
    for t, (u, w, angle, x, y, force) in table.items():
        (qx, qy, q_angle), (vx, vy, omega) = at(result, "q", t), at(result, "v", t)
        c, s = np.cos(angle), np.sin(angle)
        close([omega, q_angle, qx - 0.4 * c, qy - 0.4 * s, c * vx + s * vy], [w, angle, x, y, u], atol=1e-11)
        close(at(result, "multiplier", t, "blade"), force, atol=1e-11)
    close(result["energy_kinetic"], result["energy_kinetic"][0], atol=1e-12)


ADAMS_BODY = """
name: Chrono's joint unit test
dimension: 3
gravity: [0, 0, -9.80665]
bodies:
  arm: {mass: 1, inertia: [0.04, 0.1, 0.1], position: [3, 2, 3], orientation: {axis: [1, 0, 0], angle: -pi/4}}
joints:
  J: {type: JOINT, bodies: BODIES, at: [1, 2, 3]}
simulation: {end: 5, step: 1e-3}
"""


ITERATED = {"drift_tolerance": 1e-11}  # metres from the origin, round-off allows no iteration to less


@pytest.mark.parametrize(("bodies", "sign"), [("[ground, arm]", 1.0), ("[arm, ground]", -1.0)])
def test_revolute_joint_of_chrono_and_adams(method: str, bodies: str, sign: float) -> None:
    """Project Chrono, unit test Revolute_Case02, with ADAMS' numbers: at t = 5 1.20996, 3.4064, 1.5936; omega 1.8341; reaction on the

    ground 2.11895, 9.40977, -19.2164; torque 13.792, 1.0295. More digits by a run of our own that converged, and by symmetry.
    """
    source = ADAMS_BODY.replace("JOINT,", "revolute, axis: [0, 0.70710678118654752, 0.70710678118654752],").replace("BODIES", bodies)
    result = run(source, method, **ITERATED)
    close(at(result, "body_position", 1, "arm"), [1.04210380697, 3.41390015019, 1.58609984981], atol=1e-9)
    close(at(result, "body_position", 5, "arm"), [1.20996050741, 3.40639905171, 1.59360094829], atol=1e-9)
    close(at(result, "body_angular_velocity", 5, "arm"), 1.83409865286 * np.array([0, 1, 1]), atol=1e-9)
    # on the second body of the joint
    force, torque = at(result, "joint_force", 5, "J"), at(result, "joint_torque", 5, "J")
    close(force, sign * np.array([-2.11886970759, -9.40930099324, 19.21595099324]), atol=1e-8)
    close(torque, sign * np.array([13.7920632605, -1.02950460499, 1.02950460499]), atol=1e-8)
    close(-sign * force, [2.11895, 9.40977, -19.2164], atol=1e-3)  # ADAMS' digits
    # in the joint's axes the torque about the axis z is zero
    close(at(result, "joint_torque_local", 5, "J")[2], 0.0, atol=1e-10)
    assert np.linalg.norm(at(result, "joint_force_local", 5, "J")) == pytest.approx(np.linalg.norm(force), rel=1e-12)


def test_spherical_joint_of_chrono_and_adams(method: str) -> None:
    """Project Chrono, Spherical_Case02; ADAMS: -0.999684, 2, 2.96444, 0.412436. More digits: a pendulum with I = 4.1."""
    source = ADAMS_BODY.replace("JOINT", "spherical").replace("BODIES", "[ground, arm]")
    result = run(source, method, **ITERATED)
    close(at(result, "body_position", 5, "arm"), [-0.99968386888, 2.0, 2.96444125245], atol=1e-9)
    close(at(result, "body_angular_velocity", 5, "arm"), [0.0, 0.41243606547, 0.0], atol=1e-9)


def test_slider_crank_of_sundials(method: str) -> None:
    """SUNDIALS idasSlCrank_dns: printed 1.2757 1.0236 -0.49881 at t = 10; the other digits by a converged run of ours."""
    dx, dy = "(x - cos(p)/2 - a/2*cos(q))", "(-sin(p)/2 - a/2*sin(q))"
    length = f"sqrt({dx}^2 + {dy}^2)"
    rate = f"(({dx}*(der(x) + sin(p)*der(p)/2 + a/2*sin(q)*der(q)) + {dy}*(-cos(p)*der(p)/2 - a/2*cos(q)*der(q)))/{length})"
    source = f"""
name: slider-crank
parameters: {{a: 0.5}}
coordinates: [q, x, p]
energy:
  kinetic: (der(q)^2 + der(x)^2 + 2*der(p)^2)/2
  potential: ({length} - 1)^2/2
  dissipation: {rate}^2/2
forces:
  Fx: {{type: generalized, coordinate: x, value: 1}}
  Fp: {{type: generalized, coordinate: p, value: -sin(p)}}
constraints:
  along: {{type: holonomic, equation: x - cos(p) - a*cos(q)}}
  across: {{type: holonomic, equation: -sin(p) - a*sin(q)}}
initial: {{q: pi/2, p: -pi/6, x: cos(pi/6)}}
simulation: {{end: 10, step: 2e-3}}
"""
    result = run(source, method)
    table = {
        2: (0.5790388120488, 1.3803352719612, -0.277144095739),
        4: (-1.2064316477031, 1.0623426557501, 0.4860931634210),
        8: (0.6442255394815, 1.3536306145268, -0.3049963498575),
        10: (1.2756758486503, 1.0235785589798, -0.4988130491825),
    }
    for t, expected in table.items():
        close(at(result, "q", t), expected, atol=1e-9)
    close(at(result, "q", 10), [1.2757, 1.0236, -0.49881], atol=5e-5)
    close(result["energy_balance"], 0.0, atol=1e-9)


def test_quick_return(method: str) -> None:
    """TU Delft, Multibody Dynamics B, homework 7; no published digits: the numbers are those of a converged run to 12 digits.

    Bodies and joints here; the slider turns with the coulisse, so that 0.01 kg m2 is taken from one and given to the other.
    """
    source = """
name: quick return
dimension: 2
gravity: [0, 0]
parameters: {phi4: 0.982793723247329, phi5: 2.5838472199899574, xB: 0.7*cos(phi4), yB: 0.7*sin(phi4)}
bodies:
  crank:    {mass: 1, inertia: 100, position: [0, 0.3]}
  slider:   {mass: 0.5, inertia: 0.01, position: [0.2, 0.3]}
  coulisse: {mass: 6, inertia: 10 - 0.01, position: [0.4*cos(phi4), 0.4*sin(phi4)], angle: phi4}
  rod:      {mass: 4, inertia: 6, position: [xB + 0.3*cos(phi5), yB + 0.3*sin(phi5)], angle: phi5}
  ram:      {mass: 2, inertia: 1, position: [xB + 0.6*cos(phi5), 0.9]}
joints:
  O2: {type: revolute, bodies: [ground, crank], at: [0, 0.3]}
  A:  {type: revolute, bodies: [crank, slider], at: [0.2, 0.3]}
  S:  {type: prismatic, bodies: [coulisse, slider], at: [0.2, 0.3], axis: [cos(phi4), sin(phi4)]}
  O4: {type: revolute, bodies: [ground, coulisse], at: [0, 0]}
  B:  {type: revolute, bodies: [coulisse, rod], at: [xB, yB]}
  C:  {type: revolute, bodies: [rod, ram], at: [xB + 0.6*cos(phi5), 0.9]}
  G:  {type: prismatic, bodies: [ground, ram], at: [xB + 0.6*cos(phi5), 0.9], axis: [1, 0]}
forces: {cut: {type: force, body: ram, value: [1000, 0]}}
initial: {crank.angular_velocity: 75*2*pi/60, fix: [crank.angular_velocity]}
simulation: {end: 2, step: 1e-3}
"""
    result = run(source, method)
    angles = ["crank.angle", "coulisse.angle", "rod.angle"]
    close([result.select("v", f"der({a})")[0] for a in angles], [7.853981633974483, 2.4166097335306103, 1.843253610983726], atol=1e-9)
    table = {
        0.5: (3.6021190260598, 2.2745063841846, 2.4849278323075, -0.9281552117946),
        1.0: (7.2196138090686, 1.3191717201799, 2.762505497269, -0.3831172910894),
        2.0: (14.3967439856728, 1.6744863298719, 2.7951016023894, -0.6367950908225),
    }
    for t, expected in table.items():
        close([at(result, "q", t, a) for a in (*angles, "ram.x")], expected, atol=1e-8)
    close(at(result, "v", 0.5, "der(crank.angle)"), 6.807880256956, atol=1e-9)
    close(result["energy_balance"], 0.0, atol=2e-5)  # of 3 kJ
