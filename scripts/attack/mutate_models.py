"""Damages shipped model files in many ways and reads each: every outcome must be a model or a documented error, within a time.

    python scripts/attack/mutate_models.py --quick       400 files, a few seconds
    python scripts/attack/mutate_models.py               300,000 files with two processes, 15 minutes on two idle cores

Each file is a shipped model (or a random block of parameters that depend on each other) to which one to four things happen: bytes flip,
tokens swap, lines are deleted, doubled or moved, numbers become extreme or something else, brackets nest deeply, words are misspelt. It is
read by `mbsim.model.load`; every ASSEMBLED-th model that is read is also assembled where no new equations have to be compiled. What is not
a model must be a ModelError with a place and a message of one line. Anything else is a finding, printed with the seed that makes it again
(`--seed SEED --count 1`), and the exit code is 1.
"""

import argparse
import multiprocessing
import os
import re
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from mbsim import registry
from mbsim.cli.models import list_shipped
from mbsim.model import rules
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load
from mbsim.model.schema import Model

FULL, QUICK = 300_000, 400
LONGEST_READ = 10.0  # s of processor time for one file; shipped models take 2 to 20 ms
LARGEST_MODEL = 4_000  # bytes; longer ones would be most of the time
ASSEMBLED = 20
LONGEST_MESSAGE = 2000  # characters of one problem
CHUNK = 500  # files of a task
NUMBERS = (
    "1e308", "-1e308", "1e-308", "5e-324", ".inf", "-.inf", ".nan", "0", "-0.0", "1e400", "1e39", "-1", "1e-18", "99999999999999999999999",
    "0x7fffffffffffffff", "true", "null", "~", "[]", "{}", "''", "1/0", "0/0", "(-1)^t", "0^t", "t", "1 kg", "deg(90)", "x", "sqrt(-1)",
    "1e308*10", "der(t)", "__import__('os')", "1" * 400, "(" * 100 + "1" + ")" * 100, "-" * 200 + "1", "if_else(1<2,1,2)", "t/(t-t)",
)  # fmt: skip
WORDS = (
    "ground", "fixed", "revolute", "points", "bodies", "at", "axis", "mass", "inertia", "joint", "type", "angle", "end", "step", "method",
    "aba", "cfa", "svd", "value", "body", "t", "der", "omega", "<<", "&a", "*a", "!!python/object:os.system", "%YAML 9", "---", "...", "? ",
)  # fmt: skip
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:[eE][-+]?\d+)?(?![\w.])")
TOKEN = re.compile(r"[\w.]+|[^\w\s]")
Rng = np.random.Generator


def any_of(rng: Rng, items: "list[str] | tuple[str, ...]") -> str:
    chosen: str = items[int(rng.integers(len(items)))]
    return chosen


def flip_bytes(text: str, rng: Rng) -> str:
    raw = bytearray(text.encode("utf-8", errors="surrogateescape"))
    for _ in range(int(rng.integers(1, 6))):
        raw[int(rng.integers(len(raw)))] ^= 1 << int(rng.integers(8))
    return raw.decode("utf-8", errors="surrogateescape" if rng.uniform() < 0.1 else "replace")


def swap_tokens(text: str, rng: Rng) -> str:
    found = list(TOKEN.finditer(text))
    if len(found) < 2:
        return text
    i, j = sorted(rng.choice(len(found), 2, replace=False))
    a, b = found[i], found[j]
    return str(text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :])


def delete_token(text: str, rng: Rng) -> str:
    found = list(TOKEN.finditer(text))
    if not found:
        return text
    token = found[int(rng.integers(len(found)))]
    return text[: token.start()] + text[token.end() :]


def misspell(text: str, rng: Rng) -> str:
    found = [token for token in TOKEN.finditer(text) if token[0][0].isalpha()]
    if not found:
        return text
    token = found[int(rng.integers(len(found)))]
    k = int(rng.integers(len(token[0])))
    return (
        text[: token.start()] + token[0][:k] + any_of(rng, ["", "x", "_", "9", token[0][k] * 2]) + token[0][k + 1 :] + text[token.end() :]
    )


