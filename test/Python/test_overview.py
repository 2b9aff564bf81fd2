"""A plan at a glance: `print(plan.report)` and `partita plan` say the same, on one screen."""

from __future__ import annotations

import json
import re
import subprocess
import warnings
from pathlib import Path
from typing import Any

from small_steps import BATCH, BP, MESH, MP, X_ROWS, make_params, step, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest

import partita
from models import exported
from partita import presets
from partita._src import binary
from partita._src.report import Report

MACHINE = "cpu-host:1x8"
SCREEN_LINES, SCREEN_COLUMNS = 40, 120


def run_tool(plan: partita.Plan, folder: Path, *options: str) -> str:
    """What the command line prints for what a plan was made from."""
    asked = plan._outcome
    (folder / "program.mlir").write_text(asked.program.text)
    words = [str(binary.find_binary()), "plan", "program.mlir", *asked.flags, *options]
    words += [f"--machine={asked.machine}"] if asked.machine else []
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 11), done.stderr
    return done.stdout.removesuffix("\n")


@pytest.mark.parametrize("machine", [None, MACHINE])
@pytest.mark.parametrize(
    "schedule",
    [[BP, MP], presets.fsdp("data"), [], [presets.data_parallel("data"), presets.megatron("model")]],
    ids=["tactics", "fsdp", "nothing", "presets"],
)
def test_the_command_line_says_the_same(machine: str | None, schedule: Any, tmp_path: Path) -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, machine=machine, schedule=schedule)
    (tmp_path / "schedule.json").write_text(json.dumps(plan.schedule))
    assert str(plan.report) == run_tool(plan, tmp_path, "--schedule=schedule.json")


@pytest.mark.parametrize("limit", [None, "4KB", "1KB"])
def test_a_search_is_told_the_same(limit: str | None, tmp_path: Path) -> None:
    options: dict[str, Any] = {"memory_limit": limit} if limit else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", partita.DoesNotFitWarning)
        plan = partita.plan(step, make_params(), BATCH, mesh=MESH, machine=MACHINE, budget=200, **options)
    assert str(plan.report) == run_tool(plan, tmp_path)
    lines = str(plan.report).splitlines()
    assert len(lines) <= SCREEN_LINES and max(map(len, lines)) <= SCREEN_COLUMNS


def test_long_names_and_many_axes_are_told_the_same(tmp_path: Path) -> None:
    """Names that are paths, as haiku's are, on three axes, of which two are split in parts: all still on one screen."""
    names = [f"a_network_with_a_long_name/~/block_group_{n}/~/block_{n % 2}/~/convolution_{n}" for n in range(9)]
    params = {name: {"weights": tensor(16, 12)} for name in names}

    def train(params: Any, moments: Any, x: jax.Array) -> Any:
        def loss_of(p: Any) -> jax.Array:
            return sum(jnp.mean(jnp.tanh(x @ each["weights"])) for each in p.values())  # type: ignore[return-value]

        loss, grads = jax.value_and_grad(loss_of)(params)
        moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, grads)
        return jax.tree.map(lambda p, m: p - 0.1 * m, params, moments), moments, loss

    plan = partita.plan(
        train, params, params, tensor(64, 16), mesh={"a": 2, "b": 2, "c": 2}, machine=MACHINE, budget=100
    )  # fmt: skip
    text = str(plan.report)
    assert text == run_tool(plan, tmp_path)
    assert len(text.splitlines()) <= SCREEN_LINES
    assert "params.../~/block_*/~/convolution_*']['weights'] x9 " in text and "expert: MP(all axes) " in text
    columns = partita.tile(r"params/.*", dim=1, axis="data:(1)2")
    split = partita.plan(train, params, params, tensor(64, 16), mesh=MESH, machine=MACHINE, schedule=[columns])
    assert "  data:(1)2: the major 2 of data\n" in str(split.report)
    (tmp_path / "schedule.json").write_text(json.dumps(split.schedule))
    assert str(split.report) == run_tool(split, tmp_path, "--schedule=schedule.json")


SEARCHES = [
    ("llama_scan_remat.8b", "data=4,model=8", "h100-sxm:4x8", []),
    ("llama_scan_remat.8b", "data=2,fsdp=2,model=8", "h100-sxm:4x8", []),
    ("moe_einsum_remat.tiny", "data=2,model=4", "cpu-host:1x8", []),
    ("unet.tiny", "data=4,model=2", "cpu-host:1x8", ["--memory-limit=1MB"]),
]


