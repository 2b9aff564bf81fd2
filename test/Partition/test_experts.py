"""What expert strategies cost, by the closed forms that experts know: collectives by kind and axis, exactly.

L layers, P arrays a layer of which Q are matrices, O arrays outside the layers, each gradient and the loss reduced by
itself (models/README.md). A scanned model reduces or scatters the gradients of a layer in the loop that stacks them, so
it has what the unrolled one has: what stands in a loop counts with its trips. Only what its update does to stacked
arrays counts once for all layers. The mesh is data=2, model=4; models are the tiny ones.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from models import exported

ROOT = Path(__file__).resolve().parents[2]
PARTITA = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin")) / "partita"
MESH = "data=2,model=4"
LAYERS = 2

Counts = dict[tuple[str, str], int]


def partition(model: str, schedule: str, folder: Path) -> Path:
    path = ROOT / "models" / "schedules" / f"{schedule}.json"
    command = [
        PARTITA,
        "plan",
        exported.find(f"{model}.tiny"),
        "--mesh",
        MESH,
        "--schedule",
        path,
        "-o",
        folder / "out",
    ]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "out"


def count(folder: Path) -> Counts:
    report = json.loads((folder / "report.json").read_text())
    found: Counter[tuple[str, str]] = Counter()
    for entry in report["collectives"]:
        found[entry["kind"], "+".join(entry["axes"])] += entry["count"]
    return dict(found)


def reductions(data: int = 0, model: int = 0) -> Counts:
    found = {("all_reduce", "data"): data, ("all_reduce", "model"): model}
    return {key: number for key, number in found.items() if number}


def zero(gathers: int, scatters: int, rest: int, model: int = 0) -> Counts:
    return {("all_gather", "data"): gathers, ("reduce_scatter", "data"): scatters, **reductions(rest, model)}


P, Q, OUTER = 9, 7, 3  # llama: 7 matrices and 2 norms a layer; embed, norm, unembed
MATRICES = LAYERS * Q + 2  # with both tables
MEGATRON = 4 * LAYERS  # wo and w_down forward; into wq, wk, wv and into w_gate, w_up backward

LLAMA: dict[str, Counts] = {
    "llama.BP": reductions(data=LAYERS * P + OUTER + 1),
    "llama.MP": reductions(model=MEGATRON),
    "llama.BP+MP": reductions(data=LAYERS * P + OUTER + 1, model=MEGATRON),
    # Each matrix's gradient is scattered, and its new value gathered.
    "llama.BP+MP+Z2": zero(MATRICES, MATRICES, LAYERS * P + OUTER + 1 - MATRICES, MEGATRON),
    # Matrices are gathered forward and backward; the embedding's rows need no gathering backward.
    "llama.BP+MP+Z3": zero(2 * (LAYERS * Q + 1) + 1, MATRICES, LAYERS * P + OUTER + 1 - MATRICES, MEGATRON),
    "llama.BP+Z3": zero(2 * (LAYERS * Q + 1) + 1, MATRICES, LAYERS * P + OUTER + 1 - MATRICES),
    # The table's lookup and its gradient's source, the logits' maximum, sum and target: 5 more over the vocabulary.
    "llama.BP+MP+VOCAB": reductions(data=LAYERS * P + OUTER + 1, model=MEGATRON + 5),
}

# New values of the matrices are gathered behind the loop under Z2: once for all layers, each stacked array.
STACKED = Q + 2
SCANNED: dict[str, Counts] = {
    "llama_scan.BP": LLAMA["llama.BP"],
    "llama_scan.MP": LLAMA["llama.MP"],
    "llama_scan.BP+MP": LLAMA["llama.BP+MP"],
    "llama_scan.BP+MP+Z2": zero(STACKED, MATRICES, LAYERS * P + OUTER + 1 - MATRICES, MEGATRON),
    "llama_scan.BP+MP+Z3": LLAMA["llama.BP+MP+Z3"],
}

GPT_P, GPT_O = 16, 4
GPT: dict[str, Counts] = {
    "gpt.BP": reductions(data=LAYERS * GPT_P + GPT_O + 1),
    "gpt.MP": reductions(model=4 * LAYERS),
    "gpt.BP+MP": reductions(data=LAYERS * GPT_P + GPT_O + 1, model=4 * LAYERS),
}


def sequence(data: int, both: int) -> Counts:
    """Norms on pieces of the sequence around Megatron's blocks: what were reductions is scattered behind each block and
    gathered before it, forward and backward; backward, what a block took is gathered a second time, for the gradients
    of its matrices. Gradients of what works on pieces of the sequence are partial over both axes."""
    return {
        ("all_gather", "model"): 6 * LAYERS,
        ("reduce_scatter", "model"): 4 * LAYERS,
        ("all_reduce", "data"): data,
        ("all_reduce", "data+model"): both,
    }


SEQUENCE: dict[str, Counts] = {
    # Norms, both tables and the loss.
    "llama.BP+MP+SEQ": sequence(data=LAYERS * Q, both=LAYERS * 2 + OUTER + 1),
    "llama_scan.BP+MP+SEQ": sequence(data=LAYERS * Q, both=LAYERS * 2 + OUTER + 1),
    # Ten of a layer's arrays are split over the heads or the hidden dim; four of the norms and two biases are not. The
    # table of positions is split along the sequence.
    "gpt.BP+MP+SEQ": sequence(data=LAYERS * 10 + 1, both=LAYERS * 6 + (GPT_O - 1) + 1),
}

# The residual stream is split along its features: each product that takes it gives a sum. Forward the sum of a norm, of
# v, gate and up, and the two halves of q and of k: their sums are taken through the rotation, which is linear. Backward
# those of both norms, of wo and of w_down. Outside the layers, the last norm twice, and the logits.
LLAMA_FEATURES = LAYERS * (2 + 3 + 4 + 2 + 2) + 2 + 1
# LayerNorm has a mean and a variance; q, k, v and w1 forward, wo and w2 backward.
GPT_FEATURES = LAYERS * (4 + 4 + 4 + 2) + 4 + 1
FEATURES: dict[str, Counts] = {
    "llama.BP+EMB": reductions(data=LAYERS * P + OUTER + 1, model=LLAMA_FEATURES),
    "llama_scan.BP+EMB": reductions(data=LAYERS * P + OUTER + 1, model=LLAMA_FEATURES),
    "gpt.BP+EMB": reductions(data=LAYERS * GPT_P + GPT_O + 1, model=GPT_FEATURES),
}

# Four matrices and two norms of attention, the router, three matrices of the experts; each layer's balance of experts
# is made of two means over all tokens.
MOE_P, MOE_EXPERTS, MOE_MEANS = 10, 3, 2
MOE_DATA = LAYERS * (MOE_P + MOE_MEANS) + OUTER + 1
EXPERTS: dict[str, Counts] = {
    "moe.BP": reductions(data=MOE_DATA),
    "moe.BP+MP": reductions(data=MOE_DATA, model=MEGATRON),
    # Tokens go to the experts and back, forward and backward; what experts learn stays with them.
    "moe.EP+BP": {("all_to_all", "data"): 4 * LAYERS, **reductions(data=MOE_DATA - LAYERS * MOE_EXPERTS)},
    "moe.EP+BP+MP": {
        ("all_to_all", "data"): 4 * LAYERS,
        **reductions(data=MOE_DATA - LAYERS * MOE_EXPERTS, model=MEGATRON),
    },
}

MICROBATCHES = 4
ACCUMULATED: dict[str, Counts] = {
    # Gradients of all microbatches are reduced once, behind the loop.
    "llama_accum.BP": reductions(data=LAYERS * P + OUTER + 1),
    "llama_accum.BP+MP": reductions(data=LAYERS * P + OUTER + 1, model=MICROBATCHES * MEGATRON),
    # Those of scanned layers are stacked by each microbatch's own loop, the stacks added up and reduced: one for all.
    "llama_scan_accum.BP": reductions(data=P + OUTER + 1),
    "llama_scan_accum.BP+MP": reductions(data=P + OUTER + 1, model=MICROBATCHES * MEGATRON),
}

STEPS = 16
DECODING: dict[str, Counts] = {
    "decode.BP": {},
    "decode.MP": reductions(model=2 * LAYERS * STEPS),
    "decode.BP+MP": reductions(model=2 * LAYERS * STEPS),
    # Queries and outputs change between heads and batch, in each layer and step.
    "decode.BP+MQ+MP": {
        ("all_to_all", "model"): 2 * LAYERS * STEPS,
        ("all_reduce", "model"): 2 * LAYERS * STEPS,
    },
}

MESSAGE_STEPS, MLP = 2, 5
GRAPHS: dict[str, Counts] = {
    # Once forward in each step, and every gradient of the steps' and the encoder's edge networks. Backward, the two
    # gathers of a step send partial sums to the nodes; an expert would add them and reduce once, but the program adds
    # one of them to the nodes' own gradient, which is whole, first. Sums are not reordered, so that makes two.
    "gns.ES": reductions(data=3 * MESSAGE_STEPS + (MESSAGE_STEPS + 1) * (2 * MLP + 2)),
}

CASES = [
    (schedule.split(".")[0].replace("moe", "moe_einsum"), schedule, expected)
    for family in (LLAMA, SCANNED, GPT, SEQUENCE, FEATURES, EXPERTS, ACCUMULATED, DECODING, GRAPHS)
    for schedule, expected in family.items()
]


@pytest.mark.parametrize(("model", "schedule", "expected"), CASES, ids=[case[1] for case in CASES])
def test_closed_form(model: str, schedule: str, expected: Counts, tmp_path: Path) -> None:
    assert count(partition(model, schedule, tmp_path)) == expected


def count_carried_matrices(folder: Path) -> int:
    """Elements that a device's loops carry of stacked matrices: parameters, and gradients on their way back."""
    elements = 0
    for line in (folder / "local.mlir").read_text().splitlines():
        if "stablehlo.while" in line:
            for shape in re.findall(rf"tensor<{LAYERS}x(\d+)x(\d+)xf32>", line.split(") : ")[-1]):
                elements += LAYERS * int(shape[0]) * int(shape[1])
    return elements


