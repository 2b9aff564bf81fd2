"""`partita.calibrate`: the figures of a machine, from what was measured on it.

A machine's figures fall into parts, and each part has rows that only it explains: copies say how fast memory is,
products how products are computed, programs of a kernel or a few how long other ops take, collectives over one level
what its links and its library do. So each part is fitted by itself. A figure is scaled: figure = preset * exp(t). What
is known before is t ~ N(0, s^2), s by the kind of figure; a row says log(measured) = log(predicted(t)) + noise. The
predictions are the tool's own: there is one model. They are nearly linear in t around the best t, which SciPy finds,
and there the posterior of a Bayesian linear model has a closed form: its covariance is the inverse of J'J, J the
derivatives of all residuals, those of what was known before included. Whole steps come last and scale what the other
parts have found.

Half of a part's rows, by a hash of what was measured, is fitted; the error is given for the other half, which nothing
is decided with. Whether a fit is taken is decided inside the fitted half: it is cut in two by another part of the hash,
and what is fitted on each has to predict the other better than the machine does that there was. If it does not, the
part's figures stay as they were, with their own sources and widths.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from partita._src import engine, machines
from partita._src.errors import InputError, UsageError
from partita._src.files import write_whole
from partita._src.predicted_rows import (
    Machine,
    OpPredictor,
    Row,
    as_request,
    predict_prices,
    predict_rested,
    predict_steps,
    run_prices,
)

Place = tuple[str | int, ...]

#: The peaks that products of a type run at.
_RATES = {"bf16": "bf16", "f16": "f16", "f32": "tf32", "f8E4M3FN": "fp8", "f8E5M2": "fp8", "i8": "int8"}
#: What is known of a figure before anything is measured: the standard deviation of its logarithm.
_TIME_WIDTH, _RATE_WIDTH = 0.7, 0.3
#: Of one size of tiles, beside what all have in common.
_TILE_WIDTH = 0.15
_LEAST_NOISE, _MOST_NOISE, _FIRST_NOISE = 0.01, 0.5, 0.1
#: For derivatives, in logarithms.
_STEP = 0.02
#: A part with fewer rows than this is fitted on all of them.
_LEAST_ROWS = 8
#: How far steps are off if none was measured: what docs/accuracy.md has of training steps on presets.
_STEP_WIDTH = 0.12
_WHOLE_PPM = 1_000_000


@dataclass(frozen=True)
class ScaledFigure:
    """Figures of a machine that are scaled together."""

    name: str
    places: tuple[Place, ...]
    #: Standard deviation of the logarithm.
    width: float


@dataclass(frozen=True)
class CalibratedFigure:
    """How a figure changed, and how sure it is now."""

    part: str
    name: str
    factor: float
    #: Standard deviation, as a share of the figure.
    width: float


@dataclass(frozen=True)
class PartErrors:
    """Median relative errors of a part's predictions, on the rows that were not fitted if there are such."""

    part: str
    rows: int
    judged: int
    before: float
    after: float
    #: Whether the fit was taken; if not, the part has no calibrated figures.
    is_taken: bool = True


@dataclass(frozen=True)
class Calibration:
    """A machine as it was measured. `machine` is what `save` writes, and what `--machine` reads."""

    machine: Machine
    figures: tuple[CalibratedFigure, ...] = ()
    errors: tuple[PartErrors, ...] = ()

    def save(self, path: str | os.PathLike[str]) -> None:
        write_whole(Path(path), json.dumps(self.machine, indent=2) + "\n")

    def __str__(self) -> str:
        lines = [f"{self.machine['name']}:"]
        for part in self.errors:
            judged = f"{part.judged} rows{' that were not fitted' if part.judged < part.rows else ', all fitted'}"
            if not part.is_taken:
                lines.append(
                    f"  {part.part}: {part.rows} rows, median error {100 * part.before:.1f}% on {judged};"
                    " left as it was: what was fitted on one part of the rows was no better on the rest"
                )
                continue
            lines.append(
                f"  {part.part}: {part.rows} rows, median error {100 * part.before:.1f}% before,"
                f" {100 * part.after:.1f}% after, on {judged}"
            )
            lines += [
                f"    {figure.name:22} x {figure.factor:.3f}  +- {100 * figure.width:.1f}%"
                for figure in self.figures
                if figure.part == part.part
            ]
        return "\n".join(lines)


@dataclass(frozen=True)
class _Part:
    name: str
    figures: tuple[ScaledFigure, ...]
    rows: tuple[Row, ...]


Predict = Callable[[Sequence[Machine], Sequence[Row]], np.ndarray]


