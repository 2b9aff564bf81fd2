"""Programs of other people's models, partitioned as experts do it and executed: part of `make check-shared`.

python test/Shared/check_partitions.py [--only REGEX]

Each tiny program is partitioned by three schedules or more on 8 devices; `partita verify` runs the original and the
local program, in ring mode and in floats, and `partita plan` has held it against the static check. The columns are the
collectives, the ops that are split, how the floats were compared, and the largest error in parts of its bound.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from check_shared import BIN, PROGRAMS, WORK, unpack

MESH = "data=4,model=2"
TIMEOUT_SECONDS = 1800
SEED = "seed:11"

Tactics = list[dict[str, Any]]

MOMENTS: Tactics = [
    {"name": "Z2", "axis": "data", "atomic": ["state/params/.*"], "tile": [["state/opt_state.*", "first_divisible"]]}
]
PARAMETERS: Tactics = [{"name": "Z3", "axis": "data", "tile": [["state/.*", "first_divisible"]]}]


def batch(*names: str) -> Tactics:
    return [{"name": "BP", "axis": "data", "tile": [[f"batch/{name}", 0] for name in names]}]


def model(*tiles: tuple[str, int]) -> Tactics:
    return [{"name": "MP", "axis": "model", "tile": [[f"state/params/.*{name}", dim] for name, dim in tiles]}]


# Dense layers of Flax's GPT-2 hold their kernels transposed. Its fused q-k-v projection, cut by slices, stays whole.
GPT = model(("attn/c_proj/kernel", 1), ("mlp/c_fc/kernel", 0))
T5 = model(("Attention/q/kernel", 1), ("DenseReluDense/wi/kernel", 1))
GNS = model(("linear_0/w", 1))
RESNET = model(("_1_conv/kernel", 3))

BATCH = {
    "hf_gpt2.tiny": batch("input_ids", "attention_mask"),
    "hf_t5.tiny": batch("input_ids", "decoder_input_ids", "labels"),
    "jraph_gns.tiny": batch("edges", "receivers", "senders"),
    "keras_resnet50.tiny": batch("image", "label"),
}
MODEL = {"hf_gpt2.tiny": GPT, "hf_t5.tiny": T5, "jraph_gns.tiny": GNS, "keras_resnet50.tiny": RESNET}


def strategies(name: str) -> dict[str, Tactics]:
    first, second = BATCH[name], MODEL[name]
    found = {"BP": first, "BP+MP": first + second, "BP+MP+Z2": first + second + MOMENTS, "BP+Z3": first + PARAMETERS}
    if name == "hf_gpt2.tiny":
        found["BP+VOCAB"] = first + model(("wte/embedding", 0))
    return found


def verify(program: Path, strategy: str, tactics: Tactics) -> tuple[bool, str]:
    """Whether it is equal, and a line to print."""
    schedule = WORK / f"{program.stem}.{strategy}.json"
    schedule.write_text(json.dumps({"tactics": tactics}, indent=1))
    out = WORK / f"{program.stem}.{strategy}"
    flags: list[str | Path] = ["--mesh", MESH, "--schedule", schedule]
    plan = subprocess.run([BIN / "partita", "plan", program, *flags, "-o", out], capture_output=True, text=True)
    if plan.returncode != 0:
        return False, f"plan: exit code {plan.returncode}: {plan.stderr.strip()}"
    command: list[str | Path] = [BIN / "partita", "verify", program, *flags, "--json", "--inputs", SEED]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    if done.returncode != 0:
        return False, f"verify: exit code {done.returncode}: {done.stderr.strip()}"
    found = json.loads(done.stdout)
    checked = json.loads((out / "report.json").read_text())["checked"]["relation"]
    line = f"{found['collectives']:6} {found['split_ops']:6}  {found['mode']:12} {found['worst']:9.3f}"
    return found["equal"] and not found["vacuous"] and checked, line + ("" if checked else "  not checked")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=".", help="programs and strategies that match, as NAME STRATEGY")
    only = re.compile(parser.parse_args().only)
    packed = sorted(PROGRAMS.glob("*.tiny.mlir.gz")) if PROGRAMS.is_dir() else []
    if not packed:
        print(f"check-shared: no *.tiny.mlir.gz in {PROGRAMS}; nothing was partitioned")
        return 0
    failed = total = 0
    print(f"{'program':22} {'strategy':9} {'talks':>6} {'split':>6}  {'mode':12} {'worst':>9} {'s':>7}")
    for path in packed:
        name = path.name.removesuffix(".mlir.gz")
        for strategy, tactics in strategies(name).items() if name in BATCH else ():
            if not only.search(f"{name} {strategy}"):
                continue
            start = time.perf_counter()
            is_good, line = verify(unpack(path), strategy, tactics)
            total, failed = total + 1, failed + (not is_good)
            print(
                f"{name:22} {strategy:9} {line} {time.perf_counter() - start:7.1f}{'' if is_good else ' FAILED'}",
                flush=True,
            )
    print(f"check-shared: {total - failed} partitioned programs equal their originals, {failed} do not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
