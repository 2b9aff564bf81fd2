"""How many bytes of the arguments get the right role: python -m models.roles.run [--only REGEX] [--table FILE] [--all]

Each program is analyzed in three ways: with what Python knows of the trees of arguments and results, from the text of
the program alone, and from the text without any name, where only aliasing and flow are left. Half of the first
programs, by the parity of a hash of their names, are for looking at while the analysis is being built (`--seen` runs
those alone); the others are for the report, and so are those that were written last. Of the programs of other idioms
(simulations, preferences, recurrences, servers) every second one is for looking at.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import re
import sys
import traceback
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import jax
import numpy as np

from models.roles.case import Case, Row
from partita._src import engine, tracing
from partita._src.names import to_path
from partita._src.programs import Program
from partita._src.ties import to_flags

IDIOMS = ("sciences", "learners", "servers")
MODULES = ("trainers", "layouts", "serving", "later", *IDIOMS)
SETS = ("looked at", "held out", "written last", "other idioms, looked at", "other idioms, held out")
WAYS = ("trees", "text", "no names")
GOAL = 0.99


def find_set(module: str, row: Row, number: int) -> str:
    """Whether the program, which is the module's `number`th, may be looked at while the analysis is built."""
    if module in IDIOMS:
        return SETS[3 + number % 2]
    return SETS[2] if module == "later" else SETS[zlib.crc32(row.name.encode()) % 2]


def strip_names(text: str) -> str:
    """The program without locations and without the names of its results."""
    text = re.sub(r"(?m)^#loc.*\n", "", text)
    text = re.sub(r'jax\.result_info = "(?:[^"\\]|\\.)*"(?:, )?', "", text)
    # A location may hold names with parentheses and quotes.
    text = re.sub(r'\s*loc\((?:"(?:[^"\\]|\\.)*"|[^"()]|\((?:"(?:[^"\\]|\\.)*"|[^"()])*\))*\)', "", text)
    # What is left of the attributes of arguments and results; those of calls are members of a list: `name = {}`.
    return re.sub(r"(?<! =) \{\}", "", text)


def analyze(text: str, flags: list[str]) -> dict[int, str]:
    """The role of each argument, by its number."""
    done = engine.run(["analyze", "program.mlir", "--json", *flags], {"program.mlir": text})
    groups = json.loads(done.stdout)["groups"]
    return {number: group["kind"] for group in groups for number in group.get("members", ())}


def count_bytes(aval: Any) -> int:
    # Keys have a type of their own.
    element = (
        aval.dtype.itemsize if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.extended) else np.dtype(aval.dtype).itemsize
    )
    return int(np.prod(aval.shape, dtype=np.int64)) * element


def list_truth(case: Case, program: Program) -> list[str]:
    """The role of each argument as the program's author says it."""
    roles = []
    for name in program.argument_names:
        found = next((role for pattern, role in case.truth if re.fullmatch(pattern, to_path(name))), None)
        if found is None:
            raise ValueError(f"no role is given for {to_path(name)}")
        roles.append(found)
    return roles


def check(row: Row, kind: str, verbose: bool) -> dict[str, Any]:
    case = row.make()
    program = tracing.trace(case.function, case.arguments, {}, axes={}, donate_argnums=case.donated)
    truth, sizes = list_truth(case, program), [count_bytes(aval) for aval in program.in_avals]
    result: dict[str, Any] = {"name": row.name, "package": row.package, "bytes": sum(sizes), "set": kind}
    for way, text, flags in (
        ("trees", program.text, to_flags(program)),
        ("text", program.text, []),
        ("no names", strip_names(program.text), []),
    ):
        found = analyze(text, flags)
        wrong = [i for i, role in enumerate(truth) if found.get(i) != role]
        result[way] = 1 - sum(sizes[i] for i in wrong) / sum(sizes)
        if verbose and wrong:
            kinds = Counter((truth[i], found.get(i, "none")) for i in wrong)
            print(f"  {row.name}, {way}: " + ", ".join(f"{n} {a} as {b}" for (a, b), n in kinds.items()))
            for i in sorted(wrong, key=lambda i: -sizes[i])[:4]:
                print(f"    {to_path(program.argument_names[i])} {program.in_avals[i].str_short()}: {found.get(i)}")
    return result


def print_table(results: list[dict[str, Any]]) -> str:
    lines = ["| program | layout | bytes | " + " | ".join(WAYS) + " |", "| --- | --- | --- | --- | --- | --- |"]
    for word in SETS:
        chosen = [r for r in results if r["set"] == word]
        for r in chosen:
            shares = " | ".join(f"{r[way]:.1%}" for way in WAYS)
            lines.append(f"| {r['name']} | {r['package']} | {r['bytes']:,} | {shares} |")
        if chosen:
            good = " | ".join(f"{sum(r[way] >= GOAL for r in chosen)} of {len(chosen)}" for way in WAYS)
            lines.append(f"| *{word}: at least {GOAL:.0%}* | | | {good} |")
    return "\n".join(lines) + "\n"


def write_table(path: Path, table: str) -> None:
    """Replaces the table in a page, which stands at its end."""
    page = path.read_text()
    path.write_text(page[: page.index("| program |")] + table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--seen", action="store_true", help="only programs that may be looked at")
    parser.add_argument("--verbose", action="store_true", help="print what is wrong")
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    rows = [
        (find_set(m, row, number), row)
        for m in MODULES
        for number, row in enumerate(importlib.import_module(f"models.roles.{m}").ROWS)
    ]
    results, failed = [], 0
    for kind, row in rows:
        if not re.search(options.only, row.name) or (options.seen and kind not in SETS[::3]):
            continue
        try:
            results.append(check(row, kind, options.verbose))
        except Exception:
            failed += 1
            print(f"{row.name} failed:\n{traceback.format_exc(limit=4)}")
    table = print_table(results)
    print(table, end="")
    if options.table:
        write_table(options.table, table)
    return 1 if failed or any(r[way] < GOAL for r in results for way in WAYS) else 0


if __name__ == "__main__":
    print = functools.partial(print, flush=True)
    sys.exit(main())
