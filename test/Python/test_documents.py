"""The package's documents: examples in docstrings and in examples/ run, the reference is that of the docstrings."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import partita
from document_blocks import read_blocks, run_blocks

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}"}
BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
TIMEOUT_SECONDS = 900
MODULES = [
    module.name for module in pkgutil.walk_packages(partita.__path__, "partita.") if module.name != "partita.__main__"
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_docstring_examples() -> None:
    finder = doctest.DocTestFinder()
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(found) >= 7


def run(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=ENVIRONMENT | variables, capture_output=True, text=True,
        timeout=TIMEOUT_SECONDS, check=False,
    )  # fmt: skip


def test_the_reference_is_that_of_the_docstrings() -> None:
    done = run("scripts/python_doc.py")
    assert done.returncode == 0, done.stderr
    assert (ROOT / "docs" / "python.md").read_text() == done.stdout


@pytest.mark.parametrize("name", ["plan", "logical", "kernel"])
def test_the_items_of_the_reference_are_parameters(name: str) -> None:
    section = (ROOT / "docs" / "python.md").read_text().split(f"### `{name}(")[1].split("### `")[0]
    items = [item for line in re.findall(r"^- `(.*?)`: ", section, re.MULTILINE) for item in line.split(", ")]
    assert items and set(items) <= set(inspect.signature(getattr(partita, name)).parameters)


@pytest.mark.parametrize("processes", [2, 4])
def test_several_processes_run_one_plan(processes: int) -> None:
    done = run("examples/multi_process.py", str(processes))
    assert done.returncode == 0, done.stderr[-2000:]
    losses = set(re.findall(r"loss ([0-9.]+)", done.stdout))
    assert len(losses) == 1 and len(re.findall(rf"of {processes}: 8 devices", done.stdout)) == processes


@pytest.mark.parametrize("name", ["llama", "moe", "decode", "unet"])
def test_examples_run(name: str, tmp_path: Path) -> None:
    """As someone who copied one has it: alone. Each compares with one device, or with other strategies."""
    done = run(shutil.copy(ROOT / "examples" / f"{name}.py", tmp_path), PYTHONPATH=str(ROOT / "python"))
    assert done.returncode == 0, done.stderr[-2000:]
    assert any(other in done.stdout for other in ("one device", "yours", "baseline"))


def test_llama_fits_on_four_gpus_in_microbatches() -> None:
    done = run("examples/llama.py", "four")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "microbatches" in done.stdout and ": fits" in done.stdout


MODEL = """
import importlib.util, sys
source = importlib.util.spec_from_file_location("first", sys.argv[1])
first = importlib.util.module_from_spec(source)
source.loader.exec_module(first)
import jax
step, state, batch = first.step, first.params, first.batch
open("model.mlir", "w").write(LOWERED)
"""


TACTICS = {"tactics": [{"name": "BP", "axis": "data", "tile": [["batch/.*", 0]]}]}
SPECS = [["params/w1", [None, "model"]], ["batch/.*", ["data"]]]
DUMP = {"['w1']": {"mesh": {"axis_names": ["data"], "shape": {"data": 64}}, "partition_spec": [None, "data"]}}


def run_commands(lines: list[str], folder: Path) -> None:
    """With the tool on the path."""
    environment = ENVIRONMENT | {"PATH": f"{BIN}:{os.environ['PATH']}"}
    for line in lines:
        done = subprocess.run(
            ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stderr[-2000:]}"


def write_files(lowered: str, folder: Path) -> None:
    """What the documents' commands take: the step of the first example, lowered so, and strategies for it."""
    (folder / "lower.py").write_text(MODEL.replace("LOWERED", lowered))
    for name in ("s", "tactics", "a", "b", "c"):
        (folder / f"{name}.json").write_text(json.dumps(TACTICS))
    (folder / "specs.json").write_text(json.dumps(SPECS))
    (folder / "named_shardings.json").write_text(json.dumps(DUMP))
    run_commands([f"{sys.executable} lower.py {ROOT / 'examples' / 'first.py'}"], folder)


def readme_section() -> str:
    text = (ROOT / "README.md").read_text()
    return text[text.index("## From the command line") :]


def readme_lowering() -> str:
    found = re.search(r"`(jax\.jit\(.*?as_text\(.*?\))`", readme_section())
    assert found is not None
    return found[1]


def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    """In order, on the step of the first example, lowered as the README says."""
    commands = re.search(r"^```\n(.*?)^```$", readme_section(), re.MULTILINE | re.DOTALL)
    assert commands is not None
    write_files(readme_lowering(), tmp_path)
    run_commands(commands[1].splitlines(), tmp_path)
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"plan.json", "local.mlir", "annotated.mlir"}


def test_the_commands_of_the_documents_run(tmp_path: Path) -> None:
    """Without what is optional, which stands in brackets."""
    write_files(readme_lowering(), tmp_path)
    made = "partita plan model.mlir --mesh data=2,model=4 --schedule s.json -o ."
    run_commands([made, "cp annotated.mlir sharded.mlir"], tmp_path)
    texts = [(ROOT / "docs" / name).read_text() for name in ("machines.md", "schedules.md", "score.md")]
    lines = [line for text in texts for line in re.findall(r"^partita .*$", text, re.MULTILINE)]
    assert len(lines) >= 15
    run_commands([re.sub(r"\[.*?\]", "", line) for line in lines], tmp_path)


def test_the_readme_shows_the_first_example() -> None:
    text = (ROOT / "README.md").read_text()
    shown = re.search(r"^```python\n(import os\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert shown is not None
    source = (ROOT / "examples" / "first.py").read_text()
    assert shown[1].strip() == source[source.index("import os") :].strip()


RUN = ["tutorial.md", "concepts.md", "howto.md", *sorted(f"howto/{p.name}" for p in (ROOT / "docs/howto").glob("*.md"))]


@pytest.mark.parametrize("document", RUN)
def test_the_code_of_a_document_prints_what_it_says(document: str, tmp_path: Path) -> None:
    """If it prints something else that is right, too: python scripts/document_blocks.py DOCUMENT"""
    blocks = read_blocks(ROOT / "docs" / document)
    for block, printed in zip(blocks, run_blocks(blocks, tmp_path), strict=True):
        assert block.printed in (None, printed), f"{block.code}prints\n{printed}but {document} says\n{block.printed}"


@pytest.mark.parametrize("enabled", ["0", "1"])
def test_x64_in_a_process_of_its_own(enabled: str) -> None:
    script = """
import jax, jax.numpy as jnp, numpy as np, partita
x = np.arange(32.0).reshape(8, 4)
f = lambda x, i: (jnp.sin(x) * 2, i + 1)
plan = partita.plan(f, x, 3, mesh="data=4", schedule=[partita.tile("x", dim=0, axis="data")])
a, b = plan.jit()(x, 3), jax.jit(f)(x, 3)
assert [r.dtype for r in a] == [r.dtype for r in b], (a, b)
assert a[0].dtype == (jnp.float64 if jax.config.jax_enable_x64 else jnp.float32)
np.testing.assert_allclose(a[0], b[0], rtol=1e-6)
"""
    environment = ENVIRONMENT | {
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8", "PJRT_NPROC": "32", "JAX_ENABLE_X64": enabled,
    }  # fmt: skip
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
