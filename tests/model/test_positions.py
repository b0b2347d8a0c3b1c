"""YAML text -> data and places: scalars by YAML 1.2, refused constructs, bounds."""

import math
import subprocess
import sys
import time
import tracemalloc

import pytest
import yaml

from mbsim.model.file import positions
from mbsim.model.file.errors import Mark, ModelError
from mbsim.model.file.positions import decode, read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("on", "on"),
        ("yes", "yes"),
        ("No", "No"),
        ("y", "y"),
        ("~", None),
        ("", None),
        ("null", None),
        ("1e-3", 1e-3),
        ("1E5", 1e5),
        (".5", 0.5),
        ("1.", 1.0),
        ("-1.5e+3", -1500.0),
        ("010", 10),
        ("0o10", 8),
        ("0x10", 16),
        ("+3", 3),
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("2024-01-01", "2024-01-01"),
        ("'1'", "1"),
        ('"true"', "true"),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("=", "="),
        ("0b1", "0b1"),
        ("1e", "1e"),
    ],
)
def test_scalars_follow_the_yaml_1_2_core_schema(text, value):
    data = read(f"a: {text}", "m.yaml").data["a"]
    assert data == value
    assert type(data) is type(value)


def test_nan_and_numbers_too_long_for_python():
    assert math.isnan(read("a: .nan", "m").data["a"])
    assert read("a: " + "9" * 5000, "m").data["a"] == math.inf
    assert read("a: 0x" + "f" * 5000, "m").data["a"] == math.inf


def test_marks_of_keys_values_and_items():
    document = read("a: 1\nb:\n  c: [x, é, {d: 4}]\n", "m.yaml")
    assert document.mark(("b", "c", 2, "d")) == Mark(3, 17)
    assert document.key_mark(("b", "c")) == Mark(3, 3)
    assert document.mark(("b", "c", 1)) == Mark(3, 10)
    assert document.mark(("b", "nothing", "there")) == Mark(2, 1)
    assert document.split("b.c[2].d") == ("b", "c", 2, "d")


def test_keys_with_dots_are_found_in_path_texts():
    document = read("initial: {crank.angular_velocity: [1, 2], der(crank.x): 3}", "m.yaml")
    assert document.split("initial.crank.angular_velocity[1]") == ("initial", "crank.angular_velocity", 1)
    assert document.split("initial.der(crank.x)") == ("initial", "der(crank.x)")
    assert str(document.problem("initial.crank.angular_velocity[1]", "no")) == ("m.yaml:1:39: initial.crank.angular_velocity[1]: no")


@pytest.mark.parametrize(
    ("text", "wanted", "place"),
    [
        ("a: x + y", "y", Mark(1, 8)),
        ("a: x\n   + y", "y", Mark(2, 6)),
        ("a: 'x + y'", "y", Mark(1, 9)),
        ('a: "x +\n  y"', "y", Mark(2, 3)),
        ("a: >\n  x\n\n  + y\n", "y", Mark(4, 5)),
        ("a: >2- # note y\n   x\n   + y\n", "y", Mark(3, 6)),
        ("a: |\n  x +\n    y\n", "y", Mark(3, 5)),
        ("é: x + y", "y", Mark(1, 8)),
        ("\ufeffa: x + y", "y", Mark(1, 8)),
        ("a: x + y\r\nb: 1", "y", Mark(1, 8)),
    ],
)
def test_an_offset_in_a_scalar_is_found_in_the_file(text, wanted, place):
    document = read(text, "m.yaml")
    key = next(iter(document.data))
    assert document.offset_mark((key,), document.data[key].index(wanted)) == place


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "m:1:1: the file is empty"),
        ("# nothing\n", "m:1:1: the file is empty"),
        ("a: 1\n---\nb: 2\n", "m:2:1: a second document ('---') is not allowed; one model per file"),
        ("a: 1\n\tb: 2\n", "m:2:1: a tab is not allowed here; indent with spaces"),
        ("a:\n\tb: 2\n", "m:2:1: a tab is not allowed here; indent with spaces"),
        ("a: [1\n", "m:2:1: expected ',' or ']'; is a closing ']' missing? (opened at 1:4)"),
        ("a: 1\nb: {c: [1, 2]", "m:2:14: expected ',' or '}'; is a closing '}' missing? (opened at 2:4)"),
        ("a: 'x\n", "m:2:1: the file ends inside a quoted text"),
        ("a: @x\n", "m:1:4: no value can start with this character (indent with spaces; quote text)"),
        ("a: *b\n", "m:1:4: nothing above is marked &b"),
        ("a: &a [*a]\n", "m:1:8: *a refers to the block it stands in"),
        ("a: b\x07\n", "m:1:5: the character '\\x07' is not allowed in a YAML file"),
        ("a: \ud800\n", "m:1:4: the character '\\ud800' is not allowed in a YAML file"),
    ],
)
def test_text_that_cannot_be_read(text, line):
    with pytest.raises(ModelError) as caught:
        read(text, "m")
    assert str(caught.value) == line


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("b: {x: 1, x: 3}\nb: 2", ["m:1:11: duplicate key 'x' (first at 1:5)", "m:2:1: duplicate key 'b' (first at 1:1)"]),
        ("1: 2", ["m:1:1: a key must be a word, not a number, true, false or nothing; numbers have a decimal point, not a comma"]),
        ("? [a]\n: 1", ["m:1:3: a key must be a word, not a block (a list or mapping before ':')"]),
        ("<<: {a: 1}", ["m:1:1: merge keys ('<<') are not supported"]),
        ("a: !!str 1", ["m:1:4: tags ('tag:yaml.org,2002:str') are not allowed"]),
        ("a: !x {}", ["m:1:4: tags ('!x') are not allowed"]),
    ],
)
def test_problems_after_which_reading_goes_on(text, lines):
    assert [str(problem) for problem in read(text, "m").problems] == lines


