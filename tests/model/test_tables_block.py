"""The `tables` block: what it turns into, and the exact line that each mistake gives, in the model file or in the CSV file."""

import mechanisms
import numpy as np
import pytest
import yaml

from mbsim import registry
from mbsim.model.expressions.expression import evaluate, parse
from mbsim.model.expressions.tables import Table
from mbsim.model.file.csv_points import MAX_MISTAKES
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load

HEAD = """dimension: 2
parameters: {a: 2}
bodies: {rod: {mass: 1, inertia: 1, position: [start, 0]}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
drivers: {motor: {joint: pin, angle: motion(t)}}
forces: {push: {type: force, body: rod, value: [curve(der(rod.x)), "if_else(t < 1, early(t), 0)"]}}
simulation: {end: 3}
tables:
  early: {points: [[0, 0], [1, 1]], interpolation: linear}
""".replace("start", '"early(a/4)"')
MOTION = "  motion: {points: [[0, 0], [1, a], [2, 1], [3, a^2/4]]}\n"
CURVE = "  curve: {points: [[-9, 3], [9, -3]], interpolation: linear}\n"


def loaded(text, **overrides):
    return load(text, registry, file="m.yaml", **overrides)


def problems(text, **overrides):
    try:
        loaded(text, **overrides)
    except ModelError as error:
        return str(error).splitlines()
    return []


def test_a_block():
    model = loaded(HEAD + MOTION + CURVE)
    assert [(t.name, t.index, t.interpolation, t.periodic) for t in model.tables.values()] == [
        ("early", 0, "linear", False),
        ("motion", 1, "cubic", False),
        ("curve", 2, "linear", False),
    ]
    assert model.tables["motion"].points == ((0.0, 0.0), (1.0, 2.0), (2.0, 1.0), (3.0, 1.0))
    assert model.bodies["rod"].position == [0.5, 0.0]
    assert model.drivers["motor"].angle.lookups[0].table is model.tables["motion"]
    mechanisms.schema().validate(yaml.safe_load(HEAD + MOTION + CURVE))


def test_parameters_reach_the_points():
    assert loaded(HEAD + MOTION + CURVE, parameters={"a": "4"}).tables["motion"].points[-1] == (3.0, 4.0)


def test_blocks_given_in_python_replace_those_of_the_file():
    text = HEAD + "  motion: {file: not_there.csv}\n" + CURVE
    model = loaded(text, tables={"motion": {"points": [[0, 1], [3, 2]]}})
    assert model.tables["motion"].points == ((0.0, 1.0), (3.0, 2.0))
    assert (
        loaded(text, tables={"motion": {"points": np.array([[0, 1], [3.0, 2]])}}).tables["motion"].points == model.tables["motion"].points
    )
    again = loaded(text, tables={name: table.block() for name, table in model.tables.items()})
    assert [table.block() for table in again.tables.values()] == [table.block() for table in model.tables.values()]
    assert problems(text, tables={"motoin": {}, "motion": {"points": [[0, 1], [0, 2]]}}) == [
        "given tables: unknown table 'motoin'; did you mean 'motion'?",
        "given tables: tables.motion.points[1][0]: x must increase from point to point (got 0 after 0)",
    ]


FILES = {
    "blanks": "# crank\n  0   0 \n\n1\t2 # a comment\n2 1\n3 1",
    "header": "time, load, angle\n0, 9, 0\n1, 9, 2\r\n2, 9, 1\n3, 9, 1\n",
    "semicolons": '"angle";"time"\n0;0\n2;1\n1;2\n1;3\n',
    "tabs": "\ufeff0\t0\n1\t2\n2\t1\n3\t1\n",
}


@pytest.mark.parametrize(
    ("name", "columns"), [("blanks", None), ("header", ["time", "angle"]), ("semicolons", ["time", "angle"]), ("tabs", None)]
)
def test_files(name, columns, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "motion.csv").write_text(FILES[name], encoding="utf-8", newline="")
    block = "{file: data/motion.csv" + (f", columns: {columns}" if columns else "") + "}"
    path = tmp_path / "model.yaml"
    path.write_text(HEAD + f"  motion: {block}\n" + CURVE, encoding="utf-8")
    assert load(path, registry).tables["motion"].points == ((0.0, 0.0), (1.0, 2.0), (2.0, 1.0), (3.0, 1.0))


