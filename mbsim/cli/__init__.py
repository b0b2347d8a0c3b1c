"""The command `mbsim`: one file of this folder per command, imported only when it is called.

A command file has the name of its command. The first line of its docstring is shown in `mbsim --help`; `command` is the click command.
Data go to stdout, messages to stderr. Exit codes: 0 done, 1 a run that failed, 2 wrong usage, model or input file, 3 done, but not as good
as requested (`--strict`, `--digits`).
"""

import atexit
import gc
import importlib
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from mbsim.version import __version__, commit

# Read by numpy when a command imports it. The matrices of a model are small; a second thread does not help and spins between two of them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Read by pydantic: it looks through every installed package for plugins otherwise, of which the command line has no use.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

FOLDER = Path(__file__).parent
COLLECTED_AFTER = 100_000  # objects more than before, Python's own number being 700; a warm run makes 60,000, none of them garbage

AMOUNTS = (("-v", "--verbose"), ("-q", "--quiet"))  # how much is said; may stand before the command or among its options
_DERIVES = "codegen"  # the file that says so
LEVELS = {"verbose": logging.DEBUG, "quiet": logging.WARNING}


def _set_level(_: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and parameter.name is not None:
        logging.getLogger("mbsim").setLevel(LEVELS[parameter.name])


class LazyGroup(click.Group):
    """The commands are the files of this folder. Listing them reads their first lines and imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"mbsim.cli.{cmd_name}").command
        if not any(parameter.name in LEVELS for parameter in command.params):
            flag: dict[str, Any] = {"is_flag": True, "hidden": True, "expose_value": False, "callback": _set_level}
            command.params += [click.Option(option, **flag) for option in AMOUNTS]
        if "_MBSIM_COMPLETE" in os.environ:  # a shell asks what fits
            from mbsim.cli._complete import offering

            return offering(command)
        from mbsim.cli._errors import refuse_more

        return refuse_more(command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            from mbsim.model.file.errors import nearest

            close = nearest(args[0], names)
            hint = f"did you mean '{close}'?" if close else f"the commands are {', '.join(names)}"
            raise click.UsageError(f"there is no command '{args[0]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, first_line(FOLDER / f"{name}.py")) for name in self.list_commands(ctx)])

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        if os.environ.get("NO_COLOR"):  # https://no-color.org: set and not empty
            extra.setdefault("color", False)
        return super().make_context(*args, **extra)


def first_line(path: Path) -> str:
    """The first line of a module's docstring, read as text."""
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().strip('"')


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    found = commit()
    click.echo(f"mbsim {__version__}{f' (commit {found})' * bool(found)}")
    ctx.exit()


class _FirstOf(logging.Filter):
    """Lets only the first message of a file pass: a run with events derives equations part by part, and says so each time."""

    def __init__(self, module: str) -> None:
        super().__init__()
        self._module, self._said = module, False

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is printed."""
        if record.module != self._module:
            return True
        first, self._said = not self._said, True
        return first


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-v", "--verbose", is_flag=True, help="Print more on stderr. It may also follow the command.")
@click.option("-q", "--quiet", is_flag=True, help="Print only warnings and errors on stderr. It may also follow the command.")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version and exit.")
def main(verbose: bool, quiet: bool) -> None:
    """Simulate mechanisms. The input is a YAML model, the output an HDF5 result and its pictures."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    handler.addFilter(_FirstOf(_DERIVES))
    logger = logging.getLogger("mbsim")
    logger.handlers = [handler]  # replaced, not added: a program may call this more than once
    logger.setLevel(LEVELS["verbose"] if verbose else LEVELS["quiet"] if quiet else logging.INFO)


def enter() -> NoReturn:
    """The command's way in: runs it, and answers for what standard output could not take."""
    _open_standard_streams()
    _collect_less()
    try:
        main(prog_name="mbsim")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            raise SystemExit(_flush(end.code or 0)) from None
        raise
    except OSError as error:  # what a command writes to files it catches itself: this is standard output
        _say(f"Error: {error.filename or 'standard output'}: {error.strerror or error}")
        _give_up_output()
        raise SystemExit(1) from None
    raise SystemExit(0)


def _collect_less() -> None:
    """Look for garbage less often, and not at the end: a fifth of a short run went into looking through the modules that it imported."""
    gc.set_threshold(COLLECTED_AFTER)
    atexit.register(gc.freeze)


def _open_standard_streams() -> None:
    """Where a standard stream is closed, the next file that is opened would get its number, and messages would be written into it."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # gets the smallest number that is free
                setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115  (open to the end)


def _flush(code: int) -> int:
    """The exit code after all that is still held back was written, or could not be."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:  # the reader of a pipe has seen enough, as `head` does
        _give_up_output()
        return code
    except OSError as error:
        _say(f"Error: standard output: {error.strerror or error}")
        _give_up_output()
        return code or 1
    return code


def _give_up_output() -> None:
    """What is still held back goes nowhere: Python would try to write it once more when it ends, and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())


def _say(message: str) -> None:
    with suppress(OSError):  # stderr may be as full as stdout
        print(message, file=sys.stderr, flush=True)
