"""The problems that an event of contacts poses: which contacts they are, what loads them, and what to do where there is no one answer."""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.assembly.unilaterals import Look, Unilateral, tangent_rows
from mbsim.forces._push import BEGIN
from mbsim.march.asked import Asked, Now
from mbsim.march.contact_modes import Decided, Mode
from mbsim.march.ending import Stopped, join_names
from mbsim.system.system import Floats
from mbsim.unilateral.answer import Answer
from mbsim.unilateral.cones import on_cones
from mbsim.unilateral.impacts import Impact
from mbsim.unilateral.problem import NO_SOLUTION, NOT_CONVERGED, SEVERAL, SLIP, SOLVED, STICK, Contacts, Load, contacts
from mbsim.unilateral.sharing import Carries, Shared, nearest, share, shortest_inverse

LED = "a driver or what else is prescribed leads the motion beyond what is closed"
DEAD = 1e-9  # of what bodies respond where nothing holds them, or of the largest acceleration: nothing moves it
ROUND_OFF = 1e-9  # likewise: an acceleration that is zero where a load changes its sign
AHEAD = 1e-4  # links or rad: so far ahead of a dead point it is seen which way a friction slips
NEARLY, EXACTLY = 1e-7, 1e-12  # of a response: by how much less normals differ that act as one, and those that do so but for round-off
# m/s: the absolute tolerance of an implicit integrator up to which slips in space are told as usual, and the largest times coarser: with
# 1e-9 a tenth of such runs of beams end in events without end or in ever smaller steps (`coarseness`)
FINE, MOST_COARSE = 1e-10, 1e4
TURNED = 10.0 / BEGIN  # m/s: a slip in space that is slower is at rest: it may have turned against the direction in which it began
ENDS = 1e-7  # m/s: a slip that is slower ends with that of another support of the same block
AGAINST = 0.5e-9  # m/s: a slip that begins in space against a motion which is faster would end at once (`BACK` of assembly.unilateral)
BEYOND = 1e-6  # of what loads friction at rest in space: by so much more than it can hold, what gives way gives way at once
OF_FREE = 1e-3  # of what forces make of a body that nothing holds: accelerations are small against this at least, and round-off of it none
OPENS = 1e-11  # of the largest acceleration: a gap that grows faster than this opens

Each = tuple[Unilateral, ...]
Fired = Collection[tuple[int, Look]]  # contacts, and what tells of them


class Posed(NamedTuple):
    """A problem in units in which motions along lengths and along angles are of like size (`Asked.units`)."""

    D: Floats  # (N, N)
    b: Floats  # (N,)
    of: Contacts
    direction: Floats  # (N,) of slips that are known
    loads: list[Load]
    units: Floats  # (N,) of each row
    levers: Floats  # (N,) in these units: what efforts are divided by where rows share a load

    def efforts(self, p: Floats) -> Floats:
        """Of efforts or impulses p (N,) in these units those in N and N m."""
        return p / self.units

    def shared(self, size: float) -> Shared | None:
        """What carries where there are more rows than the load determines; `size` is that of efforts of the past."""
        return share(self.D, self.b, self.of, self.direction, self.loads, size, self.levers)

    def yields(self, each: "Each", which: list[int], size: float, held: Mapping[str, float]) -> dict[str, float]:
        """By row the friction of contacts `which` at rest that cannot carry their load, as near to its bounds as it can be, N or N m.

        It is against that by which they begin to slip. Of those that were `held` by some; empty where it is not known.
        """
        found = nearest(self.D, self.b, self.of, self.direction, self.loads, size, self.levers)
        efforts, told = np.zeros(0) if found is None else self.efforts(found), dict[str, float]()
        for k, i in enumerate(which if found is not None else ()):
            mine = slice(self.of.first[k] + self.of.normal[k], self.of.first[k + 1])
            if each[i].tangents and not self.direction[mine].any():
                told |= {
                    name: x for name, x in zip(tangent_rows(each[i]), efforts[mine].tolist(), strict=True) if held.get(name, 0.0) != 0.0
                }
        return told


def posed(D: Floats, b: Floats, of: Contacts, direction: Floats, loads: list[Load], units: Floats, levers: Floats) -> Posed:
    """A problem in other units of its rows (N,): efforts are those times the units. All rows of a contact have one, and one lever."""
    along = units[of.first[:-1]]
    others = [load._replace(factor=load.factor * along[load.contact], response=load.response / units) for load in loads]
    return Posed(D / np.outer(units, units), b / units, of._replace(fixed=of.fixed * along), direction, others, units, levers * units)


def levers_along(each: Each, which: list[int]) -> Floats:
    """(N,) of the rows of some of the contacts, in m of resistances."""
    return np.repeat([each[i].lever for i in which], [len(each[i].pushes) for i in which])


def loaded_beyond(now: Now, accelerated: Floats, closed: Collection[int]) -> Floats:
    """The accelerations without what holds, those along the tangents of contacts larger than they are: a load beyond the bound."""
    found = accelerated.copy()
    for i in closed:
        found[now.rows(i)[1:]] *= 1.0 + BEYOND
    return found


