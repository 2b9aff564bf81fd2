"""What the tool predicts for measured rows, on several machines at once."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from partita._src import engine

Row = Mapping[str, Any]
Machine = dict[str, Any]


def as_request(row: Row) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in ("time_us", "machine")}


def run_prices(given: Mapping[str, Machine], requests: Sequence[Row]) -> list[dict[str, Any]]:
    texts = {name: json.dumps(machine) for name, machine in given.items()}
    texts["rows.jsonl"] = "".join(json.dumps(request) + "\n" for request in requests)
    lines = engine.run(["machines", "--price=rows.jsonl"], texts).stdout.splitlines()
    return [json.loads(line) for line in lines]


def predict_prices(variants: Sequence[Machine], rows: Sequence[Row]) -> np.ndarray:
    """Logarithms of microseconds: one line for each machine. One run of the tool prices all."""
    files = {f"m{number}.json": machine for number, machine in enumerate(variants)}
    requests = [{**as_request(row), "machine": f"./{name}"} for name in files for row in rows]
    times = [price["time_ps"] / 1e6 for price in run_prices(files, requests)]
    logs: np.ndarray = np.log(np.maximum(np.array(times), 1e-6)).reshape(len(variants), len(rows))
    return logs


def predict_rested(variants: Sequence[Machine], rows: Sequence[Row]) -> np.ndarray:
    """Products are measured on a device that rests. How far its clock falls under load they do not say."""
    rested = []
    for variant in variants:
        products = {
            key: value for key, value in variant["device"].get("products", {}).items() if key != "sustained_ppm"
        }
        rested.append(
            {**variant, "device": {**variant["device"], "products": products} if products else variant["device"]}
        )
    return predict_prices(rested, rows)


def _score(machine: Machine, program: str, mesh: str, options: Mapping[str, str], files: Mapping[str, str]) -> float:
    """The logarithm of microseconds."""
    command = ["score", program, f"--mesh={mesh}", "--machine=./m.json", "--json"]
    command += [f"--{key}={value}" for key, value in options.items()]
    given = {"m.json": json.dumps(machine), **files}
    done = engine.run(command, given, accept=(0, engine.DOES_NOT_FIT, engine.UNPRICED))
    return math.log(max(json.loads(done.stdout)["time_ps"] / 1e6, 1e-6))


class OpPredictor:
    """Times of programs of a kernel or a few.

    Each figure moves few of them. Which it does is found in the first call, by what differs between its first machine
    and another; later calls take the others from the first machine.
    """

    def __init__(self) -> None:
        self._still: set[tuple[str, str]] = set()

    def __call__(self, variants: Sequence[Machine], rows: Sequence[Row]) -> np.ndarray:
        first = variants[0]
        # Each device runs the whole program.
        devices = math.prod(level["size"] for level in first["levels"])
        changed = ["", *(_name_difference(first["device"], each["device"]) for each in variants[1:])]

        def predict(job: tuple[int, Row]) -> float:
            number, row = job
            if (changed[number], row["name"]) in self._still:
                return math.nan
            return _score(
                variants[number], "./op.mlir", f"device={devices}", {"schedule": "./none.json"},
                {"op.mlir": row["text"], "none.json": '{"tactics": []}'},
            )  # fmt: skip

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            jobs = ((number, row) for number in range(len(variants)) for row in rows)
            times = np.array(list(pool.map(predict, jobs))).reshape(len(variants), len(rows))
        times = np.where(np.isnan(times), times[0], times)
        for number in range(1, len(variants)):
            self._still |= {
                (changed[number], row["name"])
                for row, same in zip(rows, times[number] == times[0], strict=True)
                if same and changed[number]
            }
        return times


def _name_difference(one: Any, other: Any) -> str:
    """The path at which two machines differ; empty if they differ at several."""
    found = _list_differences(one, other, "")
    return found[0] if len(found) == 1 else ""


def _list_differences(one: Any, other: Any, path: str) -> list[str]:
    if isinstance(one, Mapping) and isinstance(other, Mapping) and "value" not in one:
        return [
            found
            for key in sorted({*one, *other})
            for found in _list_differences(one.get(key), other.get(key), f"{path}.{key}")
        ]
    return [] if one == other else [path]


def predict_steps(variants: Sequence[Machine], rows: Sequence[Row]) -> np.ndarray:
    def predict(job: tuple[Machine, Row]) -> float:
        machine, row = job
        options = {key: os.path.abspath(str(row[key])) for key in ("plan", "schedule") if key in row}
        return _score(machine, os.path.abspath(str(row["program"])), str(row["mesh"]), options, {})

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        times = list(pool.map(predict, ((machine, row) for machine in variants for row in rows)))
    return np.array(times).reshape(len(variants), len(rows))
