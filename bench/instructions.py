"""The rows `lower` and `growth` of `make bench` in instructions: what other work on the machine does not disturb.

    python bench/instructions.py [--ops 100000]

Valgrind counts them (`apt install valgrind`); it takes minutes. Time also has what instructions wait for: a program of
100,000 ops is larger than the processor's caches and its table of pages, one of 10,000 is not.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

import run


def count_instructions(command: list[str | Path]) -> int:
    """Of the process and its children."""
    folder = run.CACHE / "callgrind"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    valgrind: list[str | Path] = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/%p"]
    subprocess.run([*valgrind, *command], check=True, capture_output=True)
    texts = [path.read_text() for path in folder.iterdir()]
    return sum(int(count) for text in texts for count in re.findall(r"^summary: (\d+)", text, re.MULTILINE))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=run.OPS, help="least number of ops of the program")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is not installed", file=sys.stderr)
        return 2
    large, small = run.prepare(options.ops)[0], run.prepare(options.ops // 10)[0]
    own, less = (
        count_instructions([*run.lower_command(path, "data=4,model=2"), "--no-check"]) for path in (large, small)
    )
    other = count_instructions([*run.OPT, large])
    times = run.count_ops(large) / run.count_ops(small)
    print(run.Row("lower", own / other, 1.5, "x", f"{own / 1e6:.0f} million, partita-opt {other / 1e6:.0f}"))
    print(run.Row("growth", own / less / times, 1.1, "x", f"{less / 1e6:.0f} million for {options.ops // 10} ops"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
