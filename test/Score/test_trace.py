"""`partita score --trace` writes what Perfetto and chrome://tracing read (the JSON form of the trace event format)."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from models import exported

ROOT = Path(__file__).resolve().parents[2]
PARTITA = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin")) / "partita"
#: Members of an event by its phase: metadata, complete events, counters.
MEMBERS = {
    "M": {"ph", "name", "pid", "tid", "args"},
    "X": {"ph", "name", "pid", "tid", "ts", "dur", "args"},
    "C": {"ph", "name", "pid", "ts", "args"},
}
#: Figures have six digits behind the point; sums of them in floats have fewer.
ROUNDING = 1e-3


def trace(folder: Path, program: str, schedule: str, machine: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Events, and the score."""
    out = folder / "trace.json"
    command: list[str | Path] = [
        PARTITA, "score", exported.find(f"{program}.tiny"),
        "--schedule", ROOT / "models" / "schedules" / f"{schedule}.json",
        "--mesh", "data=2,model=4", "--machine", machine, "--trace", out, "--json",
    ]  # fmt: skip
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    text = json.loads(out.read_text())
    assert set(text) == {"displayTimeUnit", "traceEvents"} and text["displayTimeUnit"] in ("ms", "ns")
    return text["traceEvents"], found


@pytest.mark.parametrize(
    ("program", "schedule", "machine", "levels"),
    [
        ("llama_scan", "llama_scan.BP+MP+Z3", "h100-sxm:2x4", ["node", "nvlink"]),
        ("llama", "llama.BP+MP+Z3", "tpu-v5e:2x4", ["slice", "x", "y"]),
        ("rnn_lstm", "rnn.BP+Z3", "h100-sxm:1x8", ["node", "nvlink"]),
    ],
)
def test_traces_are_read_by_perfetto(
    tmp_path: Path, program: str, schedule: str, machine: str, levels: list[str]
) -> None:
    events, score = trace(tmp_path, program, schedule, machine)
    named: dict[int, str] = {}
    busy: dict[int, list[tuple[float, float]]] = defaultdict(list)
    counters = []
    traffic: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for event in events:
        assert set(event) == MEMBERS[event["ph"]] and isinstance(event["name"], str) and event["pid"] == 0
        if event["ph"] == "M" and event["name"] == "thread_name":
            named[event["tid"]] = event["args"]["name"]
        if event["ph"] == "X":
            assert event["ts"] >= 0 and event["dur"] > 0 and event["name"]
            busy[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        if event["ph"] == "C" and event["name"] == "memory":
            assert event["args"]["bytes"] >= 0
            counters.append(event["args"]["bytes"])
        elif event["ph"] == "C":
            level = event["name"].removesuffix(" traffic")
            assert level in levels and event["args"]["bytes_per_second"] >= 0
            traffic[level].append((event["ts"], event["args"]["bytes_per_second"]))
    # One thread for compute and each level; each does one thing after the other, until the step ends.
    assert named == dict(enumerate(["compute", *levels]))
    assert set(busy) <= set(named)
    for spans in busy.values():
        spans.sort()
        assert all(before[1] <= after[0] + ROUNDING for before, after in itertools.pairwise(spans))
    end = max(span[1] for spans in busy.values() for span in spans)
    assert end == pytest.approx(score["simulated_ps"] / 1e6, abs=ROUNDING)
    # The rates of each link, over the time that they hold, are the bytes that the score has for it.
    sent = {
        level["name"]: sum(rate * (after - now) / 1e6 for (now, rate), (after, _) in itertools.pairwise(changes))
        for level in score["levels"]
        for changes in [traffic[level["name"]]]
    }
    assert any(sent.values())
    assert sent == pytest.approx({level["name"]: level["bytes"] for level in score["levels"]}, rel=1e-3)
    assert all(changes[-1][1] == 0 for changes in traffic.values() if changes)
    # Loops are one event beyond their first iterations, so the peak itself may stand inside of it.
    assert counters and 0 < max(counters) <= score["peak_bytes"]
