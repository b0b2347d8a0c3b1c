"""Tests that run as plain Python, started by tests/physics/test_in_plain_python.py: compiling the many models would take minutes."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
collect_ignore_glob = [] if os.environ.get("NUMBA_DISABLE_JIT") == "1" else ["test_*.py"]
