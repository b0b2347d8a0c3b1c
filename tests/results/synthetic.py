"""A made-up run of a slider-crank: every variable is present and has values that can be recognised."""

from typing import Any

import numpy as np

from mbsim.results import SERIES, Layout
from mbsim.results.schema import ControllerLabels, ForceLabels

BODIES = ["crank", "rod", "slider"]
LAYOUT = Layout(
    title="slider-crank",
    coordinates=[f"{body}.{name}" for body in BODIES for name in ("x", "y", "angle")],
    coordinate_units=["m", "m", "rad"] * 3,
    speeds=[f"der({body}.{name})" for body in BODIES for name in ("x", "y", "angle")],
    speed_units=["m s-1", "m s-1", "rad s-1"] * 3,
    constraints=["O[0]", "O[1]", "A[0]", "A[1]", "B[0]", "B[1]", "guide[0]", "guide[1]", "motor"],
    bodies=BODIES,
    joints=["O", "A", "B", "guide"],
    drivers=["motor"],
    driver_units=["N m"],
    states=["integral"],
    state_units=["rad s"],
    forces=ForceLabels(
        ["spring", "motor_torque"], ["N", "N m"], ["spring"], ["m"], ["m s-1"], ["spring", "motor_torque"], ["motor_torque"]
    ),
    controllers=ControllerLabels(["motor_torque"], ["rad"]),
)
DISK = Layout(
    title="rolling disk on an accelerating plane",
    coordinates=["x", "y", "z", "theta", "psi", "phi"],
    coordinate_units=["1"] * 6,
    speeds=["der(x)", "der(y)", "der(z)", "der(theta)", "der(psi)", "der(phi)"],
    speed_units=["1"] * 6,
    constraints=["on_plane", "no_slip_y", "no_slip_x"],
    bodies=[],
    joints=[],
    drivers=[],
    driver_units=[],
)
MODEL = "name: slider-crank\n# \u00e4 comment\n"
PARAMETERS = {"r": 0.2, "l": 0.5}
ATTRIBUTES: dict[str, Any] = {"method": "svd", "integrator": "rk4", "step": 1e-3}
FINAL: dict[str, Any] = {"counts": {"steps": 400, "evaluations": 1600, "svds": 12}, "wall_time": 0.25}
STATIC = {
    "joint_reaction_unique": np.array([True, True, True, False]),
    "multiplier_unique": np.array([True] * 6 + [False] * 2 + [True]),
}


def static(layout: Layout = LAYOUT) -> dict[str, np.ndarray]:
    """What does not change along the run."""
    return {"joint_reaction_unique": STATIC["joint_reaction_unique"][: len(layout.joints)],
            "multiplier_unique": STATIC["multiplier_unique"][: len(layout.constraints)]}  # fmt: skip


def rows(first: int, last: int, layout: Layout = LAYOUT, step: float = 1e-3) -> dict[str, np.ndarray]:
    """Rows first..last-1 of every variable of the layout; the value of a variable depends on its row and column only."""
    time = np.arange(first, last) * step
    labels = layout.labels()
    chunk: dict[str, np.ndarray] = {}
    for number, (name, series) in enumerate(SERIES.items()):
        if series.dimensions[0] != "time" or not all(d == "time" or d in labels for d in series.dimensions):
            continue
        shape = [len(labels[d]) for d in series.dimensions[1:]]
        phase = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 0.7 + 0.1 * number
        chunk[name] = np.sin(10 * time.reshape(-1, *[1] * len(shape)) + phase)
    chunk["time"] = time
    residual = np.abs(chunk["residual_position"]) * 1e-12 * (1 + time)
    chunk |= {"residual_position": residual, "residual_velocity": residual * 40, "residual_acceleration": residual * 3e3}
    if "body_position" in chunk:
        chunk["body_position"][:, :, 2] = 0.0
    chunk["energy_work"] = chunk["energy_kinetic"] + chunk["energy_potential"] - 3.0
    chunk["energy_balance"] = 1e-9 * chunk["energy_balance"]
    return chunk
