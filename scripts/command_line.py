"""What the commands of this folder share: `--quick`, `--output FOLDER`, and what they do where a peer is not installed.

A quick run goes through the whole of a script at a small size, in seconds; its figures mean nothing. It needs no peer. It writes to a
temporary folder unless `--output` names one, so that docs/ holds figures of full runs only.
"""

import argparse
import importlib.metadata
import importlib.util
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "models"
DOCS = ROOT / "docs"
REFUSED = 2  # the exit code of wrong usage, as in mbsim


class Peer(NamedTuple):
    """Another code that mbsim is compared with."""

    name: str
    module: str
    comes_by: str = "'.[bench]'"  # what pip installs it by


EXUDYN = Peer("Exudyn", "exudyn")
PINOCCHIO = Peer("Pinocchio", "pinocchio")
MUJOCO = Peer("MuJoCo", "mujoco")
MJX = Peer("MJX", "jax", "mujoco-mjx")


def parser(documentation: str | None, *, writes: bool = False) -> argparse.ArgumentParser:
    """A parser with `--quick`, described by the first line of a script's docstring; with `--output` where the script `writes` files."""
    made = argparse.ArgumentParser(description=(documentation or "").partition("\n")[0])
    made.add_argument("--quick", action="store_true", help="go through everything at a small size, in seconds")
    if writes:
        told = "write here instead of docs/, pictures into FOLDER/images (default with --quick: nothing is kept)"
        made.add_argument("-o", "--output", type=Path, metavar="FOLDER", help=told)
    return made


@contextmanager
def output_folder(given: argparse.Namespace) -> Iterator[Path]:
    """The folder to write into: that of `--output`, in quick runs a temporary one, else docs/. It has a folder `images`."""
    with tempfile.TemporaryDirectory() as scratch:
        folder: Path = given.output or (Path(scratch) if given.quick else DOCS)
        (folder / "images").mkdir(parents=True, exist_ok=True)
        yield folder
        if folder != Path(scratch):
            print(f"written into {folder}")


def installed(peer: Peer, quick: bool) -> bool:
    """Whether a peer can be imported. Where it cannot, a quick run says so in a line; any other ends with exit code 2."""
    if importlib.util.find_spec(peer.module) is not None:
        return True
    if quick:
        print(f"{peer.name} is not installed: left out.", flush=True)
        return False
    print(
        f"{peer.name} is not installed, and this comparison needs it: pip install {peer.comes_by}, or --quick without it.", file=sys.stderr
    )
    sys.exit(REFUSED)


def command(script: str) -> str:
    """How the running script was called, for its document; `script` is its `__file__`."""
    return shlex.join(["python", f"scripts/{Path(script).name}", *sys.argv[1:]])


def versions(*packages: str) -> str:
    """`numba 0.68.0, numpy 2.4.1`."""

    def version(package: str) -> str:
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            return "(not installed)"

    return ", ".join(f"{package} {version(package)}" for package in packages)
