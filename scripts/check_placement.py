"""Placements of meshes on machines with levels: `make check-placement`.

python scripts/check_placement.py

bench/data/placements.json has what the paper on parallelism matrices (P2) published, numbers of matrices, and closed
forms that any price of a hierarchical machine must give. This script compares: numbers of matrices; one ring through
all levels against steps on levels; an axis across nodes against the same axis inside; that moving a reduced axis inward
never costs; that symmetric placements cost the same; and how much placement decides at most. Then a small program is
planned, and the placement of the plan is compared with all others.
"""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sources import BUILD, ROOT

PARTITA = BUILD / "bin" / "partita"
DATA = json.loads((ROOT / "bench" / "data" / "placements.json").read_text())
PAYLOAD = 1 << 34
LEVELS = ("node", "nvlink")

failures: list[str] = []


def expect(is_true: bool, what: str) -> None:
    """Prints what was compared; remembers what is wrong."""
    print(f"{'ok   ' if is_true else 'WRONG'}  {what}")
    if not is_true:
        failures.append(what)


def run(*arguments: str) -> str:
    """The output of the tool."""
    done = subprocess.run([str(PARTITA), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"partita {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def write_machine(folder: Path, name: str, levels: Sequence[dict[str, Any]]) -> str:
    """A machine whose links only transfer: no launches, no latencies, no trees."""
    free = {"launch_ps": 0, "hop_ps": 0, "rate_ppm": 1_000_000}
    written = [
        {"kind": "switch", "devices_per_port": 1, "protocols": [free], "peer_hop_ps": 0, **each} for each in levels
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"base": "a100-sxm-40:2x8", "name": name, "levels": written}))
    return str(path)


def write_hierarchy(folder: Path, name: str) -> str:
    """Nodes of GPUs behind one switch, with one network card that all of them share."""
    given = DATA["hierarchies"][name]
    nodes, inside = given["levels"]
    across = {"name": "node", "size": nodes, "bytes_per_second": int(given["across"]), "devices_per_port": inside}
    links = {"name": "nvlink", "size": inside, "bytes_per_second": int(given["inside"])}
    return write_machine(folder, name, [across, links])


def print_mesh(axes: Sequence[int]) -> str:
    """`a=4,b=16`."""
    return ",".join(f"{chr(ord('a') + index)}={size}" for index, size in enumerate(axes))


def list_placements(machine: str, axes: Sequence[int]) -> dict[str, Any]:
    """What the tool lists."""
    found: dict[str, Any] = json.loads(run("machines", machine, "--mesh", print_mesh(axes), "--placements", "--json"))
    return found


def price(folder: Path, machine: str, requests: Sequence[dict[str, Any]]) -> list[int]:
    """Picoseconds of each request."""
    path = folder / "requests.jsonl"
    path.write_text("".join(json.dumps(request) + "\n" for request in requests))
    return [json.loads(line)["time_ps"] for line in run("machines", machine, "--price", str(path)).splitlines()]


def ask(
    kind: str, axes: Sequence[int], reduced: Sequence[int], placement: str | None = None, size: int = PAYLOAD
) -> dict[str, Any]:
    """A line of `machines --price`."""
    names = [chr(ord("a") + index) for index in reduced]
    request = {"mesh": print_mesh(axes), "kind": kind, "axes": names, "bytes": size}
    return request | ({} if placement is None else {"placement": placement})


def check_counts(folder: Path) -> None:
    """The numbers of matrices."""
    for levels, axes, count in DATA["counts"]:
        parts = [{"name": f"level{i}", "size": size, "bytes_per_second": 10**9} for i, size in enumerate(levels)]
        machine = write_machine(folder, "x".join(map(str, levels)), parts)
        found = list_placements(machine, axes)
        matrices = [placement["matrix"] for placement in found["placements"]]
        products = all(
            [math.prod(row) for row in matrix] == axes
            and [math.prod(column) for column in zip(*matrix, strict=True)] == levels
            for matrix in matrices
        )
        is_right = found["matrices"] == count == len(matrices) and products
        expect(is_right, f"{found['matrices']} matrices of {axes} on {levels} ({count})")


