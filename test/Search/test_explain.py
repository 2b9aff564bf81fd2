"""`partita explain`: why a value is split as it is, and what it would cost otherwise."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from sources import BUILD, ROOT

PARTITA = BUILD / "bin" / "partita"
PROGRAM = BUILD / "zoo" / "llama_scan.tiny.mlir"
WHERE = ["--mesh", "data=2,model=4", "--machine", "h100-sxm:1x8"]
WRONG_USE = 2


def explain(value: str, *options: str | Path) -> subprocess.CompletedProcess[str]:
    schedule = ROOT / "models" / "schedules" / "llama_scan.BP+MP.json"
    command = [PARTITA, "explain", PROGRAM, "--schedule", schedule, "--value", value, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_tactics_and_propagation_are_told_apart() -> None:
    by_tactic = explain("state.params['layers']['wq']", *WHERE).stdout
    assert "as P(None, None, 'model'), " in by_tactic
    assert "  data: replicated: no tactic reached it\n  model: splits dim 2, as tactic 'MP' says" in by_tactic
    by_propagation = explain("state.mu['layers']['wq']", *WHERE).stdout
    assert "splits dim 2, by propagation in tactic 'MP' from state.params" in by_propagation


def test_other_ways_have_prices() -> None:
    text = explain("state.params['layers']['wq']", *WHERE).stdout
    head, *table = text[text.index("  alternatives") :].splitlines()
    assert head.split() == ["alternatives", "Δtime", "Δmemory"]
    found = [
        re.fullmatch(r"    (P\(.*\)) +([+-][0-9.]+ [num]?s|0) +(0|[+-][0-9.]+ [kMG]?B)  (.*)", row) for row in table
    ]
    ways = {row[4]: row[1] for row in found if row is not None}
    assert len(ways) == len(table)
    # Not as it is already.
    assert ways["replicated over model"] == "P()" and ways["dim 1 over model"] == "P(None, 'model')"
    assert "dim 2 over model" not in ways and "replicated over data" not in ways


def test_a_value_that_is_not_there() -> None:
    done = explain("state.params['w9']", *WHERE)
    assert done.returncode == WRONG_USE
    assert "the program has no value" in done.stderr and "remedy" in done.stderr
    slip = explain("state.params['layers']['wqq']", *WHERE).stderr
    assert "remedy: did you mean 'state.params['layers']['wq']'?" in slip


def test_inner_values_patterns_and_reshards() -> None:
    found = json.loads(explain(".*/dot_general#[0-9]+", "--json", *WHERE).stdout)["values"]
    assert len(found) > 8 and all(value["others"] is None for value in found)
    assert all(re.search(r"\.py:\d+$", value["loc"]) for value in found)
    moved = [reshard for value in found for reshard in value["reshards"]]
    assert moved and all(reshard["bytes"] > 0 and reshard["time_ps"] > 0 for reshard in moved)
    by_place = found[0]["loc"].rpartition("/")[2] + "#0"
    assert json.loads(explain(by_place, "--json", *WHERE).stdout)["values"][0]["loc"] == found[0]["loc"]
    one = json.loads(explain(found[0]["name"], "--json", *WHERE).stdout)["values"]
    assert len(one) == 1 and one[0]["others"]


def test_a_file_lists_many_values(tmp_path: Path) -> None:
    """More names than a command line holds."""
    found = json.loads(explain(".*/dot_general#[0-9]+", "--json", *WHERE).stdout)["values"]
    names = [value["name"] for value in found]
    (tmp_path / "values.txt").write_text("\n".join(names * 400))
    assert (tmp_path / "values.txt").stat().st_size > 1 << 17
    listed = json.loads(explain("", "--values", tmp_path / "values.txt", "--json", *WHERE).stdout)["values"]
    assert [value["name"] for value in listed] == names * 400
