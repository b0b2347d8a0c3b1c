"""URDF joints that mimic, limits, friction, and links without the inertia of a body."""

import json
from pathlib import Path

import mechanisms
import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from mechanisms import close
from urdf_parts import BASE, HINGE, I1, I2, joint, link

import mbsim
from mbsim.cli import main
from mbsim.diagnosis.inertia import massless


def imported(folder: Path, inner: str, *words: str) -> tuple[str, str]:
    """What the command writes and says about a robot with these elements."""
    path, out = folder / "robot.urdf", folder / "x.yaml"
    path.write_text(f'<robot name="r">{inner}</robot>')
    result = CliRunner().invoke(main, ["import", str(path), "-o", str(out), "--force", *words])
    assert result.exit_code == 0, result.output
    return out.read_text(), result.output


def mimic(of: str, ratio: float = 1.0, offset: float = 0.0) -> str:
    return f'<mimic joint="{of}" multiplier="{ratio}" offset="{offset}"/>'


FOLLOWERS = {  # kinds of the two joints; coordinate of the follower over that of the other
    "two slides": ("prismatic", "prismatic", -1.5),
    "two hinges": ("revolute", "revolute", 0.3),
    "a hinge follows a slide": ("prismatic", "revolute", 4.0),
    "a slide follows a hinge": ("revolute", "prismatic", -0.2),
}


@pytest.mark.parametrize("case", FOLLOWERS)
def test_joints_that_mimic(case: str, tmp_path: Path) -> None:
    """The coupling's acceleration is that of the equations of the tree with the follower's coordinate eliminated by hand."""
    kind, follower, ratio = FOLLOWERS[case]
    inner = BASE + link("a", 1.0, I1) + link("b", 2.0, I2, "0.1 0 0.2") + joint("j", kind, "base", "a")
    free, _ = imported(tmp_path, inner + joint("k", follower, "a", "b"))
    tied, said = imported(tmp_path, inner + joint("k", follower, "a", "b", mimic("j", ratio)))
    assert "1 mimic coupling" in said and "degrees of freedom: 1" in said
    system, other = (mbsim.assemble(mechanisms.model(text)).system for text in (tied, free))
    rng = np.random.default_rng(1)
    x, speed = rng.standard_normal(2)
    T = np.array([1.0, ratio])
    M, h, *_ = other.terms(0.0, T * x, T * speed)
    expected = T * (T @ h) / (T @ M @ T)
    M, h, C, eta = system.terms(0.0, T * x, T * speed)[:4]
    a = np.linalg.solve(np.block([[M, C.T], [C, np.zeros((1, 1))]]), [*h, *eta])[:2]
    close(a, expected, atol=1e-12 * np.abs(expected).max())


def test_a_mimic_offset_is_in_the_drawing(tmp_path: Path) -> None:
    """The follower stands where the offset puts it; chains add up; a follower of what cannot move is fixed there."""
    parts = "".join(link(name, 1.0, I1) for name in "abcd")
    slide = '<axis xyz="1 0 0"/>'
    inner = BASE + parts + HINGE.format("j", "prismatic", "base", "a", slide) + HINGE.format("w", "fixed", "base", "d", "")
    inner += HINGE.format("k", "prismatic", "base", "b", slide + mimic("j", 2.0, 0.25))
    inner += HINGE.format("l", "prismatic", "base", "c", slide + mimic("k", -3.0, 0.5))
    inner = inner.replace('name="w" type="fixed"', 'name="w" type="prismatic"').replace(
        'link="d"/>', f'link="d"/>{slide}{mimic("f", 1, 7)}'
    )
    inner += link("e", 1.0, I1) + HINGE.format("f", "fixed", "base", "e", "")
    text, said = imported(tmp_path, inner)
    assert mbsim.assemble(mechanisms.model(text)).system.n_v == 3
    assert "w: {type: fixed" in text and "position: [7.0, 0.0, 0.0]" in text
    assert "position: [0.25, 0.0, 0.0]" in text and "position: [-0.25, 0.0, 0.0]" in text  # -3 * 0.25 + 0.5
    assert "k.displacement counts from 0.25 of the file" in said