BLOCKS = [
    ("3", "tables.motion: expected a mapping (keys and values) (got 3)", 11),
    ("{}", "tables.motion: give exactly one of 'file' and 'points'", 11),
    ("{points: [[0, 0], [3, 1]], file: x.csv}", "tables.motion: give exactly one of 'file' and 'points'", 11),
    ("{points: [[0, 0], [3, 1]], columns: [a, b]}", "tables.motion: 'columns' goes with 'file'", 11),
    ("{point: [[0, 0], [3, 1]]}", "tables.motion.point: unknown key 'point'; did you mean 'points'?", 12),
    ("{points: [0, 3]}", "tables.motion.points[0]: expected a point [x, y] (got 0)", 21),
    ("{points: [[0, 0], [3, 1, 2]]}", "tables.motion.points[1]: expected a point [x, y] (got [3, 1, 2])", 29),
    ("{points: [[0, 0], [3, .nan]]}", "tables.motion.points[1][1]: the number is not finite", 33),
    ("{points: [[0, 0], [3, b]]}", "tables.motion.points[1][1]: unknown name 'b'; allowed: a", 33),
    ("{points: [[0, 0]]}", "tables.motion.points: a table needs 2 points or more (got 1)", 20),
    ("{points: [[0, 0], [a, 1], [2, 2], [3, 3]]}", "tables.motion.points[2][0]: x must increase from point to point (got 2 after 2)", 38),
    ("{points: [[0, 0], [3, 0]], periodic: true}", "tables.motion.points: a periodic table needs 3 points or more (got 2)", 20),
    (
        "{points: [[0, 0], [1, 1], [3, 0.1]], periodic: true}",
        "tables.motion.points: a periodic table must end where it begins (got y = 0 first and 0.1 last)",
        20,
    ),
    (
        "{points: [[0, 0], [3, 1]], interpolation: qubic}",
        "tables.motion.interpolation: unknown value 'qubic'; did you mean 'cubic'?",
        53,
    ),
    ("{file: x.csv, columns: [a]}", "tables.motion.columns: expected at least 2 items (got 1: ['a'])", 34),
    ("{file: none.csv}", "tables.motion.file: there is no file none.csv", 18),
    (f"{{file: {'x' * 5000}.csv}}", f"tables.motion.file: cannot read {'x' * 150}...{'x' * 146}.csv: file name too long", 18),
    ("{file: .}", "tables.motion.file: there is no file .", 18),
]


@pytest.mark.parametrize(("block", "message", "column"), BLOCKS)
def test_mistakes_in_a_block(block, message, column):
    """Laws that call the table are not blamed for it."""
    lines = problems(HEAD + f"  motion: {block}\n" + CURVE)
    assert (
        [line for line in lines if "give exactly" not in line or "give exactly" in message] == lines == [f"m.yaml:10:{column}: {message}"]
    )


CSV = [
    ("0,0\n1,2\n2,nan\n3,x\n", [(3, 3, "expected a finite number (got 'nan')"), (4, 3, "expected a finite number (got 'x')")]),
    ("t, y\n0, 0\n1,  \n3, 1e999", [(3, 3, "expected a finite number (got '')"), (4, 4, "expected a finite number (got '1e999')")]),
    ("0,0\n1,2,3\n2\n3,1", [(2, 1, "expected 2 cells (got 3)"), (3, 1, "expected 2 cells (got 1)")]),
    ("0\n1\n", [(1, 1, "expected 2 cells (got 1)"), (2, 1, "expected 2 cells (got 1)")]),
    ("0,0\n1,2\n# later\n  0.5,1\n3,1", [(4, 3, "x must increase from point to point (got 0.5 after 1)")]),
    ("0 0\n1 \udcff", [(2, 3, "the file is not UTF-8 text")]),
]


@pytest.mark.parametrize(("text", "mistakes"), CSV)
def test_mistakes_in_a_file_have_their_place_there(text, mistakes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "motion.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    found = problems(HEAD + "  motion: {file: motion.csv}\n" + CURVE)
    assert found == [f"motion.csv:{line}:{column}: tables.motion: {message}" for line, column, message in mistakes]


COLUMNS = [
    ("0 0\n3 1\n", "motion.csv has no line with the names of its columns", 40),
    ("time angel\n0 0\n3 1\n", "motion.csv has no column 'angle'; did you mean 'angel'?", 46),
    ("time angle angle\n0 0 0\n3 1 1\n", "motion.csv has 2 columns 'angle'", 46),
]


@pytest.mark.parametrize(("text", "message", "column"), COLUMNS)
def test_columns_that_a_file_does_not_have(text, message, column, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "motion.csv").write_text(text, encoding="utf-8")
    index = int(column == 46)
    found = problems(HEAD + "  motion: {file: motion.csv, columns: [time, angle]}\n" + CURVE)
    assert found == [f"m.yaml:10:{column}: tables.motion.columns[{index}]: {message}"]


@pytest.mark.parametrize(
    ("text", "message"), [("", "motion.csv holds no points"), ("t,y\n0,1\n", "a table needs 2 points or more (got 1)")]
)
def test_a_file_with_too_little(text, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "motion.csv").write_text(text, encoding="utf-8")
    assert problems(HEAD + "  motion: {file: motion.csv}\n" + CURVE) == [f"m.yaml:10:18: tables.motion.file: {message}"]


def test_many_mistakes_of_a_file_are_counted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "motion.csv").write_text("0,0\n" + "1,x\n" * 500, encoding="utf-8")
    found = problems(HEAD + "  motion: {file: motion.csv}\n" + CURVE)
    assert len(found) == MAX_MISTAKES
    assert found[-1].endswith(f"(got 'x'); and {500 - MAX_MISTAKES} more mistakes")


