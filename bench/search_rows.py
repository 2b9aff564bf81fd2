"""The rows of `make bench-search`: programs on meshes and machines, and what experts would write for each.

Sections:

zoo         models of the zoo on machines of several kinds
limits      the same with 95, 80 and 60% of the memory that the fastest plan takes which fits the device
others      other people's programs (`../shared/programs`), left out where the folder is not there
published   strategies that were published with a model and a machine (`../shared/data/experts.json`)
closed      closed-form optima (`../shared/data/scaling_book_cases.json`)

Experts' tactics over `data` and `model` are tried as they stand and with the two axes exchanged, and those of data (BP
and ZeRO) over both axes too, and over all axes of a mesh of more: what a person would try before giving up. For
transformers of the zoo there are also context parallelism (CP: the sequence over `model`, keys and values gathered) and
Ulysses (ULY: the sequence over `model`, heads at attention, exchanged in front of it and behind it), with and without
ZeRO.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from models import exported  # noqa: E402

SHARED = ROOT.parent / "shared"
BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
CACHE = ROOT / "build" / "bench"
#: Programs of other packages at full size, as `make full` traces them.
FULL = ROOT / "build" / "full"
SCHEDULES = ROOT / "models" / "schedules"
ORDER = ("EP", "ES", "BP", "MQ", "MP", "EMB", "SEQ", "VOCAB")
HALVES = ("tuning", "reporting")
DATA, ZEROS = ("EP", "ES", "BP", "Z2", "Z3"), ("Z2", "Z3")

Tactics = list[dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """A program on a mesh and a machine.

    `percent` of the device's memory may be used; 0: what the platform gives programs. With `binding`, it is that many
    percent of what the fastest plan takes.
    """

    section: str
    program: str
    mesh: str
    machine: str
    percent: int = 0
    binding: int = 0
    note: str = ""

    @property
    def half(self) -> str:
        """The half that the row's program is in, by a hash of its name."""
        return HALVES[hashlib.sha256(self.program.encode()).digest()[-1] % 2]

    def __str__(self) -> str:
        limit = f" at {self.binding}% of the fastest" if self.binding else ""
        limit += f" at {self.percent}%" if self.percent else ""
        return f"{self.program} {self.mesh} {self.machine}{limit}"


PLACES = (
    ("data=8,model=8", "h100-sxm:8x8"),
    ("data=4,model=4", "tpu-v5e:4x4"),
    ("data=2,model=4", "h100-sxm:1x8"),
    ("data=16,model=4", "tpu-v5p:4x4x4"),
)
TRAINED = (
    "gpt_scan_remat.t32",
    "gpt_scan_remat.t48",
    "llama_scan_remat.8b",
    "llama_scan_remat.70b",
    "llama_scan_remat.8b_32k",
    "resnet.resnet50",
    "gns_scan.full",
    "unet_remat.full",
)


def zoo_rows() -> list[Row]:
    h100, v5e, node, v5p = PLACES
    return [
        *(Row("zoo", program, *place) for program in TRAINED for place in PLACES),
        *(Row("zoo", "decode_scan.it32", *place) for place in (h100, v5e, node)),
        *(Row("zoo", "llama.8b", *place) for place in (h100, v5p)),
        *(Row("zoo", "gpt.t32", *place) for place in (h100, v5p)),
        *(Row("zoo", "llama_remat.8b", *place) for place in (h100, v5e)),
        Row("zoo", "gpt_remat.t32", *h100),
        *(Row("zoo", "moe_einsum_remat.8x7b", *place) for place in (h100, v5p)),
        Row("zoo", "llama_scan_remat.70b", "data=4,model=4,sequence=4", "h100-sxm:8x8", note="three axes"),
        Row("zoo", "llama_scan_remat.8b", "data=8", "h100-sxm:1x8", note="data parallelism alone does not fit"),
        Row("zoo", "llama_scan_remat.70b", "data=2,model=4", "h100-sxm:1x8", percent=30, note="nothing fits"),
        Row("zoo", "llama_scan_remat.8b_32k", "data=2,model=4", "h100-sxm:1x8", percent=60, note="sequence sharding"),
    ]


