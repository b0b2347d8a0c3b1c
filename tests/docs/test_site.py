"""The site of docs/: every page is in the navigation, links lead somewhere on GitHub and on the site, the build is without a warning."""

import importlib
import importlib.util
import os
import posixpath
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import mbsim
from mbsim import cli

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_spec = importlib.util.spec_from_file_location("site_pages", ROOT / "scripts" / "site_pages.py")
assert _spec is not None and _spec.loader is not None
site_pages = importlib.util.module_from_spec(_spec)
sys.modules["site_pages"] = site_pages  # where dataclasses look
_spec.loader.exec_module(site_pages)

SETTINGS: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
LEFT_OUT = SETTINGS["exclude_docs"].split()
DOCUMENTS = [
    name
    for name in sorted(path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md"))
    if not name.removeprefix("docs/").startswith(tuple(LEFT_OUT))
]
PAGES = site_pages.Pages.of(DOCUMENTS)


def text_of(page: str) -> str:
    return str(PAGES.texts.get(page) or (ROOT / PAGES.sources[page]).read_text(encoding="utf-8"))


def entries(navigation: list[Any]) -> list[str]:
    """Its pages, in their order."""
    found: list[str] = []
    for item in navigation:
        value = next(iter(item.values())) if isinstance(item, dict) else item
        found += entries(value) if isinstance(value, list) else [value]
    return found


def test_every_page_is_in_the_navigation() -> None:
    """Once, and each that the navigation names is there."""
    named = entries(SETTINGS["nav"])
    assert len(named) == len(set(named))
    pages = {page for page in PAGES.sources if not page.startswith("files/")}
    assert not pages - set(named), "pages that mkdocs.yml names neither in `nav` nor in `exclude_docs`"
    assert set(named) <= pages, set(named) - pages


@pytest.mark.parametrize("name", ["README.md", *DOCUMENTS])
def test_links_between_files_lead_somewhere(name: str) -> None:
    """As GitHub follows them."""
    for _, _, target in site_pages.links((ROOT / name).read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        assert file.exists(), target
        assert not anchor or anchor in site_pages.anchors(file.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("page", sorted(PAGES.sources))
def test_links_between_pages_lead_somewhere(page: str) -> None:
    """On the site, where files outside docs/ are pages of their own."""
    for _, _, target in site_pages.links(PAGES.rewritten(text_of(page), page)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        other = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        assert other in PAGES.sources or (DOCS / other).is_file(), target
        assert not anchor or anchor in site_pages.anchors(text_of(other)), target


def test_the_model_file_has_a_page_for_each_block() -> None:
    """Its index leads to every page, each begins with its title, and the site shows them as they are."""
    index = (DOCS / "model-file" / "index.md").read_text(encoding="utf-8")
    pages = {path.name for path in (DOCS / "model-file").glob("*.md")} - {"index.md"}
    assert pages == {target.partition("#")[0] for _, _, target in site_pages.links(index) if not target.startswith("..")} - {""}
    for name in pages:
        marks = site_pages.headings((DOCS / "model-file" / name).read_text(encoding="utf-8"))
        assert marks[0][:2] == (0, 1) and site_pages.anchor(marks[0][2]) == name.removesuffix(".md")
        assert all(level > 1 for _, level, _ in marks[1:])
    link = PAGES.rewritten("[a](model-file/joints.md#revolute) `[b](model-file)` [c](../README.md#a-first-model)", "python.md")
    assert link == "[a](model-file/joints.md#revolute) `[b](model-file)` [c](first_steps.md#a-first-model)"


def test_files_outside_docs_become_pages(tmp_path: Path) -> None:
    page = "[x](../models/x.yaml) [](y.png)"
    files = {"README.md": "# a\n[d](docs/a.md)", "CHANGELOG.md": "# c", "models/x.yaml": "name: x\n", "docs/a.md": page}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    made = site_pages.Pages.of(["docs/a.md"], tmp_path)
    assert made.rewritten(page, "a.md") == "[x](files/models/x.yaml.md) [](y.png)"
    assert "````yaml\nname: x\n````" in made.texts["files/models/x.yaml.md"]
    assert made.rewritten("[d](docs/a.md)", "first_steps.md") == "[d](a.md)"
    assert made.rewritten("[e](docs/missing.md)", "first_steps.md") == "[e](missing.md)"  # of which the build tells


def test_the_api_page_has_every_public_name() -> None:
    named = re.findall(r"^::: (\S+)$", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {f"mbsim.{name}" for name in mbsim.__all__} <= set(named)
    for name in named:
        module, _, attribute = name.rpartition(".")
        assert getattr(importlib.import_module(module), attribute).__doc__, name


COMMANDS = [
    pytest.param(line, id=f"{path.stem}:{line[:40]}")
    for path in sorted((DOCS / "howto").glob("*.md"))
    for line in re.findall(r"^ *\$ (mbsim .*?[^\\])$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_of_recipes_have_their_options(line: str) -> None:
    words = shlex.split(line.replace("\\\n", " "), comments=True)
    command = cli.main.get_command(cli.click.Context(cli.main), words[1])
    assert command is not None, words[1]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {"-h", "--help"}
    asked = [word.partition("=")[0] for word in words[2:] if re.match(r"--?[a-z]", word)]
    assert set(asked) <= known, set(asked) - known


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    for package in ("mkdocs", "material", "mkdocstrings_handlers.python"):
        pytest.importorskip(package)
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    assert done.returncode == 0, done.stderr
    joints = (tmp_path / "site" / "model-file" / "joints" / "index.html").read_text(encoding="utf-8")
    assert 'id="revolute"' in joints and "joints/spherical.png" in joints
    assert 'id="mbsim.simulate"' in (tmp_path / "site" / "api" / "index.html").read_text(encoding="utf-8")
