"""What other planners propose for the same programs, priced by us: `python bench/peers.py [--only REGEX] [--run]`.

parallax   the automatic sharding of google-parallax (PyPI): the axis that most parameters have in common goes to
           `model`, axes that inputs alone have go to `data`
keras      the rule by which Keras lays out variables where nothing is said: the largest dim that divides goes to
           `model`, the batch to `data`

Both give shardings of arguments. They are written as schedules (names of weights and dims), so that propagation decides
the rest as it does for a schedule of a person's. A row's goal: what the search finds takes at most as long as either;
where it does not fit itself (short), at most as much memory.

parallax is run on the forward pass of the zoo's transformers with two layers that are not scanned, since it follows no
loops; what it says of a layer's weights holds for all layers. `--run` does that with build/models-venv and a package
that pip puts into build/peers, and writes bench/data/peers.json; without it, that file is read.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT)]

FILE = ROOT / "bench" / "data" / "peers.json"
PACKAGES = ROOT / "build" / "peers"
PARALLAX = "google-parallax==0.0.2"
PLACES = (
    ("data=8,model=8", "h100-sxm:8x8"),
    ("data=2,model=4", "h100-sxm:1x8"),
    ("data=4,model=4", "tpu-v5e:4x4"),
)
PROGRAMS = {"llama_scan_remat.8b": "llama", "llama_scan_remat.8b_32k": "llama", "gpt_scan_remat.t32": "gpt"}
#: What is equal but for rounding.
EQUAL = 1.0005


# ======================================================================================================================
# parallax, in an environment of its own
# ======================================================================================================================


def propose(family: str) -> dict[str, list[str | None]]:
    """The axes of each weight, by its path, that parallax chooses for two layers of a model of the zoo."""
    sys.path.insert(0, str(PACKAGES))
    import importlib

    import jax

    auto_shard: Any = importlib.import_module("parallax.sharding.auto_shard")
    module: Any = importlib.import_module(f"models.{family}")
    config = dataclasses.replace(module.T32 if family == "gpt" else module.L8B, layers=2)
    params = jax.eval_shape(lambda: module.init_params(config, jax.random.key(0)))
    # A list is a leaf for parallax.
    params["layers"] = {str(number): layer for number, layer in enumerate(params["layers"])}
    tokens = jax.ShapeDtypeStruct((config.batch, config.sequence), jax.numpy.int32)
    # parallax does not know the gather of a loss: it sees the logits.
    module.cross_entropy = lambda logits, targets: logits
    mesh = jax.sharding.AbstractMesh((2, 2), ("data", "model"))
    with jax.sharding.use_abstract_mesh(mesh):
        (weights, batch), _ = auto_shard.get_shardings(
            lambda params, tokens: module.loss(
                config,
                params | {"layers": list(params["layers"].values())},
                {"tokens": tokens, "targets": tokens},
            ),
            params,
            tokens,
        )
    leaves = jax.tree_util.tree_flatten_with_path(weights, is_leaf=lambda leaf: leaf is None)[0]
    found = {jax.tree_util.keystr(path, simple=True, separator="/"): list(spec) for path, spec in leaves}
    return found | {"batch": list(batch)}


def run_parallax() -> None:
    python = ROOT / "build" / "models-venv" / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(PACKAGES), PARALLAX]
    subprocess.run(install, check=True)
    found = {}
    for family in sorted(set(PROGRAMS.values())):
        done = subprocess.run([str(python), __file__, "--propose", family], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"parallax does not plan {family}: {done.stderr.strip().splitlines()[-1]}")
        found[family] = json.loads(done.stdout)
    FILE.write_text(json.dumps({"package": PARALLAX, "shardings": found}, indent=1, sort_keys=True) + "\n")


# ======================================================================================================================
# Schedules
# ======================================================================================================================


def tile(pattern: str, axes: list[str | None], first: int) -> Iterator[tuple[str, list[Any]]]:
    """The axis of each split dim, with the entry of a tactic; `first` dims stand in front."""
    for dim, axis in enumerate(axes):
        if axis:
            yield axis, [pattern, dim + first]


def write_schedule(entries: list[tuple[str, list[Any]]]) -> list[dict[str, Any]]:
    axes = dict.fromkeys(axis for axis, _ in entries)
    return [{"name": axis, "axis": axis, "tile": [entry for own, entry in entries if own == axis]} for axis in axes]


def parallax_schedule(family: str) -> list[dict[str, Any]]:
    shardings = json.loads(FILE.read_text())["shardings"][family]
    # Where several dims of the inputs are data, parallax numbers axes that the mesh would need: it has the first.
    batch = [None if axis in (None, "data1") else "data" for axis in shardings["batch"]]
    entries = list(tile("batch/.*", batch, 0))
    for path, axes in shardings.items():
        # Layers are alike; scanned ones are stacked on dim 0.
        match = re.fullmatch(r"layers/0/(\w+)", path)
        if match:
            entries += tile(f"state/(params|mu|nu)/layers/{match[1]}", axes, 1)
        elif "/" not in path and path != "batch":
            entries += tile(f"state/(params|mu|nu)/{path}", axes, 0)
    return write_schedule(entries)


def keras_schedule(graph: dict[str, Any], mesh: dict[str, int]) -> list[dict[str, Any]]:
    entries: list[tuple[str, list[Any]]] = [("data", ["batch/.*", 0])]
    for cell in graph["cells"]:
        match = re.fullmatch(r"state\.params(.*)", cell.get("name", "")) if cell["kind"] == "argument" else None
        if not match:
            continue
        path = "/".join(re.findall(r"\w+", match[1]))
        # Scanned layers are stacked on dim 0, which is no dim of a variable.
        dims = range(1 if path.startswith("layers/") else 0, len(cell["shape"]))
        dividing = [dim for dim in dims if cell["shape"][dim] % mesh["model"] == 0]
        if dividing:
            largest = max(dividing, key=lambda dim: cell["shape"][dim])
            entries.append(("model", [f"state/(params|mu|nu)/{path}", largest]))
    return write_schedule(entries)


# ======================================================================================================================
# The table
# ======================================================================================================================


def compare(only: re.Pattern[str]) -> bool:
    """Prints the table; whether no peer is better."""
    from ablation import price, search, value_of
    from search_rows import Row, graph_of

    is_met = True
    print("| row | found ms | GB | parallax | keras |\n| --- | ---: | ---: | ---: | ---: |")
    for program, family in PROGRAMS.items():
        for mesh, machine in PLACES:
            row = Row("zoo", program, mesh, machine)
            if not only.search(str(row)):
                continue
            found = search(row, [])
            sizes = {name: int(size) for name, size in (axis.split("=") for axis in mesh.split(","))}
            graph = json.loads(graph_of(row).read_text())
            peers = (parallax_schedule(family), keras_schedule(graph, sizes))
            ratios = [price(row, {"tactics": tactics}) / value_of(found) for tactics in peers]
            is_met = is_met and min(ratios) * EQUAL >= 1
            words = ["does not fit" if ratio > 1e3 else f"{ratio:.3f}" for ratio in ratios]
            short = "" if found["fits"] else " (short)"
            print(
                f"| {row} | {found['time_ps'] / 1e9:.1f} | {found['peak_bytes'] / 1e9:.1f}{short} | "
                f"{' | '.join(words)} |",
                flush=True,
            )
    return is_met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="regex searched in rows")
    parser.add_argument("--run", action="store_true", help="runs parallax anew")
    parser.add_argument("--propose", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.propose:
        print(json.dumps(propose(options.propose)))
        return 0
    if options.run:
        run_parallax()
    return 0 if compare(options.only) else 1


if __name__ == "__main__":
    sys.exit(main())
