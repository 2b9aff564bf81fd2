"""Speed, as ratios that are measured in one run: `make bench`.

read       partita-opt: parse, verify and print a 100k-op text, against mlir-opt-22 on the same program in generic form,
           with unregistered dialects allowed (it verifies nothing of StableHLO)      goal: at most 1.0 times
import     partita import: the import stage against the parse stage of the same run   goal: at most 0.5 times
flatten    partita plan --stop-after=flatten: the flatten stage against the parse stage goal: at most 0.1 times
graph      memory of the flat program                                                 goal: at most 1024 bytes an op
propagate  a step of propagation and its undo, on the largest unrolled programs of build/zoo  goal: at most 50 ns of the
           processor for each op it touches
lower      partita plan --stop-after=lower with a schedule, from text to local text, against partita-opt on the same
           program: both in time of the processor; the static check, which has a stage of its own, is not counted
                                                                                      goal: at most 1.5 times
growth     the same of 100k ops against 10k, for each op; MLIR's own reader and printer, whose figure stands beside it,
           slow down when a program is larger than the processor's cache (bench/instructions.py has both rows in
           instructions, which nothing disturbs)                                      goal: at most 1.1 times
check      the static check of the local program alone, of 100k ops against 10k, for each op  goal: at most 1.1 times
devices    the same for 4,096 devices against 8                                       goal: at most 1.1 times
memory     the most that it holds at a time, beyond what partita-opt holds            goal: at most 2048 bytes an op
price      the price of such a step and its undo                                      goal: at most 50 ns for each op
analyze    partita plan --stop-after=analyze: the analysis against the parse stage     goal: at most 0.2 times
search     partita plan --stop-after=tactics on the unrolled llama 8B: the search stage (analysis, folding, states,
           bound) against the parse stage, as a user waits for them; the same of the processor on one thread beside it;
           on two axes and on three                                                   goal: at most 1.0 and 2.0 times
layers     the same of ten times the layers                                           goal: at most 1.2 times
large      partita plan in all on llama 70B as a loop over layers, of the processor   goal: at most 1 s
threads    time of a search on two threads against one; beside it what the machine gives two processes that have
           nothing to do with each other                                              goal: at most 0.67 times
start      partita --help                                                             goal: at most 10 ms
evaluate   the evaluator on each tiny program of the zoo, against XLA on one thread   goal: at most 50 times, each

Both sides of a ratio alternate, and the best of several repetitions counts: what disturbs a run makes it only slower.
The exit code is 1 if a goal is missed and `--strict` is given.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from generate import write_program

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from llvm_tools import find_tool  # noqa: E402
from models import exported  # noqa: E402

BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
MLIR_OPT = find_tool("mlir-opt", BIN.parent)
CACHE = ROOT / "build" / "bench"
OPT: list[str | Path] = [BIN / "partita-opt", "--mlir-print-debuginfo", "-o", CACHE / "read.out.mlir"]
OPS = 100_000
STARTS = 50


@dataclass(frozen=True)
class Row:
    """One measured figure against its goal; both in `unit`, smaller is better."""

    name: str
    value: float
    goal: float
    unit: str
    detail: str

    @property
    def met(self) -> bool:
        return self.value <= self.goal

    def __str__(self) -> str:
        verdict = "met" if self.met else "MISSED"
        return (
            f"{self.name:10} {self.value:8.2f} {self.unit:2} {self.goal:8.2f} {self.unit:2}  {verdict:6}  {self.detail}"
        )


@dataclass(frozen=True)
class Time:
    """Seconds on the clock, and of the processor; they differ where other work disturbs, or threads help."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall * 1e3:.0f} ms (cpu {self.cpu * 1e3:.0f})"


