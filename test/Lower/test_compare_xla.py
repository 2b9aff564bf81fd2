"""scripts/compare_xla.py: some rows of docs/compare-xla.md, and that it sees what XLA complains of."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# To go from one sharding to the other XLA knows no way but to make the tensor whole.
REMATERIALIZED = """
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
  func.func public @main(
      %x: tensor<8x24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", "c"}, {}, {}]>}) -> tensor<8x24x16xf32> {
    %0 = stablehlo.sine %x : tensor<8x24x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"c"}, {"b", "a"}]> : tensor<8x24x16xf32>
    return %1 : tensor<8x24x16xf32>
  }
}
"""
COUNT = """
import sys
sys.path.insert(0, "scripts")
import compare_xla, xla_forms
text = sys.stdin.read()
print([compare_xla.compile_for_cpus(form).rematerialized for form in (text, xla_forms.keep_boundary(text))])
"""


def run(*words: str, text: str = "") -> str:
    """In a process of its own, where XLA is told to be silent: it reads how much it shall log when it is imported."""
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_rematerializations_are_counted() -> None:
    assert run("-c", COUNT, text=REMATERIALIZED) == "[1, 0]\n"


def test_a_found_plan_is_compared_beside_an_experts() -> None:
    """The exit code says that XLA adds nothing to our local programs, and makes nothing whole in them."""
    printed = run("scripts/compare_xla.py", "--only", r"^rnn_lstm (rnn\.BP|found)$", "--jobs", "1")
    assert "rnn_lstm rnn.BP: " in printed and "rnn_lstm found: " in printed
    assert "2 of 2 rows compared, 1 of them found by search." in printed
    assert "Local programs: 2 have the same collectives" in printed
    assert "Full rematerializations are reported of programs: 0 local" in printed
