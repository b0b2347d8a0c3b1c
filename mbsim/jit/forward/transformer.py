"""Exact directional derivatives of helpers, made from their source: automatic differentiation in forward mode.

    y = f(x)   becomes   y, y__d = f(x, x__d)

Every quantity x that depends on what is varied, an active one, gets a twin x__d, its derivative along the direction. The rules are those of
calculus, line by line, so the derivative is exact; branches are those that the values take. What is not active has no twin and costs
nothing: a function is transformed once for each pattern of active arguments (Griewank & Walther, Evaluating Derivatives, 2008, chapter 3).

Helpers are assignments, `if`, `for ... in range`, `while`, calls of helpers and of `math`. Anything else raises TransformError with its
line. A twin of an array is an array of the same shape; a twin of `Arrays` is another `Arrays` whose active fields hold the twins.

The derivative of a helper becomes a part of what calls it. That of a kernel of mbsim's own is a kernel again, which all models share: the
equations of trees take a minute to compile with all elements. Kernels of a generated module are a part of what calls them, like helpers.
"""

import ast
import inspect
import math
import textwrap
from collections.abc import Iterable
from functools import cached_property
from typing import Any
from zlib import crc32

from mbsim.jit import fastload
from mbsim.jit.forward.twins import _FLAT, _RULES, TWIN, Fields, Pattern, TransformError, Twins, _python, _stated, _zeros
from mbsim.jit.kernels import Helper, Kernel, Made, is_generated
from mbsim.jit.signatures import Signature, void

_MATH = {name: getattr(math, name) for name in ("sin", "cos", "tan", "exp", "log", "tanh", "sinh", "cosh", "sqrt")}
_made: dict[Any, "Derivative"] = {}


def derivative(function: object, *patterns: Pattern) -> "Derivative":
    """The derivative of a helper for these patterns of its arguments. Its arguments: each as before, followed by its twin if it has one,
    without the functions among them. It returns what the helper returns, followed by the twin if that is active.
    """
    key = _python(function), patterns
    if key not in _made:
        _made[key] = Derivative(function, patterns)
    return _made[key]


def derived_kernel(symbol: str) -> Kernel | None:
    """The kernel, among those that were derived, that others call by this name."""
    made = (one for one in list(_made.values()) if one.is_kernel and f"{one.__module__}.{one.__name__}" == symbol)
    return next((one.helper for one in made), None)


class Derivative(Made):
    """A helper made by `derivative`."""

    def __init__(self, function: Any, patterns: tuple[Pattern, ...]) -> None:
        self.name = f"{getattr(function, '__name__', type(function).__name__)}_{len(_made)}__"
        self._function, self._patterns = function, patterns
        self._forced = getattr(function, "_forced", False)
        # Stock Numba links kernels into those that call them, so that nothing would be shared.
        self.is_kernel = isinstance(function, Kernel) and not is_generated(function.__module__) and fastload.is_used()
        self._returns_nothing = self.is_kernel and function.signature.returns == void  # it is not transformed to find out
        if self.is_kernel:
            self.__module__ = function.__module__
            self.__name__ = self.__qualname__ = f"{function.__qualname__}_along_{_told(patterns)}"

    @cached_property
    def _transformed(self) -> "_Transformer":
        return _Transformer(self._function, self._patterns)

    @property
    def returns(self) -> bool | tuple[bool, ...]:
        """Whether what is returned is active; of each part of a tuple."""
        return not self._returns_nothing and self._transformed.returns

    @property
    def arity(self) -> int:
        """Parts of the tuple that is returned; 0 where it is none."""
        return len(self.returns) if isinstance(self.returns, tuple) else 0

    def source(self) -> tuple[str, dict[str, Any]]:
        return self._transformed.text, self._transformed.space

    @cached_property
    def python(self) -> Any:
        made = super().python
        if self.is_kernel:
            made.__module__, made.__name__, made.__qualname__ = self.__module__, self.__name__, self.__qualname__
        return made

    @cached_property
    def helper(self) -> Any:
        # a late kernel where the function is one
        return type(self._function)(self, self._signature, False) if self.is_kernel else Helper(self.python, forced=self._forced)

    @property
    def _signature(self) -> Signature:
        """That of a kernel: of the function, with the twins."""
        before: Signature = self._function.signature
        pairs = zip(before.arguments, self._patterns, strict=True)
        return Signature(before.returns, tuple(kind for kind, pattern in pairs for kind in (kind,) * (1 + bool(pattern))))


