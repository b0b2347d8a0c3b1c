"""Collada files: the triangles of triangles, polylists and polygons, where nodes put them, in metres."""

from pathlib import Path

import numpy as np
import pytest

from mbsim.model.collada import read_collada
from mbsim.model.solids import mesh, read_mesh

# A unit cube, x to the right, with the faces outwards: quads, and the same as triangles.
CORNERS = "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1"
QUADS = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
TRIANGLES = [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]


def numbers(values) -> str:
    return " ".join(str(n) for polygon in values for n in polygon)


def with_normals(values) -> str:
    """Two indices for each corner: of a vertex and of a normal."""
    return " ".join(f"{n} {k}" for k, polygon in enumerate(values) for n in polygon)


POLYGONS = {
    "triangles": f'<triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>{numbers(TRIANGLES)}</p></triangles>',
    "polylist": '<polylist count="6"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>'
    f"<vcount>{'4 ' * 6}</vcount><p>{with_normals(QUADS)}</p></polylist>",
    "polygons": '<polygons count="6"><input semantic="VERTEX" source="#v" offset="0"/>'
    + "".join(f"<p>{numbers([quad])}</p>" for quad in QUADS)
    + "</polygons>",
}
CUBE = POLYGONS["triangles"]
INSTANCE = '<instance_geometry url="#cube"/>'


def document(polygons: str = CUBE, nodes: str = f"<node>{INSTANCE}</node>", unit: str = '<unit meter="1"/>', corners: str = CORNERS) -> str:
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{unit}<up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="cube"><mesh>
  <source id="p"><float_array id="a" count="24">{corners}</float_array>
    <technique_common><accessor source="#a" count="8" stride="3"/></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  {polygons}
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"""


def written(folder: Path, text: str) -> Path:
    path = folder / "cube.dae"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", list(POLYGONS))
def test_polygons_become_triangles(kind: str, tmp_path: Path) -> None:
    vertices, faces = read_collada(written(tmp_path, document(POLYGONS[kind])))
    assert vertices.shape == (8, 3) and sorted(map(tuple, faces.tolist())) == sorted(TRIANGLES)


def test_a_closed_mesh_has_its_volume_and_inertia(tmp_path: Path) -> None:
    path = written(tmp_path, document(POLYGONS["polylist"]))
    found = mesh(path, [2.0, 1.0, 1.0])
    assert (found.volume, found.centre.tolist()) == (pytest.approx(2.0), pytest.approx([1.0, 0.5, 0.5]))
    assert np.diag(found.inertia) == pytest.approx([2.0 / 6.0, 10.0 / 12.0, 10.0 / 12.0])
    assert len(read_mesh(path).faces) == 12


def test_nodes_and_units_put_the_mesh_in_its_place(tmp_path: Path) -> None:
    """In the order of the file: moved by 10 along x, turned by 90 degrees about z, twice as high; and the file counts in millimetres."""
    inside = f'<node><rotate>0 0 1 90</rotate><scale>1 1 2</scale><instance_node url="#one"/></node><node id="one">{INSTANCE}</node>'
    nodes = f"<node><translate>10 0 0</translate>{inside}</node>"
    vertices, faces = read_collada(written(tmp_path, document(nodes=nodes, unit='<unit name="millimetre" meter="0.001"/>')))
    assert len(vertices) == 16 and len(faces) == 24  # the node is in the file twice: by name, and itself
    given = np.array(CORNERS.split(), float).reshape(-1, 3)
    turned = np.column_stack([10.0 - given[:, 1], given[:, 0], 2.0 * given[:, 2]])
    assert vertices[:8] == pytest.approx(1e-3 * turned, abs=1e-15)
    assert vertices[8:] == pytest.approx(1e-3 * (given + [10.0, 0.0, 0.0]), abs=1e-15)


def test_a_mirrored_mesh_stays_inside_out_to_nobody(tmp_path: Path) -> None:
    path = written(tmp_path, document(nodes=f"<node><matrix>-1 0 0 0 0 1 0 0 0 0 1 5 0 0 0 1</matrix>{INSTANCE}</node>"))
    assert read_mesh(path).volume == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a", "not XML"),
        ("<robot/>", "expected <COLLADA>"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><COLLADA/>', "document types and entities"),
        (document(polygons=""), "no triangles"),
        (document(polygons=CUBE.replace("0 3 2", "0 3 99", 1)), "a vertex that is not there"),
        (document(polygons=CUBE.replace("#v", "#w")), "there is no element '#w'"),
        (document(corners="0 0"), "cannot reshape"),
        (document(nodes='<node id="n"><instance_node url="#n"/></node>'), "deep within each other"),
        (document(polygons=POLYGONS["polylist"].replace("4 4", "5 4", 1)), "numbers of corners"),
        (document(corners=CORNERS.replace("1 1 1", "1 1 nan")), "not finite"),
    ],
)
def test_what_is_wrong_is_one_sentence(text: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ValueError) as caught:
        read_mesh(path)
    assert message in str(caught.value) and f"{path} is not a mesh" in str(caught.value) and "\n" not in str(caught.value)
