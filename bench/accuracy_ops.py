"""Predicted times of single ops and fused tails against those of an H200: a section of `make accuracy`.

Rows are recorded by `gpu_ops.py`. Constants may be chosen on the rows whose name's hash is even; the others are
only reported. What is compared is the sum of the kernels' times, which is what a step of many ops is made of. They were
timed on a device that rested, so the machine is the preset without what load takes from products (`gpu_sustained.py`).
Operands came from memory. `cache` says how that was brought about: `rotated` rows went through several sets of
arguments; before `swept` ones another program wrote 268 MB, part of which they had to write back; `warm` ones, which
were not measured again, ran on the same arguments. Of products only those of more than 100 us are not `rotated`.
"""

from __future__ import annotations

import copy
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import gpu_ops
import gpu_sustained
from accuracy_gpu import BIN, score
from gpu_op_row import may_decide

PRESET = "h200-sxm:1x1"


def read_machine(name: str) -> dict[str, Any]:
    command = [str(BIN / "partita"), "machines", name, "--json"]
    machine: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return machine


def write_rested(given: dict[str, Any], folder: Path) -> Path:
    """The machine with the clock at its highest."""
    machine = copy.deepcopy(given)
    machine["device"]["products"].pop("sustained_ppm")
    path = folder / "rested.json"
    path.write_text(json.dumps(machine))
    return path


@dataclass(frozen=True)
class Prediction:
    kind: str
    name: str
    predicted_us: float
    measured_us: float

    @property
    def is_fitted(self) -> bool:
        return may_decide(self.name)

    @property
    def ratio(self) -> float:
        return self.predicted_us / self.measured_us

    @property
    def error(self) -> float:
        return abs(self.ratio - 1)


def write_texts(folder: Path) -> dict[str, Path]:
    """A text for each row; cuDNN refuses some."""
    import jax

    from gpu_op_rows import build_rows
    from partita._src.jax_internals.cudnn import assuming_gpu

    files = {}
    with assuming_gpu():
        for number, row in enumerate(build_rows()):
            shapes = [jax.ShapeDtypeStruct(shape, kind) for shape, kind in row.arguments]
            try:
                text = jax.jit(row.function).trace(*shapes).lower(lowering_platforms=("cuda",)).as_text()
            except NotImplementedError:
                if row.needs_gpu:
                    continue
                raise
            files[row.name] = folder / f"{number}.mlir"
            files[row.name].write_text(text)
    return files


def predict_us(file: Path, schedule: Path, machine: str) -> float:
    """Microseconds of the program; not a number if it has an op without a price."""
    try:
        return float(score(file, schedule, "device=1", machine)["time_ps"]) / 1e6
    except RuntimeError as error:
        if "no price" in str(error):
            return math.nan
        raise


def predict_all(recorded: Path, column: str, rested: dict[str, Any] | None) -> list[Prediction]:
    """Of the recorded rows that can be traced here: on a machine that rests, or on the preset under load."""
    rows = {row["name"]: row for row in json.loads(recorded.read_text())["rows"] if row.get(column)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        schedule = folder / "none.json"
        schedule.write_text('{"tactics": []}\n')
        machine = str(write_rested(rested, folder)) if rested else PRESET

        def predict(item: tuple[str, Path]) -> Prediction:
            text, file = item
            return Prediction(rows[text]["kind"], text, predict_us(file, schedule, machine), rows[text][column])

        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(predict, ((text, file) for text, file in write_texts(folder).items() if text in rows)))


def summarize(kind: str, given: list[Prediction]) -> str:
    rows = [row for row in given if not math.isnan(row.predicted_us)]
    if not rows:
        return f"  {kind:16} {len(given):4} rows  without a price"
    errors = sorted(row.error for row in rows)
    ninth = quantiles(errors, n=10)[-1] if len(errors) > 1 else errors[0]
    bias = math.exp(sum(math.log(row.ratio) for row in rows) / len(rows))
    within = sum(0.5 <= row.ratio <= 2 for row in rows)
    least, most = min(row.ratio for row in rows), max(row.ratio for row in rows)
    return (
        f"  {kind:16} {len(rows):4} rows  median {100 * median(errors):5.1f}%  90th {100 * ninth:6.1f}%"
        f"  bias x{bias:.2f}  within 2x {within}/{len(rows)}  x{least:.2f} to x{most:.2f}"
        f"{f', {len(given) - len(rows)} without a price' if len(given) > len(rows) else ''}"
    )


def summarize_all(rows: Iterable[Prediction]) -> list[str]:
    by_kind: dict[str, list[Prediction]] = {}
    for row in rows:
        by_kind.setdefault(row.kind, []).append(row)
    all_rows = [row for kind in sorted(by_kind) for row in by_kind[kind]]
    return [*(summarize(kind, by_kind[kind]) for kind in sorted(by_kind)), summarize("all", all_rows)]


def report(details: bool = False) -> tuple[list[str], bool]:
    rows = predict_all(gpu_ops.RECORDED, "kernel_us", read_machine(PRESET))
    lines = []
    for title, is_fitted in (("rows to choose constants on", True), ("rows that are only reported", False)):
        chosen = [row for row in rows if row.is_fitted == is_fitted]
        lines += [f"{title}: {len(chosen)}", *summarize_all(chosen)]
    loaded = predict_all(gpu_sustained.RECORDED, "sustained_us", None)
    lines += [f"under load (the bound on rates was chosen with these in view): {len(loaded)}", *summarize_all(loaded)]
    if details:
        lines += [
            f"  {row.name:78} {row.predicted_us:10.2f} us, measured {row.measured_us:10.2f}  x{row.ratio:.2f}"
            for row in sorted(rows, key=lambda row: (row.kind, row.ratio))
        ]
    return lines, True


if __name__ == "__main__":
    for line in report(details="--details" in sys.argv)[0]:
        print(line)