def test_gradients_of_scanned_layers_are_never_whole(tmp_path: Path) -> None:
    """Under Z3 the stacks that the backward loop fills are tiles, as the parameters are: half of all, on data=2."""
    whole, tiles = tmp_path / "whole", tmp_path / "tiles"
    whole.mkdir()
    tiles.mkdir()
    elements = count_carried_matrices(partition("llama_scan", "llama_scan.BP+MP", whole))
    assert elements > 0
    assert 2 * count_carried_matrices(partition("llama_scan", "llama_scan.BP+MP+Z3", tiles)) == elements


@pytest.mark.parametrize(
    ("model", "schedule"),
    [
        ("llama", "llama.BP+MP+Z3"),
        ("llama_scan", "llama_scan.BP+MP+SEQ"),
        ("llama_kv4", "llama.BP+MP+VOCAB"),
        ("llama_scan_accum", "llama_scan_accum.BP+MP+Z3"),
        ("gpt_scan_remat", "gpt_scan.BP+MP+Z2"),
        ("moe_einsum", "moe.EP+BP+MP"),
        ("moe_sort", "moe.EP+BP"),
        ("decode_scan", "decode_scan.BP+MQ+MP"),
        ("unet", "unet.BP+MP"),
        ("resnet", "resnet.BP+Z3"),
        ("gns_scan", "gns_scan.ES+Z2"),
        ("rnn_lstm", "rnn.BP+Z3"),
    ],
)
def test_local_program_equals_the_original(model: str, schedule: str, tmp_path: Path) -> None:
    """Bit for bit, in ring mode; Adam's first step is too badly conditioned for the bound on floats."""
    folder = partition(model, schedule, tmp_path)
    command = [PARTITA, "verify", exported.find(f"{model}.tiny"), "--local", folder / "local.mlir", "--ring", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["equal"]
    assert not outcome["vacuous"]
