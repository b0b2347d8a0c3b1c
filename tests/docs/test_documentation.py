"""The documents: YAML examples load and assemble, leaves have sections, Python examples print what they say, links lead somewhere."""

import contextlib
import io
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

import mbsim
from mbsim import registry
from mbsim.diagnosis.contradiction import contradicting
from mbsim.kernels.tables import lookup
from mbsim.march.settings import resolve
from mbsim.model.load import load

ROOT = Path(__file__).parents[2]
OWN = (
    "integrators", "importing", "errata", "python", "results", "compare", "bench", "cache", "glossary", "reliability", "kinematics", "view",
    "gallery", "commands", "studies", "shell", "plugins", "other_codes", "root_finding", "equilibrium", "modes",
)  # fmt: skip
MODEL_FILE, METHODS, RECIPES = (sorted((ROOT / "docs" / folder).glob("*.md")) for folder in ("model-file", "methods", "howto"))
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *MODEL_FILE, *METHODS, *RECIPES]
# The page of the model file that describes each kind of leaf.
PAGE = {"methods": "simulation", "integrators": "simulation"}
_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)


def blocks(document: Path) -> list[tuple[int, str, str]]:
    """Line number, info string and text of every fenced block."""
    text = document.read_text(encoding="utf-8")
    return [(text.count("\n", 0, m.start()) + 1, m["info"].strip(), m["text"]) for m in _FENCE.finditer(text)]


MODELS = [pytest.param(text, id=f"{d.stem}:{line}") for d in DOCUMENTS for line, info, text in blocks(d) if info == "yaml"]


def _interpreted(key: str, source: Callable[[], str]) -> types.ModuleType:
    """In place of `cached_module`: the derived functions as plain Python, because an example is only assembled."""
    module = types.ModuleType("interpreted")
    text = source().replace("from mbsim.jit import kernel\n", "").replace("from mbsim.kernels.tables import lookup\n", "")
    text = re.sub(
        r"^from mbsim\.contracts import .*$", "CONSTRAINTS = DYNAMICS = ENERGY = RATES = RESIDUAL = None", text, flags=re.MULTILINE
    )
    module.__dict__["kernel"] = lambda contract: lambda function: function
    module.__dict__["lookup"] = getattr(lookup, "py_func", lookup)  # the helper has no way in from Python
    exec(text, module.__dict__)
    return module


