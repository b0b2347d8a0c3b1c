"""Stops, contacts and dry friction as a run needs them: what holds, what pushes, what tells when that changes.

Each is a contact with a normal direction, with tangents, or with both. A stop has a normal direction alone, the friction of a joint a
tangent alone. Each direction has a row that comes and goes, as if an event locked it, and an effort along it. They are added to a model
before a system is made of it, under names made of the user's: `knee_lower`, `knee_friction`, `floor`, `floor_stick`.
`mbsim.march.unilateral` says when which of them holds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mbsim.assembly.cables import drawn_angle, rims, slides
from mbsim.assembly.contact_pairs import sites
from mbsim.assembly.contact_sites import ContactRow, ResistanceRow, RimRow, Site
from mbsim.assembly.gap_sides import sides as sides_of
from mbsim.assembly.reference import ReferenceConfiguration
from mbsim.assembly.unilaterals import Group, Look, Unilateral, Unilaterals, Wrap, near_of
from mbsim.constraints._rubbing import Rubbing
from mbsim.constraints.holonomic import Holonomic
from mbsim.constraints.nonholonomic import Nonholonomic
from mbsim.constraints.pulley_cable import PulleyCable
from mbsim.forces._push import (
    BEGIN,
    PUSH,
    SPARE,
    CablePush,
    ContactPush,
    FlankPush,
    GapPush,
    Push,
    ResistancePush,
    RubPush,
    play_of,
    push_name,
)
from mbsim.joints._coupling import Flank, RowCoupling
from mbsim.joints._table import TableJoint
from mbsim.model.contacts import ContactBlock
from mbsim.model.drivers import Driver
from mbsim.model.events import Action, Event, switched
from mbsim.model.expressions.calculus import derivative, partial
from mbsim.model.expressions.expression import Expression, evaluate, parse
from mbsim.model.expressions.parsed import combine
from mbsim.model.fields import ItemError
from mbsim.model.file.errors import ModelError
from mbsim.model.formulas import with_fields
from mbsim.model.lockable import lockable
from mbsim.model.names import GROUND, der
from mbsim.model.schema import Model
from mbsim.model.stops import CLOSING_SPEED, Backlash, Friction

NOT_TOLD = "0"  # in place of an effort, which multipliers tell while the contact holds: larger, it would hide small ones
BACK = 1e-9  # m/s: a slip in space has ended that is so far beyond zero; `start` is a direction over BEGIN


def unilaterals(model: Model) -> tuple[list[Unilateral], dict[str, Site]]:
    """The contacts of a model, and where those of bodies are. Raises ModelError."""
    found: list[Unilateral] = []
    where: dict[str, Site] = {}
    problems = []
    for joint, block in model.joints.items():
        if isinstance(block, TableJoint) and (block.stops or block.backlash or block.friction):
            try:
                found += _of_joint(joint, block, model)
            except ValueError as error:
                problems.append(model.problem(("joints", joint, "friction"), str(error)))
    for name, coupling in model.couplings.items():
        if isinstance(coupling, RowCoupling) and coupling.backlash is not None:
            if name in lockable(model):
                problems.append(
                    model.problem(("joints", name, "backlash"), "what events lock and unlock has no backlash; leave out one of both")
                )
            found += _flanks(name, coupling, coupling.backlash)
    for name, contact in model.contacts.items():
        try:
            if contact.gap is not None:
                found += _of_gap(name, contact, contact.gap, model)
                continue
            for label, pair in contact.pairs(name):
                for site in sites(label, pair, {**model.bodies, GROUND: model.ground}, model.dimension or 3):
                    if site.name in where:
                        raise ValueError(f"two contacts would be called '{site.name}'; rename this one")
                    where[site.name] = site
                    found.append(_of_site(name, contact, site))
                    if not site.still:
                        found += [_of_resistance(name, site, drills, length) for drills, length in pair.resistances.items()]
        except ValueError as error:
            problems.append(model.problem(("contacts", name), str(error)))
    taken = {*model.joints, *model.couplings, *model.drivers, *model.constraints, *model.acting(), *model.events}
    cables = _cables(model)
    if cables:
        found += [_of_cable(name, cable, model) for name, cable in cables.items()]
        taken -= cables.keys() - model.acting().keys()
    for name, constraint in model.constraints.items():
        if isinstance(constraint, PulleyCable) and any(station.rubs for station in constraint.path):
            try:
                found += _rubbing(name, constraint, model)
            except ItemError as error:
                problems.append(model.problem(("constraints", name, "path", *error.path[1:]), str(error)))
            except ValueError as error:
                problems.append(model.problem(("constraints", name), str(error)))
    for one in found:
        for name in {one.name, one.normal, one.tangent} - {""}:
            if name in taken:
                problems.append(model.problem(one.path, f"its row would be called '{name}', a name that is taken; rename that"))
    if problems:
        raise ModelError(problems)
    return found, where


def _of_joint(joint: str, block: TableJoint, model: Model) -> Iterator[Unilateral]:
    choices = block.bounded(model.dimension or 3)
    for stops in block.bounds():
        coordinate = stops.coordinate_of(block.type, choices)
        prefix, x = joint if len(choices) == 1 else f"{joint}_{coordinate}", f"{joint}.{coordinate}"
        for word, sign, bound in (("lower", 1.0, stops.lower), ("upper", -1.0, stops.upper)):
            if bound is not None:
                name, minus = f"{prefix}_{word}", "" if sign > 0.0 else "-"
                texts: dict[Look, str | Expression] = {
                    Look.GAP: f"{minus}({x} - ({bound!r}))",
                    Look.SPEED: f"{minus}der({x})",
                    Look.PRESS: NOT_TOLD,
                }
                near, path = max(1.0, abs(bound)), ("joints", joint, "stops")
                made = Unilateral(name, path, name, "", 0, (push_name(name, 0),), texts, sign=sign, near=near)
                made = replace(made, restitution=stops.restitution, closing_speed=stops.closing_speed)
                yield replace(made, joint=joint, coordinate=coordinate, bound=bound)
    for friction in block.friction:
        coordinate = friction.coordinate_of(block.type, choices)
        name = f"{joint if len(choices) == 1 else f'{joint}_{coordinate}'}_friction"
        texts = {Look.SLIDE: f"der({joint}.{coordinate})", Look.HOLD: NOT_TOLD}
        made = Unilateral(
            name, ("joints", joint, "friction"), "", name, 1, (push_name(name, 0),), texts, joint=joint, coordinate=coordinate
        )
        if friction.coefficient is None:
            yield replace(made, fixed=friction.slips, fixed_static=friction.holds)
        else:
            yield replace(made, groups=_loads(joint, block, friction, coordinate, model))


def _flanks(name: str, coupling: RowCoupling, play: Backlash) -> Iterator[Unilateral]:
    """Those of a coupling with play."""
    for word, sign, bound in zip(("lower", "upper"), (1.0, -1.0), play.flanks, strict=True):
        label, minus = f"{name}_{word}", "" if sign > 0.0 else "-"
        moved, speed = play_of(label, name)
        texts: dict[Look, str | Expression] = {
            Look.GAP: f"{minus}({moved} - {label}.bound)",
            Look.SPEED: f"{minus}{speed}",
            Look.PRESS: NOT_TOLD,
        }
        near, path = max(1.0, abs(bound)), ("joints", name, "backlash")
        flank = Flank.model_construct(
            type="flank", joints=coupling.joints, locked=False, backlash=None, of=coupling, name=name, bound=bound
        )
        made = Unilateral(label, path, label, "", 0, (push_name(label, 0),), texts, sign=sign, near=near, flank=flank)
        yield replace(made, restitution=play.restitution, closing_speed=play.closing_speed)


def _loads(joint: str, block: TableJoint, friction: Friction, coordinate: str, model: Model) -> tuple[Group, ...]:
    """The reactions that load the friction of a joint. Raises ValueError for a joint whose reactions are not those of rows alone."""
    if model.in_joint_coordinates:
        raise ValueError("friction by a coefficient depends on the joint's reaction: leave out `coordinates: joint`")
    bearing = block.bearing(model.dimension or 3)
    rows = [f"{joint}[{k}]" for k in bearing.forces]
    if not rows:
        instead = "give 'torque'" if coordinate.startswith("angle") else "give 'force'"
        raise ValueError(
            f"friction by a coefficient is known of joints with one coordinate, such as revolute and prismatic, not of a {block.type} one; "
            f"{instead}"
        )
    slips, holds = (value * (friction.radius or 1.0) for value in (friction.slips, friction.holds))
    if friction.length is None:
        return (Group(slips, holds, tuple({row: 1.0} for row in rows)),)
    if not bearing.couples:
        raise ValueError("'length' is known in two dimensions only")
    across, couple = rows[0], f"{joint}[{bearing.couples[0]}]"
    ends = ({across: 0.5, couple: 1.0 / friction.length}, {across: 0.5, couple: -1.0 / friction.length})
    return tuple(Group(slips, holds, (end,)) for end in ends)


def _of_site(name: str, block: ContactBlock, site: Site) -> Unilateral:
    minus = "" if site.sign > 0.0 else "-"
    texts: dict[Look, str | Expression] = {
        Look.GAP: site.gap_text,
        Look.SPEED: f"{minus}der({site.gap})",
        Look.PRESS: NOT_TOLD,
    }
    texts |= {look: f"der({slide})" for look, slide in zip((Look.SLIDE, Look.ACROSS), site.slides, strict=False)}
    if len(site.slides) == 2:
        along = " + ".join(f"{site.name}.start{k}*der({slide})" for k, slide in enumerate(site.slides))
        texts[Look.ALONG] = f"{along} + {BACK * site.slow / BEGIN}"  # what begins to slip slowly is not above round-off at once
    if site.slides:
        texts[Look.HOLD] = NOT_TOLD
    if site.edge is not None:
        texts[Look.EDGE] = site.edge
    made = replace(_of_contact(name, block, site.name, texts, site.sign), pair=site.pair, width=site.width, near=near_of(site.size))
    return replace(made, height=site.height, beside=site.beside, disk_on=site.disk_on)


def _of_resistance(name: str, site: Site, drills: bool, length: float) -> Unilateral:
    """What keeps a contact from rolling, or from drilling, up to a length (m) times its normal force."""
    label = f"{site.name}_{'drilling' if drills else 'rolling'}"
    turns = len(site.turns(drills))
    rates = [f"der({site.turn_name(drills, k)})" for k in range(turns)]
    texts: dict[Look, str | Expression] = dict(zip((Look.SLIDE, Look.ACROSS), rates, strict=False))
    if turns == 2:
        texts[Look.ALONG] = f"{' + '.join(f'{label}.start{k}*{rate}' for k, rate in enumerate(rates))} + {BACK / BEGIN}"
    texts[Look.HOLD] = NOT_TOLD
    pushes, load = tuple(push_name(label, k) for k in range(turns)), Group(length, length, ({site.name: 1.0},))
    return Unilateral(label, ("contacts", name), "", label, turns, pushes, texts, groups=(load,), of=site.name, drills=drills)


def _of_gap(name: str, block: ContactBlock, gap: Expression, model: Model) -> Iterator[Unilateral]:
    """A contact in the user's own coordinates, or several where its gap turns at once. Raises ValueError for too many."""
    varying = switched(model.events) | model.inputs  # a factor that changes its sign makes the least of sides the greatest
    coordinates, each = model.coordinates or [], sides_of(gap, {k: x for k, x in model.parameters.items() if k not in varying})

    def rate(of: str) -> Expression:
        return parse(der(of)) if of in coordinates else parse(float(of == "t"))

    for k, side in enumerate(each):
        texts: dict[Look, str | Expression] = {Look.GAP: side.gap, Look.SPEED: derivative(side.height, rate), Look.PRESS: NOT_TOLD}
        if block.slide is not None:
            texts |= {Look.SLIDE: block.slide, Look.HOLD: NOT_TOLD}
        if side.edge is not None:
            texts[Look.EDGE] = side.edge
        made = _of_contact(name, block, name if len(each) == 1 else f"{name}_{k + 1}", texts)
        yield replace(made, surface=side.height, pair="" if side.edge is None else f"{name}/{side.group}")


