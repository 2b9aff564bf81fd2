"""Pipelines against measured ones: a section of `make accuracy`.

vtrain   Megatron-DeepSpeed, 2 to 8 A100 in one node: every sixth row, with and without stages, ordered by our prices.
         The program is the zoo's GPT of that shape, its layers scanned and recomputed: its kernels are not Megatron's
         (`accuracy_training.py` has those), so that orders are judged here, not times. One node: this is evidence for
         bubbles and small microbatches, not for slow links.
anchors  published pairs of one model under FSDP and under a pipeline: which one wins, and by how much
stages that take turns
         Megatron's 530B on 280 A100s: 35 stages of 3 blocks
405B     Llama 3's composite, 8-fold tensor parallelism in 16 stages and data parallelism, on 512 H100s, beside what a
         search finds, and in which words

Nothing was fitted on any of these rows.
"""

from __future__ import annotations

import csv
import dataclasses
import functools
import hashlib
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from accuracy_training import BIN, DATA, FRAMEWORKS, kendall_tau, write_machine
from row_cache import write_once
from training_programs import CACHE, source_hash

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

TAU_GOAL = 0.7
EVERY = 6
LAYERS = "state/params/layers/.*"


@dataclass(frozen=True)
class Timed:
    """A program that `build` traces, under a schedule."""

    name: str
    build: Callable[[], str]
    mesh: str
    machine: str
    tactics: tuple[dict[str, Any], ...]
    #: Seconds; 0 if only a pair's ratio is known.
    measured_s: float = 0
    group: str = ""


def find_program(name: str, build: Callable[[], str]) -> Path:
    """The text, traced once for these sources."""
    sources = hashlib.sha256(source_hash().encode() + Path(__file__).read_bytes()).hexdigest()[:12]
    return write_once(CACHE / "pipelines" / sources / f"{name}.mlir", build)


def lower(program: Any) -> str:
    import jax

    jax.clear_caches()
    shapes = program.shapes()
    lowered = jax.jit(program.fn, keep_unused=True, donate_argnums=(0,)).lower(*shapes)
    return str(lowered.as_text(debug_info=True))


def write_tactics(timed: Timed) -> Path:
    text = json.dumps({"tactics": timed.tactics}, sort_keys=True)
    path = CACHE / "pipelines" / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    if not path.exists():
        path.write_text(text)
    return path


