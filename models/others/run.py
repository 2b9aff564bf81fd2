"""Runs other people's models as planned, and writes what came out to docs/models.md: `make models`.

    python -m models.others.run [--only REGEX] [--strategy preset] [--json FILE [--resume]] [--table FILE] [--jobs N]

Each row is a process with a time limit. What came out of each is kept in the JSON file, models/others/results.json, so
that some rows can be run and the others stay on record: `make models MODELS_OPTIONS='--only keras'`. With `--resume`
rows that passed are not run again, so that a run that was stopped goes on. The table shows all rows that the file
knows, and says which of them are of earlier builds. The exit code is 1 if a row fails.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from partita._src.binary import find_binary

ROOT = Path(__file__).resolve().parents[2]
STRATEGIES = ("preset", "auto")

INTRODUCTION = """
Each row is a model of another package with random weights, on the mesh `data=2,model=4` of 8 virtual CPU devices.
Training rows run three steps, others one call. *preset* is FSDP over `data` with Megatron over `model`; *auto* is what
the search finds with the memory limit at 40% of what one device needs. A strategy passes if at least 80% of the FLOPs
of dots and convolutions are split over each axis, `plan.verify()` agrees, and `plan.jit()` gives what `jax.jit` does
on one device: for every leaf of the result, optimizer moments included, ‖a−b‖/‖b‖ ≤ 1e-5 in f32 (the largest is shown).

The state of the rows *TrainState* is planned once and made anew, functions and all, when it is run; its initialization
and its evaluation are planned with the plan of its step as their pins, and must lie as that does.

The rows of `models/others/uneven.py`, those with a number in their name from *GPT-2, 5 heads* on, have no size that an
axis divides: 97 tokens, 3 or 5 heads for 4 devices, a batch of 7 for 2. What is split of them is padded.

Some leaves are zero but for rounding, such as the gradient of a key's bias under softmax, and Adam makes steps of full
size out of it: no two orders of summation agree on them. They are counted as *by f64*: both programs, the planned one
with its collectives and that of one device, are run again in f64, where rounding is a billion times smaller and a
mistake is as large as before, and must agree there within 1e-5 of the leaf or of its rounding in f32
(`models/others/compare.py`). Lion takes the sign of a gradient, which is of full size for rounding in any precision:
the row of OPT does not train its biases of keys.
*verified on seed 1* says that `plan.verify()` found a difference of floats, none of the exact ring, on seed 0: a kink
such as that of a maximum lay within rounding of a value. Plan times are those of a loaded machine.
"""

LEFT_OUT = """
Of 93 more programs that were planned in both ways, 41 became rows; these did not:

- Muon (optax), preset: 60% over `data`. Its iterations multiply momenta with themselves, which no preset looks at.
- A preconditioner by Newton's iteration, preset: 6% over `model`, for the same reason.
- ConvLSTM2D (keras), preset: 0% over `model`. Its gates are cut out of one kernel before they are convolved, so that
  only inputs can be split; they are the outputs of the step before, and nothing decides the conflict.
- NASNet (keras), auto: 78% over `data`.
- NUTS (blackjax), auto: nothing that is found fits into 40% of the memory.
- MobileNetV3 (keras): planned and verified in both ways, not done with running after 900 s on a loaded machine.
- MLP-Mixer (haiku) with 25 patches, preset: 60% over `model`, since patches are mixed along a dim that no preset
  splits.
- An MLP of width 130 (equinox), auto: nothing that is found fits into 40% of the memory.
- A CNN on images of 14 (equinox), auto: `plan.rules()` says less than the plan: the images lie
  split along a part of an axis, and planned by these rules they are whole.
- Pegasus (transformers) with LAMB: three biases of keys, whose gradients are rounding, differ by 3e-3 after three
  steps. Its row runs with NAdamW.
"""


def list_rows() -> Iterator[tuple[str, str, str]]:
    """Module, name and package of every row; asked of a process, since the packages are heavy."""
    code = (
        "import json, sys\nfrom models.others import registry\nfound = []\n"
        "for module in registry.MODULES:\n"
        "    found += [(module, row.name, row.package) for row in registry.load(module)]\n"
        "json.dump(found, sys.stdout)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    yield from json.loads(done.stdout.splitlines()[-1])


def run_row(module: str, name: str, strategies: Sequence[str], seconds: float) -> dict[str, Any]:
    """What the row's process says, or why it says nothing."""
    words = [sys.executable, "-m", "models.others.row", module, name]
    words += [word for strategy in strategies for word in ("--strategy", strategy)]
    start = time.monotonic()
    try:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"failure": f"not done after {seconds:.0f} s"}
    if done.returncode or not done.stdout.strip():
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return {"failure": f"exit code {done.returncode}: {last[:400]}", "stderr": done.stderr[-4000:]}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    result["seconds"] = round(time.monotonic() - start, 1)
    result["stderr"] = done.stderr[-4000:]
    return result


@functools.lru_cache(maxsize=1)
def hash_build() -> str:
    """Of the tool and the package that plan: rows of earlier ones are told apart."""
    sources = sorted((ROOT / "python" / "partita").glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in (find_binary(), *sources))).hexdigest()[:16]