def contacts_of(
    each: Each, which: list[int], friction: Mapping[int, float], fixed: Mapping[int, float], restitution: list[float]
) -> Contacts:
    """Some of the contacts, with their coefficients, bounds that nothing loads, and restitutions."""
    those = [each[i] for i in which]
    return contacts(
        [int(bool(one.normal)) for one in those],
        [one.tangents for one in those],
        [friction[i] for i in which],
        None,
        [fixed.get(i, 0.0) for i in which],
        restitution,
    )


def loads_of(
    each: Each, asked: Asked, now: Now, taking: list[int], rows: NDArray[np.int64], sliding: set[int], impulses: bool
) -> list[Load]:
    """The reactions that load the frictions of joints, the normal forces that load resistances; of impulses what impulses alone make."""
    found = []
    places = np.cumsum([0, *(len(each[i].pushes) for i in taking)])
    normal = {each[i].name: place for i, place in zip(taking, places, strict=False) if each[i].normal}
    for k, i in enumerate(taking):
        for group in each[i].groups:
            if each[i].of:
                free, response = np.zeros(1), np.zeros((1, len(rows)))
                response[0, normal[each[i].of]] = 1.0
            else:
                free, response = asked.reactions(now, group.components, rows)
            factor = group.factor(i not in sliding, asked.system)
            found.append(Load(k, factor, 0.0 * free if impulses else free, response))
    return found


def require(each: Each, found: Answer, taking: list[int], what: str, asked: Asked, D: Floats, of: Contacts) -> None:
    """Raise Stopped where a problem has no solution, or not one."""
    at = asked.time
    if found.code == SOLVED:
        return
    name = each[taking[found.contact]].name if found.contact >= 0 else join_names([each[i].name for i in taking])
    if found.code in (NO_SOLUTION, SEVERAL):
        many = "no solution" if found.code == NO_SOLUTION else "more than one solution"
        if not any(each[i].tangent for i in taking):
            raise Stopped(f"{what} has {many} at '{name}': no friction takes part, so {LED}", at)
        if found.contact >= 0 and each[taking[found.contact]].normal:
            response = D[of.first[found.contact]]
            if np.abs(response).max() <= DEAD * max(float(np.abs(D).max()), asked.mobility):
                raise Stopped(f"{what} has {many} at '{name}': no impulse or force there changes how it closes, so {LED}", at)
        raise Stopped(f"{what} has {many} at '{name}': with this friction the contact jams (Painleve's paradox)", at)
    raise Stopped(f"{what} at '{name}' could not be found: it is {found.residual:.2g} off", at)


def require_newton(each: Each, found: Answer, taking: list[int], by_poisson: Callable[[], Impact], at: float) -> None:
    """Raise Stopped where Newton's law gave no impulses, and Poisson's gives some: what wedges does not rebound as Newton's law asks."""
    if found.code in (NO_SOLUTION, NOT_CONVERGED) and by_poisson().answer.code == SOLVED:
        name = each[taking[found.contact]].name if found.contact >= 0 else join_names([each[i].name for i in taking])
        known = "" if found.code == NO_SOLUTION else " that could be found"
        raise Stopped(
            f"the impact has no solution by Newton's law{known} at '{name}': with this friction the contact wedges, and does "
            "not rebound; Poisson's law has one (`impact_law: poisson`)",
            at,
        )


def stuck(found: Answer, of: Posed, size: float) -> Answer | None:
    """Of several solutions for contacts at rest the one in which all of them stay at rest; None where this is none.

    A slide that jams stays where it is although it may fall as well: without a friction its moment does not press. `size` is that of the
    accelerations of the mechanism.
    """
    D, b = of.D, of.b
    p = -shortest_inverse(D, of.levers, 1e-12) @ b
    if np.abs(D @ p + b).max(initial=0.0) > OPENS * size:
        return None
    if not on_cones(of.of, of.loads, p, OPENS):
        return None
    return found._replace(code=SOLVED, contact=-1, p=p, w=D @ p + b, modes=np.full(len(of.of.normal), STICK), slip=np.zeros(len(b)))


def at_dead_points(each: Each, taking: list[int], posed: Posed, slips: Collection[int], mobility: float, size: float) -> set[int]:
    """The frictions of joints at rest that nothing moves now, whatever acts: the mechanism is at a dead point of theirs.

    `mobility` and `size` are what bodies respond where nothing holds them, and the accelerations of the mechanism (`Asked`).
    """
    D, b, first = posed.D, posed.b, posed.of.first
    least = DEAD * max(float(np.abs(D).max(initial=0.0)), mobility)
    rubs = [(i, first[k]) for k, i in enumerate(taking) if not each[i].normal and not each[i].of and each[i].tangents == 1]
    return {i for i, k in rubs if i not in slips and np.abs(D[k]).max() <= least and abs(b[k]) <= DEAD * size}


