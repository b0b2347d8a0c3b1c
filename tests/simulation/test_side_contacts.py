"""Sides with ends, corners and convex polygons in the plane, against closed forms and against planes without bounds; g = 9.81 m/s2."""

from math import acos, atan2, cos, pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_unilateral import BOX, ROCKING, G, model, multiplier, told

import mbsim

EDGE = """
dimension: 2
gravity: [0, -9.81]
parameters: {u: 0.5}
bodies: {disk: {mass: 1, inertia: 0.005, position: [-0.2, 0.1], velocity: [u, 0], angular_velocity: -10*u}}
contacts: {table: {bodies: [disk, ground], radius: 0.1, plane: {normal: [0, 1], ends: [[-1, 0], [0, 0]]}, friction: 1000}}
simulation: {end: 0.9, rtol: 1.0e-9}
"""


def test_a_disk_rolls_over_the_end_of_a_table_and_leaves_it_at_a_known_angle():
    """About the corner 3/4 m v^2 grows by m g r (1 - cos(a)), and it leaves where m v^2 / r = m g cos(a)."""
    result = model(EDGE)
    assert [(name, what) for _, name, what in _all(result) if what != "impact"][:3] == [
        ("table_1", "sticks"),
        ("table_1", "open"),
        ("table_3", "sticks"),
    ]
    times = {(name, what): at for at, name, what in _all(result)}
    assert times["table_1", "open"] == pytest.approx(0.4, abs=1e-7)
    k = int(np.searchsorted(np.asarray(result.time), times["table_3", "open"]))
    x, y = np.asarray(result["q"])[k, :2]
    assert np.hypot(x, y) == pytest.approx(0.1, abs=1e-9)
    assert y / 0.1 == pytest.approx((4.0 + 3.0 * 0.25 / (G * 0.1)) / 7.0, abs=2e-5)  # near the end it slips
    angle = acos((4.0 + 3.0 * 0.25 / (G * 0.1)) / 7.0)
    swing = solve_ivp(
        lambda t, z: [z[1], G * sin(z[0]) / 0.15], (0.0, 1.0), [0.0, 5.0], "DOP853", events=lambda t, z: z[0] - angle, rtol=1e-11
    )
    assert times["table_3", "open"] - 0.4 == pytest.approx(swing.t_events[0][0], abs=1e-5)


def test_a_fast_disk_flies_off_at_once():
    result = model(EDGE, u=1.2)
    assert told(result, "table_1")[-1] == (pytest.approx(0.2 / 1.2, abs=1e-7), "open")
    q, t = np.asarray(result["q"])[-1], 0.9 - 0.2 / 1.2
    assert q[:2] == pytest.approx([1.2 * t, 0.1 - 0.5 * G * t * t], abs=1e-6)


@pytest.mark.parametrize("on", ["plane: {normal: [0, 1], ends: [[-1, 0], [0.4, 0]], depth: 0.1}", "between: [ground, disk]"])
def test_no_corner_slows_a_small_disk_that_slides_off_a_side(on):
    """It met the corner 3e-11 s before the end of the side, which had drifted by 1e-16 m: it lost 2e-7 m/s there."""
    u, r, end = 3.0, 0.001, 0.4
    text = f"""
dimension: 2
gravity: [1, -9.81]
ground: {{shape: {{type: box, size: [1.4, 0.3], position: [-0.3, -0.15]}}}}
bodies: {{disk: {{mass: 0.3, inertia: 1.0e-7, position: [0, {r}], velocity: [{u}, 0], shape: {{type: cylinder, radius: {r}, length: 1}}}}}}
contacts: {{table: {{{on if on[0] == "b" else "bodies: [disk, ground], " + on}}}}}
simulation: {{end: 0.6}}
"""
    result = model(text)
    over = sqrt(u * u + 2.0 * end) - u
    q, t = np.asarray(result["q"])[-1], 0.6 - over
    assert q[:2] == pytest.approx([u * 0.6 + 0.18, r - 0.5 * G * t * t], abs=1e-12)
    assert [what for _, _, what in _all(result)][-1] == "open"


def _all(result):
    return [(line["time"], line["event"], line["do"]) for line in result.events]


SHELF = """
dimension: 2
gravity: [0, -9.81]
parameters: {depth: 0.02}
bodies: {ball: {mass: 1, inertia: 0.0001, position: [-1, -0.2], velocity: [4, 0], shape: {type: cylinder, radius: 0.02, length: 1}}}
contacts: {shelf: {bodies: [ball, ground], plane: {normal: [0, 1], ends: [[-0.5, 0], [0.5, 0]], depth: depth}}}
simulation: {end: 0.3}
"""


