"""The program of a unit as text in C: what it is given, before the files of the folder `c`."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from mbsim.jit.portable import Objects
from mbsim.programs.contents import given_of
from mbsim.programs.given import ADDRESS, HELD, INTEGER, KERNEL, Argument, Called, Dispatched, Function, Given, columns
from mbsim.programs.unit import Unit

KINDS = {"text": "const char *", "function": "void (*", "call": "int64_t (*const "}  # where C calls them otherwise
HEADERS = ("math", "stddef", "stdint", "stdio", "stdlib", "string")
COUNT_OF = "#define COUNT_OF(table) (sizeof table / sizeof *table)"


def part(name: str) -> str:
    """A file of the folder `c`."""
    return files("mbsim.programs").joinpath("c", name).read_text(encoding="utf-8")


def filled(name: str, replaced: Mapping[str, str]) -> str:
    """A file of the folder `c` with words in place of those that stand for them."""
    text = part(name)
    for key, value in replaced.items():
        text = text.replace(key, value)
    return text


def names_text(unit: Unit) -> list[str]:
    """The names of inputs and outputs, for who calls a unit."""
    listed = {"input": [one.name for one in unit.arguments], "output": [one.name for one in unit.outputs.outputs]}
    return [
        f"const char *const {unit.name}_{kind}_names[] = {{{', '.join([*map(quoted, names), 'NULL'])}}};" for kind, names in listed.items()
    ]


def quoted(text: str) -> str:
    """A string of C."""
    out = "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text.encode())
    return f'"{out}"'


def text_of(unit: Unit, objects: Objects) -> str:
    """Everything up to the functions of an interface. The kernels that it calls are added to `objects`. Raises NotPortableError."""
    given = given_of(unit, objects)
    lines = [f"/* {unit.title}: written by mbsim. C99; it needs the C library and its part for mathematics. */"]
    lines += [f"#include <{name}.h>" for name in HEADERS]
    lines += [COUNT_OF, *(f"#define {name} {int(there)}" for name, there in given.offers.items()), ""]
    lines += [*_prototypes(given), "", *_numbers(given), ""]
    called = [*map(_function, given.single), *(line for one in given.calls for line in _dispatched(one))]
    tables = {name: _table(name, rows, given.numbers[0]) for name, rows in given.tables.items()}
    later = [tables.pop(name) for name in ("meets_positions", "meets_speeds") if name in tables]
    lines += [*tables.values(), f"static const char identity[] = {quoted(given.identity)};", "", *called, *later, ""]
    return "\n".join(lines) + "\n".join(map(part, parts(given.offers)))


def parts(offers: Mapping[str, bool]) -> list[str]:
    """The files of the folder `c` that do what a unit does, whatever calls it."""
    wanted = {"slots.c": "HAS_SLOTS", "phases.c": "HAS_PHASES", "stops.c": "HAS_STOPS"}
    return ["core.c", *(name for name, offer in wanted.items() if offers[offer]), "events.c", "steps.c"]


def declared(name: str) -> str:
    """What a line of a table is in C, with `@` in place of its name."""
    fields, inner = columns(name)
    if fields[0][1]:
        members = [_member(kind, its, count) for kind, its, count in fields]
        return f"const struct {{ {' '.join(members)} }} @"
    kind = fields[0][0]
    many = f"[][{inner}]" if inner else "[]"
    if kind == "call":
        return f"int64_t (*const @{many})(int64_t *)"
    return f"const char *const @{many}" if kind == "text" else f"const {kind} @{many}"


def _member(kind: str, name: str, count: int) -> str:
    if kind == "function":
        return f"void (*{name})(void);"
    return f"{KINDS.get(kind, kind + ' ')}{name}{f'[{count}]' if count > 1 else ''};"


def _table(name: str, rows: Sequence[Any], numbers: Mapping[str, int]) -> str:
    fields, inner = columns(name)
    text = declared(name)
    if fields[0][1]:
        lines = ["{" + ", ".join(_entry(kind, value) for (kind, _, _), value in zip(fields, row, strict=True)) + "}" for row in rows]
        text += "[]"
    elif inner:
        assert all(len(row) == numbers[inner] for row in rows), name
        lines = ["{" + ", ".join(_entry(fields[0][0], value) for value in row) + "}" for row in rows]
    else:
        lines = [_entry(fields[0][0], value) for value in rows]
    return f"static {text.replace('@', name)} = {{\n{_wrapped(lines)}\n}};"


def _entry(kind: str, value: Any) -> str:
    if isinstance(value, tuple):
        return "{" + ", ".join(_entry(kind, x) for x in value) + "}"
    if value is None:
        return "NULL"
    if kind == "text":
        return quoted(value)
    if kind == "double":
        return float(value).hex()
    if kind == "function":
        return f"(void (*)(void)){value}"
    return str(value) if kind == "call" else f"UINT64_C({int(value):#x})" if kind == "uint64_t" else str(int(value))


def _wrapped(items: Iterable[str], width: int = 120) -> str:
    lines = [""]
    for item in items:
        if lines[-1] and len(lines[-1]) + len(item) > width:
            lines.append("")
        lines[-1] += f" {item}," if lines[-1] else f"    {item},"
    return "\n".join(lines)


def _numbers(given: Given) -> list[str]:
    """All numbers by name. Those that differ between phases are macros, which look into a table for the phase of a `unit`."""
    same, differ = given.common()
    lines = ["enum {", _wrapped(f"{name} = {value}" for name, value in same.items()), "};"]
    if differ:
        values = ["{" + ", ".join(str(one[name]) for name in differ) + "}" for one in given.numbers]
        members = ", ".join(f"of_{name}" for name in differ)
        lines.append(f"static const struct {{ int32_t {members}; }} placed[] = {{\n{_wrapped(values)}\n}};")
        lines += [f"#define {name} (placed[unit->words[PHASE]].of_{name})" for name in differ]
    return [*lines, *(f"static const double {name} = {float(value).hex()};" for name, value in given.exact.items())]


def _prototypes(given: Given) -> list[str]:
    """Of all kernels that are called, or pointed to."""
    found = []
    for name, arguments in given.kernels.items():
        if arguments is None:
            found.append(f"extern int32_t {name}(void);")
        else:
            words = ", ".join("double" if x.is_number else "int64_t" for x in arguments)
            found.append(f"extern int32_t {name}(int64_t *, void **, {words});")
    return ["#ifdef __cplusplus", 'extern "C" {', "#endif", *found, "#ifdef __cplusplus", "}", "#endif"]


def _function(function: Function, takes_words: bool | None = None) -> str:
    takes_words = bool(function.lines) if takes_words is None else takes_words
    returns = "int64_t" if function.returns else "void"
    lines = [f"static {returns} {function.name}(int64_t *m{', const int64_t *w' * takes_words})", "{"]
    lines += ["    (void)w;"] * (takes_words and not function.lines)
    lines += ["    int64_t result = 0;", "    void *error = NULL;"]
    for i, call in enumerate(function.calls):
        asked = f"{call.kernel}(&result, &error, {', '.join(_word(function, call, i, j) for j in range(len(call.arguments)))})"
        lines.append(f"    if ({asked} != 0) return -1;" if function.returns else f"    (void){asked};")
    lines += ["    return result;"] * function.returns
    return "\n".join([*lines, "}", ""])


def _word(function: Function, call: Called, i: int, j: int) -> str:
    argument: Argument = call.arguments[j]
    column = function.differs.get((i, j))
    value = str(argument.value) if column is None else f"w[{column}]"
    if argument.kind == HELD:
        return f"((double *)m)[{value}]"
    if argument.kind == ADDRESS:
        return f"(int64_t)(intptr_t)(m + {value})"
    if argument.kind == KERNEL:
        return f"(int64_t)(intptr_t)&{value}"
    return value if argument.kind == INTEGER else float(argument.value).hex()


def _dispatched(one: Dispatched) -> list[str]:
    """A function that calls what belongs to the phase in which an instance is."""
    if len(one.each) == 1 and not one.each[0].lines:
        return [_function(one.each[0])]
    returns = "int64_t" if one.returns else "void"
    begins, words = one.words()
    lines = [f"{{{one.each[k].name}, {begin}}}" for k, begin in zip(one.of_phase, begins, strict=True)]
    return [
        *(_function(function, True) for function in one.each),
        f"static const int64_t {one.name}_words[] = {{\n{_wrapped(map(str, words or [0]))}\n}};",
        f"static const struct {{ {returns} (*call)(int64_t *, const int64_t *); int32_t begin; }} {one.name}_of[] = {{",
        f"{_wrapped(lines)}\n}};",
        f"static {returns} {one.name}(int64_t *m)",
        "{",
        f"    {'return ' * one.returns}{one.name}_of[m[PHASE]].call(m, {one.name}_words + {one.name}_of[m[PHASE]].begin);",
        "}",
        "",
    ]