def ahead(asked: Asked, now: Now, taking: list[int], p: Floats, dead: Collection[int], undecided: bool) -> dict[int, Floats]:
    """Which way frictions at dead points begin to slip, from rest, with efforts p along the directions of those in `taking`.

    Raises Stopped where that is not known and they are `undecided` otherwise.
    """
    if not dead:
        return {}
    rows = np.concatenate([np.zeros(0, np.int64), *(now.rows(i) for i in taking)])
    v_dot = now.v_dot + asked.responses(rows)[1] @ p
    span = (2.0 * AHEAD / max(asked.turning(v_dot), 1e-300)) ** 0.5
    try:
        later = asked.moved(0.5 * span * span * v_dot, span * v_dot)
    except Stopped:
        if undecided:
            raise
        return {}
    least = ROUND_OFF * float(np.abs(later.speed / asked.units).max()) * asked.units
    return {i: np.sign(later.speed[k]) for i, k in ((i, now.rows(i)) for i in dead) if np.abs(later.speed[k]).max() > least[k].max()}


def doubles(asked: Asked, normals: NDArray[np.int64]) -> list[int]:
    """Places of those among normal directions that move the mechanism nearly as one before them does, as those of two corners that meet.

    Both rows together would hold what turns about the point, by the tiny lever between them. Those that are exactly alike are not meant:
    they hold nothing more, and share their load.
    """
    if len(normals) < 2:
        return []
    moves, units = asked.responses(normals)[1], asked.moves
    moves = moves / units[:, None]
    sizes, found = np.linalg.norm(moves, axis=0), list[int]()
    for k in range(1, len(normals)):
        others = [j for j in range(k) if j not in found]
        apart = np.linalg.norm(moves[:, others] - moves[:, [k]], axis=0) / max(float(sizes[k]), 1e-300)
        if np.any((apart > EXACTLY) & (apart < NEARLY)):
            found.append(k)
    return found


def leave_to_constraints(asked: Asked, v: Floats, fired: Fired, decided: Decided, each: Each) -> None:
    """Let friction at rest that constraints hold as well carry nothing, where an effort of it tells that it does not hold.

    Without contacts nothing moves along it then, so it decides nothing. The shortest multipliers of all rows load it beyond its bound.
    """
    now = asked.at(v)
    for i, look in fired:
        if look == Look.HOLD and decided.mode[i] == Mode.STICKS:
            D = asked.responses(now.rows(i)[-each[i].tangents :])[0]
            if np.abs(D).max() <= DEAD * asked.mobility:
                decided.carries[i] = Carries.NORMAL if each[i].normal else Carries.NOTHING


def beyond(one: Unilateral, by: float) -> str:
    """Why a run stops where what a contact keeps from closing is beyond closed, by m or rad."""
    if one.cable:
        return f"the path of '{one.name}' is longer than the cable, by {by:.3g}"
    return f"the bodies of '{one.name}' are inside each other, or beyond the stop, by {by:.3g}"


def gives_way(one: Unilateral) -> bool:
    """Whether its friction is less where it slips than at rest."""
    slips, holds = [group.slips for group in one.groups], [group.holds for group in one.groups]
    return bool(one.tangent) and (one.fixed, one.friction, slips) != (one.fixed_static, one.static, holds)


def coarseness(atol: float) -> float:
    """By how many times slips in space are told more coarsely where an implicit integrator has this absolute tolerance (m/s).

    A slip begins along what broke loose, and turns with its direction. Its first speeds are errors of the steps. Without a direction that
    outweighs them friction would turn with these errors, and slips would end and begin without end.
    """
    return min(max(1.0, atol / FINE), MOST_COARSE)


def as_it_moves(each: Each, now: Now, taking: list[int], found: Answer, slips: Collection[int], coarse: float) -> dict[int, Floats]:
    """What begins to slip in space against its motion, which is so slow that it counts as rest: which way it moves.

    A slip that passes rest closely turns within a moment. Its friction is against how it moves then, not against how it will.
    """
    told, first = dict[int, Floats](), np.cumsum([0, *(len(each[i].pushes) for i in taking)])
    for k, i in enumerate(taking):
        if found.modes[k] == SLIP and each[i].tangents == 2 and i not in slips:
            moves, begins = now.speed[now.rows(i)][-2:], found.slip[first[k + 1] - 2 : first[k + 1]]
            if moves @ begins < -AGAINST * slowest(each[i], coarse):
                told[i] = moves / np.linalg.norm(moves)
    return told


def slowest(one: Unilateral, coarse: float) -> float:
    """By what a slip is measured where it begins and ends, of that of a body of a metre."""
    return min(1.0, one.near) * (coarse if one.tangents == 2 else 1.0)


def fastest_rest(one: Unilateral, rest: float, ends: Collection[tuple[str, ...]], coarse: float) -> float:
    """The speed up to which a contact does not slip, where slips of some blocks end (m/s or rad/s); `rest` is round-off."""
    slow = slowest(one, coarse)
    return rest * slow if one.tangents == 1 else slow * max(rest, ENDS if one.path in ends else TURNED)
