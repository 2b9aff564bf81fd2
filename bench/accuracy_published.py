"""Steps that others published with their strategy, on one node and on several: a section of `make accuracy`.

The rows are those of `../shared/data/experts.json` whose step time, tokens per second or rate is known and whose
products are in 16 bits: torchtitan, llm-foundry, fms-fsdp and Megatron on 8 to 128 GPUs, MaxText and tpu-recipes on 8
to 2048 TPUs. Their programs and schedules are those of `make bench-search` (`search_rows.py`): the model's shape, its
batch and microbatches, the policy of recomputation. Packages, boards and clusters differ in more than that (power
limits, network cards, kernels), so this says how far off a step is of a stranger who gives nothing but a preset's name.
Of pipelines there are three of Megatron, without stages that take turns (`vp`). How large their microbatches were is
not known: one sequence is taken. Their program has no dropout.

Nothing was fitted on these rows.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from accuracy_training import BIN, kendall_tau, percent
from search_rows import Row, machine_of, program_of, published_entries, published_experts, published_rows
from training_programs import JsonObject, Shape, find_program, make_schedule, source_hash, write_schedule

#: Of rows whose policy is said in full: two kinds of offloading are priced as if all were computed again.
INEXACT = ("custom", "custom (offload)", "qkv_proj_offloaded")


@dataclass(frozen=True)
class Step:
    row: Row
    devices: int
    measured_s: float
    predicted_s: float
    exposed_s: float
    note: str

    @property
    def ratio(self) -> float:
        return self.predicted_s / self.measured_s


def count_flops(entry: dict[str, Any]) -> float:
    """What a rate in the table counts: Megatron's papers count what is recomputed, MaxText does not."""
    model, tokens = entry["shape"], entry["global_batch_seqs"] * entry["seq"]
    layers, width = model["layers"], model["d_model"]
    heads = model.get("head_dim", width // model["heads"])
    attention = (2 * model["heads"] + 2 * model["kv_heads"]) * heads * width
    matrices = layers * (attention + (3 if model["gated_ffn"] else 2) * width * model["ffn"])
    scores = layers * 2 * entry["seq"] * model["heads"] * heads
    recomputed = 4 / 3 if entry["family"] == "megatron" and entry["remat"] == "full" else 1.0
    return float(tokens * 6 * ((matrices + scores) * recomputed + width * model["vocab"]))


def find_measured(entry: dict[str, Any]) -> float:
    """Seconds of a step; 0 where the row has none, or products in 8 bits."""
    result, tokens = entry["result"], (entry.get("global_batch_seqs") or 0) * (entry.get("seq") or 0)
    if "8" in entry["dtype"]:
        return 0
    if "step_s" in result:
        return float(result["step_s"])
    if "tok_s_chip" in result:
        return float(tokens / (entry["chips"] * result["tok_s_chip"]))
    if "tflops_chip" in result:
        return count_flops(entry) / float(entry["chips"] * result["tflops_chip"] * 1e12)
    return 0


def has_stages(entry: dict[str, Any]) -> bool:
    """Whether it is one of the pipelines that are priced."""
    strategy = entry["strategy"]
    return bool(strategy["pp"] > 1 and strategy["vp"] == 1 and entry["remat"] == "full" and find_measured(entry))


def stage_row(entry: dict[str, Any]) -> Row:
    strategy = entry["strategy"]
    mesh = f"pipe={strategy['pp']},data={strategy['dp'] * strategy['fsdp']},model={strategy['tp']}"
    note = f"{entry['model']}: pp={strategy['pp']} dp={strategy['dp']} tp={strategy['tp']}"
    return Row("published", entry["id"], mesh, machine_of(entry) or "", note=note)


def find_staged(entry: dict[str, Any]) -> tuple[Path, JsonObject]:
    """Program and schedule of a pipeline."""
    model, strategy, rows = entry["shape"], entry["strategy"], entry["global_batch_seqs"]
    shape = Shape("mpt", model["d_model"], model["layers"], model["heads"], entry["seq"], model["vocab"], 0, rows)
    stages = rows // (strategy["dp"] * strategy["fsdp"] * (entry["micro_batch"] or 1))
    return find_program(shape, source_hash()), make_schedule("mpt", strategy["tp"] > 1, stages=stages)


def price(row: Row, entry: dict[str, Any]) -> Step:
    if has_stages(entry):
        program, tactics = find_staged(entry)
    else:
        program, tactics = program_of(row)[0], {"tactics": published_experts(row)["published"]}
    schedule = write_schedule(f"published_{row.program}", tactics)
    command = [
        str(BIN / "partita"), "score", str(program), "--schedule", str(schedule), "--mesh", row.mesh,
        "--machine", row.machine, "--json",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 11):
        raise RuntimeError(f"{row.program}: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    exposed = found["exposed_communication_ps"] / 1e12
    note = " *" if entry["remat"] in INEXACT else ""
    measured = find_measured(entry)
    return Step(row, entry["chips"], measured, found["time_ps"] / 1e12, exposed, note)


def summarize(name: str, steps: list[Step]) -> str:
    if not steps:
        return f"{name}: none"
    errors = [abs(step.ratio - 1) for step in steps]
    tau = kendall_tau([(step.predicted_s, step.measured_s) for step in steps])
    return (
        f"{name}: {len(steps)} rows, MAPE {percent(errors).strip()}, median error {100 * median(errors):.1f}%, bias "
        f"x{mean(step.ratio for step in steps):.2f}, tau {tau:.2f}"
    )


def report() -> tuple[list[str], bool]:
    """The section's lines. No floor."""
    entries = {entry["id"]: entry for entry in published_entries()}
    rows = [row for row in published_rows() if find_measured(entries[row.program])]
    rows += [stage_row(entry) for entry in entries.values() if has_stages(entry)]
    if not rows:
        return ["the table is not here (experts.json)"], True
    steps = [price(row, entries[row.program]) for row in rows]
    lines = [
        summarize("all", steps),
        summarize("several nodes of GPUs", [s for s in steps if "tpu" not in s.row.machine and s.devices > 8]),
        summarize("one node of GPUs", [s for s in steps if "tpu" not in s.row.machine and s.devices <= 8]),
        summarize("TPUs", [step for step in steps if "tpu" in step.row.machine]),
        "  (*: the policy offloads or is not said in full; priced as if layers were computed again)",
    ]
    for step in steps:
        lines.append(
            f"  {step.row.program:20} {step.row.machine:20} {step.predicted_s:8.2f} s, measured {step.measured_s:8.2f}"
            f"  x{step.ratio:.2f}  exposed {step.exposed_s:6.2f} s  {step.row.note}{step.note}"
        )
    return lines, True


if __name__ == "__main__":
    for line in report()[0]:
        print(line)