def _cables(model: Model) -> dict[str, PulleyCable]:
    """Those that may go slack."""
    return {name: c for name, c in model.constraints.items() if isinstance(c, PulleyCable) and c.slack}


def _of_cable(name: str, cable: PulleyCable, model: Model) -> Unilateral:
    """A cable that may go slack: its gap is how much shorter than it its path is."""
    turned = rims(ReferenceConfiguration(model), cable.path) if model.dimension == 3 else []
    terms = [*((f"{name}.strand{k}", 1.0) for k in range(len(cable.path) - 1)), *((f"{name}.rim{k}", factor) for k, factor in turned)]
    gap = combine([(1.0, parse(f"{name}.{SPARE}")), *((-factor, parse(term)) for term, factor in terms)])
    speed = combine([(-factor, parse(der(term))) for term, factor in terms])
    if cable.length is not None and "t" in cable.length.names:
        gap = combine([(1.0, gap), (1.0, cable.length)])
        speed = combine([(1.0, speed), (1.0, derivative(cable.length, lambda of: parse(float(of == "t"))))])
    texts: dict[Look, str | Expression] = {Look.GAP: gap, Look.SPEED: speed, Look.PRESS: NOT_TOLD}
    closing = CLOSING_SPEED if cable.closing_speed is None else cable.closing_speed
    made = Unilateral(name, ("constraints", name), name, "", 0, (push_name(name, 0),), texts, cable=True)
    return replace(made, restitution=cable.restitution or 0.0, closing_speed=closing)


