"""Puts scripts/attack on the import path: the tests of this folder run its harnesses at small sizes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "attack"))
