"""The models that are shipped load with the real leaves, fit the JSON schema, and bad changes to them are errors and nothing worse."""

import json
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mbsim import registry
from mbsim.model.file.errors import ModelError
from mbsim.model.load import json_schema, load
from mbsim.model.schema import Model

ROOT = Path(__file__).parents[2]
MODELS = sorted((ROOT / "models").glob("*.yaml"))
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in MODELS}
EXAMPLES = {"rolling_disk", "slider_crank", "spatial_slider_crank", "pendulum", "four_bar", "double_pendulum", "spinning_top"}
EXAMPLES |= {"pendulum_dae", "quick_return", "quick_return_delft", "cam_follower", "planetary_gear"}


@pytest.fixture(scope="module")
def schema():
    return json_schema(registry)


def test_the_examples_are_there():
    assert TEXTS.keys() >= EXAMPLES


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_shipped_model_loads(path):
    model = load(path, registry)
    assert isinstance(model, Model)
    assert model.text == TEXTS[path.stem]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_shipped_model_fits_the_schema(path, schema):
    data = load(path, registry).document.data
    jsonschema.Draft202012Validator(schema).validate(data)


def test_the_schema_is_a_schema_and_plain_json(schema):
    jsonschema.Draft202012Validator.check_schema(json.loads(json.dumps(schema)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("joints", "A", "type"), "revolut"),
        (("joints", "A", "typ"), "revolute"),
        (("joints", "A", "points"), ["crank.A"]),
        (("bodies", "crank", "mas"), 1),
        (("bodies", "crank", "mass"), True),
        (("bodies", "crank", "position"), [1]),
        (("bodies", "crank", "position"), [1, 2, 3, 4]),
        (("drivers", "motor", "angel"), "t"),
        (("forces", "gas", "value"), [1]),
        (("simulation", "method"), "sdv"),
        (("simulation", "steps"), 1),
        (("dimension",), 4),
        (("gravty",), [0, 1]),
        (("tables",), {"a": {"file": 3}}),
        (("tables",), {"a": {"points": [[0, 0]]}}),
        (("tables",), {"a": {"points": [[0, 0], [1, 1]], "interpolation": "quintic"}}),
        (("measures",), {"a": [1]}),
        (("measures",), {"a": {"vale": "t"}}),
    ],
)
def test_the_schema_and_the_loader_refuse_the_same(path, value, schema):
    data = yaml.safe_load(TEXTS["slider_crank"])
    block = data
    for part in path[:-1]:
        block = block[part]
    block[path[-1]] = value
    assert not jsonschema.Draft202012Validator(schema).is_valid(data)
    with pytest.raises(ModelError):
        load(yaml.safe_dump(data), registry, file="m.yaml")


def test_the_schema_describes_every_key_of_every_leaf(schema):
    for kind in ("joints", "forces", "constraints"):
        branches = schema["properties"][kind]["additionalProperties"]["allOf"]
        assert [branch["if"]["properties"]["type"]["const"] for branch in branches] == registry.names(kind)
        for branch in branches:
            keys = registry.leaf(kind, branch["if"]["properties"]["type"]["const"]).model_fields
            assert branch["then"]["properties"].keys() == keys.keys()
            assert branch["then"]["additionalProperties"] is False


def test_an_unknown_joint_in_a_shipped_model(tmp_path):
    text = TEXTS["four_bar"]
    line = next(i for i, row in enumerate(text.splitlines(), 1) if row.startswith("  A: {type: revolute"))
    with pytest.raises(ModelError) as caught:
        load(text.replace("  A: {type: revolute", "  A: {type: revolut"), registry, file="models/four_bar.yaml")
    assert str(caught.value) == f"models/four_bar.yaml:{line}:13: joints.A.type: unknown joint 'revolut'; did you mean 'revolute'?"


def test_reading_models_needs_neither_numpy_nor_sympy_nor_numba():
    program = "import sys, mbsim.model.load; print([name for name in ('numpy', 'sympy', 'numba') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


SCALARS = [
    "", "~", "true", "0", "-1", "1e999", "9" * 400, ".nan", "x", "t", "der(x)", "der(crank.x)", "[1, 2]", "[]", "{}",
    "{a: 1}", "'", '"', "*a", "&a", "!!int 3", "1/0", "9**9**9", "ground", "crank.A", "revolute", "holonomic",
    "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "[ground, ground]", "(((", "é", '\t', "if_else(t < 1, 1, 2)", '\x00', "a: b",
    "- 1", "# x", "|", ">", "<<", "? ", "step(t, 0, 0, 1, 1)", "svd", "joint", "deg(90)", "1 +", "lift(t)", "energy(cam)", "points",
]  # fmt: skip


@st.composite
def mutated(draw):
    """The text of a shipped model with a few lines, characters or scalars changed."""
    text = TEXTS[draw(st.sampled_from(sorted(TEXTS)))]
    for _ in range(draw(st.integers(1, 4))):
        lines = text.splitlines(keepends=True) or ["\n"]
        i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        kind = draw(st.sampled_from(["delete", "double", "swap", "character", "cut", "scalar", "indent", "word"]))
        if kind == "delete":
            del lines[i]
        elif kind == "double":
            lines.insert(j, lines[i])
        elif kind == "swap":
            lines[i], lines[j] = lines[j], lines[i]
        elif kind == "indent":
            lines[i] = " " * draw(st.integers(1, 4)) + lines[i]
        text = "".join(lines)
        at = draw(st.integers(0, max(len(text) - 1, 0)))
        if kind == "character":
            text = (
                text[:at] + draw(st.sampled_from(list("{}[]:,#&*!|>'\"%@`-? \n\t0a.é\x85\u2028(^)"))) + text[at + draw(st.integers(0, 1)) :]
            )
        elif kind == "cut":
            text = text[:at] + text[at + draw(st.integers(1, 40)) :]
        elif kind in ("scalar", "word"):
            # from a separator to the next one
            end = min((k for k in (text.find(c, at) for c in ",}]\n") if k >= 0), default=len(text))
            begin = max(text.rfind(c, 0, end) for c in (":,[{\n" if kind == "scalar" else " .[{\n")) + 1
            text = text[:begin] + " " + draw(st.sampled_from(SCALARS)) + text[end:]
    return text


def problems_of(text):
    """No problems for a text that loads; anything but a Model or a ModelError with problems fails the test."""
    try:
        assert isinstance(load(text, registry, file="m.yaml"), Model)
    except ModelError as error:
        if error.problems:
            return error.problems
        raise
    return []


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(mutated())
def test_any_change_of_a_model_is_a_model_or_a_model_error(text):
    begin = time.process_time()
    lines = text.count("\n") + 1 + sum(text.count(c) for c in "\r\x85\u2028\u2029")
    for problem in problems_of(text):
        assert 1 <= problem.line <= lines
        assert problem.column >= 1
        assert "\n" not in str(problem)
    assert time.process_time() - begin < 10.0


@settings(max_examples=75, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(SCALARS),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["type", "bodies", "at", "points", "mass", "inertia", "axis", "value", "joint", "fix", "end", "a", "file"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    st.sampled_from(
        ["bodies", "joints", "drivers", "forces", "constraints", "initial", "simulation", "parameters", "gravity", "coordinates", "energy"]
        + ["tables", "measures"]
    ),
)
def test_any_data_in_any_section_is_a_model_or_a_model_error(data, section):
    base = yaml.safe_load(TEXTS["slider_crank"])
    base[section] = {**base[section], **data} if isinstance(base.get(section), dict) and isinstance(data, dict) else data
    problems_of(json.dumps(base))