def limit_rows() -> list[Row]:
    h100, _, _, v5p = PLACES
    programs = ("llama_scan_remat.70b", "llama_scan_remat.8b", "gpt_scan_remat.t48", "llama_scan_remat.8b_32k")
    rows = [Row("limits", program, *h100, binding=share) for program in programs for share in (95, 80, 60)]
    rows += [Row("limits", "llama_scan_remat.70b", *v5p, binding=share) for share in (95, 80, 60)]
    return rows + [Row("limits", "unet_remat.full", *h100, binding=share) for share in (80, 60)]


# ======================================================================================================================
# Flat programs
# ======================================================================================================================


FLATTENING = threading.Lock()


def flatten(source: Path, name: str) -> Path:
    """The flat program of a text, made once, whichever of several rows asks first."""
    target = CACHE / f"{name}.graph.json"
    with FLATTENING:
        if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
            CACHE.mkdir(parents=True, exist_ok=True)
            partial = target.with_suffix(f".{os.getpid()}.partial")
            command = [str(BIN / "partita"), "plan", str(source), "--stop-after=flatten", "-o", str(partial)]
            subprocess.run(command, check=True)
            partial.replace(target)
    return target


def unpack(program: str) -> Path:
    packed = SHARED / "programs" / f"{program}.mlir.gz"
    source = CACHE / f"{program}.mlir"
    if not source.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        source.write_bytes(gzip.decompress(packed.read_bytes()))
    return source


def program_of(row: Row) -> tuple[Path, str]:
    """The text of a row's program, made once, and a name for it."""
    if row.section == "others":
        return unpack(row.program), row.program
    if row.section == "published":
        from training_programs import find_program, source_hash

        return find_program(published_shapes()[row.program], source_hash()), f"published.{row.program}"
    if row.section == "closed":
        from accuracy_closed_forms import find_layer

        return find_layer(CLOSED[row.program]()), f"closed.{row.program}"
    if row.section == "full":
        return FULL / f"{row.program}.mlir", row.program
    return exported.find(row.program), row.program


def graph_of(row: Row) -> Path:
    return flatten(*program_of(row))


# ======================================================================================================================
# Experts
# ======================================================================================================================


def rename(tactics: Tactics, names: dict[str, str]) -> Tactics:
    return [tactic | {"axis": names.get(tactic["axis"], tactic["axis"])} for tactic in tactics]


def over_both(tactics: Tactics) -> Tactics:
    """Each tactic over `data`, then over `model`."""
    second = [tactic | {"name": f"{tactic['name']}'", "axis": "model"} for tactic in tactics]
    order = {tactic["name"]: number for number, tactic in enumerate(tactics)}
    return sorted([*tactics, *second], key=lambda tactic: order[tactic["name"].rstrip("'")])


def combine(tactics: dict[str, Any], mesh: str) -> dict[str, Tactics]:
    """Every combination of an expert's tactics in the usual order, over the axes in every sensible way."""
    axes = [axis.split("=")[0] for axis in mesh.split(",")]
    names = [name for name in ORDER if name in tactics and tactics[name]["axis"] in axes]
    zeros = ["", *(name for name in ZEROS if name in tactics)]
    found: dict[str, Tactics] = {}
    for count in range(1, len(names) + 1):
        for chosen in itertools.combinations(names, count):
            for zero in zeros:
                full = [*chosen, zero] if zero else list(chosen)
                name, listed = "+".join(full), [tactics[each] for each in full]
                found[name] = listed
                if "model" not in axes:
                    continue
                found[f"{name} exchanged"] = rename(listed, {"data": "model", "model": "data"})
                if all(each in DATA for each in full):
                    found[f"{name} over both"] = over_both(listed)
                elif zero:
                    found[f"{name} over both"] = [*listed, tactics[zero] | {"name": f"{zero}'", "axis": "model"}]
    return found


