"""What the search finds against what experts write: `make bench-search`, or

python bench/search.py [--only REGEX] [--section NAME] [--half NAME] [--jobs N] [--budget N] [--quick]
                       [--again | --stored] [--strict] [--memory-limit LIMIT ...] [--ablation] [--json FILE] [--write]

Rows are in `search_rows.py`. Columns, all on the whole program:

expert     the fastest plan that fits among all that experts would write; if none fits, the one that misses least
found      time of the found plan over the expert's; `no seeds`, `beam` and `random` the same for a search that starts
           from nothing, for beam search and for random lists of moves, each with the same budget of evaluations;
           with `--ablation` for searches without one of their stages, and for the tree alone, in the place of the last
gap        how far from the best possible the found plan may be at most
stage      the stage of the search that evaluated the found plan first (`search.winner_stage` in report.json)
memory     what the found plan takes; where it does not fit, also what fits if the search may change the program
           (`partita plan`: microbatches, recomputation), and how much longer that takes

A hash of the program's name puts each row into one of two halves: choices and constants of the search are made with the
tuning half in view, and the reporting half says how good they are. `--half` takes the rows of one; the goals are also
counted for each.

A plan that does not fit where the expert's does counts as infinitely slow. Rows where nothing fits stand apart: bytes
are compared there instead of time. Goals: found at most 1.00 on all rows; without seeds at most 1.02 on all and 1.00 on
nine of ten. The exit code is 1 if a goal is missed and `--strict` is given.

Rows that have no memory limit of their own are measured under what the platform gives programs, on GPUs JAX's pool
(docs/machines.md). `--memory-limit 90%` measures them under that share of the memory instead, and each further
`--memory-limit`, of which one may be `default`, gives a table of its own: `--memory-limit default --memory-limit 90%`
compares both. Where the platform gives that share by itself, nothing is measured twice.

Each measured row is kept in build/bench/rows with the hash of what it was measured with, so a run that was broken off
goes on where it was; `--again` measures anew, `--stored` takes the rows that are there and measures none. `--write`
writes the table to docs/search-results.md.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from row_cache import hash_of, obtain, stored_path
from search_rows import BIN, HALVES, ROOT, Row, Tactics, all_rows, experts_of, graph_of, program_of, published_entries

STAGES = ("seeds", "alone", "decode", "greedy", "refine", "partial", "tree", "second", "final")
METHODS = {"found": [], "no seeds": ["--no-seeds"], "beam": ["--search", "beam"], "random": ["--search", "random"]}


def without(stage: str) -> list[str]:
    return ["--stages", ",".join(each for each in STAGES if each != stage)]


ABLATION = {
    "found": [],
    "no seeds": ["--no-seeds"],
    "no tree": without("tree"),
    "no decode": without("decode"),
    "tree only": ["--no-seeds", "--stages", "tree"],
}
#: What rows have beside the methods; a row without one of them is measured anew.
COLUMNS = ("half", "winner_stage")
QUICK = ("llama_scan_remat.70b", "llama_scan_remat.8b", "gpt_scan_remat.t32", "decode_scan.it32", "gns_scan.full")
RESULTS = ROOT / "docs" / "search-results.md"
#: For readers of the results.
LEGEND = """\
The short names of experts' strategies: BP splits the batch, MP heads and hidden dims (Megatron's tensor
parallelism), SEQ the sequence of activations between these, EMB and VOCAB the embedding and the vocabulary, EP
experts, ES edges of a graph, MQ the cache of multi-query attention, CP the sequence everywhere (context parallelism),
ULY the sequence and, inside of attention, heads (Ulysses); Z2 keeps optimizer state in parts (ZeRO-2), Z3
parameters too (ZeRO-3, FSDP). *Over both* uses both axes for BP and ZeRO, *exchanged* swaps the two axes. A
column's 0.819 means: 81.9% of the expert's time."""
# Ratios are of integers: what rounds to 1.000 is equal.
EQUAL = 1.0005


@dataclass
class Outcome:
    """A plan's time and memory."""

    name: str
    time_ps: int
    peak_bytes: int
    fits: bool
    details: dict[str, Any] = field(default_factory=dict)

    def key(self) -> tuple[bool, int, int]:
        """Less is better: what fits first, then time; what does not fit by memory."""
        return (not self.fits, self.time_ps if self.fits else self.peak_bytes, self.time_ps)


# ======================================================================================================================
# Measuring
# ======================================================================================================================


