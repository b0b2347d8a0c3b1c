"""Show where compiled code is kept and how much there is, compile ahead, or remove it."""

import click

_KINDS = {
    "image": "kernels, as machine code",
    "numba": "kernels, as Numba loads and links them",
    "nbi": "indices of stock Numba's own cache (MBSIM_FASTLOAD=0)",
    "nbc": "kernels in that cache",
    "none": "marks of kernels that only Numba can load",
    "py": "code generated from models",
    "code": "the same as Python compiled it",
    "model": "assembled models",
    "digest": "hashes of the sources",
    "part": "left by processes that were killed",
}


@click.command()
@click.argument("action", required=False, type=click.Choice(("warm",)), metavar="[warm]")
@click.argument("words", nargs=-1, metavar="[KIND|MODEL]...")
@click.option("--info", "wanted", flag_value="info", default=True, help="Show the folder, its contents and its limit (the default).")
@click.option("--clear", "wanted", flag_value="clear", help="Remove the compiled code of every version.")
def command(action: str | None, words: tuple[str, ...], wanted: str) -> None:
    """Show where compiled code is kept and how much there is, compile ahead, or remove it.

    `mbsim cache warm` compiles what models of each kind need, so that their first runs need not: planar and spatial mechanisms, those in
    joint coordinates (joint), in coordinates of their own (own), and beams. With kinds or models behind it, it compiles for these.
    Removed code is compiled anew when it is needed.
    """
    from mbsim.cli._errors import InputError
    from mbsim.jit import CACHE_FOLDER, housekeeping

    if action == "warm":
        from mbsim.cli._warm import warm

        if wanted == "clear":
            raise InputError("`warm` fills the cache and --clear empties it; give one of them")
        warm(words)
        return
    base = CACHE_FOLDER.parent
    if wanted == "clear":
        removed = housekeeping.clear(base)
        click.echo(f"{removed / 1e6:.1f} MB removed from {base}")
        return
    try:
        limit = housekeeping.limit()
    except ValueError as error:
        raise InputError(str(error)) from None
    files = housekeeping.survey(base)
    click.echo(f"folder   {base}")
    click.echo(f"version  {CACHE_FOLDER.name}")
    click.echo(f"size     {sum(kept.size for kept in files) / 1e6:.1f} MB of at most {limit / 1e6:g} MB, {len(files)} files")
    for kind, what in _KINDS.items():
        found = [kept.size for kept in files if kept.kind == kind]
        if found:
            click.echo(f"  {kind:7}{len(found):6} {sum(found) / 1e6:9.1f} MB  {what}")
