"""What each part of the search is worth: `python bench/ablation.py [--jobs N] [--only REGEX] [--most N]`.

Searches rows with all stages and without one of them, each with the default budget, and prints times over the best
known of a row: the best of all these and of a search with `--most` states. Plans that do not fit count by their memory.
Rows are programs that are loops over layers or small otherwise, of the zoo and of other packages (`make full`).
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from search import ABLATION, run
from search_rows import FULL, Row

NODE, NODES = ("data=2,model=4", "h100-sxm:1x8"), ("data=8,model=8", "h100-sxm:8x8")
SLICE, CUBE = ("data=4,model=4", "tpu-v5e:4x4"), ("data=16,model=4", "tpu-v5p:4x4x4")
ZOO = {
    "decode_scan.it32": (SLICE, NODE),
    "llama_scan_remat.8b": (NODES, CUBE),
    "llama_scan_remat.70b": (NODES, ("data=4,model=4,sequence=4", "h100-sxm:8x8")),
    "gpt_scan_remat.t32": (NODES, CUBE),
    "gpt_scan_remat.t48": (NODES,),
    "gns_scan.full": (SLICE, CUBE, NODES),
}
OTHERS = {
    "numpyro_topics": (NODE,),
    "nnx_llama_1b_scan_remat": (SLICE, NODES),
    "linen_gpt_1b3_scan_remat": (NODES,),
    "equinox_gpt_350m_scan_remat": (SLICE, NODES),
    "hf_llama_1b": (SLICE,),
    "hf_llama_7b_decode": (NODE,),
}
METHODS = {name: options for name, options in ABLATION.items() if name != "tree only"}


def list_rows() -> list[Row]:
    rows = [Row("zoo", program, *place) for program, places in ZOO.items() for place in places]
    for program, places in OTHERS.items():
        if not (FULL / f"{program}.mlir").exists():
            print(f"{program} is not here (make full): its rows are left out")
            continue
        rows += [Row("full", program, *place) for place in places]
    return rows


def value_of(found: dict[str, Any]) -> float:
    """Less is better; what does not fit is behind everything that does."""
    return float(found["time_ps"]) if found["fits"] else 1e6 * float(found["peak_bytes"])


def measure(row: Row, most: int) -> dict[str, float]:
    searches = {**METHODS, f"{most} states": ["--budget", str(most)]}
    return {name: value_of(run(row, [], *options)) for name, options in searches.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1, help="rows that are measured at a time")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="regex searched in rows")
    parser.add_argument("--most", type=int, default=16_000, help="states of the largest search")
    options = parser.parse_args()
    rows = [row for row in list_rows() if options.only.search(str(row))]
    losses: dict[str, list[float]] = {}
    with ThreadPoolExecutor(max_workers=options.jobs) as pool:
        for row, values in zip(rows, pool.map(lambda row: measure(row, options.most), rows), strict=True):
            best = min(values.values())
            for name, value in values.items():
                losses.setdefault(name, []).append(value / best)
            print(f"{row!s:66}", *(f"{name} {value / best:.4f}" for name, value in values.items()), flush=True)
    print("\n| search | geometric mean | worst | rows more than 0.5% behind |\n| --- | ---: | ---: | ---: |")
    for name, behind in losses.items():
        mean = math.exp(sum(map(math.log, behind)) / len(behind))
        print(f"| {name} | {mean:.4f} | {max(behind):.3f} | {sum(value > 1.005 for value in behind)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
