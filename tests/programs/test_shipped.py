"""Every shipped model becomes an FMU that the standard's checks find nothing wrong with, or is refused by name."""

from pathlib import Path

import mechanisms
import pytest
from exported import needs_compiler

import mbsim
from mbsim import export

fmpy = pytest.importorskip("fmpy")
pytestmark = [needs_compiler, pytest.mark.slow]
REFUSED: dict[str, str] = {}  # none has events, or an integrator of a library


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("path", sorted(mechanisms.MODELS.glob("*.yaml")), ids=lambda path: path.stem)
def test_it_for_model_exchange(path: Path, fmi: int, tmp_path: Path) -> None:
    """CVODE takes a hundredth of its motion, a second at most."""
    from fmpy.validation import validate_fmu

    output = tmp_path / f"{path.stem}.fmu"
    export(path, output, kind="me", fmi=fmi)
    assert not validate_fmu(str(output))
    settings = mbsim.load_model(path).simulation
    span = min(1.0, 1e-2 * (settings.end - settings.start))
    found = fmpy.simulate_fmu(
        str(output), fmi_type="ModelExchange", start_time=settings.start, stop_time=settings.start + span, output_interval=span / 10,
        relative_tolerance=1e-6,
    )  # fmt: skip
    assert len(found) > 10


@pytest.mark.parametrize("path", sorted(mechanisms.MODELS.glob("*.yaml")), ids=lambda path: path.stem)
def test_an_fmu_of_it(path: Path, tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu

    output = tmp_path / f"{path.stem}.fmu"
    if path.stem in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[path.stem]):
            export(path, output)
        return
    export(path, output)
    assert not validate_fmu(str(output))
    settings = mbsim.load_model(path).simulation
    found = fmpy.simulate_fmu(str(output), stop_time=settings.start + 1e-2 * (settings.end - settings.start), output_interval=1e-3)
    assert len(found) > 1
