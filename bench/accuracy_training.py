"""Predicted against measured training steps: a section of `make accuracy`.

vtrain       Megatron-DeepSpeed, 2 to 8 A100 in one node, GPT layers: 720 rows with pp = 1
kempnerforge KempnerForge (torch.compile), 1 to 4 H200 in one node, Llama-3 8B: 7 rows

Every row becomes a program and a schedule (`training_programs.py`), priced by `partita score` on the preset's machine
with a framework's own figures in place of the preset's: an eager framework issues each op from Python, and where that
takes longer than the device, the host sets the pace. Those figures are FRAMEWORKS below, with the rows they were fitted
on; errors are given for those rows and for the others. Groups are rows of one model on as many GPUs; tau is Kendall's
(b), regret is the measured time of the row predicted best over that of the best row of the same global batch.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean, median
from typing import Any

from training_programs import CACHE, JsonObject, Shape, find_program, make_schedule, source_hash, write_schedule

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
DATA = ROOT.parent / "shared" / "data"
TAU_FLOOR, GROUP_ROWS = 0.5, 10
#: Plans that are less apart are called too close to call: 0.4 of the band of 13% (TimeBand.h). Chosen on width 1024.
TOO_CLOSE = 0.052


@dataclass(frozen=True)
class Framework:
    """A framework's own figures of a device, and which models they were fitted on."""

    preset: str
    device: dict[str, int]
    was_fitted: Callable[[Shape], bool]
    fitted_on: str
    #: What differs from the preset in the links inside a node; None takes a key away.
    links: dict[str, Any] = field(default_factory=dict)


FRAMEWORKS = {
    # Megatron-DeepSpeed issues op by op from Python: 28, 32, 36 and 40 us were tried on 20 rows; the best was taken.
    # For each peer of a collective 0, 5, 10, 15 and 20 us were tried on the rows of width 1024 with 12 and 20 layers; 5
    # is the first that orders the plans for 8 GPUs as they were measured.
    "vtrain": Framework(
        "a100-sxm-40",
        {"issue_ps": 32_000_000, "issue_peer_ps": 5_000_000},
        lambda shape: shape.width == 1024,
        "rows of width 1024",
    ),
    # Four GPUs a node (KempnerForge, docs/distributed/tensor-parallelism.md). NVIDIA's boards of four have no switch:
    # of the 18 links of a GPU, 6 go to each of the others. The rows themselves do not name the board.
    "kempnerforge": Framework(
        "h200-sxm",
        {},
        lambda shape: False,
        "nothing",
        {
            "kind": "full_mesh",
            "bytes_per_second": 150_000_000_000,
            "in_network_reduction": None,
            "tree_hop_ps": None,
        },
    ),
}


@dataclass(frozen=True)
class Row:
    """One measured step."""

    table: str
    label: str
    shape: Shape
    gpus: int
    global_batch: int
    mesh: str
    schedule: str
    measured_s: float
    measured_bytes: int = 0

    @property
    def group(self) -> tuple[str, int]:
        return (f"{self.shape.family} {self.shape.width}x{self.shape.layers}", self.gpus)


@dataclass(frozen=True)
class Priced:
    row: Row
    predicted_s: float
    peak_bytes: int

    @property
    def ratio(self) -> float:
        return self.predicted_s / self.row.measured_s

    @property
    def error(self) -> float:
        return abs(self.ratio - 1)


def read_vtrain() -> list[Row]:
    """Rows without a pipeline. Vocabulary padded as Megatron pads it."""
    schedules = {
        tensor: write_schedule(f"gpt_tp{int(tensor)}", make_schedule("gpt", tensor)) for tensor in (False, True)
    }
    rows = []
    with (DATA / "vtrain_single_node.csv").open() as file:
        for entry in csv.DictReader(file):
            field = {key: int(value) for key, value in entry.items() if key != "iteration_ms"}
            if field["pp"] != 1:
                continue
            tp, dp, micro, batch = field["tp"], field["dp"], field["micro_batch"], field["global_batch"]
            shape = Shape(
                "gpt", field["hidden"], field["layers"], field["heads"], field["seq"], 50304,
                batch // (micro * dp), micro * dp,
            )  # fmt: skip
            label = f"tp{tp} dp{dp} mb{micro} gb{batch}"
            schedule = str(schedules[tp > 1])
            measured = float(entry["iteration_ms"]) / 1e3
            rows.append(Row("vtrain", label, shape, field["gpus"], batch, f"data={dp},model={tp}", schedule, measured))
    return rows


