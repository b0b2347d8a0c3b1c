"""Say how to cite mbsim and the paper of a method, as text or BibTeX."""

import re
from pathlib import Path
from typing import Any

import click

from mbsim.cli._errors import InputError

TEXT, BIBTEX = "text", "bibtex"
FOLDER = Path(__file__).resolve().parents[1]


@click.command()
@click.argument("result", required=False, type=click.Path(path_type=Path))
@click.option("--method", help="Add the paper of this method. Default: that of RESULT, without one all papers.")
@click.option("--format", "style", type=click.Choice((TEXT, BIBTEX)), default=TEXT, show_default=True, help="How it is printed.")
def command(result: Path | None, method: str | None, style: str) -> None:
    """Print how to cite mbsim and the paper of the method that made RESULT.

    The equations that a method takes from its paper, and in what mbsim differs, are named too.
    """
    known = _cff()
    words = _methods(result, method)
    papers = [_paper(known, source["paper"]) for source in words.values()] if words is not None else list(known["references"])
    entries = [known, *(paper for k, paper in enumerate(papers) if paper is not None and paper not in papers[:k])]
    if style == BIBTEX:
        click.echo("\n\n".join(_bibtex(entry) for entry in entries))
        return
    lines = [_text(entry) for entry in entries]
    for name, source in (words or {}).items():
        lines.append(f"{name}: {source['paper']}, {source['equations']}")
    click.echo("\n".join(lines))


def _methods(result: Path | None, method: str | None) -> dict[str, dict[str, str]] | None:
    """The methods that were asked for with what they say of their source; None for all. Raises InputError."""
    from mbsim import registry

    if method is None and result is None:
        return None
    if method is None:
        from mbsim.cli._result import open_or_exit

        assert result is not None
        with open_or_exit(result) as data:
            method = str(data.attributes.get("method", ""))
    word = method.partition("(")[0].strip()
    names = registry.names("methods")
    if word not in names:
        if result is not None:  # a motion that is prescribed has no method of a paper
            return {}
        from mbsim.model.file.errors import did_you_mean

        raise InputError(f"unknown method {word[:60]!r}{did_you_mean(word, names)}")
    source = registry.declaration("methods", word, "SOURCE")
    return {} if source is None else {word: source}


def _cff() -> dict[str, Any]:
    """The file CITATION.cff, which a wheel brings along. Raises InputError."""
    import yaml

    for path in (FOLDER / "CITATION.cff", FOLDER.parent / "CITATION.cff"):
        if path.is_file():
            found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
            return found
    raise InputError("this installation has no CITATION.cff")


def _paper(known: dict[str, Any], source: str) -> dict[str, Any] | None:
    """The reference whose authors the source of a method names."""
    named = set(re.findall(r"[A-Z][a-z]+", source))
    best = max(known["references"], key=lambda paper: _likeness(paper, named, source))
    return best if _likeness(best, named, source) > 0 else None


def _likeness(paper: dict[str, Any], named: set[str], source: str) -> int:
    """How many authors of a paper are named, less those that are not; more where its year is."""
    authors = {author["family-names"] for author in paper["authors"]}
    found = len(authors & named)
    return 4 * found - 2 * len(authors - named) + (str(paper.get("year", "-")) in source) if found else 0


def _authors(entry: dict[str, Any], between: str) -> str:
    return between.join(_author(author) for author in entry["authors"])


def _author(author: dict[str, str]) -> str:
    return author.get("name") or f"{author['family-names']}, {author['given-names']}"


def _text(entry: dict[str, Any]) -> str:
    parts = [f"{_authors(entry, '; ')}: {entry['title']}"]
    if entry.get("journal"):
        issue = f"({entry['issue']})" if entry.get("issue") else ""
        pages = f", {entry['start']}-{entry['end']}" if entry.get("start") else ""
        parts.append(f"{entry['journal']} {entry.get('volume', '')}{issue}{pages}")
    if entry.get("version"):
        parts.append(f"version {entry['version']}")
    year = entry.get("year") or str(entry.get("date-released", ""))[:4]
    return ". ".join([*parts, *filter(None, [str(year) if year else "", f"doi:{entry['doi']}" if entry.get("doi") else ""])]) + "."


def _bibtex(entry: dict[str, Any]) -> str:
    year = str(entry.get("year") or str(entry.get("date-released", ""))[:4])
    first = entry["authors"][0]
    key = re.sub(r"\W", "", str(first.get("family-names") or "mbsim")).lower() + year
    named = [f"{{{author['name']}}}" if author.get("name") else _author(author) for author in entry["authors"]]
    pages = f"{entry['start']}--{entry['end']}" if entry.get("start") else None
    fields = {
        "author": " and ".join(named), "title": f"{{{entry['title']}}}", "journal": entry.get("journal"), "volume": entry.get("volume"),
        "number": entry.get("issue"), "pages": pages, "year": year, "doi": entry.get("doi"), "version": entry.get("version"),
    }  # fmt: skip
    kind = "article" if entry.get("journal") else "software" if entry.get("version") else "misc"
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])
