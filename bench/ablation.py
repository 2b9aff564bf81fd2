"""What each part of the search is worth, on programs in two halves.

python bench/ablation.py [--half tuning|reporting] [--only REGEX] [--jobs N] [--columns NAMES]
python bench/ablation.py --record [...]       searches with 16 times the states, and keeps the best plans
python bench/ablation.py --budgets 1,4,16     how good and how fast with so many times the default number of states

Rows are programs of the zoo and of other packages at full size (`make full`) that a search plans in seconds. A hash of
the program's name puts each into one of two halves: choices and constants of the search are made with the tuning half
in view, and the reporting half says how good they are. Figures are times over the best known of a row; plans that do
not fit count by their memory.

A column is a search with the default number of states: with all stages, without one of them, or the tree alone. The
best known is the best of all columns and of the plans in bench/data/search_best.json, which `--record` found. That file
has plans, not times: they are priced anew, so that it stays of use when prices change.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from row_cache import hash_of, obtain, stored_path
from search import ABLATION, run
from search_rows import BIN, FULL, HALVES, ROOT, Row, graph_of

NODE, NODES = ("data=2,model=4", "h100-sxm:1x8"), ("data=8,model=8", "h100-sxm:8x8")
SLICE, CUBE = ("data=4,model=4", "tpu-v5e:4x4"), ("data=16,model=4", "tpu-v5p:4x4x4")
THREE = ("data=4,model=4,sequence=4", "h100-sxm:8x8")
ZOO = {
    "decode_scan.it32": (SLICE, NODE),
    "gns_scan.full": (SLICE, NODES),
    "gpt_scan_remat.t32": (NODES, CUBE),
    "llama_scan_remat.70b": (NODES, THREE),
    "llama_scan_remat.8b": (NODES, CUBE, THREE),
    "llama_scan_remat.8b_32k": (NODES, CUBE),
}
OTHERS = {
    "equinox_gpt_350m_scan_remat": (NODES,),
    "hf_gpt2_xl_decode": (NODE, SLICE),
    "hf_llama_7b": (NODES,),
    "hf_llama_7b_decode": (NODE, SLICE),
    "linen_gpt_1b3_scan_remat": (NODES,),
    "nnx_llama_1b_scan_remat": (SLICE, NODES),
    "numpyro_topics": (NODE,),
}
#: More than this behind the best known counts as behind.
BEHIND = 1.005
MOST = 16
BEST = ROOT / "bench" / "data" / "search_best.json"


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


def search(row: Row, options: list[str]) -> dict[str, Any]:
    """What a search finds; kept in build/bench, so that a run that was broken off goes on where it was."""
    parts = [json.dumps(asdict(row)), json.dumps(options), hash_of(BIN / "bench-search"), hash_of(graph_of(row))]
    return obtain(stored_path("ablation", parts), lambda: run(row, [], *options))


def search_longer(row: Row, options: list[str], times: int) -> dict[str, Any]:
    first = search(row, options)
    return first if times == 1 else search(row, [*options, "--budget", str(times * first["budget"])])


# ======================================================================================================================
# The best known plans
# ======================================================================================================================


def read_best() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(BEST.read_text()) if BEST.exists() else {}
    return known


def price(row: Row, schedule: dict[str, Any]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "best.json"
        path.write_text(json.dumps(schedule))
        return value_of(run(row, [], "--schedule", str(path))[0])


def record(rows: list[Row], columns: dict[str, list[str]], jobs: int) -> None:
    """Keeps a plan of a longer search where it is better than the one that was kept."""
    known = read_best()

    def improve(row: Row) -> str:
        best = known.get(str(row))
        value = price(row, best["schedule"]) if best else math.inf
        before = value
        for name, options in columns.items():
            found = search_longer(row, options, MOST)
            if value_of(found) < value:
                value, best = value_of(found), {"by": f"{name}, {MOST} x", "schedule": found["schedule"]}
        if best:
            known[str(row)] = best
        BEST.write_text(json.dumps(dict(sorted(known.items())), separators=(",", ":")).replace('},"', '},\n"') + "\n")
        gain = "new" if math.isinf(before) else f"{value / before:.4f} of what was known"
        return f"{row!s:66} {gain}, by {best['by'] if best else 'nothing'}"

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for line in pool.map(improve, rows):
            print(line, flush=True)


# ======================================================================================================================
# Tables
# ======================================================================================================================


@dataclass
class Measured:
    """A row's searches by name, and the value of the best known plan."""

    row: Row
    searches: dict[str, dict[str, Any]]
    best: float

    def loss(self, name: str) -> float:
        return value_of(self.searches[name]) / self.best


