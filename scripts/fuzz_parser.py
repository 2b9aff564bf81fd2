"""Mutates programs, as text and as bytecode, and runs the tools on them: none may crash, assert or hang.

python scripts/fuzz_parser.py [--seconds S] [--seed N] [--batches M] [--batch B] [--json-fuzzer BINARY]

Batch b of seed n always holds the same cases (of the same programs); how many batches there are is a matter of time.
Allowed are the exit codes 0 and 1 of partita-opt and 0, 65, 69, 75 of partita. Everything else is a failure: it is
saved below build/fuzz with a note that says how to run it again, and the exit code is 1. Texts go to partita-opt many
at a time, which reads on after errors; a batch that fails is halved until the case is found.

Debian's MLIR does not survive every broken bytecode. A case of bytecode on which mlir-opt itself crashes or hangs is
counted apart, and no failure as long as `partita` contains it: exit code 70 with a message.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from fuzz_mutations import mutate_bytes, mutate_text
from fuzz_seeds import read_seeds
from llvm_tools import find_tool
from sources import BUILD, ROOT

BIN = Path(os.environ.get("PARTITA_BIN_DIR", BUILD / "bin"))
WORK = BUILD / "fuzz"
TIMEOUT_SECONDS = 20.0
TEXTS_PER_BATCH, SINGLES_PER_BATCH = 48, 8
SEPARATOR = "\n// -----\n"
OPT = ("partita-opt", "--mlir-disable-threading", "--mlir-print-debuginfo")
BATCHED = (*OPT, "--split-input-file")
ALLOWED = {"partita-opt": (0, 1), "partita": (0, 65, 69, 75)}
CONTAINED = re.compile(r"^exit code 70\n(?:.*\n)*partita: internal error: |^no answer")
ROUND_TRIP_BROKEN = re.compile(r"cannot verify round-trip|roundTrip testing roundtripped module differs")


@dataclass(frozen=True)
class Case:
    """One input for one tool. `name` tells seed, batch and number."""

    name: str
    command: tuple[str, ...]
    contents: bytes
    suffix: str


@dataclass(frozen=True)
class Failure:
    case: Case
    reason: str


@dataclass
class Tally:
    """What was run, what failed, and how many cases end MLIR's own tool as well."""

    cases: int = 0
    upstream: int = 0
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.cases += other.cases
        self.upstream += other.upstream
        self.failures += other.failures


def execute(case: Case, tool: Path, options: Sequence[str]) -> tuple[int | None, str]:
    """The exit code and the messages of one run; no code when it had to be ended."""
    path = WORK / "run" / f"{case.name}{case.suffix}"
    path.write_bytes(case.contents)
    try:
        done = subprocess.run(
            [tool, *options, path],
            cwd=WORK / "run",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, f"no answer after {TIMEOUT_SECONDS:g} s"
    finally:
        path.unlink()
    return done.returncode, done.stderr.decode(errors="replace")[-4000:]


def run_tool(case: Case) -> str | None:
    """None if the tool answered as it may; else what it did instead."""
    tool, *options = case.command
    code, message = execute(case, BIN / tool, options)
    if code is None:
        return message
    if code not in ALLOWED[tool]:
        return f"exit code {code}\n{message}"
    if found := ROUND_TRIP_BROKEN.search(message):
        return f"round trip: {found[0]}\n{message}"
    return None


def ends_mlir_opt(case: Case, reason: str) -> bool:
    """Whether a case that failed with `reason` is the upstream reader's, and `partita` said so properly."""
    if case.suffix != ".mlirbc" or (case.command[0] == "partita" and not CONTAINED.search(reason)):
        return False
    code, _ = execute(case, Path(find_tool("mlir-opt")), ["--allow-unregistered-dialect", "--mlir-disable-threading"])
    return code is None or code < 0


def find_failures(name: str, texts: list[str], command: tuple[str, ...]) -> Iterator[Failure]:
    """Runs texts together, and halves those that fail until single ones remain."""
    case = Case(name, command, SEPARATOR.join(texts).encode("utf-8", "surrogatepass"), ".mlir")
    reason = run_tool(case)
    if reason is None:
        return
    if len(texts) == 1:
        yield Failure(case, reason)
        return
    middle = len(texts) // 2
    halves = list(find_failures(f"{name}l", texts[:middle], command))
    halves += find_failures(f"{name}r", texts[middle:], command)
    # What fails only together is a failure as a whole.
    yield from halves or [Failure(case, reason)]


def single_cases(name: str, texts: list[str], bytecode: list[bytes], rng: random.Random) -> Iterator[Case]:
    """Some of the texts for partita, and bytecode for both tools in turn."""
    for number, text in enumerate(rng.sample(texts, SINGLES_PER_BATCH)):
        yield Case(f"{name}-import{number}", ("partita", "import"), text.encode(), ".mlir")
    for number in range(SINGLES_PER_BATCH if bytecode else 0):
        command = OPT if number % 2 else ("partita", "import")
        yield Case(f"{name}-bytes{number}", command, mutate_bytes(rng.choice(bytecode), rng), ".mlirbc")


def run_batch(seed: int, batch: int, programs: list[str], bytecode: list[bytes]) -> Tally:
    rng = random.Random(f"{seed}/{batch}")
    texts = [mutate_text(rng.choice(programs), programs, rng) for _ in range(TEXTS_PER_BATCH)]
    name = f"{seed}-{batch}"
    checked = (*BATCHED, "--verify-roundtrip") if batch % 2 else BATCHED
    tally = Tally(len(texts), 0, list(find_failures(f"{name}-text", texts, checked)))
    for case in single_cases(name, texts, bytecode, rng):
        tally.cases += 1
        reason = run_tool(case)
        if reason is None:
            continue
        if ends_mlir_opt(case, reason):
            tally.upstream += 1
        else:
            tally.failures.append(Failure(case, reason))
    return tally


def emit_bytecode(program: str, number: int) -> bytes | None:
    """Bytecode holds the path of its source, as it was given: only a name, for the same bytes wherever this runs."""
    folder, source, target = WORK / "run", f"seed{number}.mlir", f"seed{number}.mlirbc"
    (folder / source).write_text(program)
    command: list[str | Path] = [BIN / "partita-opt", "--emit-bytecode", source, "-o", target]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=TIMEOUT_SECONDS)
    return (folder / target).read_bytes() if done.returncode == 0 else None