def _rubbing(name: str, cable: PulleyCable, model: Model) -> Iterator[Unilateral]:
    """The friction of a cable on its circles. Raises ItemError where it does not lie on one, ValueError for a cable that comes and goes."""
    if name in lockable(model):
        raise ValueError("a cable with friction is always there: it is not locked and unlocked by events")
    reference, rubbing = ReferenceConfiguration(model), [k for k, station in enumerate(cable.path) if station.rubs]
    parts = sum(bool(station.grips) for station in cable.path) + 1
    for n, k in enumerate(rubbing):
        station, label = cable.path[k], f"{name}_friction{'' if len(rubbing) == 1 else n + 1}"
        row = name if parts == 1 else f"{name}.part{sum(bool(before.grips) for before in cable.path[:k]) + 1}"
        sense = 1.0 if station.wraps == "counterclockwise" else -1.0
        turns = ((f"{label}.reaches{k}", -sense), (f"{label}.leaves{k}", sense))
        slipping = station.friction or 0.0
        holding = slipping if station.static is None else station.static
        speed = combine([(factor, parse(der(f"{label}.{word}"))) for word, factor in slides(reference, cable.path, k)])
        load = Group(slipping, holding, ({row: 1.0},), Wrap(drawn_angle(reference, cable.path, k), turns))
        texts: dict[Look, str | Expression] = {Look.SLIDE: speed, Look.HOLD: NOT_TOLD}
        yield Unilateral(label, ("constraints", name), "", label, 1, (push_name(label, 0),), texts, groups=(load,), station=k)