#: The sequence of transformers of the zoo, and the heads of attention, by the scores, up to the reshapes around it.
CONTEXT = {"name": "CP", "axis": "model", "tile": [["batch/.*", 1]]}
HEADS = {
    "name": "ULY",
    "axis": "model",
    "cut": [".*attention/reshape#[0-9]+"],
    "tile": [[".*attention/b[a-z]+,[a-z]+->b[a-z]+ts/dot_general#[0-9]+", 1]],
}


def context_experts(tactics: dict[str, Any]) -> dict[str, Tactics]:
    """Context parallelism and Ulysses beside the batch, with each ZeRO over `data` and over both axes."""
    found: dict[str, Tactics] = {}
    for name, first in (("CP", [CONTEXT]), ("ULY", [HEADS, CONTEXT])):
        listed = [tactics["BP"], *first]
        found[f"BP+{name}"] = listed
        for zero in (each for each in ZEROS if each in tactics):
            found[f"BP+{name}+{zero}"] = [*listed, tactics[zero]]
            found[f"BP+{name}+{zero} over both"] = [
                *listed, tactics[zero], tactics[zero] | {"name": f"{zero}'", "axis": "model"},
            ]  # fmt: skip
    return found


def over_all(tactics: dict[str, Any], axes: list[str]) -> dict[str, Tactics]:
    """Data parallelism over all axes of the mesh, alone and with each ZeRO."""
    found: dict[str, Tactics] = {}
    for zero in ["", *(each for each in ZEROS if each in tactics)]:
        names = ["BP", zero] if zero else ["BP"]
        found[f"{'+'.join(names)} over all"] = [
            tactics[name] | {"name": f"{name}({axis})", "axis": axis} for name in names for axis in axes
        ]
    return found


def zoo_experts(row: Row) -> dict[str, Tactics]:
    from models.registry import ZOO

    layout = ZOO[row.program.split(".")[0]].layout
    tactics: dict[str, Any] = {}
    # The schedules that fit a program are named after its parameters' layout.
    for path in sorted(SCHEDULES.glob(f"{layout}.*.json")):
        for tactic in json.loads(path.read_text())["tactics"]:
            tactics.setdefault(tactic["name"], tactic)
    found, axes = combine(tactics, row.mesh), [axis.split("=")[0] for axis in row.mesh.split(",")]
    if layout.startswith(("gpt", "llama")) and "accum" not in layout and "model" in axes:
        found |= context_experts(tactics)
    if len(axes) > 2 and "BP" in tactics:
        found |= over_all(tactics, axes)
    return found


def written(data: list[Any], model: list[Any], vocab: list[Any], parameters: str) -> dict[str, Any]:
    """Data parallelism, Megatron, a split vocabulary and ZeRO for a program of somebody else's."""
    moments = f"state/opt_state/0/(mu|nu)/({parameters})"
    tactics: dict[str, Any] = {"BP": {"name": "BP", "axis": "data", "tile": data}}
    if model:
        tactics["MP"] = {"name": "MP", "axis": "model", "tile": model}
    if vocab:
        tactics["VOCAB"] = {"name": "VOCAB", "axis": "model", "tile": vocab}
    first = "first_divisible"
    whole = [f"state/params/({parameters})"]
    tactics["Z2"] = {"name": "Z2", "axis": "data", "atomic": whole, "tile": [[moments, first]]}
    tactics["Z3"] = {"name": "Z3", "axis": "data", "tile": [[whole[0], first], [moments, first]]}
    return tactics


OTHERS: dict[str, dict[str, Any]] = {
    "hf_gpt2.full": written(
        [["batch/.*", 0]],
        [[".*/params/.*/(c_attn|c_fc)/kernel", 0], [".*/params/.*/c_proj/kernel", 1]],
        [[".*/params/.*/wte/embedding", 0]],
        ".*kernel|.*embedding",
    ),
    "hf_t5.full": written(
        [["batch/.*", 0]],
        [[".*/params/.*/(q|k|v|wi)/kernel", 1], [".*/params/.*/(o|wo)/kernel", 0]],
        [[".*/params/shared/embedding", 0]],
        ".*kernel|shared/embedding",
    ),
    "jraph_gns.full": written(
        [["batch/(edges|senders|receivers)", 0]],
        [[".*/params/.*linear_[02]/w", 1], [".*/params/.*linear_[13]/w", 0]],
        [],
        ".*/w",
    ),
    "keras_resnet50.full": written(
        [["batch/.*", 0]],
        [[".*/params/conv._block._1_conv/kernel", 3], [".*/params/conv._block._2_conv/kernel", 2]],
        [],
        ".*kernel",
    ),
}


