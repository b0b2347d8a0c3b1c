"""docs/examples/plugin: the package is installed and its four leaves run; what `mbsim.register` takes and refuses."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim import jit, registry
from mbsim.importers import formats
from mbsim.importers.formats import conversion
from mbsim.importers.robot_model import Conversion, Options
from mbsim.importers.urdf_elements import RobotError
from mbsim.march.settings import Asked, resolve

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "docs" / "examples" / "plugin"
LEAVES = {"forces": "limited_motor", "joints": "guided_fork", "methods": "relaxed", "integrators": "heun"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package is installed into; its source is a copy, in which building may leave files."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(PACKAGE, folder / "source")
    words = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", *words, "--target", folder / "site", folder / "source"], check=True)
    return folder / "site"


def run(site: Path, work: Path, *words: str, compiled: bool = False) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(site), str(Path(mbsim.__file__).parents[1])])
    variables = os.environ | {"PYTHONPATH": paths} | ({} if compiled else {"NUMBA_DISABLE_JIT": "1"})
    return subprocess.run([sys.executable, "-m", "mbsim", *words], capture_output=True, text=True, check=False, env=variables, cwd=work)


def test_an_installed_package_runs(installed: Path, tmp_path: Path) -> None:
    """Its model runs with its own method and integrator; reactions, forces and energies are recorded as for any other."""
    model = str(PACKAGE / "fork.yaml")
    done = run(installed, tmp_path, "run", model, "--end", "0.02", "--drift", "none")
    assert done.returncode == 0, done.stderr
    assert "relaxed and heun" in done.stderr
    with mbsim.open_result(tmp_path / "fork.h5") as result:
        assert result.attributes["options"]["time"] == 0.02
        omega, torque = result["body_angular_velocity"][:, 0, 2], result.select("force", "motor")
        expected = 20.0 * omega / (omega**2 + (20.0 / 5.0) ** 2 / 4.0)
        assert np.abs(torque - expected).max() < 1e-12
        assert np.abs(result["energy_balance"]).max() < 1e-4
        assert result["joint_force"].shape[1] == 2 and np.abs(result.select("joint_force", "guide")).max() > 1.0
    shown = run(installed, tmp_path, "check", model, "--json")
    assert json.loads(shown.stdout)["degrees_of_freedom"] == 4
    schema = json.loads(run(installed, tmp_path, "schema").stdout)
    assert "limited_motor" in json.dumps(schema) and "heun" in json.dumps(schema)


def test_an_installed_importer_is_found_by_the_suffix_of_the_file(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "chain.rods").write_text("# name, length, mass\nupper, 0.5, 2\nlower, 0.25, 1\n", encoding="utf-8")
    done = run(installed, tmp_path, "import", "chain.rods")
    assert done.returncode == 0 and done.stdout.strip() == "chain.yaml", done.stderr
    assert "2 bodies, 2 joints" in done.stderr
    made = mbsim.assemble(mbsim.load_model(tmp_path / "chain.yaml"))
    assert made.system.coordinates == ["upper_hinge.angle", "lower_hinge.angle"]
    assert made.system.M(0.0, made.q)[1, 1] == pytest.approx(1 * 0.25**2 / 3, rel=1e-14)
    (tmp_path / "wrong.txt").write_text("upper, long, 2\n", encoding="utf-8")
    done = run(installed, tmp_path, "import", "wrong.txt", "--format", "rods")
    assert done.returncode == 2 and "wrong.txt: line 1: expected a name, a length and a mass" in done.stderr
    assert not (tmp_path / "wrong.yaml").exists()


def test_mistakes_in_its_blocks_are_told_as_in_others(installed: Path, tmp_path: Path) -> None:
    text = (PACKAGE / "fork.yaml").read_text(encoding="utf-8").replace("largest: 5", "largest: -5").replace("time: 0.02", "time: 0")
    (tmp_path / "wrong.yaml").write_text(text, encoding="utf-8")
    done = run(installed, tmp_path, "run", "wrong.yaml")
    assert done.returncode == 2
    assert "wrong.yaml:12:" in done.stderr and "forces.motor.largest" in done.stderr and "simulation.time" in done.stderr


@pytest.mark.slow
def test_its_kernels_compile_and_are_kept(installed: Path, tmp_path: Path) -> None:
    """The same numbers as in plain Python; the folder of compiled code is that of mbsim alone, and the second run compiles nothing."""
    model, rows = str(PACKAGE / "fork.yaml"), []
    for k, compiled in enumerate((True, True, False)):
        done = run(installed, tmp_path, "run", model, "--end", "0.05", "-o", f"{k}.h5", compiled=compiled)
        assert done.returncode == 0, done.stderr
        assert ("Compiling" in done.stderr) == (k == 0)
        with mbsim.open_result(tmp_path / f"{k}.h5") as result:
            rows.append(result["q"])
    assert np.array_equal(rows[0], rows[1]) and np.abs(rows[0] - rows[2]).max() < 1e-13
    code = "from mbsim import jit; print(jit.CACHE_FOLDER)"
    variables = os.environ | {"PYTHONPATH": os.pathsep.join([str(installed), str(Path(mbsim.__file__).parents[1])])}
    folder = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=variables, cwd=tmp_path)
    assert folder.stdout.strip() == str(jit.CACHE_FOLDER)


@pytest.fixture(autouse=True)
def _leaves_of_one_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that used leaves of other packages keeps no assembled models: tests after this one do."""
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.setattr(registry, "_used", set())


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package's leaves, named in this process only."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    for kind, word in LEAVES.items():
        mbsim.register(kind, word, f"mbsim_example.{word}")