def measure(row: Row, searches: dict[str, dict[str, Any]]) -> Measured:
    values = [value_of(found) for found in searches.values()]
    if stored := read_best().get(str(row)):
        values.append(price(row, stored["schedule"]))
    return Measured(row, searches, min(values))


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def print_table(measured: list[Measured]) -> None:
    print(
        "| search | geometric mean | worst | rows more than 0.5% behind | cpu s |\n| --- | ---: | ---: | ---: | ---: |"
    )
    for name in measured[0].searches:
        losses = [each.loss(name) for each in measured]
        seconds = sum(each.searches[name]["processor_seconds"] for each in measured)
        count = sum(loss > BEHIND for loss in losses)
        print(f"| {name} | {geometric_mean(losses):.4f} | {max(losses):.3f} | {count} | {seconds:.1f} |")


def judge(measured: list[Measured], part: str) -> str:
    """Whether a part of the search earns its place: it closes half of the distance on a quarter of the rows that are
    behind without it, and costs at most 0.1% elsewhere."""
    pairs = [(each.loss("found"), each.loss(part)) for each in measured]
    behind = [(own, other) for own, other in pairs if other > BEHIND]
    closed = sum(own - 1 <= (other - 1) / 2 for own, other in behind)
    cost = max((own / other for own, other in pairs if other <= BEHIND), default=1)
    return f"{part}: closes half of the distance on {closed} of {len(behind)} rows; elsewhere at most {cost:.4f}"


def report(half: str, measured: list[Measured]) -> None:
    print(f"\n{half} half, {len(measured)} rows\n")
    print_table(measured)
    print()
    for name in measured[0].searches:
        if name.startswith("no ") and "found" in measured[0].searches:
            print(judge(measured, name))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1, help="rows that are measured at a time")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="regex searched in rows")
    parser.add_argument("--half", choices=HALVES, help="the rows of one half; both without it")
    parser.add_argument("--columns", default=",".join(ABLATION), help=f"of {', '.join(ABLATION)}")
    parser.add_argument("--record", action="store_true", help=f"searches {MOST} times as long and keeps the best plans")
    parser.add_argument("--budgets", default="", help="times the default number of states: 1,4,16")
    options = parser.parse_args()
    rows = [row for row in list_rows() if options.only.search(str(row)) and options.half in (None, row.half)]
    columns = {name: ABLATION[name] for name in options.columns.split(",")}
    if options.record:
        record(rows, columns, options.jobs)
        return 0
    times = [int(word) for word in options.budgets.split(",") if word]

    def search_all(row: Row) -> Measured:
        if times:
            return measure(row, {f"{each} x": search_longer(row, [], each) for each in times})
        return measure(row, {name: search(row, words) for name, words in columns.items()})

    halves: dict[str, list[Measured]] = {}
    with ThreadPoolExecutor(max_workers=options.jobs) as pool:
        for each in pool.map(search_all, rows):
            halves.setdefault(each.row.half, []).append(each)
            losses = (f"{name} {each.loss(name):.4f}" for name in each.searches)
            print(f"{each.row.half:10} {each.row!s:66}", *losses, flush=True)
    for half in sorted(halves, reverse=True):
        report(half, halves[half])
    return 0


if __name__ == "__main__":
    sys.exit(main())
