"""Collectives as programs of steps on levels: `make check-reductions`.

python scripts/check_reductions.py [--list]

1. Programs of all_reduce, reduce_scatter, all_gather and all_to_all over two and three factors, as the tool lists them.
   All of them are run on 8 virtual CPU devices under XLA, in integers, against the one collective; the same programs
   run in exact mode (`partita eval --exact`), and have to give the same integers; and they are proven a second time by
   the rules of `partita/Machine/Reduce/Program.h`, written anew below.
2. All reductions of axes of the meshes and clusters of bench/data/placements.json (A100s and V100s, whose nodes
   have one network card), on all placements: the share for which a program is faster than one all-reduce, and by how
   much, beside what the paper (P2) measured. A reduction inside a node has no other program, so shares are also those
   of reductions over both levels; and for an all-reduce that runs as a ring, which is what was measured. The same on
   presets, whose GPUs have network cards of their own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from sources import BUILD, ROOT

PARTITA = BUILD / "bin" / "partita"
DATA = json.loads((ROOT / "bench" / "data" / "placements.json").read_text())
GOALS = ("all_reduce", "reduce_scatter", "all_gather", "all_to_all")
MOST = 100_000
#: So many programs are compiled together.
BATCH = 40
PAYLOAD = 1 << 30
Steps = list[tuple[str, tuple[int, ...]]]
Ordered = tuple[Steps, Sequence[int]]

failures: list[str] = []


def expect(is_true: bool, what: str) -> None:
    """Prints what was compared; remembers what is wrong."""
    print(f"{'ok   ' if is_true else 'WRONG'}  {what}", flush=True)
    if not is_true:
        failures.append(what)


def ask(machine: str, requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers of `machines --price`."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(json.dumps(request) + "\n" for request in requests))
        file.flush()
        command = [str(PARTITA), "machines", machine, "--price", file.name]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def write_machine(folder: Path, name: str, sizes: Sequence[int]) -> str:
    """Switches in switches, of these sizes."""
    free = {"launch_ps": 0, "hop_ps": 0, "rate_ppm": 1_000_000}
    levels = [
        {"name": f"f{i}", "kind": "switch", "size": size, "bytes_per_second": 10**9, "devices_per_port": 1}
        | {"protocols": [free], "peer_hop_ps": 0}
        for i, size in enumerate(sizes)
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"base": "a100-sxm-40:2x8", "name": name, "levels": levels}))
    return str(path)


def read_steps(program: dict[str, Any]) -> Steps:
    """Levels are called f0, f1, ..."""
    return [(kind, tuple(int(level[1:]) for level in levels)) for kind, levels in program["steps"]]


# What programs do, by sets.


def list_groups(factors: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Devices that differ along these factors only, in their order."""
    grid = np.arange(math.prod(sizes)).reshape(sizes)
    others = [i for i in range(len(sizes)) if i not in factors]
    count = math.prod(sizes[i] for i in factors)
    return [list(map(int, row)) for row in np.transpose(grid, [*others, *factors]).reshape(-1, count)]


def simulate(goal: str, steps: Steps, sizes: Sequence[int]) -> list[list[tuple[int, frozenset[int]]]] | None:
    """What each device holds in the end: chunks with the devices that are summed in them. None if a step is wrong."""
    devices = range(math.prod(sizes))
    held = [[(c, frozenset([d])) for c in devices if goal != "all_gather" or c == d] for d in devices]
    for kind, factors in steps:
        for group in list_groups(factors, sizes):
            lists = [held[device] for device in group]
            if kind == "all_gather":
                joined = [piece for each in lists for piece in each]
                if len({chunk for chunk, _ in joined}) < len(joined):
                    return None
                parts = [joined] * len(group)
            else:
                chunks = [[chunk for chunk, _ in each] for each in lists]
                sources = [[source for _, source in each] for each in lists]
                if any(each != chunks[0] for each in chunks):
                    return None
                if kind == "slice":
                    if any(each != sources[0] for each in sources):
                        return None
                    whole = lists[0]
                else:
                    sums = [frozenset().union(*each) for each in zip(*sources, strict=True)]
                    if any(
                        len(s) != sum(map(len, each)) for s, each in zip(sums, zip(*sources, strict=True), strict=True)
                    ):
                        return None
                    whole = list(zip(chunks[0], sums, strict=True))
                count = len(whole) // len(group)
                if kind == "all_reduce":
                    parts = [whole] * len(group)
                elif count * len(group) != len(whole):
                    return None
                else:
                    parts = [whole[i * count : (i + 1) * count] for i in range(len(group))]
            for device, part in zip(group, parts, strict=True):
                held[device] = part
    return held


