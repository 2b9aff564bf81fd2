"""Plans and runs the programs that Shardy executes in its own tests.

    python scripts/check_shardy.py SHARDY [--only REGEX]

SHARDY is a clone of https://github.com/openxla/shardy. Each function with shardings of its tests in
`executable_partitioner_pipeline` is planned as they say, and `partita verify` compares the local program with the
original in exact mode and in floats. Programs that name devices for a value (a mesh with device_ids) are counted apart:
where something runs is no sharding. A program needs padding if an axis does not divide a dim that it splits. The exit
code is 1 if any other program is refused or wrong.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

BIN = Path(__file__).resolve().parents[1] / "build" / "bin" / "partita"
TESTS = "shardy/dialect/sdy/transforms/export/test/executable_partitioner_pipeline"
FUNCTION = re.compile(r"^func\.func (?:public |private )?@(\w+)\(.*?^}", re.MULTILINE | re.DOTALL)
MESH = re.compile(r'^sdy\.mesh @(\w+) = <\["?.*$', re.MULTILINE)


def list_programs(folder: Path) -> Iterator[tuple[str, str]]:
    """The name and the text of each program that has shardings."""
    for path in sorted((folder / TESTS).glob("*.mlir")):
        text = path.read_text(encoding="utf-8").split("//--- part2.mlir")[0]
        meshes = [match.group(0) for match in MESH.finditer(text)]
        for function in FUNCTION.finditer(text):
            body, name = function.group(0), function.group(1)
            if "#sdy.sharding<" not in body and "sdy.reshard" not in body:
                continue
            used = [mesh for mesh in meshes if re.search(rf"@{mesh.split('@')[1].split(' ')[0]}\b", body)]
            program = "\n".join([*used, re.sub(rf"@{name}\(", "@main(", body, count=1)])
            yield f"{path.stem}: {name}", re.sub(r"func\.func private", "func.func", program)


def find_axes(program: str) -> dict[str, int]:
    """The sizes of all axes."""
    return {name: int(size) for name, size in re.findall(r'"(\w+)"=(\d+)', program)}


def needs_padding(program: str) -> bool:
    """Whether axes of a sharding do not divide a dim of its value."""
    axes = find_axes(program)
    arguments = re.findall(r"tensor<([\dx]+)x\w+> \{sdy\.sharding = #sdy\.sharding<@\w+, \[(.*?)\]>", program)
    # Of an op, the result's type ends the line.
    ops = re.findall(
        r"(?:sharding=|reshard %\S+ |per_value<\[)(?:#sdy\.sharding)?<@\w+, \[(.*?)\]>.*x?tensor<([\dx]+)x\w+>", program
    )
    for shape, sharding in arguments + [(shape, sharding) for sharding, shape in ops]:
        for size, dim in zip(shape.split("x"), re.findall(r"\{(.*?)\}", sharding), strict=False):
            if int(size) % math.prod(axes[axis] for axis in re.findall(r'"(\w+)"', dim)):
                return True
    return False


def run(program: str, folder: Path) -> str:
    """`equal`, or what was said of a program that is refused or wrong."""
    (folder / "program.mlir").write_text(program, encoding="utf-8")

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([BIN, *words], cwd=folder, capture_output=True, text=True, check=False)

    planned = call("plan", "program.mlir", "--search=none", "-o", "out")
    if planned.returncode:
        return "refused: " + planned.stderr.strip().splitlines()[0]
    for flags in ([], ["--exact"]):
        verified = call("verify", "program.mlir", "--plan", "out/plan.json", *flags)
        if verified.returncode:
            return "wrong: " + (verified.stdout + verified.stderr).strip().splitlines()[0]
    return "equal"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shardy", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    failed = False
    for name, program in list_programs(options.shardy):
        if not re.search(options.only, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            said = run(program, Path(folder))
        places = "device_ids" in program
        kind = "names devices" if places else "needs padding" if needs_padding(program) else "divides"
        counts[f"{kind}: {said.split(':')[0]}"] += 1
        failed |= said != "equal" and not places
        print(f"{name:100} {kind:14} {said}", flush=True)
    print("; ".join(f"{what} {count}" for what, count in sorted(counts.items())))
    return 1 if failed or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