def calibrate(
    machine: str | os.PathLike[str],
    measured: str | os.PathLike[str] | Iterable[Row],
    *,
    name: str | None = None,
) -> Calibration:
    """The machine, with figures fitted to what was measured on it.

    `measured` are rows, or a file with one JSON object a line; docs/machines.md has their form, and `partita.measure`
    makes such rows. Half of the rows of each kind are fitted, and the result says how far off it is on the others. Each
    figure that was fitted says how sure it is, as `width_ppm`.

    >>> rows = [{"kind": "copy", "bytes": 2**power, "time_us": 2 + 2**power / 3e6} for power in range(12, 30)]
    >>> measured = calibrate("h100-sxm:1x1", rows)
    >>> round(measured.machine["device"]["launch_ps"]["value"] / 1e6, 1)
    2.0
    """
    given = machines.describe(os.fspath(machine))
    rows = _read_rows(measured)
    result = Calibration({**given, "name": name or f"{given['name']}, calibrated"})
    predictions: dict[str, Predict] = {"steps": predict_steps, "ops": OpPredictor(), "products": predict_rested}
    for part in _list_parts(given, rows):
        predict = predictions.get(part.name, predict_prices)
        result = _fit_part(result, part, predict)
    result.machine["step_width_ppm"] = round(_WHOLE_PPM * _find_step_width(result.machine, rows))
    result.machine.setdefault("sources", {})["calibrated"] = f"fitted to {len(rows)} measured rows; partita calibrate"
    # The tool reads it back, or says what is wrong.
    return dataclasses.replace(result, machine=_check(result.machine))


# ======================================================================================================================
# Rows
# ======================================================================================================================


def _read_rows(measured: str | os.PathLike[str] | Iterable[Row]) -> list[Row]:
    if not isinstance(measured, str | os.PathLike):
        rows, place = list(measured), "row"
    else:
        place = os.fspath(measured)
        rows = []
        for number, line in enumerate(Path(measured).read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                try:
                    rows.append(json.loads(line))
                except ValueError as error:
                    raise InputError(f"this line is no JSON: {error}", place=f"{place}:{number}") from None
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping) or "kind" not in row:
            raise InputError(
                "a row needs a kind", place=f"{place}:{number}", remedy="see docs/machines.md, Calibration"
            )
        time = row.get("time_us")
        if not isinstance(time, int | float) or isinstance(time, bool) or not 0 < time < math.inf:
            raise InputError("a row needs time_us, a positive number", place=f"{place}:{number}")
        if row["kind"] == "op" and not all(isinstance(row.get(key), str) for key in ("name", "text")):
            raise InputError("an op needs its name and the text of its program", place=f"{place}:{number}")
    if not rows:
        raise UsageError("there are no measured rows", remedy="partita.measure() makes some")
    return rows


def _hash(row: Row) -> bytes:
    text = json.dumps({key: value for key, value in row.items() if key not in ("time_us", "text")}, sort_keys=True)
    return hashlib.sha256(text.encode()).digest()


def _is_fitted(row: Row) -> bool:
    return _hash(row)[0] % 2 == 0


