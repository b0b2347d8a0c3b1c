"""Equilibria with stops, contacts and dry friction against closed forms, and the loads that they hold."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import mbsim
from mbsim.analyses.holding import holding
from mbsim.cli import main
from mbsim.diagnosis.equilibrium import NoEquilibriumError

G = 9.81


def block(slope: float, mu: float = 0.5, push: float = 0.0) -> dict[str, Any]:
    """A box of 0.2 by 0.6 m and 2 kg on two of its corners, on an incline (deg)."""
    return {
        "name": "block",
        "dimension": 2,
        "parameters": {"slope": slope, "mu": mu, "F": push},
        "gravity": [f"{G}*sin(deg(slope))", f"-{G}*cos(deg(slope))"],
        "bodies": {"box": {"mass": 2, "inertia": 0.1, "position": [0, 0.3], "shape": {"type": "box", "size": [0.2, 0.6]}}},
        "contacts": {"floor": {"bodies": ["box", "ground"], "plane": {"normal": [0, 1]}, "friction": "mu"}},
        "forces": {"push": {"type": "force", "body": "box", "value": ["F", 0]}},
        "simulation": {"end": 1},
    }


def bracket(x: float) -> dict[str, Any]:
    """A bracket on a pole, borne at two points 0.2 m apart, with its load x m out; events.md, case 7: Coulomb's law by hand."""
    return {
        "name": "bracket",
        "dimension": 2,
        "parameters": {"x": x, "W": 100},
        "gravity": [0, 0],
        "bodies": {"bracket": {"mass": 1, "inertia": 0.1, "position": [0, 1], "points": {"hook": ["x", 0]}}},
        "joints": {
            "slide": {
                "type": "prismatic",
                "bodies": ["ground", "bracket"],
                "at": [0, 1],
                "axis": [0, 1],
                "friction": {"coefficient": 0.25, "length": 0.2},
            }
        },
        "forces": {"load": {"type": "force", "body": "bracket.hook", "value": [0, "-W"]}},
        "simulation": {"end": 1},
    }


def ladder(angle: float) -> dict[str, Any]:
    return {
        "name": "ladder",
        "dimension": 2,
        "parameters": {"a": angle, "mu": 0.5},
        "gravity": [0, -G],
        "bodies": {
            "ladder": {
                "mass": 10,
                "inertia": 1,
                "position": ["cos(deg(a))", "sin(deg(a))"],
                "angle": "deg(a)",
                "points": {"foot": [-1, 0], "top": [1, 0]},
            }
        },
        "contacts": {
            "floor": {"bodies": ["ladder", "ground"], "points": ["foot"], "plane": {"normal": [0, 1]}, "friction": "mu"},
            "wall": {"bodies": ["ladder", "ground"], "points": ["top"], "plane": {"through": ["2*cos(deg(a))", 0], "normal": [-1, 0]}},
        },
        "simulation": {"end": 1},
    }


def touching(found: Any) -> dict[str, Any]:
    return {one.name: one for one in found.touching}


def test_a_block_rests_on_its_corners() -> None:
    """Moments about the corners share W cos(10 deg) as 0.752876143006450 and 0.231931610005709 of W; friction holds W sin(10 deg)."""
    found = mbsim.equilibrium(block(10.0))
    W = 2.0 * G
    at = touching(found)
    assert at.keys() == {"floor_1", "floor_3"}
    assert sorted(one.normal / W for one in at.values()) == pytest.approx([0.231931610005709, 0.752876143006450], rel=1e-12)
    assert sum(one.friction[0] for one in at.values()) == pytest.approx(-W * np.sin(np.radians(10.0)), rel=1e-12)
    assert np.array_equal(found.q, [0.0, 0.3, 0.0])
    assert found.stable
    assert any("friction holds" in note for note in found.notes())
    assert any("do not determine" in note for note in found.notes())


@pytest.mark.parametrize("slope", [26.5, 26.6])
def test_a_block_slips_beyond_its_angle_of_friction(slope: float) -> None:
    """Of 0.5, arctan is 26.565 degrees. The box is low here, so that it does not tip."""
    model = block(slope)
    model["bodies"]["box"] |= {"position": [0, 0.1], "shape": {"type": "box", "size": [0.6, 0.2]}}
    if slope < np.degrees(np.arctan(0.5)):
        assert mbsim.equilibrium(model).stable
    else:
        with pytest.raises(NoEquilibriumError, match="friction does not hold the start"):
            mbsim.equilibrium(model)


