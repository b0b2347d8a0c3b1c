"""Compiles mbsim's own kernels before a run of all tests, or of the quick ring, by several processes: each process compiles a part of them.

Every process needs most of these kernels when it imports the files of tests, or within its first tests. Were the cache empty, all processes
would compile all of them, which takes minutes of each. Where they are in the cache, this is over in less than a second. Kernels of single
models are compiled by the tests that need them.
"""

import os
import pkgutil
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import plain_python
import pytest
import quick_ring

QUICK = (  # the quick ring needs only these
    "mbsim.methods.cfa",
    "mbsim.methods._cfa_trees",
    "mbsim.methods.broyden",
    "mbsim.methods.riemann",
    "mbsim.methods.svd",
    "tree_planar_",
    "tree_spatial_",
    "mbsim.methods.generalized_alpha",
    "mbsim.system.observe_trees",
    "mbsim.integrators._embedded",
    "spatial_",
    "mbsim.methods.rattle",
    "mbsim.integrators._searching",
    "mbsim.singular.orientation",
    "mbsim.methods.baumgarte",
    "mbsim.methods.nullspace",
    "planar_",
    "mbsim.methods.kane",
    "mbsim.integrators._fixed",
)
WAIT = 300.0  # s for the parts of the others
# The longest to compile, so that they begin first; the others follow as they are found.
LONGEST = (
    "spatial_all_block_tangent",
    "mbsim.methods.cfa",
    "mbsim.methods.implicit.alpha_loops",
    "spatial_all_",
    "planar_all_direction",
    "planar_all_block_tangent",
    "tree_planar_all_block_tangent",
    "mbsim.saddle.pencils",
    "mbsim.methods.implicit.alpha_tree",
    "tree_planar_all_",
    "mbsim.methods._cfa_trees",
    "mbsim.methods.trees.aba_rows",
    "tree_spatial_block_tangent",
    "tree_spatial_all_",
    "planar_all_",
    "mbsim.methods.implicit.alpha_bodies",
    "mbsim.methods.broyden",
    "mbsim.methods.riemann",
    "mbsim.methods.svd",
    "mbsim.methods.generalized_alpha",
    "mbsim.integrators._embedded",
    "mbsim.methods.nullspace",
    "mbsim.methods.trees.kane_rows",
    "mbsim.system.observe_trees",
)


def parts() -> dict[str, Callable[[], object]]:
    """What compiles or loads each part: modules, and the kernels of bodies by what their names begin with."""
    from mbsim.jit import compile_kernels, have_ready

    found: dict[str, Callable[[], object]] = {}
    rooms = ("singular", "methods", "integrators", "system", "saddle", "unilateral", "kernels", "studies.lanes")
    for package in (f"mbsim.{room}" for room in rooms):
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            found[module.name] = lambda name=module.name: compile_kernels(name)
    bodies, tangents, trees = (import_module(f"mbsim.system.{name}") for name in ("bodies", "block_tangents", "tree_tangents"))
    along: Any = import_module("mbsim.system.tangents")
    for before, variant in bodies._VARIANTS.items():
        found[before] = lambda variant=variant: [have_ready(one) for one in bodies.kernels(*variant)]
        found[f"{before}forces"] = lambda variant=variant: have_ready(import_module("mbsim.system.observe_forces").observer(*variant))
    for dimension, common in product((2, 3), (False, True)):
        name = f"{bodies.prefix(False, dimension, common)}block_tangent"
        found[name] = lambda variant=(dimension, common): have_ready(tangents.block_tangent(*variant))
    for variant in ((2, False), (3, True)):  # of trees with constraint rows, those of which tests are compiled
        found[f"{bodies.prefix(True, *variant)}block_tangent"] = lambda variant=variant: have_ready(tangents.block_tangent(*variant, True))
    for before in ("planar_", "spatial_", "planar_all_"):  # likewise
        made = bodies._VARIANTS[before]
        found[f"{before}direction"] = lambda made=made: have_ready(along._along(bodies.kernels(*made)))
    for dimension in (2, 3):
        found[f"diagonal_tangent_{dimension}"] = lambda d=dimension: have_ready(trees.diagonal_tangent(d))
    dispatch = import_module("mbsim.elements.dispatch")
    for dimension in (2, 3):
        for group in sorted({group for family in ("rows", "relative") for group in dispatch.apart_kinds(family, dimension)}):
            made = dispatch.apart_kernels(dimension, group)
            found[f"{group}_{dimension}"] = lambda made=made: [one.load() for one in made]
    return {name: found.pop(name) for name in LONGEST} | found


def taken(folder: Path, quick: bool) -> Iterator[tuple[str, Callable[[], object]]]:
    """The parts that no other process has taken, each taken when the one before it is done. `quick`: only those of the quick ring."""
    found = parts()
    for name, work in ({name: found[name] for name in QUICK} if quick else found).items():
        try:
            os.close(os.open(folder / f"{name}.taken", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        yield name, work


def share(config: pytest.Config) -> None:
    """Do this process's part where several run all tests of a ring, and wait for the others' parts."""
    option = config.option
    workers = getattr(config, "workerinput", {"workercount": 1})["workercount"]
    if workers < 2 or option.basetemp is None or not plain_python.COMPILES:
        return
    if option.keyword or option.collectonly or getattr(option, "lf", False) or not quick_ring.asked_for_everything(config):
        return
    folder = Path(option.basetemp).parent / "warm_up"  # beside the temporary folders of all processes
    folder.mkdir(exist_ok=True)
    for name, work in taken(folder, option.markexpr == "quick"):
        try:
            work()
        except ImportError:  # of an extra that is not installed
            pass
        finally:
            (folder / f"{name}.done").touch()
    end = time.monotonic() + WAIT
    while time.monotonic() < end and len(list(folder.glob("*.done"))) < len(list(folder.glob("*.taken"))):
        time.sleep(0.1)