def cut(text: str, rng: Rng) -> str:
    i, j = sorted(rng.integers(len(text) + 1, size=2))
    return text[:i] + text[j:] if rng.uniform() < 0.5 else text[: max(int(i), 1)]


def move_lines(text: str, rng: Rng) -> str:
    lines = text.splitlines()
    i, count = int(rng.integers(len(lines))), int(rng.integers(1, 4))
    taken = lines[i : i + count]
    if rng.uniform() < 0.5:
        del lines[i : i + count]
    if rng.uniform() < 0.7:
        at = int(rng.integers(len(lines) + 1))
        lines[at:at] = [any_of(rng, ["", "  ", "    "]) + line.lstrip() if rng.uniform() < 0.3 else line for line in taken]
    return "\n".join(lines) + "\n"


def other_number(text: str, rng: Rng) -> str:
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    number = found[int(rng.integers(len(found)))]
    return text[: number.start()] + any_of(rng, NUMBERS) + text[number.end() :]


def scaled_number(text: str, rng: Rng) -> str:
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    number = found[int(rng.integers(len(found)))]
    value = float(number[0]) * float(rng.choice([-1.0, 1.0])) * 10.0 ** float(rng.uniform(-40.0, 40.0) * rng.choice([0.0, 0.1, 1.0]))
    return text[: number.start()] + f"{value:.6g}" + text[number.end() :]


def other_word(text: str, rng: Rng) -> str:
    found = list(TOKEN.finditer(text))
    if not found:
        return text
    token = found[int(rng.integers(len(found)))]
    word = any_of(rng, WORDS) if rng.uniform() < 0.5 else found[int(rng.integers(len(found)))][0]
    return text[: token.start()] + word + text[token.end() :]


def nest(text: str, rng: Rng) -> str:
    at, depth = int(rng.integers(len(text) + 1)), int(rng.choice([3, 50, 150, 3000]))
    opening, closing = [("[", "]"), ("{a: ", "}"), ("(", ")"), ("- ", ""), ("abs(", ")")][int(rng.integers(5))]
    return text[:at] + opening * depth + any_of(rng, ["1", "", "x"]) + closing * depth + text[at:]


def add_line(text: str, rng: Rng) -> str:
    at = text.find("\n", int(rng.integers(len(text)))) + 1
    key, value = any_of(rng, WORDS), any_of(rng, NUMBERS)
    return text[:at] + any_of(rng, ["", "  ", "    ", "\t"]) + f"{key}: {value}\n" + text[at:]


def cyclic_parameters(text: str, rng: Rng) -> str:
    """A block of parameters over each other, and over those of the model, in front of it or in place of its own."""
    n = int(rng.integers(2, 12))
    names = [f"c{k}" for k in range(n)]
    known = re.findall(r"[A-Za-z_]\w*(?=\s*:\s*[-\d.])", text)[:20]
    lines = []
    for name in names:
        parts = [any_of(rng, [*names, *known]) for _ in range(int(rng.integers(0, 3)))] + ["1"]
        lines.append(f"  {name}: {any_of(rng, [' + ', '*', ' - ']).join(parts)}")
    block = "parameters:\n" + "\n".join(lines) + "\n"
    found = re.search(r"^parameters:.*\n(?:[ #].*\n)*", text, re.MULTILINE)
    changed = text[: found.start()] + block + text[found.end() :] if found else block + text
    places = list(NUMBER.finditer(changed))
    for place in sorted((places[int(rng.integers(len(places)))] for _ in range(2)), key=lambda x: -x.start()) if places else ():
        changed = changed[: place.start()] + any_of(rng, names) + changed[place.end() :]
    return changed


CHANGES = (
    scaled_number, flip_bytes, swap_tokens, delete_token, misspell, cut, move_lines, other_number, other_number, other_word, nest, add_line,
    cyclic_parameters,
)  # fmt: skip


def sources() -> list[str]:
    """The shipped models that are not too long, and a free body."""
    texts = [path.read_text(encoding="utf-8") for path in list_shipped().values()]
    free = "dimension: 2\nparameters: {a: 1, b: 2*a}\nbodies: {box: {mass: a, inertia: b}}\nsimulation: {end: 1}\n"
    return [free, *(text for text in texts if len(text) < LARGEST_MODEL)]