def measure(command: list[str | Path]) -> Time:
    """Times a command that must succeed; its output goes nowhere."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Time(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def best(times: list[Time]) -> Time:
    return Time(min(time.wall for time in times), min(time.cpu for time in times))


def best_alternating(first: list[str | Path], second: list[str | Path], repetitions: int) -> tuple[Time, Time]:
    pairs = [(measure(first), measure(second)) for _ in range(repetitions)]
    return best([pair[0] for pair in pairs]), best([pair[1] for pair in pairs])


def prepare(ops: int) -> tuple[Path, Path]:
    """The program in pretty and in generic form, with locations; made anew when partita-opt or the generator is."""
    CACHE.mkdir(parents=True, exist_ok=True)
    pretty, generic = CACHE / f"transformer-{ops}.mlir", CACHE / f"transformer-{ops}.generic.mlir"
    newest = max(path.stat().st_mtime for path in (BIN / "partita-opt", Path(__file__).with_name("generate.py")))
    if generic.is_file() and generic.stat().st_mtime > newest:
        return pretty, generic
    source = CACHE / f"transformer-{ops}.source.mlir"
    source.write_text(write_program(ops))
    opt: list[str | Path] = [BIN / "partita-opt", "--mlir-print-debuginfo", source]
    subprocess.run([*opt, "-o", pretty], check=True)
    subprocess.run([*opt, "--mlir-print-op-generic", "-o", generic], check=True)
    return pretty, generic


def bench_read(ops: int, repetitions: int) -> Row:
    pretty, generic = prepare(ops)
    out = CACHE / "read.out.mlir"
    ours: list[str | Path] = [BIN / "partita-opt", "--mlir-print-debuginfo", pretty, "-o", out]
    theirs: list[str | Path] = [
        MLIR_OPT, "--allow-unregistered-dialect", "--mlir-print-debuginfo", generic, "-o", out,
    ]  # fmt: skip
    mine, other = best_alternating(ours, theirs, repetitions)
    sizes = f"{pretty.stat().st_size / 1e6:.1f} and {generic.stat().st_size / 1e6:.1f} MB"
    detail = f"partita-opt {mine}, mlir-opt {other}; cpu ratio {mine.cpu / other.cpu:.2f}; {sizes}"
    return Row("read", mine.wall / other.wall, 1.0, "x", detail)


def stages(path: Path, last: str) -> dict[str, dict[str, float]]:
    """What `partita plan --timing` reports of each stage up to `last`, one JSON object a line."""
    command: list[str | Path] = [
        BIN / "partita", "plan", path, f"--stop-after={last}", "--timing", "-o", CACHE / f"{last}.out",
    ]  # fmt: skip
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    records = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    return {record["stage"]: record for record in records}


def ratio(name: str, stage: str, goal: float, runs: list[dict[str, dict[str, float]]]) -> Row:
    """The best time of a stage against the best time of parsing, both of the processor."""
    parse, own = (min(run[each]["cpu_ms"] for run in runs) for each in ("parse", stage))
    return Row(name, own / parse, goal, "x", f"{stage} {own:.0f} ms of the processor, parse {parse:.0f} ms")


def bench_import(ops: int, repetitions: int) -> Row:
    pretty, _ = prepare(ops)
    return ratio("import", "import", 0.5, [stages(pretty, "import") for _ in range(repetitions)])


def bench_flatten(ops: int, repetitions: int) -> list[Row]:
    pretty, _ = prepare(ops)
    runs = [stages(pretty, "flatten") for _ in range(repetitions)]
    graph = runs[0]["graph"]
    memory = Row("graph", graph["bytes"] / graph["ops"], 1024.0, "B", f"{graph['ops']} ops, copies included")
    return [ratio("flatten", "flatten", 0.1, runs), memory]


@dataclass(frozen=True)
class Spent:
    """What a process took of the processor, and held at most; with all processes that it started."""

    seconds: float
    peak_bytes: int
    timing: dict[str, dict[str, float]]


def spend(command: list[str | Path], allowed: tuple[int, ...] = (0,)) -> Spent:
    """Runs a command that must end with a code that is allowed; what it prints of stages is kept."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    records = [json.loads(line) for line in process.stderr if line.startswith("{")]
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in allowed:
        raise subprocess.CalledProcessError(process.returncode, command)
    timing = {record["stage"]: record for record in records}
    return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, timing)


def lower_command(path: Path, mesh: str) -> list[str | Path]:
    """From text to the local program's text, by a schedule: data and tensor parallelism."""
    schedule = CACHE / "schedule.json"
    tactics = [
        {"name": "BP", "axis": "data", "tile": [["x", 0]]},
        {"name": "MP", "axis": "model", "tile": [["up", 1]]},
    ]
    schedule.write_text(json.dumps({"tactics": tactics}))
    return [
        BIN / "partita", "plan", path, "--mesh", mesh, "--schedule", schedule, "--stop-after=lower", "--timing",
        "-o", CACHE / "local.mlir",
    ]  # fmt: skip


def lower(path: Path, mesh: str) -> Spent:
    """Without the static check."""
    spent = spend(lower_command(path, mesh))
    check = spent.timing.get("check", {"cpu_ms": 0.0})["cpu_ms"] * 1e-3
    return Spent(spent.seconds - check, spent.peak_bytes, spent.timing)