def test_the_loads_that_a_block_holds() -> None:
    """Down the incline it tips: F = W (cos/3 - sin); up the incline it slips or tips, whichever comes first."""
    found = mbsim.holding(block(10.0), "F")
    W, s, c = 2.0 * G, np.sin(np.radians(10.0)), np.cos(np.radians(10.0))
    assert found.largest == pytest.approx(W * (c / 3.0 - s), rel=1e-8)
    assert found.least == pytest.approx(-W * (c / 3.0 + s), rel=1e-8)


def test_a_bracket_on_a_pole_jams() -> None:
    """The bearings press with W x / 0.2 each; their friction 2 * 0.25 W x / 0.2 bears W from x = 0.4 m on, whatever W is."""
    found = mbsim.equilibrium(bracket(0.5))
    friction = touching(found)["slide_friction"]
    assert friction.friction[0] == pytest.approx(100.0, rel=1e-12)
    assert friction.used == pytest.approx(0.8, rel=1e-12)
    with pytest.raises(NoEquilibriumError, match="slide_friction"):
        mbsim.equilibrium(bracket(0.39))
    held = mbsim.holding(bracket(0.5), "x")
    assert held.least == pytest.approx(0.4, rel=1e-9)
    assert held.largest == np.inf
    always = mbsim.holding(bracket(0.5), "W")
    assert (always.least, always.largest) == (-np.inf, np.inf)


def test_a_ladder_against_a_smooth_wall() -> None:
    """The wall presses with W / (2 tan a), which the foot bears: it holds from tan a = 1 / (2 mu) on."""
    found = mbsim.equilibrium(ladder(60.0))
    W = 10.0 * G
    at = touching(found)
    assert at["wall"].normal == pytest.approx(W / (2.0 * np.tan(np.radians(60.0))), rel=1e-12)
    assert at["floor"].normal == pytest.approx(W, rel=1e-12)
    assert abs(at["floor"].friction[0]) == pytest.approx(at["wall"].normal, rel=1e-12)
    assert mbsim.holding(ladder(60.0), "a").least == pytest.approx(45.0, rel=1e-9)


def test_a_table_on_four_legs_in_space() -> None:
    """Its feet bear mu W in any direction. Rigid bodies do not say how they share it; one of the ways is equal."""
    model = {
        "name": "table",
        "gravity": [0, 0, -G],
        "parameters": {"F": 10},
        "bodies": {
            "top": {
                "mass": 4,
                "inertia": [1, 1, 1],
                "position": [0, 0, 0.5],
                "points": {"a": [1, 1, -0.5], "b": [-1, 1, -0.5], "c": [-1, -1, -0.5], "d": [1, -1, -0.5]},
            }
        },
        "contacts": {
            "floor": {"bodies": ["top", "ground"], "points": ["a", "b", "c", "d"], "plane": {"normal": [0, 0, 1]}, "friction": 0.4}
        },
        "forces": {"push": {"type": "force", "body": "top", "value": ["F", 0, 0]}},
        "simulation": {"end": 1},
    }
    found = mbsim.equilibrium(model)
    assert [one.friction[0] for one in found.touching] == pytest.approx([-2.5] * 4, rel=1e-9)
    # the push acts 0.5 m above the ground: its moment about y turns 5 N m / 2 m to the feet in front
    assert sorted(one.normal for one in found.touching) == pytest.approx([G - 1.25] * 2 + [G + 1.25] * 2, rel=1e-9)
    assert mbsim.holding(model, "F").largest == pytest.approx(0.4 * 4.0 * G, rel=1e-8)


def test_a_clamp_with_a_rigid_pad() -> None:
    """With a pad of 2e5 N/m in place of a rigid one a damped run finds 6.2 N at -0.0203 rad."""
    model = Path(__file__).parents[1] / "plain" / "toggle_clamp.yaml"
    found = mbsim.equilibrium(yaml.safe_load(model.read_text()), parameters={"F": -40})
    assert found["arm.angle"] == pytest.approx(-0.02, abs=1e-4)
    assert found["tipy"] == pytest.approx(0.058, abs=1e-12)
    assert touching(found)["pad"].normal == pytest.approx(6.2, abs=0.05)
    lifted = mbsim.equilibrium(yaml.safe_load(model.read_text()), parameters={"F": 40})
    assert not lifted.touching
    assert lifted["tipy"] > 0.058