@pytest.mark.parametrize(("program", "mesh", "machine", "options"), SEARCHES)
def test_searches_of_real_programs_fit_on_a_screen(
    program: str, mesh: str, machine: str, options: list[str], tmp_path: Path
) -> None:
    """Rewritten programs, three axes, experts and runners-up: all within 120 columns and 40 lines; and the same lines
    from Python, which prints report.json."""
    words = [str(binary.find_binary()), "plan", str(exported.find(program)), f"--mesh={mesh}", f"--machine={machine}"]
    words += ["--budget=60", *options, "-o", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 11), done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= SCREEN_LINES and max(map(len, lines)) <= SCREEN_COLUMNS
    assert "  compared with  " in done.stdout
    files = (json.loads((tmp_path / name).read_text()) for name in ("plan.json", "report.json"))
    assert str(Report(*files, {})) == done.stdout.removesuffix("\n")


def test_a_long_sentence_goes_on_below_itself(tmp_path: Path) -> None:
    """What is kept or recomputed names source lines, and is longer than a screen is wide."""
    layers = {"w1": tensor(8, 16, 64), "w2": tensor(8, 64, 16)}

    def train(params: Any, x: jax.Array) -> Any:
        def run_layer(x: jax.Array, w: Any) -> Any:
            hidden = jax.nn.gelu(x @ w["w1"])
            gate = jnp.sin(hidden) * jnp.exp(hidden)
            return jnp.tanh((hidden * gate) @ w["w2"]), None

        grads = jax.grad(lambda p: jnp.mean(jax.lax.scan(run_layer, x, p)[0] ** 2))(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    plan = partita.plan(
        train, layers, tensor(64, 16), mesh={"data": 4}, machine="cpu-host:1x4",
        schedule=[partita.recompute(".*"), X_ROWS],
    )  # fmt: skip
    (told, *_) = plan.report.memory_actions
    lines = str(plan.report).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("program:  "))
    rows = [lines[start].removeprefix("program:  ")]
    while lines[start + len(rows)].startswith(" " * 10) and len(" ".join(rows)) < len(told):
        rows.append(lines[start + len(rows)].removeprefix(" " * 10))
    assert len(told) > SCREEN_COLUMNS and " ".join(rows) == told and max(map(len, lines)) <= SCREEN_COLUMNS
    (tmp_path / "schedule.json").write_text(json.dumps(plan.schedule))
    assert str(plan.report) == run_tool(plan, tmp_path, "--schedule=schedule.json")


def test_what_stands_where() -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, machine=MACHINE, budget=200, baseline=[BP, MP])
    text = str(plan.report)
    head, strategy, *_ = text.splitlines()
    assert head == f"jit_step on data=4,model=2 of {MACHINE}" and strategy == f"strategy: {plan.report.strategy}"
    places = [text.index(word) for word in ("argument ", "\n  time ", "\n  peak memory ", "\n  compared with ")]
    assert places == sorted(places)
    assert re.search(r"^  yours  ", text, re.MULTILINE) and re.search(r"^  expert: \S+\(", text, re.MULTILINE)
    # Every short word of an expert's strategy is explained.
    words = set(re.findall(r"([A-Z0-9]+\*?)\(", " ".join(re.findall(r"^  expert: (.*?)  ", text, re.MULTILINE))))
    legends = re.findall(r"^  ([A-Z0-9]+\*?: \w.*)$", text, re.MULTILINE)
    assert words and len(legends) == 1 and words == set(re.findall(r"([A-Z0-9]+\*?): ", legends[0]))


def test_shardings_are_specs() -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP])
    text = str(plan.report)
    assert re.search(r"params\['w1'\] +P\(None, 'model'\) ", text) and "[{" not in text + plan.report.details()
    shown = {name.strip(): spec for name, spec in re.findall(r"^  (\S.*?)  +(P\(.*?\))  ", text, re.MULTILINE)}
    for name, spec in plan.specs_by_name().items():
        assert shown[name] == str(spec).replace(",)", ")"), name


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ([presets.data_parallel("data")], "batch over data; nothing over model"),
        (
            [presets.data_parallel("data"), presets.megatron("model"), presets.zero3("data")],
            "batch over data; hidden over model; parameters and optimizer state over data (ZeRO-3)",
        ),
        (
            [presets.data_parallel("data"), presets.zero2("data")],
            "batch over data; optimizer state over data (ZeRO-2); nothing over model",
        ),
        (
            [presets.fsdp("data"), presets.fsdp("model")],
            "batch over data and model; parameters and optimizer state over both (ZeRO-3)",
        ),
        ([], "nothing is split"),
    ],
)
def test_strategies_are_sentences(schedule: Any, words: str) -> None:
    def loss_of(params: Any, batch: Any) -> jax.Array:
        return jnp.mean((jnp.tanh(batch["x"] @ params["w1"]) @ params["w2"] - batch["y"]) ** 2)

    def train(params: Any, moments: Any, batch: Any) -> Any:
        grads = jax.grad(loss_of)(params, batch)
        moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, grads)
        return jax.tree.map(lambda p, m: p - 0.1 * m, params, moments), moments

    params = {"w1": tensor(16, 64), "w2": tensor(64, 16)}
    batch = {"x": tensor(32, 16), "y": tensor(32, 16)}
    plan = partita.plan(train, params, params, batch, mesh=MESH, schedule=schedule)
    assert plan.report.strategy == words