def _split(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Those to fit, and those to judge by."""
    fitted = [row for row in rows if _is_fitted(row)]
    judged = [row for row in rows if not _is_fitted(row)]
    return (fitted, judged) if min(len(fitted), len(judged)) * 2 >= _LEAST_ROWS else (list(rows), list(rows))


def _cut_folds(rows: Sequence[Row]) -> list[tuple[list[Row], list[Row]]]:
    """Of rows that are fitted: what to fit and what to try it on, each row tried once. Equal halves, in the order of
    the hash's second byte and on."""
    order = sorted(rows, key=lambda row: _hash(row)[1:])
    first, second = order[::2], order[1::2]
    return [(first, second), (second, first)] if second else []


# ======================================================================================================================
# Parts
# ======================================================================================================================


def _list_parts(machine: Machine, rows: Sequence[Row]) -> list[_Part]:
    parts = [
        _Part("memory", _memory_figures(machine), tuple(row for row in rows if row["kind"] == "copy")),
        _Part("products", _product_figures(machine, rows), tuple(row for row in rows if row["kind"] == "product")),
    ]
    parts.append(_Part("ops", _op_figures(machine), tuple(row for row in rows if row["kind"] == "op")))
    levels = _find_levels(machine, [row for row in rows if row["kind"] not in ("copy", "product", "op", "step")])
    for number, level in enumerate(machine["levels"]):
        figures = _level_figures(machine, number)
        parts.append(_Part(f"collectives over {level['name']}", figures, tuple(levels.get(level["name"], ()))))
    parts.append(_Part("steps", _step_figures(machine), tuple(row for row in rows if row["kind"] == "step")))
    return [part for part in parts if part.rows and part.figures]


def _scale(machine: Machine, name: str, width: float, *places: Place) -> list[ScaledFigure]:
    """The figures at these places, as far as the machine has them; one that is 0 cannot be scaled."""
    found = tuple(place for place in places if _get_value(machine, place))
    return [ScaledFigure(name, found, width)] if found else []


def _memory_figures(machine: Machine) -> tuple[ScaledFigure, ...]:
    return (
        *_scale(machine, "launch", _TIME_WIDTH, ("device", "launch_ps")),
        *_scale(machine, "rate of memory", _RATE_WIDTH, ("device", "memory_ppm")),
    )


def _tile_places(machine: Machine) -> list[Place]:
    sizes = machine["device"].get("products", {}).get("tiles", {}).get("sizes", ())
    return [("device", "products", "tiles", "sizes", number, 2) for number in range(len(sizes))]


def _product_figures(machine: Machine, rows: Sequence[Row]) -> tuple[ScaledFigure, ...]:
    tiles = _tile_places(machine)
    if not tiles:
        points = machine["device"].get("matmul_efficiency", {}).get("points", ())
        places = [("device", "matmul_efficiency", "points", number, 1) for number in range(len(points))]
        return tuple(_scale(machine, "efficiency", _RATE_WIDTH, *places))
    products: Place = ("device", "products")
    types = {_RATES.get(str(row.get("type", "bf16")), "") for row in rows if row["kind"] == "product"}
    shares = machine["device"]["products"].get("type_ppm", {})
    return (
        *_scale(machine, "launch", _TIME_WIDTH, (*products, "launch_ps")),
        *_scale(machine, "wave", _TIME_WIDTH, (*products, "wave_ps")),
        *_scale(machine, "split", _TIME_WIDTH, (*products, "split_ps")),
        *_scale(machine, "rate of tiles", _RATE_WIDTH, *tiles),
        *(
            figure
            for place, (rows, columns, _) in zip(tiles, machine["device"]["products"]["tiles"]["sizes"], strict=True)
            for figure in _scale(machine, f"tiles of {rows} x {columns}", _TILE_WIDTH, place)
        ),
        *_scale(machine, "rate of memory", _RATE_WIDTH, (*products, "memory_ppm")),
        *_scale(machine, "single rows", _TIME_WIDTH, ("device", "ops", "time_ppm", "vector_product")),
        *(
            figure
            for kind in sorted(types & set(shares))
            for figure in _scale(machine, f"rate of {kind}", _RATE_WIDTH, (*products, "type_ppm", kind))
        ),
    )


def _op_figures(machine: Machine) -> tuple[ScaledFigure, ...]:
    ops: Place = ("device", "ops")
    families = machine["device"].get("ops", {}).get("time_ppm", {})
    return (
        *_scale(machine, "rate of arithmetic", _RATE_WIDTH, (*ops, "arithmetic_ppm")),
        *_scale(machine, "reduction", _TIME_WIDTH, (*ops, "reduction_ps")),
        *(
            figure
            for family in sorted(set(families) - {"vector_product"})
            for figure in _scale(machine, family, _TIME_WIDTH, (*ops, "time_ppm", family))
        ),
    )


def _level_figures(machine: Machine, number: int) -> tuple[ScaledFigure, ...]:
    level: Place = ("levels", number)
    described = machine["levels"][number]
    protocols: list[Place] = [
        (*level, key, index)
        for key in ("protocols", "permute_protocols")
        for index in range(len(described.get(key, ())))
    ]
    return (
        *_scale(
            machine, "launch", _TIME_WIDTH,
            *((*place, "launch_ps") for place in protocols), (*level, "in_network_reduction", "latency_ps"),
        ),
        *_scale(
            machine, "hop", _TIME_WIDTH,
            *((*place, "hop_ps") for place in protocols), (*level, "peer_hop_ps"), (*level, "tree_hop_ps"),
        ),
        *_scale(machine, "rate of links", _RATE_WIDTH, (*level, "bytes_per_second")),
        *_scale(machine, "rate through memory", _RATE_WIDTH, (*level, "local_bytes_per_second")),
    )  # fmt: skip


def _step_figures(machine: Machine) -> tuple[ScaledFigure, ...]:
    links: list[Place] = [("levels", number, "bytes_per_second") for number in range(len(machine["levels"]))]
    tiles = _tile_places(machine)
    points = machine["device"].get("matmul_efficiency", {}).get("points", ())
    places: list[Place] = [("device", "matmul_efficiency", "points", number, 1) for number in range(len(points))]
    return (
        *_scale(machine, "rate of products", _RATE_WIDTH, *tiles, *places),
        *_scale(machine, "rate of memory", _RATE_WIDTH, ("device", "memory_ppm")),
        *_scale(machine, "rate of links", _RATE_WIDTH, *links),
        *_scale(machine, "issue", _TIME_WIDTH, ("device", "issue_ps")),
    )


def _find_levels(machine: Machine, rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows of collectives by the outermost level that they run over, which is the slowest."""
    found: dict[str, list[Row]] = {}
    priced = run_prices({"machine.json": machine}, [{**as_request(row), "machine": "./machine.json"} for row in rows])
    order = [level["name"] for level in machine["levels"]]
    for row, price in zip(rows, priced, strict=True):
        used = [name for name in order if price["wire_bytes"].get(name)]
        found.setdefault(used[0] if used else order[-1], []).append(row)
    return found


# ======================================================================================================================
# Figures of a machine
# ======================================================================================================================


def _get_value(machine: Machine, place: Place) -> int:
    value: Any = machine
    for key in place:
        if isinstance(value, Mapping) and key not in value:
            return 0
        value = value[key]
    return int(value["value"] if isinstance(value, Mapping) else value)


def _with_scaled(machine: Machine, figures: Sequence[ScaledFigure], logs: Iterable[float]) -> Machine:
    scaled = copy.deepcopy(machine)
    for figure, log in zip(figures, logs, strict=True):
        for place in figure.places:
            # Several figures may scale a place.
            value = max(1, round(_get_value(scaled, place) * math.exp(log)))
            _set_value(scaled, place, min(value, _WHOLE_PPM) if _is_share(place) else value)
    return scaled


def _is_share(place: Place) -> bool:
    return (str(place[-1]).endswith("_ppm") or isinstance(place[-1], int) or "type_ppm" in place) and place[
        -1
    ] != "time_ppm"


def _set_value(machine: Machine, place: Place, value: int) -> None:
    holder: Any = machine
    for key in place[:-1]:
        holder = holder[key]
    known = holder[place[-1]]
    holder[place[-1]] = {**known, "value": value} if isinstance(known, Mapping) else value


def _set_width(machine: Machine, place: Place, width: float) -> None:
    """Points of a curve have none."""
    if "points" in place:
        machine["device"]["matmul_efficiency"]["source"] = "calibrated"
        return
    holder: Any = machine
    for key in place[:-1]:
        holder = holder[key]
    ppm = round(width * _WHOLE_PPM)
    holder[place[-1]] = {"value": _get_value(machine, place), "source": "calibrated", "width_ppm": ppm}


def _set_widths(machine: Machine, figures: Sequence[ScaledFigure], covariance: np.ndarray) -> None:
    """Of each place what all figures that scale it leave open; of tiles that of their mean."""
    shares: dict[Place, np.ndarray] = {}
    tiles = [place for figure in figures for place in figure.places if "tiles" in place]
    for number, figure in enumerate(figures):
        for place in figure.places:
            key: Place = ("tiles",) if "tiles" in place else place
            shares.setdefault(key, np.zeros(len(figures)))[number] += 1 / len(set(tiles)) if "tiles" in place else 1
    for place, weights in shares.items():
        width = float(np.sqrt(weights @ covariance @ weights))
        if place == ("tiles",):
            machine["device"]["products"]["tiles"].update(source="calibrated", width_ppm=round(width * _WHOLE_PPM))
        else:
            _set_width(machine, place, width)


def _check(machine: Machine) -> Machine:
    text = json.dumps(machine)
    checked: Machine = json.loads(engine.run(["machines", "--machine=./m.json", "--json"], {"m.json": text}).stdout)
    return checked


# ======================================================================================================================
# The fit
# ======================================================================================================================


@dataclass
class _Fit:
    """Residuals of a part's rows, and of what was known before, with their derivatives."""

    machine: Machine
    part: _Part
    rows: Sequence[Row]
    predict: Predict
    noise: float = _FIRST_NOISE
    measured: np.ndarray = field(init=False)
    _known: dict[bytes, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.measured = np.log(np.array([float(row["time_us"]) for row in self.rows]))

    def _look(self, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Predictions and their derivatives."""
        key = logs.tobytes()
        if key not in self._known:
            points = [logs, *(logs + _STEP * unit for unit in np.eye(len(logs)))]
            lines = self.predict([_with_scaled(self.machine, self.part.figures, point) for point in points], self.rows)
            self._known[key] = lines[0], ((lines[1:] - lines[0]) / _STEP).T
        return self._known[key]

    def residuals(self, logs: np.ndarray) -> np.ndarray:
        widths = np.array([figure.width for figure in self.part.figures])
        return np.concatenate([(self._look(logs)[0] - self.measured) / self.noise, logs / widths])

    def derivatives(self, logs: np.ndarray) -> np.ndarray:
        widths = np.array([figure.width for figure in self.part.figures])
        return np.vstack([self._look(logs)[1] / self.noise, np.diag(1 / widths)])

    def solve(self, start: np.ndarray) -> np.ndarray:
        from scipy.optimize import least_squares  # type: ignore[import-untyped, unused-ignore]

        found = least_squares(
            self.residuals, start, jac=self.derivatives, bounds=(-4, 4), loss="soft_l1", f_scale=2.0, max_nfev=40
        )
        best: np.ndarray = found.x
        return best

    def estimate_noise(self, logs: np.ndarray) -> float:
        spread = 1.4826 * float(np.median(np.abs(self._look(logs)[0] - self.measured)))
        return min(max(spread, _LEAST_NOISE), _MOST_NOISE)


def _find_error(machine: Machine, rows: Sequence[Row], predict: Predict) -> float:
    """The median."""
    predicted = np.exp(predict([machine], rows)[0])
    return float(median(abs(time / float(row["time_us"]) - 1) for time, row in zip(predicted, rows, strict=True)))


def _list_distances(machine: Machine, rows: Sequence[Row], predict: Predict) -> list[float]:
    """|log(predicted / measured)|."""
    measured = np.log(np.array([float(row["time_us"]) for row in rows]))
    return [float(each) for each in np.abs(predict([machine], rows)[0] - measured)]


def _find_step_width(machine: Machine, rows: Sequence[Row]) -> float:
    """The standard deviation of log(measured / predicted) of steps, on those that were not fitted.

    A few steps that were all fitted say less than they seem to: they may only widen what holds without them.
    """
    steps = [row for row in rows if row["kind"] == "step"]
    if not steps:
        return _STEP_WIDTH
    judged = _split(steps)[1]
    spread = float(np.sqrt(np.mean(np.square(_list_distances(machine, judged, predict_steps)))))
    least = _LEAST_NOISE if len(judged) < len(steps) else _STEP_WIDTH
    return min(max(spread, least), _MOST_NOISE)


def _solve(machine: Machine, part: _Part, rows: Sequence[Row], predict: Predict) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of the factors of figures, and their covariance."""
    fit = _Fit(machine, part, rows, predict)
    logs = np.zeros(len(part.figures))
    for _ in range(3):
        logs = fit.solve(logs)
        fit.noise = fit.estimate_noise(logs)
    slopes = fit.derivatives(logs)
    return logs, np.linalg.inv(slopes.T @ slopes)


def _predicts_better(machine: Machine, part: _Part, rows: Sequence[Row], predict: Predict) -> bool:
    """Whether what is fitted on some of the rows predicts the others better than the machine does."""
    before, after = [], []
    for fitted, tried in _cut_folds(rows):
        logs, _ = _solve(machine, part, fitted, predict)
        before += _list_distances(machine, tried, predict)
        after += _list_distances(_with_scaled(machine, part.figures, logs), tried, predict)
    return sum(after) < sum(before)


def _fit_part(result: Calibration, part: _Part, predict: Predict) -> Calibration:
    fitted, judged = _split(part.rows)
    before = _find_error(result.machine, judged, predict)
    if not _predicts_better(result.machine, part, fitted, predict):
        # Few rows, or kernels that no figure explains.
        errors = PartErrors(part.name, len(part.rows), len(judged), before, before, is_taken=False)
        return dataclasses.replace(result, errors=(*result.errors, errors))
    logs, covariance = _solve(result.machine, part, fitted, predict)
    machine = _with_scaled(result.machine, part.figures, logs)
    _set_widths(machine, part.figures, covariance)
    errors = PartErrors(part.name, len(part.rows), len(judged), before, _find_error(machine, judged, predict))
    found = tuple(
        CalibratedFigure(part.name, figure.name, math.exp(log), float(width))
        for figure, log, width in zip(part.figures, logs, np.sqrt(np.diag(covariance)), strict=True)
    )
    return Calibration(machine, result.figures + found, (*result.errors, errors))
