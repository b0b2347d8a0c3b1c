"""The text of an expression, cut into tokens: numbers, names, attributes behind a bracket, signs."""

import re
from typing import NamedTuple

from mbsim.model.expressions.parsed import MAX_NODES
from mbsim.model.expressions.units import unit_hint
from mbsim.model.file.errors import ExpressionError

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
        |(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
        |(?P<attribute>\.[A-Za-z_][A-Za-z0-9_]*)
        |(?P<sign>\*\*|<=|>=|==|!=|[-+*/^(),<>])
        |(?P<end>\Z))""",
    re.VERBOSE,
)
_HINTS = {
    "=": "'=' is not an operator; compare with '==', and write an equation a = b as a - (b), which is to be zero",
    "&": "write 'and' instead of '&'",
    "|": "write 'or' instead of '|'",
    "!": "write 'not' instead of '!'",
    "%": "'%' is not an operator; allowed: + - * / ^ and functions",
    "[": "'[' is not allowed; an expression is one number",
    "{": "'{' is not allowed in an expression",
    "'": "quotes are not allowed in an expression",
    '"': "quotes are not allowed in an expression",
    "°": "'°' is not allowed; an angle in degrees is written deg(...)",
    **dict.fromkeys("\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}", "a minus is written '-', the hyphen of the keyboard"),
    **dict.fromkeys("\N{MULTIPLICATION SIGN}\N{MIDDLE DOT}\N{DOT OPERATOR}", "a product is written '*'"),
    **{"\N{DIVISION SIGN}": "a quotient is written '/'", "\N{SQUARE ROOT}": "a root is written sqrt(...)"},
    **{"\N{SUPERSCRIPT TWO}": "a square is written ^2", "\N{SUPERSCRIPT THREE}": "a third power is written ^3"},
    "\N{GREEK SMALL LETTER PI}": "the constant is written pi",
    ";": "';' is not allowed in an expression; arguments are separated by commas",
}
_DATE = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]")  # YAML 1.1 reads one there; as a difference it would be a wrong number
WORDS = frozenset({"and", "or", "not"})


class Token(NamedTuple):
    kind: str  # number, name, attribute, sign, end
    text: str
    offset: int


def tokens(text: str, pattern: re.Pattern[str] = _TOKEN) -> list[Token]:
    if _DATE.fullmatch(text):
        difference = text.replace("-", " - ")
        raise ExpressionError(f"expected a number or an expression (got the date {text}); a difference is written {difference}")
    read: list[Token] = []
    position = 0
    while True:
        found = pattern.match(text, position)
        if found is None:
            offset = position + len(text[position:]) - len(text[position:].lstrip())
            character = text[offset]
            raise ExpressionError(_HINTS.get(character, f"the character {character!a} is not allowed in an expression"), offset)
        kind = found.lastgroup or "end"
        offset = found.start(kind)
        if kind == "name" and found[kind] not in WORDS and read and read[-1].kind == "number":
            number = read[-1].text
            if hint := unit_hint(number, text[offset:]):
                raise ExpressionError(hint, offset)
            if read[-1].offset + len(number) == offset:
                raise ExpressionError(f"an operator is missing between {number} and {found[kind][:60]}", offset)
        read.append(Token(kind, "^" if found[kind] == "**" else found[kind], offset))
        if kind == "end":
            return read
        if len(read) > 4 * MAX_NODES:
            raise ExpressionError("the expression is too long", offset)
        position = found.end()