def other_rows() -> list[Row]:
    places = (("data=2,model=4", "h100-sxm:1x8"), ("data=4,model=4", "tpu-v5e:4x4"))
    here = [name for name in OTHERS if (SHARED / "programs" / f"{name}.mlir.gz").is_file()]
    return [Row("others", name, *place) for name in here for place in places]


# ======================================================================================================================
# Published strategies
# ======================================================================================================================

MACHINES = {"h100-sxm": 8, "a100-sxm-80": 8, "v100-sxm2": 8, "gb200-nvl72": 0}
TORI = {
    "mx-gpt3-v5p-1024": "8x8x8",
    "mx-gpt3-v5p-4096": "8x16x16",
    "tr-405b-v5p-1024": "8x8x8",
    "partir-t32-tpu": "4x4",
}


def machine_of(entry: dict[str, Any]) -> str | None:
    """A preset's name with a shape of that many devices; none for machines that have no preset."""
    words = re.split(r"[ ,]+", entry["hw"])
    name, chips = words[0], entry["chips"]
    if name in MACHINES:
        inner = MACHINES[name] or chips
        return f"{name}:{max(1, chips // inner)}x{min(chips, inner)}"
    if "slices" in entry["hw"] or name in ("tpu-7x", "tpu-v3"):
        return None
    shape = TORI.get(entry["id"]) or (words[1] if len(words) > 1 and re.fullmatch(r"[0-9x]+", words[1]) else None)
    return f"{name}:{shape}" if shape else None


def why_not(entry: dict[str, Any], model: dict[str, Any]) -> str:
    """Why a published strategy is not planned; empty if it is."""
    strategy = entry["strategy"]
    if strategy["pp"] > 1:
        return "a pipeline: `bench/pipelines.py` has those"
    if strategy["ep"] > 1 or model.get("experts"):
        return "experts whose routing the zoo does not have"
    if not entry.get("seq") or not entry.get("global_batch_seqs") or not model.get("vocab"):
        return "its batch, sequence or vocabulary was not published"
    if machine_of(entry) is None:
        return "a machine without a preset of that shape"
    microbatches = max(1, strategy.get("microbatches") or 1)
    if entry["global_batch_seqs"] % (microbatches * strategy["dp"] * strategy["fsdp"]) != 0:
        return "a batch that does not divide"
    return ""


@functools.cache
def published_entries() -> list[dict[str, Any]]:
    path = SHARED / "data" / "experts.json"
    if not path.is_file():
        return []
    data = json.loads(path.read_text())
    entries: list[dict[str, Any]] = [entry | {"shape": data["models"][entry["model"]]} for entry in data["rows"]]
    return [entry | {"why_not": why_not(entry, entry["shape"])} for entry in entries]


@functools.cache
def published_shapes() -> dict[str, Any]:
    from training_programs import Shape

    shapes = {}
    for entry in published_entries():
        model, microbatches = entry["shape"], max(1, entry["strategy"].get("microbatches") or 1)
        if entry["why_not"]:
            continue
        shapes[entry["id"]] = Shape(
            family_of(entry), model["d_model"], model["layers"], model["heads"],
            entry["seq"], model["vocab"], microbatches, entry["global_batch_seqs"] // microbatches,
            model["kv_heads"] if model["gated_ffn"] else 0, model["ffn"] if model["gated_ffn"] else 0,
            remat=REMAT.get(entry["remat"], "all"), head_dim=model.get("head_dim", 0),
        )  # fmt: skip
    return shapes