def test_what_passes_below_a_shelf_does_not_touch_it():
    assert told(model(SHELF)) == []
    with pytest.raises(mbsim.SimulationError, match="'shelf_1' cannot be locked there"):
        model(SHELF, depth=1.0)  # so it is driven into the end of a thick one, which has no side of its own


TABLE = """
dimension: 2
gravity: [0, -9.81]
ground: {shape: {type: box, size: [1, 0.2], position: [-0.5, -0.1]}}
bodies: {box: {mass: 1, inertia: (0.2^2+0.1^2)/12, position: [-0.3, 0.05], velocity: [2, 0], shape: {type: box, size: [0.2, 0.1]}}}
contacts: {table: {between: [box, ground], friction: 0.2}}
simulation: {end: 0.3}
"""


def test_a_box_slides_over_the_edge_of_a_table_and_tips():
    """Its load is on the edge alone when its centre is mu h / 2 before it; then its bottom side turns on the corner of the table."""
    result = model(TABLE)
    braked = 0.2 * G
    over, tips = ((2.0 - sqrt(4.0 - 2.0 * braked * x)) / braked for x in (0.2, 0.3 - 0.2 * 0.05))
    found = [(at, what) for at, _, what in _all(result) if at > 0.0]
    assert found[:3] == [
        (pytest.approx(over, abs=1e-8), "slips"),
        (pytest.approx(over, abs=1e-8), "open"),
        (pytest.approx(tips, abs=1e-8), "open"),
    ]

    # from then on it turns about where the corner is along its bottom side, by an integrator of its own: x, y, angle of its centre
    def rates(t: float, z: np.ndarray) -> np.ndarray:
        x, y, a, u, v, w = z
        n, along = np.array([-sin(a), cos(a)]), np.array([cos(a), sin(a)])  # the corner of the table pushes along n
        s = -x * along[0] - y * along[1]  # from the centre to the corner, along the bottom
        d = np.array([s, -0.05])
        slip = (u * along[0] + v * along[1]) - w * d[1]
        J = np.array([n[0], n[1], s])
        tangent = -0.2 * np.sign(slip) * np.array([along[0], along[1], -d[1]])
        M = np.array([1.0, 1.0, 0.05 / 12.0])
        # height of the corner over the bottom is kept: n . (0 - r) = -0.05; its second rate without forces and with a unit one
        r_dot = u * along[0] + v * along[1]
        free = J @ (np.array([0.0, -G, 0.0])) + 2.0 * -w * r_dot + w * w * (n[0] * -x + n[1] * -y)
        force = -free / (J @ ((J + tangent) / M))
        acc = np.array([0.0, -G, 0.0]) + force * (J + tangent) / M
        return np.array([u, v, w, *acc])

    k = int(np.searchsorted(np.asarray(result.time), tips))
    start = np.concatenate([np.asarray(result["q"])[k], np.asarray(result["v"])[k]])
    end = min(at for at, _, what in _all(result) if what == "open" and at > tips + 1e-6) - 1e-3
    exact = solve_ivp(rates, (float(np.asarray(result.time)[k]), end), start, "DOP853", rtol=1e-11, atol=1e-12, dense_output=True)
    inside = (np.asarray(result.time) > tips) & (np.asarray(result.time) < end)
    assert inside.sum() > 20
    assert np.asarray(result["q"])[inside] == pytest.approx(exact.sol(np.asarray(result.time)[inside])[:3].T, abs=1e-7)


def test_a_block_rocks_on_a_polygon_as_on_a_plane():
    plane = model(ROCKING)
    text = ROCKING.replace("bodies: [block, ground], plane: {normal: [0, 1]}", "between: [block, ground]")
    polygon = model(
        text.replace("bodies:\n", "ground: {shape: {type: plate, polygon: [[-3, 0], [0, -2], [3, 0]], thickness: 1}}\nbodies:\n", 1)
    )
    assert [(at, what) for at, what in told(polygon)] == [(pytest.approx(at, abs=1e-9), what) for at, what in told(plane)]
    assert np.asarray(polygon["q"])[-1] == pytest.approx(np.asarray(plane["q"])[-1], abs=1e-8)


STACK = """
dimension: 2
gravity: [0, -9.81]
bodies:
  lower: {mass: 2, inertia: 0.1, position: [0, 0.1], shape: {type: box, size: [0.6, 0.2]}}
  upper: {mass: 1, inertia: 0.05, position: [0.1, 0.25], shape: {type: box, size: [0.3, 0.1]}}
contacts:
  floor: {bodies: [lower, ground], plane: {normal: [0, 1]}, friction: 0.3}
  boxes: {between: [lower, upper], friction: 0.3}
simulation: {end: 0.5}
"""


