"""Environments of Gymnasium over `mbsim.Stepper`, for reinforcement learning (extra `mbsim[gym]`).

env = mbsim.gym.MechanismEnv("cart_pole.yaml", {"push": (-10, 10)}, ["pole.angle", "der(pole.angle)"], "-pole.angle^2", dt=0.02)
"""

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv
from numpy.typing import NDArray

from mbsim.analyses.stepping import Stepper
from mbsim.march.ending import SimulationError
from mbsim.model.expressions.expression import Expression, evaluate, parse
from mbsim.model.file.errors import did_you_mean

if TYPE_CHECKING:
    from mbsim.model.schema import Model

Observation = NDArray[np.float64]
Range = tuple[float, float]
EARLY = 1e-9  # of dt: what the time may lack at the end of an episode


class MechanismEnv(gymnasium.Env[Observation, Observation]):  # type: ignore[misc, unused-ignore] # Any where it is not installed
    """A mechanism that is led by parameters of its laws. Expressions read t, coordinates, speeds, states, parameters and actions.

    An episode ends (`terminated`) where the run of the model does: at its stop expression or an event, where `terminate` is greater than 0,
    and where the run cannot go on, which `info["failure"]` says. It is cut off (`truncated`) after `duration` s.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        model: "str | Path | Mapping[str, Any] | Model",
        actions: Mapping[str, Range],
        observe: Sequence[str],
        reward: str,
        dt: float,
        duration: float | None = None,
        terminate: str | None = None,
        start: Mapping[str, Range] | None = None,
        *,
        parameters: Mapping[str, float | str] | None = None,
        **settings: Any,
    ) -> None:
        """`actions`: parameters with their bounds; `observe`: expressions; `start`: coordinates and speeds with ranges of random starts.

        `settings` are those of `mbsim.Stepper`. Raises what that raises, and ValueError for unknown names and bounds that make no sense.
        """
        if not dt > 0.0 or not np.isfinite(dt):
            raise ValueError(f"dt must be greater than 0 (got {dt!r})")
        for what, ranges in (("actions", actions), ("start", start or {})):
            for name, bounds in ranges.items():
                if len(bounds) != 2 or not (np.isfinite(bounds).all() and bounds[0] <= bounds[1]):
                    raise ValueError(f"{what}: expected two bounds (low, high) of {name!r} (got {bounds!r})")
        self._dt, self._duration = dt, duration
        self._sim = Stepper(model, list(actions), parameters=parameters, **settings)
        self._start = dict(start or {})
        self._laws = {text: self._read(text) for text in (*observe, reward, *([] if terminate is None else [terminate]))}
        self._observe, self._reward, self._terminate = list(observe), reward, terminate
        for name in self._start:
            if name not in (names := [*self._sim.coordinates, *self._sim.speeds]):
                raise ValueError(f"start: unknown name {name!r}{did_you_mean(name, names)}")
        low, high = np.array(list(actions.values()), float).reshape(-1, 2).T
        self.action_space = spaces.Box(low, high, dtype=np.float64)
        self.observation_space = spaces.Box(-np.inf, np.inf, (len(self._observe),), np.float64)
        self._applied = dict.fromkeys(actions, 0.0)
        self._last = np.zeros(len(self._observe))

    @property
    def stepper(self) -> Stepper:
        """The run."""
        return self._sim

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode, at a random start within the ranges; `options` may hold `q` and `v` as of `mbsim.simulate`."""
        super().reset(seed=seed)
        drawn = {name: float(self.np_random.uniform(*bounds)) for name, bounds in self._start.items()}
        q = {name: x for name, x in drawn.items() if name in self._sim.coordinates} or None
        v = {name: x for name, x in drawn.items() if name in self._sim.speeds} or None
        given = options or {}
        self._sim.reset(given.get("q", q), given.get("v", v))
        self._applied = {name: self._sim.parameters[name] for name in self._applied}
        self._last = self._observed()
        return self._last.copy(), {}

    def step(self, action: Observation) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Go on by dt with an action, which is held within its bounds."""
        box = self.action_space
        assert isinstance(box, spaces.Box)
        applied = np.clip(np.asarray(action, float).reshape(box.shape), box.low, box.high)
        self._applied = dict(zip(self._applied, applied.tolist(), strict=True))
        info: dict[str, Any] = {}
        try:
            self._sim.step(self._dt, self._applied)
        except SimulationError as error:
            info["failure"] = str(error)
            return self._last.copy(), 0.0, True, False, info
        self._last = self._observed()
        if self._sim.stopped:
            info["stopped"] = self._sim.stopped
        terminated = bool(self._sim.stopped) or (self._terminate is not None and self._value(self._terminate) > 0.0)
        truncated = self._duration is not None and self._sim.time >= self._duration - EARLY * self._dt
        return self._last.copy(), self._value(self._reward), terminated, truncated and not terminated, info

    def copy(self) -> "MechanismEnv":
        """An environment of its own in the same state; the model is not assembled again."""
        other = copy(self)
        other._sim, other._last = self._sim.copy(), self._last.copy()
        other._np_random = other._np_random_seed = None
        return other

    def _read(self, text: str) -> Expression:
        sim = self._sim
        known = ["t", *sim.coordinates, *sim.speeds, *sim.states, *sim.parameters]
        try:
            expression = parse(text, states=frozenset(sim.states))
        except ValueError as error:
            raise ValueError(f"{text!r}: {error}") from None
        for name in sorted(expression.names - set(known)):
            raise ValueError(f"{text!r}: unknown name {name!r}{did_you_mean(name, known)}")
        return expression

    def _value(self, text: str) -> float:
        sim = self._sim
        names, parameters = self._laws[text].names, sim.parameters
        values = {name: sim.time if name == "t" else parameters[name] if name in parameters else sim[name] for name in names}
        return evaluate(self._laws[text], values)

    def _observed(self) -> Observation:
        return np.array([self._value(text) for text in self._observe])


def vectorize(env: MechanismEnv, count: int) -> SyncVectorEnv:
    """So many copies of an environment side by side, as a vector environment of Gymnasium. The model is assembled once."""
    if count < 1:
        raise ValueError(f"count must be 1 at least (got {count!r})")
    return SyncVectorEnv([env.copy for _ in range(count)])
