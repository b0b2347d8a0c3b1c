"""The effort that carries the weight behind a joint, at samples: C' lam + B u = -g at rest (`mbsim.system.solved_samples`)."""

from typing import Self

from pydantic import model_validator

from mbsim.controllers._solved import SolvedController
from mbsim.forces._table import Geometry
from mbsim.model.sampling import Clock


class GravityCompensation(SolvedController):
    """A motor that holds its joint against gravity, and against nothing else."""

    @model_validator(mode="after")
    def _leads_nothing(self) -> Self:
        for key in ("target", "target_rate"):
            if key in self.model_fields_set:
                raise ValueError(f"unknown key '{key}': a gravity_compensation carries the weight and has no target")
        return self

    def wanted(self, geometry: Geometry, x: str, clock: Clock) -> str:
        return ""
