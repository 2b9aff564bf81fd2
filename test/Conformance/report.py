"""Conformances the corpus and prints the failures grouped by their first line, the largest group first.

python test/Conformance/report.py [--only REGEX] [--origin lowered] [--coverage] [--show N]
"""

from __future__ import annotations

import argparse
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from corpus import READERS, Source, read_corpus
from jaxlib_judge import accepts, partita_opt
from op_coverage import measure
from roundtrip import Difference, grouped, judge_all


def print_groups(differences: list[Difference], shown: int) -> None:
    """Each group: how many, the first line, some names, and the detail of its first `shown` members."""
    for members in grouped(differences):
        names = ", ".join(m.source.full_name for m in members[:6])
        print(f"{len(members):5} x [{members[0].demand}] {members[0].summary}")
        print(f"        {names}{' ...' if len(members) > 6 else ''}")
        for member in members[:shown]:
            print("\n".join(f"        | {line}" for line in member.detail.splitlines()))


def print_text(sources: list[Source], name: str) -> int:
    """Prints one program, to be fed to other tools."""
    for source in sources:
        if source.full_name == name:
            print(source.text)
            return 0
    print(f"no program {name}", file=sys.stderr)
    return 1


def judge_without_tool(sources: list[Source]) -> int:
    """jaxlib's own view of the corpus, where partita-opt has not been built."""
    print(f"{partita_opt()} does not exist: only jaxlib's view of the corpus follows")
    bad = [s for s in sources if (accepts(s.text) is None) == (s.origin == "rejected")]
    for source in bad:
        print(f"{source.full_name}: jaxlib disagrees: {accepts(source.text)}")
    print(measure(sources).table())
    print(f"{len(sources)} programs, {len(bad)} on which jaxlib disagrees")
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="judge the programs whose origin/family/name matches")
    parser.add_argument("--origin", choices=list(READERS), action="append", help="judge programs of this origin")
    parser.add_argument("--coverage", action="store_true", help="print the table of operations")
    parser.add_argument("--show", type=int, default=1, help="details to print per group of failures")
    parser.add_argument("--text", metavar="NAME", help="print the program of this full name and end")
    arguments = parser.parse_args()
    sources = read_corpus(arguments.only, tuple(arguments.origin or READERS))
    if arguments.text:
        return print_text(sources, arguments.text)
    if not partita_opt().exists():
        return judge_without_tool(sources)
    verdict = judge_all(sources)
    print_groups(verdict.differences, arguments.show)
    if arguments.coverage:
        print(measure(sources).table())
    print(verdict.summary)
    return 1 if verdict.differences else 0


if __name__ == "__main__":
    sys.exit(main())
