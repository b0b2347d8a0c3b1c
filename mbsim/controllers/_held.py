"""The effort of a controller that takes samples, every T s, and is held between them.

    e_k = target - x                                   at sample k
    z_k = z_(k-1) + T e_k                              backward Euler
    d_k = (filter d_(k-1) + e_k - e_(k-1)) / (filter + T),   d_0 = 0     backward Euler of s / (filter s + 1); without `filter` the rate
                                                       of the error as it is at the sample, target_rate - x_dot
    effort_k = kp e_k + ki z_k + kd d_k + feedforward

With a limit the integral is led back by what the limit takes off, as in continuous time: z_k += T (effort within - effort without) /
(ki tracking_time). Astrom & Wittenmark, Computer-Controlled Systems, 1997, sec. 8.5.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from mbsim.forces._table import OwnLaws
from mbsim.model.expressions.calculus import substitute
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.sampling import Clock, Held

EFFORT, ERROR, SLOPE, INTEGRAL = "effort", "error", "error_rate", "integral"
EFFORTS = {"rad s": "N m", "m s": "N"}  # units: of the integral of the error -> of the effort
ERRORS = {"rad s": ("rad", "rad s-1"), "m s": ("m", "m s-1")}  # likewise -> of the error and its rate


class Sampling(Protocol):
    """What is asked of a controller that takes samples."""

    @property
    def STATES(self) -> tuple[str, ...]:
        """Its states where it takes none."""

    @property
    def sample(self) -> float | None:
        """s."""

    @property
    def offset(self) -> float:
        """s."""

    @property
    def filter(self) -> float | None:
        """s."""

    @property
    def kd(self) -> float | None:
        """See `mbsim.controllers._table`."""

    @property
    def target(self) -> Expression | None:
        """Of the coordinate."""

    @property
    def feedforward(self) -> Expression | None:
        """Of the effort."""

    @property
    def limit(self) -> list[float] | None:
        """Of the effort."""

    @property
    def integral_begun(self) -> float:
        """The integral of the error at the start."""

    def rate_of_target(self, laws: OwnLaws) -> Expression:
        """The rate of the target. Raises ItemError."""


def held_names(states: Sequence[str], filtered: bool) -> tuple[str, ...]:
    """The states of a controller that takes samples; `states` are those of one that does not."""
    return (EFFORT, *states, *((ERROR, SLOPE) if filtered else ()))


def hold_effort(of: Sampling, laws: OwnLaws, numbers: Mapping[str, str], x: str, unit: str) -> Expression:
    """The law of the held effort, with its states. Arguments as of `CoordinateController.effort`. Raises ItemError."""
    assert of.sample is not None
    clock, period = Clock(of.sample, of.offset), laws.number("sample", of.sample)
    values: dict[str, Expression] = {}

    def read(text: str) -> Expression:
        return substitute(parse(text), values)

    def hold(name: str, text: str, start: float, its_unit: str, before: str = "") -> None:
        laws.hold(name, Held(clock, read(text), read(before) if before else None), start, its_unit)

    terms, error, of_error = [], f"(target - {x})", ERRORS.get(unit, ("1", "s-1"))
    if of.target is not None:
        values["target"] = of.target
        terms.append(f"{numbers['kp']}*{error}")
    if of.filter is not None:
        lag = laws.number("filter", of.filter)
        slope = f"(({lag}*{laws.own_name(SLOPE)} + {error} - {laws.own_name(ERROR)})/({lag} + {period}))"
        terms.append(f"{numbers['kd']}*{slope}")
    elif of.kd is not None:
        values["target_rate"] = of.rate_of_target(laws)
        terms.append(f"{numbers['kd']}*(target_rate - der({x}))")
    if of.feedforward is not None:
        values["feedforward"] = of.feedforward
        terms.append("feedforward")
    sum_ = f"({laws.own_name(INTEGRAL)} + {period}*{error})"
    if INTEGRAL in of.STATES:
        terms.append(f"{numbers['ki']}*{sum_}")
    wanted = " + ".join(terms)
    effort = wanted if of.limit is None else f"max({numbers['lower_limit']}, min({numbers['upper_limit']}, {wanted}))"
    hold(EFFORT, effort, 0.0, EFFORTS.get(unit, "1"))
    if INTEGRAL in of.STATES:
        back = "" if of.limit is None else f" + {period}*{numbers['tracking']}*({effort} - ({wanted}))"
        hold(INTEGRAL, sum_ + back, of.integral_begun, unit)
    if of.filter is not None:
        hold(ERROR, error, 0.0, of_error[0], before=error)
        hold(SLOPE, slope, 0.0, of_error[1])
    return parse(laws.own_name(EFFORT))
