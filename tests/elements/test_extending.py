"""docs/extending.md: its row, its load and its force with a state, added as files to a copy of the package, do what they say."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import mbsim

ROOT = Path(__file__).parents[2]
CHECK = """
import sys
import numpy as np
import mbsim
from mechanisms import model, random_state
from mbsim.elements import names
from test_constraint_derivatives import check_at

assert {"winch"} <= set(names("rows")) and {"magnet"} <= set(names("loads"))
text = open(sys.argv[1], encoding="utf-8").read()
for coordinates in ("absolute", "joint"):
    made = mbsim.assemble(model(text.replace("simulation:", f"coordinates: {coordinates}\\nsimulation:")))
    system, rng = made.system, np.random.default_rng(2)
    for _ in range(3):
        t, q, v = random_state(system, made.q, rng, 0.2)
        check_at(system, t, q, v)
        at_rest = np.zeros(system.n_v)
        force, power = system.h(t, q, at_rest), system.terms(t, q, v)[5]  # the motor's torque, the state, is zero
        q[-1] = 0.7
        pushed = np.linalg.norm(system.h(t, q, at_rest) - force)
        assert abs(pushed - 0.7) < 1e-12, pushed
        q[-1] = 0.0
        step = 1e-6
        for j, e in enumerate(np.eye(system.n_v)):
            energy = [system.energy(t, system.move(q, s * step * e), at_rest)[1] for s in (1, -1)]
            assert abs(force[j] + (energy[0] - energy[1]) / (2 * step)) < 1e-6 * np.abs(force).max(), (coordinates, j)
        assert power == 0.0
    assert system.states == ["motor.torque"]
    assert abs(system.rates(t, q, v)[-1] - (4.0 - q[-1]) / 0.1) < 1e-12
    row = system.rows.index("cord[0]")
    assert system.rows.count("cord[0]") == 1 and np.abs(system.C(t, q)[row]).max() > 0.01
"""


def test_the_row_the_load_and_the_state_of_the_document(tmp_path: Path) -> None:
    document = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    package = tmp_path / "mbsim"
    shutil.copytree(Path(mbsim.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    files = re.findall(r"```python\n# (mbsim/\S+)\n(.*?)```", document, re.DOTALL)
    assert len(files) == 5
    for name, text in files:
        assert not (tmp_path / name).exists()
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = re.search(r"```text\n(name: winch.*?)```", document, re.DOTALL)
    assert found is not None
    (tmp_path / "model.yaml").write_text(found[1], encoding="utf-8")
    (tmp_path / "check.py").write_text(CHECK, encoding="utf-8")
    paths = os.pathsep.join(map(str, (tmp_path, ROOT / "tests", ROOT / "tests" / "system")))
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"}  # compiling them would take a minute
    command = [sys.executable, str(tmp_path / "check.py"), str(tmp_path / "model.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