def score(timed: Timed) -> tuple[float, str]:
    """Seconds, or 0 and the reason of a refusal."""
    program = find_program(timed.name, timed.build)
    schedule = write_tactics(timed)
    command = [
        BIN / "partita",
        "score",
        program,
        "--schedule",
        schedule,
        "--mesh",
        timed.mesh,
        "--machine",
        timed.machine,
    ]
    done = subprocess.run([*map(str, command), "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 11):
        return 0, done.stderr.strip().splitlines()[0]
    return json.loads(done.stdout)["time_ps"] / 1e12, ""


def score_all(rows: list[Timed]) -> list[tuple[float, str]]:
    for row in rows:
        find_program(row.name, row.build)
        write_tactics(row)
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(score, rows))


# ======================================================================================================================
# Measured rows
# ======================================================================================================================


def build_gpt(width: int, layers: int, heads: int, sequence: int, batch: int) -> str:
    from models import gpt

    return lower(gpt.build(gpt.Config(50304, layers, width, heads, batch, sequence, scan=True, remat=True, fused=True)))


def make_tactics(tp: int, dp: int, pp: int, count: int) -> tuple[dict[str, Any], ...]:
    """Megatron's strategy with so many microbatches: stages or a loop, the batch, then heads and hidden."""
    tactics: list[dict[str, Any]] = []
    if pp > 1:
        tactics.append({"name": "PP", "axis": "pipe", "pipeline": [LAYERS], "microbatches": count})
    elif count > 1:
        tactics.append({"name": "accumulate", "temporal": {"micro": count}, "tile": [["batch/.*", 0]]})
    if dp > 1:
        tactics.append({"name": "BP", "axis": "data", "tile": [["batch/.*", 0]]})
    if tp > 1:
        split = [["state/params/layers/(wqkv|w_in)", 2], ["state/params/layers/(wo|w_out)", 1]]
        tactics.append({"name": "MP", "axis": "model", "tile": split})
        tactics.append({"name": "VOCAB", "axis": "model", "tile": [["state/params/embed", 0]]})
    return tuple(tactics)


def read_vtrain() -> list[Timed]:
    framework = FRAMEWORKS["vtrain"]
    rows = []
    with (DATA / "vtrain_single_node.csv").open() as file:
        for number, entry in enumerate(csv.DictReader(file)):
            if number % EVERY:
                continue
            field = {key: int(value) for key, value in entry.items() if key != "iteration_ms"}
            tp, dp, pp, batch = field["tp"], field["dp"], field["pp"], field["global_batch"]
            shape = (field["hidden"], field["layers"], field["heads"], field["seq"], batch)
            rows.append(
                Timed(
                    "gpt_" + "_".join(map(str, shape)),
                    functools.partial(build_gpt, *shape),
                    f"pipe={pp},data={dp},model={tp}",
                    str(write_machine(framework, field["gpus"], framework.device)),
                    make_tactics(tp, dp, pp, batch // (field["micro_batch"] * dp)),
                    float(entry["iteration_ms"]) / 1e3,
                    f"{field['hidden']}x{field['layers']} on {field['gpus']}",
                )
            )
    return rows


#: What is decided by looking at rows is decided on the first.
HALVES = ("tuning", "reporting")


def half_of(group: str) -> str:
    """By a hash of the model and the number of GPUs."""
    return HALVES[hashlib.sha256(group.encode()).digest()[0] % 2]


def report_vtrain() -> tuple[list[str], bool]:
    rows = read_vtrain()
    groups: dict[str, list[tuple[float, float, bool]]] = defaultdict(list)
    refused: dict[str, int] = defaultdict(int)
    for row, (seconds, reason) in zip(rows, score_all(rows), strict=True):
        if reason:
            refused[reason] += 1
        else:
            staged = any("pipeline" in tactic for tactic in row.tactics)
            groups[row.group].append((seconds, row.measured_s, staged))
    lines = ["vtrain: order of rows with and without stages", "model and GPUs   rows  with stages    tau  half"]
    taus: dict[str, list[float]] = {half: [] for half in HALVES}
    for name, entries in groups.items():
        if len(entries) < 5:
            continue
        tau = kendall_tau([(seconds, measured) for seconds, measured, _ in entries])
        taus[half_of(name)].append(tau)
        staged_count = sum(staged for _, _, staged in entries)
        lines.append(f"{name:16} {len(entries):4} {staged_count:12} {tau:6.2f}  {half_of(name)}")
    lines += [f"refused: {count} x {reason}" for reason, count in refused.items()]
    for half, own in taus.items():
        lines.append(f"{half} half: mean tau " + (f"{mean(own):.2f} of {len(own)} groups" if own else "not known"))
    every = mean(taus[HALVES[0]] + taus[HALVES[1]])
    lines.append(f"mean tau {every:.2f} (goal {TAU_GOAL})")
    return lines, every >= TAU_GOAL and not refused


# ======================================================================================================================
# Published pairs
# ======================================================================================================================


@dataclass(frozen=True)
class Mixture:
    """A scanned mixture of experts. Each sequence has its own slots, and there is no balance term."""

    layers: int
    width: int
    heads: int
    hidden: int
    experts: int
    chosen: int
    vocab: int
    batch: int
    sequence: int


def build_mixture(shape: Mixture) -> str:
    import jax
    from jax import lax

    from models import llama, moe
    from models.layers import cast, cross_entropy, matrix, rms_norm, token_batch
    from models.program import Program
    from models.train import init_state, training

    # The zoo's router takes two experts of a token; slots for more are more capacity.
    config = moe.Config(
        shape.vocab, shape.layers, shape.width, shape.heads, shape.heads, shape.width // shape.heads, shape.hidden,
        shape.batch, shape.sequence, experts=shape.experts, capacity_factor=1.25 * shape.chosen / 2,
    )  # fmt: skip

    def block(params: Any, x: Any) -> Any:
        params = cast(params, config.dtype)
        x = x + llama.attention(config, params, rms_norm(x, params["norm1"]))
        each = jax.vmap(lambda row: moe.sort_experts(config, params, row[None])[0][0])
        return x + each(rms_norm(x, params["norm2"]))

    def layer(x: Any, params: Any) -> tuple[Any, None]:
        return jax.checkpoint(block)(params, x), None

    def loss(params: Any, batch: Any) -> Any:
        x = params["embed"][batch["tokens"]].astype(config.dtype)
        x, _ = lax.scan(layer, x, params["layers"])
        logits = rms_norm(x, params["norm"]) @ cast(params["unembed"], config.dtype)
        return cross_entropy(logits, batch["targets"])

    def init(key: Any) -> Any:
        params = moe.init_params(dataclasses.replace(config, layers=1), key) | {
            "layers": jax.vmap(functools.partial(moe.init_layer, config))(jax.random.split(key, shape.layers)),
            "unembed": matrix(key, shape.width, shape.vocab),
        }
        return init_state(params), token_batch(key, shape.vocab, shape.batch, shape.sequence)

    return lower(Program(training(loss), init, donate_argnums=(0,)))


@dataclass(frozen=True)
class Anchor:
    """A published pair. `published`: the time under FSDP over that of the pipeline."""

    source: str
    shape: Mixture
    machine: str
    devices: int
    stages: int
    microbatches: int
    published: float
    #: Blocks of layers of a stage. If there are several, the row without them is printed as well.
    repeats: int = 1


#: Widths and numbers of experts of the 400M model are not published; these give its size.
SMALL = Mixture(12, 768, 12, 1536, 8, 2, 32000, 64, 512)
ANCHORS = (
    Anchor(
        "DeepSeek-V2-16B, 8 v6e, one sequence a device (MaxText 1766)",
        Mixture(24, 2048, 16, 1408, 64, 6, 102400, 8, 2048),
        # MaxText's defaults: one layer in a block, as many microbatches as stages.
        "tpu-v6e:2x4", 8, 8, 8, 2.0, repeats=3,
    ),
    Anchor("400M MoE, 8 v6e (marin 6532)", SMALL, "tpu-v6e:2x4", 8, 8, 16, 63.5 / 135.6),
    Anchor("400M MoE, 16 H100 (marin 6534)", SMALL, "h100-sxm:2x8", 16, 8, 32, 22.9 / 145),
)  # fmt: skip


def make_stages(microbatches: int, repeats: int) -> dict[str, Any]:
    """Weights of stages that take turns are stored where they are used."""
    around = {"repeats": repeats, "store": True} if repeats > 1 else {}
    return {"name": "PP", "axis": "pipe", "pipeline": [LAYERS], "microbatches": microbatches, **around}


def list_plans(anchor: Anchor) -> list[Timed]:
    """FSDP over all devices, and the stages with FSDP over the rest; with repeats, if there are any, last."""
    shape, build = anchor.shape, functools.partial(build_mixture, anchor.shape)
    name = "moe_" + "_".join(map(str, dataclasses.astuple(shape)))
    rest = anchor.devices // anchor.stages
    fsdp = {"preset": "fsdp", "axis": "data"}
    around = (fsdp,) if rest > 1 else ()
    plans = [Timed(name, build, f"data={anchor.devices}", anchor.machine, (fsdp,))]
    for repeats in sorted({1, anchor.repeats}):
        stages = make_stages(anchor.microbatches, repeats)
        plans.append(Timed(name, build, f"pipe={anchor.stages},data={rest}", anchor.machine, (stages, *around)))
    return plans


def report_anchors() -> tuple[list[str], bool]:
    lines, holds = (
        ["anchors: time under FSDP over that of the pipeline", f"{'':62}   FSDP   pipeline  ratio  published"],
        True,
    )
    for anchor in ANCHORS:
        (fsdp, first), *others = score_all(list_plans(anchor))
        for (staged, second), repeats in zip(others, sorted({1, anchor.repeats}), strict=True):
            name = anchor.source if repeats == anchor.repeats else "  the same without repeats"
            if first or second:
                lines.append(f"{name:62} {first or second}")
                holds = False
                continue
            agrees = (fsdp > staged) == (anchor.published > 1)
            holds = holds and (agrees or repeats != anchor.repeats)
            lines.append(
                f"{name:62} {fsdp * 1e3:6.1f} {staged * 1e3:8.1f} ms {fsdp / staged:6.2f} {anchor.published:10.2f}"
                f"{'' if agrees else '  ORDER WRONG'}"
            )
    return lines, holds


# ======================================================================================================================
# Steps of large models
# ======================================================================================================================


def report_turns() -> list[str]:
    """Megatron's step with stages that take turns; what is recomputed is not quite the same."""
    from accuracy_published import find_measured
    from search_rows import machine_of, published_entries
    from training_programs import Shape, make_schedule
    from training_programs import find_program as find_training_program

    lines = [
        "stages that take turns: Megatron's steps; all but products are computed again, where it were scores alone"
    ]
    for entry in published_entries():
        strategy, model = entry["strategy"], entry.get("shape")
        if not model or strategy["vp"] == 1 or entry["family"] != "megatron" or not find_measured(entry):
            continue
        rows, split = entry["global_batch_seqs"], strategy["dp"] * strategy["fsdp"]
        shape = Shape(
            "mpt",
            model["d_model"],
            model["layers"],
            model["heads"],
            entry["seq"],
            model["vocab"],
            0,
            rows,
            remat="dots",
        )
        microbatches = rows // (split * (entry["micro_batch"] or 1))
        made = make_schedule("mpt", strategy["tp"] > 1, bool(strategy["sp"]), stages=microbatches)
        tactics = made["tactics"]
        tactics[0] |= make_stages(tactics[0]["microbatches"], strategy["vp"])
        # Stored stage by stage, layers are two dims; and of what a layer computes, the first counts stages.
        for tactic in tactics[1:]:
            moved = [
                [name, dim + ("layers" in name or tactic["name"] == "SEQ")] for name, dim in tactic.get("tile", [])
            ]
            tactic |= {"tile": moved} if moved else {}
        program = find_training_program(shape, source_hash())
        mesh = f"pipe={strategy['pp']},data={split},model={strategy['tp']}"
        row = Timed(entry["id"], program.read_text, mesh, machine_of(entry) or "", tuple(tactics))
        (seconds, reason), measured = score(row), find_measured(entry)
        found = reason or f"{seconds:6.2f} s, measured {measured:6.2f} s  x{seconds / measured:.2f}"
        lines.append(f"{entry['id']:16} {row.mesh:24} {strategy['vp']} repeats  {found}")
    return lines


def report_largest() -> tuple[list[str], bool]:
    """Llama 3's composite for 405B, found or beaten."""
    import pipelines

    program, machine = pipelines.find_program("405b"), pipelines.find_machine(None)
    published, found = pipelines.plan_published(program, machine), pipelines.search(program, machine)
    lines = [f"Llama-like 405B on 512 H100s ({pipelines.MESH}), 256 sequences of 8192 tokens"]
    for name, plan in (("published", published), ("found", found)):
        lines.append(f"{name:10} {plan}")
        lines += [f"           {line}" for line in plan.words]
    return lines, found.rank <= published.rank


def report() -> tuple[list[str], bool]:
    """The section's lines, and whether its goals hold."""
    lines, holds = report_anchors()
    largest, largest_holds = report_largest()
    lines += ["", *report_turns(), "", *largest]
    holds = holds and largest_holds
    if not (DATA / "vtrain_single_node.csv").is_file():
        return [*lines, "", "vtrain: the measured table is not here"], holds
    table, table_holds = report_vtrain()
    return [*lines, "", *table], holds and table_holds
