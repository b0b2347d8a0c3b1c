"""A tutorial as a list of steps: files to write, commands to run in a temporary folder, and what the page says that they print.

A page has three kinds of fenced blocks:

    <!-- file: four_bar.yaml -->    before a block: the block is a piece of this file; further pieces are appended
    ```sh                           commands, one a line, `mbsim` only
    ```console                      what the commands of the block before it print, abridged: a line `...` stands for any number of lines

`python tests/docs/tutorial_pages.py PAGE ...` runs pages, prints what their commands print, and puts the pictures that they show into
`docs/tutorials/images`.
"""

import contextlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"
PAGES = (
    "four_bar",
    "slider_crank",
    "suspension",
    "robot_arm",
    "fmu",
    "bicycle",
    "formulations",
    "study",
)  # in the order in which they are read
_BLOCK = re.compile(r"^(?:<!-- file: (?P<file>[\w.-]+) -->\n)?```(?P<info>\w+)[^\n`]*\n(?P<text>.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"(?<![A-Za-z_])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![A-Za-z_])")
_DURATION = re.compile(r"[-+.\deE]+ (?:ms|us)\b|^\s*[-+.\deE]+ s, .*per step$|\b\d[\d.eE+-]* s(?= for \d+ runs)")  # how long it took
_COMPILES = re.compile(r"^(?:Compiling kernels|Deriving and compiling|Waiting for)")  # said by a first run only
RELATIVE = 2e-4  # of a number, besides half a unit of the last digit that the page prints
NOTHING = 1e-8  # numbers below it are round-off: they are equal


@dataclass
class Step:
    """Commands of one block and what the page says that they print."""

    line: int
    commands: list[list[str]]
    expected: list[str] = field(default_factory=list)


@dataclass
class Page:
    """What a tutorial writes, runs and shows; `parts` are the pieces of files (name, text) and the steps, in order."""

    parts: list[tuple[str, str] | Step]
    pictures: list[str]
    links: list[str]


def read(path: Path) -> Page:
    """Read a page. ValueError for a block that no test would look at."""
    text, parts = path.read_text(encoding="utf-8"), list[tuple[str, str] | Step]()
    for found in _BLOCK.finditer(text):
        line, body = text.count("\n", 0, found.start()) + 1, found["text"]
        if found["file"]:
            parts.append((found["file"], body))
        elif found["info"] == "sh":
            parts.append(Step(line, [shlex.split(command) for command in body.replace("\\\n", " ").splitlines() if command.strip()]))
        elif found["info"] == "console":
            if not parts or not isinstance(parts[-1], Step) or parts[-1].expected:
                raise ValueError(f"{path.name}:{line}: a console block follows the commands that print it")
            parts[-1].expected = body.splitlines()
        elif found["info"] != "text":
            raise ValueError(f"{path.name}:{line}: nobody runs a block of {found['info']} without a file's name")
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    pictures = [target.removeprefix("images/") for target in targets if target.startswith("images/")]
    return Page(parts, pictures, [target for target in targets if not target.startswith(("https://", "images/"))])


def run(page: Page) -> Iterator[tuple[Step, list[str]]]:
    """Write and run a page in the working folder; what each step printed, line by line, as a terminal of 80 columns shows it."""
    from mbsim.cli import main

    begun = set[str]()
    for part in page.parts:
        if isinstance(part, Step):
            printed = list[str]()
            for command in part.commands:
                assert command[0] == "mbsim", command
                result = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"}).invoke(main, command[1:], prog_name="mbsim")
                if result.exception is not None and not isinstance(result.exception, SystemExit):
                    raise result.exception
                printed += [line.rstrip() for line in result.output.splitlines() if line.strip() and not _COMPILES.match(line)]
            yield part, printed
        else:
            name, body = part
            with open(name, "a" if name in begun else "w", encoding="utf-8") as file:
                file.write(body)
            begun.add(name)


def difference(expected: list[str], printed: list[str]) -> str | None:
    """The first line of a page that was not printed in its place; None where all were."""
    at, anywhere = 0, False
    for line in expected:
        if not line.strip():
            continue
        if line.strip() == "...":
            anywhere = True
            continue
        places = range(at, len(printed)) if anywhere else range(at, min(at + 1, len(printed)))
        place = next((k for k in places if equal(line, printed[k])), None)
        if place is None:
            return f"{line!r} was not printed here; what was: {printed[at : at + 12]}"
        at, anywhere = place + 1, False
    return None if anywhere or at == len(printed) else f"the page leaves out {printed[at:]}; say so by a line of three dots"


def equal(line: str, other: str) -> bool:
    """Whether two lines have the same words and, to a few digits, the same numbers. How long something took is not compared."""
    lines = [_DURATION.sub("(duration)", text.strip()) for text in (line, other)]
    words = [re.sub(r"\s+", " ", _NUMBER.sub(" # ", text)) for text in lines]
    numbers = [_NUMBER.findall(text) for text in lines]
    return words[0] == words[1] and all(map(_close, *numbers))


def _close(text: str, other: str) -> bool:
    a, b = float(text), float(other)
    mantissa, _, exponent = text.lower().partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    integers = "." not in text + other and "e" not in (text + other).lower()
    return a == b if integers else abs(a - b) <= max(NOTHING, RELATIVE * abs(a), 0.5 * unit * 1.001)


def main() -> None:
    """Run the pages of the command line and keep their pictures."""
    for name in sys.argv[1:] or PAGES:
        page = read(FOLDER / f"{name}.md")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for step, printed in run(page):
                print(f"--- {name}.md:{step.line}: {[shlex.join(command) for command in step.commands]}", *printed, sep="\n", flush=True)
                wrong = difference(step.expected, printed)
                print(f"=== {wrong}" if wrong else "=== as the page says", flush=True)
            for picture in page.pictures:
                if os.path.exists(picture):
                    shutil.copy(picture, FOLDER / "images" / picture)


if __name__ == "__main__":
    main()