def test_links_without_mass_between_joints(tmp_path: Path) -> None:
    """A cross without mass is the limit of ever lighter ones; one that could spin freely is refused (above)."""
    ends = joint("j", "revolute", "base", "a") + HINGE.format("k", "revolute", "a", "b", '<axis xyz="0 1 0"/>')
    found = []
    for mass, moments in ((1e-9, "1e-9 1e-9 1e-9 0 0 0"), (0.0, "")):
        text, said = imported(tmp_path, BASE + link("a", mass, moments) + link("b", 2.0, I2, "0.3 0.2 0.1") + ends)
        system = mbsim.assemble(mechanisms.model(text)).system
        M, h, *_ = system.terms(0.0, np.array([0.3, -0.4]), np.array([1.0, 2.0]))
        found.append(np.linalg.solve(M, h))
    assert "link a has neither mass nor inertia: it is a body without mass" in said
    close(found[1], found[0], atol=1e-6 * np.abs(found[0]).max())


@pytest.mark.parametrize("moments", ["1 1 5 0 0 0", "-0.1 1 1 0 0 0"])
def test_an_impossible_inertia_is_taken_as_it_is(moments: str, tmp_path: Path) -> None:
    """And said, with the link's name; the mass matrix has it."""
    axis = '<axis xyz="0 0 1"/>'
    text, said = imported(tmp_path, BASE + link("a", 1.0, moments) + HINGE.format("j", "revolute", "base", "a", axis))
    assert "link a: no body has this inertia" in said and "it is taken as it is" in said
    close(mbsim.assemble(mechanisms.model(text)).system.M(0.0, np.zeros(1)), [[float(moments.split()[2])]], atol=1e-15)


def test_a_floating_root_without_inertia(tmp_path: Path) -> None:
    """Its only joint is fixed, so the arm falls freely; with two joints it stays a body without mass."""
    arm = link("root", 0.0) + link("a", 1.0, I1) + link("b", 2.0, I2, "0.3 0 0.1")
    text, said = imported(tmp_path, arm + joint("j", "revolute", "root", "a") + joint("k", "revolute", "a", "b"), "--floating")
    assert "the joint j is fixed: the links before it have no inertia" in said and "degrees of freedom: 7" in said
    made = mbsim.assemble(mechanisms.model(text))
    M, h, *_ = made.system.terms(0.0, made.q, np.zeros(7))
    close(np.linalg.solve(M, h), [0, 0, -9.81, 0, 0, 0, 0], atol=1e-12)
    across = HINGE.format("k", "revolute", "root", "b", '<axis xyz="0 1 0"/>')
    text, said = imported(tmp_path, arm + joint("j", "revolute", "root", "a") + across, "--floating")
    assert "link root has neither mass nor inertia" in said and "degrees of freedom: 8" in said
    assert "root: {mass: 0.0, inertia: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], unchecked_inertia: true" in text


def test_limits_and_friction(tmp_path: Path) -> None:
    """Stops hold a joint within its limits, and a zero beyond them is not the start; friction has its torque."""
    axis = '<axis xyz="0 1 0"/>'
    limits = '<limit lower="0.2" upper="0.9" effort="1" velocity="1"/><dynamics damping="0.05" friction="0.5"/>'
    slide = '<axis xyz="0 0 1"/><limit lower="-1" upper="-1" effort="1" velocity="1"/>'
    inner = BASE + link("a", 1.0, I1, "0.4 0 0") + HINGE.format("j", "revolute", "base", "a", axis + limits)
    inner += link("b", 1.0, I1) + HINGE.format("k", "prismatic", "base", "b", slide)
    text, said = imported(tmp_path, inner, "--limits", "--friction", "0.01")
    assert "joint j starts at its limit" in said and "initial: {j.angle: 0.2}" in text
    assert "the limits of joint k (-1 to -1) are no range: no stop" in said
    assert "j_friction: {type: joint_friction, joint: j, viscous: 0.05, coulomb: 0.5, transition_speed: 0.01}" in text
    (tmp_path / "m.yaml").write_text(text)
    result = mbsim.simulate(mbsim.load_model(tmp_path / "m.yaml", simulation={"end": 3.0}))
    angle, speed = result.select("q", "j.angle"), result.select("v", "der(j.angle)")
    assert angle.min() > 0.19 and 0.9 < angle.max() < 0.95  # it falls onto the upper stop
    assert abs(angle[-1] - 0.9) < 0.02 and abs(speed[-1]) < 0.05


