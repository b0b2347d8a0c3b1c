"""Laws and equations over bodies: functions of t and of the state that the user wrote, compiled around the bodies' kernels.

A time law (of a driver) enters with its first two derivatives; a state law (a component of a force) with its value. The rate of a state is
a law too. Equation rows follow the joints' and drivers' rows: holonomic ones first. The generated functions fill `arrays.laws`, call the
functions of `mbsim.system.bodies`, and write the equations' rows of C and the states' places of q_dot.
"""

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast

from mbsim.jit import Compiled
from mbsim.kernels.primitives import BALL, FREE
from mbsim.model.expressions.expression import Expression
from mbsim.model.expressions.parsed import Name, Number
from mbsim.model.names import der
from mbsim.model.rolling_surfaces import RollingSurface
from mbsim.system.alike import Formula, Likeness, loops
from mbsim.system.bodies import Kernels, kernels, motion_kernel, prefix
from mbsim.system.codegen import HEADER, cached_module, function
from mbsim.system.equations import Symbols, derivatives, holonomic_row, nonholonomic_row, usable
from mbsim.system.exchanged import Asked, Exchanged
from mbsim.system.exchanged import source as units_source
from mbsim.system.joint_speeds import JointSpeed, rate
from mbsim.system.law_reads import Curvature, Read
from mbsim.system.surfaces import surface_laws
from mbsim.system.unknown_angles import while_known

if TYPE_CHECKING:
    import sympy


LAWS_ALIKE = 16  # from so many on they are a loop: those of contacts are, those of a few springs stay lines


class Rate(NamedTuple):
    """The time derivative of a state of the user's or of a force."""

    expression: Expression
    local: tuple[str, int] | None = None  # (name, relative coordinate) that it reads beside, with `rate`
    told: bool = False  # by a unit: the expression says nothing of it


class Functions(NamedTuple):
    """The compiled functions of a system that laws and equations change, and whether an equation is rheonomic."""

    constraints: Compiled
    dynamics: Compiled
    residual: Compiled
    rates: Compiled
    rheonomic: bool


_Curved = tuple[Curvature, Expression, "sympy.Expr"]  # what, of which equation, its form


