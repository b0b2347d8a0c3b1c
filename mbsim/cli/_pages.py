"""The pages of the documentation: their sections, and which of them tell of a word."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mbsim.cli._errors import InputError

PACKAGE = Path(__file__).resolve().parents[1]
_HEADING = re.compile(r"^(#{1,6}) +(.+?) *$")
_FENCE = re.compile(r"^ *```")
HEADS = ("function", "reduction")  # of the first columns of tables that list functions
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Section:
    """A heading with the text below it, up to the next heading of its level or above. `page` is relative to the folder of the pages."""

    page: str
    level: int
    title: str
    lines: tuple[str, ...]

    @property
    def words(self) -> str:
        """The title as it is looked for."""
        return _plain(self.title).lower()

    @property
    def address(self) -> str:
        """`docs/model-file/joints.md#revolute`; of a whole page without an anchor."""
        anchor = re.sub(r"[^\w\- ]", "", self.words).replace(" ", "-")
        return f"docs/{self.page}" if self.level == 1 else f"docs/{self.page}#{anchor}"

    @cached_property
    def text(self) -> str:
        """For a terminal: links are their words, pictures are left out."""
        found, fenced = [], False
        for line in self.lines:
            if _FENCE.match(line):
                fenced = not fenced
                continue
            if not fenced:
                if line.lstrip().startswith("!["):
                    continue
                line = _LINK.sub(r"\1", line)
            found.append(f"    {line}" if fenced and line else line)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(found)).strip()


def folder() -> Path:
    """Where the pages are: in the package of an installed wheel, or at the root of a source tree. Raises InputError."""
    for place in (PACKAGE / "_docs", PACKAGE.parent / "docs"):
        if place.is_dir():
            return place
    raise InputError("this installation has no pages of documentation")


def sections() -> list[Section]:
    """All sections of all pages, a page's own first. Raises InputError."""
    root = folder()
    return [section for path in sorted(root.rglob("*.md")) for section in _of(path.read_text(encoding="utf-8"), path.relative_to(root))]


def _of(text: str, page: Path) -> list[Section]:
    lines, fenced = text.splitlines(), False
    heads: list[tuple[int, int, str]] = []  # line, level, title
    for k, line in enumerate(lines):
        fenced ^= bool(_FENCE.match(line))
        if not fenced and (found := _HEADING.match(line)):
            heads.append((k, len(found[1]), found[2]))
    made = []
    for i, (k, level, title) in enumerate(heads):
        end = next((other for other, its, _ in heads[i + 1 :] if its <= level), len(lines))
        made.append(Section(page.as_posix(), level, title, tuple(lines[k:end])))
    return made


def find_sections(word: str, every: list[Section]) -> list[Section]:
    """The sections of that title, and the page of that name; sections first that are of leaves and methods."""
    sought = word.strip().lower()
    pages = [one for one in every if one.level == 1 and Path(one.page).stem.lower() == sought]
    titles = [one for one in every if one.words == sought and one not in pages]
    return sorted([*pages, *titles], key=lambda one: (not one.page.startswith(("model-file/", "methods/")), one.page))


def rows(word: str, every: list[Section]) -> list[tuple[Section, str]]:
    """Rows of tables whose first cell is that word: options, keys, variables."""
    pattern = re.compile(rf"^\| *`?{re.escape(word)}`? *(?:,[^|]*)?\| *(.+?) *\|?$")
    found = [(one, match[1]) for one in every if one.level <= 2 for line in one.lines if (match := pattern.match(line))]
    seen: dict[tuple[str, str], Section] = {}
    for section, told in found:
        seen[section.page, told] = section  # the innermost comes last
    return [(section, _LINK.sub(r"\1", told)) for (_, told), section in seen.items()]


def functions(word: str, every: list[Section]) -> list[tuple[Section, str, str]]:
    """Rows of tables of functions that have the word, as `sin cos tan` or `atan2(y, x)`: the section, the first cell, the rest."""
    pattern = re.compile(rf"`(?:[^`]*[ (,])?{re.escape(word)}(?:\(|[ `][^`]*|$)")
    seen: dict[tuple[str, str, str], Section] = {}
    for one in every:
        inside = False
        for line in one.lines:
            head, *told = [cell.strip() for cell in line.strip("| ").split(" | ")]
            inside = line.startswith("|") and (inside or head in HEADS)
            if inside and pattern.search(head):
                seen[one.page, head.replace("`", ""), _LINK.sub(r"\1", " | ".join(told))] = one  # the innermost section comes last
    return [(section, head, told) for (_, head, told), section in seen.items()]


def telling(word: str, every: list[Section]) -> list[tuple[int, Section]]:
    """The pages in which a word stands, and how often, most often first."""
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
    counted = [(len(pattern.findall("\n".join(one.lines))), one) for one in every if one.level == 1]
    return sorted(((count, one) for count, one in counted if count), key=lambda pair: -pair[0])


def _plain(title: str) -> str:
    return _LINK.sub(r"\1", title).replace("`", "").strip()
