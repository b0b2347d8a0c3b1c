"""Activations of MJCF actuators, which become states."""

from pathlib import Path

import mechanisms
from mechanisms import close
from mjcf_texts import ROD, imported, mjcf

import mbsim


def test_an_activation_stays_within_its_range(tmp_path: Path) -> None:
    """MuJoCo clamps it: it leaves the end of its range as soon as the control turns round, and does not wind up beyond."""
    actuator = '<intvelocity name="f" joint="j" kp="8" kv="1" actrange="-0.2 0.3"/>'
    text = mjcf(f'<body name="rod"><joint name="j" axis="0 1 0"/>{ROD}</body>').replace(
        "</mujoco>", f"<actuator>{actuator}</actuator></mujoco>"
    )
    source = imported(tmp_path, text)
    for start, control, end in ((0.0, 1.0, 0.3), (0.3, -0.25, 0.05), (0.0, -2.0, -0.2)):  # after 1 s
        states = {"act_f": source["states"]["act_f"] | {"start": start}}
        model = mechanisms.model(source | {"parameters": {"ctrl_f": control}, "states": states, "simulation": {"end": 1.0}})
        close(mbsim.simulate(model)["states"][-1, 0], end, atol=1e-6)