def check_ratios(folder: Path) -> None:
    """Closed forms of one ring through all levels, and of an axis across nodes."""
    for nodes, inside, ratio in DATA["flat_over_levels"]:
        card = {"name": "node", "size": nodes, "bytes_per_second": 10**9, "devices_per_port": inside}
        fast = {"name": "nvlink", "size": inside, "bytes_per_second": 10**15}
        machine = write_machine(folder, "card", [card, fast])
        axes = [nodes, inside]
        steps = [
            ask("reduce_scatter", axes, [1]),
            ask("all_reduce", axes, [0], size=PAYLOAD // inside),
            ask("all_gather", axes, [1]),
        ]
        flat, *by_level = price(folder, machine, [ask("all_reduce", axes, [0, 1]), *steps])
        got = flat / sum(by_level)
        expect(abs(got / ratio - 1) < 1e-3, f"one ring over steps on levels, {nodes} x {inside}: {got:.4f} ({ratio})")
    for name, axis, ratio in DATA["across_over_inside"]:
        machine = write_hierarchy(folder, name)
        axes = [axis, math.prod(DATA["hierarchies"][name]["levels"]) // axis]
        times = price(folder, machine, [ask("all_reduce", axes, [0], place) for place in ("a=node", "a=nvlink:4")])
        got = times[0] / times[1]
        expect(abs(got / ratio - 1) < 1e-3, f"an axis of {axis} across nodes over inside, {name}: {got:.1f} ({ratio})")


def list_inward(matrices: Sequence[Any], reduced: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs: the second matrix has a factor 2 of a reduced axis further in, and one of another axis further out."""
    for (i, first), (j, second) in itertools.permutations(enumerate(matrices), 2):
        changes = [
            (row, new[0] / old[0], new[1] / old[1])
            for row, (old, new) in enumerate(zip(first, second, strict=True))
            if old != new
        ]
        if len(changes) != 2:
            continue
        inward = [row for row, outer, inner in changes if (outer, inner) == (0.5, 2)]
        outward = [row for row, outer, inner in changes if (outer, inner) == (2, 0.5)]
        if len(inward) == len(outward) == 1 and inward[0] in reduced and outward[0] not in reduced:
            yield i, j


def check_monotony(folder: Path) -> None:
    """Reductions over all axes and pairs of axes, on both clusters, with the presets' latencies as well."""
    for name, given in DATA["hierarchies"].items():
        for machine in (write_hierarchy(folder, name), given["base"] if name.startswith("a100") else None):
            if machine is None:
                continue
            moves = worse = 0
            for levels, axes, _ in DATA["counts"]:
                if levels != given["levels"]:
                    continue
                placements = list_placements(machine, axes)["placements"]
                for count in range(1, len(axes)):
                    for reduced in itertools.combinations(range(len(axes)), count):
                        times = price(
                            folder,
                            machine,
                            [ask("all_reduce", axes, reduced, each["placement"]) for each in placements],
                        )
                        pairs = list(list_inward([each["matrix"] for each in placements], reduced))
                        moves += len(pairs)
                        worse += sum(times[j] > times[i] for i, j in pairs)
            where = "its rates alone" if machine != given["base"] else "the preset"
            expect(
                worse == 0 and moves > 0, f"a reduced axis moved inward on {name}, {where}: {worse} of {moves} slower"
            )


def check_symmetry(folder: Path) -> None:
    """Dims of a torus that are alike, and axes of one device."""
    torus = "tpu-v5p:4x4x4"
    for axes in ([4, 16], [8, 8], [2, 4, 8]):
        times = []
        for dims in itertools.permutations("xyz"):
            words = {4: dims[0], 16: f"{dims[1]}+{dims[2]}", 8: f"{dims[0]}:2+{dims[1]}", 2: f"{dims[2]}:2"}
            if len(axes) == 2 and axes[0] != axes[1]:
                times += price(folder, torus, [ask("all_reduce", axes, [1], f"a={words[4]},b={words[16]}")])
            elif len(axes) == 2:
                times += price(folder, torus, [ask("all_reduce", axes, [0], f"a={words[8]}")])
            else:
                times += price(folder, torus, [ask("all_gather", axes, [2], f"c={words[8]},a={words[2]}")])
        expect(
            len(set(times)) == 1, f"dims of {torus} change places under {print_mesh(axes)}: {len(set(times))} time(s)"
        )
    one, other = price(
        folder, "a100-sxm-40:4x16", [ask("all_reduce", [4, 16], [0]), ask("all_reduce", [4, 1, 16], [0, 1])]
    )
    expect(one == other, "an axis of one device makes no difference")


def check_effect(folder: Path) -> None:
    """The worst placement of a reduction over the best: the paper measured up to 448."""
    machine = write_hierarchy(folder, "a100-4x16")
    placements = list_placements(machine, [4, 16])["placements"]
    times = price(folder, machine, [ask("all_reduce", [4, 16], [0], each["placement"]) for each in placements])
    effect, published = max(times) / min(times), DATA["published"]["placement_effect"]
    expect(
        published <= effect <= 2 * published,
        f"worst over best placement on a100-4x16: {effect:.0f} ({published} published)",
    )


def score(program: str, machine: str, *arguments: str) -> dict[str, Any]:
    """The score of a plan."""
    scored: dict[str, Any] = json.loads(
        run("score", program, "--machine", machine, *arguments, "--memory-limit", "1000GB", "--json")
    )
    return scored


def check_plan(folder: Path) -> None:
    """The placement of a searched plan, and what is said of a given one, against the scores of all placements."""
    program = str(BUILD / "zoo" / "llama_scan.8b.mlir")
    expert = folder / "schedule.json"
    presets = [{"preset": "data_parallel", "axis": "data"}, {"preset": "megatron", "axis": "model"}]
    expert.write_text(json.dumps({"tactics": presets}))
    searched = folder / "searched.json"
    searched.write_text(json.dumps({"tactics": [*presets, {"name": "rest", "auto": {}}]}))
    more = ["--memory-limit", "1000GB", "--budget", "40", "--forbid", "accumulate,recompute,pad,reorder,pipeline"]
    for machine, mesh in (("a100-sxm-80:4x8", "model=8,data=4"), ("h100-sxm:4x8", "model=4,data=8")):
        found = json.loads(run("machines", machine, "--mesh", mesh, "--placements", "--json"))["placements"]
        words = [each["placement"] for each in found]
        given = score(program, machine, "--mesh", mesh, "--schedule", str(expert))
        others = ["--mesh", mesh, "--schedule", str(expert), "--placement"]
        times = [score(program, machine, *others, each)["time_ps"] for each in words]
        said = given.get("better_placement", {"time_ps": given["time_ps"]})
        what = f"{mesh} on {machine}, given: {times[0] / 1e9:.1f} ms row-major"
        expect(given["time_ps"] == times[0] and said["time_ps"] <= 1.0102 * min(times), f"{what}, said {said}")
        out = folder / "plan"
        run("plan", program, "--mesh", mesh, "--machine", machine, "--schedule", str(searched), *more, "-o", str(out))
        plan = json.loads((out / "plan.json").read_text())
        others = ["--plan", str(out / "plan.json"), "--placement"]
        times = [score(program, machine, *others, each)["time_ps"] for each in words]
        own, best = plan["cost"]["time_ps"], min(times)
        what = f"{mesh} on {machine}, searched: {plan['placement']}: {own / 1e9:.1f} ms"
        expect(own <= best * 1.0102, f"{what}, of {best / 1e9:.1f} at best; row-major {times[0] / 1e9:.1f}")
        row_major = plan["cost"].get("row_major", {"time_ps": own})
        expect(row_major["time_ps"] == times[0], f"plan.json says what row-major would take: {row_major}")


def main() -> int:
    """The exit code: 1 if something is wrong."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        for check in (check_counts, check_ratios, check_monotony, check_symmetry, check_effect, check_plan):
            check(folder)
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
