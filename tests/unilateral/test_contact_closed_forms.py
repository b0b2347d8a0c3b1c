"""Contact and friction in closed form: what sticks, tips, jams, rolls, rebounds, and what has no answer."""

from math import atan, cos, degrees, pi, radians, sin, sqrt, tan

import numpy as np
import pytest
from rigid import G, Plane
from scipy.optimize import brentq

from mbsim.unilateral.accelerations import Accelerations, accelerations
from mbsim.unilateral.impacts import LAWS, impact, one_after_the_other
from mbsim.unilateral.problem import METHODS, NO_SOLUTION, NOT_CONVERGED, OPEN, SEVERAL, SLIP, SOLVED, STICK, Load, contacts

UP = (0.0, 1.0)


def solved(system: Plane, forces: np.ndarray, friction: object, **more: object) -> Accelerations:
    found = accelerations(system.D, system.W @ system.inverse @ forces, contacts(np.ones(len(system.rows) // 2), 1, friction), **more)
    assert found.answer.residual <= 1e-12 or found.answer.code != SOLVED
    return found


def box(width: float = 0.2, height: float = 0.6) -> Plane:
    """A box on its two lower corners, the upper one of a slope to +x first."""
    system = Plane((1.0, (width**2 + height**2) / 12.0))
    for x in (-width / 2, width / 2):
        system.contact(0, (x, -height / 2), UP)
    return system


@pytest.mark.parametrize("slope", [5.0, 20.0, 40.0])
def test_block_holds_up_to_the_angle_of_friction(slope: float) -> None:
    """mu >= tan(slope); also with a static coefficient above that of slip, which counts at rest alone."""
    system, least = box(2.0, 0.1), tan(radians(slope))
    weight = system.weight(radians(slope))
    assert (solved(system, weight, least * 1.000001).answer.modes == STICK).all()
    slipping = solved(system, weight, least * 0.999999)
    assert (slipping.answer.modes == SLIP).all() and slipping.answer.slip[1] == 1.0
    of = contacts([1, 1], 1, 0.5 * least, static=1.001 * least)
    held = accelerations(system.D, system.W @ system.inverse @ weight, of)
    assert (held.answer.modes == STICK).all() and np.abs(held.answer.w).max() < 1e-12
    of = of._replace(static=0.999 * of.static / 1.001)
    gone = accelerations(system.D, system.W @ system.inverse @ weight, of)
    expected = G * (sin(radians(slope)) - 0.5 * least * cos(radians(slope)))
    assert gone.answer.w[1] == pytest.approx(expected, rel=1e-12)


def test_block_in_space_slips_where_it_is_pulled() -> None:
    """Pulled along a level plane in any direction: w_T = (F - mu m g) / m along F, from F = mu m g on; by the unit mass with three rows."""
    for angle, force in ((0.3, 6.0), (2.0, 3.0), (-1.0, 4.9), (0.3, 4.91)):
        pull = force * np.array([cos(angle), sin(angle)])
        found = accelerations(np.eye(3), np.array([-G, *pull]), contacts(1, 2, 0.5)).answer
        left = max(0.0, force - 0.5 * G)
        assert found.code == SOLVED and found.modes[0] == (SLIP if left else STICK)
        assert np.allclose(found.w[1:], left * pull / force, atol=1e-11)


def test_box_tips() -> None:
    """0.2 x 0.6 at atan(1/3) = 18.4349488 degrees; corner forces at 10 degrees from the moments about the corners."""
    system, limit = box(), degrees(atan(1.0 / 3.0))
    assert limit == pytest.approx(18.4349488, abs=1e-7)
    standing = solved(system, system.weight(radians(limit - 1e-6)), 1.0).answer
    assert (standing.modes == STICK).all()
    tipping = solved(system, system.weight(radians(limit + 1e-6)), 1.0).answer
    assert tipping.modes.tolist() == [OPEN, STICK] and tipping.velocities_unique == "unique"
    found = solved(system, system.weight(radians(10.0)), 1.0).answer
    moments = [0.5 * cos(radians(10.0)) + sign * 1.5 * sin(radians(10.0)) for sign in (1, -1)]
    assert moments == pytest.approx([0.7528761430065, 0.2319316100057], abs=1e-13)
    assert found.p[[2, 0]] / G == pytest.approx(moments, abs=1e-14)
    assert found.impulses_unique == "not unique" and found.velocities_unique == "unique"
    assert solved(system, system.weight(radians(10.0)), 0.1).answer.impulses_unique == "unique"  # it slips


@pytest.mark.parametrize(
    ("pull", "modes", "rates"),
    [
        (2.943 - 1e-6, [STICK, STICK], [0.0, 0.0]),
        (2.943 + 3e-6, [STICK, SLIP], [1e-6, 1e-6]),
        (11.772 - 3e-6, [STICK, SLIP], [2.943 - 1e-6, 2.943 - 1e-6]),
        (11.772 + 2e-6, [SLIP, SLIP], [2.943, 2.943 + 1e-6]),
        (15.0, [SLIP, SLIP], [2.943, 4.557]),
    ],
)
def test_two_blocks(pull: float, modes: list[int], rates: list[float]) -> None:
    """1 kg on 2 kg, mu 0.3 between and 0.1 below; the lower one is pulled."""
    system = Plane((1.0, 1e9), (2.0, 1e9))
    system.contact(0, (0.0, 0.0), UP, 1, (0.0, 0.0))
    system.contact(1, (0.0, 0.0), UP)
    forces = system.weight() + np.array([0, 0, 0, pull, 0, 0])
    found = solved(system, forces, [0.3, 0.1]).answer
    assert found.modes.tolist() == modes
    assert system.accelerations(forces, found.p)[[0, 3]] == pytest.approx(rates, abs=1e-11)


@pytest.mark.parametrize("method", [*METHODS[:3], None])
def test_three_cylinders(method: str | None) -> None:
    """They stand iff mu >= 2 - sqrt(3) between and a third of that on the ground."""
    system = Plane(*[(1.0, 0.5)] * 3)
    centres = np.array([[-1.0, 1.0], [1.0, 1.0], [0.0, 1.0 + sqrt(3.0)]])
    for i in (0, 1):
        system.contact(i, (0.0, -1.0), UP)
    for i in (0, 1):
        normal = 0.5 * (centres[2] - centres[i])
        system.contact(2, tuple(-normal), tuple(normal), i, tuple(normal))
    between, ground = 0.267949192431123, 0.0893163974770410
    assert between == pytest.approx(2.0 - sqrt(3.0), abs=1e-15) and ground == pytest.approx(between / 3.0, abs=1e-15)
    above, under = 1.0001, 0.9999  # of the least coefficients
    cases = [(above, above, True), (above, under, False), (under, above, False), (9.0, above, True), (above, 9.0, True)]
    for mu, below, stands in cases:
        friction = [ground * below, ground * below, between * mu, between * mu]
        found = solved(system, system.weight(), friction, method=method).answer
        assert found.code == SOLVED and (np.abs(found.w).max() < 1e-9) == stands and (found.modes == STICK).all() == stands


@pytest.mark.parametrize("out", [0.4 - 1e-9, 0.4 + 1e-9, 0.1, 2.0])
def test_bracket_jams(out: float) -> None:
    """On a pole, bearing length 0.2 m and mu 0.25: two forces +-m g out / length rub, and hold iff 2 mu out >= length."""
    side = np.array([G * out / 0.2])
    loads = [Load(0, 0.25, sign * side, np.zeros((1, 1))) for sign in (1.0, -1.0)]
    found = accelerations(np.eye(1), np.array([-G]), contacts(0, 1), loads=loads)
    assert found.answer.code == SOLVED and found.answer.modes[0] == (STICK if out > 0.4 else SLIP)
    assert found.answer.w[0] == pytest.approx(min(0.0, -G * (1.0 - 2.5 * out)), abs=1e-12)


@pytest.mark.parametrize("method", [None, "newton"])
def test_pin_that_its_reaction_loads(method: str | None) -> None:
    """A rod on a pin turns with w: M = c |R(M)| opposes it, and R depends on M. Against the root of the scalar equation."""
    mass, half, inertia, c, speed, angle = 2.0, 0.6, 0.3, 0.05, 3.0, 0.4
    about = inertia + mass * half**2

    def reaction(moment: float) -> np.ndarray:
        turned = (moment - mass * G * half * sin(angle)) / about
        centre = half * (turned * np.array([cos(angle), sin(angle)]) + speed**2 * np.array([-sin(angle), cos(angle)]))
        return mass * (centre + np.array([0.0, G]))

    moment = brentq(lambda x: x + c * np.linalg.norm(reaction(x)), -100.0, 100.0, xtol=1e-14)
    load = Load(0, c, reaction(0.0), (reaction(1.0) - reaction(0.0))[:, None])
    b = np.array([-mass * G * half * sin(angle) / about])
    found = accelerations(np.eye(1) / about, b, contacts(0, 1), direction=np.ones(1), loads=[load], method=method)
    assert found.answer.code == SOLVED and found.answer.p[0] == pytest.approx(moment, rel=1e-12)
    at_rest = accelerations(np.eye(1) / about, b, contacts(0, 1), loads=[load], method=method).answer
    assert at_rest.modes[0] == SLIP and at_rest.slip[0] == -1.0 and at_rest.residual <= 1e-12


@pytest.mark.parametrize(("shape", "end"), [(0.4, 0.72811999417504), (0.5, 0.849473326537547), (1.0, 1.27420998980632)])
def test_sliding_to_rolling(shape: float, end: float) -> None:
    """Ball, disk and hoop (inertia / m r^2), v 5 m/s, mu 0.2: the slip ends at 5 shape / (mu g (1 + shape)), and then it rolls."""
    radius = 0.1
    system = Plane((1.0, shape * radius**2))
    system.contact(0, (0.0, -radius), UP)
    slides = solved(system, system.weight(), 0.2, direction=np.array([0.0, 1.0])).answer
    rates = system.accelerations(system.weight(), slides.p)
    time = -5.0 / slides.w[1]
    assert time == pytest.approx(end, rel=1e-14)
    assert 5.0 + time * rates[0] == pytest.approx(5.0 / (1.0 + shape), rel=1e-14)
    rolls = solved(system, system.weight(), 0.2).answer
    assert rolls.modes[0] == STICK and np.abs(system.accelerations(system.weight(), rolls.p)).max() < 1e-13


def test_ball_on_a_slope() -> None:
    """It rolls iff mu >= 2/7 tan(slope); 4.05542907888747 m/s2 at 30 degrees and mu 0.1."""
    system = Plane((1.0, 0.4))
    system.contact(0, (0.0, -1.0), UP)
    weight, least = system.weight(pi / 6), 2.0 / 7.0 * tan(pi / 6)
    assert solved(system, weight, least * (1 + 1e-9)).answer.modes[0] == STICK
    assert solved(system, weight, least * (1 - 1e-6)).answer.modes[0] == SLIP
    assert system.accelerations(weight, solved(system, weight, 0.1).answer.p)[0] == pytest.approx(4.05542907888747, abs=1e-13)


def rod(angle: float, slip: float, friction: float = 1.5) -> Accelerations:
    """Painleve's rod of length 2 and mass 1 with its lower end on the ground, inclined by `angle` (degrees), slipping along +-x."""
    a = radians(angle)
    system = Plane((1.0, 1.0 / 3.0))
    system.contact(0, (-cos(a), -sin(a)), UP)
    return solved(system, system.weight(), friction, direction=np.array([0.0, slip]))


def test_painleve() -> None:
    """D_NN - mu D_NT d = 1 + 3 cos^2 - 3 mu sin cos < 0 between 50.64159816 and 73.04846937 degrees, which is said."""
    for angle in (50.6415981, 73.0484694):
        assert abs(1 + 3 * cos(radians(angle)) ** 2 - 4.5 * sin(radians(angle)) * cos(radians(angle))) < 1e-7
    for angle in (50.641599, 60.0, 73.048469):
        found = rod(angle, -1.0)
        assert found.paradox and (found.answer.code, found.answer.contact) == (NO_SOLUTION, 0)
        assert found.friction == 1.5 and found.own_response < 0.0
    for angle in (50.641597, 30.0, 73.048470):
        found = rod(angle, -1.0)
        assert not found.paradox and found.answer.code == SOLVED and found.answer.p[0] > 0.0
    assert not rod(60.0, 1.0).paradox and rod(60.0, -1.0, 1.3).answer.code == SOLVED  # 4/3 is where it begins


def test_several_solutions_are_said() -> None:
    """The same rod where its end would lift: it lifts, or it is pressed without an end to it."""
    D, b = np.array([[1.0, -1.0], [-1.0, 2.0]]), np.array([0.5, 0.0])
    found = accelerations(D, b, contacts(1, 1, 1.5), direction=np.array([0.0, -1.0]))
    assert found.answer.code == SEVERAL and found.paradox and found.own_response == pytest.approx(-0.5)
    assert found.answer.velocities_unique == "not unique"


@pytest.mark.parametrize(
    ("before", "after"),
    [([1, 0, 0, 0, 0], [0, 0, 0, 0, 1]), ([1, 1, 0, 0, 0], [0, 0, 0, 1, 1]), ([1, 0, 0, 0, -1], [-1, 0, 0, 0, 1])],
)
def test_cradle(before: list[float], after: list[float]) -> None:
    """Five equal balls, e = 1, one after the other: as many leave as came."""
    W, v = np.diff(np.eye(5), axis=0), np.array(before, float)
    made = one_after_the_other(W @ W.T, W @ v, contacts(np.ones(4), restitution=1.0))
    assert v + W.T @ made.impulses == pytest.approx(after, abs=1e-14) and abs(made.energy) < 1e-14


def test_cradle_at_once() -> None:
    """All at once one ball is sent back, and the four others go on together: the energy and the momentum are kept, too."""
    W, v = np.diff(np.eye(5), axis=0), np.array([1.0, 0, 0, 0, 0])
    for law in LAWS:
        made = impact(W @ W.T, W @ v, contacts(np.ones(4), restitution=1.0), law)
        assert v + W.T @ made.impulses == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-14) and not made.gains


def test_a_sequence_with_losses_ends() -> None:
    W, v = np.diff(np.eye(5), axis=0), np.array([1.0, 0, 0, 0, -1.0])
    made = one_after_the_other(W @ W.T, W @ v, contacts(np.ones(4), restitution=0.6), closing_speed=1e-6)
    after = v + W.T @ made.impulses
    assert made.answer.code == SOLVED and after.sum() == pytest.approx(0.0, abs=1e-14) and (made.after > -1e-14).all()
    assert made.energy == pytest.approx(0.5 * (after @ after - v @ v), abs=1e-14) and made.energy < -0.3 and made.phases > 5


def test_housner_block() -> None:
    """No slip and no rebound at the new corner: 0.893414307302563 -> 0.814583633128807 rad/s, and the old corner lifts."""
    b, h = 0.1, 0.4
    system = Plane((1.0, (b**2 + h**2) / 3.0))
    for x in (-b, b):
        system.contact(0, (x, -h), UP)
    rate = 0.893414307302563
    v = -rate * np.array([-h, b, 1.0])  # about the corner at -b, clockwise
    made = impact(system.D, system.W @ v, contacts([1, 1], 1, 10.0))
    after = v + system.inverse @ system.W.T @ made.impulses
    turned = 1.0 - 1.5 * b**2 / (b**2 + h**2)
    assert rate * turned == pytest.approx(0.814583633128807, abs=1e-15)
    assert abs(after[2]) == pytest.approx(0.814583633128807, abs=1e-13) and made.modes.tolist() == [OPEN, STICK]


@pytest.mark.parametrize(("friction", "gain"), [(0.0, False), (0.3, True), (0.5, True)])
def test_kane_pendulum(friction: float, gain: bool) -> None:
    """A double pendulum hits a rough floor (Kane and Levinson 1985, section 3.2: 20 and 30 degrees, -0.1 and -0.2 rad/s, e = 0.5).

    By Newton's law it gains energy, which is said; by Poisson's law it loses some.
    """
    a, b, v = radians(20.0), radians(30.0), np.array([-0.1, -0.2])
    mass = np.array([[4.0 / 3.0, 0.5 * cos(a - b)], [0.5 * cos(a - b), 1.0 / 3.0]])
    W = np.array([[sin(a), sin(b)], [cos(a), cos(b)]])
    D, of = W @ np.linalg.inv(mass) @ W.T, contacts(1, 1, friction, restitution=0.5)
    newton, poisson = (impact(D, W @ v, of, law) for law in ("newton", "poisson"))
    assert newton.gains == gain == (newton.energy > 0.0) and newton.after[0] == pytest.approx(-0.5 * (W @ v)[0], rel=1e-13)
    assert not poisson.gains and poisson.energy < 0.0 and poisson.leaves[0]


def test_newtons_law_that_nothing_fulfils_is_said() -> None:
    """A ball that touches two walls cannot leave one of them without passing the other; Poisson's law stops it."""
    W, v = np.array([[1.0], [-1.0]]), np.array([-1.0])
    of = contacts([1, 1], restitution=0.5)
    assert impact(W @ W.T, W @ v, of).answer.code == NO_SOLUTION
    made = impact(W @ W.T, W @ v, of, "poisson")
    assert made.answer.code == SOLVED and made.after == pytest.approx(np.zeros(2), abs=1e-15)
    assert made.answer.impulses_unique == "not unique"


def test_table_of_four_legs() -> None:
    """In space: velocities unique, forces of the legs not; with three legs they are."""
    for legs, unique in ((3, "unique"), (4, "not unique")):
        at = [(cos(k), sin(k)) for k in 2 * pi / legs * np.arange(legs)]
        W = np.array([[1.0, y, -x] for x, y in at])
        found = accelerations(W @ W.T, -G * W[:, 0], contacts(np.ones(legs))).answer
        assert found.p.sum() == pytest.approx(G) and found.impulses_unique == unique and found.velocities_unique == "unique"


def test_friction_of_a_given_torque_during_a_step() -> None:
    """A bound acts for `duration`: at an impact not at all."""
    D, before, of = np.eye(1), np.array([2.0]), contacts(0, 1, fixed=3.0)
    assert impact(D, before, of).impulses[0] == 0.0
    assert impact(D, before, of, duration=0.1).after[0] == pytest.approx(1.7)
    assert impact(D, before, of, duration=1.0).after[0] == 0.0


def test_what_is_refused() -> None:
    below, endless = {"friction": 0.5, "static": 0.4}, {"fixed": np.nan}
    for wrong in ({"friction": -0.1}, {"restitution": 1.1}, {"tangents": 4}, {"normal": 0}, below, endless):
        with pytest.raises(ValueError, match=r"contact|coefficients"):
            contacts(**{"normal": 1, **wrong})
    of = contacts([1, 1], 1)
    for D, b in ((np.eye(3), np.zeros(4)), (np.eye(4), np.zeros(3))):
        with pytest.raises(ValueError, match="of 2 contacts has the shape"):
            accelerations(D, b, of)
    with pytest.raises(ValueError, match="newton or poisson"):
        impact(np.eye(4), np.zeros(4), of, "moreau")
    with pytest.raises(ValueError, match="no duration"):
        impact(np.eye(4), np.zeros(4), of, "poisson", duration=0.1)
    with pytest.raises(ValueError, match="a load of contact 5"):
        accelerations(np.eye(4), np.zeros(4), of, loads=[Load(5, 0.1, np.zeros(1), np.zeros((1, 4)))])


def test_no_contacts() -> None:
    of, D, none = contacts(np.zeros(0, int)), np.zeros((0, 0)), np.zeros(0)
    assert accelerations(D, none, of).answer.code == SOLVED
    for made in (impact(D, none, of), impact(D, none, of, "poisson"), one_after_the_other(D, none, of)):
        assert made.answer.code == SOLVED and made.energy == 0.0 and not made.gains


def test_a_contact_that_cannot_move() -> None:
    """Between bodies that constraints hold: nothing, or no solution, with its name."""
    of, D = contacts([1, 1], 0), np.diag([1.0, 0.0])
    assert accelerations(D, np.array([-1.0, 1.0]), of).answer.p == pytest.approx([1.0, 0.0])
    failed = accelerations(D, np.array([-1.0, -1.0]), of).answer
    assert (failed.code, failed.contact) == (NO_SOLUTION, 1)


def test_many_that_slide_may_fail_and_name_one() -> None:
    """Twelve rods of Painleve beside each other: too many to enumerate, none has a solution, and the one that is blamed slides."""
    alone = rod(60.0, -1.0)
    system = Plane(*[(1.0, 1.0 / 3.0)] * 12)
    a = radians(60.0)
    for i in range(12):
        system.contact(i, (-cos(a), -sin(a)), UP)
    direction = np.tile([0.0, -1.0], 12)
    found = solved(system, system.weight(), 1.5, direction=direction)
    assert found.answer.code == NOT_CONVERGED and found.answer.contact >= 0 and found.answer.residual > 1e-3
    assert found.own_response == pytest.approx(alone.own_response, rel=1e-12)


def test_speeds_of_contacts_that_contradict_each_other_by_round_off_have_an_impact() -> None:
    """Two contacts of a body with three freedoms, whose six speeds are 3e-11 off: it "could not be found", as 1e-12 was asked for."""
    rng, nearest = np.random.default_rng(3), []
    for _ in range(40):
        J = rng.normal(size=(6, 3))
        apart = np.linalg.svd(J)[0][:, 3:] @ rng.normal(size=3)
        hit = impact(J @ J.T, J @ rng.normal(size=3) + 3e-11 * apart / np.linalg.norm(apart), contacts([1, 1], 2, 0.1), LAWS[0], [])
        assert hit.answer.code == SOLVED
        nearest.append(hit.answer.residual)
    assert 1e-12 < max(nearest) < 1e-10
