"""Rows of `make bench` in instructions: what other work on the machine does not disturb.

    python bench/instructions.py [--ops 100000] [lower] [propagate] [price]

All three, if none is named: `lower`, `growth` and `devices`; how many it takes to propagate to a touched op, and to
price it, undo included, which have goals in time alone. Valgrind counts them (`apt install valgrind`); it takes
minutes. Time also has what instructions wait for: a program of 100,000 ops is larger than the processor's caches and
its table of pages, one of 10,000 is not.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import run

ROWS = ["lower", "propagate", "price"]


def count_instructions(command: list[str | Path]) -> int:
    """Of the process and its children."""
    folder = run.CACHE / "callgrind"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    valgrind: list[str | Path] = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/%p"]
    subprocess.run([*valgrind, *command], check=True, capture_output=True)
    texts = [path.read_text() for path in folder.iterdir()]
    return sum(int(count) for text in texts for count in re.findall(r"^summary: (\d+)", text, re.MULTILINE))


def count_lower(ops: int) -> list[run.Row]:
    large, small = run.prepare(ops)[0], run.prepare(ops // 10)[0]
    few, many = "data=4,model=2", "data=8,model=512"
    own, less, more = (
        count_instructions([*run.lower_command(path, mesh), "--no-check"])
        for path, mesh in ((large, few), (small, few), (large, many))
    )
    other = count_instructions([*run.OPT, large])
    times = run.count_ops(large) / run.count_ops(small)
    return [
        run.Row("lower", own / other, 1.5, "x", f"{own / 1e6:.0f} million, partita-opt {other / 1e6:.0f}"),
        run.Row("growth", own / less / times, 1.1, "x", f"{less / 1e6:.0f} million for {ops // 10} ops"),
        run.Row("devices", more / own, 1.1, "x", f"{many} {more / 1e6:.0f} million"),
    ]


def count_round(command: list[str | Path]) -> int:
    """Instructions of a round behind the first, which finds what later ones know."""
    first, more = (count_instructions([*command, rounds]) for rounds in ("1", "3"))
    return (more - first) // 2


def count_touched(name: str) -> tuple[float, float]:
    """Of a program of the zoo, for each touched op: to propagate, and to price."""
    graph = run.write_graph(name)
    steps: list[str | Path] = [run.BIN / "bench-propagation", graph, "data=8,model=8"]
    prices: list[str | Path] = [run.BIN / "bench-pricing", graph, "data=8,model=8", "h100-sxm:8x8"]
    found = json.loads(subprocess.run([*steps, "1"], check=True, capture_output=True).stdout)
    propagate = count_round(steps)
    return propagate / found["touched"], (count_round(prices) - propagate) / found["touched"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=run.OPS, help="least number of ops of the program")
    parser.add_argument("rows", nargs="*", choices=[[], *ROWS], help="which; all by default")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is not installed", file=sys.stderr)
        return 2
    rows = options.rows or ROWS
    if "lower" in rows:
        print("\n".join(str(row) for row in count_lower(options.ops)), flush=True)
    for name in ("llama_scan_remat.8b", "llama.8b"):
        if "propagate" not in rows and "price" not in rows:
            break
        propagate, price = count_touched(name)
        print(f"{name}: {propagate:.0f} instructions to propagate to an op, {price:.0f} to price it", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