@pytest.mark.parametrize("text", MODELS)
def test_every_example_loads_and_assembles(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def known(key: str, source: Callable[[], str]) -> types.ModuleType:
        module = _interpreted(key, source)
        monkeypatch.setitem(sys.modules, module.__name__, module)  # where kernels are asked what they declare
        return module

    monkeypatch.setattr("mbsim.system.laws.cached_module", known)
    monkeypatch.setattr("mbsim.system.generalized.cached_module", known)
    made = mbsim.assemble(load(text, registry, file="example.yaml"))
    assert made.q.size == made.system.n_q > 0
    resolve(made.simulation, made.whole)  # a block that a run refuses is no example
    assert contradicting(made.system, made.start, made.q, made.v) == ([], 0.0)


@pytest.mark.parametrize(("kind", "word"), [(kind, word) for kind in registry.KINDS for word in registry.names(kind)])
def test_every_leaf_has_a_section(kind: str, word: str) -> None:
    path = ROOT / "docs" / "model-file" / f"{PAGE.get(kind, kind)}.md"
    document = path.read_text(encoding="utf-8")
    assert re.search(rf"^## {word}$", document, re.MULTILINE), f"{path.name} has no section on the {kind[:-1]} {word}"
    assert f"]({path.name}#{word})" in (path.parent / "index.md").read_text(encoding="utf-8"), f"the index does not name {word}"
    examples = "".join(text for page in MODEL_FILE for _, info, text in blocks(page) if info == "yaml")
    if kind in ("joints", "forces", "controllers", "constraints") and word not in ELSEWHERE:
        assert f"type: {word}" in examples, f"no example of the {kind[:-1]} {word}"
    if kind in ("methods", "integrators"):
        page, mark = (f"methods/{word}.md", "#") if kind == "methods" else ("integrators.md", "##")
        assert re.search(rf"^{mark} {word}$", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.MULTILINE), f"{page} is not on {word}"


ELSEWHERE = {"fmu": "../tutorials/fmu.md"}  # a leaf whose example needs a file that another step makes
LEAVES = [(kind, word) for kind in ("joints", "forces", "controllers", "constraints") for word in registry.names(kind)]


@pytest.mark.parametrize(("kind", "word"), LEAVES)
def test_every_leaf_has_a_picture_and_an_example_that_runs(kind: str, word: str) -> None:
    """The first example of its section, for ten steps; pictures are of what has bodies."""
    document = (ROOT / "docs" / "model-file" / f"{kind}.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {word}$(.*?)(?=^#|\Z)", document, re.DOTALL | re.MULTILINE)
    assert section is not None
    example = re.search(r"^```yaml\n(.*?)^```", section[1], re.DOTALL | re.MULTILINE)
    if word in ELSEWHERE or word == "generalized":
        assert example is None and f"({ELSEWHERE.get(word, 'own-coordinates-and-energies.md')})" in section[1]
        return
    assert example is not None
    result = mbsim.simulate(example[1], end=0.01, output_step=0.005, step=1e-3)
    assert result.attributes["status"] == "complete" and len(result.time) == 3
    picture = f"images/{kind}/{word}.png"
    assert (f"](../{picture})" in section[1] and (ROOT / "docs" / picture).is_file()) == (word not in ("holonomic", "nonholonomic"))


PRINTING = [pytest.param(path, id=path.stem) for path in (ROOT / "README.md", ROOT / "docs" / "python.md", ROOT / "docs" / "results.md")]
IN_PYTHON = ROOT / "docs" / "howto" / "analyse_in_python.md"
PRINTING.append(pytest.param(IN_PYTHON, id=IN_PYTHON.stem, marks=pytest.mark.slow))


@pytest.mark.filterwarnings("ignore:overflow")  # of an example that blows up
@pytest.mark.parametrize("document", PRINTING)
def test_python_examples_run_and_print_what_they_say(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a document share their names; a ```text block is what the one before it prints."""
    monkeypatch.chdir(tmp_path)
    found = blocks(document)
    swing = next(text for _, info, text in blocks(ROOT / "README.md") if info == "yaml")
    (tmp_path / "swing.yaml").write_text(swing, encoding="utf-8")
    mbsim.simulate(mbsim.load_model("swing.yaml"), output="swing.h5").close()
    namespace: dict[str, object] = {"__name__": "documentation"}
    ran = 0
    for index, (line, info, text) in enumerate(found):
        if info != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + text, str(document), "exec"), namespace)
        following = found[index + 1] if index + 1 < len(found) else (0, "", "")
        assert printed.getvalue() == (following[2] if following[1] == "text" else ""), f"{document.name}:{line}"
        ran += 1
    assert ran


def test_the_readme_is_short_and_its_mistakes_are_found() -> None:
    """What it says that `mbsim run bad.yaml` prints is what its first model with these slips gives."""
    found = blocks(ROOT / "README.md")
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150
    said = next(text for _, _, text in found if text.startswith("$ mbsim run bad.yaml"))
    wrong = next(text for _, info, text in found if info == "yaml")
    for word, slip in (("{mass", "{mas"), ("revolute", "revolut"), ("stiffness: k,", "stiffness: kk,")):
        assert wrong.count(word) == 1
        wrong = wrong.replace(word, slip)
    with pytest.raises(mbsim.ModelError) as error:
        load(wrong, registry, file="bad.yaml")
    assert str(error.value).splitlines() == said.splitlines()[1:]


OWN_FILES = [ROOT / "README.md", *MODEL_FILE, *METHODS, *(ROOT / "docs" / f"{name}.md" for name in OWN)]


@pytest.mark.parametrize("document", OWN_FILES, ids=lambda d: d.stem)
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        path = document.parent / file if file else document
        if path.name in ("benchmarks.md", "benchmarks-chains.md"):
            continue  # written by scripts/benchmark_exudyn.py and benchmark_chains.py
        assert path.is_file(), f"{document.name}: {target}"
        if anchor:
            assert anchor in _anchors(path), f"{document.name}: {target}"


def _anchors(document: Path) -> set[str]:
    """As GitHub makes them: lower case, punctuation dropped, blanks to hyphens."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_recorded_variable_is_documented() -> None:
    from mbsim.results import SERIES

    document = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    missing = [name for name in SERIES if f"`{name}`" not in document]
    assert not missing, f"docs/results.md does not mention {missing}"


def test_the_glossary_names_what_the_code_has() -> None:
    from mbsim import contracts
    from mbsim.results import SERIES
    from mbsim.system.system import System

    known = {
        "Work": set(contracts.Work._fields),
        "Arrays": set(contracts.Arrays._fields),
        "System": {*System.__dataclass_fields__, *(name for name in dir(System) if not name.startswith("_"))},
    }
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    symbols = text.split("\n## Symbols of the whole project\n")[1].split("\n## ")[0]
    named = re.findall(r"\b(Work|Arrays|System)\.(\w+)", symbols)
    assert len(named) > 20
    assert not [f"{owner}.{name}" for owner, name in named if name not in known[owner]]
    constants = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)*\b(?=[`\]])", symbols)) - {"M", "N", "P", "C", "T", "V", "W", "E"}
    assert constants and all(hasattr(contracts, name) for name in constants), constants
    recorded = [name for cell in re.findall(r"results? ((?:`\w+`(?:, )?)+)", symbols) for name in re.findall(r"\w+", cell)]
    assert len(recorded) > 8
    assert set(recorded) <= set(SERIES), set(recorded) - set(SERIES)


