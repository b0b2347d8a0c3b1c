"""What MkDocs does besides its own for the site of docs/ (mkdocs.yml names this file): the pages of site_pages.py and their links."""

import re
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel
from pymdownx.slugs import slugify
from site_pages import ROOT, Pages

_pages = Pages()


def on_config(config: Any) -> Any:
    """Anchors as GitHub makes them."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = slugify(case="lower")
    return config


def on_files(files: Files, *, config: Any) -> Files:
    """The pages that are not files of docs/."""
    global _pages  # noqa: PLW0603
    documents = [f"docs/{file.src_uri}" for file in files.documentation_pages()]
    _pages = Pages.of(documents, ROOT)
    for page, text in _pages.texts.items():
        inclusion = InclusionLevel.NOT_IN_NAV if page.startswith("files/") else InclusionLevel.UNDEFINED
        files.append(File.generated(config, page, content=text, inclusion=inclusion))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Links that lead to pages of the site; fences whose further words are for the tests; bars in code in tables."""
    text = _pages.rewritten(markdown, page.file.src_uri)
    text = re.sub(r"^( *```+)(\w+) .*$", r"\1\2", text, flags=re.MULTILINE)
    return re.sub(r"^\|.*\|$", lambda row: re.sub(r"`[^`]+`", lambda code: code[0].replace(r"\|", "|"), row[0]), text, flags=re.MULTILINE)


def on_page_content(html: str, *, page: Any, config: Any, files: Files) -> str:
    """Pictures are loaded when they come into sight: the gallery has dozens that move."""
    return html.replace("<img ", '<img loading="lazy" ')