@dataclass
class Laws:
    """Expressions in the order of their indices; a law's index is its row in `arrays.laws`."""

    dimension: int
    parameters: list[str]
    coordinates: list[str]
    speeds: list[str]
    time: list[Expression] = field(default_factory=list)
    state: list[Expression] = field(default_factory=list)  # indices follow those of `time`
    holonomic: dict[str, Expression] = field(default_factory=dict)
    nonholonomic: dict[str, Expression] = field(default_factory=dict)
    surfaces: dict[int, RollingSurface] = field(default_factory=dict)  # that something rolls on, by the first of their places in `time`
    first_row: int = 0  # of the equations
    quaternions: list[tuple[int, int, int]] | None = None  # joint coordinates: kind, first coordinate, first speed of nodes that have one
    joint_speeds: dict[str, JointSpeed] = field(default_factory=dict)  # der(O.angle) in absolute coordinates, that equations may read
    relative: dict[str, int] = field(default_factory=dict)  # relative coordinate, as O.angle, that laws of forces may read -> its index
    local: dict[int, tuple[str, int]] = field(default_factory=dict)  # place in `state` -> (name, index) that this law reads, with `rate`
    rates: dict[str, Rate] = field(default_factory=dict)  # of the states, which follow the coordinates in q
    extended: bool = False  # the model has elements that are not common
    units: list[Exchanged] = field(default_factory=list)  # for model exchange; their states are among `rates`
    asked: list[Asked] = field(default_factory=list)  # in which order their inputs are given and their outputs asked for

    def compile(self) -> Functions:
        """The functions; the plain kernels when there is nothing to add."""
        bodies, written = self.module(), self._written()
        if not (self.time or written or self.holonomic or self.nonholonomic or self.rates):
            return Functions(bodies.constraints, bodies.dynamics, bodies.residual, bodies.rates, False)
        texts: list[object] = [[e.key for e in group] for group in (self.time, self.holonomic.values(), self.nonholonomic.values())]
        texts.append([(k, self.state[k].key) for k in written])
        extra = [sorted(self.relative.items()), sorted(self.local.items()), self.extended, sorted(self.joint_speeds.items())]
        extra += [[(name, rate.expression.key, rate.local) for name, rate in self.rates.items()]]
        first = self.first_row if self.holonomic or self.nonholonomic else -1  # that of equations: without any, rows may come and go
        extra += [sorted((at, surface.key) for at, surface in self.surfaces.items())] if self.surfaces else []
        key = json.dumps(["laws", self.dimension, self.quaternions, self.parameters, self.coordinates, texts, first, extra])
        if self.units:
            key += json.dumps(["units", [unit.key for unit in self.units], self.asked])
        module = cached_module(key, self.derive)
        rates = module.rates if self.rates else bodies.rates
        return Functions(module.constraints, module.dynamics, module.residual, rates, module.RHEONOMIC)

    def reads(self) -> list[tuple[int, int, float]]:
        """The laws for which there is no code, because they are a parameter or a number: the law, the parameter (-1: none), the number.

        Those that are zero are left out: nothing writes them.
        """
        found = []
        parameters = {name: i for i, name in enumerate(self.parameters)}
        for name in (*self.coordinates, *self.rates, *self.speeds, "t"):
            parameters.pop(name, None)  # these come first where names are the same
        for k, expression in enumerate(self.state):
            tree, law = expression.tree, len(self.time) + k
            if isinstance(tree, Number) and tree.value != 0.0:
                found.append((law, -1, float(tree.value)))
            elif isinstance(tree, Name) and tree.name in parameters and not (k in self.local and tree.name in (self.local[k][0], "rate")):
                found.append((law, parameters[tree.name], 0.0))
        return found

    def _written(self) -> list[int]:
        """The places in `state` of the laws that code is made for."""
        read = {law - len(self.time) for law, _, _ in self.reads()}
        return [k for k, e in enumerate(self.state) if k not in read and not isinstance(e.tree, Number)]

    def same_code(self, other: "Laws") -> bool:
        """Whether the functions of others, which have the same laws of forces, are these, too."""
        if self.units or other.units or self.surfaces or other.surfaces:
            return False

        def told(of: "Laws") -> list[object]:
            rows = [[(name, e.key) for name, e in group.items()] for group in (of.holonomic, of.nonholonomic)]
            named = of.parameters, of.coordinates, of.speeds, of.relative, of.joint_speeds
            return [of.dimension, of.quaternions, of.extended, [e.key for e in of.time], rows, of.first_row if any(rows) else -1, *named]

        return self.state == other.state and told(self) == told(other) and self.local == other.local and self.rates == other.rates

    @property
    def told(self) -> frozenset[str]:
        """Names of what units tell at each evaluation, and what is no unknown: its rate is not known."""
        return frozenset(name for unit in self.units for name in (*unit.told, *unit.indicators))

    def module(self) -> Kernels:
        """The kernels of the bodies that know the model's elements."""
        return kernels(self.quaternions is not None, self.dimension, not self.extended)

    def derive(self) -> str:
        """Source of the functions."""
        import sympy

        symbols = Symbols(self.parameters, [*self.coordinates, *self.rates], self.speeds)
        of_forces = symbols.with_relative(self.relative)
        n_c = len(self.coordinates)
        rates = _rates(self.dimension, symbols) if self.quaternions is None else _tree_rates(self.quaternions, symbols, n_c)
        rates += [sympy.Integer(0) for _ in self.rates]  # no constraint contains a state
        for name, speed in self.joint_speeds.items():
            symbols.names[name] = rate(speed, self.dimension, symbols, rates)
        values, C, xi, eta, phi = [], [], [], [], []
        for i, expression in enumerate(self.time):
            e = symbols.read(expression)
            by_time = [e.diff(symbols.t, d) if d else e for d in range(3)]
            usable(expression, by_time)
            values += [(f"arrays.laws[{i}, {d}]", value) for d, value in enumerate(by_time)]
        state, firsts = list[Formula](), dict[str, Formula]()
        written = self._written()
        for i in written:
            expression = self.state[i]
            names = of_forces.with_local(*self.local[i]) if i in self.local else of_forces
            likeness = Likeness.of(expression, names)
            first = firsts.get(likeness.kind)
            own = (self._law(names, expression),) if first is None else first.columns
            state.append(Formula(len(self.time) + i, own, likeness, first))
            firsts.setdefault(likeness.kind, state[-1])
        rows = []
        for r, (name, expression) in enumerate(self.holonomic.items()):
            e = symbols.read(expression)
            phi.append((f"phi[{self.first_row + r}]", e))
            rows.append(holonomic_row(e, symbols, rates, f"constraints.{name}.equation"))
        for name, expression in self.nonholonomic.items():
            rows.append(nonholonomic_row(symbols.read(expression), symbols, rates, f"constraints.{name}.equation"))
        for expression, (row, x, bias) in zip([*self.holonomic.values(), *self.nonholonomic.values()], rows, strict=True):
            usable(expression, [*row, x, bias])
        for r, (row, x, bias) in enumerate(rows):
            C += [(f"C[{self.first_row + r}, {j}]", e) for j, e in enumerate(row) if e != 0]
            xi.append((f"xi[{self.first_row + r}]", x))
            eta.append((f"eta[{self.first_row + r}]", bias))
        x_dot = []
        for i, (expression, local, told) in enumerate(self.rates.values()):
            if told:
                continue
            names = of_forces.with_local(*local) if local is not None else of_forces
            x_dot.append((i, self._law(names, expression)))
        bodies = prefix(self.quaternions is not None, self.dimension, not self.extended)
        read = {*self.relative, *map(der, self.relative)}
        measured = self.local.keys() & set(written) or any(read & self.state[k].names for k in written)
        measured_rates = any(local is not None or read & e.names for e, local, _ in self.rates.values())
        if any(read & e.names for unit in self.units for e in unit.inputs.values()):
            measured = measured_rates = True
        moving_rows = bool(values or rows or self.surfaces)
        called = ["dynamics", *["constraints", "residual"] * moving_rows, *["measure"] * bool(measured or measured_rates)]
        source = HEADER + f"from mbsim.system.bodies import {', '.join(bodies + name for name in called)}\n"
        source += f"\nRHEONOMIC = {any(row[1] != 0 for row in rows)}\n"
        if not moving_rows:
            source += f"from mbsim.system.bodies import {bodies}constraints as constraints, {bodies}residual as residual\n"
        # Laws are written first, then the bodies' kernel is called: two functions each where they read what has to be measured first.
        source += function("time_laws", "RESIDUAL", "t, q, phi", values) if values else ""
        timed = "time_laws(arrays, t, q, {0})\n" if values else ""
        if self.surfaces:
            source += surface_laws(self.surfaces, symbols)
            timed += "surface_laws(arrays, t, q, {0})\n"
        alike = loops("laws_alike", "ENERGY", "t, q, v, out", state, "arrays.laws[{}, {}]", LAWS_ALIKE)
        lines = [(f"arrays.laws[{one.k}, {c}]", e) for one in alike.left for c, e in enumerate(one.columns) if e is not None]
        source += alike.source
        laws_first = bool(state) and not (measured or values or alike.kernel or eta or self.surfaces or self.units)
        if state and not laws_first:
            source += function("state_laws", "ENERGY", "t, q, v, out", lines, "laws_alike(arrays, t, q, v, out)" if alike.kernel else "")
        if self.units:
            measure = f"{bodies}measure" if measured else ""
            source += units_source(self.units, self.asked, [*self.coordinates, *self.rates], of_forces, measure)
        laws = [(False, self.state[k], one) for k, one in zip(written, state, strict=True)]
        given_rates = list(self.rates.values())
        of_states = [(True, given_rates[i].expression, Formula(i, (e,))) for i, e in x_dot]
        curved: list[_Curved] = []
        if self.quaternions is None:  # implicit steps of trees do not ask for these
            given = [*self.holonomic.values(), *self.nonholonomic.values()]
            for r, (expression, (row, x, _)) in enumerate(zip(given, rows, strict=True)):
                curved += _curve(self.first_row + r, r >= len(self.holonomic), expression, row, x, symbols, rates)
        columns = {self.first_row + r: [j for j, e in enumerate(row) if e != 0] for r, (row, _, _) in enumerate(rows)}
        source += f"\nCOLUMNS = {columns!r}\n"
        source += _slopes([*laws, *of_states], curved)
        if moving_rows:
            constraints, residual = f"{bodies}constraints(arrays, t, q, C, xi)", f"{bodies}residual(arrays, t, q, phi)"
            source += function("constraints", "CONSTRAINTS", "t, q, C, xi", C + xi, timed.format("xi") + constraints)
            source += function("residual", "RESIDUAL", "t, q, phi", phi, timed.format("phi") + residual)
        before = f"{bodies}measure(arrays, q, v)\n" if measured else ""
        before += timed.format("eta") + "ask_units(arrays, t, q, v, eta)\n" * bool(self.units)
        before += "state_laws(arrays, t, q, v, eta)\n" * bool(state)
        dynamics = f"{bodies}dynamics(arrays, t, q, v, M, h, eta, power)"
        of_dynamics = "dynamics", "DYNAMICS", "t, q, v, M, h, eta, power"
        source += function(*of_dynamics, lines, after=dynamics) if laws_first else function(*of_dynamics, eta, before + dynamics)
        if self.rates:
            plain, alone = motion_kernel("rates", self.quaternions is not None, self.dimension)
            source += f"\n\nfrom {plain} import {alone} as coordinate_rates\n"
            zeros = [(f"q_dot[{n_c + i}]", sympy.Integer(0)) for i, rate in enumerate(given_rates) if rate.told]
            source += function("state_rates", "RATES", "t, q, v, q_dot", [*((f"q_dot[{n_c + i}]", e) for i, e in x_dot), *zeros])
            before = "coordinate_rates(arrays, t, q, v, q_dot)\n" + f"{bodies}measure(arrays, q, v)\n" * measured_rates
            before += "ask_units(arrays, t, q, v, q_dot)\n" * bool(self.units)
            after = "\nfind_rates(arrays, t, q, v, q_dot)" * bool(self.units)
            source += function("rates", "RATES", "t, q, v, q_dot", [], f"{before}state_rates(arrays, t, q, v, q_dot){after}")
        return source

    def _law(self, names: Symbols, expression: Expression) -> "sympy.Expr":
        """A law of a force or of a state. In the plane all angles are known."""
        found = names.read(expression)
        return while_known(found) if self.dimension == 3 else found