def chain(seed: int, coordinates: str) -> tuple[dict[str, Any], Any]:
    """One to three rods in a chain with springs and stops in their pins, and the gradient of their potential by the angles of the pins."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    mass, stiffness = rng.uniform(0.5, 2.0, n), rng.uniform(2.0, 20.0, n)
    start, width = rng.uniform(-0.6, 0.6, n), rng.uniform(0.1, 0.5, n)
    lower, upper = start - width, start + rng.uniform(0.1, 0.5, n)
    bodies, joints, forces = {}, {}, {}
    at, turned = np.zeros(2), 0.0
    for k in range(n):
        turned += float(start[k])
        way = np.array([np.cos(turned), np.sin(turned)])
        bodies[f"b{k}"] = {"mass": float(mass[k]), "inertia": 0.1, "position": (at + 0.5 * way).tolist(), "angle": turned}
        pair = [f"b{k - 1}" if k else "ground", f"b{k}"]
        joints[f"p{k}"] = {"type": "revolute", "bodies": pair, "at": at.tolist()}
        forces[f"s{k}"] = {"type": "rotational_spring_damper", "joint": f"p{k}", "stiffness": float(stiffness[k]), "free_angle": 0.0}
        at = at + way
    model = {"name": "chain", "dimension": 2, "coordinates": coordinates, "gravity": [0, -G], "bodies": bodies, "joints": joints}
    model |= {"forces": forces, "simulation": {"end": 1}}
    return model, (mass, stiffness, start, lower, upper)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("seed", range(12))
def test_chains_rest_where_their_potential_is_least(seed: int, coordinates: str) -> None:
    """At a bound the potential falls towards it, and the stop presses as much; elsewhere its slope is zero (Karush, Kuhn, Tucker)."""
    model, (mass, stiffness, start, lower, upper) = chain(seed, coordinates)
    for k in range(len(mass)):
        # pins count from the drawing
        model["joints"][f"p{k}"]["stops"] = {"lower": float(lower[k] - start[k]), "upper": float(upper[k] - start[k])}
        model["forces"][f"s{k}"]["free_angle"] = float(-start[k])
    found = mbsim.equilibrium(model)
    made = mbsim.assemble(model)
    result = found.to_result()
    angles = np.array(
        [float(result.select(f"b{k}.angle")[0]) if coordinates == "absolute" else float(found[f"p{k}.angle"]) for k in range(len(mass))]
    )
    turned = angles if coordinates == "absolute" else np.cumsum(angles + start)
    relative = np.diff(np.concatenate([[0.0], turned]))
    slope = stiffness * relative
    for k in range(len(mass)):
        for j in range(k, len(mass)):  # weight of rod j about pin k
            ahead = sum(np.cos(turned[i]) for i in range(k, j)) + 0.5 * np.cos(turned[j])
            slope[k] += mass[j] * G * ahead
    at = touching(found)
    size = float(np.abs(mass).sum() * G)
    for k in range(len(mass)):
        assert lower[k] - 1e-9 <= relative[k] <= upper[k] + 1e-9
        pressed = at[f"p{k}_lower"].normal if f"p{k}_lower" in at else -at[f"p{k}_upper"].normal if f"p{k}_upper" in at else 0.0
        assert slope[k] == pytest.approx(pressed, abs=1e-8 * size)
        if f"p{k}_lower" in at:
            assert relative[k] == pytest.approx(lower[k], abs=1e-9)
            assert pressed >= -1e-9 * size
        if f"p{k}_upper" in at:
            assert relative[k] == pytest.approx(upper[k], abs=1e-9)
            assert pressed <= 1e-9 * size
    assert found.stable
    assert made.unilaterals is not None


def test_what_falls_comes_to_rest_on_what_it_meets() -> None:
    model = {
        "name": "ball",
        "dimension": 2,
        "gravity": [3, -G],
        "bodies": {"ball": {"mass": 2, "inertia": 0.1, "position": [0, 1], "shape": {"type": "cylinder", "radius": 0.1, "length": 0.1}}},
        "contacts": {
            "floor": {"bodies": ["ball", "ground"], "plane": {"normal": [0, 1]}, "friction": 0.1},
            "wall": {"bodies": ["ball", "ground"], "plane": {"through": [1, 0], "normal": [-1, 0]}},
        },
        "simulation": {"end": 1},
    }
    found = mbsim.equilibrium(model)
    assert found.q[:2] == pytest.approx([0.9, 0.1], abs=1e-9)
    assert touching(found)["floor"].normal == pytest.approx(2.0 * G, rel=1e-9)
    assert touching(found)["wall"].normal == pytest.approx(6.0, rel=1e-9)


def test_three_balls_come_to_rest_beside_each_other() -> None:
    """One falls between two others; a slope of 0.5 m/s2 presses them against each other and the wall to the right."""

    def wall(ball: str, x: float) -> dict[str, Any]:
        return {"bodies": [ball, "ground"], "plane": {"through": [x, 0], "normal": [-np.sign(x), 0]}}

    places = {"a": [-0.4, 1.0], "b": [0.4, 1.2], "c": [0.02, 2.0]}
    shape = {"type": "cylinder", "radius": 0.2, "length": 0.1}
    contacts: dict[str, Any] = {f"floor_{ball}": {"bodies": [ball, "ground"], "plane": {"normal": [0, 1]}} for ball in places}
    contacts |= {"right_b": wall("b", 0.7), "right_c": wall("c", 0.7), "left_a": wall("a", -0.7), "left_c": wall("c", -0.7)}
    contacts |= {pair: {"between": list(pair)} for pair in ("ab", "ac", "bc")}
    masses = {"a": 1, "b": 1, "c": 2}
    bodies = {ball: {"mass": masses[ball], "inertia": 0.01, "position": at, "shape": shape} for ball, at in places.items()}
    model = {"name": "balls", "dimension": 2, "gravity": [0.5, -G], "bodies": bodies, "contacts": contacts, "simulation": {"end": 1}}
    found = mbsim.equilibrium(model)
    assert [found[f"{ball}.x"] for ball in "acb"] == pytest.approx([-0.3, 0.1, 0.5], abs=1e-9)
    forces = {name: one.normal for name, one in touching(found).items()}
    assert forces == pytest.approx({"floor_a": G, "floor_b": G, "floor_c": 2.0 * G, "right_b": 2.0, "ac": 0.5, "bc": 1.5}, rel=1e-7)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_tilted_box_falls_flat(dimension: int) -> None:
    """It lands on a corner, then on an edge or a face. In space its weight is shared by four corners alike."""
    turned = {"angle": 0.3} if dimension == 2 else {"orientation": {"axis": [1, 2, 0.5], "angle": 0.2}}
    size, upright = ([0.4, 0.3], [0, 1]) if dimension == 2 else ([0.4, 0.3, 0.2], [0, 0, 1])
    box = {"mass": 2, "inertia": 0.1 if dimension == 2 else [0.1, 0.1, 0.1], "position": upright, "shape": {"type": "box", "size": size}}
    model = {
        "name": "box",
        "dimension": dimension,
        "gravity": [-G * x for x in upright],
        "bodies": {"box": box | turned},
        "contacts": {"floor": {"bodies": ["box", "ground"], "plane": {"normal": upright}, "friction": 0.5}},
        "simulation": {"end": 1},
    }
    found = mbsim.equilibrium(model)
    assert found["box.y" if dimension == 2 else "box.z"] == pytest.approx(0.15 if dimension == 2 else 0.1, abs=1e-9)
    corners = 2 if dimension == 2 else 4
    assert [one.normal for one in found.touching] == pytest.approx([2.0 * G / corners] * corners, rel=1e-9)


def test_modes_keep_what_is_closed() -> None:
    """Two carriages coupled by a spring, of which one is pressed against a stop: the other one swings with sqrt(k / m)."""
    joint = {"type": "prismatic", "axis": [1, 0]}
    model = {
        "name": "carriages",
        "dimension": 2,
        "gravity": [0, 0],
        "bodies": {"a": {"mass": 1, "inertia": 1, "position": [0, 0]}, "b": {"mass": 4, "inertia": 1, "position": [1, 0]}},
        "joints": {
            "A": joint | {"bodies": ["ground", "a"], "at": [0, 0], "stops": {"lower": 0}},
            "B": joint | {"bodies": ["ground", "b"], "at": [1, 0]},
        },
        "forces": {
            "spring": {"type": "spring_damper", "points": ["a", "b"], "stiffness": 100, "free_length": 1},
            "press": {"type": "force", "body": "a", "value": [-3, 0]},
        },
        "simulation": {"end": 1},
    }
    found = mbsim.modes(model)
    assert [mode.frequency_hz for mode in found.modes] == pytest.approx([5.0 / (2.0 * np.pi)], rel=1e-9)
    assert any("A_lower holds" in note for note in found.notes())
    plant = mbsim.linearize(model, ["force:press.x"], ["b.x"])
    assert plant.C.shape[0] == 1


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_screw_locks_itself(coordinates: str) -> None:
    """A nut of the weight W on a screw of the pitch p with the friction M holds while W + F is within M/p, and turns beyond it."""
    pitch, moment, inertia, mass = 0.02, 0.5, 0.004, 2.0
    screw = {
        "type": "helical",
        "bodies": ["ground", "nut"],
        "at": [0, 0, 0],
        "axis": [0, 0, 1],
        "pitch": pitch,
        "friction": {"torque": moment},
    }
    model = {
        "name": "screw",
        "coordinates": coordinates,
        "gravity": [0, 0, -G],
        "parameters": {"F": 0},
        "bodies": {"nut": {"mass": mass, "inertia": [0.01, 0.01, inertia]}},
        "joints": {"screw": screw},
        "forces": {"load": {"type": "force", "body": "nut", "value": [0, 0, "-F"]}},
        "measures": {"angle": "screw.angle", "rate": "der(screw.angle)", "rise": "screw.displacement", "rises": "der(screw.displacement)"},
        "simulation": {"end": 3},
    }
    held = mbsim.holding(model, "F")
    assert [held.least, held.largest] == pytest.approx([-moment / pitch - mass * G, moment / pitch - mass * G], rel=1e-8)
    assert np.ptp(mbsim.simulate(model, parameters={"F": 5})["angle"]) == 0.0
    run = mbsim.simulate(model, parameters={"F": 20})
    faster = -(pitch * (mass * G + 20) - moment) / (inertia + mass * pitch**2)
    assert run["angle"][-1] == pytest.approx(4.5 * faster, rel=1e-8)  # 43 turns: absolute coordinates count them, too
    assert run["rate"][-1] == pytest.approx(3.0 * faster, rel=1e-8)
    assert run["rise"] == pytest.approx(pitch * run["angle"], abs=1e-8) and run["rises"] == pytest.approx(pitch * run["rate"], abs=1e-8)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="a steady motion does not know"):
        mbsim.equilibrium(block(0.0), steady={"der(box.x)": 1.0})
    with pytest.raises(ValueError, match="about another state"):
        mbsim.modes(block(0.0), "start")
    with pytest.raises(ValueError, match="unknown parameter 'FF'"):
        mbsim.holding(block(10.0), "FF")
    with pytest.raises(ValueError, match="does not hold the start at F = 50"):
        mbsim.holding(block(10.0, push=50.0), "F")
    sided = block(0.0)
    sided["contacts"]["floor"]["plane"] = {"normal": [0, 1], "ends": [[1, 0], [-1, 0]]}
    with pytest.raises(ValueError, match="does not know sides with ends"):
        mbsim.equilibrium(sided)
    bare = block(0.0)
    del bare["contacts"]
    with pytest.raises(ValueError, match="no stops, contacts or friction"):
        mbsim.holding(bare, "F")
    with pytest.raises(ValueError, match="a curve of equilibria does not know"):
        mbsim.equilibria(block(0.0), "F", 0.0, 1.0)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("block.yaml").write_text(yaml.safe_dump(block(10.0)))
    run = CliRunner()
    said = run.invoke(main, ["equilibrium", "block.yaml"])
    assert said.exit_code == 0, said.output
    assert "what touches: normal force, friction (N, N m)" in said.output
    assert "floor_3: 14.7714299, sticks with" in said.output
    told = run.invoke(main, ["equilibrium", "block.yaml", "--json", "-o", "rest.h5"])
    assert json.loads(told.stdout)["contacts"]["floor_3"]["normal"] == pytest.approx(14.7714299, rel=1e-8)
    with mbsim.open_result("rest.h5") as read:
        assert read["multiplier"].shape[0] == 1
    held = run.invoke(main, ["equilibrium", "block.yaml", "--holding", "F"])
    assert held.output.strip().startswith("block: rests where it starts from F = -9.8476199")
    facts = json.loads(run.invoke(main, ["equilibrium", "block.yaml", "--holding", "F", "--json"]).stdout)
    assert facts["largest"] == pytest.approx(3.03366546, rel=1e-7)
    assert run.invoke(main, ["equilibrium", "block.yaml", "--holding", "FF"]).exit_code == 2
    assert run.invoke(main, ["equilibrium", "block.yaml", "--holding", "F", "-o", "x.h5"]).exit_code == 2
    assert run.invoke(main, ["equilibrium", "block.yaml", "--set", "slope=30"]).exit_code == 1
    assert holding(lambda value: mbsim.assemble(block(10.0, push=value)), "F", 0.0).largest > 3.0
