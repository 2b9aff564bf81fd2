"""Programs with manual computations (shard_map) of their own: their bodies stand in the local program as they are."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

import xla_local

REPOSITORY = Path(__file__).resolve().parents[2]
PARTITA = Path(os.environ.get("PARTITA_BIN_DIR", REPOSITORY / "build" / "bin")) / "partita"
MESH = "data=4,model=2"
EQUAL, DIFFERENT, BAD_INPUT, UNSUPPORTED = 0, 1, 65, 69


def lower(function: Any, *shapes: tuple[int, ...]) -> str:
    arguments = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    return str(jax.jit(function).lower(*arguments).as_text())


def over(specs: Any, out: Any) -> Any:
    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices("cpu")[:8])
    return lambda body: jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=out, check_vma=False)


def summed() -> str:
    """Rows over data, a product that is summed over model by hand."""

    @over((P("data", "model"), P("model", None)), P("data", None))
    def product(x: Any, w: Any) -> Any:
        return jax.lax.psum(x @ w, "model")

    return lower(lambda x, w: jnp.tanh(product(jnp.sin(x), w)) * 2, (8, 6), (6, 4))


def named(sizes: str = '"data"=4, "model"=2') -> str:
    """The same as JAX 0.11 writes it: groups by the axes of a second mesh."""
    groups = '#stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "model">]>'
    text, count = re.subn(r"replica_groups = dense<.*?> : tensor<\w+>", f"replica_groups = {groups}", summed())
    assert count == 1
    return text.replace("  sdy.mesh", f"  sdy.mesh @mesh_0 = <[{sizes}]>\n  sdy.mesh", 1)


def shifted() -> str:
    """Pieces go around, each device knows its number; one axis of a dim is major, another minor."""

    @over(P(("data", "model"), None), P(("data", "model"), None))
    def shift(x: Any) -> Any:
        around = jax.lax.ppermute(x, "data", [(i, (i + 1) % 4) for i in range(4)])
        return around * (jax.lax.axis_index("model") + 1)

    return lower(lambda x: shift(x + 1) - x, (16, 3))


def gathered() -> str:
    """In a loop, with a result that all devices hold whole."""

    @over((P("data"), P()), P())
    def whole(x: Any, y: Any) -> Any:
        return jax.lax.all_gather(x, "data", tiled=True) + y

    def step(carry: Any, _: Any) -> Any:
        return whole(carry, carry * 2), jnp.sum(carry)

    return lower(lambda x: jax.lax.scan(step, x, None, length=3), (8,))


def ring() -> str:
    """A loop of the body's own, five trips of a permute."""

    @over(P("model", None), P("model", None))
    def turn(x: Any) -> Any:
        def step(_: Any, y: Any) -> Any:
            return jax.lax.ppermute(y, "model", [(0, 1), (1, 0)]) + x

        return jax.lax.fori_loop(0, 5, step, x)

    return lower(lambda x: turn(x * 2), (8, 3))


def passed() -> str:
    """What a body gives back untouched is the value that it took."""

    @over((P("data"), P("data")), (P("data"), P("data")))
    def some(x: Any, y: Any) -> Any:
        return x, jax.lax.psum(y, "model")

    def both(x: Any, y: Any) -> Any:
        a, b = some(x, y)
        return a + b, jnp.sin(a)

    return lower(both, (8,), (8,))


def run(folder: Path, text: str, tactics: list[Any], *flags: str, command: str = "verify", mesh: str = MESH) -> Any:
    (folder / "program.mlir").write_text(text)
    (folder / "schedule.json").write_text(json.dumps({"tactics": tactics}))
    arguments = [PARTITA, command, "program.mlir", "--mesh", mesh, "--schedule", "schedule.json", *flags]
    return subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize("program", [summed, named, shifted, gathered])
@pytest.mark.parametrize("tile", [None, ("arg0", 0, "data"), ("result0", 0, "model")])
def test_program_equals_the_original(program: Any, tile: Any, tmp_path: Path) -> None:
    tactics = [{"axis": tile[2], "tile": [[tile[0], tile[1]]], "optional": True}] if tile else []
    done = run(tmp_path, program(), tactics, "--json")
    assert done.returncode == EQUAL, done.stderr
    report = json.loads(done.stdout)
    assert report["equal"] and not report["vacuous"] and report["collectives"] >= 1


def test_body_stands_there_as_it_is(tmp_path: Path) -> None:
    done = run(tmp_path, summed(), [], "-o", "out", command="plan")
    assert done.returncode == EQUAL, done.stderr
    local = (tmp_path / "out" / "local.mlir").read_text()
    assert local.count("sdy.manual_computation") == 1
    assert re.findall(r'"stablehlo\.(\w+)"', local) == ["all_reduce"]
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["checked"]["relation"] is True


@pytest.mark.parametrize("program", [summed, named, shifted, gathered, ring, passed])
def test_static_check_knows_bodies(program: Any, tmp_path: Path) -> None:
    tactics = [{"axis": "data", "tile": [["arg0", 0], ["result0", 0]], "optional": True}]
    done = run(tmp_path, program(), tactics, "--relation")
    assert done.returncode == EQUAL, done.stderr


MUTANTS = [
    (summed, "dense<[[0, 1], [2, 3], [4, 5], [6, 7]]>", "dense<[[0, 2], [1, 3], [4, 6], [5, 7]]>"),
    (summed, "stablehlo.add", "stablehlo.maximum"),
    (shifted, "[0, 2], [2, 4]", "[0, 4], [2, 2]"),
]


