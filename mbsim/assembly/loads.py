"""The loads of a model's forces, and what they ask of the kernels."""

from functools import partial

from mbsim import registry
from mbsim.assembly.builder import LAW_COORDINATE, Builder
from mbsim.assembly.foreign import given_by
from mbsim.assembly.solved import add_reactions
from mbsim.elements.kinds import ABOUT, BEAM, acts_on, is_common, reads_value
from mbsim.forces._table import BodyForce, Load
from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import ItemError
from mbsim.model.file.errors import ExpressionError, ModelError


def add_loads(builder: Builder) -> None:
    """The loads of all forces. Raises ModelError."""
    table = builder.loads
    for name, force in builder.model.acting().items():
        if not isinstance(force, BodyForce):
            continue
        builder.acting = name
        try:
            loads = given_by(force, f"{force.SECTION.removesuffix('s')} '{name}'", partial(force.loads, builder), Load)
        except registry.PluginError:
            raise
        except ItemError as error:
            offset = error.error.offset if isinstance(error.error, ExpressionError) else None
            stops = builder.model.unilaterals  # a cable that may go slack is one, of the section `constraints`
            made_of = next((one.path for one in stops if one.name == name), (force.SECTION, name))
            raise ModelError([builder.model.problem((*made_of, *error.path), str(error), offset)]) from error
        except ValueError as error:
            builder.refuse(f"{force.SECTION}.{name}.joint", str(error))
        _note_angles(builder, name, force, loads)
        table.forces += [name] * len(loads)
        table.lines += loads


def add_beams(builder: Builder) -> None:
    """The elements of all beams, each between two nodes."""
    table, index = builder.loads, builder.reference.index
    for name, beam in builder.model.beams.items():
        nodes = [index[node] for node in beam.nodes]
        for k, data in enumerate(beam.element_data(builder.dimension)):
            table.forces.append(name)
            table.lines.append(Load(BEAM, nodes[k], nodes[k + 1], -1, data))


def add_rates(builder: Builder) -> None:
    """What the rates and the next values of the model's states read of joints."""
    for name, state in builder.model.states.items():
        read_relative(builder, name, state.law[1])


def add_events(builder: Builder) -> None:
    """What events watch of joints."""
    for name, event in builder.model.events.items():
        read_relative(builder, name, event.when)
        add_reactions(builder, event)


def read_relative(builder: Builder, name: str, expression: Expression) -> None:
    """Make the relative coordinates that an expression of `name` reads."""
    relative = builder.relative
    builder.make_relative([expression])
    for x in expression.names & relative.named.keys():
        if builder.dimension == 3 and relative.lines[relative.named[x]].kind == ABOUT:
            builder.loads.angles.setdefault(relative.named[x], (name, x))


def _note_angles(builder: Builder, name: str, force: BodyForce, loads: list[Load]) -> None:
    """Which force needs the angle of which joint, for the message of a run that turns farther than the angle is known."""
    relative = builder.relative
    read = {x for _, law in force.laws() for x in law.names} | {builder.own_name(LAW_COORDINATE)}
    needed = {relative.named[x] for x in read & relative.named.keys()}
    for row in loads:
        if reads_value(row.kind) or (acts_on("loads", row.kind) == "relative" and "angle" in read):
            needed.add(int(row.data[0]))
    names = {k: coordinate for coordinate, k in reversed(relative.named.items())}  # the first name is the joint's
    for k in needed & names.keys():
        if builder.dimension == 3 and relative.lines[k].kind == ABOUT:
            builder.loads.angles.setdefault(k, (name, names[k]))


def needs_all_elements(builder: Builder) -> bool:
    """Whether the model has elements that the plain kernels do not know."""
    rows, loads = builder.rows.elements, builder.loads.lines
    if builder.relative.lines:
        return True
    return not (all(is_common("rows", row.kind) for row in rows) and all(is_common("loads", load.kind) for load in loads))