def test_pins_that_leave_no_freedom_are_named() -> None:
    def f(x: jax.Array) -> jax.Array:
        return jax.lax.with_sharding_constraint(x, jax.sharding.PartitionSpec("data", "model")) * 2

    plan = partita.plan(f, tensor(8, 16), mesh=MESH, machine=MACHINE, budget=50)
    assert "constraints in your function (pins) left the search no freedom" in str(plan.report)
    free = partita.plan(f, tensor(8, 16), mesh=MESH, machine=MACHINE, budget=50, ignore_shardings=True)
    assert "(pins)" not in str(free.report)


def test_details_have_all_arguments_and_tactics() -> None:
    params = {f"layer_{chr(97 + n)}": tensor(16, 16 + 8 * n) for n in range(12)}

    def f(params: Any, x: jax.Array) -> Any:
        return [x @ p for p in params.values()]

    plan = partita.plan(f, params, tensor(8, 16), mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")])
    short, long = str(plan.report), plan.report.details()
    assert "and 6 more, in the details" in short and short.count("layer_") == 6
    assert all(f"['{name}']" in long for name in params) and "tactic tile over data: splits" in long


def test_state_that_is_not_donated_is_told() -> None:
    """At the end of the step old and new parameters lie side by side, unless the old ones are donated."""
    params = {"w1": tensor(64, 128), "w2": tensor(128, 64)}
    batch = {"x": tensor(30, 64), "y": tensor(30, 64)}
    asked: dict[str, Any] = {"mesh": {"data": 4}, "machine": "cpu-host:1x4", "schedule": []}
    kept, donated = (
        str(partita.plan(step, params, batch, **asked, donate_argnums=numbers).report) for numbers in ((), 0)
    )
    assert "\n  state is not donated: up to 32.8 kB of the peak is old state beside the new one" in kept
    assert "not donated" not in donated


def test_memory_is_called_by_the_role_of_an_argument() -> None:
    """Of decoding: the weights come back in no result, the cache does, and the token is an input."""

    def decode(params: Any, cache: Any, token: Any) -> Any:
        x = token @ params["w"]
        cache = {"k": jax.lax.dynamic_update_slice(cache["k"], x[:, None], (0, 3, 0))}
        return cache, jnp.einsum("bd,bsd->bs", x, cache["k"])

    params, cache = {"w": tensor(64, 64)}, {"k": tensor(8, 32, 64)}
    plan = partita.plan(
        decode, params, cache, tensor(8, 64), mesh={"data": 4}, machine=MACHINE.replace("8", "4"), donate_argnums=1,
        schedule=[partita.tile("cache/k", dim=0, axis="data")],
    )  # fmt: skip
    found = {entry["value"]: entry["category"] for entry in plan.report.figures["memory"]["at_peak"]}
    assert found["params['w']"] == "parameters" and found["cache['k']"] == "state"
    # 64 x 64 and 8 x 32 x 64 / 4 floats.
    assert "parameters 16.4 kB, state 16.4 kB" in str(plan.report)


def test_what_is_replicated_is_called_by_what_it_is_for() -> None:
    """ZeRO-3 stores the weight in parts; its gradient is whole on each device until it is scattered: 512 x 1024 floats.
    Where nothing is split, nothing is to be said of what is not."""
    params, batch = {"w1": tensor(512, 1024), "w2": tensor(1024, 512)}, {"x": tensor(64, 512), "y": tensor(64, 512)}
    asked: dict[str, Any] = {"mesh": {"data": 4}, "machine": "cpu-host:1x4", "donate_argnums": 0}
    split, whole = (
        str(partita.plan(step, params, batch, **asked, schedule=schedule).report)
        for schedule in (presets.fsdp("data"), [])
    )
    largest = r"2 arrays; the largest, 2\.10 MB, is the gradient of params\['w[12]'\] at \S+:\d"
    assert re.search(r"\n  whole on every device: " + largest, split), split
    assert "whole on every device" not in whole
