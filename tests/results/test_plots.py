"""Pictures: what is drawn for which item, and what is said about the others."""

import logging
import warnings

import matplotlib
import numpy as np
import pytest
import synthetic
from matplotlib import font_manager
from matplotlib.figure import Figure

from mbsim.plots import fonts
from mbsim.plots.coincide import styles
from mbsim.plots.figure import figure, plot
from mbsim.plots.look import Look, read_size
from mbsim.plots.panels import MAX_LINES, Line, PlotError
from mbsim.results import MemoryRecorder
from mbsim.results.items import items
from mbsim.results.schema import Series


def run(layout=synthetic.LAYOUT, status="complete", rows=50, **final):
    recorder = MemoryRecorder(layout, synthetic.MODEL, synthetic.PARAMETERS, synthetic.ATTRIBUTES, synthetic.STATIC)
    if rows:
        recorder.append(synthetic.rows(0, rows, layout))
    recorder.close(status, {**synthetic.FINAL, **final})
    return recorder.result()


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """Returns the figure as it was when it was saved. To lay out and fill a picture takes a second or two: only where it is `wanted`."""
    figures = []
    save = Figure.savefig

    def draw(result, what=None, wanted=False):
        def keep(figure, path, **options):
            figures.append(figure)
            save(figure, path, **options) if wanted else path.write_bytes(b"")

        monkeypatch.setattr(Figure, "savefig", keep)
        plot(result, what, tmp_path / "picture.png")
        return figures[-1]

    return draw


@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")])
def test_formats(tmp_path, suffix, magic):
    path = tmp_path / f"picture{suffix}"
    plot(run(), None, path)
    assert path.read_bytes().startswith(magic)


@pytest.mark.parametrize(
    ("layout", "titles"),
    [
        (
            synthetic.LAYOUT,
            ["Body position", "Driver effort motor", "Controller error motor_torque", "Joint force", "Energy", "Constraint drift"],
        ),
        (synthetic.DISK, ["Coordinates", "Multiplier", "Energy", "Constraint drift"]),
    ],
    ids=["bodies", "coordinates"],
)
def test_overview(drawn, layout, titles):
    figure = drawn(run(layout), wanted=True)
    assert [axes.get_title(loc="left") for axes in figure.axes] == titles
    assert figure.axes[-1].get_yscale() == "log"
    assert all(axes.get_xlabel() == "time (s)" and axes.get_ylabel() for axes in figure.axes)
    texts = [text.get_text() for text in figure.texts]
    assert texts[0].strip() == layout.title
    assert "method svd  ·  integrator rk4  ·  step 0.001 s" in texts


def test_a_system_without_constraints_shows_speeds_and_energy_balance(drawn):
    layout = synthetic.DISK.__class__(**{**synthetic.DISK.__dict__, "constraints": []})
    assert [axes.get_title(loc="left") for axes in drawn(run(layout)).axes] == ["Coordinates", "Speeds", "Energy", "Energy balance"]


@pytest.mark.parametrize(
    ("item", "y_label", "legend"),
    [
        ("crank.x", "crank.x (m)", []),
        ("der(rod.angle)", "der(rod.angle) (rad/s)", []),
        ("q", "coordinate", ["crank.x (m)", "crank.y (m)", "crank.angle (rad)"]),
        ("body_position", "position (m)", ["crank x", "crank y", "rod x", "rod y", "slider x", "slider y"]),
        ("body_velocity", "magnitude of velocity (m/s)", ["crank", "rod", "slider"]),
        ("joint_force", "magnitude of force (N)", ["O", "A", "B", "guide (not unique)"]),
        ("joint_force:A", "force (N)", ["x", "y", "z"]),
        ("A", "force (N)", ["x", "y", "z"]),
        ("body_orientation:rod", "quaternion", ["w", "x", "y", "z"]),
        ("body_position:slider:x", "body position slider x (m)", []),
        ("drift", "largest residual (SI units)", ["position", "velocity", "acceleration"]),
        ("driver_effort", "effort (N m)", []),
    ],
)
def test_items(drawn, item, y_label, legend):
    (axes,) = drawn(run(), [item]).axes
    assert axes.get_ylabel() == y_label
    shown = [text.get_text() for text in axes.get_legend().get_texts()] if axes.get_legend() else []
    assert shown[: len(legend)] == legend
    assert shown, "a legend also for one line"


