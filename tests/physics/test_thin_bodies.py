"""A free fall is exact in one step, however long: a step must not carry a body through what is thin."""

import pytest

import mbsim

HEIGHTS, WIDTHS = (1.0, 30.0), (0.2, 0.002)
GRAVITY = 9.81

PLANE = """
name: {what} falls onto a thin floor in the plane
dimension: 2
gravity: [0, -9.81]
bodies:
  ball: {{mass: 1, inertia: 0.01, position: [0.1, {height}], shape: {shape}}}
ground: {{shape: {{type: box, size: [2, {width}, 1], position: [0, {middle}]}}}}
contacts: {{floor: {contact}}}
simulation: {{end: {end}}}
"""
SPACE = """
name: {what} falls onto a thin floor
gravity: [0, 0, -9.81]
bodies:
  ball: {{mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0.2, {height}], shape: {shape}}}
ground: {{shape: {{type: box, size: [2, 2, {width}], position: [0, 0, {middle}]}}}}
contacts: {{floor: {contact}}}
simulation: {{end: {end}}}
"""
ON_SHAPE = "{between: [ball, ground], restitution: 0.5}"
ON_LINE = "{{bodies: [ball, ground], restitution: 0.5, plane: {{normal: [0, 1], ends: [[-1, 0], [1, 0]], depth: {width}}}}}"
TETRAHEDRON = "{type: convex, vertices: [[0, 0, -0.02], [0.05, 0, 0.03], [-0.03, 0.04, 0.03], [-0.03, -0.04, 0.03]]}"
FALLING = {  # the model, the shape, how far it reaches down, the contact
    "a disk on a box": (PLANE, "{type: cylinder, radius: 0.02, length: 0.1}", 0.02, ON_SHAPE),
    "a disk on a line": (PLANE, "{type: cylinder, radius: 0.02, length: 0.1}", 0.02, ON_LINE),
    "a box on a box": (PLANE, "{type: box, size: [0.06, 0.04, 0.1]}", 0.02, ON_SHAPE),
    "a ball": (SPACE, "{type: sphere, radius: 0.02}", 0.02, ON_SHAPE),
    "a capsule": (SPACE, "{type: capsule, radius: 0.02, length: 0.05, rotation: {axis: [0, 1, 0], angle: deg(90)}}", 0.02, ON_SHAPE),
    "a tetrahedron": (SPACE, TETRAHEDRON, 0.02, ON_SHAPE),
}


def model(what: str, height: float, width: float, end: float) -> str:
    form, shape, _, contact = FALLING[what]
    numbers = {"height": height, "width": width, "middle": -0.5 * width, "end": end}
    return form.format(what=what, shape=shape, contact=contact.format(**numbers) if contact == ON_LINE else contact, **numbers)


@pytest.mark.parametrize("height", HEIGHTS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("what", FALLING)
def test_nothing_falls_through_a_thin_floor(what: str, width: float, height: float) -> None:
    reach = FALLING[what][2]
    meets = (2.0 * (height - reach) / GRAVITY) ** 0.5
    result = mbsim.simulate(model(what, height, width, 1.5 * meets))  # it is far behind the floor then, where nothing stops it
    up = result["ball.y" if FALLING[what][0] is PLANE else "ball.z"]
    assert up.min() == pytest.approx(reach, abs=1e-9 * height)
    assert up[-1] == pytest.approx(reach + 0.25 * (height - reach), rel=1e-6)  # where it turns after a rebound at half its speed


def test_nothing_falls_through_a_thin_rod() -> None:
    """A capsule is as thin as it is round, however long."""
    result = mbsim.simulate("""
        name: a ball falls onto a rod that lies across its way
        gravity: [0, 0, -9.81]
        bodies:
          ball: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 30], shape: {type: sphere, radius: 0.002}}
        ground: {shape: {type: capsule, radius: 0.001, length: 2, rotation: {axis: [0, 1, 0], angle: deg(90)}}}
        contacts: {rod: {between: [ball, ground], restitution: 1}}
        simulation: {end: 4}
    """)
    assert result["ball.z"].min() == pytest.approx(0.003, abs=1e-8)


def test_balls_that_meet_at_any_speed_do_not_pass_through_each_other() -> None:
    result = mbsim.simulate("""
        name: a ball hits another one that is as small as it
        dimension: 2
        bodies:
          shot: {mass: 1, inertia: 0.01, position: [-300, 0], velocity: [1000, 0], shape: {type: sphere, radius: 0.002}}
          mark: {mass: 1, inertia: 0.01, position: [0, 0], shape: {type: sphere, radius: 0.002}}
        contacts: {hit: {between: [shot, mark], restitution: 1}}
        simulation: {end: 1}
    """)
    assert result["der(mark.x)"][-1] == pytest.approx(1000.0, rel=1e-9)
    assert result["shot.x"][-1] == pytest.approx(-0.004, abs=1e-9)