@pytest.mark.usefixtures("registered")
def test_registered_leaves_are_found() -> None:
    for kind, word in LEAVES.items():
        assert registry.knows(kind, word) and word in registry.names(kind)
    assert registry.options("methods", "relaxed")["time"].default == 0.05
    made = mbsim.assemble(mbsim.load_model(PACKAGE / "fork.yaml"))
    assert made.system.load_types == ["limited_motor", "spring_damper"]


def test_a_start_with_own_leaves_looks_for_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking through installed packages takes milliseconds, at every start."""
    system = mechanisms.system(mechanisms.shipped("pendulum").text)
    monkeypatch.setattr(registry, "_find_declared", lambda kind: pytest.fail("it looks for entry points"))
    assert resolve(Asked(end=1.0, method="svd", integrator="auto"), system).method == "svd"
    for declared in ("OPTIONS", "ORDER"):
        registry.declaration.__wrapped__("integrators", "rk4", declared)


@pytest.mark.usefixtures("registered")
def test_a_class_is_enough() -> None:
    from mbsim_example.guided_fork import GuidedFork  # type: ignore[import-not-found]

    mbsim.register("joints", "another_fork", GuidedFork)
    text = (PACKAGE / "fork.yaml").read_text(encoding="utf-8").replace("guided_fork", "another_fork")
    assert mbsim.assemble(mbsim.load_model(text)).system.n_rows == 5 + 3


@pytest.mark.usefixtures("registered")
def test_a_class_of_another_kind_is_refused() -> None:
    """A joint among the forces is said, not left out."""
    mbsim.register("forces", "misplaced", registry.leaf("joints", "revolute"))
    text = (PACKAGE / "fork.yaml").read_text(encoding="utf-8")
    with pytest.raises(mbsim.ModelError, match="the class of 'misplaced' is no Force"):
        mbsim.load_model(text.replace("type: limited_motor", "type: misplaced"))


class Pole:
    """An importer as a class: a body on a hinge."""

    SUFFIXES = (".pole", ".rods")

    @staticmethod
    def read(path: Path, folder: Path) -> object:
        words = path.read_text().split()
        if words[0] == "text":
            return Conversion("simulation: {end: 1}\nbodies: {}\n", ("a note",), "")
        return {"bodies": {words[0]: {"mass": float(words[1])}}} if len(words) > 1 else words


@pytest.mark.parametrize(
    ("text", "word", "options", "said"),
    [
        ("a 1", None, Options(), "the model: bodies.a: missing key 'inertia'"),
        ("a one", None, Options(), "could not convert string to float"),
        ("a", None, Options(), "returned list; it has to be a model as a dictionary"),
        ("text", None, Options(), "a model needs at least one body"),
        ("", None, Options(), "the importer 'pole' of another package failed: IndexError"),
        ("a 1", None, Options(limits=True), "takes no options of robots"),
        ("a 1", "poles", Options(), "there is no importer 'poles'; there are mjcf, pole, urdf"),
        ("a 1", "urdf", Options(), "not XML"),
    ],
)
def test_what_an_importer_does_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, word: str | None, options: Options, said: str
) -> None:
    mbsim.register("importers", "pole", Pole)
    (tmp_path / "a.pole").write_text(text)
    with pytest.raises(RobotError) as error:
        conversion(tmp_path / "a.pole", options, tmp_path, word)
    assert said in str(error.value)


LINK = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = f"""<robot name="pole"><link name="base"/><link name="arm">{LINK}</link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""


