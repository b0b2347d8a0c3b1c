"""Masses and inertias that change in place: a row of a table each, where nothing else is made of them.

`in_place` tries it with other numbers before it is taken: a load or a row may be made of a mass.
"""

from mbsim.assembly.bodies import Bodies
from mbsim.assembly.start import Given
from mbsim.studies.runner.planar import Fields
from mbsim.system.system import JointRecord, System

WEIGHTS = ("mass", "inertia")  # what of a body


class Weights:
    """What puts them into the arrays of bodies in space."""

    def __init__(self, source: Bodies, system: System, given: Given) -> None:
        self._system, self._given, self._masses = system, given, system.arrays.masses
        self._rows = {name: k for k, name in enumerate(source.builder.model.bodies)}

    @classmethod
    def of(cls, source: object, system: System, given: Given, fields: Fields | None) -> "Weights | None":
        """None where other numbers vary too, and where bodies are no rows of the table."""
        if fields is None or not isinstance(source, Bodies) or source.builder.reference.planar or not fields:
            return None
        fits = all(section == "bodies" and set(values) <= set(WEIGHTS) for (section, _), values in fields.items())
        return cls(source, system, given) if fits and len(source.builder.model.bodies) == len(system.arrays.masses) else None

    def fill(self, fields: Fields) -> Given:
        """Put numbers into the arrays; returns the start, which does not depend on them."""
        for (_, name), values in fields.items():
            row = self._masses[self._rows[name]]
            if "mass" in values:
                row[0] = values["mass"]
            if "inertia" in values:
                row[1:] = [x for line in values["inertia"] for x in line]
        return self._given

    def joint_records(self) -> list[JointRecord]:
        """As `Bodies.joint_records`: masses move no joint."""
        return self._system.joints
