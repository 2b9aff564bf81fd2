"""No plan is faster than the bound of its program, by the time that is reported: every schedule of the zoo."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from models import exported, registry

ROOT = Path(__file__).resolve().parents[2]
PARTITA = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin")) / "partita"


@pytest.mark.parametrize("model", registry.ZOO)
@pytest.mark.parametrize("machine", ["h100-sxm:2x4", "tpu-v5e:2x4"])
def test_the_bound_is_at_most_the_time(model: str, machine: str) -> None:
    for schedule in sorted((ROOT / "models" / "schedules").glob(f"{model}.*.json")):
        command = [PARTITA, "score", exported.find(f"{model}.tiny"), "--schedule", schedule, "--machine", machine]
        command += ["--mesh=data=4,model=2", "--json"]
        done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
        score = json.loads(done.stdout)
        assert 0 < score["lower_bound_ps"] <= score["time_ps"], schedule.stem


def test_a_slow_host_sets_the_pace_of_both_clocks(tmp_path: Path) -> None:
    schedule = ROOT / "models" / "schedules" / "gpt_scan.BP.json"
    times = []
    for issue_ps in (0, 32_000_000):
        machine = tmp_path / f"{issue_ps}.json"
        machine.write_text(json.dumps({"base": "h100-sxm:1x8", "name": "ours", "device": {"issue_ps": issue_ps}}))
        command = [PARTITA, "score", exported.find("gpt_scan.tiny"), "--schedule", schedule, "--machine", machine]
        command += ["--mesh=data=4,model=2", "--json"]
        done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
        score = json.loads(done.stdout)
        assert score["time_ps"] == pytest.approx(score["simulated_ps"], rel=0.02)
        times.append(score["time_ps"])
    assert times[1] > 4 * times[0]
