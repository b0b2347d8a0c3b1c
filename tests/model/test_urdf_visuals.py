"""Visuals of URDF robots become shapes, in the place of the robot's own frames and with its meshes; what cannot be taken is noted."""

import numpy as np
import pytest
import trimesh
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

import mbsim
from mbsim.cli import main
from mbsim.importers.urdf import conversion
from mbsim.model.rotations import matrix_from_quaternion

INERTIAL = (
    '<inertial><origin xyz="0.1 0.2 -0.1" rpy="0.3 -0.2 0.5"/><mass value="2"/>'
    '<inertia ixx="0.1" iyy="0.12" izz="0.11" ixy="0.01" ixz="0" iyz="-0.01"/></inertial>'
)
ROBOT = f"""<robot name="arm">
<link name="base"><visual><geometry><box size="0.4 0.3 0.1"/></geometry></visual></link>
<link name="upper">{INERTIAL}
  <visual><origin xyz="0.05 0 0.2" rpy="0.1 0.2 0.3"/><geometry><cylinder radius="0.04" length="0.5"/></geometry></visual>
  <visual><geometry><mesh filename="package://arm_description/meshes/hull.stl" scale="0.001 0.001 -0.002"/></geometry></visual>
</link>
<link name="hand">{INERTIAL}<visual><geometry><sphere radius="0.06"/></geometry></visual></link>
<link name="sticker"><visual><origin xyz="0 0.1 0"/><geometry><mesh filename="meshes/plate.obj"/></geometry></visual></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0.1 0.3" rpy="0.4 0 0.2"/>
  <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="wrist" type="continuous"><parent link="upper"/><child link="hand"/><origin xyz="0 0 0.6" rpy="0 0.7 0"/></joint>
<joint name="glue" type="fixed"><parent link="hand"/><child link="sticker"/><origin xyz="0.02 0 0" rpy="0 0 1.1"/></joint>
</robot>
"""


def frame(xyz, rpy=(0, 0, 0)):
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = Rotation.from_euler("xyz", rpy).as_matrix(), xyz
    return made


@pytest.fixture(name="robot")
def _robot(tmp_path):
    folder = tmp_path / "arm_description" / "urdf"
    folder.mkdir(parents=True)
    for meshes, name in ((folder.parent / "meshes", "hull.stl"), (folder / "meshes", "plate.obj")):
        meshes.mkdir()
        trimesh.creation.box([1, 2, 3]).export(meshes / name)
    (folder / "arm.urdf").write_text(ROBOT)
    return folder / "arm.urdf"


def test_shapes_lie_where_the_visuals_are(robot, tmp_path):
    output = tmp_path / "models" / "arm.yaml"
    output.parent.mkdir()
    done = CliRunner().invoke(main, ["import", str(robot), "-o", str(output)])
    assert done.exit_code == 0, done.output
    model = mbsim.load_model(output)
    upper = frame([0, 0.1, 0.3], [0.4, 0, 0.2])
    hand = upper @ frame([0, 0, 0.6], [0, 0.7, 0])
    wanted = {
        "ground": [("box", np.eye(4))],
        "upper": [("cylinder", upper @ frame([0.05, 0, 0.2], [0.1, 0.2, 0.3])), ("mesh", upper)],
        "hand": [("sphere", hand), ("mesh", hand @ frame([0.02, 0, 0], [0, 0, 1.1]) @ frame([0, 0.1, 0]))],
    }
    for name, shapes in wanted.items():
        block = model.ground if name == "ground" else model.bodies[name]
        body = np.eye(4)
        if name != "ground":
            body[:3, :3], body[:3, 3] = matrix_from_quaternion(block.quaternion), block.position
        assert len(block.shapes()) == len(shapes)
        for shape, (kind, place) in zip(block.shapes(), shapes, strict=True):
            local = np.eye(4)
            local[:3, :3], local[:3, 3] = matrix_from_quaternion(shape["rotation"]["quaternion"]), shape["position"]
            assert shape["type"] == kind
            assert body @ local == pytest.approx(place, abs=1e-12)
    (box,), (cylinder, hull), (ball, plate) = (model.ground.shapes(), model.bodies["upper"].shapes(), model.bodies["hand"].shapes())
    assert (box["size"], cylinder["radius"], cylinder["length"], ball["radius"]) == ([0.4, 0.3, 0.1], 0.04, 0.5, 0.06)
    assert hull["file"] == "../arm_description/meshes/hull.stl" and hull["scale"] == [0.001, 0.001, -0.002]
    assert plate["file"] == "../arm_description/urdf/meshes/plate.obj" and plate["scale"] == [1.0, 1.0, 1.0]
    bare = conversion_without_visuals(robot, tmp_path)
    masses = [mbsim.assemble(found).system.arrays.tree_data for found in (model, bare)]
    assert (masses[0] == masses[1]).all()  # nothing of the motion changes


def conversion_without_visuals(robot, folder):
    import re

    plain = folder / "plain.urdf"
    plain.write_text(re.sub(r"<visual>.*?</visual>", "", robot.read_text(), flags=re.DOTALL))
    (folder / "plain.yaml").write_text(conversion(plain, folder=folder).text)
    return mbsim.load_model(folder / "plain.yaml")


