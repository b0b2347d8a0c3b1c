"""Shapes and densities: mass, centre and inertia against closed forms, quadrature and meshes of known solids; what is refused."""

import tracemalloc
from pathlib import Path

import mechanisms
import numpy as np
import pytest
import trimesh
import yaml
from scipy.integrate import quad

import mbsim
from mbsim import registry
from mbsim.model import solids
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load
from mbsim.model.rotations import matrix_from_quaternion, quaternion_from_axis

SPACE = "parameters: {rho: 500, r: 0.2}\nbodies:\n  b: {density: rho, shape: %s}\nsimulation: {end: 1}\n"
PLANE = "dimension: 2\n" + SPACE


@pytest.fixture(scope="module", name="fits")
def _fits():
    """Whether a text fits the JSON Schema."""
    return lambda text: mechanisms.schema().is_valid(yaml.safe_load(text))


def read(text, folder="."):
    return load(text, registry, file=str(Path(folder) / "m.yaml"))


def body(shape, text=SPACE, folder="."):
    return read(text % shape, folder).bodies["b"]


def problems(text, folder="."):
    with pytest.raises(ModelError) as caught:
        read(text, folder)
    return [line.replace(f"{folder}/", "") for line in str(caught.value).splitlines()]


def revolved(radius_at, low, high):
    """Volume, and mean squares across and along, of a solid about z."""
    volume = quad(lambda z: np.pi * radius_at(z) ** 2, low, high, epsabs=1e-13)[0]
    across = quad(lambda z: np.pi * radius_at(z) ** 4 / 4.0, low, high, epsabs=1e-13)[0]
    along = quad(lambda z: np.pi * radius_at(z) ** 2 * z * z, low, high, epsabs=1e-13)[0]
    return volume, across + along, 2.0 * across


def test_closed_forms():
    box = body("{type: box, size: [2*r, 0.3, 0.1]}")
    m = 500 * 0.4 * 0.3 * 0.1
    assert box.mass == pytest.approx(m)
    assert np.diag(box.inertia_matrix) == pytest.approx([m / 12 * (0.09 + 0.01), m / 12 * (0.16 + 0.01), m / 12 * (0.16 + 0.09)])
    cylinder = body("{type: cylinder, radius: r, length: 0.5}")
    m = 500 * np.pi * 0.04 * 0.5
    transverse = m * (3 * 0.04 + 0.25) / 12
    assert (cylinder.mass, *np.diag(cylinder.inertia_matrix)) == pytest.approx((m, transverse, transverse, m * 0.04 / 2))
    ball = body("{type: sphere, radius: r}")
    m = 500 * 4 / 3 * np.pi * 0.008
    assert (ball.mass, *np.diag(ball.inertia_matrix)) == pytest.approx((m, *[0.4 * m * 0.04] * 3))


@pytest.mark.parametrize(("radius", "length"), [(0.2, 0.5), (0.5, 0.01)])
def test_a_capsule_against_quadrature(radius, length):
    def radius_at(z):
        return np.sqrt(max(0.0, radius**2 - max(0.0, abs(z) - length / 2) ** 2))

    end = length / 2 + radius
    volume, transverse, axial = revolved(radius_at, -end, end)
    found = solids.capsule(radius, length)
    assert (found.volume, *np.diag(found.inertia)) == pytest.approx((volume, transverse, transverse, axial), rel=1e-7)