def read_kempnerforge() -> list[Row]:
    rows = []
    with (DATA / "kempnerforge_h200_train.csv").open() as file:
        for entry in csv.DictReader(file):
            field = {key: int(entry[key]) for key in ("gpus", "fsdp", "tp", "micro_batch", "accum", "layers", "seq")}
            shape = Shape(
                "llama", int(entry["d_model"]), field["layers"], int(entry["heads"]), field["seq"], int(entry["vocab"]),
                field["accum"], field["micro_batch"] * field["fsdp"], int(entry["kv_heads"]), int(entry["ffn"]),
            )  # fmt: skip
            tensor, sharded = field["tp"] > 1, field["fsdp"] > 1
            name = f"llama_tp{int(tensor)}_z{int(sharded)}"
            schedule = write_schedule(name, make_schedule("llama", tensor, tensor, sharded, whole_logits=True))
            mesh = f"data={field['fsdp']},model={field['tp']}"
            batch = field["accum"] * field["micro_batch"] * field["fsdp"]
            measured_bytes = int(float(entry["mem_gib"]) * 2**30)
            rows.append(
                Row("kempnerforge", f"{entry['strategy']} x{field['gpus']} mb{field['micro_batch']}", shape,
                    field["gpus"], batch, mesh, str(schedule), float(entry["step_s"]), measured_bytes)
            )  # fmt: skip
    return rows


def write_machine(framework: Framework, gpus: int, figures: dict[str, int]) -> Path:
    """The preset of that size with some figures of the device replaced, as a machine file."""
    command = [str(BIN / "partita"), "machines", f"{framework.preset}:1x{gpus}", "--json"]
    machine: JsonObject = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    machine["device"].update(figures)
    links = {**machine["levels"][-1], **framework.links}
    machine["levels"][-1] = {key: value for key, value in links.items() if value is not None}
    name = "_".join([framework.preset, str(gpus), *(f"{key}{value}" for key, value in sorted(figures.items()))])
    path = CACHE / "machines" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(machine))
    return path


def score(row: Row, machine: Path, sources: str) -> Priced:
    command = [
        str(BIN / "partita"), "score", str(find_program(row.shape, sources)), "--schedule", row.schedule,
        "--mesh", row.mesh, "--machine", str(machine), "--json",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 11):
        raise RuntimeError(f"{row.label}: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    return Priced(row, found["time_ps"] / 1e12, found["peak_bytes"])


def price(rows: list[Row], framework: Framework, figures: dict[str, int]) -> list[Priced]:
    """All rows, in their order. Programs are lowered first: JAX traces one at a time."""
    sources = source_hash()
    for row in rows:
        find_program(row.shape, sources)
    machines = {gpus: write_machine(framework, gpus, figures) for gpus in {row.gpus for row in rows}}
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(lambda row: score(row, machines[row.gpus], sources), rows))


def kendall_tau(pairs: list[tuple[float, float]]) -> float:
    """Tau-b of the two orders."""
    concordant = discordant = ties_left = ties_right = 0
    for index, (a, b) in enumerate(pairs):
        for c, d in pairs[:index]:
            sign = (a > c) - (a < c), (b > d) - (b < d)
            concordant += sign[0] * sign[1] > 0
            discordant += sign[0] * sign[1] < 0
            ties_left += sign[0] == 0 and sign[1] != 0
            ties_right += sign[1] == 0 and sign[0] != 0
    decided = concordant + discordant
    scale = ((decided + ties_left) * (decided + ties_right)) ** 0.5
    return (concordant - discordant) / scale if scale else 1.0


def regret(priced: list[Priced]) -> list[float]:
    """For each global batch with several rows: measured time of the row predicted best over the best measured, - 1."""
    batches: dict[int, list[Priced]] = defaultdict(list)
    for entry in priced:
        batches[entry.row.global_batch].append(entry)
    regrets = []
    for entries in batches.values():
        if len(entries) > 1:
            chosen = min(entries, key=lambda entry: entry.predicted_s)
            best = min(entry.row.measured_s for entry in entries)
            regrets.append(chosen.row.measured_s / best - 1)
    return regrets


def percent(values: Iterable[float]) -> str:
    listed = list(values)
    return f"{100 * mean(listed):6.1f}%" if listed else "      -"


