"""What tests of units for model exchange share: the motion that FMPy's CVODE finds, beside that of a run."""

from pathlib import Path
from typing import Any

import numpy as np
from test_event_mode import simulated
from test_unit_events import rows_of

import mbsim
from mbsim import export


def require_the_motion_of_a_run(model: Any, names: list[str], folder: Path, fmi: int, off: float) -> tuple[list[str], list[Any]]:
    """Compare these coordinates at a tolerance of 1e-10; what the unit says of events, and those of the run."""
    from fmpy.validation import validate_fmu

    result, h = mbsim.simulate(model), model.simulation.output_step
    wanted, unit = rows_of(result, names, h), folder / "it.fmu"
    export(model, unit, outputs=names, kind="me", fmi=fmi, native=True)
    assert not validate_fmu(str(unit))
    found, said = simulated(
        unit, fmi_type="ModelExchange", stop_time=model.simulation.end, output_interval=h, relative_tolerance=1e-10, record_events=False,
        output=names,
    )  # fmt: skip
    for k, name in enumerate(names):
        np.testing.assert_allclose(found[name], wanted[:, k], rtol=0, atol=off)
    return said, list(result.events)