NAMES = [
    ("sin", "'sin' cannot be a name: it is a function in expressions"),
    ("t", "'t' cannot be a name: it is the time in expressions"),
    ("a", "the name 'a' is already used in parameters"),
    ("distance", "the name 'distance' is already used in the functions of measures"),
    ("2nd", "'2nd' cannot be a name: use letters, digits and '_', a letter first, 200 at most"),
]


@pytest.mark.parametrize(("name", "message"), NAMES)
def test_names(name, message):
    assert problems(HEAD + MOTION + CURVE + f"  {name}: {{points: [[0, 0], [1, 1]]}}\n") == [f"m.yaml:12:3: tables.{name}: {message}"]


def test_a_parameter_cannot_call_a_table():
    text = (HEAD + MOTION + CURVE).replace("{a: 2}", "{a: 2, b: 1 + motion(1)}")
    assert problems(text) == ["m.yaml:2:27: parameters.b: a parameter cannot call a table ('motion')"]


def test_a_table_must_not_have_the_name_of_a_coordinate():
    text = "coordinates: [x]\nenergy: {kinetic: der(x)^2/2}\nsimulation: {end: 1}\ntables: {x: {points: [[0, 0], [1, 1]]}}\n"
    assert problems(text) == ["m.yaml:4:10: tables.x: the name 'x' is already used in coordinates"]


def law(text):
    return HEAD.replace("motion(t)", text) + MOTION + CURVE


CALLS = [
    ("motoin(t)", 38, "unknown function 'motoin'; did you mean 'motion'?"),
    ("motion", 38, "'motion' is a table; write motion(...)"),
    ('"motion(t, 1)"', 39, "motion takes 1 argument (got 2)"),
    ("t + curve(t)", 42, "two derivatives are needed here, and 'curve' has one: make the table cubic"),
    ("motion(a + 2)", 38, "the table 'motion' has no value at 4: it covers 0 to 3"),
    ("t + 1/0", 43, "division by zero"),
]


@pytest.mark.parametrize(("text", "column", "message"), CALLS)
def test_calls(text, column, message):
    assert problems(law(text)) == [f"m.yaml:5:{column}: drivers.motor.angle: {message}"]


def test_a_linear_table_in_a_holonomic_equation_is_refused():
    text = HEAD + MOTION + CURVE + "constraints: {c: {type: holonomic, equation: rod.x - curve(rod.y)}}\n"
    assert problems(text) == [
        "m.yaml:12:54: constraints.c.equation: two derivatives are needed here, and 'curve' has one: make the table cubic"
    ]


def test_a_table_of_the_time_must_cover_the_run():
    message = "drivers.motor.angle: the table 'motion' covers 0 to 3 s, the run goes from 0 s to 3.5 s"
    assert problems((HEAD + MOTION + CURVE).replace("end: 3", "end: 3.5")) == [f"m.yaml:5:38: {message}"]
    assert problems(HEAD + MOTION + CURVE, simulation={"end": 3.5}) == [f"m.yaml:5:38: {message}"]
    early = (HEAD + MOTION + CURVE).replace("end: 3", "start: -1, end: 3")
    assert problems(early) == [f"m.yaml:5:38: {message.replace('from 0 s to 3.5', 'from -1 s to 3')}"]
    assert problems(law("2*motion(t)^2 + motion(2*t - 5) + t"), simulation={"end": 3.5})[0].startswith("m.yaml:5:40: ")
    torque = "  turn: {type: torque, body: rod, value: early(t)}\n"
    forces = "forces:\n" + torque + "tables: {early: {points: [[0, 0], [1, 1]]}}\n"
    assert problems(HEAD[: HEAD.index("drivers")].replace('"early(a/4)"', "0") + forces + "simulation: {end: 3}\n") == [
        "m.yaml:6:42: forces.turn.value: the table 'early' covers 0 to 1 s, the run goes from 0 s to 3 s"
    ]
    periodic = "  motion: {points: [[0, 0], [1, 1], [2, 0]], periodic: true}\n"
    assert problems(HEAD + periodic + CURVE, simulation={"end": 30}) == []


def test_an_unused_table_need_not_cover_anything():
    assert problems(HEAD + MOTION + CURVE + "  other: {points: [[0.5, 0], [0.6, 1]]}\n") == []


def test_evaluation():
    table = Table("hat", 0, ((0.0, 0.0), (1.0, 1.0), (3.0, 0.0)), "linear")
    for text, value in (("hat(x)^2", 0.25), ("hat(3) + hat(1)", 1.0), ("if_else(x > 1, hat(9), hat(2*x))", 1.0)):
        assert evaluate(parse(text, tables={"hat": table}), {"x": 0.5}) == value
    np.testing.assert_allclose(table.values(np.array([-1.0, 0.0, 0.5, 2.0, 3.0, 3.1, np.nan])), [np.nan, 0, 0.5, 0.5, 0, np.nan, np.nan])