@pytest.mark.parametrize(
    ("geometry", "note"),
    [
        ('<mesh filename="none.stl"/>', "mesh 'none.stl': cannot read the mesh "),
        ('<mesh filename="package://arm_description/meshes/none.dae"/>', "none.dae': cannot read the mesh"),
        ('<mesh filename="meshes/none.ply"/>', "a mesh is a file .stl, .obj, .glb, .dae"),
        ('<mesh filename=""/>', "expected the name of a file (got '')"),
        ('<mesh filename="meshes/plate.obj" scale="1 0 1"/>', "<mesh>: scale must not be 0"),
        ('<sphere radius="0"/>', "<sphere>: radius must be greater than 0 (got 0)"),
        ('<box size="1 2"/>', "<box>: size: expected 3 finite numbers (got '1 2')"),
        ("<cone/>", "the geometry <cone> is unknown"),
        ("", "it has no geometry"),
    ],
)
def test_what_cannot_be_taken_is_noted(geometry, note, robot):
    robot.write_text(ROBOT.replace('<box size="0.4 0.3 0.1"/>', geometry))
    made = conversion(robot, folder=robot.parent)
    (found,) = [line for line in made.notes if "visual" in line]
    assert found.startswith("a visual of link base is left out: ") and note in found
    assert f"# {found}" in made.text and "ground: {shape" not in made.text and "type: cylinder" in made.text


def test_a_mesh_in_another_format_beside_a_collada_file_is_taken(robot):
    robot.write_text(ROBOT.replace("hull.stl", "hull.dae"))
    assert 'file: "../meshes/hull.stl"' in conversion(robot, folder=robot.parent).text


def test_a_link_without_visuals_is_drawn_as_its_collision_geometry(robot):
    collision = '<collision><origin xyz="0 0 0.4"/><geometry><cylinder radius="0.1" length="0.3"/></geometry></collision>'
    robot.write_text(ROBOT.replace('<visual><geometry><sphere radius="0.06"/></geometry></visual>', collision))
    made = conversion(robot, folder=robot.parent)
    assert "link hand is drawn as its collision geometry: it has no visual that can be drawn" in made.notes
    (robot.parent / "m.yaml").write_text(made.text)
    kinds = [shape["type"] for shape in mbsim.load_model(robot.parent / "m.yaml").bodies["hand"].shapes()]
    assert kinds == ["cylinder", "mesh"]
    # What has a visual is drawn as that alone.
    robot.write_text(ROBOT.replace("</visual></link>", f"</visual>{collision}</link>"))
    assert not [note for note in conversion(robot, folder=robot.parent).notes if "collision" in note]


def test_materials_give_colours(robot, tmp_path):
    """A colour in the visual, one by the name of a material of the robot, and one that cannot be read: then that of the body stays."""
    text = ROBOT.replace('<robot name="arm">', '<robot name="arm"><material name="red"><color rgba="0.8 0.1 0 1"/></material>')
    text = text.replace("<cylinder", "<cylinder", 1).replace('length="0.5"/></geometry>', 'length="0.5"/></geometry><material name="red"/>')
    text = text.replace(
        '<sphere radius="0.06"/></geometry>', '<sphere radius="0.06"/></geometry><material><color rgba="0 0.5 1 0.5"/></material>'
    )
    text = text.replace('size="0.4 0.3 0.1"/></geometry>', 'size="0.4 0.3 0.1"/></geometry><material><color rgba="2 0 0 1"/></material>')
    robot.write_text(text)
    (robot.parent / "m.yaml").write_text(conversion(robot, folder=robot.parent).text)
    model = mbsim.load_model(robot.parent / "m.yaml")
    (box,), (cylinder, hull), (ball, _) = model.ground.shapes(), model.bodies["upper"].shapes(), model.bodies["hand"].shapes()
    assert (cylinder["color"], ball["color"]) == ([0.8, 0.1, 0.0], [0.0, 0.5, 1.0])
    assert "color" not in box and "color" not in hull
    from mbsim.scene.motion import find_drawn
    from mbsim.scene.read import parse
    from mbsim.scene.solids import COLOURS, solids

    scene = parse(mbsim.assemble(model).scene)
    seen = {part.colour for part in solids(scene, find_drawn(scene), robot.parent).parts if part.name.startswith("body/")}
    assert seen == {(204, 26, 0), COLOURS[0], (0, 128, 255), COLOURS[1]}


def test_frames_without_mass_stay_as_points(robot):
    tool = (
        '<link name="tool0"/><joint name="mount" type="fixed"><parent link="hand"/><child link="tool0"/><origin xyz="0 0.1 0.2"/></joint>'
    )
    eye = '<link name="eye"/><joint name="look" type="fixed"><parent link="base"/><child link="eye"/><origin xyz="1 0 2"/></joint>'
    loose = '<link name="cable"/><joint name="plug" type="revolute"><parent link="hand"/><child link="cable"/></joint>'
    robot.write_text(ROBOT.replace("</robot>", f"{tool}{eye}{loose}</robot>"))
    made = conversion(robot, folder=robot.parent)
    assert "left out, without mass: cable" in made.notes
    (robot.parent / "m.yaml").write_text(made.text)
    model = mbsim.load_model(robot.parent / "m.yaml")
    assert model.ground.points["eye"] == [1.0, 0.0, 2.0]
    body = model.bodies["hand"]
    place = np.array(body.position) + np.array(matrix_from_quaternion(body.quaternion)) @ body.points["tool0"]
    wanted = frame([0, 0.1, 0.3], [0.4, 0, 0.2]) @ frame([0, 0, 0.6], [0, 0.7, 0]) @ [0, 0.1, 0.2, 1.0]
    assert place == pytest.approx(wanted[:3], abs=1e-12)
    assert "sticker" in body.points