def test_the_curves_are_the_data(drawn):
    (axes,) = drawn(run(), ["joint_force"]).axes
    expected = np.linalg.norm(synthetic.rows(0, 50)["joint_force"], axis=2)
    np.testing.assert_array_equal(np.array([line.get_ydata() for line in axes.get_lines()]).T, expected)


def test_paths(drawn):
    (axes,) = drawn(run(), ["crank.x~body_position:slider:y"], wanted=True).axes
    expected = synthetic.rows(0, 50)
    np.testing.assert_array_equal(axes.get_lines()[0].get_xdata(), expected["q"][:, 0])
    np.testing.assert_array_equal(axes.get_lines()[0].get_ydata(), expected["body_position"][:, 2, 1])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("crank.x (m)", "body position slider y (m)")
    assert axes.get_aspect() == 1.0
    (axes,) = drawn(run(), ["crank.angle~der(crank.angle)"]).axes
    assert axes.get_aspect() == "auto"


def test_many_lines_are_cut_and_counted(drawn):
    (axes,) = drawn(run(), ["body_orientation"], wanted=True).axes
    assert len(axes.get_lines()) == MAX_LINES
    assert axes.get_legend().get_texts()[-1].get_text() == "and 2 more"


def test_exact_zeros_stay_on_the_logarithmic_scale(drawn):
    result = run()
    result["residual_position"][:] = 0.0
    (axes,) = drawn(result, ["drift"], wanted=True).axes
    assert axes.get_lines()[0].get_ydata().min() == 1e-18


def test_a_failed_run_says_so(drawn):
    texts = [text.get_text() for text in drawn(run(status="failed", failure="the mass matrix is singular")).texts]
    assert "run failed: the mass matrix is singular" in texts


@pytest.mark.parametrize(
    ("item", "messages"),
    [
        ("joint_forse", ["cannot plot 'joint_forse'", "did you mean 'joint_force'?", "groups: energy, drift", "labels: crank.x, "]),
        ("joint_force:C", ["no joint 'C'; it has O, A, B, guide"]),
        ("crank~rod", ["'crank' has several components, a path needs one: crank:x, crank:y, crank:z"]),
        ("crank.x~crank.y~rod.x", ["a path has two sides"]),
        ("joint_reaction_unique", ["does not change with time"]),
    ],
)
def test_items_that_do_not_exist(tmp_path, item, messages):
    with pytest.raises(PlotError) as caught:
        plot(run(), [item], tmp_path / "x.png")
    for message in messages:
        assert message in str(caught.value)
    assert not (tmp_path / "x.png").exists()


def test_other_formats_and_empty_results(tmp_path):
    with pytest.raises(PlotError, match=r"one of \.png, \.pdf, \.svg"):
        plot(run(), None, tmp_path / "x.bmp")
    with pytest.raises(PlotError, match="no rows"):
        plot(run(rows=0), None, tmp_path / "x.png")


def test_no_global_state_is_left(tmp_path):
    before = dict(matplotlib.rcParams)
    plot(run(), ["energy"], tmp_path / "x.png")
    assert dict(matplotlib.rcParams) == before


def test_dollar_signs_are_no_formulas(drawn):
    figure = drawn(run(title="beam $x^$ costs $5"), ["energy"], wanted=True)  # a formula is read where it is drawn
    assert figure.get_suptitle().startswith(r"beam \$x^\$ costs \$5")


