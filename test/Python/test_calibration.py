"""`partita.calibrate` and `partita.measure`."""

import dataclasses
import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import partita
from partita import machines
from partita._src import calibration, kernel_times, predicted_rows

PRESET = "h100-sxm:2x8"
#: What differs between the preset and the hidden machine.
HIDDEN = {
    ("device", "launch_ps"): 1.6,
    ("device", "memory_ppm"): 0.8,
    ("device", "products", "launch_ps"): 0.7,
    ("device", "products", "memory_ppm"): 0.85,
    ("levels", 1, "bytes_per_second"): 0.75,
}


def make_requests() -> list[dict[str, Any]]:
    copies = [{"kind": "copy", "bytes": 3 * 2**power} for power in range(10, 29)]
    sizes = (64, 512, 1024, 4096, 8192)
    products = [
        {"kind": "product", "sizes": [1, m, k, n], "type": "bf16"} for m in sizes for k in sizes[1:] for n in sizes[1:]
    ]
    collectives = [
        {"kind": kind, "mesh": mesh, "axes": axes, "bytes": 2**power}
        for kind in ("all_reduce", "all_gather", "reduce_scatter")
        for power in range(12, 31)
        for mesh, axes in (("node=2,peer=8", ["peer"]), ("node=2,peer=8", ["node"]))
    ]
    return [*copies, *products, *collectives]


def measure_hidden(noise: float, seed: int) -> list[dict[str, Any]]:
    """What the hidden machine would measure."""
    hidden = machines.describe(PRESET)
    for place, factor in HIDDEN.items():
        calibration._set_value(hidden, place, round(calibration._get_value(hidden, place) * factor))
    for place in calibration._tile_places(hidden):
        calibration._set_value(hidden, place, round(calibration._get_value(hidden, place) * 0.8))
    requests = make_requests()
    chosen = random.Random(seed)
    times = predicted_rows.predict_prices([hidden], requests)[0]
    return [
        {**row, "time_us": math.exp(time + chosen.gauss(0, noise))} for row, time in zip(requests, times, strict=True)
    ]


def find_figure(result: partita.Calibration, part: str, name: str) -> Any:
    return next(figure for figure in result.figures if (figure.part, figure.name) == (part, name))


def test_hidden_figures_are_found_again() -> None:
    result = partita.calibrate(PRESET, measure_hidden(0.05, 1))
    for part, name, factor in (
        ("memory", "launch", 1.6),
        ("memory", "rate of memory", 0.8),
        ("products", "launch", 0.7),
        ("products", "rate of tiles", 0.8),
        ("products", "rate of memory", 0.85),
        ("collectives over nvlink", "rate of links", 0.75),
    ):
        found = find_figure(result, part, name)
        assert abs(math.log(found.factor / factor)) < max(4 * found.width, 0.02), (part, name, found)
        assert found.width < 0.15, (part, name, found)
    for part in result.errors:
        assert part.judged < part.rows
        assert part.after < 0.07, part
    # The network is that of the preset. A fit of noise is not taken, or says nothing else.
    node = [figure for figure in result.figures if figure.part == "collectives over node"]
    assert all(abs(math.log(figure.factor)) < max(4 * figure.width, 0.02) for figure in node)
    assert max(part.before for part in result.errors) > 0.1


def list_op_rows() -> list[dict[str, Any]]:
    """Softmaxes of 16 bits, and sorts."""

    def softmax(x: Any) -> Any:
        return jax.nn.softmax(x.astype(jnp.float32), -1).astype(x.dtype)

    found = []
    for rows in (1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384):
        for name, function, kind in (("softmax", softmax, "bfloat16"), ("sort", jnp.sort, "float32")):
            text = jax.jit(function).lower(jax.ShapeDtypeStruct((rows, 2048), kind)).as_text()
            found.append({"kind": "op", "name": f"{name} of {rows}", "text": text})
    return found


def test_figures_of_ops_are_found_again() -> None:
    hidden = machines.describe(PRESET)
    for family, factor in (("rows", 1.4), ("sort", 0.7)):
        place = ("device", "ops", "time_ppm", family)
        calibration._set_value(hidden, place, round(calibration._get_value(hidden, place) * factor))
    rows = list_op_rows()
    times = predicted_rows.OpPredictor()([hidden], rows)[0]
    measured = [{**row, "time_us": math.exp(time)} for row, time in zip(rows, times, strict=True)]
    result = partita.calibrate(PRESET, measured)
    for family, factor in (("rows", 1.4), ("sort", 0.7), ("fft", 1.0)):
        found = find_figure(result, "ops", family)
        assert abs(math.log(found.factor / factor)) < 0.05, found
    assert find_figure(result, "ops", "fft").width > 0.5
    assert result.errors[0].after < 0.02 < result.errors[0].before