def group_lines(priced: list[Priced], framework: Framework) -> tuple[list[str], bool]:
    groups: dict[tuple[str, int], list[Priced]] = defaultdict(list)
    for entry in priced:
        groups[entry.row.group].append(entry)
    lines, holds = ["model             GPUs rows    MAPE   bias    tau  tau in a batch  regret  rows"], True
    for (model, gpus), entries in groups.items():
        tau = kendall_tau([(entry.predicted_s, entry.row.measured_s) for entry in entries])
        regrets = regret(entries)
        bias = median(entry.ratio for entry in entries)
        fitted = "fitted" if framework.was_fitted(entries[0].row.shape) else "not used"
        floor = len(entries) >= GROUP_ROWS
        missed = floor and tau < TAU_FLOOR
        holds = holds and not missed
        lines.append(
            f"{model:17} {gpus:4} {len(entries):4} {percent(entry.error for entry in entries)} x{bias:5.2f} {tau:6.2f} "
            f"{tau_in_batches(entries):>15} {percent(regrets)}  {fitted}{'  FLOOR MISSED' if missed else ''}"
        )
    return lines, holds


def tau_in_batches(entries: list[Priced]) -> str:
    """Mean tau among rows of one global batch: the choice that a planner has."""
    batches: dict[int, list[Priced]] = defaultdict(list)
    for entry in entries:
        batches[entry.row.global_batch].append(entry)
    taus = [
        kendall_tau([(entry.predicted_s, entry.row.measured_s) for entry in group])
        for group in batches.values()
        if len(group) > 2
    ]
    return f"{mean(taus):.2f}" if taus else "-"


def pair_line(priced: list[Priced], name: str) -> str:
    """Of two plans of one model, as many GPUs and one batch: how often the one predicted faster is, by how far the
    predictions are apart. Most plans are further apart than the last bin and always in order."""
    groups: dict[tuple[tuple[str, int], int], list[Priced]] = defaultdict(list)
    for entry in priced:
        groups[(entry.row.group, entry.row.global_batch)].append(entry)
    right: dict[str, list[bool]] = {"near": [], "far": []}
    for entries in groups.values():
        for a, b in itertools.combinations(entries, 2):
            apart = max(a.predicted_s, b.predicted_s) / min(a.predicted_s, b.predicted_s) - 1
            if apart < 0.65:
                is_right = (a.predicted_s < b.predicted_s) == (a.row.measured_s < b.row.measured_s)
                right["near" if apart <= TOO_CLOSE else "far"].append(is_right)
    near, far = right["near"], right["far"]
    return (
        f"pairs of plans, {name}: in the right order {percent(near)} of {len(near)} that are less than "
        f"{100 * TOO_CLOSE:.1f}% apart, {percent(far)} of {len(far)} that are 5 to 65% apart"
    )


def summary(priced: list[Priced], framework: Framework) -> list[str]:
    seen = [entry for entry in priced if framework.was_fitted(entry.row.shape)]
    others = [entry for entry in priced if not framework.was_fitted(entry.row.shape)]
    figures = ", ".join(f"{key} = {value}" for key, value in framework.device.items()) or "none"
    return [
        f"{len(framework.device)} figures fitted ({figures}) on {framework.fitted_on}",
        f"MAPE: models of the fitted rows {percent(entry.error for entry in seen)}, other models "
        f"{percent(entry.error for entry in others)}, all {percent(entry.error for entry in priced)}",
        *([pair_line(seen, "models of the fitted rows")] if seen else []),
        pair_line(others, "other models"),
    ]


def row_lines(priced: list[Priced]) -> list[str]:
    lines = []
    for entry in priced:
        memory = ""
        if entry.row.measured_bytes:
            memory = f"  peak {entry.peak_bytes / 2**30:6.1f} GiB, measured {entry.row.measured_bytes / 2**30:6.1f}"
        lines.append(
            f"  {entry.row.label:28} {entry.predicted_s:8.3f} s, measured {entry.row.measured_s:8.3f}"
            f"  x{entry.ratio:.2f}{memory}"
        )
    return lines


def report() -> tuple[list[str], bool]:
    """The section's lines, and whether its floors hold."""
    lines: list[str] = []
    holds = True
    for name, file, read in (
        ("vtrain", "vtrain_single_node.csv", read_vtrain),
        ("kempnerforge", "kempnerforge_h200_train.csv", read_kempnerforge),
    ):
        if not (DATA / file).is_file():
            lines.append(f"{name}: the measured table is not here ({file})")
            continue
        framework = FRAMEWORKS[name]
        priced = price(read(), framework, framework.device)
        table, table_holds = group_lines(priced, framework)
        lines += [f"{name}: {framework.preset}", *summary(priced, framework), *table]
        if len(priced) < 20:
            lines += row_lines(priced)
        if framework.links:
            stock = replace(framework, links={})
            usual = price(read(), stock, stock.device)
            lines.append(f"with the preset's own links: MAPE {percent(entry.error for entry in usual)}")
            lines += row_lines(usual)
        lines.append("")
        holds = holds and table_holds
    return lines, holds


if __name__ == "__main__":
    for line in report()[0]:
        print(line)