def print_ms(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"


def bench_lower(ops: int, repetitions: int) -> list[Row]:
    large, small = prepare(ops)[0], prepare(ops // 10)[0]
    few, many = "data=4,model=2", "data=8,model=512"
    # Alternating, so that what disturbs one disturbs all.
    works: tuple[Callable[[], Spent], ...] = (
        lambda: lower(large, few), lambda: spend([*OPT, large]), lambda: lower(small, few),
        lambda: lower(large, many), lambda: spend([*OPT, small]),
    )  # fmt: skip
    runs = [[work() for work in works] for _ in range(repetitions)]
    own, other, less, more, other_less = (min(run[i].seconds for run in runs) for i in range(len(works)))
    peak, base = (min(run[i].peak_bytes for run in runs) for i in range(2))
    check, check_less = (min(run[i].timing["check"]["cpu_ms"] for run in runs) for i in (0, 2))
    times = count_ops(large) / count_ops(small)
    of_opt = f"partita-opt itself {other / other_less / times:.2f} x"
    details = {
        "lower": f"{print_ms(own)}, partita-opt {print_ms(other)}; check {check:.0f} ms",
        "growth": f"{print_ms(own)}, {print_ms(less)} for {ops // 10} ops; {of_opt}",
        "devices": f"{many} {print_ms(more)}, {few} {print_ms(own)}",
        "memory": f"{peak >> 20} MiB, partita-opt {base >> 20} MiB",
    }
    return [
        Row("lower", own / other, 1.5, "x", details["lower"]),
        Row("growth", own / less / times, 1.1, "x", details["growth"]),
        Row("check", check / check_less / times, 1.1, "x", f"{check:.0f} ms, {check_less:.1f} ms for {ops // 10} ops"),
        Row("devices", more / own, 1.1, "x", details["devices"]),
        Row("memory", (peak - base) / count_ops(large), 2048.0, "B", details["memory"]),
    ]


def count_ops(path: Path) -> int:
    """Ops of a program that has one on each line."""
    return sum(" = " in line for line in path.read_text().splitlines())


def write_graph(name: str) -> Path:
    """The flat program of a model of the zoo."""
    graph = CACHE / f"{name}.graph.json"
    subprocess.run([BIN / "partita", "plan", exported.find(name), "--stop-after=flatten", "-o", graph], check=True)
    return graph


def bench_propagate() -> list[Row]:
    rows = []
    for name in ("llama.8b", "gpt.t32"):
        graph = write_graph(name)
        done = subprocess.run([BIN / "bench-propagation", graph, "data=8,model=8"], check=True, capture_output=True)
        found = json.loads(done.stdout)
        detail = f"{name}, {found['ops']} ops; {found['touched'] // found['steps']} of them in a step"
        rows.append(Row("propagate", found["ns_per_touched_op"], 50.0, "ns", detail))
    return rows


def bench_price() -> list[Row]:
    rows = []
    for name in ("llama_scan_remat.8b", "llama.8b"):
        graph = write_graph(name)
        command: list[str | Path] = [BIN / "bench-pricing", graph, "data=8,model=8", "h100-sxm:8x8"]
        found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        detail = (
            f"{name}, {found['ops']} ops, {found['units']} units; "
            f"{found['full_per_second']} full ({found['full_of_others_per_second']} of changed assignments) "
            f"and {found['incremental_per_second']} incremental evaluations a second"
        )
        rows.append(Row("price", found["ns_per_touched_op"], 50.0, "ns", detail))
    return rows


def searched(path: Path, mesh: str, machine: str, *options: str) -> Spent:
    """A search, whatever its plan is worth: 11 says that it does not fit."""
    command: list[str | Path] = [
        BIN / "partita", "plan", path, "--mesh", mesh, "--machine", machine, "--timing", *options,
    ]  # fmt: skip
    return spend(command, allowed=(0, 11))


def bench_search_stage(program: Path, mesh: str, goal: float, repetitions: int) -> Row:
    """By the clock with as many threads as there are processors, and of the processor on one."""
    short = ("--stop-after=tactics", "-o", str(CACHE / "tactics.out"))
    one, all_threads = [], []
    for _ in range(repetitions):
        one.append(searched(program, mesh, "h100-sxm:8x8", "--threads", "1", *short).timing)
        all_threads.append(searched(program, mesh, "h100-sxm:8x8", *short).timing)
    search, parse = (min(run[stage]["ms"] for run in all_threads) for stage in ("search", "parse"))
    cpu, parse_cpu = (min(run[stage]["cpu_ms"] for run in one) for stage in ("search", "parse"))
    detail = (
        f"{program.stem} {mesh}: search {search:.0f} ms by the clock, parse {parse:.0f} ms; "
        f"on one thread {cpu:.0f} ms of the processor, {cpu / parse_cpu:.2f} x"
    )
    return Row("search", search / parse, goal, "x", detail)


def bench_search(repetitions: int) -> list[Row]:
    rows = []
    unrolled, scan = exported.find("llama.8b"), exported.find("llama_scan_remat.70b")
    for mesh, goal in (("data=8,model=8", 1.0), ("data=4,sequence=2,model=8", 2.0)):
        rows.append(bench_search_stage(unrolled, mesh, goal, repetitions))
    seconds = min(
        searched(scan, "data=8,model=8", "h100-sxm:8x8", "--threads", "1").seconds for _ in range(repetitions)
    )
    rows.append(Row("large", seconds, 1.0, "s", "llama_scan_remat.70b data=8,model=8"))
    rows.append(bench_threads(scan, repetitions))
    return rows


def bench_threads(program: Path, repetitions: int) -> Row:
    """By the clock: what two threads share is that, and not the processor."""
    graph = CACHE / f"{program.stem}.graph.json"
    subprocess.run([BIN / "partita", "plan", program, "--stop-after=flatten", "-o", graph], check=True)
    command: list[str | Path] = [BIN / "bench-search", graph, "data=8,model=8", "h100-sxm:8x8", "--budget", "3000"]

    def search(threads: int, processes: int) -> float:
        """The time of one of so many searches that run at a time."""
        running = [
            subprocess.Popen([*command, "--threads", str(threads)], stdout=subprocess.PIPE) for _ in range(processes)
        ]
        outputs = [process.communicate()[0] for process in running]
        return max(float(json.loads(output)["search_seconds"]) for output in outputs)

    runs = [(search(1, 1), search(2, 1), search(1, 2)) for _ in range(repetitions)]
    one, two, apart = (min(run[i] for run in runs) for i in range(3))
    detail = (
        f"3000 states in {print_ms(two)}, on one thread {print_ms(one)}; "
        f"two processes at a time {apart / one / 2:.2f} x for each search"
    )
    return Row("threads", two / one, 1 / 1.5, "x", detail)


def bench_layers(ops: int, repetitions: int) -> list[Row]:
    large, small = prepare(ops)[0], prepare(ops // 10)[0]
    short = ("--stop-after=tactics", "-o", str(CACHE / "tactics.out"))
    works = [(path, "data=4,model=2", "h100-sxm:1x8", "--threads", "1", *short) for path in (large, small)]
    runs = [[searched(*work).timing["search"]["cpu_ms"] for work in works] for _ in range(repetitions)]
    most, least = (min(run[i] for run in runs) for i in range(2))
    analysed = [stages(large, "analyze") for _ in range(repetitions)]
    return [
        Row("layers", most / least, 1.2, "x", f"{most:.0f} ms of the processor, {least:.0f} ms for {ops // 10} ops"),
        ratio("analyze", "analyze", 0.2, analysed),
    ]


def bench_start() -> Row:
    times = [measure([BIN / "partita", "--help"]).wall * 1e3 for _ in range(STARTS)]
    return Row("start", statistics.median(times), 10.0, "ms", f"median of {STARTS}, best {min(times):.1f} ms")


def bench_evaluate(strict: bool) -> bool:
    """Prints a table of its own; in a process of its own, for XLA must be born on one core."""
    command: list[str | Path] = [sys.executable, Path(__file__).with_name("evaluate.py")]
    return subprocess.run([*command, "--strict"] if strict else command, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=OPS, help="least number of ops of the program")
    parser.add_argument("--repetitions", type=int, default=7, help="the best of so many counts")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    rows = [
        bench_read(options.ops, options.repetitions),
        bench_import(options.ops, options.repetitions),
        *bench_flatten(options.ops, options.repetitions),
        *bench_lower(options.ops, options.repetitions),
        *bench_propagate(),
        *bench_price(),
        *bench_search(options.repetitions),
        *bench_layers(options.ops, options.repetitions),
        bench_start(),
    ]
    print(f"{'what':10} {'measured':>11} {'goal':>11}  {'verdict':6}  ({options.ops} ops, {os.cpu_count()} cores)")
    print("\n".join(str(row) for row in rows), flush=True)
    met = bench_evaluate(options.strict) and all(row.met for row in rows)
    return 1 if options.strict and not met else 0


if __name__ == "__main__":
    sys.exit(main())