def _told(patterns: Iterable[Pattern]) -> str:
    """Patterns as a part of a name: 1 and 0 for what is active and what is not, and of a block a number for its active fields."""
    return "".join(f"{crc32(' '.join(sorted(p.active)).encode()):08x}" if isinstance(p, Fields) else str(int(p is True)) for p in patterns)


def _parsed(function: Any) -> tuple[ast.FunctionDef, dict[str, Any]]:
    """The definition of a helper, and the values of the names that it uses from outside."""
    function = _python(function)  # of a kernel it may be made as well
    if isinstance(function, Made):
        text, space = function.source()
        names: dict[str, Any] = dict(space)
    else:
        kept = function.__globals__.get("__source__")  # of a generated module
        try:
            text = kept() if kept is not None else textwrap.dedent(inspect.getsource(function))
        except (OSError, TypeError):
            raise TransformError(f"{function!r} has no source") from None
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        names = {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}
    wanted = "made" if isinstance(function, Made) else function.__code__.co_name
    return next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == wanted), names


class _Transformer(Twins):
    """The transformation of one function for one pattern of arguments."""

    def __init__(self, function: object, patterns: tuple[Pattern, ...]) -> None:
        tree, names = _parsed(function)
        parameters = [argument.arg for argument in tree.args.args]
        if len(parameters) != len(patterns):
            raise TransformError(f"{tree.name} takes {len(parameters)} arguments (got {len(patterns)})")
        super().__init__(tree.name, names, dict(zip(parameters, patterns, strict=True)))
        self.returns: bool | tuple[bool, ...] = False
        self.space: dict[str, Any] = {}
        self._parameters = parameters
        before: Any = None
        while before != (self.active, self.returns):  # until no name becomes active any more
            before = (set(self.active), self.returns)
            self._temporaries, self._pre = 0, list[str]()
            body = self._block(tree.body)
        late = [f"{name}{TWIN} = 0.0" for name, pattern in self.patterns.items() if pattern is False and name in self.active]
        self.text = "\n".join([f"def made({', '.join(self._signature())}):", *(f"    {line}" for line in [*late, *body] or ["pass"])])
        self._gather()

    def _signature(self) -> Iterable[str]:
        for name in self._parameters:
            pattern = self.patterns[name]
            if not callable(pattern):
                yield name
                if pattern is True or isinstance(pattern, Fields):
                    yield name + TWIN

    def _gather(self) -> None:
        """The values of the outer names in the text."""
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, ast.Name) and node.id not in self.space:
                if node.id in self.names:
                    self.space[node.id] = self.names[node.id]
                elif node.id in _MATH:
                    self.space[node.id] = _MATH[node.id]

    # statements

    def _block(self, statements: Iterable[ast.stmt]) -> list[str]:
        lines: list[str] = []
        for statement in statements:
            kept, self._pre = self._pre, []
            found = self._statement(statement)
            lines += [*self._pre, *found]
            self._pre = kept
        return lines

    def _statement(self, node: ast.stmt) -> list[str]:
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Constant):
                return []
            value = self._hoisted(node.value, used=False)
            return [] if value is None else [ast.unparse(value)]
        if isinstance(node, ast.Assign):
            value = self._value(node.value)
            return [line for target in node.targets for line in self._assign(target, value)]
        if isinstance(node, ast.AugAssign):
            return self._augmented(node)
        if isinstance(node, ast.Return):
            return self._return(node)
        if isinstance(node, ast.If):
            known = self._known(node.test)
            if known is not None:
                return self._block(node.body if known else node.orelse)
            lines = [f"if {ast.unparse(node.test)}:", *self._indented(node.body)]
            return [*lines, "else:", *self._indented(node.orelse)] if node.orelse else lines
        if isinstance(node, ast.For) and not node.orelse:
            return [f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}:", *self._indented(node.body)]
        if isinstance(node, ast.While) and not node.orelse:
            return [f"while {ast.unparse(node.test)}:", *self._indented(node.body)]
        if isinstance(node, ast.Pass | ast.Continue | ast.Break):
            return [ast.unparse(node)]
        raise self._fail(node, "no rule for this statement")

    def _indented(self, statements: Iterable[ast.stmt]) -> list[str]:
        return [f"    {line}" for line in self._block(statements) or ["pass"]]

    def _assign(self, target: ast.expr, value: ast.expr) -> list[str]:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            twins = [self._twin(part) for part in value.elts]
        else:
            twins = []
        lines = []
        left = self._left(target, value, twins)
        if left is not None:
            lines.append(left)
        return [*lines, f"{ast.unparse(target)} = {ast.unparse(value)}"]

    def _left(self, target: ast.expr, value: ast.expr, twins: list[str | None]) -> str | None:
        """The assignment of the twins, which goes before that of the values."""
        if isinstance(target, ast.Tuple):
            parts = target.elts
            if not isinstance(value, ast.Tuple):
                twin = self._twin(value)
                if twin is None:
                    quiet = [self._target(part, False) for part in parts]
                    return "; ".join(f"{name} = 0.0" for name in quiet if name is not None) or None
                return f"{', '.join(self._target(part, True) or '_' for part in parts)} = {twin}"
            if len(parts) != len(value.elts):
                raise self._fail(target, "as many targets as values are wanted")
            pairs = []
            for part, item, twin in zip(parts, value.elts, twins, strict=True):
                if isinstance(part, ast.Tuple):
                    inner = self._left(part, item, [self._twin(x) for x in item.elts] if isinstance(item, ast.Tuple) else [])
                    if inner is not None:
                        self._pre.append(inner)
                    continue
                name = self._target(part, twin is not None)
                if name is not None:
                    pairs.append((name, twin or self._zero(item)))
            if not pairs:
                return None
            return f"{', '.join(name for name, _ in pairs)} = {', '.join(twin for _, twin in pairs)}"
        twin = self._twin(value)
        name = self._target(target, twin is not None)
        if name is None:
            return None
        return f"{name} = {twin or self._zero(value)}"

    def _target(self, target: ast.expr, active: bool) -> str | None:
        """What holds the twin of a target, which becomes active if it is a name; None where there is no twin and none is needed."""
        if isinstance(target, ast.Tuple):
            inside = [self._target(part, active) for part in target.elts]
            if not active and any(name is not None for name in inside):
                raise self._fail(target, "parts of a tuple that are active here and not there")
            return f"({', '.join(name or '_' for name in inside)})" if active else None
        if isinstance(target, ast.Name):
            if target.id == "_":
                return "_" if active else None
            if active:
                self.active.add(target.id)
            return target.id + TWIN if target.id in self.active else None
        twin = self._twin(target)
        if twin is None and active:
            raise self._fail(target, "an active value is stored in an array without a twin")
        return twin

    def _augmented(self, node: ast.AugAssign) -> list[str]:
        whole = ast.BinOp(left=_loaded(node.target), op=node.op, right=self._value(node.value))
        ast.fix_missing_locations(whole)
        twin = self._twin(whole)
        if twin is None:
            kept = self._target(node.target, False)
            lines = [] if kept is None else [f"{kept} = 0.0"]
        else:
            name = self._target(node.target, True)
            lines = [f"{name} = {twin}"]
        return [*lines, f"{ast.unparse(node.target)} = {ast.unparse(whole)}"]

    def _return(self, node: ast.Return) -> list[str]:
        if node.value is None:
            return ["return"]
        value = self._value(node.value)
        if isinstance(value, ast.Tuple):
            found = tuple(self._twin(part) is not None for part in value.elts)
            self.returns = tuple(a or b for a, b in zip(found, self.returns or found, strict=True))  # type: ignore[arg-type]
            twin: str | None = f"({', '.join(self._twin(part) or '0.0' for part in value.elts)},)"
        else:
            twin = self._twin(value)
            parts = self._length(value)
            if parts:
                self.returns = tuple([True] * parts) if twin is not None else (self.returns or tuple([False] * parts))
            elif not isinstance(self.returns, tuple):
                self.returns = self.returns or twin is not None
        quiet = not any(self.returns) if isinstance(self.returns, tuple) else not self.returns
        zero = _zeros(len(self.returns)) if isinstance(self.returns, tuple) else "0.0"
        return [f"return {ast.unparse(value)}" if quiet else f"return {ast.unparse(value)}, {twin or zero}"]

    # expressions

    def _value(self, node: ast.expr) -> ast.expr:
        """An expression whose calls of helpers with active arguments stand in temporaries before it."""
        found = self._hoisted(node)
        assert found is not None
        return found

    def _hoisted(self, node: ast.expr, used: bool = True) -> ast.expr | None:
        if isinstance(node, ast.Call):
            return self._call(node, used)
        if isinstance(node, ast.IfExp) and any(isinstance(x, ast.Call) for x in ast.walk(node)):
            return self._chosen(node)
        if isinstance(node, ast.Compare | ast.BoolOp):
            return node  # a truth value is not active
        copy = type(node)(**{name: self._inner(getattr(node, name)) for name in node._fields})
        return ast.copy_location(copy, node)

    def _inner(self, value: object) -> Any:
        if isinstance(value, list):
            return [self._inner(item) for item in value]
        return self._hoisted(value) if isinstance(value, ast.expr) else value

    def _chosen(self, node: ast.IfExp) -> ast.expr:
        """A conditional expression with calls, as a statement: what is not chosen is not computed."""
        name = self._temporary()
        target, lines = ast.Name(name, ast.Store()), list[str]()
        for word, part in (("if " + ast.unparse(node.test), node.body), ("else", node.orelse)):
            kept, self._pre = self._pre, []
            inside = self._assign(target, self._value(part))
            lines += [f"{word}:", *(f"    {line}" for line in [*self._pre, *inside])]
            self._pre = kept
        self._pre += lines
        return ast.Name(name, ast.Load())

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"c{self._temporaries}__"

    def _call(self, node: ast.Call, used: bool) -> ast.expr | None:
        function = self._resolved(node.func)
        arguments = self._arguments(node.args)
        plain = ast.copy_location(ast.Call(node.func, arguments, node.keywords), node)
        if function is None or node.keywords:
            raise self._fail(node, "a call of something unknown")
        if function in _FLAT or function in _RULES or _stated(function):
            return plain
        patterns = tuple(self._pattern(argument) for argument in arguments)
        if not any(p is True or (isinstance(p, Fields) and p.active) for p in patterns):
            return plain
        made = derivative(function, *patterns)
        name = made.name
        self.space[name] = made
        if made.is_kernel:
            _ = made.helper  # now: a caller that is loaded, not compiled, looks its kernels up
        given = []
        for argument, pattern in zip(arguments, patterns, strict=True):
            if not callable(pattern):
                given.append(ast.unparse(argument))
                if pattern is True:
                    given.append(str(self._twin(argument)))
                elif isinstance(pattern, Fields):
                    given.append(f"{ast.unparse(argument)}{TWIN}")
        text = f"{name}({', '.join(given)})"
        if not used:
            self._pre.append(text)
            return None
        kept = self._temporary()
        active = any(made.returns) if isinstance(made.returns, tuple) else made.returns
        if active:
            self.active.add(kept)
        self._tuples[kept] = made.arity
        self._pre.append(f"{kept}, {kept}{TWIN} = {text}" if active else f"{kept} = {text}")
        return ast.Name(kept, ast.Load())

    def _arguments(self, given: Iterable[ast.expr]) -> list[ast.expr]:
        """The arguments with their calls hoisted and `*tuple` written out."""
        found: list[ast.expr] = []
        for argument in given:
            if not isinstance(argument, ast.Starred):
                found.append(self._value(argument))
                continue
            inside = self._value(argument.value)
            if isinstance(inside, ast.Call):  # not active
                made = derivative(self._resolved(inside.func), *([False] * len(inside.args)))
                kept = self._temporary()
                self._pre.append(f"{kept} = {ast.unparse(inside)}")
                self._tuples[kept] = made.arity
                inside = ast.Name(kept, ast.Load())
            if not self._length(inside):
                raise self._fail(argument, "a tuple of unknown length")
            found += [ast.Subscript(inside, ast.Constant(k), ast.Load()) for k in range(self._length(inside))]
        return found

    def _pattern(self, argument: ast.expr) -> Pattern:
        if isinstance(argument, ast.Name):
            mine = self.patterns.get(argument.id)
            if isinstance(mine, Fields) or (mine is not None and callable(mine)):
                return mine
        found = self._resolved(argument)
        return found if found is not None and callable(found) else self._twin(argument) is not None


def _loaded(target: ast.expr) -> ast.expr:
    """A target as an expression."""
    return ast.parse(ast.unparse(target), mode="eval").body