def _of_contact(name: str, block: ContactBlock, label: str, texts: dict[Look, str | Expression], sign: float = 1.0) -> Unilateral:
    tangents = sum(look in texts for look in (Look.SLIDE, Look.ACROSS))
    return Unilateral(
        label,
        ("contacts", name),
        normal=label,
        tangent=f"{label}_stick" if tangents else "",
        tangents=tangents,
        pushes=tuple(push_name(label, k) for k in range(1 + tangents)),
        texts=texts,
        sign=sign,
        restitution=block.restitution,
        closing_speed=block.closing_speed,
        friction=block.friction,
        static=block.friction if block.static is None else block.static,
    )


def with_unilaterals(model: Model) -> Model:
    """A model with the rows, efforts and events of its stops, contacts and frictions. Raises ModelError."""
    if model.unilaterals:  # made before
        return model
    found, where = unilaterals(model)
    if not found:
        return model
    drivers, constraints, forces = dict(model.drivers), dict(model.constraints), dict(model.forces)
    flanks = {one.name: one.flank for one in found if one.flank is not None}
    played = {flank.name for flank in flanks.values()}
    couplings = {name: coupling for name, coupling in model.couplings.items() if name not in played} | flanks
    for one in found:
        if one.name in where:
            site = where[one.name]
            forces[one.name] = ContactPush.model_construct(type="push", site=site)
            row = ContactRow if site.disk is None else RimRow
            constraints[one.normal] = row.model_construct(type="contact", site=site, sticks=False, locked=False)
            if one.tangent:
                constraints[one.tangent] = row.model_construct(type="contact", site=site, sticks=True, locked=False)
        elif one.station >= 0:
            path = model.constraints[one.path[1]].path  # type: ignore[attr-defined]  # a PulleyCable
            forces[one.name] = RubPush.model_construct(type="push", path=path, station=one.station)
            constraints[one.tangent] = Rubbing.model_construct(type="rubbing", path=path, station=one.station, locked=False)
        elif one.cable:
            cable = constraints[one.name]
            assert isinstance(cable, PulleyCable)
            law = cable.length
            length = law if law is None or "t" in law.names else evaluate(law, model.parameters)
            forces[one.name] = CablePush.model_construct(type="push", path=cable.path, length=length)
            constraints[one.name] = with_fields(cable, {"locked": False})
        elif one.flank is not None:
            forces[one.name] = FlankPush.model_construct(type="push", flank=one.flank)
        elif one.of:
            site = where[one.of]
            forces[one.name] = ResistancePush.model_construct(type="push", site=site, drills=one.drills)
            constraints[one.tangent] = ResistanceRow.model_construct(type="contact", site=site, drills=one.drills, locked=False)
        elif not one.joint:
            forces[one.name] = _gap_push(one, model.coordinates or [])
            constraints[one.normal] = Holonomic.model_construct(type="holonomic", equation=one.surface, locked=False)
            if one.tangent:
                slide = one.texts[Look.SLIDE]
                constraints[one.tangent] = Nonholonomic.model_construct(type="nonholonomic", equation=slide, locked=False)
        else:
            forces[one.name] = Push.model_construct(type="push", joint=one.joint, coordinate=one.coordinate)
            drivers[one.normal or one.tangent] = _row(one)
    events = {event.name: event for one in found for event in _watched(one)}
    return replace(
        model,
        couplings=couplings,
        drivers=drivers,
        constraints=constraints,
        forces=forces,
        events={**model.events, **events},
        unilaterals=tuple(found),
    )


