"""Compile what all FMUs have in common to LLVM's language, into `mbsim/programs/c`: after each change there, or of `mbsim.programs.given`.

    python scripts/shim.py            # writes them
    python scripts/shim.py --quick    # compiles one of them

It takes `pip install ziglang`. All kinds of machines must give the same text: no header of a system is in it, and what is left to their
conventions, as how a truth is handed over, is taken out.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import llvmlite.binding as llvm

from mbsim.programs import shim
from mbsim.programs.platforms import PLATFORMS

FOLDER = Path(shim.__file__).parent / "c"
FLAGS = (
    "-std=c99", "-O1", "-Xclang", "-disable-llvm-passes", "-nostdinc", "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off",
    "-fno-sanitize=undefined", "-fsigned-char", "-fno-math-errno", "-fno-stack-protector", "-g0", "-S", "-emit-llvm",
    "-Wno-unused-command-line-argument",
)  # fmt: skip
LAYOUT = "e-i64:64-n8:16:32:64-S128"  # what the kinds of machines have in common


def main() -> None:
    """For both versions."""
    from command_line import REFUSED, parser  # here, because a test runs this file without its folder on the import path

    given = parser(__doc__).parse_args()
    if find_spec("ziglang") is None:
        if not given.quick:
            print("ziglang is not installed: pip install ziglang", file=sys.stderr)
            sys.exit(REFUSED)
        print("ziglang is not installed: left out.")
    elif given.quick:
        with tempfile.TemporaryDirectory() as name:
            write(Path(name), [2], ["x86_64-linux"])
    else:
        write(FOLDER)


def write(folder: Path, versions: Iterable[int] = tuple(shim.INTERFACES), machines: Iterable[str] = tuple(PLATFORMS)) -> None:
    """Write the files of these versions, which must be the same from each kind of machines."""
    for version in versions:
        texts = {name: _compiled(shim.text(version), PLATFORMS[name].zig) for name in machines}
        first = next(iter(texts.values()))
        other = [name for name, text in texts.items() if text != first]
        if other:
            sys.exit(f"of {', '.join(other)} the text is another one")
        path = folder / f"fmi{version}.ll"
        path.write_text(f"{shim.made_from(version)}\n{_reduced(first)}", encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def _compiled(text: str, target: str) -> str:
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "unit.c"
        source.write_text(text, encoding="utf-8")
        subprocess.run([sys.executable, "-m", "ziglang", "cc", "-target", target, *FLAGS, "-o", "unit.ll", "unit.c"], cwd=name, check=True)
        return _neutral((Path(name) / "unit.ll").read_text(encoding="utf-8"))


def _neutral(text: str) -> str:
    """Without what tells of a machine: attributes, metadata, how small numbers are extended, where addresses may be."""
    kept = [line for line in text.splitlines() if not line.startswith(("source_filename", "target ", "attributes ", "!", ";"))]
    text = "\n".join(kept)
    for pattern in (
        r" #\d+\b",
        r",? ![\w.]+ ![\w.]+",
        r"\b(dso_local|hidden|noundef|zeroext|signext|local_unnamed_addr) ",
        r" *; preds = .*",
        r",? align \d+",
    ):
        text = re.sub(pattern, "", text)
    return text


def _reduced(text: str) -> str:
    """With values in place of variables, so that less has to be read for each unit."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(f'target datalayout = "{LAYOUT}"\n{text}')
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    manager = llvm.create_new_module_pass_manager()
    manager.add_sroa_pass()
    manager.add_simplify_cfg_pass()
    manager.add_new_gvn_pass()
    manager.add_instruction_combine_pass()
    manager.add_simplify_cfg_pass()
    manager.run(module, builder)
    module.verify()
    return "\n".join(line for line in str(module).splitlines() if not line.startswith((";", "source_filename", "target "))) + "\n"


if __name__ == "__main__":
    main()