def to_record(name: str, package: str, result: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a row: not what its process printed, which is of this machine, nor the names of leaves."""
    kept = {key: value for key, value in result.items() if key != "stderr"}
    for found in kept.get("strategies", {}).values():
        if "by_f64" in found:
            found["by_f64"] = len(found["by_f64"])
    return {"name": name, "package": package, "build": hash_build(), **kept}


def failures(result: dict[str, Any], strategies: Sequence[str]) -> list[str]:
    """Why the row does not pass, a sentence for each strategy."""
    if "failure" in result:
        return [result["failure"]]
    found = result["strategies"]
    return [f"{name}: {found[name]['failure']}" for name in strategies if "failure" in found[name]]


def describe(found: dict[str, Any]) -> str:
    """One cell of the table: what a strategy gave."""
    if "failure" in found:
        return "**fails**"
    split = ", ".join(f"{share:.0%}" for share in found["split_flops"].values())
    exact = f", {found['by_f64']} leaves by f64" if found["by_f64"] else ""
    exact += ", verified on " + found["verified"].rsplit(", ")[-1] if "seed" in found["verified"] else ""
    return (
        f"equal ({found['worst']:.0e}{exact}); {found['collectives']} collectives; split {split}; {found['plan_s']} s"
    )


def print_table(rows: Sequence[tuple[str, str, dict[str, Any]]], strategies: Sequence[str]) -> str:
    """The page docs/models.md; a row that was not run has an empty result."""
    run = [(name, package, result) for name, package, result in rows if result]
    passed = sum(not failures(result, strategies) for _, _, result in run)
    earlier = [f"{name} ({package})" for name, package, result in run if result["build"] != hash_build()]
    lines = [
        "# Other people's models",
        "",
        f"`make models` wrote this page: {passed} of {len(run)} rows pass"
        + (f", {len(rows) - len(run)} were not run." if len(run) < len(rows) else ".")
        + (f" {len(earlier)} rows are of earlier builds; they are listed below." if earlier else ""),
        "",
        *INTRODUCTION.strip().splitlines(),
        "",
        "| model | package | ops | parameters | " + " | ".join(strategies) + " |",
        "| --- | --- | --- | --- |" + " --- |" * len(strategies),
    ]
    for name, package, result in run:
        found = result.get("strategies", {})
        ops = max((entry.get("ops", 0) for entry in found.values()), default=0)
        cells = [describe(found.get(strategy, {"failure": ""})) for strategy in strategies]
        parameters = f"{result['parameters']:,}" if "parameters" in result else "?"
        lines.append(f"| {name} | {package} | {ops:,} | {parameters} | " + " | ".join(cells) + " |")
    # Paths of this machine say nothing to a reader.
    clean = re.compile(r"\S*/site-packages/")
    wrong = [(name, clean.sub("", reason)) for name, _, result in run for reason in failures(result, strategies)]
    lines += ["", "## Failures", ""]
    lines += [f"- {name}: {' '.join(reason.split())}" for name, reason in wrong] or ["None."]
    lines += ["", "## Left out", "", *LEFT_OUT.strip().splitlines()]
    missing = [f"{name} ({package})" for name, package, result in rows if not result]
    for title, names in (("Of earlier builds", earlier), ("Not run", missing)):
        lines += ["", f"## {title}", "", ", ".join(names)] if names else []
    return "\n".join(lines) + "\n"


def read_known(path: Path | None) -> dict[tuple[str, str], dict[str, Any]]:
    """What earlier runs kept, by package and name."""
    if path is None or not path.is_file():
        return {}
    return {(row["package"], row["name"]): row for row in json.loads(path.read_text(encoding="utf-8"))}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m models.others.run", description="Run other people's models.")
    parser.add_argument("--only", default="", help="regex searched in package/name")
    parser.add_argument("--strategy", action="append", choices=STRATEGIES, help="may be repeated; all if not given")
    parser.add_argument("--json", type=Path, help="keeps what is known of each row")
    parser.add_argument("--resume", action="store_true", help="leaves out rows that passed according to that file")
    parser.add_argument("--table", type=Path, help="writes the page of results")
    parser.add_argument("--seconds", type=float, default=900, help="time limit of a row")
    parser.add_argument("--jobs", type=int, default=1, help="rows at a time")
    options = parser.parse_args()
    strategies = options.strategy or list(STRATEGIES)
    rows = list(list_rows())
    known = read_known(options.json)

    def is_wanted(name: str, package: str) -> bool:
        passed = (package, name) in known and not failures(known[package, name], strategies)
        return bool(re.search(options.only, f"{package}/{name}")) and not (options.resume and passed)

    wanted = [row for row in rows if is_wanted(*row[1:])]
    with ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(run_row, module, name, strategies, options.seconds) for module, name, _ in wanted]
        for (_, name, package), future in zip(wanted, running, strict=True):
            result = future.result()
            known[package, name] = to_record(name, package, result)
            wrong = failures(result, strategies)
            print(f"{name:28} {package:14} {'; '.join(wrong) if wrong else 'ok'}", flush=True)
            print(result.get("stderr", "") if wrong else "", end="", file=sys.stderr, flush=True)
            if options.json:
                options.json.write_text(json.dumps(list(known.values()), indent=1) + "\n", encoding="utf-8")
    page = print_table([(name, package, known.get((package, name), {})) for _, name, package in rows], strategies)
    if options.table:
        options.table.write_text(page, encoding="utf-8")
    else:
        print(page)
    return 1 if any(failures(known[package, name], strategies) for _, name, package in wanted) else 0


if __name__ == "__main__":
    sys.exit(main())
