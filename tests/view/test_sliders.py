"""Sliders of a model's page: how far they reach."""

from pathlib import Path

import numpy as np
import pytest

from mbsim.cli.models import list_shipped
from mbsim.view.model import ModelPage


@pytest.mark.parametrize(("typed", "low", "high"), [(20.0, 0.0, 40.0), (-3.0, -11.0, 5.0), (2.8, 0.0, 5.0)])
def test_a_number_typed_beside_a_slider_widens_it(server, typed: float, low: float, high: float) -> None:
    """The browser puts a number beyond the ends back to the end when the field is left."""
    page = ModelPage(server, list_shipped()["four_bar"], {})
    slider = page._parameters["c"]
    assert (slider.min, slider.max) == (0.0, 5.0)
    slider.value = typed
    for moved in slider._impl.update_cb:
        moved(None)
    assert (slider.value, slider.min, slider.max) == (typed, low, high) and page._values == {"c": typed}


def test_sliders_of_joints_reach_as_far_as_their_limits(server, tmp_path: Path) -> None:
    """Stops and end stops with springs; the side that has none reaches half a turn."""
    (tmp_path / "arm.yaml").write_text(
        """
name: arm
dimension: 2
coordinates: joint
bodies: {a: {mass: 1, inertia: 0.1, position: [0.5, 0]}, b: {mass: 1, inertia: 0.1, position: [1.5, 0]}}
joints:
  hip: {type: revolute, bodies: [ground, a], at: [0, 0], stops: {lower: -0.5, upper: 1.5}}
  knee: {type: revolute, bodies: [a, b], at: [1, 0]}
forces: {end: {type: joint_limit, joint: knee, lower: 0, stiffness: 1e4}}
simulation: {end: 0.1}
"""
    )
    page = ModelPage(server, tmp_path / "arm.yaml", {})
    ends = {name: (slider.min, slider.max) for name, slider in zip(page._dragging.names, page._by_hand, strict=True)}
    assert ends == {"hip.angle": (-0.5, 1.5), "knee.angle": (0.0, pytest.approx(np.pi))}
