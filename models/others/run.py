"""Runs the models of other people's packages, each in a process of its own, and prints the table docs/models.md.

python -m models.others.run [--only NAME ...] [--strategy preset|auto ...] [--table docs/models.md] [--keep]

Results are kept in build/models; `--keep` runs only what is not there yet. Exit code 1 if a row fails.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from models.others import hugging_face, libraries
from models.others.row import ROWS

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "models"
STRATEGIES = ("preset", "auto")
TIMEOUT_SECONDS = 900
HEAD = """# Models of other people's packages

Made by `make models`: each model, with random weights and small shapes, is planned for the mesh `data=2,model=4`, run
by XLA on
eight virtual CPU devices for three training steps, and compared with `jax.jit` on one device: every result, optimizer
state included, ‖a - b‖ / ‖b‖ at most 1e-5 in f32. *preset* is data parallelism and ZeRO-3 over `data` with tensor
parallelism over `model`, found by structure; *auto* is searched for, with the memory limited to 40% of what the whole
program needs. Results that have no digits to compare (they change as much when the inputs change in their last bits,
as the gradient of a key's bias does) are left out and counted.

| model | package | optimizer | ops | parameters | strategy | plan s | collectives | worst | left out | result |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
SHORT = {
    "all_gather": "AG",
    "all_reduce": "AR",
    "reduce_scatter": "RS",
    "all_to_all": "A2A",
    "collective_permute": "CP",
}
assert hugging_face.BATCH == libraries.BATCH


def run_one(name: str, strategy: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "models.others.one", name, strategy]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"reason": f"took more than {TIMEOUT_SECONDS} s"}
    last = done.stdout.strip().splitlines()[-1:] or [""]
    try:
        result: dict[str, Any] = json.loads(last[0])
    except ValueError:
        tail = done.stderr.strip().splitlines()[-1:] or [""]
        return {"reason": f"ended with {done.returncode}: {tail[0][:200]}"}
    return result


def print_row(name: str, strategy: str, result: dict[str, Any]) -> str:
    row = ROWS[name]
    collectives = " ".join(f"{count} {SHORT[kind]}" for kind, count in result.get("collectives", {}).items())
    worst = f"{result['worst']:.0e}" if "worst" in result else ""
    left_out = f"{len(result['unstable'])} of {result['leaves']}" if "unstable" in result else ""
    cells = [
        name, row.package, row.optimizer, result.get("ops", ""), result.get("parameters", ""), strategy,
        result.get("plan_seconds", ""), collectives, worst, left_out, result["reason"] or "equal",
    ]  # fmt: skip
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=list(ROWS), help="these models")
    parser.add_argument("--strategy", nargs="*", choices=STRATEGIES, default=list(STRATEGIES))
    parser.add_argument("--table", type=Path, help="where to write the table")
    parser.add_argument("--keep", action="store_true", help="take results that are there")
    options = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    lines = []
    failed = 0
    for name in options.only or ROWS:
        for strategy in options.strategy:
            path = RESULTS / f"{name}.{strategy}.json"
            if not (options.keep and path.is_file()):
                path.write_text(json.dumps(run_one(name, strategy)))
            result = json.loads(path.read_text())
            failed += bool(result["reason"])
            lines.append(print_row(name, strategy, result))
            print(lines[-1], flush=True)
    summary = f"{len(lines) - failed} of {len(lines)} rows are equal."
    if options.table:
        options.table.write_text(HEAD + "\n".join(lines) + f"\n\n{summary}\n")
    print(summary)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
