"""Holds `partita plan` to its promises about searches.

python scripts/check_search.py determinism [--runs 20]      the same bytes each time, on 1, 2 and 4 threads in turn
python scripts/check_search.py interrupts [--count 100]     Ctrl-C at moments spread over a search of ten seconds:
                                                            a valid plan within a second, no worse than what had been
                                                            reported before

The exit code is 1 if a promise was broken. The second is of the processor, from the signal to the end, so that it means
the same on a machine that others use too; by the clock it is printed as well.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from models import exported  # noqa: E402

BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
PARTITA = BIN / "partita"
DONE, DOES_NOT_FIT = 0, 11
THREADS = (1, 2, 4)


def plan_command(program: Path, mesh: str, machine: str, *options: str) -> list[str]:
    return [str(PARTITA), "plan", str(program), "--mesh", mesh, "--machine", machine, *options]


def check_determinism(program: Path, mesh: str, machine: str, runs: int) -> bool:
    hashes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            out = Path(folder) / str(number)
            threads = str(THREADS[number % len(THREADS)])
            command = plan_command(program, mesh, machine, "--threads", threads, "--no-check", "-o", str(out))
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode not in (DONE, DOES_NOT_FIT):
                print(done.stderr, file=sys.stderr)
                return False
            digest = hashlib.sha256((out / "plan.json").read_bytes()).hexdigest()
            hashes[digest] = hashes.get(digest, 0) + 1
    print(f"{program.name}: {runs} runs on 1, 2 and 4 threads in turn, {len(hashes)} different plan.json")
    return len(hashes) == 1


@dataclass
class Watched:
    """A planner's reports, each with the moment at which it came."""

    process: subprocess.Popen[str]
    reports: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)

    def watch(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if line.startswith("{"):
                self.reports.append((time.monotonic(), json.loads(line)))
            else:
                self.rest.append(line)


@dataclass
class Interrupted:
    """What came of one Ctrl-C."""

    seconds: float = 0
    processor_seconds: float = 0
    trouble: str = ""
    was_searching: bool = True


def rank(fit: int, time_ps: int) -> tuple[int, int]:
    return (fit, time_ps)


def judge(out: Path, watched: Watched, moment: float) -> Interrupted:
    """Whether the plan is there, is complete, and is no worse than what had been reported before the signal."""
    result = Interrupted()
    try:
        report = json.loads((out / "report.json").read_text())
        json.loads((out / "plan.json").read_text())
    except (OSError, ValueError) as error:
        return Interrupted(trouble=f"no plan: {error} {''.join(watched.rest)}")
    result.was_searching = report["search"]["stop_reason"] == "interrupted"
    before = [each["goals"] for at, each in watched.reports if at <= moment and each["best"]]
    missing = max(0, report["peak_bytes"] - report["limit_bytes"])
    if before and rank(missing, report["time_ps"]) > rank(before[-1]["fit"], before[-1]["time"]):
        result.trouble = f"worse than reported before: {missing} {report['time_ps']} against {before[-1]}"
    return result


def processor_seconds_of(pid: int) -> float:
    """Of a process that runs, and of those that it runs: the planner works in a child of its own."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(processor_seconds_of(int(child)) for child in children)


def interrupt_once(program: Path, mesh: str, machine: str, delay: float) -> Interrupted:
    """`delay` counts from the first state that is reported."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--budget", "1000000000", "--progress", "jsonl", "--no-check", "-o", folder]
        command = plan_command(program, mesh, machine, *options)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            watched = Watched(process)
            thread = threading.Thread(target=watched.watch)
            thread.start()
            while not watched.reports and process.poll() is None:
                time.sleep(0.01)
            time.sleep(delay)
            moment, used = time.monotonic(), processor_seconds_of(process.pid)
            process.send_signal(signal.SIGINT)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - moment
            process.returncode = code = os.waitstatus_to_exitcode(status)
            thread.join()
        if code not in (DONE, DOES_NOT_FIT):
            return Interrupted(seconds, trouble=f"exit code {code}: {''.join(watched.rest)}")
        result = judge(Path(folder), watched, moment)
        result.seconds = seconds
        result.processor_seconds = usage.ru_utime + usage.ru_stime - used
        return result


def check_interrupts(program: Path, mesh: str, machine: str, count: int, span: float, patience: float) -> bool:
    results = []
    for number in range(count):
        delay = span * number / max(1, count - 1)
        results.append(interrupt_once(program, mesh, machine, delay))
        if results[-1].trouble or results[-1].processor_seconds > patience:
            print(f"after {delay:.2f} s: {results[-1].processor_seconds:.2f} s {results[-1].trouble}", flush=True)
    seconds = sorted(result.processor_seconds for result in results)
    longest = max(result.seconds for result in results)
    troubled = sum(bool(result.trouble) for result in results)
    searching = sum(result.was_searching for result in results)
    slow = sum(each > patience for each in seconds)
    print(
        f"{program.name}: {count} interrupts over {span:.0f} s, {searching} of them during the search: "
        f"{troubled} without a valid plan or with a worse one; from signal to files median "
        f"{seconds[count // 2]:.2f} s of the processor, longest {seconds[-1]:.2f} s (by the clock {longest:.2f} s), "
        f"{slow} longer than {patience:.1f} s"
    )
    return troubled == 0 and slow == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["determinism", "interrupts"])
    parser.add_argument("--program", type=Path, help="a file; unet_remat.full of the zoo if not given")
    parser.add_argument("--mesh", default="data=8,model=8")
    parser.add_argument("--machine", default="h100-sxm:8x8")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--span", type=float, default=10, help="seconds over which interrupts are spread")
    parser.add_argument("--patience", type=float, default=1, help="seconds of the processor that a plan may take")
    options = parser.parse_args()
    where = (options.program or exported.find("unet_remat.full"), options.mesh, options.machine)
    if options.what == "determinism":
        return 0 if check_determinism(*where, options.runs) else 1
    return 0 if check_interrupts(*where, options.count, options.span, options.patience) else 1


if __name__ == "__main__":
    sys.exit(main())
