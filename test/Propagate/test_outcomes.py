"""What propagation is known to give on the zoo's training steps (docs/design.md), unrolled and scanned alike.

Each test applies a few tiles and looks at the whole assignment that `--stop-after=propagate` prints.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTITA = ROOT / "build" / "bin" / "partita"
ZOO = ROOT / "build" / "zoo"
LAYERS = 2
LLAMAS = ("llama", "llama_scan")
Assignment = dict[str, Any]
Tactic = dict[str, Any]

DATA: Tactic = {"name": "BP", "axis": "data", "tile": [["batch/.*", 0]]}


@cache
def run(model: str, mesh: str, tactics: str) -> Assignment:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as schedule:
        schedule.write(tactics)
        schedule.flush()
        command = [PARTITA, "plan", ZOO / f"{model}.tiny.mlir", "--mesh", mesh, "--schedule", Path(schedule.name)]
        done = subprocess.run([*map(str, command), "--stop-after=propagate"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assignment: Assignment = json.loads(done.stdout)
    return assignment


def propagate(model: str, mesh: str, *tactics: Tactic) -> Assignment:
    return run(model, mesh, json.dumps({"tactics": tactics}))


def is_scan(model: str) -> bool:
    return "_scan" in model


def layer_tile(model: str, weights: str, dim: int, prefix: str = "state/params") -> list[object]:
    """A tile on weights of all layers; scanned ones are stacked along a dim before theirs."""
    return [f"{prefix}/layers/({weights})", dim + 1] if is_scan(model) else [f"{prefix}/layers/[0-9]+/({weights})", dim]


def megatron(model: str) -> Tactic:
    return {"name": "MP", "axis": "model", "tile": [layer_tile(model, "wq|w_gate", 1)]}


def shardings(assignment: Assignment) -> dict[str, list[list[str]]]:
    return {cell["name"]: cell["sharding"] for cell in assignment["arguments"]}


def split_dims(assignment: Assignment, axis: str) -> dict[str, int]:
    """The dim that the axis splits, of each argument that it splits."""
    return {
        name: dim
        for name, sharding in shardings(assignment).items()
        for dim, axes in enumerate(sharding)
        if axis in axes
    }


def layer_arguments(
    model: str, dims: dict[str, int], states: tuple[str, ...] = ("params", "mu", "nu")
) -> dict[str, int]:
    """{"wq": 1}, of every layer, with both Adam moments."""
    if is_scan(model):
        return {f"state.{s}['layers']['{w}']": dim + 1 for s in states for w, dim in dims.items()}
    layers = range(LAYERS)
    return {f"state.{s}['layers'][{i}]['{w}']": dim for s in states for i in layers for w, dim in dims.items()}


def ops(assignment: Assignment, kind: str) -> list[dict[str, Any]]:
    return [op for op in assignment["ops"] if op["kind"].endswith(kind)]


def unsplit(assignment: Assignment, kind: str, axis: str) -> list[str]:
    return [op["name"] for op in ops(assignment, kind) if axis not in op["splits"]]


def results_match_arguments(assignment: Assignment) -> bool:
    """The next state has the sharding of the state."""
    given = shardings(assignment)
    next_state = [cell for cell in assignment["results"] if cell["name"].startswith("result[0].")]
    return bool(next_state) and all(
        cell["sharding"] == given["state." + cell["name"].removeprefix("result[0].")] for cell in next_state
    )


MEGATRON = {"wq": 1, "wk": 1, "wv": 1, "wo": 0, "w_gate": 1, "w_up": 1, "w_down": 0}


@pytest.mark.parametrize("model", [*LLAMAS, "llama_remat", "llama_scan_remat"])
def test_megatron_from_two_tiles(model: str) -> None:
    found = propagate(model, "data=2,model=2", megatron(model))
    assert found["conflicts"] == []
    assert split_dims(found, "model") == layer_arguments(model, MEGATRON)
    # Every dot of every layer, forward, recomputed and backward; the logits are not asked for.
    assert {name.split("/")[1] for name in unsplit(found, "dot_general", "model")} == {
        "jvp(logits)",
        "transpose(jvp(logits))",
    }
    assert len(unsplit(found, "dot_general", "model")) == 3
    assert results_match_arguments(found)


@pytest.mark.parametrize("model", ["llama_remat", "llama_scan_remat"])
def test_rematerialisation_keeps_its_barriers_and_their_splits(model: str) -> None:
    found = propagate(model, "data=2,model=2", DATA, megatron(model))
    barriers = [op for op in found["ops"] if op.get("role") == "barrier"]
    assert barriers
    # A barrier is one identity for each value: activations are split along the batch, weights as weights are. In
    # straight code the gradients of a layer pass the barrier of the layer before it, too.
    weights = 7 * (1 if is_scan(model) else LAYERS + LAYERS - 1)
    assert Counter(tuple(sorted(op["splits"])) for op in barriers)[("model",)] == weights
    # Of matrices only the gradient of the logits', which nobody split, is whole: it passes two barriers.
    whole = [op for op in barriers if not op["splits"] and op["rule"].count(",") > 1]
    assert len(whole) == (0 if is_scan(model) else 2), whole


@pytest.mark.parametrize("model", LLAMAS)
def test_one_tile_gives_data_parallelism(model: str) -> None:
    found = propagate(model, "data=2,model=2", DATA)
    assert found["conflicts"] == []
    assert split_dims(found, "data") == {"batch['tokens']": 0, "batch['targets']": 0}
    assert unsplit(found, "dot_general", "data") == []
    # Weight gradients are sums over the batch: each backward dot of a weight, the gather's scatter too.
    summed = [cell for cell in found["cells"] if "partial" in cell]
    assert summed and all(cell["partial"] == ["data"] for cell in summed)
    # The optimizer works on whole parameters.
    assert not any(op["splits"].get("data", "sum") != "sum" for op in found["ops"] if op["phase"] == "update")


@pytest.mark.parametrize("model", LLAMAS)
def test_zero_3_after_data_parallelism(model: str) -> None:
    everything = "layers/w.*" if is_scan(model) else "layers/[0-9]+/w.*"
    zero = [f"state/(params|mu|nu)/({everything}|embed|unembed)", "first_divisible"]
    found = propagate(model, "data=2,model=2", DATA, {"name": "Z3", "axis": "data", "tile": [zero]})
    assert found["conflicts"] == []
    # The layers' dim that the scan steps through is not what first_divisible takes.
    expected = layer_arguments(model, dict.fromkeys(MEGATRON, 0))
    expected |= {f"state.{s}['{w}']": 0 for s in ("params", "mu", "nu") for w in ("embed", "unembed")}
    expected |= {"batch['tokens']": 0, "batch['targets']": 0}
    assert split_dims(found, "data") == expected
    # What the batch has taken stays the batch's.
    before = propagate(model, "data=2,model=2", DATA)
    for old, new in zip(before["ops"], found["ops"], strict=True):
        assert "data" not in old["splits"] or old["splits"]["data"] == new["splits"]["data"]
    # Every elementwise op of the update of a split parameter is split with it.
    assert results_match_arguments(found)
    updates = [op for op in ops(found, "sqrt") if op["phase"] == "update"]
    assert updates
    assert sum("data" in op["splits"] for op in updates) == (9 if is_scan(model) else 7 * LAYERS + 2)


@pytest.mark.parametrize("model", [*LLAMAS, "llama_tied"])
def test_the_vocabulary_is_split_through_gather_logits_and_loss(model: str) -> None:
    tiles = [["state/params/embed", 0]] + ([] if model == "llama_tied" else [["state/params/unembed", 1]])
    found = propagate(model, "data=2,model=2", DATA, {"name": "V", "axis": "model", "tile": tiles})
    assert found["conflicts"] == []
    expected = {f"state.{s}['embed']": 0 for s in ("params", "mu", "nu")}
    if model != "llama_tied":
        expected |= {f"state.{s}['unembed']": 1 for s in ("params", "mu", "nu")}
    assert split_dims(found, "model") == expected
    # Lookups of tokens and of the targets' logits, and their transposes, mask what is not theirs.
    lookups = ops(found, "gather") + ops(found, "scatter")
    assert len(lookups) == 4 and all("model" in op["splits"] for op in lookups)
    logits = [op for op in ops(found, "dot_general") if "logits" in op["name"]]
    assert len(logits) == 3 and all("model" in op["splits"] for op in logits)
    # The softmax over the vocabulary: its maximum and its sum are reduced over the axis.
    reduced = {op["rule"].split("reduce(")[1][:3] for op in ops(found, "reduce") if "model" in op["splits"]}
    assert {"max", "add"} <= reduced


@pytest.mark.parametrize("model", LLAMAS)
def test_sequence_sharded_norms(model: str) -> None:
    residual = {"name": "SEQ", "axis": "model", "tile": [[".*residual[)]*/add#[0-9]+", 1]]}
    found = propagate(model, "data=2,model=2", DATA, megatron(model), residual)
    assert found["conflicts"] == []
    # The stream is looked up and compared piece by piece, too.
    assert split_dims(found, "model") == layer_arguments(model, MEGATRON) | {
        "batch['tokens']": 1,
        "batch['targets']": 1,
    }
    stream = [cell for cell in found["cells"] if cell.get("tile") == ["model"] and "residual" in cell["name"]]
    assert len(stream) == (2 if is_scan(model) else 2 * LAYERS)
    assert all(cell["sharding"] == [["data"], ["model"], []] and "partial" not in cell for cell in stream)
    # Every norm, forward and backward, works on its piece of the sequence.
    assert unsplit(found, "rsqrt", "model") == []
    # The dots keep what Megatron gave them.
    before = propagate(model, "data=2,model=2", DATA, megatron(model))
    for old, new in zip(before["ops"], found["ops"], strict=True):
        assert "model" not in old["splits"] or old["splits"]["model"] == new["splits"]["model"]
    # 4 collectives a layer: gradients of q, k and v, and of gate and up, are added before they are reduced.
    adds = [op for op in ops(found, "add") if op["splits"].get("model") == "sum" and op["phase"] == "backward"]
    assert len(adds) == 3 * (1 if is_scan(model) else LAYERS)


@pytest.mark.parametrize("model", [*LLAMAS, "gpt", "gpt_scan"])
def test_attention_under_a_sequence_tile_is_one_conflict_with_two_sides(model: str) -> None:
    sequence = {"name": "S", "axis": "model", "tile": [["batch/.*", 1]]}
    found = propagate(model, "data=2,model=2", sequence)
    # One in every layer, forward and backward together; the layers of a scan are one.
    assert len(found["conflicts"]) == (1 if is_scan(model) else LAYERS)
    kinds = {op["op"]: op for op in found["ops"]}
    for conflict in found["conflicts"]:
        assert len(conflict["sides"]) == 2
        assert {kinds[op]["phase"] for op in conflict["ops"]} >= {"forward", "backward"}
        assert sum(kinds[op]["kind"].endswith("dot_general") for op in conflict["ops"]) == 6
    # All else is split along the sequence: 6 dots a layer wait for the choice.
    waiting = unsplit(found, "dot_general", "model")
    assert len(waiting) == 6 * (1 if is_scan(model) else LAYERS)
    assert all("attention" in name for name in waiting)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("model", ["llama", "gpt"])
def test_a_side_decides_attention(model: str, side: int) -> None:
    sequence = {"name": "S", "axis": "model", "tile": [["batch/.*", 1]]}
    cells = {cell["cell"]: cell for cell in propagate(model, "data=2,model=2", sequence)["cells"]}
    conflicts = propagate(model, "data=2,model=2", sequence)["conflicts"]
    chosen = []
    for conflict in conflicts:
        shared = {tuple(dim) for dim in conflict["sides"][1 - side]}
        number, dim = next(d for d in conflict["sides"][side] if tuple(d) not in shared)
        chosen.append(["".join(f"[{c}]" if c in "()[]{}.*+?^$|" else c for c in cells[number]["name"]), dim])
    found = propagate(model, "data=2,model=2", {**sequence, "side": chosen})
    assert found["conflicts"] == []
    assert unsplit(found, "dot_general", "model") == []


def test_expert_parallelism_needs_its_cuts() -> None:
    schedule = json.loads((ROOT / "models" / "schedules" / "moe.EP+BP.json").read_text())
    found = propagate("moe_einsum", "data=2,model=2", *schedule["tactics"])
    assert found["conflicts"] == []
    dims = split_dims(found, "data")
    assert {name for name in dims if "experts" in name} == {
        f"state.{s}['layers'][{i}]['experts']['{w}']"
        for s in ("params", "mu", "nu") for i in range(LAYERS) for w in ("w_gate", "w_up", "w_down")
    }  # fmt: skip
    assert set(dims.values()) == {0}
    # Experts compute on their own devices, all else on the batch's: both by `data`.
    assert unsplit(found, "dot_general", "data") == []
    cells = [cell for cell in found["cells"] if "reshape#" in cell["name"] and len(cell["shape"]) == 3]
    dispatched = [cell for cell in cells if "dispatch" in cell["name"] or "combine" in cell["name"]]
    # Tokens are split where they leave, experts where they are used: an all-to-all stands between.
    assert dispatched and all(cell["sharding"] == [[], ["data"], []] for cell in dispatched)
    experts = [op for op in ops(found, "dot_general") if "ecd,edf->ecf" in op["name"] or "ecf,efd->ecd" in op["name"]]
    assert len(experts) == 9 * LAYERS and all(op["splits"]["data"] == "a" for op in experts)


@pytest.mark.parametrize("model", ["llama_kv4", "llama_scan_kv4"])
def test_few_key_heads_under_a_wide_axis(model: str) -> None:
    # 4 key heads under model=8: the axis is refined, and the keys take the part that they can.
    found = propagate(model, "model=8", megatron(model))
    assert found["axes"] == ["model:(1)4", "model:(4)2"]
    assert found["conflicts"] == []
    given = shardings(found)
    for name, dim in layer_arguments(model, MEGATRON).items():
        few = any(f"['{w}']" in name for w in ("wk", "wv"))
        assert given[name][dim] == (["model:(1)4"] if few else ["model"]), name
    # Scores: 4 groups of heads by the one part, heads of a group by the other.
    scores = [op for op in ops(found, "dot_general") if "btgrk,bsgk->bgrts" in op["name"] and op["phase"] == "forward"]
    assert scores and all(set(op["splits"]) == {"model:(1)4", "model:(4)2"} for op in scores)


@pytest.mark.parametrize("model", ["llama_accum", "llama_scan_accum"])
def test_gradients_are_summed_before_they_are_reduced(model: str) -> None:
    found = propagate(model, "data=2,model=2", {"name": "BP", "axis": "data", "tile": [["batch/.*", 1]]})
    assert found["conflicts"] == []
    assert unsplit(found, "dot_general", "data") == []
    # The sum over microbatches of every gradient, and of the loss.
    adds = [op for op in ops(found, "add") if op["splits"].get("data") == "sum"]
    parameters = [cell for cell in found["arguments"] if cell["name"].startswith("state.params")]
    assert len(adds) == len(parameters) + 1