class Renamed:
    """An importer that describes a robot."""

    SUFFIXES = (".pole",)
    read = staticmethod(formats.read)


def test_a_robot_is_written_as_from_urdf(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mbsim.register("importers", "renamed", Renamed)
    texts = []
    for name in ("a.urdf", "a.pole"):
        (tmp_path / name).write_text(URDF)
        texts.append(conversion(tmp_path / name, Options(floating=True), tmp_path).text.partition("\n")[2])
    assert texts[0] == texts[1] and "arm" in texts[0]


def test_several_importers_of_one_suffix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.syspath_prepend(str(PACKAGE))
    mbsim.register("importers", "pole", Pole)
    mbsim.register("importers", "rods", "mbsim_example.rods")
    (tmp_path / "a.rods").write_text("a, 1, 1")
    with pytest.raises(RobotError, match=r"several importers read \.rods files: pole, rods; choose one with --format"):
        conversion(tmp_path / "a.rods", folder=tmp_path)
    assert "a_hinge" in conversion(tmp_path / "a.rods", folder=tmp_path, word="rods").text


def test_an_importer_with_wrong_suffixes_stops_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Wrong(Pole):
        SUFFIXES = "pole"

    monkeypatch.setattr(registry, "_registered", {})
    mbsim.register("importers", "wrong", Wrong)
    (tmp_path / "a.pole").write_text("text")
    with pytest.raises(RobotError, match=r"the importer 'wrong' of another package has no SUFFIXES, .* choose another with --format"):
        conversion(tmp_path / "a.pole", folder=tmp_path)
    mbsim.register("importers", "renamed", Renamed)
    (tmp_path / "a.pole").write_text(URDF)
    assert "arm" in conversion(tmp_path / "a.pole", Options(floating=True), tmp_path).text


@pytest.mark.parametrize(
    ("kind", "word", "said"),
    [
        ("force", "magnet", "the kinds are joints, constraints, forces, controllers, methods, integrators, importers"),
        ("forces", "Magnet", "lower case letters"),
        ("importers", "urdf", "mbsim has importer 'urdf' itself"),
        ("forces", "spring_damper", "mbsim has force 'spring_damper' itself"),
    ],
)
def test_what_is_refused(kind: str, word: str, said: str) -> None:
    with pytest.raises(registry.PluginError, match=said):
        mbsim.register(kind, word, "mbsim_example.limited_motor")


INTEGRATOR = """from functools import partial
from mbsim.contracts import OK, STEP
from mbsim.integrators import _fixed
from mbsim.jit import kernel
ORDER = 1
SCRATCH = _fixed.SCRATCH + 1
@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    code = method.rhs(system, arrays, work, t, z, scratch[0])
    for j in range(z.shape[0]):
        z[j] += dt * scratch[0, j]
    return code
def marcher():
    return partial(_fixed.march, step)
"""
WRONG = {
    "without_order": (
        ("ORDER = 1\n", ""),
        r"lacks ORDER \(order on smooth motions, such as ORDER = 2\), at the top of \S+without_order\.py",
    ),
    "without_much": (("SCRATCH =", "scratch ="), r"lacks SCRATCH \(rows as long as z that a step needs"),
    "unknown_name": (("dt * scratch[0, j]", "dt * slope"), r"unknown_name\.py:11: NameError: name 'slope' is not defined"),
    "wrong_types": (
        ("dt * scratch[0, j]", "dt * 'x'"),
        r"wrong_types\.py:11: No implementation of function .*mul.* found for signature: mul",
    ),
    "no_attribute": (("scratch[0, j]", "scratch.slope"), r"no_attribute\.py:11: Unknown attribute 'slope' of type array"),
    "raises": (("ORDER = 1\n", "ORDER = 1\nraise RuntimeError('not today')\n"), "cannot be imported from raises: not today"),
}


@pytest.mark.parametrize("word", WRONG)
def test_faults_of_an_integrator_are_sentences(word: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In one line, with the line of the file; not as Numba says them."""
    (old, new), said = WRONG[word]
    assert INTEGRATOR.count(old) == 1
    (tmp_path / f"{word}.py").write_text(INTEGRATOR.replace(old, new))
    monkeypatch.syspath_prepend(str(tmp_path))
    mbsim.register("integrators", word, word)
    with pytest.raises(registry.PluginError, match=said) as caught:
        mbsim.simulate("pendulum", integrator=word, step=1e-3, end=0.01)
    assert "\n" not in str(caught.value) and str(caught.value).startswith(f"integrator '{word}' of another package")


def test_a_class_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "lodestone.py").write_text("class Magnet: ...\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    mbsim.register("forces", "lodestone", "lodestone")
    source = {
        "dimension": 2, "simulation": {"end": 1}, "bodies": {"a": {"mass": 1, "inertia": 1}}, "forces": {"f": {"type": "lodestone"}},
    }  # fmt: skip
    with pytest.raises(registry.PluginError, match=r"force 'lodestone' of another package lacks the class Lodestone, in \S+lodestone\.py"):
        mechanisms.model(source)


LEAF = """from mbsim.constraints._table import RowConstraint
from mbsim.forces._table import BodyForce, Load
from mbsim.joints._table import AxisJoint
"""
FAULTS = {  # of classes: kind, class, what is said
    "no_loads": ("forces", "class NoLoads(BodyForce): ...", "force 'no_loads' of another package: the class NoLoads lacks loads$"),
    "no_rows": ("joints", "class NoRows(AxisJoint): ...", "joint 'no_rows' of another package: the class NoRows lacks ROWS$"),
    "raises": (
        "forces", "class Raises(BodyForce):\n    def loads(self, geometry):\n        return {}['x']",
        r"the force 'leaf' is of another package, which failed: \S+raises\.py:6: KeyError: 'x'$",
    ),
    "not_loads": (
        "forces", "class NotLoads(BodyForce):\n    def loads(self, geometry): return 3",
        r"not_loads\.py: TypeError: 'int' object is not iterable$",
    ),
    "odd_load": (
        "forces", "class OddLoad(BodyForce):\n    def loads(self, geometry): return [Load(99, 0, 0, -1, [1.0])]",
        r"TypeError: there is no kind of load 99 \(mbsim\.elements\.kinds\)$",
    ),
    "odd_row": (
        "constraints", "class OddRow(RowConstraint):\n    def rows(self, geometry): return [1]",
        r"the constraint 'leaf' is of another package, .* it has to give a list of Row, in which there is 1$",
    ),
}  # fmt: skip


@pytest.mark.parametrize("word", FAULTS)
def test_faults_of_classes_are_sentences(word: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is missing, raised or returned in place of loads and rows; with the line where there is one."""
    kind, text, said = FAULTS[word]
    (tmp_path / f"{word}.py").write_text(LEAF + text + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    mbsim.register(kind, word, word)
    block = {"type": word} | ({"bodies": ["ground", "a"], "at": [0, 0]} if kind == "joints" else {})
    source = {"dimension": 2, "simulation": {"end": 1}, "bodies": {"a": {"mass": 1, "inertia": 1}}, kind: {"leaf": block}}
    with pytest.raises(registry.PluginError, match=said):
        mbsim.assemble(mechanisms.model(source))


def test_what_a_method_lacks_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bare.py").write_text("from mbsim.methods._augmented import rhs, start\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    mbsim.register("methods", "bare", "bare")
    with pytest.raises(registry.PluginError, match=r"method 'bare' of another package lacks WORKSPACE \(.*\) and accept \(.*\) and expand"):
        mbsim.simulate("pendulum", method="bare", integrator="rk4", end=0.01)


def test_a_package_that_cannot_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    mbsim.register("forces", "broken", "no_such_package.broken")
    source = {
        "dimension": 2, "simulation": {"end": 1}, "bodies": {"a": {"mass": 1, "inertia": 1}}, "forces": {"f": {"type": "broken"}},
    }  # fmt: skip
    with pytest.raises(ValueError, match="force 'broken' of another package cannot be imported from no_such_package"):
        mechanisms.model(source)