def test_missing_characters_are_said_once(tmp_path, caplog):
    """Not matplotlib's warnings, which name lines of its source."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot(run(title="\U000f0000\U000f0001"), ["energy"], tmp_path / "x.png")
    (record,) = [record for record in caplog.records if record.name == "mbsim"]
    assert "which are drawn as boxes" in record.getMessage()


def test_an_svg_keeps_its_text_and_says_nothing(tmp_path, caplog):
    plot(run(title="\U000f0000"), ["energy"], tmp_path / "x.svg")
    assert "\U000f0000" in (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert not [record for record in caplog.records if record.name == "mbsim" and record.levelno >= logging.WARNING]


def test_characters_come_from_another_font_that_has_them(drawn, monkeypatch):
    fonts._having.cache_clear()
    mono = font_manager.findfont("DejaVu Sans Mono")  # in place of a font for another script
    monkeypatch.setattr(fonts, "_characters", lambda path: frozenset({0xF0000}) if path == mono else frozenset(range(0x2FFF)))
    figure = drawn(run(title="\U000f0000 rod"), ["energy"], wanted=True)
    fonts._having.cache_clear()
    assert figure._suptitle.get_fontfamily() == ["DejaVu Sans", "DejaVu Sans Mono"]
    assert fonts.file_for("\U000f0000") == mono and fonts.file_for("rod") != mono


def test_the_overview_of_a_tree_shows_joint_coordinates_and_leaves_constants_out(drawn):
    own = {"coordinates": ["O.angle", "A.angle", "guide.displacement"], "coordinate_units": ["rad", "rad", "m"]}
    layout = synthetic.DISK.__class__(**{**synthetic.LAYOUT.__dict__, **own})
    result = run(layout)
    result["q"][:, 1] = 0.5
    axes = drawn(result).axes[0]
    assert axes.get_title(loc="left") == "Joint coordinates"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["O.angle (rad)", "guide.displacement (m)", "1 constant"]


def test_of_many_bodies_those_that_move_most_are_shown(drawn):
    names = [f"b{i:02}" for i in range(12)]
    layout = synthetic.DISK.__class__(**{**synthetic.LAYOUT.__dict__, "bodies": names})
    result = run(layout)
    moving = result["body_position"]
    moving[:] = 0.0
    moving[:, :, 0] = np.linspace(0.0, 1.0, 50)[:, None] * (1.0 + np.arange(12.0))
    axes = drawn(result).axes[0]
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == [*(f"{name} x" for name in names[2:]), "and 2 that move less"]


def test_measures_come_first_those_of_one_unit_together(drawn):
    measures = {name: Series(("time",), unit, name) for name, unit in (("gap", "m"), ("pull", "N"), ("lift", "m"))}
    layout = synthetic.DISK.__class__(**{**synthetic.LAYOUT.__dict__, "measures": measures})
    recorder = MemoryRecorder(layout, synthetic.MODEL, synthetic.PARAMETERS, synthetic.ATTRIBUTES, synthetic.STATIC)
    recorder.append(synthetic.rows(0, 50, layout) | {name: np.arange(50.0) * k for k, name in enumerate(measures, 1)})
    recorder.close("complete", synthetic.FINAL)
    titles = [axes.get_title(loc="left") for axes in drawn(recorder.result()).axes]
    assert titles[:3] == ["Measures", "pull", "Body position"]


def test_curves_that_coincide_take_turns():
    x = np.linspace(0.0, 1.0, 200)
    same = [Line(str(i), x, np.sin(x) + 1e-4 * i, "1") for i in range(3)]
    other = [Line("other", x, np.cos(x), "1"), Line("spike", x, np.where(abs(x - 0.5) < 0.1, 5.0, np.sin(x)), "1")]
    found = styles([same[0], other[0], same[1], same[2], other[1]], False, ["-"] * 5)
    assert found[0] == found[1] == found[4] == "-"
    (start1, (on1, off1)), (start2, (on2, off2)) = found[2], found[3]
    assert on1 == on2 and on1 + off1 == on2 + off2 == 3 * on1
    ways = {round((-start) % (3 * on1) / on1) for start in (0.0, start1, start2)}  # where each has its dash
    assert ways == {0, 1, 2}
    assert (
        styles([Line("a", x, 1e-9 + 0 * x, "1"), Line("b", x, 2e-9 + 0 * x, "1"), Line("c", x, x + 1e-3, "1")], True, ["-"] * 3)
        == ["-"] * 3
    )


def test_an_expression_is_a_line_of_its_values(drawn):
    (axes,) = drawn(run(), ["abs(crank.angle) - 2*t"]).axes
    q, t = synthetic.rows(0, 50)["q"], run().time
    np.testing.assert_allclose(axes.get_lines()[0].get_ydata(), np.abs(q[:, 2]) - 2.0 * t, rtol=0, atol=1e-15)
    (axes,) = drawn(run(), ["norm(joint_force:A)"]).axes
    np.testing.assert_allclose(axes.get_lines()[0].get_ydata(), np.linalg.norm(synthetic.rows(0, 50)["joint_force"][:, 1], axis=1))
    assert axes.get_ylabel() == "norm(joint_force:A) (N)"


@pytest.mark.parametrize(
    ("item", "factor", "label"),
    [
        ("crank.angle in deg", 180.0 / np.pi, "crank.angle (deg)"),
        ("crank.x in mm", 1e3, "crank.x (mm)"),
        ("der(rod.angle) in rpm", 30.0 / np.pi, "der(rod.angle) (rpm)"),
        ("norm(joint_force:A) in kN", 1e-3, "norm(joint_force:A) (kN)"),
    ],
)
def test_units(drawn, item, factor, label):
    what = item.partition(" in ")[0]
    (plain,), (converted,) = drawn(run(), [what]).axes, drawn(run(), [item]).axes
    np.testing.assert_allclose(converted.get_lines()[0].get_ydata(), factor * plain.get_lines()[0].get_ydata(), rtol=1e-14)
    assert converted.get_ylabel() == label


def test_a_unit_at_the_end_of_a_path_is_that_of_both(drawn):
    (axes,) = drawn(run(), ["crank.x~body_position:slider:y in mm"]).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("crank.x (mm)", "body position slider y (mm)")
    assert axes.get_aspect() == 1.0
    (axes,) = drawn(run(), ["crank.angle in deg~crank.x in cm"]).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("crank.angle (deg)", "crank.x (cm)")


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("crank.x in dge", "unknown unit 'dge'"),
        ("crank.x in kN", "'kN' is no unit of what is in m; it may be in m, cm, mm"),
        ("max(crank.x)", r"one number of the run and no history; `mbsim info --output` prints it \(character 1\)"),
        ("crank.x + joint_force:A", "a vector is not allowed here; write norm"),
        ("crank.x +", "cannot plot 'crank.x \\+': "),
        ("norm(crank.q)", "cannot plot 'norm\\(crank.q\\)': .*crank.q"),
        ("2*3", "one number of the run"),
    ],
)
def test_expressions_and_units_that_are_none(tmp_path, item, words):
    with pytest.raises(PlotError, match=words):
        plot(run(), [item], tmp_path / "picture.png")
    assert not (tmp_path / "picture.png").exists()


def test_commas_within_brackets_belong_to_an_item():
    assert items(("a,distance(rod.A, ground)", " b ,")) == ["a", "distance(rod.A, ground)", "b"]


def test_several_results_over_each_other(tmp_path, monkeypatch):
    kept = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **_: (kept.append(figure), path.write_bytes(b"")))
    plot([run(), run(rows=30)], ["crank.x", "joint_force:A"], tmp_path / "picture.png", names=["one", "two"])
    single, several = kept[0].axes
    assert [line.get_label() for line in single.get_lines()] == ["one", "two"]
    assert [len(line.get_xdata()) for line in single.get_lines()] == [50, 30]
    assert [line.get_label() for line in several.get_lines()] == [f"{axis}, {run}" for run in ("one", "two") for axis in "xyz"]
    colours = [line.get_color() for line in several.get_lines()]
    assert colours[:3] == colours[3:] and len(set(colours)) == 3, "the same line has the same colour in each result"
    with pytest.raises(PlotError, match=r"two: cannot plot 'crank.x'"):
        plot([run(), run(synthetic.DISK)], ["crank.x"], tmp_path / "picture.png", names=["one", "two"])
    with pytest.raises(PlotError, match="two: the result holds no rows"):
        plot([run(), run(rows=0)], None, tmp_path / "picture.png", names=["one", "two"])


def test_a_look(drawn, tmp_path):
    made = figure(run(), ["crank.x"], Look("mine", (16.0, 9.0)))
    assert made.get_size_inches() == pytest.approx((16.0 / 2.54, 9.0 / 2.54)) and made.get_suptitle().strip() == "mine"
    made = figure(run(), ["crank.x"], Look(style="print"))
    assert made.get_size_inches()[0] == pytest.approx(8.6 / 2.54) and not made.get_suptitle() and made.axes[0].get_legend() is None
    lines = figure(run(), ["joint_force:A"], Look(style="print")).axes[0].get_lines()
    assert len({line.get_linestyle() + str(line._dash_pattern) for line in lines}) == 3, "greys are told apart by dashes"


@pytest.mark.parametrize(("text", "size"), [("16x9", (16, 9)), ("160x90mm", (16, 9)), ("6x4 in", (15.24, 10.16)), ("8.6x6cm", (8.6, 6))])
def test_sizes(text, size):
    assert read_size(text) == pytest.approx(size)


@pytest.mark.parametrize("text", ["16", "x", "1x1cm", "9000x10", "axb", "16x9px", "1.2.3x4", "nanx4"])
def test_sizes_that_are_none(text):
    with pytest.raises(ValueError, match=r"a size is WIDTHxHEIGHT|a picture is 2 to 200 cm"):
        read_size(text)


def test_a_notebook_shows_a_figure():
    made = run().plot("crank.x in mm")
    assert made._repr_png_().startswith(b"\x89PNG") and "<svg" in made._repr_svg_()