def test_boxes_rest_on_each_other():
    result = model(STACK)
    assert np.ptp(np.asarray(result["q"]), axis=0).max() < 1e-12
    data = result.to_xarray()["multiplier"]
    loads = {name: float(data.sel(constraint=name)[-1]) for name in data["constraint"].values if not name.endswith("stick")}
    pressed = sorted(x for name, x in loads.items() if name.startswith("boxes") and abs(x) > 1e-9)
    assert pressed == pytest.approx([G / 2.0, G / 2.0], abs=1e-9)
    # of the floor by moments about the centre: 3 g in all, and 0.1 g to the right
    assert loads["floor_1"] + loads["floor_3"] == pytest.approx(3.0 * G, abs=1e-9)
    assert abs(loads["floor_1"] - loads["floor_3"]) * 0.3 == pytest.approx(0.1 * G, abs=1e-9)


WEDGE = """
dimension: 2
gravity: [0, -9.81]
parameters: {mu: 0.3}
ground: {shape: {type: plate, polygon: [[0, 0], [2, 0], [0, 1]], thickness: 1}}
bodies:
  disk: {mass: 1, inertia: 0.005, position: [0.5 + 0.1/sqrt(5), 0.75 + 0.2/sqrt(5)], shape: {type: cylinder, radius: 0.1, length: 1}}
contacts: {slope: {between: [disk, ground], friction: mu}}
simulation: {end: 0.6}
"""


def test_a_disk_rolls_down_the_side_of_a_wedge():
    result = model(WEDGE)
    assert [what for _, what in told(result)] == ["sticks"]
    x = np.asarray(result["q"])[-1, :2] - np.asarray(result["q"])[0, :2]
    assert x == pytest.approx(0.5 * (2.0 / 3.0 * G / sqrt(5.0)) * 0.36 * np.array([2.0, -1.0]) / sqrt(5.0), abs=1e-9)
    assert max(multiplier(result, f"slope_{k}")[-1] for k in range(1, 7)) == pytest.approx(G * 2.0 / sqrt(5.0), abs=1e-9)


# Flores, Leine and Glocker, Modeling and analysis of planar rigid multibody systems with translational clearance joints based on the
# non-smooth dynamics approach, Multibody System Dynamics 23, 2010, section 6: the slider is a block with clearance in its guide.
CLEARANCE = """
dimension: 2
gravity: [0, -9.81]
parameters: {l1: 0.153, l2: 0.306, a: 0.05, b: 0.025, c: 0.001}
bodies:
  crank: {mass: 0.038, inertia: 7.4e-5, position: [l1/2, 0], velocity: [0, 150*l1/2], angular_velocity: 150}
  rod: {mass: 0.038, inertia: 5.9e-4, position: [l1 + l2/2, 0], velocity: [0, 150*l1 - 75*l2/2], angular_velocity: -75}
  slider:
    mass: 0.076
    inertia: 2.7e-6
    position: [l1 + l2, 0]
    angular_velocity: -0.01
    points: {p1: [-a, b], p2: [a, b], p3: [-a, -b], p4: [a, -b]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, bodies: [crank, rod], at: [l1, 0]}
  B: {type: revolute, bodies: [rod, slider], at: [l1 + l2, 0]}
contacts:
  top: {bodies: [slider, ground], plane: {through: [0, b + c], normal: [0, -1]}, points: [p1, p2], friction: 0.01, restitution: 0.4}
  bottom: {bodies: [slider, ground], plane: {through: [0, -b - c], normal: [0, 1]}, points: [p3, p4], friction: 0.01, restitution: 0.4}
simulation: {end: 0.01}
"""


def test_a_slider_with_clearance_hits_its_guide():
    """The first impact to the digits of an event-driven run of other equations; the crank as the limit of Moreau's steps, four digits."""
    result = model(CLEARANCE)
    first = next(line for line in result.events if line["do"] == "impact")
    assert first["event"] == "top_1"
    assert first["time"] == pytest.approx(0.0026909036, abs=1e-10)
    times = np.asarray(result.time)
    before = int(np.searchsorted(times, first["time"]))
    rates = np.asarray(result["v"])[:, [2, 5, 8]]
    assert rates[before + 1] == pytest.approx([109.570681399, -49.38581964, 23.287447687], rel=1e-8)
    assert rates[before] == pytest.approx([109.5801685, -49.34578936, -0.01], rel=1e-8)
    assert np.asarray(result["q"])[-1, 2] == pytest.approx(0.9479, abs=2e-4)


