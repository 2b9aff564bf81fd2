"""Writes docs/rules.md from the rules themselves: `python scripts/rules_doc.py [--check]`.

Rules, reasons and counts come from validating the instances of test/Rules, so the document cannot say anything that was
not executed; only the explanations of what is missing stand here.
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any

import validate_rules
from sources import ROOT

DOCUMENT = ROOT / "docs" / "rules.md"
COUNT, SEED = 100, 1

# Splits that would be right and are not offered, op by op.
MISSING = {
    "chlo.ragged_dot": "a ragged batching dim could be split: there the sizes of groups change nothing",
    "stablehlo.pad": "negative padding that leaves nothing of the operand",
    "stablehlo.reduce_window": "windows that are padded or dilated just so that each lies in one piece",
    "stablehlo.select_and_scatter": "windows that are padded just so that each lies in one piece",
}

HEAD = """# Rules

The partitioning rule of every op: which factors (loop indices) it has, how they map to the dims of its operands and
results, and so what a mesh axis may split. `partita rules FILE` prints those of a program. This page is written by
`scripts/rules_doc.py` from the rules themselves; do not edit it.

A rule reads like an einsum: `([a,k],[k,b])->([a,b]) reduce(add)={k}`. `(ab)` is a dim made of two factors, major to
minor; `_` a dim of size one or one that nothing may split. Factors that stand in no group are *parallel*: each device
computes its piece of the result. *reduce* factors give partial results that are combined over the devices with the op
named. *replicate* factors are never split. *window* factors need elements of their neighbours and are not split
before halo exchange exists.

What a device computes for a split is defined once, next to the rule (`partita/Program/Rules`): lowering emits it, and
`make rules` executes it. Each instance of an op is evaluated as a whole and in parts, over meshes of 2, 3, 4, 2x2, 2x3,
2x4 and 2x2x2 devices, every factor and set of factors; the parts put together must be the whole, bit by bit, on inputs
that are exact in any order, on special ones (infinities, NaNs, zeros of both signs, extreme integers, indices out of
range), and in ring mode. Two things do not count: which NaN a computation gives, and the sign of a zero that is a sum.
"""

TABLE = """
| op | example of a rule | not split, and why | instances | splits validated |
| --- | --- | --- | --: | --: |
"""

FRAME = """
## Ops without a rule of their own

`while`, `case`, `if` and `sdy.manual_computation` are taken apart: their values are cells, their bodies' ops have
rules. `func.call` is inlined, `composite` too unless its name starts with `partita.kernel.`, whose rule it states.
`tuple` and `get_tuple_element` do not survive import. Dynamic ops (`dynamic_reshape`, `dynamic_iota`, `dynamic_gather`,
`dynamic_conv`, `dynamic_pad`, `dynamic_broadcast_in_dim`, `real_dynamic_slice`, `set_dimension_size`) are refused
unless their shapes are constant.
"""


def escape(text: str) -> str:
    return text.replace("|", "\\|")


def richest(rules: list[str]) -> str:
    """An example that shows much: the one with the most factors, then the shortest."""
    return min(rules, key=lambda rule: (-len(set(re.findall(r"[a-z]", rule.split(" ")[0]))), len(rule), rule))


def row(op: str, t: validate_rules.Tally) -> str:
    whole = "; ".join(t.whole)
    return f"| `{op}` | `{escape(richest(t.rules))}` | {escape(whole)} | {t.instances} | {t.splits} |\n"


def whole_reports() -> list[dict[str, Any]]:
    """Of the ops that are not generated; those with a batch that no evaluator runs count as not validated."""
    reports = validate_rules.validate_file(ROOT / "test" / "Rules" / "Inputs" / "whole.mlir")
    return [r for r in reports if r["function"].startswith(r["op"].replace(".", "_"))]


def build() -> str:
    generated = validate_rules.tally(
        validate_rules.validate_grammar(sorted(validate_rules.generate.MAKERS), COUNT, SEED)
    )
    text = HEAD + TABLE + "".join(row(op, t) for op, t in generated.items())
    text += "\n## Not executed one by one\n\n| op | example of a rule | not split, and why |\n| --- | --- | --- |\n"
    for report in whole_reports():
        text += f"| `{report['op']}` | `{report['rule']}` | {escape(report['whole'])} |\n"
    text += FRAME + "\n## Splits that are missing\n\nRight, found by trying, and not offered:\n\n"
    for op, t in generated.items():
        if t.missing:
            text += f"- `{op}`: {len(t.missing)} of {t.instances} instances. {MISSING.get(op, 'Not explained.')}.\n"
    return text


def is_current() -> bool:
    return DOCUMENT.is_file() and DOCUMENT.read_text() == build()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="do not write; exit code 1 if the document is out of date")
    if parser.parse_args().check:
        return 0 if is_current() else 1
    DOCUMENT.write_text(build())
    return 0


if __name__ == "__main__":
    sys.exit(main())