def mutant(seed: int, texts: list[str]) -> str:
    """The text that belongs to a seed."""
    rng = np.random.default_rng(seed)
    text = any_of(rng, texts)
    for _ in range(int(rng.choice([1, 1, 1, 2, 3, 4]))):
        change = CHANGES[int(rng.integers(len(CHANGES)))]
        text = change(text, rng) or "a"
    return text


def outcome(text: str, assembled: bool) -> tuple[str, str]:
    """The class of what reading gives, and for a finding what was wrong."""
    try:
        model = load(text, registry, file="m.yaml")
    except ModelError as error:
        return _judge(error)
    except BaseException:
        return "FINDING: exception", traceback.format_exc()
    if lost := list(rules.left_out(model.document.data, model)):
        return "FINDING: left out", str(lost)
    if not assembled or model.coordinates or _has_laws(model):
        return "model", ""
    from mbsim.assembly import assemble

    try:
        assemble(model)
    except ModelError as error:
        kind, why = _judge(error)
        return kind if why else f"{kind} of assembly", why
    except BaseException:
        return "FINDING: exception of assembly", traceback.format_exc()
    return "assembled", ""


def _judge(error: ModelError) -> tuple[str, str]:
    text = str(error)
    if not error.problems or not text.strip():
        return "FINDING: empty error", text
    for problem in error.problems:
        if "please report it" in problem.message:
            return "FINDING: left out", text
        if len(str(problem)) > LONGEST_MESSAGE or "\n" in problem.message:
            return "FINDING: long message", text[:3000]
        if "object at 0x" in problem.message or "Traceback" in problem.message:
            return "FINDING: words of Python", text
    return "errors" if len(error.problems) > 1 else "error", ""


def _has_laws(model: Model) -> bool:
    """Whether equations would have to be compiled."""
    from mbsim.model.coverage import expressions

    return any(path[0] not in ("measures", "simulation", "reference") for path, _ in expressions(model))


def run(seeds: range) -> tuple[Counter[str], list[str]]:
    """The counts of a range of seeds, and the findings."""
    warnings.simplefilter("error")  # NumPy's, which a user would see
    counts: Counter[str] = Counter()
    findings: list[str] = []
    texts = sources()
    for seed in seeds:
        text = mutant(seed, texts)
        began = time.process_time()
        kind, why = outcome(text, seed % ASSEMBLED == 0)
        took = time.process_time() - began
        if took > LONGEST_READ and "assembl" not in kind:  # assembling may compile kernels
            kind, why = "FINDING: slow", f"{took:.1f} s"
        counts[kind] += 1
        if kind.startswith("FINDING"):
            findings.append(f"seed {seed}: {kind}\n{why}")
    return counts, findings


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Damage model files and read them.")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} files in this process")
    parser.add_argument("--count", type=int, default=FULL)
    parser.add_argument("--seed", type=int, default=0, help="of the first file")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--show", type=int, metavar="SEED", help="print the file that belongs to a seed")
    given = parser.parse_args(arguments)
    if given.show is not None:
        sys.stdout.buffer.write(mutant(given.show, sources()).encode("utf-8", errors="surrogateescape"))
        return 0
    count = QUICK if given.quick else given.count
    tasks = [range(given.seed + k, min(given.seed + k + CHUNK, given.seed + count)) for k in range(0, count, CHUNK)]
    began = time.perf_counter()
    counts: Counter[str] = Counter()
    findings: list[str] = []
    if given.quick or given.processes < 2 or len(tasks) < 2:
        parts = map(run, tasks)
        for found, wrong in parts:
            counts += found
            findings += wrong
    else:
        with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
            for found, wrong in pool.imap_unordered(run, tasks):
                counts += found
                findings += wrong
    for finding in findings[:20]:
        print(finding)
    for kind, number in sorted(counts.items()):
        print(f"{kind:28} {number:8}")
    print(f"{sum(counts.values())} files, {len(findings)} findings, {time.perf_counter() - began:.0f} s")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    sys.exit(main())
