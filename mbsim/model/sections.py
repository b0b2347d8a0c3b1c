"""The keys at the top of a model file, each described once. What stands below a key is described by the fields of its block.

Reading, checks, messages and the JSON schema ask this table.
"""

from dataclasses import dataclass
from typing import Literal

from mbsim.model.beams import Beam
from mbsim.model.contacts import ContactBlock
from mbsim.model.drivers import Driver
from mbsim.model.elastic import Elastic
from mbsim.model.events import EventBlock
from mbsim.model.file.plain import Mapped
from mbsim.model.leaves import Block
from mbsim.model.measures import MeasureBlock
from mbsim.model.names import GROUND
from mbsim.model.reference import Reference
from mbsim.model.schema import Body, Energy, Ground, Simulation
from mbsim.model.schemas import NAME, NUMBER, VECTOR
from mbsim.model.states import State
from mbsim.model.table_block import TableBlock


@dataclass(frozen=True)
class Section:
    """A key at the top of the file. Of a leaf's section (`noun`) the block of each name is the class that its `type` names."""

    help: str = ""  # empty: what its block says of itself
    block: type[Block] | None = None  # its block; where it has names, that of each name
    noun: str = ""  # of leaves
    schema: Mapped | None = None  # of its value, or of that of each name, where no block has one
    names: Literal["", "alone", "before_a_dot"] = ""  # names that the user chooses, and how they stand in expressions
    short: str = ""  # the key of its block, a law, that may stand in place of the block
    of_bodies: bool = False  # a model in the user's own coordinates cannot have it
    has_laws: bool = False  # of expressions that are evaluated during the run
    apart: str = ""  # sections with the same word here do not share a name


_ROWS = "multipliers"  # whose rows have names
_RECORDS = "records of forces"

SECTIONS: dict[str, Section] = {
    "name": Section("title of the model", schema=NAME),
    "dimension": Section("2: bodies live in the x-y plane", schema={"enum": [2, 3], "default": 3}, of_bodies=True),
    "gravity": Section("acceleration of gravity, global frame, m/s^2", schema=VECTOR, of_bodies=True),
    "parameters": Section("numbers, or expressions over other parameters", schema=NUMBER, names="alone"),
    "let": Section("names of expressions that laws, constraints, measures and events may use", schema=NUMBER, names="alone"),
    "tables": Section("functions of one argument, given by points, that laws call by name", TableBlock, names="alone"),
    "coordinates": Section(
        "absolute coordinates of the bodies (default), those of the joints, or the user's own",
        schema={"anyOf": [{"enum": ["absolute", "joint"]}, {"type": "array", "items": NAME, "minItems": 1, "uniqueItems": True}]},
    ),
    GROUND: Section("the fixed body", Ground, of_bodies=True),
    "bodies": Section("rigid bodies", Body, names="before_a_dot", of_bodies=True),
    "beams": Section("slender bodies that bend, stretch, shear and twist", Beam, names="before_a_dot", of_bodies=True),
    "elastic": Section("elastic parts of finite elements, by their matrices", Elastic, names="before_a_dot", of_bodies=True),
    "joints": Section("joints between bodies", noun="joint", names="before_a_dot", of_bodies=True, has_laws=True, apart=_ROWS),
    "drivers": Section("prescribed motions", Driver, names="before_a_dot", has_laws=True, apart=_ROWS),
    "forces": Section("forces", noun="force", names="before_a_dot", has_laws=True, apart=_RECORDS),
    "controllers": Section("controllers of coordinates", noun="controller", names="before_a_dot", has_laws=True, apart=_RECORDS),
    "contacts": Section("what touches and leaves each other", ContactBlock, names="before_a_dot", has_laws=True, apart=_ROWS),
    "constraints": Section("constraint equations", noun="constraint", names="before_a_dot", has_laws=True, apart=_ROWS),
    "states": Section(
        "quantities with a rate of their own, such as the integral of a controller", State, names="alone", short="rate", has_laws=True
    ),
    "energy": Section(block=Energy, has_laws=True),
    "initial": Section(
        "start values: theta, der(theta), crank.velocity ...",
        schema={
            "type": "object",
            "properties": {"fix": {"type": "array", "items": NAME, "description": "names that assembly must keep"}},
            "additionalProperties": {"anyOf": [NUMBER, {"type": "array", "items": NUMBER}]},
        },
    ),
    "steady": Section(
        "speeds of a steady motion, which mbsim equilibrium then finds: der(theta), wheel.omega.y ...",
        schema={"type": ["object", "null"], "additionalProperties": NUMBER},
    ),
    "simulation": Section(block=Simulation, has_laws=True),
    "measures": Section(
        "expressions over what a run records, recorded beside it", MeasureBlock, names="alone", short="value", has_laws=True
    ),
    "events": Section("what happens where expressions cross zero", EventBlock, names="before_a_dot", has_laws=True),
    "reference": Section(block=Reference),
}

OF_FORCES = ("forces", "controllers")  # the sections of Force and its subclasses
