"""Numbers varied by a runner give what the file with these numbers gives, to the last digits."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from changed_numbers import compare, judge, numbers, path_of, written

import mbsim

NAMES = ("pendulum", "four_bar", *(pytest.param(name, marks=pytest.mark.slow) for name in ("heavy_top", "cam_follower", "rolling_disk")))


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_shipped_models(name: str, tmp_path: Path) -> None:
    found = list(judge(name, 2, np.random.default_rng(1), tmp_path))
    assert [finding.word for _, finding in found] == ["right"] * 4, found


def test_it_finds_a_number_that_is_not_the_same(tmp_path: Path) -> None:
    data = {
        "dimension": 2, "gravity": [0, -9.81], "bodies": {"b": {"mass": 2, "inertia": 1, "position": [0.5, 0]}},
        "joints": {"O": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0]}}, "simulation": {"end": 0.1},
    }  # fmt: skip
    keys = dict(numbers(data))
    assert sorted(map(path_of, keys)) == ["bodies.b.inertia", "bodies.b.mass", "bodies.b.position[0]", "gravity[1]"]
    path = tmp_path / "a.yaml"
    path.write_text(yaml.safe_dump(written(data, {("bodies", "b", "mass"): 2.1})))
    runner = mbsim.Runner(data, vary=["bodies.b.mass"], outputs={"t": "final(t)"})
    assert compare(runner, [2.1], path, {}).word == "right"
    assert compare(runner, [2.1 + 1e-7], path, {}).word == "wrong"
    assert compare(runner, [-2.0], path, {}).word == "failed"