def _gap_push(one: Unilateral, coordinates: Sequence[str]) -> GapPush:
    """The efforts of a contact in the user's own coordinates: along how its gap and its slip answer to these."""
    found = []
    for of, by in ((one.surface, str), (one.texts.get(Look.SLIDE), der)):
        if of is not None:
            assert isinstance(of, Expression)
            found.append({x: partial(of, by(x)) for x in coordinates if by(x) in of.names})
    return GapPush.model_construct(type="push", directions=found)


def _row(one: Unilateral) -> Driver:
    """What keeps a joint's coordinate: at the bound of a stop, or where it is then."""
    law = parse(one.bound)
    if one.coordinate == "angle":
        return Driver.model_construct(joint=one.joint, locked=False, angle=law)
    if one.coordinate == "displacement":
        return Driver.model_construct(joint=one.joint, locked=False, displacement=law)
    return Driver.model_construct(joint=one.joint, coordinate=one.coordinate, value=law, locked=False)


def _watched(one: Unilateral) -> Iterator[Event]:
    """Its expressions. Those of efforts are filled in by the march, which knows the multipliers."""
    down = (Look.GAP, Look.PRESS, Look.HOLD, Look.ALONG, Look.EDGE)
    for look, text in one.texts.items():
        when = parse(text) if isinstance(text, str) else text
        size, width = (one.near, one.width) if look == Look.GAP else (0.0, 0.0)
        yield Event(f"{one.name}.{look}", when, "down" if look in down else "any", Action(unilateral=one.name), size=size, width=width)


def placed(model: Model, numbers: Sequence[str]) -> Unilaterals | None:
    """Those of a model; None where there are none. `numbers` are what laws call the entries of Arrays.parameters."""
    found = model.unilaterals
    if not found:
        return None
    names = list(numbers)
    places = tuple(tuple(names.index(push) for push in one.pushes) for one in found)
    own = tuple(
        tuple(names.index(f"{one.name}.{word}") for word in (f"{PUSH}3", "start0", "start1", "still")) if one.tangents == 2 else ()
        for one in found
    )
    return Unilaterals(found, places, own, list(model.events).index(f"{found[0].name}.{found[0].looks[0]}"))