RIGID_HINGE = '<axis xyz="0 1 0"/><limit lower="0.2" upper="0.9" effort="1" velocity="1"/><dynamics friction="0.5"/>'
RIGID_SLIDE = '<axis xyz="0 0 1"/><limit lower="-1" upper="-1" effort="1" velocity="1"/><dynamics damping="0.1" friction="20"/>'


def rigid(folder: Path) -> tuple[Path, str]:
    """A rod of 1 kg on a hinge, and a slide, with `--rigid`: the model file, and what the command says."""
    inner = BASE + link("a", 1.0, I1, "0.4 0 0") + HINGE.format("j", "revolute", "base", "a", RIGID_HINGE)
    inner += link("b", 1.0, I1) + HINGE.format("k", "prismatic", "base", "b", RIGID_SLIDE)
    _, said = imported(folder, inner, "--rigid")
    return folder / "x.yaml", said


def test_rigid_limits_and_friction(tmp_path: Path) -> None:
    """A rod of 1 kg falls from its lower limit to its upper one, against dry friction of 0.5 N m, and stays there to the last digit."""
    path, said = rigid(tmp_path)
    text = path.read_text()
    assert "stops: {lower: 0.2, upper: 0.9}, friction: {torque: 0.5}}" in text and "initial: {j.angle: 0.2}" in text
    assert "friction: {force: 20.0}}" in text and "k_damping: {type: joint_friction, joint: k, viscous: 0.1}" in text
    assert said.count("the limits of joint k (-1 to -1) are no range: no stop") == 1 and "joint_limit" not in text
    result = mbsim.simulate(mbsim.load_model(path, simulation={"end": 3.0}))
    angle = result.select("q", "j.angle")
    hit = next(line for line in result.events if line["do"] == "impact")
    fallen = 9.81 * 0.4 * (np.sin(0.9) - np.sin(0.2)) - 0.5 * 0.7  # J
    assert hit["gap_speed"][0] == pytest.approx(-np.sqrt(2 * fallen / (0.04 + 0.16)), rel=1e-7)
    assert angle[-1] == pytest.approx(0.9, abs=1e-12) and np.abs(result.select("q", "k.displacement")).max() == 0.0
    refused = CliRunner().invoke(main, ["import", str(tmp_path / "r.urdf"), "--rigid", "--limits"])
    assert refused.exit_code == 2 and "--rigid makes stops and friction rigid" in refused.output


def test_rigid_limits_and_friction_bear_their_loads_at_rest(tmp_path: Path) -> None:
    """j slips down to its stop, k holds."""
    at = {one.name: one for one in mbsim.equilibrium(rigid(tmp_path)[0]).touching}
    assert at["j_upper"].normal == pytest.approx(9.81 * 0.4 * np.cos(0.9), rel=1e-9) and at["k_friction"].sticks


def test_followers_of_nothing_and_names_that_are_one(tmp_path: Path) -> None:
    inner = BASE + link("a-b", 1.0, I1) + link("a_b", 1.0, I1) + link("tool", 0.0)
    inner += joint("j", "revolute", "base", "a-b", mimic("missing")) + joint("t", "revolute", "a-b", "tool")
    inner += joint("k", "revolute", "base", "a_b", mimic("t"))
    text, said = imported(tmp_path, inner)
    assert "joint j mimics 'missing', which does not exist: it moves freely" in said
    assert "joint k mimics t, which moves nothing with mass: it moves freely" in said
    assert mbsim.assemble(mechanisms.model(text)).system.bodies == ["a_b", "a_b_2"]


