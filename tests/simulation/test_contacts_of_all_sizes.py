"""Bodies from a micrometre to ten thousand kilometres fall and come to rest on a plane and on each other: only numbers change."""

from math import sqrt

import numpy as np
import pytest

import mbsim

G, DENSITY = 9.81, 1000.0
PAIRS = [("plane", "disk", ""), ("plane", "box", ""), ("plane", "box", "disk"), ("plane", "box", "box")]
PAIRS += [("space", "ball", ""), ("space", "box", ""), ("space", "box", "ball"), ("space", "box", "box")]


def _model(where: str, below: str, above: str, size: float) -> str:
    planar = where == "plane"
    shapes = {
        "disk": f"{{type: cylinder, radius: {0.5 * size!r}, length: {size!r}}}",
        "ball": f"{{type: sphere, radius: {0.5 * size!r}}}",
        "box": f"{{type: box, size: [{size!r}, {size!r}, {size!r}]}}",
    }
    inertia = 0.1 * DENSITY * size**5
    lines = [f"dimension: {2 if planar else 3}", f"gravity: [{'0, ' * (1 if planar else 2)}{-G}]", "bodies:"]
    for name, shape, aside, height in (("a", below, 0.0, 0.6), ("b", above, 0.05 * (above == "box"), 1.8)):
        if shape:
            place = f"[{aside * size!r}, {'' if planar else '0, '}{height * size!r}]"
            of = repr(inertia) if planar else f"[{inertia!r}, {inertia!r}, {inertia!r}]"
            lines.append(f"  {name}: {{mass: {DENSITY * size**3!r}, inertia: {of}, position: {place}, shape: {shapes[shape]}}}")
    both = "a, b" if above else "a"
    lines += ["contacts:", f"  floor: {{bodies: [{both}, ground], plane: {{normal: [{'0, ' * (1 if planar else 2)}1]}}, friction: 0.3}}"]
    lines += ["  pair: {between: [a, b], friction: 0.3}"] * bool(above)
    return "\n".join([*lines, f"simulation: {{end: {4.0 * sqrt(size / G)!r}, impacts: events}}"])


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e3, 1e5, 1e7])
@pytest.mark.parametrize(("where", "below", "above"), PAIRS)
def test_it_comes_to_rest_where_it_touches(where: str, below: str, above: str, size: float) -> None:
    result = mbsim.simulate(_model(where, below, above, size))
    q, v = np.asarray(result["q"])[-1] / size, np.asarray(result["v"])[-1] / np.sqrt(G * size)
    heights = q[1::3] if where == "plane" else q[2::7]
    slides = np.concatenate([v[0::3], v[1::3]] if where == "plane" else [v[k::6] for k in range(3)])
    assert heights == pytest.approx([0.5, 1.5][: len(heights)], abs=1e-12)
    assert np.abs(slides).max() < 1e-12
    hits = [line["time"] for line in result.events if line["do"] == "impact"]
    assert hits[0] == pytest.approx(np.sqrt(0.2 * size / G), rel=1e-9)
    assert len(result.events) < 60 and not result.attributes["notes"]


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e7])
def test_steps_go_through_contacts_of_all_sizes(size: float) -> None:
    text = _model("plane", "box", "box", size)
    result = mbsim.simulate(text.replace("impacts: events", f"impacts: steps, step: {0.005 * sqrt(size / G)!r}"))
    assert np.asarray(result["q"])[-1, 1::3] / size == pytest.approx([0.5, 1.5], abs=1e-12)
    assert np.abs(np.asarray(result["v"])[-1]).max() / sqrt(G * size) < 1e-8