@pytest.mark.parametrize("backwards", [False, True])
def test_plates(backwards):
    """A right triangle by its closed form, and an L as two boxes."""
    triangle = [[1, 1], [1.6, 1], [1, 1.3]]
    found = solids.plate(triangle[::-1] if backwards else triangle, 0.2)
    a, b, t = 0.6, 0.3, 0.2
    assert found.volume == pytest.approx(a * b / 2 * t)
    assert found.centre == pytest.approx([1 + a / 3, 1 + b / 3, 0])
    xx, yy, xy, z = (found.volume * s for s in (b * b / 18, a * a / 18, -a * b / 36, t * t / 12))
    assert found.inertia == pytest.approx(np.array([[xx + z, -xy, 0], [-xy, yy + z, 0], [0, 0, xx + yy]]), abs=1e-15)
    corners = [[0, 0], [0.4, 0], [0.4, 0.1], [0.1, 0.1], [0.1, 0.5], [0, 0.5]]
    parts = [solids.box([0.4, 0.1, t]).moved([0.2, 0.05, 0], np.eye(3)), solids.box([0.1, 0.4, t]).moved([0.05, 0.3, 0], np.eye(3))]
    whole = solids.together(parts)
    found = solids.plate(corners[::-1] if backwards else corners, t)
    assert (found.volume, *found.centre) == pytest.approx((whole.volume, *whole.centre), abs=1e-16)
    assert found.inertia == pytest.approx(whole.inertia, rel=1e-12, abs=1e-16)


