"""Mutants of local programs: each differs in one place, by one of a fixed list of operators.

    python test/Verify/mutants.py ORIGINAL LOCAL [--count 40] [--seed 0] [--survivors]

draws sites uniformly over all sites of all operators, and counts which mutants are killed by execution (`partita
verify`) and which by the static check (`partita verify --relation`). A mutant that does not parse is drawn again; one
that execution finds equal on several inputs is listed as a survivor, if asked for.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sources import BUILD

PARTITA = BUILD / "bin" / "partita"
EQUAL, DIFFERENT = 0, 1
# A loop whose counter is spoilt may never end.
MAX_STEPS = 3_000_000
GROUPS = re.compile(r"replica_groups = dense<(\[\[.*?\]\])> : tensor<(\d+)x(\d+)xi64>")
PAIRS = re.compile(r"source_target_pairs = dense<(\[\[.*?\]\])> : tensor<(\d+)x2xi64>")
BINARY = {"add": "subtract", "subtract": "add", "multiply": "add", "maximum": "minimum", "minimum": "maximum"}
REDUCERS = {"add": "maximum", "maximum": "add"}


@dataclass(frozen=True)
class Mutant:
    """Lines of the program with one place changed."""

    operator: str
    line: int
    text: str


class Program:
    """The lines of a local program, and what mutants need to know of them."""

    def __init__(self, text: str) -> None:
        # Locations are long, and say nothing of what is computed.
        self.lines = [re.sub(r" loc\(.*\)$", "", line) for line in text.splitlines()]

    def change(self, operator: str, index: int, *lines: str) -> Mutant:
        return Mutant(operator, index + 1, "\n".join([*self.lines[:index], *lines, *self.lines[index + 1 :]]) + "\n")

    def replace_uses(self, operator: str, index: int, old: str, new: str) -> Mutant:
        """All uses of a value below the line where it is defined."""
        pattern = re.compile(re.escape(old) + r"(?![\w#])")
        below = [pattern.sub(new, line) for line in self.lines[index + 1 :]]
        return Mutant(operator, index + 1, "\n".join([*self.lines[: index + 1], *below]) + "\n")

    def end_of_region(self, index: int) -> int:
        """The line with the type of an op whose region begins at `index`."""
        indent = re.match(r"\s*", self.lines[index])
        assert indent
        return next(i for i in range(index + 1, len(self.lines)) if self.lines[i].startswith(indent[0] + "})"))


def dropped(program: Program) -> Iterator[Mutant]:
    """A collective that does not change the type is left out."""
    for i, line in enumerate(program.lines):
        found = re.match(r'\s*(%\w+) = "stablehlo\.(all_reduce|collective_permute)"\((%[\w#]+)\)', line)
        if found:
            yield program.replace_uses(f"dropped {found[2]}", i, found[1], found[3])


def doubled(program: Program) -> Iterator[Mutant]:
    """A sum over devices is taken twice; a maximum may be."""
    for i, line in enumerate(program.lines):
        found = re.match(r'(\s*)(%\w+) = "stablehlo\.all_reduce"\((%[\w#]+)\)', line)
        if found and "stablehlo.add" in program.lines[i + 2]:
            end = program.end_of_region(i)
            copy = [
                program.lines[i].replace(f"{found[2]} =", "%doubled =").replace(f"({found[3]})", f"({found[2]})"),
                *program.lines[i + 1 : end + 1],
            ]
            changed = program.replace_uses("doubled all_reduce", end, found[2], "%doubled").text.splitlines()
            yield Mutant(
                "doubled all_reduce", i + 1, "\n".join([*changed[: end + 1], *copy, *changed[end + 1 :]]) + "\n"
            )


def grouped(program: Program) -> Iterator[Mutant]:
    """Groups of other devices, or in another order."""
    for i, line in enumerate(program.lines):
        found = GROUPS.search(line)
        if not found:
            continue
        ids = [int(n) for n in re.findall(r"\d+", found[1])]
        rows, columns = int(found[2]), int(found[3])
        kept = [ids[r * columns : (r + 1) * columns] for r in range(rows)]
        transposed = [[ids[c * rows + r] for c in range(columns)] for r in range(rows)]
        others = [transposed] if transposed != kept else []
        if "all_reduce" not in line:
            others.append([row[::-1] for row in kept])
        for other in others:
            groups = f"replica_groups = dense<{other}> : tensor<{rows}x{columns}xi64>"
            yield program.change("wrong group", i, line.replace(found[0], groups))


def permuted(program: Program) -> Iterator[Mutant]:
    for i, line in enumerate(program.lines):
        found = PAIRS.search(line)
        if found:
            pairs = [[int(n) for n in re.findall(r"\d+", pair)] for pair in re.findall(r"\[(\d+, \d+)\]", found[1])]
            shifted = [[pairs[(k + 1) % len(pairs)][0], target] for k, (_, target) in enumerate(pairs)]
            text = f"source_target_pairs = dense<{shifted}> : tensor<{len(pairs)}x2xi64>"
            yield program.change("wrong pairs", i, line.replace(found[0], text))


def moved_dims(program: Program) -> Iterator[Mutant]:
    """The dim of a collective or a reduction, where the types allow another one."""
    pattern = re.compile(r"(all_gather_dim|scatter_dimension|split_dimension|concat_dimension) = (\d+) : i64")
    for i, line in enumerate(program.lines):
        for found in pattern.finditer(line):
            for dim in {0, 1, 2} - {int(found[2])}:
                yield program.change("wrong dim", i, line.replace(found[0], f"{found[1]} = {dim} : i64"))


def offsets(program: Program) -> Iterator[Mutant]:
    for i, line in enumerate(program.lines):
        found = re.search(r"stablehlo\.constant dense<(-?\d+)> : tensor<i64>$", line)
        if found:
            yield program.change("off by one", i, line.replace(f"dense<{found[1]}>", f"dense<{int(found[1]) + 1}>"))


def reduces_several(dims: str, shape: str) -> bool:
    """A single element is its own sum and its own maximum."""
    sizes = shape.strip("x").split("x")
    return any(int(sizes[int(dim)]) > 1 for dim in dims.split(", ") if dim)


def reducers(program: Program) -> Iterator[Mutant]:
    for i, line in enumerate(program.lines):
        short = re.search(r"applies stablehlo\.(\w+) across dimensions = \[(.*?)\] : \(tensor<([\dx]*)", line)
        if short and short[1] in REDUCERS and reduces_several(short[2], short[3]):
            other = line.replace(f"stablehlo.{short[1]} across", f"stablehlo.{REDUCERS[short[1]]} across")
            yield program.change("other reducer", i, other)
        block = re.match(r"\s*\^bb0\(%arg\d+: tensor<\w+>, %arg\d+: tensor<\w+>\):", line)
        inner = re.match(r"(\s*%\w+ = stablehlo\.)(\w+)( .*)", program.lines[i + 1]) if block else None
        if inner and inner[2] in REDUCERS:
            yield program.change("other reducer", i + 1, f"{inner[1]}{REDUCERS[inner[2]]}{inner[3]}")


def carries(program: Program) -> Iterator[Mutant]:
    """A loop that gives back what it got."""
    arguments: list[str] = []
    for i, line in enumerate(program.lines):
        begin = re.match(r"\s*%\w+(?::\d+)? = stablehlo\.while\((.*)\)", line)
        if begin:
            arguments = re.findall(r"(%\w+) = ", begin[1])
        end = re.match(r"(\s*stablehlo\.return )(.*)( : .*)", line)
        returned = end[2].split(", ") if end else []
        if end and arguments and len(returned) == len(arguments):
            for k, (value, argument) in enumerate(zip(returned, arguments, strict=True)):
                if value != argument:
                    stale = ", ".join([*returned[:k], argument, *returned[k + 1 :]])
                    yield program.change("stale carry", i, f"{end[1]}{stale}{end[3]}")


def functions(program: Program) -> Iterator[Mutant]:
    for i, line in enumerate(program.lines):
        found = re.match(r"(\s*%\w+ = stablehlo\.)(\w+)( %.*tensor<\d.*)", line)
        if found and found[2] in BINARY:
            yield program.change("other op", i, f"{found[1]}{BINARY[found[2]]}{found[3]}")


def swapped_operands(program: Program) -> Iterator[Mutant]:
    for i, line in enumerate(program.lines):
        found = re.match(r"(\s*%\w+ = stablehlo\.(?:subtract|divide) )(%[\w#]+), (%[\w#]+)( :.*)", line)
        if found and found[2] != found[3]:
            yield program.change("swapped operands", i, f"{found[1]}{found[3]}, {found[2]}{found[4]}")


# Why a mutant may compute the same, or be right for all that the static check knows.
REASONS = {
    "execution": {
        "other op": "the other operand is zero there, or what differs does not reach a result",
        "off by one": "the offset is clamped, or the element there is masked",
        "other reducer": "no two elements of the group differ from its neutral element",
        "stale carry": "the carried value does not change",
        "swapped operands": "both operands are equal",
    },
    "the static check": {
        "": "the program has a body of its own (shard_map), which the check takes as it is",
    },
}


def explain(who: str, operator: str) -> str:
    reasons = REASONS.get(who, {})
    return reasons.get(operator, reasons.get("", "not explained"))


OPERATORS = [
    dropped,
    doubled,
    grouped,
    permuted,
    moved_dims,
    offsets,
    reducers,
    carries,
    functions,
    swapped_operands,
]


def all_mutants(local: Path) -> list[Mutant]:
    """Of the program as Partita prints it."""
    done = subprocess.run([PARTITA, "import", local], capture_output=True, text=True, check=True)
    program = Program(done.stdout)
    return [mutant for operator in OPERATORS for mutant in operator(program)]


def verify(original: Path, local: Path, *flags: str) -> int:
    command: list[str | Path] = [PARTITA, "verify", original, "--local", local, "--max-steps", str(MAX_STEPS), *flags]
    return subprocess.run(command, capture_output=True, timeout=600, check=False).returncode


@dataclass
class Tally:
    """Of each operator: how many mutants, how many of them execution and the static check killed."""

    drawn: Counter[str]
    executed: Counter[str]
    static: Counter[str]
    survivors: list[str]


def judge(mutants: list[tuple[Path, Mutant]], count: int) -> Tally:
    """The first `count` that are programs at all, each with its original. Ring mode first: it is fast. Floats see what
    it does not, such as a maximum of one number and zero; a seed's are positive, those of ORIGINAL.npz, if there
    is such a file, may be of any sign."""
    tally = Tally(Counter(), Counter(), Counter(), [])
    runs = [("--ring", "--inputs", "seed:0"), ("--ring", "--inputs", "seed:1"), ("--inputs", "seed:2")]
    with tempfile.TemporaryDirectory(prefix="partita-mutants-") as name:
        path = Path(name) / "mutant.mlir"
        for original, mutant in mutants:
            if tally.drawn.total() == count:
                break
            path.write_text(mutant.text)
            if subprocess.run([PARTITA, "import", path], capture_output=True, check=False).returncode != EQUAL:
                continue
            inputs = original.with_suffix(".npz")
            own = [("--inputs", str(inputs))] if inputs.is_file() else []
            is_killed = any(verify(original, path, *flags) != EQUAL for flags in [*runs, *own])
            # A program that the static check does not know is none that it refuses.
            is_refused = verify(original, path, "--relation") == DIFFERENT
            tally.drawn[mutant.operator] += 1
            tally.executed[mutant.operator] += is_killed
            tally.static[mutant.operator] += is_refused
            if not is_killed or not is_refused:
                who = "both" if not is_killed and not is_refused else "the static check" if is_killed else "execution"
                line = Program(mutant.text).lines[mutant.line - 1].strip()[:100]
                where = f"line {mutant.line} of what {original.stem} became"
                reason = explain("execution" if who == "both" else who, mutant.operator)
                tally.survivors.append(f"{who}: {mutant.operator} at {where}: {line} ({reason})")
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("original", type=Path)
    parser.add_argument("local", type=Path)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--survivors", action="store_true")
    options = parser.parse_args()
    mutants = [(options.original, mutant) for mutant in all_mutants(options.local)]
    random.Random(options.seed).shuffle(mutants)
    tally = judge(mutants, options.count)
    for operator, drawn in sorted(tally.drawn.items()):
        print(f"{operator}: {drawn} drawn, {tally.executed[operator]} executed, {tally.static[operator]} static")
    print(
        f"{tally.drawn.total()} mutants, killed by running {tally.executed.total()}, statically {tally.static.total()}"
    )
    if options.survivors:
        print("\n".join(f"survives {line}" for line in tally.survivors))


if __name__ == "__main__":
    main()