#: What packages' policies compute again. Attention kernels compute the scores again under all of them.
REMAT = {None: "none", "none": "none", "selective": "none", "selective op": "none", "per-op selective": "none"} | {
    "minimal": "dots"
}


def family_of(entry: dict[str, Any]) -> str:
    """Which of the programs of training_programs.py: Megatron's papers ran op by op, without an attention kernel."""
    if entry["shape"]["gated_ffn"]:
        return "llama"
    return "gpt" if entry["family"] == "megatron" else "mpt"


def published_rows() -> list[Row]:
    rows = []
    for entry in published_entries():
        strategy, machine = entry["strategy"], machine_of(entry)
        if entry["why_not"] or machine is None:
            continue
        replicas = strategy["dp"] if has_replicas(strategy) else 1
        data = strategy["dp"] * strategy["fsdp"] // replicas
        sizes = {"replica": replicas, "data": data, "model": strategy["tp"] * strategy["cp"]}
        axes = [f"{name}={size}" for name, size in sizes.items() if size > 1]
        rows.append(Row("published", entry["id"], ",".join(axes), machine, note=describe_strategy(entry)))
    return rows


def has_replicas(strategy: dict[str, Any]) -> bool:
    """Whether weights are split over some of the devices that share the batch, and equal on the others."""
    return bool(strategy["dp"] > 1 and strategy["fsdp"] > 1)


def describe_strategy(entry: dict[str, Any]) -> str:
    degrees = {name: entry["strategy"].get(name) or 1 for name in ("dp", "fsdp", "tp", "cp")}
    listed = " ".join(f"{name}={size}" for name, size in degrees.items() if size > 1)
    return f"{entry['model']}: {listed}" + (" with sequence-sharded norms" if entry["strategy"].get("sp") else "")


def published_experts(row: Row) -> dict[str, Tactics]:
    from training_programs import make_schedule

    (entry,) = (each for each in published_entries() if each["id"] == row.program)
    strategy = entry["strategy"]
    tactics: Tactics = make_schedule(
        family_of(entry), strategy["tp"] > 1, bool(strategy.get("sp")), strategy["fsdp"] > 1, has_replicas(strategy)
    )["tactics"]
    axes = [axis.split("=")[0] for axis in row.mesh.split(",")]
    return {"published": [tactic for tactic in tactics if tactic["axis"] in axes]}


# ======================================================================================================================
# Closed forms
# ======================================================================================================================


def layer(tokens: int, width: int, hidden: int) -> Callable[[], Any]:
    def build() -> Any:
        from accuracy_closed_forms import Layer

        return Layer(tokens, width, hidden)

    return build


CLOSED = {
    "sb-mixed-4x4x4": layer(49152, 8192, 32768),
    "sb-tp-70b": layer(262144, 8192, 30720),
}


def closed_rows() -> list[Row]:
    if not (SHARED / "data" / "scaling_book_cases.json").is_file():
        return []
    cube = "tpu-v5p:4x4x4"
    splits = ("data=64", "data=16,model=4", "data=4,model=16", "model=64")
    rows = [Row("closed", "sb-mixed-4x4x4", mesh, cube, note="the book's split is 16 x 4") for mesh in splits]
    return rows + [Row("closed", "sb-tp-70b", f"model={size}", f"tpu-v5p:{size}x1x1") for size in (8, 16)]


def closed_experts(row: Row) -> dict[str, Tactics]:
    from accuracy_closed_forms import make_split_schedule

    tactics: Tactics = json.loads(make_split_schedule().read_text())["tactics"]
    axes = [axis.split("=")[0] for axis in row.mesh.split(",")]
    return {"the book": [tactic for tactic in tactics if tactic["axis"] in axes]}


def experts_of(row: Row) -> dict[str, Tactics]:
    if row.section == "others":
        return combine(OTHERS[row.program], row.mesh)
    if row.section == "published":
        return published_experts(row)
    if row.section == "closed":
        return closed_experts(row)
    return zoo_experts(row)


def all_rows() -> list[Row]:
    return [*zoo_rows(), *limit_rows(), *other_rows(), *published_rows(), *closed_rows()]
