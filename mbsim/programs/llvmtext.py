"""What the program of a unit is given as text in LLVM's language, as `ctext.py` has it in C: a module that `mbsim.programs.shim` needs."""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mbsim.programs.given import (
    ADDRESS,
    CALLS,
    HELD,
    INTEGER,
    KERNEL,
    TABLES,
    Argument,
    Dispatched,
    Function,
    Given,
    columns,
)  # fmt: skip
from mbsim.programs.numbers import EXACT, NUMBERS, OF_PHASE

KINDS = {
    "int8_t": "i8", "int16_t": "i16", "int32_t": "i32", "uint32_t": "i32", "int64_t": "i64", "uint64_t": "i64", "double": "double",
    "text": "ptr", "function": "ptr", "call": "ptr",
}  # fmt: skip
RETURNS = {True: "i64", False: "void"}


def text_of(given: Given) -> str:
    """The module. What a unit does not have is zero, empty, or a function that does nothing."""
    texts = _Texts()
    lines = [*_numbers(given), *(f"@{name} = constant double {_number(given.exact.get(name, 0.0))}" for name in EXACT)]
    for name in TABLES:
        lines += _table(name, given.tables.get(name, ()), given.numbers[0], texts)
    lines += [*map(_function, given.single), *(_function(one, ", ptr %w") for its in given.calls for one in its.each if not _is_all(its))]
    known = {one.name: one for one in given.calls}
    for name, returns in CALLS.items():
        lines.append(_dispatched(known[name]) if name in known else _nothing(name, returns))
    lines += _declarations(given)
    lines.append(f"@identity = constant [33 x i8] {_bytes(given.identity.encode() + bytes(1))}")
    return "\n".join([*lines, *texts.lines, ""])


class _Texts:
    """Strings, each once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[str, str] = {}

    def add(self, text: str) -> str:
        """The name of a string."""
        if text not in self._names:
            data = text.encode() + bytes(1)
            self._names[text] = f"@text.{len(self._names)}"
            self.lines.append(f"{self._names[text]} = private constant [{len(data)} x i8] {_bytes(data)}")
        return self._names[text]


def _bytes(data: bytes) -> str:
    return 'c"' + "".join(chr(x) if 32 <= x < 127 and x not in b'"\\' else f"\\{x:02X}" for x in data) + '"'


def _number(value: float) -> str:
    """A number, to the last bit."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", float(value)))
    return f"0x{bits:016X}"


def _numbers(given: Given) -> list[str]:
    same, differ = given.common()
    wrong = sorted({*differ} - {*OF_PHASE})
    assert not wrong, f"numbers that differ between phases: {wrong}"
    assert {*same} | {*differ} <= {*NUMBERS} | {*OF_PHASE}, sorted({*same, *differ} - {*NUMBERS, *OF_PHASE})
    lines = [f"@{name} = constant i32 {same.get(name, 0)}" for name in NUMBERS]
    for name in OF_PHASE:
        values = [one[name] for one in given.numbers] if name in differ else [same.get(name, 0)]
        lines.append(f"@of_{name} = constant {_array('i32', map(str, values))}")
        lines.append(f"@stride_{name} = constant i32 {int(name in differ)}")
    return lines


def _array(kind: str, items: Iterable[str]) -> str:
    items = list(items)
    return f"[{len(items)} x {kind}] [{', '.join(f'{kind} {item}' for item in items)}]"


def _table(name: str, rows: Sequence[Any], numbers: Mapping[str, int], texts: _Texts) -> list[str]:
    fields, inner = columns(name)
    if fields[0][1]:
        kinds = [KINDS[kind] if count == 1 else f"[{count} x {KINDS[kind]}]" for kind, _, count in fields]
        line = "{ " + ", ".join(kinds) + " }"
        items = [
            "{ "
            + ", ".join(f"{its} {_entry(kind, value, texts)}" for (kind, _, _), its, value in zip(fields, kinds, row, strict=True))
            + " }"
            for row in rows
        ]
        return [f"@{name} = constant {_array(line, items)}", f"@count_of_{name} = constant i32 {len(rows)}"]
    kind = fields[0][0]
    if inner:
        assert all(len(row) == numbers[inner] for row in rows), name
    flat = [value for row in rows for value in row] if inner else rows
    return [
        f"@{'flat_' * bool(inner)}{name} = constant {_array(KINDS[kind], (_entry(kind, value, texts) for value in flat))}",
        f"@count_of_{name} = constant i32 {len(rows)}",
    ]


