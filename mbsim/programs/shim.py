"""What FMUs of all models have in common: files of the folder `c`, compiled once to LLVM's language and kept in the package.

`text` is the source for a compiler of C, `fmi2.ll` and `fmi3.ll` what `scripts/shim.py` made of it with ziglang. What the program of a
model is given (`mbsim.programs.given`) is declared in it, and defined in the module of the model.
"""

import hashlib
from importlib.resources import files

from mbsim.programs.ctext import declared, part, parts
from mbsim.programs.given import CALLS, TABLES, columns
from mbsim.programs.numbers import EXACT, NUMBERS, OF_PHASE

OFFERS = ("HAS_PHASES", "HAS_EVENTS", "HAS_STOPS", "HAS_SLOTS", "COUNTS_EVENTS")  # of libraries of C, which have no more than they need
PARTS = (*parts(dict.fromkeys(OFFERS, True)), "exchange.c", "indicators.c", "derivatives.c", "instance.c")
INTERFACES = {2: ("fmi2.c", "exchange2.c"), 3: ("fmi3.c", "never3.c", "events3.c", "exchange3.c")}
FIRST = "; made by scripts/shim.py from "


def text(version: int) -> str:
    """The source in C of all units of a version of FMI, with everything there may be in one."""
    lines = [part("generic.h"), *(f"#define {name} 1" for name in OFFERS)]
    lines += [f"extern const int32_t {name};" for name in NUMBERS]
    for name in OF_PHASE:  # a stride of 0: all phases have the same
        lines += [f"extern const int32_t of_{name}[], stride_{name};", f"#define {name} (of_{name}[unit->words[PHASE] * stride_{name}])"]
    lines += [f"extern const double {name};" for name in EXACT]
    for name in TABLES:
        its, inner = columns(name)[0], columns(name).inner
        lines.append(f"extern const int32_t count_of_{name};")
        if inner:  # its lines are as long as the model has it
            kind = its[0][0]
            member = {"text": "const char *const", "call": "call"}.get(kind, f"const {kind}")
            lines += [f"extern {member} flat_{name}[];", f"#define {name} (({member} (*)[{inner}])flat_{name})"]
        else:
            lines.append(f"extern {declared(name).replace('@', name)}{'[]' if its[0][1] else ''};")
    lines.insert(1, "typedef long long (*const call)(long long *);")
    lines += [f"extern {'int64_t' if returns else 'void'} {name}(int64_t *);" for name, returns in CALLS.items()]
    lines.append("extern const char identity[33];")
    return "\n".join([*lines, *map(part, [*PARTS, *INTERFACES[version]])])


def made_from(version: int) -> str:
    """What `scripts/shim.py` writes first into a file: it tells whether the file is that of this source."""
    return FIRST + hashlib.sha256(text(version).encode()).hexdigest()


def assembly(version: int) -> str:
    """The file in LLVM's language."""
    return files("mbsim.programs").joinpath("c", f"fmi{version}.ll").read_text(encoding="utf-8")