def find_order(goal: str, steps: Steps, sizes: Sequence[int]) -> list[int] | None:
    """The order in which chunks come out; None if the program is not the collective but for this order."""
    held = simulate(goal, steps, sizes)
    devices = list(range(math.prod(sizes)))
    if held is None:
        return None
    if goal == "reduce_scatter":
        if any(len(each) != 1 or len(each[0][1]) != len(devices) for each in held):
            return None
        order = [each[0][0] for each in held]
    else:
        if any(each != held[0] for each in held):
            return None
        order = [chunk for chunk, _ in held[0]]
        wanted = [frozenset(devices) if goal == "all_reduce" else frozenset([chunk]) for chunk in order]
        if [source for _, source in held[0]] != wanted:
            return None
    return order if sorted(order) == devices else None


# What programs do, under XLA.


def exchange(x: jax.Array, factors: Sequence[int], names: Sequence[str]) -> jax.Array:
    """An all_to_all over some factors; the first dims of `x` are the targets' positions along all of them."""
    moved = jnp.moveaxis(x, factors, range(len(factors)))
    count = math.prod(moved.shape[: len(factors)])
    merged = moved.reshape(count, *moved.shape[len(factors) :])
    merged = lax.all_to_all(merged, tuple(names[f] for f in factors), 0, 0, tiled=True)
    return jnp.moveaxis(merged.reshape(moved.shape), range(len(factors)), factors)


def run_steps(x: jax.Array, goal: str, steps: Steps, sizes: Sequence[int], order: Sequence[int]) -> jax.Array:
    """One device's part."""
    names = [f"f{i}" for i in range(len(sizes))]
    if goal == "all_to_all":
        x = x.reshape(*sizes, -1)
        for _, factors in steps:
            x = exchange(x, factors, names)
        return x.reshape(-1)
    chunks = np.argsort(np.array(order))
    if goal == "reduce_scatter":
        x = x.reshape(len(order), -1)[chunks].reshape(-1)
    for kind, factors in steps:
        over = tuple(names[f] for f in factors)
        if kind == "all_reduce":
            x = lax.psum(x, over)
        elif kind == "reduce_scatter":
            x = lax.psum_scatter(x, over, tiled=True)
        elif kind == "all_gather":
            x = lax.all_gather(x, over, tiled=True)
        else:
            count = x.shape[0] // math.prod(sizes[f] for f in factors)
            x = lax.dynamic_slice(x, (lax.axis_index(over) * count,), (count,))
    if goal == "all_gather":
        x = x.reshape(len(order), -1)[chunks].reshape(-1)
    return x


