"""Plans that are searched for: deterministic, within memory, ended by a deadline or Ctrl-C with what there is."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

import partita
from models.registry import ZOO
from partita import presets

assert xla_runner.MAX_DEVICES >= 8
ROOT = Path(__file__).resolve().parents[2]
MESH = {"data": 4, "model": 2}
MACHINE = "cpu-host:1x8"
FAST = {"xla_backend_optimization_level": 0}
PROGRAM = ZOO["rnn_gru"].program("tiny")


def search(**options: Any) -> partita.Plan:
    settings = {"mesh": MESH, "machine": MACHINE, "budget": 200, **options}
    return partita.plan(PROGRAM.fn, *PROGRAM.shapes(), **settings)


def test_it_finds_the_same_plan_twice_and_the_plan_runs() -> None:
    plan = search()
    assert plan.report.fits and plan.report.time_ps and plan.report.peak_bytes
    assert "\n  time          " in str(plan.report) and "\n  peak memory   " in str(plan.report)
    assert search().to_json() == plan.to_json()
    arguments = PROGRAM.arguments()
    got = plan.jit(compiler_options=FAST)(*arguments)[1]
    np.testing.assert_allclose(got, jax.jit(PROGRAM.fn, compiler_options=FAST)(*arguments)[1], rtol=1e-5)


def test_what_was_found_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time nothing is searched for, and what the search found out is known as well as then."""
    found = search(cache=tmp_path, baseline=presets.zero3("data"))
    search(cache=tmp_path, seed=1)
    assert len(list(tmp_path.glob("*/*.json"))) == 2
    monkeypatch.setattr("partita._src.requests.Request.run", None)
    again = search(cache=tmp_path, baseline=presets.zero3("data"))
    for plan, folder in ((found, tmp_path / "found"), (again, tmp_path / "again")):
        plan.save_all(folder)
    written = [path.name for path in (tmp_path / "found").iterdir()]
    always = {"plan.json", "report.json", "report.html", "local.mlir", "annotated.mlir"}
    assert always | {"trace.json", "answers.txt"} == set(written)
    for name in written:
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "found" / name).read_bytes(), name
    assert str(again.report) == str(found.report) and again.report.figures["search"]


def test_manual_tactics_come_first() -> None:
    rows = partita.tile(r"batch/.*", dim=0, axis="data")
    plan = search(schedule=[rows, partita.auto("model")])
    assert plan.in_specs[1]["tokens"][0] in ("data", ("data", "model"))
    pinned = search(pins={r"state/params/embed": P("model")})
    assert pinned.in_specs[0].params["embed"] == P("model")


def test_a_bound_is_the_same_fresh_from_a_cache_and_from_a_file(tmp_path: Path) -> None:
    def bound(plan: partita.Plan) -> tuple[int, str]:
        lines = str(plan.report).splitlines()
        line = next((line for line in lines if "no plan of this program is faster than" in line), "")
        return plan.report.figures["lower_bound_ps"], line.split(":")[0]

    found = search(cache=tmp_path)
    assert bound(search(schedule=[]))[0] < bound(found)[0], "contractions at peak rate are all that bounds it"
    assert bound(found)[1]
    found.save(tmp_path / "plan.json")
    arguments = PROGRAM.shapes()
    assert bound(search(cache=tmp_path)) == bound(found)
    assert bound(partita.load(tmp_path / "plan.json", PROGRAM.fn, *arguments)) == bound(found)
    assert bound(found.replan(tmp_path / "plan.json")) == bound(found.replan([])) == bound(found)
    assert found.replan([]).to_json()["cost"]["lower_bound_ps"] == bound(found)[0]


def test_memory_is_limited() -> None:
    free = search().report.peak_bytes
    whole = search(schedule=[]).report.peak_bytes
    assert free is not None and whole is not None
    tight = search(memory_limit=int(0.9 * free))
    assert tight.report.peak_bytes is not None and tight.report.peak_bytes <= 0.9 * free < whole
    with pytest.warns(partita.DoesNotFitWarning):
        assert search(memory_limit=1000).report.fits is False


def test_a_baseline_is_not_undercut() -> None:
    baseline = [presets.data_parallel("data"), presets.megatron("model")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plan = search(baseline=baseline, budget=1)
    own = dict(plan.compare().rows)["baseline"]
    assert isinstance(own, partita.Report) and own.time_ps is not None and plan.report.time_ps is not None
    assert plan.report.time_ps <= own.time_ps
    with pytest.warns(UserWarning, match="the baseline cannot be the plan: .*nothing"):
        search(baseline=[partita.tile("nothing", dim=0, axis="data")], budget=1)
    with pytest.warns(UserWarning, match="the baseline cannot be the plan: .*closed by the sharding"):
        pinned = search(baseline=baseline, pins={"batch/.*": P()}, budget=1)
    assert set(jax.tree.leaves(pinned.in_specs[1])) == {P()}


@pytest.mark.parametrize("ending", ["deadline", "interrupt"])
def test_a_search_that_is_cut_short_gives_what_it_has(ending: str) -> None:
    """In a process of its own, which has a terminal with a bar in it, and to which Ctrl-C is sent."""
    script = f"""
import json, warnings, partita
from models.registry import ZOO
program = ZOO["llama_scan"].program("tiny")
print("ready", flush=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    plan = partita.plan(program.fn, *program.shapes(), mesh={MESH!r}, machine={MACHINE!r}, budget=100_000_000,
                        deadline={1.5 if ending == "deadline" else None})
print(json.dumps([plan.report.fits, plan.report.figures["search"], [w.category.__name__ for w in caught]]))
"""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'python'}:{ROOT}", "JAX_PLATFORMS": "cpu"}
    # What runs in the background may have been told to ignore interrupts; its children would, too.
    terminal, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, stderr=slave, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    os.close(slave)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    if ending == "interrupt":
        _wait_for_tool(process.pid)
        process.send_signal(signal.SIGINT)
    shown = _read_terminal(terminal)
    out, _ = process.communicate(timeout=900)
    assert process.returncode == 0, shown
    assert re.search(r"\rpartita \|-+\| \d+ of 100000000 strategies, best [\d.]+ ms", shown), shown
    fits, found, caught = json.loads(out.splitlines()[-1])
    assert fits and found["stop_reason"] != "budget" and found["evaluations"] < 100_000_000
    assert ("IncompleteWarning" in caught) == (ending == "interrupt")


def _read_terminal(terminal: int) -> str:
    """What was written to it until its last writer has ended."""
    pieces = []
    with contextlib.suppress(OSError):  # Linux's way to say so
        while piece := os.read(terminal, 4096):
            pieces.append(piece)
    os.close(terminal)
    return b"".join(pieces).decode()


def _wait_for_tool(parent: int) -> None:
    """Until the search has been at work for a moment."""
    for _ in range(600):
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        if any("partita" in Path(f"/proc/{child}/cmdline").read_text() for child in children):
            time.sleep(2)
            return
        time.sleep(0.1)
    raise AssertionError("the tool was not started")


def test_a_search_goes_on(tmp_path: Path) -> None:
    search(budget=60).save_all(tmp_path / "first")
    assert search(budget=40, resume=tmp_path / "first").to_json() == search(budget=100).to_json()
    with pytest.raises(partita.UsageError, match="cannot go on"):
        search(budget=40, seed=1, resume=tmp_path / "first")