def test_noise_widens() -> None:
    sure, unsure = (partita.calibrate(PRESET, measure_hidden(noise, 2)) for noise in (0.02, 0.1))
    shared = {(figure.part, figure.name) for figure in sure.figures} & {
        (figure.part, figure.name) for figure in unsure.figures
    }
    assert {part for part, _ in shared} >= {"memory", "products", "collectives over nvlink"}
    for part, name in shared:
        # Which rows a single size of tiles explains changes with the figures.
        if name.startswith("tiles of"):
            continue
        assert find_figure(sure, part, name).width < find_figure(unsure, part, name).width * 1.05, (part, name)


def test_file_says_how_sure_it_is(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in measure_hidden(0.05, 3)))
    command = [
        sys.executable, "-m", "partita", "calibrate", "--machine", PRESET, "--measured", str(rows),
        "-o", str(tmp_path / "mine.json"), "--name", "ours",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "median error" in done.stdout
    machine = machines.describe(str(tmp_path / "mine.json"))
    assert machine["name"] == "ours"
    figure = machine["device"]["memory_ppm"]
    assert figure["source"] == "calibrated"
    assert 0 < figure["width_ppm"] < 100_000
    assert machine["device"]["products"]["tiles"]["width_ppm"] > 0
    # What no row explains stays as it was.
    assert machine["device"]["memory_bytes"] == machines.describe(PRESET)["device"]["memory_bytes"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("{", "no JSON"),
        ('{"bytes": 1, "time_us": 1}', "needs a kind"),
        ('{"kind": "copy", "bytes": 1}', "time_us"),
        ('{"kind": "copy", "bytes": 1, "time_us": 0}', "time_us"),
        ('{"kind": "copy", "time_us": 1}', "bytes"),
        ('{"kind": "product", "sizes": [1, 2], "time_us": 1}', "sizes"),
        ('{"kind": "op", "name": "a", "time_us": 1}', "text"),
        ("", "no measured rows"),
    ],
)
def test_bad_rows(tmp_path: Path, rows: str, said: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(rows + "\n")
    with pytest.raises(partita.PartitaError, match=said):
        partita.calibrate(PRESET, file)


def test_measure_gives_rows_that_calibrate_reads(tmp_path: Path) -> None:
    rows = partita.measure(tmp_path / "rows.jsonl", seconds=8, show=False)
    assert {row["kind"] for row in rows} >= {"copy", "product"}
    result = partita.calibrate("cpu-host:1x8", tmp_path / "rows.jsonl")
    assert "memory" in str(result)


Machine = dict[str, Any]


def predict_copies(variants: Any, rows: Any) -> np.ndarray:
    """As `machines --price`, without the tool."""
    found = []
    for machine in variants:
        device = machine["device"]
        rate = device["memory_bytes_per_second"]["value"] * device["memory_ppm"]["value"] / 1e6
        launch = device["launch_ps"]["value"] / 1e12
        found.append([math.log(1e6 * (launch + row["bytes"] / rate)) for row in rows])
    return np.array(found)


def list_copies(factor: Any) -> list[dict[str, Any]]:
    """Times of the preset, each times its factor."""
    rows = [{"kind": "copy", "bytes": 1000 * number} for number in range(1, 4000, 97)]
    times = np.exp(predict_copies([machines.describe(PRESET)], rows)[0])
    return [{**row, "time_us": float(time * factor(row))} for row, time in zip(rows, times, strict=True)]


def fit_copies(rows: list[dict[str, Any]]) -> tuple[Machine, partita.Calibration]:
    machine = machines.describe(PRESET)
    part = calibration._Part("memory", calibration._memory_figures(machine), tuple(rows))
    return machine, calibration._fit_part(partita.Calibration(machine), part, predict_copies)


def test_a_fit_that_is_not_taken_leaves_no_trace() -> None:
    chosen = random.Random(5)
    machine, result = fit_copies(list_copies(lambda _: math.exp(chosen.gauss(0, 0.4))))
    assert not result.errors[0].is_taken
    assert result.errors[0].after == result.errors[0].before
    assert result.machine == machine
    assert result.figures == ()
    assert "left as it was" in str(dataclasses.replace(result, machine={**machine, "name": "ours"}))


def test_the_judged_half_decides_nothing() -> None:
    """What is fitted is wrong for the other half: it is taken all the same, and the report says how wrong."""
    slow = list_copies(lambda row: 1.5 if calibration._is_fitted(row) else 1.0)
    _, result = fit_copies(slow)
    assert result.errors[0].is_taken
    assert result.errors[0].judged < result.errors[0].rows
    assert result.errors[0].before < 0.01 < 0.3 < result.errors[0].after
    _, other = fit_copies(list_copies(lambda row: 1.5 if calibration._is_fitted(row) else 7.0))
    assert other.machine == result.machine
    assert other.figures == result.figures


def test_folds_try_each_row_once() -> None:
    rows = list_copies(lambda _: 1.0)
    folds = calibration._cut_folds(rows)
    tried = [row["bytes"] for _, part in folds for row in part]
    assert sorted(tried) == sorted(row["bytes"] for row in rows)
    for fitted, part in folds:
        assert not {row["bytes"] for row in fitted} & {row["bytes"] for row in part}
        assert abs(len(fitted) - len(part)) <= 1
    assert calibration._cut_folds(rows[:1]) == []


def predict_work(variants: Any, rows: Any) -> np.ndarray:
    """Steps of products and traffic."""
    found = []
    for machine in variants:
        device = machine["device"]
        tiles, memory = device["products"]["tiles"]["sizes"][0][2] / 1e6, device["memory_ppm"]["value"] / 1e6
        found.append([math.log(row["flops"] / tiles + row["moved"] / memory) for row in rows])
    return np.array(found)


def list_steps(count: int, noise: float) -> list[dict[str, Any]]:
    """Of a machine whose products run at 0.7 of what the preset says."""
    chosen = random.Random(7)
    rows = [
        {"kind": "step", "program": f"{number}.mlir", "mesh": "a=16", "flops": 10 + number, "moved": 40 - number}
        for number in range(count)
    ]
    hidden = machines.describe(PRESET)
    for place in calibration._tile_places(hidden):
        calibration._set_value(hidden, place, round(calibration._get_value(hidden, place) * 0.7))
    times = np.exp(predict_work([hidden], rows)[0])
    return [
        {**row, "time_us": float(time) * math.exp(chosen.gauss(0, noise))}
        for row, time in zip(rows, times, strict=True)
    ]


@pytest.mark.parametrize(("count", "noise", "least", "most"), [(30, 0.01, 10_000, 30_000), (30, 0.2, 120_000, 300_000)])
def test_whole_steps_are_fitted_and_give_the_band(
    monkeypatch: pytest.MonkeyPatch, count: int, noise: float, least: int, most: int
) -> None:
    monkeypatch.setattr(calibration, "predict_steps", predict_work)
    result = partita.calibrate(PRESET, list_steps(count, noise))
    assert [part.part for part in result.errors] == ["steps"]
    assert result.errors[0].judged < count
    assert abs(math.log(find_figure(result, "steps", "rate of products").factor / 0.7)) < 0.05 + noise
    assert least <= result.machine["step_width_ppm"] <= most


def test_a_few_steps_do_not_narrow_the_band(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "predict_steps", predict_work)
    result = partita.calibrate(PRESET, list_steps(4, 0.001))
    assert result.errors[0].judged == 4
    assert result.machine["step_width_ppm"] == 120_000
    # Without steps.
    assert partita.calibrate(PRESET, list_copies(lambda _: 1.0)).machine["step_width_ppm"] == 120_000


def test_a_step_is_scored_on_each_machine(tmp_path: Path) -> None:
    kind = jax.ShapeDtypeStruct((8192, 8192), jnp.bfloat16)
    (tmp_path / "step.mlir").write_text(jax.jit(lambda a, b: a @ b).lower(kind, kind).as_text())
    (tmp_path / "none.json").write_text('{"tactics": []}')
    row = {
        "kind": "step", "program": str(tmp_path / "step.mlir"), "schedule": str(tmp_path / "none.json"),
        "mesh": "device=16", "time_us": 1.0,
    }  # fmt: skip
    machine = machines.describe(PRESET)
    slower = calibration._with_scaled(machine, calibration._step_figures(machine)[:1], [math.log(0.5)])
    first, second = (float(line[0]) for line in predicted_rows.predict_steps([machine, slower], [row]))
    assert math.log(1.6) < second - first < math.log(2.01)


def count_sets(megabytes: int) -> tuple[int, int]:
    """Calls of a program of one argument and a result of the same size, and on how many arrays."""
    seen: list[int] = []
    made: list[Any] = []

    def make() -> list[Any]:
        made.append(jnp.zeros(megabytes * 250_000, jnp.float32))
        return [made[-1]]

    def run(x: Any) -> Any:
        seen.append(next(number for number, array in enumerate(made) if array is x))
        return x

    calls = kernel_times.call_in_turn(run, make, 5)
    assert calls == len(seen)
    # In turn: what was used last is used last again.
    assert seen == [number % len(made) for number in range(calls)]
    return calls, len(made)


def test_kernels_are_timed_on_more_than_a_cache_holds() -> None:
    # 192 MB; an argument and a result of 8 MB each are 12 times as much.
    assert count_sets(8) == (12, 12)
    assert count_sets(40) == (5, 3)
    assert count_sets(100) == (5, 1)
