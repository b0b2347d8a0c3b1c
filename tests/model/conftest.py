"""A catalogue of a few leaves of its own, so that the messages tested here do not depend on the shipped joints and forces."""

from collections.abc import Mapping
from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationInfo, model_validator

from mbsim import registry
from mbsim.model.fields import BodyName, CoordinateName, Direction, Law, NonNegativeNumber, PointRef, Vector, VectorLaw, context_of
from mbsim.model.file.errors import ModelError
from mbsim.model.leaves import Constraint, Force, Joint
from mbsim.model.load import load
from mbsim.model.schema import Model


class Revolute(Joint):
    """A hinge."""

    axis: Direction | None = Field(default=None, description="axis of the hinge")

    @model_validator(mode="after")
    def _axis_in_space(self, info: ValidationInfo) -> Any:
        if context_of(info).dimension == 3 and self.axis is None:
            raise ValueError("a spatial revolute joint needs an 'axis'")
        return self


class Prismatic(Joint):
    """A slider."""

    axis: Direction


class Push(Force):
    """A force on a point."""

    body: PointRef
    value: VectorLaw


class SpringDamper(Force):
    """A spring."""

    bodies: Annotated[list[BodyName], Field(min_length=2, max_length=2)]
    at: Annotated[list[Vector], Field(min_length=2, max_length=2)]
    stiffness: NonNegativeNumber | Law = Field(default=0.0, description="N/m")


class Generalized(Force):
    """A generalised force."""

    coordinate: CoordinateName
    value: Law


class Holonomic(Constraint):
    """An equation that is zero."""

    equation: Law


LEAVES: dict[str, dict[str, Any]] = {
    "joints": {"revolute": Revolute, "prismatic": Prismatic},
    "forces": {"push": Push, "spring_damper": SpringDamper, "generalized": Generalized},
    "controllers": {},
    "constraints": {"holonomic": Holonomic},
    "methods": {"svd": None, "lagrange": None, "leap": None},
    "integrators": {"rk4": None},
}


OPTIONS = {
    "svd": [registry.Option("hold", "keep it", True), registry.Option("hold_limit", "how far", 2.0, above=0.0)],
    "leap": [registry.Option("finder", "of roots", "bfs", choices=("bfs", "newton"))],
}


class Catalogue:
    """The same methods as mbsim.registry."""

    def names(self, kind: str) -> list[str]:
        return sorted(LEAVES[kind])

    def leaf(self, kind: str, word: str) -> Any:
        return LEAVES[kind][word]

    def options(self, kind: str, word: str) -> Mapping[str, registry.Option]:
        return {option.name: option for option in OPTIONS.get(word, [])}

    def misfit(self, method: str, integrator: str) -> str:
        return f"leap makes its own steps (got {integrator})" if method == "leap" and integrator != "auto" else ""

    def inexact(self, method: str, chosen: Mapping[str, Any]) -> str:
        return ""

    def unsteady(self, method: str, chosen: Mapping[str, Any]) -> str:
        return ""

    def uncontrolled(self, chosen: Mapping[str, Any]) -> str:
        return registry.uncontrolled(chosen)

    def automatic_integrator(self, stepped: bool, beams: bool = False) -> str:
        return registry.automatic_integrator(stepped, beams)

    def variant(self, text: str) -> tuple[str, dict[str, str]]:
        return registry.variant(text)


CATALOGUE = Catalogue()


def load_text(text: str, **overrides: Any) -> Model:
    """Load YAML text under the name m.yaml."""
    return load(text, CATALOGUE, file="m.yaml", **overrides)


def problems(text: str, **overrides: Any) -> list[str]:
    """The lines of the error that a text gives; empty when it loads."""
    try:
        load_text(text, **overrides)
    except ModelError as error:
        return str(error).splitlines()
    return []


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return CATALOGUE


@pytest.fixture(name="load_text", scope="session")
def _load_text() -> Any:
    return load_text


@pytest.fixture(name="problems", scope="session")
def _problems() -> Any:
    return problems