def test_an_alias_repeats_a_block_and_keeps_its_place():
    document = read("a: &p [1, 2]\nb: *p\n", "m")
    assert document.data == {"a": [1, 2], "b": [1, 2]}
    assert document.mark(("b", 1)) == Mark(1, 11)


def test_bytes_that_are_no_text():
    for raw, line in [
        (b"a: 1\nb: \xff\n", "m:2:4: the file is not UTF-8 text"),
        ("a: 1".encode("utf-16"), "m:1:1: the file is not UTF-8 text"),
    ]:
        with pytest.raises(ModelError) as caught:
            decode(raw, "m")
        assert str(caught.value) == line
    assert decode(b"\xef\xbb\xbfa: 1", "m") == "a: 1"


LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
CHAIN = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 150))
HOSTILE = {
    # libyaml from 0.2.6 on reads ahead, and refuses it first
    "lists": ("[" * 50_000, ("m:1:101: blocks are nested more than 100 deep", "m:1:1001: not valid YAML: exceeded maximum nesting depth")),
    "mappings": ("{a: " * 50_000, "m:1:401: blocks are nested more than 100 deep"),
    "dashes": ("- " * 100_000, "m:1:201: blocks are nested more than 100 deep"),
    "question marks": ("? " * 100_000, "m:1:201: blocks are nested more than 100 deep"),
    "billion laughs": (LAUGHS, "aliases repeat more than 200000 values"),
    "alias chain": (CHAIN, "blocks are nested more than 100 deep"),
    "many aliases": ("a: &a [x, x, x]\nb: [" + "*a, " * 60_000 + "]", "aliases repeat more than 200000 values"),
    "many bytes": ("a" * 33_000_000, "m: the file is larger than 32 MB"),
    "many duplicates": ("a: 1\n" * 100_000, "m:2:1: duplicate key 'a' (first at 1:1)"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_quickly(name):
    text, message = HOSTILE[name]
    begin = time.process_time()
    with pytest.raises(ModelError) as caught:
        read(text, "m")
    assert str(caught.value).splitlines()[0].endswith(message)
    assert time.process_time() - begin < 15.0


MANY = {
    "flow of numbers": "[" + "1," * 20_000 + "]",
    "block of numbers": "- 0.5\n" * 20_000,
    "flow of empty lists": "[" + "[]," * 20_000 + "]",
    "flow of empty blocks": "a: [" + "{}," * 20_000 + "]",
}


@pytest.mark.parametrize("text", MANY.values(), ids=MANY)
def test_many_values_are_read_within_a_bound_of_memory(text):
    """As many bytes of memory for a byte of text: at the limit of a file's size, 3 GB."""
    tracemalloc.start()
    try:
        assert read(text, "m").data
        assert tracemalloc.get_traced_memory()[1] < 100 * len(text)
    finally:
        tracemalloc.stop()


def test_hostile_text_does_not_end_the_process():
    """A crash of the C parser would end this test run, too; so once more where it can be seen."""
    program = """
import sys
from mbsim.model.file.positions import read
from mbsim.model.file.errors import ModelError
for text in ("[" * 100_000, "{a: " * 100_000, "- " * 1_000_000, "[" * 5_000_000, "a: " + "(" * 1_000_000):
    try:
        read(text, "m")
    except ModelError:
        pass
print("survived")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "survived", "")


def test_the_pure_python_parser_gives_the_same_nodes(monkeypatch):
    text = "# c\na: &x {b: [1, 'two', >\n"  # an error must be an error for both
    good = "a: &x {b: [1, 'two', 1e-3]}\nc: *x\nd: >\n  folded\n  text\n"
    fast = read(good, "m")
    monkeypatch.setattr(positions, "_Loader", yaml.SafeLoader)
    slow = read(good, "m")
    assert slow.data == fast.data
    for path in [("a", "b", 2), ("c", "b", 1), ("d",)]:
        assert slow.mark(path) == fast.mark(path)
        assert slow.offset_mark(path, 3) == fast.offset_mark(path, 3)
    with pytest.raises(ModelError):
        read(text, "m")