def run(row: Row, limit: list[str], *options: str) -> Any:
    # Rows run side by side, each on one thread; what comes out does not depend on it.
    command = [str(BIN / "bench-search"), str(graph_of(row)), row.mesh, row.machine, "--threads", "1", *limit, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{row}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def find_limit(row: Row, budget: int) -> list[str]:
    """The memory that may be used, as options."""
    if not row.binding:
        return ["--memory-limit", f"{row.percent}%"] if row.percent else []
    # Of plans that fit the device; where none does, of the one that misses least.
    fastest = run(row, [], "--budget", str(budget))
    return ["--memory-limit", str(fastest["peak_bytes"] * row.binding // 100)]


def price_experts(row: Row, limit: list[str]) -> dict[str, dict[str, Any]]:
    """What the tool says of each plan that experts would write, by name."""
    schedules: dict[str, Tactics] = experts_of(row)
    with tempfile.TemporaryDirectory() as folder:
        options = []
        for number, tactics in enumerate(schedules.values()):
            path = Path(folder) / f"{number}.json"
            path.write_text(json.dumps({"tactics": tactics}))
            options += ["--schedule", str(path)]
        return dict(zip(schedules, run(row, limit, *options), strict=True))


def best_expert(row: Row, limit: list[str]) -> Outcome:
    outcomes = [
        Outcome(name, price["time_ps"], price["peak_bytes"], price["fits"])
        for name, price in price_experts(row, limit).items()
    ]
    return min(outcomes, key=Outcome.key)


def search(row: Row, limit: list[str], options: list[str], budget: int) -> Outcome:
    found = run(row, limit, "--budget", str(budget), *options)
    return Outcome("", found["time_ps"], found["peak_bytes"], found["fits"], found)


def search_with_actions(row: Row, limit: list[str], found: Outcome) -> str:
    """What the search does where nothing fits, if it may take memory actions: what it did, and its time over the found
    plan's, which does not fit."""
    program, _ = program_of(row)
    with tempfile.TemporaryDirectory() as folder:
        options = ["--mesh", row.mesh, "--machine", row.machine, "--threads", "1", *limit, "--no-check", "-o", folder]
        command = [str(BIN / "partita"), "plan", str(program), *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 11):
            return f"refused: {done.stderr.strip().splitlines()[0]}"
        report = json.loads((Path(folder) / "report.json").read_text())
    if not report["fits"]:
        return "; ".join(["nothing fits", *(note for note in report["overview"]["notes"] if "refused" in note)])
    actions = report["overview"]["strategy"] if report["overview"].get("memory_actions") else ""
    slower = report["time_ps"] / found.time_ps
    return f"{actions or 'no action'}: {report['peak_bytes'] / 1e9:.1f} GB, {slower:.2f} x the time"


def ratio(found: Outcome, expert: Outcome) -> float:
    if found.fits and expert.fits:
        return found.time_ps / expert.time_ps
    if found.fits != expert.fits:
        return 0.0 if found.fits else math.inf
    return found.peak_bytes / expert.peak_bytes


def verify_twin(row: Row, schedule: dict[str, Any]) -> str:
    """The found tactics on the tiny size of the same model, executed and compared; empty if there is no such."""
    tiny = ROOT / "build" / "zoo" / f"{row.program.split('.')[0]}.tiny.mlir"
    if row.section not in ("zoo", "limits") or not tiny.exists():
        return ""
    mesh = ",".join(f"{axis.split('=')[0]}=2" for axis in row.mesh.split(","))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schedule.json"
        for tactic in schedule["tactics"]:
            # Parts of axes are of this mesh alone.
            tactic["axis"] = tactic["axis"].split(":")[0]
        path.write_text(json.dumps(schedule))
        command = [str(BIN / "partita"), "verify", str(tiny), "--mesh", mesh, "--schedule", str(path), "--ring"]
        done = subprocess.run(command, capture_output=True, text=True)
    return "equal" if done.returncode == 0 else f"NOT EQUAL: {(done.stderr or done.stdout).strip().splitlines()[-1]}"


def measure(row: Row, budget: int) -> dict[str, Any]:
    limit = find_limit(row, budget)
    expert = best_expert(row, limit)
    outcomes = {name: search(row, limit, options, budget) for name, options in METHODS.items()}
    details = outcomes["found"].details
    ratios = {name: ratio(outcome, expert) for name, outcome in outcomes.items()}
    return {
        "row": str(row),
        "section": row.section,
        "note": row.note,
        "expert": expert.name,
        "expert_ms": expert.time_ps / 1e9,
        "expert_gb": expert.peak_bytes / 1e9,
        "expert_fits": expert.fits,
        "found_ms": outcomes["found"].time_ps / 1e9,
        "found_gb": outcomes["found"].peak_bytes / 1e9,
        "found_fits": outcomes["found"].fits,
        "limit_gb": details["limit_bytes"] / 1e9,
        "at_peak": details["at_peak"],
        "with_actions": "" if outcomes["found"].fits else search_with_actions(row, limit, outcomes["found"]),
        "ratios": ratios,
        "gap": 1 - details["lower_bound_ps"] / max(1, details["time_ps"]),
        "half": row.half,
        "winner_stage": details["winner_stage"],
        "evaluations": details["evaluations"],
        "processor_seconds": details["processor_seconds"],
        "ops": [details["searched_ops"], details["ops"]],
        "exact": all(outcome.details["folding_is_exact"] for outcome in outcomes.values()),
        "words": details["words"],
        "seeds": [seed["name"] for seed in details["seeds"][:1]],
        "twin": verify_twin(row, details["schedule"]) if ratios["found"] < 0.95 else "",
    }


# ======================================================================================================================
# Rows that were measured
# ======================================================================================================================


def path_of(row: Row, budget: int) -> Path:
    parts = [
        json.dumps(asdict(row)),
        str(budget),
        json.dumps([METHODS, COLUMNS]),
        hash_of(BIN / "bench-search"),
        hash_of(graph_of(row)),
    ]
    return stored_path("rows", [*parts, json.dumps(experts_of(row)), hash_of(BIN / "partita")])


def obtain_row(row: Row, budget: int, again: bool) -> dict[str, Any]:
    return obtain(path_of(row, budget), lambda: measure(row, budget), again)


# ======================================================================================================================
# The table
# ======================================================================================================================


def text_of(value: float) -> str:
    return "fits" if value == 0.0 else "short" if math.isinf(value) else f"{value:.3f}"


def describe_fit(result: dict[str, Any]) -> str:
    if result["found_fits"]:
        return f"{result['found_gb']:.1f} of {result['limit_gb']:.1f} GB"
    short = result["found_gb"] - result["limit_gb"]
    actions = f"; with memory actions: {result['with_actions']}" if result.get("with_actions") else ""
    return f"short by {short:.1f} GB: {', '.join(result['at_peak'][:2])}{actions}"


def print_row(result: dict[str, Any]) -> None:
    ratios = "  ".join(f"{text_of(result['ratios'][name]):>8}" for name in METHODS)
    print(
        f"{result['row']:66} {result['expert'][:28]:28} {result['expert_ms']:10.2f}  {ratios}  "
        f"{100 * result['gap']:5.1f}% {result['winner_stage']:8} {result['evaluations']:7} "
        f"{result['processor_seconds']:7.2f}  "
        f"{describe_fit(result)}{'' if result['exact'] else '  INEXACT'}",
        flush=True,
    )


def fits_nowhere(result: dict[str, Any]) -> bool:
    """Whether neither the expert's plan nor the found one fits: then ratios are of bytes, not of time."""
    return not result["found_fits"] and not result["expert_fits"]


def judge(results: list[dict[str, Any]]) -> tuple[list[str], bool]:
    """How far the goals are met, in words: by time, and by bytes where nothing fits."""
    timed, short = (
        [each for each in results if not fits_nowhere(each)],
        [each for each in results if fits_nowhere(each)],
    )
    lines, met = judge_by("time", timed) if timed else ([], True)
    lines += [line for half in HALVES for line in describe_half(half, timed)]
    if short:
        more, also = judge_by("bytes", short)
        lines, met = [*lines, "Where nothing fits:", *more], met and also
    return lines, met


def judge_by(unit: str, results: list[dict[str, Any]]) -> tuple[list[str], bool]:
    found = [result["ratios"]["found"] for result in results]
    alone = [result["ratios"]["no seeds"] for result in results]
    count = len(results)
    met = sum(value <= EQUAL for value in found)
    share = sum(value <= EQUAL for value in alone) / count
    near = sum(value <= 1.0205 for value in alone)
    lines = [
        f"{count} rows. Found at most 1.000 of the best expert's {unit} on {met} (goal: all), "
        f"at most {text_of(max(found))}.",
        f"Without seeds at most 1.000 on {100 * share:.0f}% (goal 90%), at most 1.020 on {near} (goal: all), "
        f"at most {text_of(max(alone))}.",
    ]
    for name in [name for name in METHODS if name not in ("found", "no seeds")]:
        ties = sum(result["ratios"][name] <= result["ratios"]["found"] * EQUAL for result in results)
        lines.append(f"With the same budget, {name!r} is as good on {ties} rows.")
    return lines, met == count and near == count and share >= 0.9


def describe_half(half: str, results: list[dict[str, Any]]) -> list[str]:
    """How good the search is on the rows of one half, in a line."""
    own = [each for each in results if each["half"] == half]
    if not own:
        return []
    ratios, gaps = [each["ratios"]["found"] for each in own], [each["gap"] for each in own]
    near = sum(gap <= 0.01 for gap in gaps)
    line = f"The {half} half, {len(own)} rows: found at most {text_of(max(ratios))} of the best expert's time, on "
    line += f"{sum(ratio < 1 / EQUAL for ratio in ratios)} less than it; a gap of at most 1% on {near}, "
    return [f"{line}{100 * statistics.median(gaps):.1f}% in the median."]


def count_stages(results: list[dict[str, Any]]) -> str:
    """Which stages found the plans, in words."""
    counts = Counter(each["winner_stage"] for each in results)
    return "Found by stage: " + ", ".join(f"{stage} {count}" for stage, count in counts.most_common()) + "."


def name_sections(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With a section of its own for rows under another limit than their own, and for those where nothing fits."""
    timed = [{**each, "section": each["section"] + describe_table(each)} for each in results if not fits_nowhere(each)]
    short = [{**each, "section": "nothing fits: bytes are compared"} for each in results if fits_nowhere(each)]
    return timed + short


def describe_table(result: dict[str, Any]) -> str:
    return f", all within {result['asked']} of the memory" if result.get("asked") else ""


def judge_tables(results: list[dict[str, Any]]) -> tuple[list[str], bool]:
    """As `judge`, for the rows of each limit that was asked for."""
    lines, met = [], True
    for table in dict.fromkeys(describe_table(result) for result in results):
        judged, is_met = judge([result for result in results if describe_table(result) == table])
        lines += [*([f"{table.removeprefix(', ')}:".capitalize()] if table else []), *judged]
        met = met and is_met
    return lines, met


def shorten(words: str) -> str:
    """A tactic in some 160 characters: how it begins, and its end, which names the axis."""
    if len(words) <= 160:
        return words
    end = words[words.rindex(" over ") :]
    return f"{words[: 157 - len(end)]}...{end}"


def list_discoveries(results: list[dict[str, Any]]) -> list[str]:
    """What was found where it is clearly better than experts, or fits where they do not."""
    lines = []
    for result in results:
        if result["ratios"]["found"] >= 0.95:
            continue
        twin = f"; its tiny twin executed: {result['twin']}" if result["twin"] else ""
        lines.append(f"**{result['row']}**: {text_of(result['ratios']['found'])} of {result['expert']}{twin}, by")
        lines += [f"- {shorten(words)}" for words in result["words"]] + [""]
    return lines


def list_left_out() -> list[str]:
    lines = [f"- {entry['id']}: {entry['why_not']}" for entry in published_entries() if entry["why_not"]]
    return ["Published strategies that are not among the rows:", "", *lines, ""] if lines else []


def list_missing(missing: list[Row]) -> list[str]:
    return ["Not measured this time:", "", *(f"- {row}" for row in missing), ""] if missing else []


def write_results(results: list[dict[str, Any]], missing: list[Row], budget: int) -> None:
    results = name_sections(results)
    text = [
        "# What the search finds against experts",
        "",
        "Written by `make bench-search ARGS=--write`; `bench/search.py` says what the columns are.",
        f"Every search looks at {budget or 'as many'} states at most{'' if budget else ' as `partita plan` chooses'}.",
        "",
        LEGEND,
        "",
        *judge_tables(results)[0],
        count_stages(results),
    ]
    for section in dict.fromkeys(result["section"] for result in results):
        text += ["", f"## {section}", "", "| row | best expert | ms | " + " | ".join(METHODS), ""]
        text[-2] += " | gap | stage | memory | states | cpu s | half |"
        text[-1] = "| --- | --- | ---: |" + " ---: |" * (len(METHODS) + 1) + " --- | --- | ---: | ---: | --- |"
        for result in results:
            if result["section"] != section:
                continue
            ratios = " | ".join(text_of(result["ratios"][name]) for name in METHODS)
            note = f" ({result['note']})" if result["note"] else ""
            text.append(
                f"| {result['row']}{note} | {result['expert']} | {result['expert_ms']:.2f} | {ratios} | "
                f"{100 * result['gap']:.1f}% | {result['winner_stage']} | {describe_fit(result)} | "
                f"{result['evaluations']} | {result['processor_seconds']:.1f} | {result['half']} |"
            )
    text += [
        "",
        *list_missing(missing),
        *list_left_out(),
        "## Where it is clearly better",
        "",
        *list_discoveries(results),
    ]
    RESULTS.write_text("\n".join(text).rstrip() + "\n")


@functools.cache
def gives_share(machine: str, percent: int) -> bool:
    """Whether the platform of a machine gives programs that share of the memory by itself."""
    told = subprocess.run([str(BIN / "partita"), "machines", machine, "--json"], capture_output=True, check=True)
    device = json.loads(told.stdout)["device"]
    pool, planned = (device[key]["value"] for key in ("pool_ppm", "pool_planned_ppm"))
    return bool(pool * planned == percent * 10_000 * 1_000_000)


def under_limits(rows: list[Row], limits: list[str]) -> list[tuple[Row, str]]:
    """Each row under each limit that was asked for, with that limit; rows with limits of their own are not changed."""
    listed = []
    for limit in limits:
        percent = 0 if limit == "default" else int(limit.removesuffix("%"))
        for row in rows:
            is_own = bool(row.percent or row.binding)
            if not percent or limits == [limit]:
                listed.append((row if is_own or not percent else replace(row, percent=percent), ""))
            elif not is_own and not gives_share(row.machine, percent):
                listed.append((replace(row, percent=percent), limit))
    return listed


def read_limit(text: str) -> str:
    if text != "default" and not re.fullmatch(r"[1-9][0-9]?%|100%", text):
        raise argparse.ArgumentTypeError(f"{text!r} is neither 'default' nor a share such as 90%")
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="regex searched in rows")
    parser.add_argument("--section", help="the rows of one section")
    parser.add_argument("--half", choices=HALVES, help="the rows of one half")
    parser.add_argument("--jobs", type=int, default=1, help="rows that are measured at a time")
    parser.add_argument("--budget", type=int, default=0, help="states of each search; 0: as `partita plan` chooses")
    parser.add_argument("--quick", action="store_true", help="a few programs on one machine")
    parser.add_argument("--again", action="store_true", help="measures rows anew that were measured before")
    parser.add_argument("--stored", action="store_true", help="only rows that were measured before")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a goal is missed")
    parser.add_argument("--memory-limit", type=read_limit, action="append", help="default, or a share; several: tables")
    parser.add_argument("--ablation", action="store_true", help="columns for searches without one of their stages")
    parser.add_argument("--json", type=Path, help="where to write what was measured")
    parser.add_argument("--write", action="store_true", help="writes docs/search-results.md")
    options = parser.parse_args()
    if options.ablation:
        METHODS.clear()
        METHODS.update(ABLATION)
    rows = [row for row in all_rows() if options.only.search(str(row)) and options.half in (None, row.half)]
    rows = [row for row in rows if options.section in (None, row.section)]
    if options.quick:
        rows = [row for row in rows if row.program in QUICK and row.section == "zoo" and row.mesh == "data=8,model=8"]
    asked = under_limits(rows, list(dict.fromkeys(options.memory_limit or ["default"])))
    missing = [row for row, _ in asked if options.stored and not path_of(row, options.budget).exists()]
    asked = [(row, limit) for row, limit in asked if row not in missing]
    if not any(row.section == "others" for row in all_rows()):
        print("other people's programs are not here (../shared/programs): their rows are left out")
    heads = "  ".join(f"{name:>8}" for name in METHODS)
    print(
        f"{'program, mesh, machine':66} {'best expert':28} {'ms':>10}  {heads}  {'gap':>6} {'stage':8} "
        f"{'states':>7} {'cpu s':>7}"
    )
    results = []
    with ThreadPoolExecutor(max_workers=options.jobs) as pool:
        for result in pool.map(
            lambda each: obtain_row(each[0], options.budget, options.again) | {"asked": each[1]}, asked
        ):
            results.append(result)
            print_row(result)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    if not results:
        return 0
    lines, met = judge_tables(results)
    print("", *lines, count_stages(results), "", *list_discoveries(results), sep="\n")
    if options.write:
        write_results(results, missing, options.budget)
    return 1 if options.strict and not met else 0


if __name__ == "__main__":
    sys.exit(main())
