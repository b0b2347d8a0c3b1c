"""Generalised force on one of the user's own coordinates: adds `value` to that coordinate's row of h."""

from pydantic import Field

from mbsim.model.fields import CoordinateName, Law
from mbsim.model.leaves import Force


class Generalized(Force):
    """Q for der(coordinate); its work counts as work of non-conservative forces."""

    NEEDS = "coordinates"

    coordinate: CoordinateName = Field(description="one of `coordinates`")
    value: Law = Field(description="expression of t, coordinates and der(coordinate)")