@pytest.mark.parametrize(("program", "before", "after"), MUTANTS)
def test_static_check_finds_changed_bodies(program: Any, before: str, after: str, tmp_path: Path) -> None:
    done = run(tmp_path, program(), [], "-o", "out", command="plan")
    assert done.returncode == EQUAL, done.stderr
    local = (tmp_path / "out" / "local.mlir").read_text()
    assert before in local
    (tmp_path / "wrong.mlir").write_text(local.replace(before, after, 1))
    checked = subprocess.run(
        [PARTITA, "verify", "program.mlir", "--local", "wrong.mlir", "--relation"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert checked.returncode == DIFFERENT, checked.stderr


def collectives(report: Any) -> dict[tuple[str, str], tuple[int, int]]:
    return {(line["kind"], "+".join(line["axes"])): (line["count"], line["bytes"]) for line in report["collectives"]}


def test_collectives_of_bodies_are_counted(tmp_path: Path) -> None:
    """Local payloads: 2x4 floats are summed over model; 2x3 go around data; five times 4x3 over model. In each of 3
    trips 8 floats are gathered by a body, and as often by the plan, for what the body takes whole; what is summed up
    there is split."""
    expected: dict[Any, Any] = {
        summed: {("all_reduce", "model"): (1, 2 * 4 * 4)},
        shifted: {("collective_permute", "data"): (1, 2 * 3 * 4)},
        gathered: {("all_gather", "data"): (6, 6 * 8 * 4), ("all_reduce", "data"): (3, 3 * 4)},
        ring: {("collective_permute", "model"): (5, 5 * 4 * 3 * 4)},
    }
    for program, counts in expected.items():
        done = run(tmp_path, program(), [], "-o", program.__name__, command="plan")
        assert done.returncode == EQUAL, done.stderr
        report = json.loads((tmp_path / program.__name__ / "report.json").read_text())
        assert collectives(report) == counts, program.__name__


def test_collectives_of_bodies_are_priced(tmp_path: Path) -> None:
    """As those of the local program, which is scored by itself; they are communication, and are exposed."""
    for program in (summed, shifted, ring):
        machine = ("--machine", "h100-sxm:1x8", "--json")
        done = run(tmp_path, program(), [], *machine, command="score")
        assert done.returncode == EQUAL, done.stderr
        score = json.loads(done.stdout)
        assert run(tmp_path, program(), [], "-o", "out", command="plan").returncode == EQUAL
        local = subprocess.run(
            [PARTITA, "score", "program.mlir", "--local", "out/local.mlir", *machine],
            capture_output=True, text=True, check=True, cwd=tmp_path,
        )  # fmt: skip
        own = json.loads(local.stdout)
        assert score["collectives"] == own["collectives"], program.__name__
        time = sum(line["time_ps"] for line in score["collectives"])
        assert 0 < time <= score["communication_ps"] <= score["time_ps"]


def test_permutes_are_priced_by_their_pattern(tmp_path: Path) -> None:
    """To the next device, only one of a node's four sends over the card they share; to the next node, all do."""

    def price(distance: int) -> int:
        @over(P(("data", "model"), None), P(("data", "model"), None))
        def shift(x: Any) -> Any:
            return jax.lax.ppermute(x, ("data", "model"), [(i, (i + distance) % 8) for i in range(8)])

        text = lower(shift, (8 * 1024, 1024))
        done = run(tmp_path, text, [], "--machine", "v100-sxm2:2x4", "--json", command="score")
        assert done.returncode == EQUAL, done.stderr
        (line,) = json.loads(done.stdout)["collectives"]
        return int(line["time_ps"])

    assert price(1) < price(4)
    assert price(1) == price(7)


def test_channels_are_numbered_anew(tmp_path: Path) -> None:
    done = run(tmp_path, gathered(), [{"axis": "data", "tile": [["result0", 0]]}], "-o", "out", command="plan")
    assert done.returncode == EQUAL, done.stderr
    handles = re.findall(r"channel_handle<handle = (\d+)", (tmp_path / "out" / "local.mlir").read_text())
    assert len(handles) >= 2 and len(set(handles)) == len(handles)


def test_other_meshes_are_refused(tmp_path: Path) -> None:
    assert run(tmp_path, summed(), [], mesh="data=2,model=2").returncode == BAD_INPUT
    swapped = run(tmp_path, summed(), [], mesh="model=2,data=4")
    assert swapped.returncode == UNSUPPORTED and "in the same order" in swapped.stderr
    other = run(tmp_path, named('"model"=2, "data"=4'), [])
    assert other.returncode == UNSUPPORTED and "over another mesh" in other.stderr


def test_xla_agrees(tmp_path: Path) -> None:
    done = run(tmp_path, summed(), [], "-o", "out", command="plan")
    assert done.returncode == EQUAL, done.stderr
    x = np.linspace(-1, 1, 48, dtype=np.float32).reshape(8, 6)
    w = np.linspace(0, 2, 24, dtype=np.float32).reshape(6, 4)
    (ours,) = xla_local.run_local((tmp_path / "out" / "local.mlir").read_text(), [x, w], [(8, 4)])
    np.testing.assert_allclose(ours, np.tanh(np.sin(x) @ w) * 2, rtol=1e-5)
