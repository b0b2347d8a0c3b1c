"""Write the manual page of mbsim, for `man`."""

import re
from pathlib import Path

import click

from mbsim.cli._output import force_option, output_errors
from mbsim.version import __version__


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="File, such as mbsim.1. Default: stdout.")
@force_option
@click.pass_context
def command(context: click.Context, output: Path | None, force: bool) -> None:
    """Write the manual page of all commands, in the format of `man`: `mbsim man -o mbsim.1 && man ./mbsim.1`."""
    from mbsim.results import outputs

    root = context.find_root()
    text = page(root, root.command)
    if output is None:
        click.echo(text, nl=False)
        return
    with output_errors():
        outputs.write_text(output, text, force, suffix=".roff")
    click.echo(output)


def page(context: click.Context, group: click.Command) -> str:
    """The page: a section for the options of mbsim itself, and one for each command."""
    assert isinstance(group, click.Group)
    lines = [f'.TH MBSIM 1 "" "mbsim {__version__}"', ".SH NAME", "mbsim \\- constrained multibody systems from YAML model files"]
    lines += [".SH SYNOPSIS", ".B mbsim", "[OPTIONS] COMMAND [ARGS]...", ".SH DESCRIPTION", *_paragraphs(group.help or "")]
    lines += [".SH OPTIONS", *_options(context, group)]
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        inner = click.Context(found, parent=context, info_name=name)
        usage = " ".join(found.collect_usage_pieces(inner))
        lines += [f".SH {_safe(f'mbsim {name}').upper()}", f".B mbsim {_safe(name)}", _safe(usage), ".PP", *_paragraphs(found.help or "")]
        lines += _options(inner, found)
    exits = "0: done. 1: a run that failed. 2: wrong usage, model or input file. 3: done, but not as good as requested."
    lines += [".SH EXIT STATUS", exits, ".SH SEE ALSO", "The documents of the project: README.md and docs/."]
    return "\n".join(lines) + "\n"


def _options(context: click.Context, command: click.Command) -> list[str]:
    records = [record for parameter in command.get_params(context) if (record := parameter.get_help_record(context)) is not None]
    return [line for names, told in records for line in (".TP", f".B {_safe(names)}", _safe(told))]


def _paragraphs(text: str) -> list[str]:
    """Paragraphs of a help text; those after a backspace character keep their lines."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        kept = block.startswith("\b")
        rows = [row.strip() if not kept else row.rstrip() for row in block.removeprefix("\b").strip("\n").splitlines()]
        lines += [".nf", *map(_safe, rows), ".fi"] if kept else [_safe(" ".join(rows))]
        lines.append(".PP")
    return lines[:-1]


def _safe(text: str) -> str:
    """Text without meaning for roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text
