"""The section `beams` -> nodes among the bodies of a model, and clamped ends among its joints."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from mbsim.model import beam_names
from mbsim.model.beams import Beam
from mbsim.model.fields import Context, Point
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.names import GROUND
from mbsim.model.rephrase import Fault
from mbsim.model.report import Report
from mbsim.model.rotations import matrix_from_quaternion, quaternion_from_matrix
from mbsim.model.schema import Body, Ground

if TYPE_CHECKING:  # reading other models does not need numpy
    import numpy as np

    from mbsim.model.beam_nodes import Layout


class Named(NamedTuple):
    """The data of a file with the names of nodes and clamps in it."""

    data: Mapped
    elements: dict[str, int]  # of each beam; 0 of those that cannot be read
    parts: int = 1  # into which each of them is cut

    def bodies(self) -> dict[str, Plain]:
        """The names of all bodies, and the blocks of those that are no nodes."""
        given = self.data.get("bodies")
        found = dict(given) if isinstance(given, dict) else {}
        return found | {node: None for beam, count in self.elements.items() for node in beam_names.nodes(beam, count, self.parts)}


class Placed(NamedTuple):
    """What is known of bodies when beams are laid between them."""

    bodies: Mapping[str, Body]
    ground: Ground

    def locate(self, end: object) -> "np.ndarray | None":
        """Where a point or a place (global, m) is: (3,); None of a body whose block is wrong."""
        import numpy as np

        if not isinstance(end, Point):
            return np.array([*end, 0.0][:3], float)  # type: ignore[misc]
        if end.body == GROUND:
            return np.array([*(self.ground.points[end.point] if end.point else ()), 0.0, 0.0, 0.0][:3], float)
        body = self.bodies.get(end.body)
        if body is None:
            return None
        local = np.array([*(body.points[end.point] if end.point else ()), 0.0, 0.0, 0.0][:3], float)
        turned = np.array(matrix_from_quaternion(body.quaternion)) @ local
        return np.asarray(np.array([*body.position, 0.0][:3], float) + turned)


def named(data: Mapped, context: Context, report: Report) -> Named:
    """The data with bodies in place of what stands for nodes of beams."""
    beams = data.get("beams")
    if not isinstance(beams, dict) or not beams:
        return Named(data, {})
    if data.get("coordinates") == "joint":
        needed = "beams need absolute coordinates: their nodes are free bodies; leave out `coordinates: joint`"
        report.add(Fault(("beams",), needed, "key"))
    elements = beam_names.counts(beams, context)
    naming = beam_names.Naming(elements, beams, context.parts)
    found = naming.data(data)
    for wrong in (*naming.faults, *beam_names.taken(elements, data)):
        report.add(wrong)
    clamps: Mapped = {}
    for name, count in elements.items():
        block = beams[name]
        assert isinstance(block, dict)
        ends = block.get("clamped")
        made = [beam_names.clamp(name, which) for which in ("start", "end") if isinstance(ends, list) and which in ends]
        clamps |= {joint: {"type": "fixed"} for joint in made}
        origin = ("beams", name)
        report.document.made |= {("bodies", node): origin for node in beam_names.nodes(name, count, context.parts)}
        report.document.made |= dict.fromkeys((("joints", joint) for joint in made), origin)
    joints = found.get("joints")
    if clamps and (joints is None or isinstance(joints, dict)):
        found = {**found, "joints": {**(joints or {}), **clamps}}
    return Named(found, elements, context.parts)


def read_beams(of: Named, context: Context, placed: Placed, report: Report) -> tuple[dict[str, Beam], dict[str, Body]]:
    """The beams and their nodes; clamped ends get their places in the section `joints` of the data."""
    blocks, joints = of.data.get("beams"), of.data.get("joints")
    names = list(blocks) if isinstance(blocks, dict) else []
    read = {name: report.read(Beam, ("beams", name), blocks[name], context) for name in names} if isinstance(blocks, dict) else {}
    beams: dict[str, Beam] = {}
    nodes: dict[str, dict[str, Body]] = {}
    for name in _ordered(read, of.elements, report):
        found = read[name]
        if found is None or not of.elements.get(name):
            continue
        known = placed._replace(bodies={**placed.bodies, **{node: body for made in nodes.values() for node, body in made.items()}})
        made = _made(name, found, of.elements[name], context, known, report)
        if made is not None:
            beams[name], nodes[name] = found, made
    for name in names:
        if name not in beams:
            if isinstance(joints, dict):
                for which in ("start", "end"):
                    joints.pop(beam_names.clamp(name, which), None)
            report.skip(("beams", name))
            continue
        for which in beams[name].clamped:
            body = f"{name}_{which}"
            place: list[Plain] = [*nodes[name][body].position]
            if isinstance(joints, dict):
                joints[beam_names.clamp(name, which)] = {"type": "fixed", "bodies": [beams[name].fixed_to(which), body], "at": place}
    made_of = {node: body for name in names if name in nodes for node, body in nodes[name].items()}
    return {name: beams[name] for name in names if name in beams}, made_of


def _ordered(read: Mapping[str, Beam | None], elements: Mapping[str, int], report: Report) -> list[str]:
    """The beams, each after those from whose nodes it goes. Beams that wait for each other are reported, and left out."""
    owner = {node: name for name, count in elements.items() for node in beam_names.nodes(name, count)}
    awaited = {
        name: {owner[end.body] for which in ("start", "end") if (end := beam.end(which)) is not None and end.body in owner}
        for name, beam in read.items()
        if beam is not None
    }
    found: list[str] = []
    while awaited:
        ready = [name for name, others in awaited.items() if not others & awaited.keys()]
        if not ready:
            for name, others in awaited.items():
                told = ", ".join(sorted(others & awaited.keys()))
                report.add(Fault(("beams", name), f"where it is follows from {told}, and that from it: give places (x, y ...)", "key"))
            break
        found += ready
        awaited = {name: others for name, others in awaited.items() if name not in ready}
    return found


def _made(name: str, beam: Beam, elements: int, context: Context, placed: Placed, report: Report) -> dict[str, Body] | None:
    """The bodies of a beam, which is laid out; None where something is wrong with it."""
    from mbsim.model.beam_nodes import lay_out

    dimension, nodes = context.dimension or 3, beam_names.nodes(name, elements, context.parts)
    ends = [None, None] if beam.points is not None else [placed.locate(getattr(beam, key)) for key in ("from", "to")]
    if beam.points is None and any(end is None for end in ends):
        return None
    try:
        layout = lay_out(beam, dimension, *ends)
        found = _bodies(nodes, beam, layout, context)
    except ValidationError as error:
        report.add(Fault(("beams", name), f"a node cannot be a body: {error.errors()[0]['msg']}"))
        return None
    except ValueError as error:
        report.add(Fault(("beams", name), str(error), "key"))
        return None
    beam.lay(nodes, layout.screws, layout.lengths)
    return found


def _bodies(names: list[str], beam: Beam, layout: "Layout", context: Context) -> dict[str, Body]:
    import numpy as np

    from mbsim.model.beam_nodes import node_masses

    planar = context.dimension == 2
    masses, inertias = node_masses(beam, layout)
    spin = np.zeros(3) if beam.angular_velocity is None else np.array(beam.angular_velocity)
    start = np.zeros(3) if beam.velocity is None else np.array([*beam.velocity, 0.0][:3])
    moves = beam.velocity is not None or beam.angular_velocity is not None
    found = {}
    for k, name in enumerate(names):
        data: Mapped = {"mass": float(masses[k]), "position": layout.places[k][: 2 if planar else 3].tolist()}
        if planar:
            data |= {"inertia": float(inertias[k, 2]), "angle": float(layout.angles[k])}
        else:
            data |= {"inertia": inertias[k].tolist(), "orientation": {"quaternion": [*quaternion_from_matrix(layout.axes[k].tolist())]}}
        if moves:
            velocity = start + np.cross(spin, layout.places[k] - layout.places[0])
            data["velocity"] = velocity[: 2 if planar else 3].tolist()
            turns: list[Plain] = [*spin.tolist()]
            data["angular_velocity"] = turns[2] if planar else turns
        found[name] = Body.model_validate(data, context=context)
    return found