def test_any_inertia_needs_joint_coordinates() -> None:
    body = {"mass": 0, "inertia": [0, 0, 0], "unchecked_inertia": True}
    with pytest.raises(mbsim.ModelError) as error:
        mechanisms.model({"dimension": 3, "bodies": {"a": body}, "simulation": {"end": 1}})
    assert "bodies.a.unchecked_inertia: only with `coordinates: joint`" in str(error.value)
    with pytest.raises(mbsim.ModelError, match="must be greater than 0") as error:
        mechanisms.model({"dimension": 3, "coordinates": "joint", "bodies": {"a": {**body, "mass": -1}}, "simulation": {"end": 1}})


def test_controllers_are_held_within_the_effort_of_their_joints(tmp_path: Path) -> None:
    """A joint that swings like a critically damped spring of 3 Hz; one that mimics another, and one without an effort."""
    inner = BASE + link("a", 1.0, I1) + link("b", 2.0, I2, "0.1 0 0.2") + link("c", 1.0, I1)
    inner += joint("j", "revolute", "base", "a") + joint("k", "revolute", "a", "b", mimic("j"))
    inner += joint("l", "prismatic", "a", "c").replace('effort="1"', 'effort="0"')
    text, said = imported(tmp_path, inner, "--controllers", "3")
    made = mbsim.assemble(mechanisms.model(text))
    controllers = yaml.safe_load(text)["controllers"]
    assert list(controllers) == ["j_motor", "l_motor"] and "2 controllers" in said
    assert controllers["j_motor"]["limit"] == [-1.0, 1.0] and "limit" not in controllers["l_motor"]
    assert "the effort of joint l (0) is no limit: its controller has none" in said
    mobility = np.linalg.inv(made.system.M(0.0, made.q))
    for name, k in (("j_motor", 0), ("l_motor", made.system.coordinates.index("l.displacement"))):
        rate = 2 * np.pi * 3.0
        close(controllers[name]["kp"] * mobility[k, k], rate**2, atol=1e-3 * rate**2)
        close(controllers[name]["kd"] * mobility[k, k], 2 * rate, atol=1e-3 * rate)
    bare, _ = imported(tmp_path, inner)
    assert "controllers:" not in bare


def test_what_rounding_leaves_of_a_point_mass_on_an_axis_is_no_inertia(tmp_path: Path) -> None:
    """The last joint turns a point mass on its own axis; rounding of its place leaves 1e-34 kg m^2."""
    assert massless(np.diag([1e-2, 1e-34, 2e-3])) == [1]
    assert massless(np.diag([1.0, 1e-15])) == []
    inner = BASE + link("a", 1.0, I1) + link("b", 0.5, "", "0.03 0.04 0.0666666666666667")
    inner += joint("j", "revolute", "base", "a") + joint("k", "revolute", "a", "b")
    (tmp_path / "robot.urdf").write_text(f'<robot name="r">{inner}</robot>')
    result = CliRunner().invoke(main, ["import", str(tmp_path / "robot.urdf"), "-o", str(tmp_path / "x.yaml")])
    assert result.exit_code == 2 and "nothing with mass or inertia moves with der(k.angle)" in result.output


SIX = Path(__file__).parents[1] / "failing" / "six.urdf"