GENEVA = """
dimension: 2
parameters: {a: 0.1, r: 0.1*sin(deg(45)), s: sin(deg(45))}
bodies:
  crank: {mass: 1, inertia: 0.01, position: [a, 0], angular_velocity: 10, points: {pin: [r, 0]}}
  wheel: {mass: 0.2, inertia: 0.0002, position: [0, 0], angle: deg(90)}
joints:
  axle: {type: revolute, bodies: [ground, crank], at: [a, 0]}
  shaft: {type: revolute, bodies: [ground, wheel], at: [0, 0], friction: {torque: 0.2}}
drivers: {turn: {joint: axle, angle: 10*t}}
contacts:
  left:
    bodies: [crank, wheel]
    points: [pin]
    radius: 0.005
    plane: {normal: [s, -s], ends: [[s*0.0189, s*0.0291], [s*0.0656, s*0.0758]], depth: 0.01}
  right:
    bodies: [crank, wheel]
    points: [pin]
    radius: 0.005
    plane: {normal: [-s, s], ends: [[s*0.0291, s*0.0189], [s*0.0758, s*0.0656]], depth: 0.01}
simulation: {end: 0.63, max_step: 0.01}
"""


def test_a_pin_turns_a_geneva_wheel_by_a_quarter():
    """It comes into the slot at 135 degrees and presses one wall, 0.1 mm beside the middle, until it leaves it at 225 degrees."""
    result = model(GENEVA)
    closed, opens = (next(at for at, name, what in _all(result) if name == "right_1" and what == word) for word in ("closed", "open"))
    assert closed == pytest.approx(pi * 0.075, abs=0.01)
    assert opens == pytest.approx(pi * 0.125, abs=1e-3)
    t = np.asarray(result.time)
    x, y = 0.1 + 0.1 * sin(pi / 4) * np.cos(10.0 * t), 0.1 * sin(pi / 4) * np.sin(10.0 * t)
    angle = np.arctan2(y, x) - pi / 4.0 + np.arcsin(1e-4 / np.hypot(x, y)) + pi / 2.0
    turned, inside = np.asarray(result["q"])[:, 5], (t > closed + 1e-6) & (t < opens - 1e-6)
    assert inside.sum() > 50
    assert turned[inside] == pytest.approx(angle[inside], abs=1e-9)
    assert turned[-1] == pytest.approx(1e-4 / 0.0707, abs=1e-4)


@pytest.mark.parametrize(
    ("plane", "said"),
    [
        ("{normal: [0, 1], ends: [[0, 0]]}", "ends"),
        ("{normal: [0, 1], ends: [[0, 0], [0, 0]]}", "must not be in one place"),
        ("{normal: [0, 1], ends: [[0, 0], [0.6, 0.8]]}", r"must be perpendicular to the line between the ends: \[-0.8, 0.6\] is"),
        ("{normal: [0, 1], ends: [[0, 0], [1, 0]], through: [0, 0]}", "give 'through' or 'ends', not both"),
        ("{normal: [0, 1], depth: 1}", "'depth' goes with 'ends'"),
        ("{normal: [0, 1], ends: [[0, 0], [1, 0]], depth: 0}", "must be greater than 0"),
    ],
)
def test_wrong_ends_are_refused(plane, said):
    with pytest.raises(mbsim.ModelError, match=f":6:.*{said}"):
        mbsim.load_model(EDGE.replace("{normal: [0, 1], ends: [[-1, 0], [0, 0]]}", plane))


def test_ends_are_planar():
    text = "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}}\nsimulation: {end: 1}\n"
    text += "contacts: {c: {bodies: [b, ground], radius: 1, plane: {normal: [0, 0, 1], ends: [[0, 0, 0], [1, 0, 0]]}}}\n"
    with pytest.raises(mbsim.ModelError, match="'ends' are known in two dimensions only"):
        mbsim.load_model(text)


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ("{type: plate, polygon: [[0, 0], [2, 0], [0.2, 0.2], [0, 2]], thickness: 1}", "polygon of ground is not convex"),
        ("{type: plate, polygon: [[0, 0], [1, 0], [2, 0], [0, 2]], thickness: 1}", "three corners in line"),
        ("{type: capsule, radius: 0.1, length: 1}", "capsule of ground is not known between two bodies"),
    ],
)
def test_wrong_shapes_are_refused(shape, said):
    with pytest.raises(mbsim.ModelError, match=said):
        mbsim.assemble(mbsim.load_model(WEDGE.replace("{type: plate, polygon: [[0, 0], [2, 0], [0, 1]], thickness: 1}", shape)))


def test_a_steep_box_tips_on_a_polygon_as_on_a_plane():
    text = BOX.replace("bodies: [box, ground], plane: {normal: [0, 1]}", "between: [box, ground]")
    text = text.replace("bodies:", "ground: {shape: {type: box, size: [4, 1], position: [0, -0.5]}}\nbodies:", 1)
    assert atan2(0.2, 0.6) == pytest.approx(18.4349488 * pi / 180.0)
    for slope, tips in ((18.43, False), (18.44, True)):
        assert (np.asarray(model(text, slope=slope * pi / 180.0)["q"])[-1, 2] < -1e-9) == tips