def _entry(kind: str, value: Any, texts: _Texts) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(f'{KINDS[kind]} {_entry(kind, x, texts)}' for x in value)}]"
    if value is None:
        return "null"
    if kind == "text":
        return texts.add(value)
    if kind == "double":
        return _number(value)
    return f"@{value}" if kind in ("function", "call") else str(int(value))


def _declarations(given: Given) -> list[str]:
    found = []
    for name, arguments in given.kernels.items():
        words = [] if arguments is None else ["ptr", "ptr", *("double" if x.is_number else "i64" for x in arguments)]
        found.append(f"declare hidden i32 @{name}({', '.join(words)})")
    return found


def _is_all(one: Dispatched) -> bool:
    """Whether all phases have the same function, of the same arguments."""
    return len(one.each) == 1 and not one.each[0].lines


def _nothing(name: str, returns: bool) -> str:
    return f"define {RETURNS[returns]} @{name}(ptr %m) {{\n  ret {'i64 0' if returns else 'void'}\n}}"


def _function(function: Function, words: str = "") -> str:
    lines: list[str] = []
    count = 0

    def value(text: str) -> str:
        nonlocal count
        count += 1
        lines.append(f"  %v{count} = {text}")
        return f"%v{count}"

    lines += ["  %result = alloca i64", "  %error = alloca ptr", "  store i64 0, ptr %result", "  store ptr null, ptr %error"]
    for i, call in enumerate(function.calls):
        given = ["ptr %result", "ptr %error"]
        given += [_word(argument, function.differs.get((i, j)), value) for j, argument in enumerate(call.arguments)]
        code = value(f"call i32 @{call.kernel}({', '.join(given)})")
        if function.returns:
            bad = value(f"icmp ne i32 {code}, 0")
            lines += [f"  br i1 {bad}, label %failed, label %after{i}", f"after{i}:"]
    if function.returns:
        lines += [f"  ret i64 {value('load i64, ptr %result')}", "failed:", "  ret i64 -1"]
    else:
        lines.append("  ret void")
    return "\n".join([f"define {RETURNS[function.returns]} @{function.name}(ptr %m{words}) {{", *lines, "}"])


def _word(argument: Argument, column: int | None, value: Callable[[str], str]) -> str:
    """An argument with its type; what it takes to find it is written by `value`."""
    if argument.kind == KERNEL:
        return f"i64 ptrtoint (ptr @{argument.value} to i64)"
    if not argument.is_number or argument.kind == HELD:
        place = str(argument.value)
        if column is not None:
            place = value(f"load i64, ptr {value(f'getelementptr i64, ptr %w, i64 {column}')}")
        if argument.kind == INTEGER:
            return f"i64 {place}"
        address = value(f"getelementptr i64, ptr %m, i64 {place}")
        if argument.kind == ADDRESS:
            return f"i64 {value(f'ptrtoint ptr {address} to i64')}"
        return f"double {value(f'load double, ptr {address}')}"
    return f"double {_number(argument.value)}"


def _dispatched(one: Dispatched) -> str:
    """A function that calls what belongs to the phase in which an instance is."""
    if _is_all(one):
        return _function(one.each[0])
    begins, words = one.words()
    lines = [f"{{ ptr @{one.each[k].name}, i32 {begin} }}" for k, begin in zip(one.of_phase, begins, strict=True)]
    returns = RETURNS[one.returns]
    asked = f"call {returns} %call(ptr %m, ptr %words)"
    return "\n".join([
        f"@{one.name}_words = constant {_array('i64', map(str, words or [0]))}",
        f"@{one.name}_of = constant {_array('{ ptr, i32 }', lines)}",
        f"define {returns} @{one.name}(ptr %m) {{",
        "  %at = load i32, ptr @PHASE",
        "  %held = getelementptr i64, ptr %m, i32 %at",
        "  %phase = load i64, ptr %held",
        f"  %line = getelementptr {{ ptr, i32 }}, ptr @{one.name}_of, i64 %phase",
        "  %call = load ptr, ptr %line",
        "  %second = getelementptr { ptr, i32 }, ptr %line, i64 0, i32 1",
        "  %begin = load i32, ptr %second",
        f"  %words = getelementptr i64, ptr @{one.name}_words, i32 %begin",
        f"  %code = {asked}" if one.returns else f"  {asked}",
        f"  ret {returns} %code" if one.returns else "  ret void",
        "}",
    ])  # fmt: skip