def test_a_stop_holds_the_effort_of_its_joint(tmp_path: Path) -> None:
    """With its motor at full effort no joint of a small arm goes more than a degree beyond its stop; it went 80."""
    out = tmp_path / "six.yaml"
    done = CliRunner().invoke(main, ["import", str(SIX), "-o", str(out), "--limits"])
    assert done.exit_code == 0 and "the stops give way by 1 degree or 1 mm at most under the effort of their joints" in done.output
    source = yaml.safe_load(out.read_text()) | {"gravity": [0, 0, 0]}
    stops = {name.removesuffix("_limit"): force for name, force in source["forces"].items() if name.endswith("_limit")}
    efforts = dict(zip(stops, (150.0, 150.0, 100.0, 28.0, 28.0, 14.0), strict=True))
    for name, effort in efforts.items():
        close(stops[name]["stiffness"] * np.deg2rad(1.0), effort, atol=0.05)
    source["forces"]["motor"] = {"type": "joint_torque", "joint": "joint_4", "value": efforts["joint_4"]}
    source["initial"] = {"joint_4.angle": 2.9}
    source["simulation"]["end"] = 0.3
    angle = mbsim.simulate(mechanisms.model(source)).select("q", "joint_4.angle")
    assert angle.max() < 3.0 + np.deg2rad(2.5)  # at the impact
    close(angle[-1], 3.0 + np.deg2rad(1.0), atol=1e-3)


def test_a_joint_whose_effort_is_not_known_has_a_soft_stop_and_says_so(tmp_path: Path) -> None:
    text, said = imported(
        tmp_path, BASE + link("a", 1.0, I1) + joint("j", "revolute", "base", "a").replace('effort="1"', 'effort="0"'), "--limits"
    )
    assert "no effort is known of j: their stops would swing at 15 Hz" in said and "give way" not in text
    light = link("a", 1e-9, "1e-12 1e-12 1e-12 0 0 0")
    _, said = imported(tmp_path, BASE + light + joint("j", "revolute", "base", "a"), "--limits")
    assert "stops give way by more under the effort of joints with little inertia: j (" in said


def test_controllers_overcome_the_friction_of_their_joints(tmp_path: Path) -> None:
    """Gains of 4 Hz at the last joint are 0.23 N m/rad, and its friction is 0.3 N m: it stayed a radian off its target."""
    out = tmp_path / "six.yaml"
    done = CliRunner().invoke(main, ["import", str(SIX), "-o", str(out), "--controllers", "4", "--friction", "0.01"])
    assert done.exit_code == 0 and "the gains of the controllers of joint_1, joint_4, joint_5, joint_6 are raised" in done.output
    source = yaml.safe_load(out.read_text())
    targets = {f"target_joint_{k}": 0.1 * k for k in range(1, 7)}
    source["parameters"] |= targets
    source["gravity"] = [0, 0, 0]  # whose effort a PD controller leaves as an error, too
    source["simulation"]["end"] = 2.0
    result = mbsim.simulate(mechanisms.model(source))
    for name, target in targets.items():
        assert abs(result.select("q", f"{name.removeprefix('target_')}.angle")[-1] - target) < np.deg2rad(1.0), name
    weak = SIX.read_text().replace('effort="14"', 'effort="0.2"')
    (tmp_path / "weak.urdf").write_text(weak)
    done = CliRunner().invoke(main, ["import", str(tmp_path / "weak.urdf"), "-o", str(out), "--controllers", "4", "--friction", "0.01"])
    assert "the effort of joint_6 is not above the friction: the controller cannot move the joint" in done.output


def test_links_without_mass_are_counted_in_absolute_coordinates_too(tmp_path: Path) -> None:
    """Above 150 rows the count factors the rows of absolute coordinates, which needs masses; `check` ended in a traceback."""
    names = [f"l{k}" for k in range(35)]
    inner = BASE + "".join(link(name, float(k % 2), I1 if k % 2 else "") for k, name in enumerate(names))
    inner += "".join(
        HINGE.format(f"j{k}", "revolute", before, name, f'<origin xyz="0.1 0 0"/><axis xyz="{"1 0 0" if k % 2 else "0 1 0"}"/>')
        for k, (before, name) in enumerate(zip(["base", *names], names, strict=False))
    )
    imported(tmp_path, inner)
    done = CliRunner().invoke(main, ["check", str(tmp_path / "x.yaml"), "--json"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.output)
    assert facts["degrees_of_freedom"] == facts["degrees_of_freedom_absolute"] == 34  # the last link has no mass and is left out
