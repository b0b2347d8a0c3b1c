"""Print what the documentation says of a word: a joint, force, method, key, function, variable or command."""

from typing import TYPE_CHECKING

import click

from mbsim.cli._errors import InputError

if TYPE_CHECKING:
    from mbsim.cli._pages import Section

MANY = 12  # pages that are listed


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.pass_context
def command(context: click.Context, words: tuple[str, ...]) -> None:
    """Print the section of the documentation on WORD, such as revolute, svd, rtol, atan2 or run, and its address.

    Without WORD, list the pages.
    """
    from mbsim.cli import _pages as pages

    every = pages.sections()
    word = " ".join(words)
    if not word:
        listed = [f"{one.page.removesuffix('.md'):<40} {one.words}" for one in every if one.level == 1]
        first = "mbsim help PAGE, or a word: a joint, force, constraint, method, key, function, variable or command."
        _show("\n".join([first, "", *listed]))
        return
    parts = []
    root = context.find_root()
    group = root.command
    if isinstance(group, click.Group) and word in group.list_commands(root):
        found = group.get_command(root, word)
        assert found is not None
        parts.append(found.get_help(click.Context(found, parent=root, info_name=word)))
    parts += [f"{section.text}\n\n{section.address}" for section in pages.find_sections(word, every)]
    told = pages.rows(word, every)
    if told:
        parts.append("\n".join(f"{word}: {text}\n    {section.address}" for section, text in told))
    if not parts:
        from mbsim.cli import _keys

        parts += [f"{word}: {text}\n    {'; '.join(places)}" for text, places in _keys.describe_key(word).items()]
    called = pages.functions(word, every)
    if called:
        parts.append("\n".join(f"{head}: {text}\n    {section.address}" for section, head, text in called))
    if not parts:
        parts.append(_elsewhere(word, every))
    _show("\n\n".join(parts))


def _elsewhere(word: str, every: "list[Section]") -> str:
    """The pages that mention a word which no section is about. Raises InputError where none does."""
    from mbsim.cli import _pages as pages

    found = pages.telling(word, every)
    if not found:
        raise InputError(f"the documentation says nothing of {word[:60]!r}{_nearest(word, every)}")
    lines = [f"No section is about {word!r}{_nearest(word, every) or '.'} It stands in:"]
    lines += [f"  {one.address:<44} {count} time{'s' * (count != 1)}" for count, one in found[:MANY]]
    return "\n".join(lines)


def _nearest(word: str, every: "list[Section]") -> str:
    """`; did you mean 'revolute'?` where the title of a section is like the word."""
    from mbsim.model.file.errors import nearest

    close = nearest(word, sorted({one.words for one in every}))
    return f"; did you mean {close!r}?" if close else ""


def _show(text: str) -> None:
    """On a terminal through a pager where the text is longer than the screen."""
    import shutil
    import sys

    if sys.stdout.isatty() and text.count("\n") >= shutil.get_terminal_size((80, 24)).lines:
        click.echo_via_pager(text + "\n")
    else:
        click.echo(text)
