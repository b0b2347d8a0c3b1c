"""Errors of a model file: a place, the offending value, the choices. All errors of a file are reported together."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

SHORT_LIST = 28  # a longer list of choices is noise in a one-line message
_LONGEST_LIST = 1000  # characters of it, likewise
_MANY = 100  # above this many names only similar ones are compared, and at most this many of them
_MOST = 200  # suggestions in one reading of a file; a search for each of thousands of wrong names would take minutes
_LONGEST_KEY = 200  # characters of a key in a path; no name is longer
_LONGEST_WORD = 80  # difflib is quadratic; nobody misspells a longer word


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text; line and column count from 1, as editors show them."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a model. `line` 0 means that it has no place in a file; `file` then names its origin."""

    file: str
    line: int
    column: int
    path: str  # joints.A.type, bodies.crank.position[1]; empty for the file as a whole
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.path}: {self.message}" if self.path else f"{place}: {self.message}"


class ModelError(Exception):
    """The model cannot be used. `problems` holds every reason, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: list[Problem] = sorted(set(problems), key=lambda p: (p.line, p.column, p.file, p.path, p.message))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


_left: ContextVar[list[int] | None] = ContextVar("suggestions that are left", default=None)


class ExpressionError(ValueError):
    """An expression that cannot be used. `offset` is the character of its text that the message is about."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


@contextmanager
def few_suggestions() -> Iterator[None]:
    """Within this context at most a few hundred suggestions are searched."""
    token = _left.set([_MOST])
    try:
        yield
    finally:
        _left.reset(token)


def nearest(word: str, choices: Sequence[str]) -> str:
    """The choice that a word is most like, or ''."""
    import difflib

    if len(word) > _LONGEST_WORD:
        return ""
    near = difflib.get_close_matches(word, choices, n=1) or [choice for choice in choices if choice.lower() == word.lower()]
    return near[0] if near else ""


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """`; did you mean 'revolute'?`, or `; allowed: a, b, c` if nothing is similar and the list is short, or nothing."""
    left = _left.get()
    if left is not None:
        if left[0] == 0:
            return ""
        left[0] -= 1
    several = {choice for choice in choices if len(choice) <= _LONGEST_KEY}
    if len(several) > _MANY:
        several = {choice for choice in several if choice[:1] == word[:1] and abs(len(choice) - len(word)) <= 2}
    known = sorted(several)[:_MANY]
    near = nearest(word, known)
    if near:
        return f"; did you mean '{near}'?"
    listed = ", ".join(known)
    return f"; allowed: {listed}" if 0 < len(known) <= SHORT_LIST and len(listed) <= _LONGEST_LIST else ""


def path_text(path: Sequence[str | int]) -> str:
    """`("bodies", "crank", "position", 1)` -> `bodies.crank.position[1]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            word = part if len(part) <= _LONGEST_KEY else f"{part[:_LONGEST_KEY]}..."  # not a key but arbitrary text
            text += f".{word}" if text else word
    return text


def shown(value: object, longest: int = 60) -> str:
    """A value as the user would write it, for `(got ...)`. Long values are cut."""
    text = _yaml_like(value, 0)
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _yaml_like(value: object, depth: int) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value if len(value) <= 200 else value[:200])
    if isinstance(value, int) and value.bit_length() > 256:
        return "a very large number"  # printing one takes quadratic time, and Python refuses above 4300 digits
    if isinstance(value, list):
        inner = "..." if depth >= 3 else ", ".join(_yaml_like(item, depth + 1) for item in value[:7])
        return f"[{inner}]"
    if isinstance(value, dict):
        inner = "..." if depth >= 3 else ", ".join(f"{key}: {_yaml_like(item, depth + 1)}" for key, item in list(value.items())[:7])
        return f"{{{inner}}}"
    return str(value)
