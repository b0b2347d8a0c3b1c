"""Prints the n-th command of the README's first screen: `python .ci/readme_command.py 1` is the main job, `2` the tests.

A command is a fenced ```sh block with exactly one line in it; that a reader can copy it as it stands is what `.ci/run` relies on.
"""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
FIRST_SCREEN = 40  # lines; a command further down is not on the first screen of a terminal or a web page


def readme_commands(text: str) -> list[str]:
    """The single lines of the ```sh blocks within the first screen of `text`, in order."""
    screen = "\n".join(text.splitlines()[:FIRST_SCREEN]) + "\n"
    blocks = re.findall(r"^```sh[ \t]*\n(.*?)\n```[ \t]*$", screen, flags=re.DOTALL | re.MULTILINE)
    commands = [block.strip() for block in blocks]
    for command in commands:
        if not command or "\n" in command:
            raise ValueError(f"README.md: each sh block of the first screen must hold one line, got {command!r}")
    return commands


def main() -> None:
    number = int(sys.argv[1])
    commands = readme_commands(README.read_text(encoding="utf-8"))
    if not 1 <= number <= len(commands):
        sys.exit(f"README.md: no command {number} on the first screen, it has {len(commands)}")
    print(commands[number - 1])


if __name__ == "__main__":
    main()