def tetrahedron(a, b, c):
    return trimesh.Trimesh([[0, 0, 0], [a, 0, 0], [0, b, 0], [0, 0, c]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@pytest.mark.parametrize("suffix", ["stl", "obj", "glb"])
def test_a_mesh_of_a_known_solid(suffix, tmp_path):
    """A corner of a box, in millimetres, stretched along z."""
    a, b, c = 0.3, 0.2, 0.5
    mesh = tetrahedron(1000 * a, 1000 * b, 500 * c)
    if suffix == "obj":
        mesh.invert()  # inside out
    mesh.export(tmp_path / f"corner.{suffix}")
    made = body(f"{{type: mesh, file: corner.{suffix}, scale: [0.001, 1e-3, 0.002]}}", folder=tmp_path)
    m = 500 * a * b * c / 6
    assert made.mass == pytest.approx(m, rel=1e-6)
    assert made.position == pytest.approx([a / 4, b / 4, c / 4], rel=1e-6)
    k = 3 * m / 80
    inertia = [[k * (b * b + c * c), m * a * b / 80, m * a * c / 80], [0, k * (a * a + c * c), m * b * c / 80], [0, 0, k * (a * a + b * b)]]
    inertia = np.triu(inertia) + np.triu(inertia, 1).T
    assert made.inertia_matrix == pytest.approx(inertia, rel=1e-5)
    assert made.files() == [f"corner.{suffix}"]


def test_several_turned_and_moved_shapes():
    """A dumb-bell at an angle: the parallel-axis theorem written out."""
    text = (
        "[{type: cylinder, radius: 0.05, length: 1, rotation: {axis: [0, 1, 0], angle: deg(90)}, position: [0.5, 0, 0]},"
        " {type: sphere, radius: r, position: [1, 0, 0]}]"
    )
    made = body(text)
    rod, ball = 500 * np.pi * 0.0025, 500 * 4 / 3 * np.pi * 0.008
    x = (0.5 * rod + ball) / (rod + ball)
    assert made.mass == pytest.approx(rod + ball) and made.position == pytest.approx([x, 0, 0])
    transverse = rod * (3 * 0.0025 + 1) / 12 + rod * (0.5 - x) ** 2 + 0.4 * ball * 0.04 + ball * (1 - x) ** 2
    assert np.diag(made.inertia_matrix) == pytest.approx([rod * 0.0025 / 2 + 0.4 * ball * 0.04, transverse, transverse])
    q = quaternion_from_axis([1, 2, 3], 0.7)
    turned = body(f"{{type: box, size: [0.1, 0.2, 0.3], rotation: {{quaternion: {q}}}}}")
    R = np.array(matrix_from_quaternion(q))
    plain = np.array(body("{type: box, size: [0.1, 0.2, 0.3]}").inertia_matrix)
    assert turned.inertia_matrix == pytest.approx(R @ plain @ R.T)


def test_the_body_is_placed_by_the_origin_of_its_axes(fits):
    """Position, points and shapes count from the origin of the axes in the file, and from the centre of mass in the model."""
    text = """ground: {points: {P: [1, 2, 3]}}
bodies:
  b:
    density: 1000
    shape: {type: box, size: [0.2, 0.1, 0.1], position: [0.1, 0, 0]}
    position: [1, 2, 3]
    orientation: {axis: [0, 0, 1], angle: deg(90)}
    points: {O: [0, 0, 0], E: [0.2, 0, 0]}
joints: {O: {type: spherical, points: [ground.P, b.O]}}
simulation: {end: 1}
"""
    made = read(text).bodies["b"]
    assert made.position == pytest.approx([1, 2.1, 3])
    assert made.points["O"] == pytest.approx([-0.1, 0, 0]) and made.points["E"] == pytest.approx([0.1, 0, 0])
    (drawn,) = made.shapes()
    assert drawn["position"] == pytest.approx([0, 0, 0]) and drawn["size"] == [0.2, 0.1, 0.1] and drawn["type"] == "box"
    assembly = mbsim.assemble(read(text))
    assert assembly.correction[0] == pytest.approx(0.0, abs=1e-12)  # the drawing fits
    assert fits(text)


def test_planar_bodies():
    disk = body("{type: cylinder, radius: r, length: 0.1, position: [0.3, 0.1]}", PLANE)
    m = 500 * np.pi * 0.04 * 0.1
    assert disk.mass == pytest.approx(m) and disk.position == pytest.approx([0.3, 0.1])
    assert disk.inertia_matrix == [[0, 0, 0], [0, 0, 0], [0, 0, pytest.approx(m * 0.04 / 2)]]
    rod = body("{type: cylinder, radius: 0.01, length: 0.8, rotation: {axis: [0, 1, 0], angle: deg(90)}}", PLANE)
    assert rod.inertia_matrix[2][2] == pytest.approx(rod.mass * (3 * 1e-4 + 0.64) / 12)
    plain = body("{type: box, size: [0.4, 0.2, 0.1]}", PLANE)
    text = PLANE.replace("  b: {", "  b: {position: [1, 2], angle: deg(30), points: {A: [0.5, 0.1]}, ")
    moved = read(text % "{type: box, size: [0.4, 0.2, 0.1], rotation: 0.7, position: [0.5, 0.1]}").bodies["b"]
    assert moved.inertia_matrix == plain.inertia_matrix or moved.inertia_matrix[2][2] == pytest.approx(plain.inertia_matrix[2][2])
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    assert moved.position == pytest.approx([1 + 0.5 * c - 0.1 * s, 2 + 0.5 * s + 0.1 * c]) and moved.points["A"] == pytest.approx([0, 0])
    assert moved.shapes()[0]["rotation"]["quaternion"] == pytest.approx([np.cos(0.35), 0, 0, np.sin(0.35)])


@pytest.mark.parametrize("dimension", [2, 3])
def test_without_density_a_shape_changes_nothing(dimension, tmp_path, fits):
    tetrahedron(1, 1, 1).export(tmp_path / "m.stl")
    inertia = "0.2" if dimension == 2 else "[0.2, 0.3, 0.25]"
    position = "[1, 1]" if dimension == 2 else "[1, 1, 1]"
    shapes = f"[{{type: box, size: [1, 2, 3], position: {position}}}, {{type: mesh, file: m.stl, scale: 2}}]"
    text = f"dimension: {dimension}\nground: GROUND\nbodies:\n  b: {{mass: 2, inertia: {inertia}SHAPE}}\nsimulation: {{end: 1}}\n"
    with_shapes = text.replace("GROUND", f"{{shape: {shapes}}}").replace("SHAPE", f", shape: {shapes}")
    plain = read(text.replace("GROUND", "{}").replace("SHAPE", ""), tmp_path)
    model = read(with_shapes, tmp_path)
    arrays = [mbsim.assemble(found).system.arrays.masses for found in (plain, model)]
    assert (arrays[0] == arrays[1]).all()
    assert [shape["type"] for shape in model.bodies["b"].shapes()] == ["box", "mesh"] == [s["type"] for s in model.ground.shapes()]
    assert model.bodies["b"].files() == []  # its mass does not depend on the file
    assert fits(with_shapes)


def test_the_motion_is_that_of_the_numbers():
    shaped = read(
        "dimension: 2\ngravity: [0, -9.81]\nbodies: {b: {density: 2700, points: {O: [0, 0]}, "
        "shape: {type: plate, polygon: [[0, -0.02], [0.5, -0.02], [0.5, 0.02], [0, 0.02]], thickness: 0.01}}}\n"
        "joints: {O: {type: revolute, points: [ground, b.O]}}\nsimulation: {end: 1}\n"
    )
    m = 2700 * 0.5 * 0.04 * 0.01
    plain = read(
        f"dimension: 2\ngravity: [0, -9.81]\nbodies: {{b: {{mass: {m}, inertia: {m / 12 * (0.25 + 0.0016)}, position: [0.25, 0]}}}}\n"
        "joints: {O: {type: revolute, bodies: [ground, b], at: [0, 0]}}\nsimulation: {end: 1}\n"
    )
    systems = [mbsim.assemble(model).system for model in (shaped, plain)]
    t, q, v = 0.0, np.array([0.1, -0.2, 0.4]), np.array([0.3, 0.1, 2.0])
    for a, b in zip(systems[0].terms(t, q, v), systems[1].terms(t, q, v), strict=True):
        assert a == pytest.approx(b, rel=1e-12, abs=1e-14)


SOLID = "{type: sphere, radius: 1}"
ERRORS = [  # § stands before the place of the error; without it, it is the block
    ("mass: §1, density: 2, shape: SOLID", "bodies.b.mass: a body with a `density` has its mass from its shape; give either"),
    ("inertia: §[1, 1, 1], density: 2, shape: SOLID", "bodies.b.inertia: a body with a `density` has its inertia from its shape"),
    ("density: 2", "bodies.b: a `density` needs a `shape`"),
    ("density: §0, shape: SOLID", "bodies.b.density: must be greater than 0 (got 0)"),
    ("mass: 1, shape: SOLID", "bodies.b: missing key 'inertia'"),
    ("shape: SOLID", "bodies.b: missing key 'mass'"),
    ("density: 1, shape: {type: §ball, radius: 1}", "bodies.b.shape.type: unknown shape 'ball'; allowed: box, "),
    ("density: 1, shape: {type: §cilinder, radius: 1}", "bodies.b.shape.type: unknown shape 'cilinder'; did you mean 'cylinder'?"),
    ("density: 1, shape: {type: §3, radius: 1}", "bodies.b.shape.type: unknown shape '3'; allowed: box, capsule"),
    ("density: 1, §shape: {radius: 1}", "bodies.b.shape: missing key 'type'"),
    ("density: 1, shape: §{type: sphere, radius: 1e-200}", "bodies.b.shape: the mass would be 0 kg, and the moments of inertia 0, 0, 0"),
    ("density: 1e40, shape: §{type: sphere, radius: 1e30}", "bodies.b.shape: the mass would be 4.18879e+130 kg"),
    ("density: 1, shape: §4", "bodies.b.shape: expected a shape such as {type: sphere, radius: 0.1}, or a list of shapes (got 4)"),
    ("density: 1, shape: §[]", "bodies.b.shape: expected at least 1 items"),
    ("density: 1, shape: {type: sphere, radius: §0}", "bodies.b.shape.radius: must be greater than 0 (got 0)"),
    ("density: 1, shape: {type: box, size: [1, §0, 1]}", "bodies.b.shape.size[1]: must be greater than 0 (got 0)"),
    ("density: 1, shape: §{type: box, size: [1, 1]}", "bodies.b.shape: size: expected 3 numbers (got 2)"),
    ("density: 1, shape: {type: capsule, radius: 1, length: §-1}", "bodies.b.shape.length: must be greater than 0 (got -1)"),
    ("density: 1, shape: {type: sphere, radius: 1, rotation: §2}", "bodies.b.shape.rotation: expected {axis: [..], angle: ..} or"),
    ("density: 1, shape: {type: sphere, radius: 1, §size: 2}", "bodies.b.shape.size: unknown key 'size'"),
    ("density: 1, shape: {type: plate, polygon: §[[0, 0], [1, 0]], thickness: 1}", "bodies.b.shape.polygon: expected three or more"),
    ("density: 1, shape: {type: plate, polygon: §[[0, 0], [1, 1], [2, 2]], thickness: 1}", "bodies.b.shape.polygon: the polygon has no"),
    ("density: 1, shape: {type: plate, polygon: §[[0, 0], [1, 1], [1, 0], [0, 1]], thickness: 1}",
     "bodies.b.shape.polygon: the sides that begin at the corners 1 and 3 cross or touch each other"),
    ("density: 1, shape: §{type: plate, polygon: [[0, 0], [1, 1], [1, 0]]}", "bodies.b.shape: missing key 'thickness'"),
    ("density: 1, shape: {type: mesh, file: §none.stl}", "bodies.b.shape.file: cannot read the mesh none.stl: no such file"),
    ("mass: 1, inertia: [1, 1, 1], shape: {type: mesh, file: §none.stl}", "bodies.b.shape.file: cannot read the mesh none.stl"),
    ("density: 1, shape: {type: mesh, file: §m.yaml}", "bodies.b.shape.file: m.yaml: a mesh is a file .stl, .obj, .glb"),
    ("density: 1, shape: §{type: mesh, file: open.stl}", "bodies.b.shape: the mesh open.stl is not closed, so it has no volume"),
    ("density: 1, shape: [SOLID, §{type: mesh, file: open.stl}]", "bodies.b.shape[1]: the mesh open.stl is not closed"),
    ("density: 1, shape: §{type: mesh, file: text.stl}", "bodies.b.shape: the mesh text.stl has no faces"),
    ("density: 1, shape: §{type: mesh, file: broken.glb}", "bodies.b.shape: broken.glb is not a mesh"),
    ("density: 1, shape: {type: mesh, file: §empty.obj}", "bodies.b.shape.file: empty.obj is not a file of a mesh"),
    ("density: 1, shape: {type: mesh, file: open.stl, scale: §0}", "bodies.b.shape.scale: must not be 0 (got 0)"),
]  # fmt: skip


@pytest.mark.parametrize(("block", "message"), ERRORS)
def test_mistakes(block, message, tmp_path):
    whole = tetrahedron(1, 1, 1)
    trimesh.Trimesh(whole.vertices, whole.faces[:3]).export(tmp_path / "open.stl")
    (tmp_path / "text.stl").write_text("not a mesh")
    (tmp_path / "empty.obj").write_text("")
    (tmp_path / "broken.glb").write_bytes(b"glTF" + bytes(40))
    line = f"  b: {{{block.replace('SOLID', SOLID)}}}"
    column = line.index("§") + 1 if "§" in line else 3 if "missing" in message else 6
    found = problems(f"bodies:\n{line.replace('§', '')}\nsimulation: {{end: 1}}\n", tmp_path)
    assert any(problem.startswith(f"m.yaml:2:{column}: {message}") for problem in found), found


def test_a_flat_box_has_no_mass_in_the_plane():
    assert read("dimension: 2\nbodies: {b: {mass: 1, inertia: 1, shape: {type: box, size: [1, 1]}}}\nsimulation: {end: 1}\n")
    (problem,) = problems("dimension: 2\nbodies: {b: {density: 1, shape: {type: box, size: [1, 1]}}}\nsimulation: {end: 1}\n")
    assert problem == "m.yaml:2:33: bodies.b.shape: a box of two edges has no volume: give the third, along z, too"
    (problem,) = problems(
        "dimension: 2\nground: {shape: {type: sphere, radius: -1}}\nbodies: {b: {mass: 1, inertia: 1}}\nsimulation: {end: 1}\n"
    )
    assert problem == "m.yaml:2:40: ground.shape.radius: must be greater than 0 (got -1)"


def test_the_schema_knows_shapes(fits):
    text = "bodies: {b: %s}\nsimulation: {end: 1}\n"
    for good in ("{density: 1, shape: {type: box, size: [1, 2, r]}}", "{mass: 1, inertia: 1, shape: [{type: sphere, radius: 1}]}"):
        assert fits(text % good)
    for bad in ("{density: 1}", "{mass: 1}", "{density: 1, shape: {type: ball, radius: 1}}", "{density: 1, shape: {type: sphere}}"):
        assert not fits(text % bad)


def test_a_model_whose_mass_a_file_gives_is_not_kept(tmp_path):
    tetrahedron(1, 1, 1).export(tmp_path / "m.stl")
    text = "bodies: {b: {%s, shape: {type: mesh, file: m.stl}}}\nsimulation: {end: 1}\n"
    assert mbsim.assemble(read(text % "density: 1", tmp_path)).files == ("m.stl",)
    assert mbsim.assemble(read(text % "mass: 1, inertia: [1, 1, 1]", tmp_path)).files == ()


def binary_stl(corners):
    """The bytes of triangles (n, 3, 3)."""
    made = np.zeros(len(corners), solids._STL)
    made["corners"] = corners
    return bytes(80) + len(corners).to_bytes(4, "little") + made.tobytes()


def test_triangles_without_an_area_are_left_out_before_they_take_memory(tmp_path):
    """A file of zeros took ten times its size. A closed mesh with such triangles between the others is still closed."""
    corners = np.array(tetrahedron(1.0, 2.0, 3.0).triangles)
    plain, mixed, zeros = (tmp_path / f"{name}.stl" for name in ("plain", "mixed", "zeros"))
    plain.write_bytes(binary_stl(corners))
    mixed.write_bytes(binary_stl(np.concatenate([corners[:1], np.zeros((5, 3, 3)), corners[:1, [0, 0, 1]], corners[1:]])))
    assert solids.mesh(mixed, [1.0] * 3).volume == pytest.approx(solids.mesh(plain, [1.0] * 3).volume, rel=1e-12) == 1.0
    zeros.write_bytes(binary_stl(np.zeros((300_000, 3, 3))))
    solids.read_mesh(plain)  # imports the reader
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="has no faces"):
            solids.mesh(zeros, [1.0] * 3)
        assert tracemalloc.get_traced_memory()[1] < 2 * zeros.stat().st_size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_materials_of_an_obj_file_cost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    """trimesh goes through all vertices for each of them; a cube with a material and a group for each face is read as one piece."""
    cube = trimesh.creation.box((1.0, 2.0, 3.0))
    lines = [f"v {' '.join(map(repr, corner))}" for corner in (cube.vertices + 2.0).tolist()]
    for k, face in enumerate((cube.faces + 1).tolist()):
        lines += [f"o part{k}", f"g group{k}", "s off", f"usemtl material{k}", f"f {' '.join(map(str, face))}"]
    path, given = tmp_path / "cube.obj", []
    path.write_bytes(end.join(["mtllib cube.mtl", *lines, ""]).encode())
    load_ = trimesh.load
    monkeypatch.setattr(trimesh, "load", lambda file, **more: given.append(file.getvalue()) or load_(file, **more))
    found = solids.mesh(path, [1.0, 1.0, 1.0])
    assert found.volume == pytest.approx(6.0) and found.centre == pytest.approx([2.0, 2.0, 2.0])
    assert not any(word in given[0] for word in (b"usemtl", b"mtllib", b"group", b"part", b"off"))


def test_unknown_keys_of_a_shape_are_told_those_of_its_type() -> None:
    text = "bodies: {b: {mass: 1, inertia: [1, 1, 1], shape: %s}}\nsimulation: {end: 1}\n"
    for shape, message in (
        (
            "{type: cylinder, radius: 1, length: 2, size: 3}",
            "shape.size: unknown key 'size'; allowed: color, length, name, position, radius, role, rotation",
        ),
        ("[{type: sphere, radius: 1}, {type: capsule, radius: 1, length: 2, lenth: 1}]", "unknown key 'lenth'; did you mean 'length'?"),
    ):
        with pytest.raises(mbsim.ModelError) as caught:
            mbsim.load_model(text % shape)
        assert message in str(caught.value)