def test_constants_that_the_documents_quote() -> None:
    from mbsim.diagnosis import blocks as large
    from mbsim.diagnosis import consistent as start
    from mbsim.formulations import MANY_BODIES
    from mbsim.kernels import ranks
    from mbsim.methods.blocks import held as rows_held
    from mbsim.model.expressions import functions
    from mbsim.model.expressions import parsed as tree
    from mbsim.model.file import csv_points, nodes, positions
    from mbsim.saddle.joints import choice, factor, independent
    from mbsim.singular import basis, decomposition, projection

    text = "".join(path.read_text(encoding="utf-8") for path in (*METHODS, *MODEL_FILE))
    words = " ".join(text.split())  # a quotation may go on in the next line
    quoted = {
        f"`HOLD_LIMIT` = {decomposition.HOLD_LIMIT:g}",
        f"`GROWTH_LIMIT` = {basis.GROWTH_LIMIT:g}",
        f"`RANK_TOLERANCE` = {ranks.RANK_TOLERANCE:g}",
        f"`CORRECTIONS` = {projection.CORRECTIONS}",
        f"`PIVOT_TOLERANCE` = {factor.PIVOT_TOLERANCE:g}",
        f"`PUT_OFF` = {independent.PUT_OFF:g}",
        f"`BLOCK_TOLERANCE` = {ranks.BLOCK_TOLERANCE:g}",
        f"`WEAK` = {choice.WEAK:g}",
        f"`CONSISTENT` = {rows_held.CONSISTENT:g}",
        f"{large.DENSE_ROWS} constraint rows",
        f"`MANY_BODIES` = {MANY_BODIES}",
        f"to {start.POSITION_TOLERANCE:g} ({start.ACCEPTED:g} is accepted)",
        f"{tree.MAX_LENGTH:,} characters, {tree.MAX_NODES:,} parts, {tree.MAX_DEPTH} deep",
        f"exponents up to {tree.MAX_EXPONENT:g}",
        f"{positions.MAX_BYTES // 1_000_000} MB, blocks nested {nodes.MAX_DEPTH} deep, {nodes.MAX_REPEATED:,} values",
    }
    assert not {sentence for sentence in quoted if sentence not in words}
    quoted |= {f"{csv_points.MAX_BYTES // 1_000_000} MB at most"}
    unexplained = {*functions.FUNCTIONS, *functions.MEASURING} - set(
        re.findall(r"[a-z_0-9]+", " ".join(line for line in text.splitlines() if line.startswith("| `")))
    )
    assert not unexplained, f"docs/model-file does not explain {unexplained}"