def _rates(dimension: int, symbols: Symbols) -> "list[sympy.Expr]":
    """q_dot = N(q) v of the bodies, symbolically."""
    if dimension == 2:
        return list(symbols.v)
    out: list[sympy.Expr] = []
    for b in range(len(symbols.v) // 6):
        p, v = symbols.q[7 * b + 3 : 7 * b + 7], symbols.v[6 * b : 6 * b + 6]
        out += [*v[:3], *_quaternion_rate(p, v[3:])]
    return out


def _quaternion_rate(p: "list[sympy.Expr]", omega: "list[sympy.Expr]") -> "list[sympy.Expr]":
    """p (0, omega) / 2."""
    x, y, z = omega
    return [
        -(p[1] * x + p[2] * y + p[3] * z) / 2, (p[0] * x + p[2] * z - p[3] * y) / 2,
        (p[0] * y + p[3] * x - p[1] * z) / 2, (p[0] * z + p[1] * y - p[2] * x) / 2,
    ]  # fmt: skip


def _tree_rates(quaternions: list[tuple[int, int, int]], symbols: Symbols, n_c: int) -> "list[sympy.Expr]":
    """q_dot = N(q) v of the n_c coordinates of joints: the speed itself but for quaternions, which BALL and FREE nodes have."""
    found = {q: (kind, v) for kind, q, v in quaternions}
    out: list[sympy.Expr] = []
    speed = 0
    while len(out) < n_c:
        kind, _ = found.get(len(out), (0, 0))
        if kind == FREE:
            out += symbols.v[speed : speed + 3]
            speed += 3
        if kind in (BALL, FREE):
            at = len(out)
            out += _quaternion_rate(symbols.q[at : at + 4], symbols.v[speed : speed + 3])
            speed += 3
        else:
            out.append(symbols.v[speed])
            speed += 1
    return out


def _curve(
    r: int, late: bool, given: Expression, row: "list[sympy.Expr]", x: "sympy.Expr", symbols: Symbols, rates: "list[sympy.Expr]"
) -> "list[_Curved]":
    """How row r of C changes with displacements, and of an equation at velocity level C v + xi too."""
    import sympy

    found = []
    for j, e in enumerate(row):
        found += [(Curvature(r, j, k), given, slope) for k, slope in derivatives(e, symbols, rates).items()]
    if late:
        whole = sympy.Add(x, *(e * v for e, v in zip(row, symbols.v, strict=True)))
        found += [(Curvature(r, -1, k), given, slope) for k, slope in derivatives(whole, symbols, rates).items()]
    return found


def _place(symbol: "sympy.Symbol") -> tuple[str, int]:
    return symbol.name[0], int(symbol.name[1:] or 0)


def _slopes_of(expression: "sympy.Expr", given: Expression) -> "dict[sympy.Symbol, sympy.Expr]":
    """The derivatives of a law by those of its symbols that are coordinates or rates, in their order."""
    symbols = sorted(expression.free_symbols, key=_place)
    found = {s: expression.diff(s) for s in symbols if s.name[0] in "qvgw" and s.name[1:]}
    usable(given, found.values())
    return found


def _slopes(laws: "list[tuple[bool, Expression, Formula]]", curved: "list[_Curved]") -> str:
    """Source of READS, what laws and rates of states read, of CURVATURES, and of a function that makes the kernel of these derivatives.

    A law: whether it is the rate of a state, what the user wrote, and its form. The kernel is made where an implicit step asks for it.
    READS is None where a derivative cannot be written.
    """
    reads: list[Read] = []
    known: dict[int, tuple[list[sympy.Symbol], Formula]] = {}  # by the first of its kind: what it is derived by, and its slopes
    formulas: list[Formula] = []
    arguments = "ENERGY", "t, q, v, out"
    try:
        for of_state, given, law in laws:
            first = law.first or law
            if id(first) not in known:
                found = _slopes_of(cast("sympy.Expr", first.columns[0]), given)
                known[id(first)] = list(found), Formula(len(reads), tuple(found.values()), first.likeness)
            symbols, slopes = known[id(first)]
            if slopes.columns:
                formulas.append(slopes if law.first is None else Formula(len(reads), slopes.columns, law.likeness, slopes))
            for symbol in symbols:
                letter, number = _place(symbol)
                if law.first is not None:
                    assert law.likeness is not None and first.likeness is not None
                    number = law.likeness.renamed(first.likeness, letter, number)
                reads.append(Read(law.k, of_state, letter, number))
        alike = loops("slopes_alike", *arguments, formulas, "out[{} + {}]", LAWS_ALIKE)
        lines = [(f"out[{one.k + c}]", e) for one in alike.left for c, e in enumerate(one.columns) if e is not None]
        for i, (_, given, slope) in enumerate(curved):
            usable(given, [slope])
            lines.append((f"out[{len(reads) + i}]", slope))
        text = alike.kernel + function("law_slopes", *arguments, lines, "slopes_alike(arrays, t, q, v, out)" if alike.kernel else "")
    except ValueError:  # of what has no finite derivative
        return "\n\nREADS = None\n"
    found_here = f"{alike.tables}READS = {[tuple(read) for read in reads]!r}\nCURVATURES = {[tuple(place) for place, _, _ in curved]!r}\n"
    inner = "\n".join(f"    {line}" if line else "" for line in text.strip().splitlines())
    return f"\n\n{found_here}\n\ndef slopes():\n{inner}\n    return law_slopes\n"
