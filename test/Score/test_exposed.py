"""Times of the two clocks add up, in every schedule of the zoo: the exposed times of reshards to that of the timeline,
compute and exposed communication to the time of the formula."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from models import exported, registry

ROOT = Path(__file__).resolve().parents[2]
PARTITA = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin")) / "partita"
MACHINES = ["h100-sxm:2x4", "tpu-v5e:2x4"]


@pytest.mark.parametrize("model", registry.ZOO)
def test_exposed_times_sum_to_the_total(model: str) -> None:
    schedules = sorted((ROOT / "models" / "schedules").glob(f"{model}.*.json"))
    checked = 0
    for schedule, machine in ((schedule, machine) for schedule in schedules for machine in MACHINES):
        command = [PARTITA, "score", exported.find(f"{model}.tiny"), "--schedule", schedule, "--machine", machine]
        command += ["--mesh=data=4,model=2", "--no-bound", "--json"]
        done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
        score = json.loads(done.stdout)
        exposed = [reshard["exposed_ps"] for reshard in score["reshards"]]
        assert min(exposed, default=0) >= 0
        # What ops exchange by themselves belongs to no reshard.
        elsewhere = score.get("exposed_elsewhere_ps", 0)
        assert sum(exposed) + elsewhere == score["simulated_exposed_ps"], (schedule.stem, machine)
        kinds = {collective["kind"] for collective in score["collectives"]}
        assert elsewhere == 0 or "collective_permute" in kinds, (schedule.stem, machine)
        assert score["compute_ps"] + score["exposed_communication_ps"] == score["time_ps"]
        checked += sum(exposed) > 0
    assert checked or not schedules, "nothing was exposed"
