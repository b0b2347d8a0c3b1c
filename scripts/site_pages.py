"""The pages of the documentation's site, made from the files of the repository: what goes where, and the links between them.

On GitHub a reader follows links between files. The site has more pages: the README and the changes are pages too, and a file outside docs/
that a document links to is shown on a page of its own. Knows no MkDocs (site_hook.py does).
"""

import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUTSIDE = {"README.md": "first_steps.md", "CHANGELOG.md": "changes.md"}
LANGUAGES = {".yaml": "yaml", ".py": "python", ".toml": "toml"}
LARGEST = 200_000  # bytes of a file that gets a page
_FENCE = re.compile(r"^(?P<mark>```+|~~~+).*?^(?P=mark)[ \t]*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)(?P<title>\s+\"[^\"]*\")?\)")
_HEADING = re.compile(r"^(?P<level>#+) (?P<title>.+?)[ \t]*$", re.MULTILINE)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def without_fences(text: str) -> str:
    """The text with blanks for fenced code, at the same places."""
    return _FENCE.sub(_blank, text)


def links(text: str) -> list[tuple[int, int, str]]:
    """Where the target of each link and picture begins and ends, and the target; none of what is code."""
    prose = _CODE.sub(_blank, without_fences(text))
    return [(match.start("target"), match.end("target"), match["target"]) for match in _LINK.finditer(prose)]


def headings(text: str) -> list[tuple[int, int, str]]:
    """Where each heading begins, its level and its title."""
    return [(match.start(), len(match["level"]), match["title"]) for match in _HEADING.finditer(without_fences(text))]


def anchor(title: str) -> str:
    """As GitHub makes it: lower case, punctuation dropped, blanks to hyphens."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()).replace(" ", "-")


def anchors(text: str) -> list[str]:
    """Those of all headings, the second of a name with -1 as on GitHub."""
    made: list[str] = []
    for _, _, title in headings(text):
        name = anchor(title)
        count = sum(1 for other in made if other == name or re.fullmatch(rf"{re.escape(name)}-\d+", other))
        made.append(f"{name}-{count}" if name in made else name)
    return made


@dataclass
class Pages:
    """Every page: `sources` page -> file of the repository; `texts` of the pages that are not files of docs/."""

    sources: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: list[str], root: Path = ROOT) -> "Pages":
        """From the names of the files (`docs/results.md`) that are pages."""
        made = cls()
        for name in documents:
            made.sources[name.removeprefix("docs/")] = name
        for name, page in OUTSIDE.items():
            made.sources[page], made.texts[page] = name, (root / name).read_text(encoding="utf-8")
        for name in dict.fromkeys(made.sources.values()):
            for path in _linked((root / name).read_text(encoding="utf-8"), name):
                made._show(root, path)
        return made

    def _show(self, root: Path, path: str) -> None:
        """A page that shows a file which is no page, where documents link to it."""
        page, file = f"files/{path}.md", root / path
        if path in self.sources.values() or page in self.sources or not file.is_file() or file.stat().st_size > LARGEST:
            return
        if path.startswith("docs/") and file.suffix not in LANGUAGES:
            return  # pictures, which MkDocs copies
        fence = f"````{LANGUAGES.get(file.suffix, 'text')}\n{file.read_text(encoding='utf-8').rstrip()}\n````\n"
        self.sources[page], self.texts[page] = path, f"---\nsearch: {{exclude: true}}\n---\n\n# {path}\n\n{fence}"

    def rewritten(self, text: str, page: str) -> str:
        """The text of a page with links that lead to pages; those that lead nowhere stay, and the build tells of them."""
        source = self.sources[page]
        for begin, end, target in reversed(links(text)):
            text = text[:begin] + self._target(target, source, page) + text[end:]
        return text

    def _target(self, target: str, source: str, page: str) -> str:
        path, mark, name = target.partition("#")
        if re.match(r"[a-z]+:", target) or target.startswith("/"):
            return target
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else source
        to = next((known for known, origin in self.sources.items() if origin == file), file.removeprefix("docs/"))
        if to == page and name:
            return f"#{name}"
        return posixpath.relpath(to, posixpath.dirname(page) or ".") + mark + name


def _linked(text: str, source: str) -> list[str]:
    """The files of the repository that a document links to."""
    targets = [target.partition("#")[0] for _, _, target in links(text) if not re.match(r"[a-z]+:|#|/", target)]
    return [posixpath.normpath(posixpath.join(posixpath.dirname(source), target)) for target in targets]