def make_bytecode(programs: list[str], seed: int, most: int = 150) -> list[bytes]:
    """Bytecode of some programs; those that the parser rejects have none."""
    chosen = random.Random(f"bytecode {seed}").sample(programs, min(most, len(programs)))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [data for data in pool.map(emit_bytecode, chosen, range(len(chosen))) if data]


def save(failure: Failure) -> Path:
    folder = WORK / "failures"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{failure.case.name}{failure.case.suffix}"
    path.write_bytes(failure.case.contents)
    tool, *options = failure.case.command
    again = " ".join([f"build/bin/{tool}", *options, str(path.relative_to(ROOT))])
    path.with_suffix(".txt").write_text(f"{again}\n{failure.reason}\n")
    return path


def fuzz(seed: int, seconds: float, numbers: range) -> Tally:
    """Runs these batches, one on each core at a time, until the time is over."""
    (WORK / "run").mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + seconds
    seeds = read_seeds(seed)
    programs = seeds.accepted + seeds.rejected
    bytecode = make_bytecode(seeds.accepted, seed)
    print(f"fuzz: {len(programs)} programs, {len(bytecode)} as bytecode, seed {seed}", flush=True)
    total, cores = Tally(), os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as pool:
        for start in range(numbers.start, numbers.stop, cores):
            if time.monotonic() > deadline:
                break
            together = range(start, min(start + cores, numbers.stop))
            for tally in pool.map(lambda batch: run_batch(seed, batch, programs, bytecode), together):
                total.add(tally)
    return total


def fuzz_json(binary: Path, seconds: float, seed: int) -> int:
    """libFuzzer on the JSON reader, from the repository's own JSON files; its exit code."""
    corpus = WORK / "json"
    corpus.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={int(seconds)}",
        f"-seed={seed}",
        "-max_len=4096",
        "-timeout=10",
        "-print_final_stats=1",
    ]
    command: list[str | Path] = [
        binary,
        *options,
        f"-artifact_prefix={WORK}/json-",
        corpus,
        ROOT / "models" / "schedules",
    ]
    # See SANITIZER_OPTIONS of run_tests.py.
    environment = os.environ | {"ASAN_OPTIONS": "allow_user_poisoning=0:detect_leaks=0"}
    done = subprocess.run(command, cwd=WORK, check=False, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        print(done.stderr[-4000:])
    runs = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
    print(f"fuzz: JSON reader, {runs[1] if runs else '?'} inputs, exit code {done.returncode}")
    return done.returncode


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0, help="when to stop")
    parser.add_argument("--seed", type=int, default=1, help="what the cases follow from")
    parser.add_argument("--batches", type=int, default=1_000_000, help="most batches to run")
    parser.add_argument("--batch", type=int, help="run this batch only")
    parser.add_argument(
        "--json-fuzzer", type=Path, help="libFuzzer binary of the JSON reader; it takes a fifth more time"
    )
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    missing = [tool for tool in ALLOWED if not (BIN / tool).is_file()]
    if missing:
        print(f"fuzz: {', '.join(missing)} not in {BIN}; run make first")
        return 1
    numbers = range(options.batches) if options.batch is None else range(options.batch, options.batch + 1)
    total = fuzz(options.seed, options.seconds, numbers)
    for failure in total.failures:
        print(f"fuzz: FAILED {save(failure).relative_to(ROOT)}: {failure.reason.splitlines()[0]}")
    print(f"fuzz: {total.cases} cases, {len(total.failures)} failures; {total.upstream} end mlir-opt-22 as well")
    code = fuzz_json(options.json_fuzzer.resolve(), options.seconds / 5, options.seed) if options.json_fuzzer else 0
    return 1 if total.failures or code else 0


if __name__ == "__main__":
    sys.exit(main())