class Batch:
    """Programs of one collective with the orders of their chunks, as one computation on 8 devices."""

    def __init__(self, goal: str, programs: Sequence[Ordered], sizes: Sequence[int]) -> None:
        names = tuple(f"f{i}" for i in range(len(sizes)))
        mesh = Mesh(np.array(jax.devices()[: math.prod(sizes)]).reshape(sizes), names)
        count = math.prod(sizes)
        # Floats have these values, and sums of as many, too.
        limit = 2**24 // count
        values = np.random.default_rng(0).integers(-limit, limit, (count, 2 * count), dtype=np.int32)
        self.values = values[:, :2] if goal == "all_gather" else values
        spec = PartitionSpec(names)

        def part(x: jax.Array) -> list[jax.Array]:
            return [run_steps(x.reshape(-1), goal, steps, sizes, order)[None] for steps, order in programs]

        self.mapped = jax.jit(jax.shard_map(part, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))

    def run(self) -> list[np.ndarray]:
        """What the devices have in the end under XLA, in integers."""
        return [np.asarray(each) for each in self.mapped(self.values)]

    def run_exactly(self) -> list[np.ndarray]:
        """The same by the tool, in exact mode: floats are integers modulo 2^64 there."""
        floats = self.values.astype(np.float32)
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            (folder / "program.mlir").write_text(self.mapped.lower(floats).as_text())
            np.savez(folder / "inputs.npz", arg0=floats)
            files = [str(folder / name) for name in ("program.mlir", "inputs.npz", "results.npz")]
            command = [str(PARTITA), "eval", files[0], "--inputs", files[1], "-o", files[2], "--exact"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(done.stderr)
            with np.load(files[2]) as results:
                return [results[f"result{i}"].view(np.int64) for i in range(len(results.files))]


def order_programs(goal: str, listed: Sequence[dict[str, Any]], sizes: Sequence[int]) -> list[Ordered]:
    """The programs that are proven again, each with the order in which its chunks come out."""
    found: list[Ordered] = []
    everywhere = list(range(math.prod(sizes)))
    for program in listed:
        steps = read_steps(program)
        order = everywhere if goal == "all_to_all" else find_order(goal, steps, sizes)
        is_covered = sorted(f for _, factors in steps for f in factors) == list(range(len(sizes)))
        is_proven = order is not None and (order == everywhere or program["reordered"])
        if order is not None and is_proven and (goal != "all_to_all" or is_covered):
            found.append((steps, order))
    return found


def compare_programs(goal: str, programs: Sequence[Ordered], sizes: Sequence[int]) -> tuple[int, int]:
    """How many give what the one collective gives, under XLA and in exact mode."""
    whole: Ordered = ([(goal, tuple(range(len(sizes))))], range(math.prod(sizes)))
    wanted = Batch(goal, [whole], sizes).run()[0]
    executed = exact = 0
    for first in range(0, len(programs), BATCH):
        batch = Batch(goal, programs[first : first + BATCH], sizes)
        executed += sum(bool((each == wanted).all()) for each in batch.run())
        exact += sum(bool((each == wanted).all()) for each in batch.run_exactly())
    return executed, exact


def list_programs(folder: Path, sizes: Sequence[int]) -> dict[str, list[dict[str, Any]]]:
    """For each collective its programs, as the tool lists them."""
    machine = write_machine(folder, "x".join(map(str, sizes)), sizes)
    request = {"mesh": f"all={math.prod(sizes)}", "axes": ["all"], "bytes": 1 << 20, "programs": MOST}
    answers = ask(machine, [request | {"kind": goal} for goal in GOALS])
    return {goal: answer["programs"] for goal, answer in zip(GOALS, answers, strict=True)}


def check_programs(folder: Path, is_listed: bool) -> None:
    """All programs of 8 devices."""
    for sizes in ((2, 4), (4, 2), (2, 2, 2)):
        for goal, listed in list_programs(folder, sizes).items():
            if is_listed:
                print("".join(f"       {goal} {sizes} {read_steps(program)}\n" for program in listed), end="")
            proven = order_programs(goal, listed, sizes)
            executed, exact = compare_programs(goal, proven, sizes)
            words = f"{goal} over {' x '.join(map(str, sizes))}: {len(listed)} programs"
            what = f"{words}, {len(proven)} proven again, {executed} run, {exact} run in exact mode"
            expect(len(proven) == executed == exact == len(listed) > 1, what)


# What programs are worth.


def write_cluster(folder: Path, name: str, has_trees: bool = True) -> str:
    """The preset with one card for all GPUs of a node."""
    given = DATA["hierarchies"][name]
    card = {"devices_per_port": given["levels"][1], "bytes_per_second": int(given["across"])}
    levels: dict[str, dict[str, int]] = {"node": card, "nvlink": {}}
    if not has_trees:
        levels = {level: figures | {"tree_hop_ps": 0} for level, figures in levels.items()}
    path = folder / f"{name}{'' if has_trees else '-rings'}.json"
    path.write_text(json.dumps({"base": given["base"], "name": path.stem, "levels": levels}))
    return str(path)


def list_requests(machine: str, axes: Sequence[int], reductions: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """These reductions of a mesh on all of its placements."""
    names = [chr(ord("a") + i) for i in range(len(axes))]
    mesh = ",".join(f"{name}={size}" for name, size in zip(names, axes, strict=True))
    command = [str(PARTITA), "machines", machine, "--mesh", mesh, "--placements", "--json"]
    listed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    common = {"mesh": mesh, "kind": "all_reduce", "bytes": PAYLOAD, "programs": 0}
    return [
        common | {"placement": placement["placement"], "axes": [names[i] for i in reduced]}
        for placement in listed["placements"]
        for reduced in reductions
    ]


def list_cases(machine: str, levels: Sequence[int]) -> list[dict[str, Any]]:
    """Every mesh on every placement, with every set of its axes but the empty one reduced."""
    requests = []
    for sizes, axes, _ in DATA["counts"]:
        if sizes == list(levels):
            counts = range(1, len(axes) + 1)
            sets = [each for count in counts for each in itertools.combinations(range(len(axes)), count)]
            requests += list_requests(machine, axes, sets)
    return requests


def print_share(words: str, answers: Sequence[dict[str, Any]]) -> bool:
    """Beside the paper's figures. Whether programs are faster as often, and by as much on average."""
    published = DATA["published"]
    gains = [answer["plain_ps"] / answer["fastest"]["time_ps"] for answer in answers]
    faster = [gain for gain in gains if gain > 1]
    across = sum(len(answer["factors"]) > 1 for answer in answers)
    print(
        f"       {words}: {len(faster) / len(gains):.0%} of {len(gains)} cases faster "
        f"({published['share_faster']:.0%} published), {len(faster) / across:.0%} of the {across} over both levels, "
        f"mean gain {statistics.mean(faster or [1]):.2f} ({published['mean_gain']}), "
        f"largest {max(gains):.2f} ({published['largest_gain']})"
    )
    is_as_often: bool = len(faster) >= published["share_faster"] * len(gains)
    return is_as_often and statistics.mean(faster or [1]) >= float(published["mean_gain"])


def check_share(folder: Path) -> None:
    """The share of cases with a faster program, and by how much."""
    by_cluster: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for name, given in DATA["hierarchies"].items():
        machines = {
            "one card a node": write_cluster(folder, name),
            "one card a node, rings alone": write_cluster(folder, name, has_trees=False),
            "preset": given["base"],
        }
        for words, machine in machines.items():
            answers = ask(machine, list_cases(machine, given["levels"]))
            own = [answer["plain_ps"] / answer["fastest"]["time_ps"] for answer in answers]
            across = [g for g, a in zip(own, answers, strict=True) if len(a["factors"]) > 1]
            faster = [gain for gain in own if gain > 1]
            inside = [g for g, a in zip(own, answers, strict=True) if len(a["factors"]) == 1]
            mean = statistics.mean(faster) if faster else 1
            print(
                f"       {name} ({words}): {len(faster)} of {len(own)} cases faster ({len(across)} over both levels), "
                f"mean gain {mean:.2f}, largest {max(own):.2f}"
            )
            expect(all(gain == 1 for gain in inside), f"{name} ({words}): on one level one all-reduce is best")
            expect(min(own) >= 1, f"{name} ({words}): no program is slower than the collective")
            by_cluster.setdefault((name.partition("-")[0], words), []).extend(answers)
    for words in ("one card a node", "one card a node, rings alone"):
        for chip in ("a100", "v100"):
            print_share(f"{chip.upper()} clusters, all reductions ({words})", by_cluster[chip, words])
        both = [answer for name, answers in by_cluster.items() if name[1] == words for answer in answers]
        print_share(f"all clusters, all reductions ({words})", both)
        across = [answer for answer in both if len(answer["factors"]) > 1]
        faster = sum(answer["plain_ps"] > answer["fastest"]["time_ps"] for answer in across)
        share = DATA["published"]["share_faster"]
        expect(faster >= share * len(across), f"{words}: over both levels, {share:.0%} or more are faster as programs")
    for has_trees in (True, False):
        machine = write_cluster(folder, "a100-4x16", has_trees)
        requests = [each for axes, reduced in DATA["reductions"] for each in list_requests(machine, axes, [reduced])]
        words = "as priced" if has_trees else "against rings"
        is_met = print_share(f"a100-4x16, reductions of the paper's kind, {words}", ask(machine, requests))
        expect(is_met, f"{words}, programs are faster as often as the paper says, and by as much")


def main() -> int:
    """The exit code: 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print every program that is run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        check_share(folder)
        check_programs(folder, options.list)
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
