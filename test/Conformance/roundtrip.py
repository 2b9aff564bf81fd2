"""What is demanded of partita-opt for each program of the corpus.

For an accepted program P, with `pretty` and `generic` what jaxlib prints of P, locations included:

- `pretty`:       partita-opt prints P as `pretty`;
- `reread`:       jaxlib reads that text as `generic` (or, where its own text loses something, as it reads its own);
- `from-generic`: partita-opt reads `generic` and prints `pretty`;
- `to-generic`:   partita-opt prints P in generic form as `generic`.

For a rejected program: partita-opt ends with a failure, not with a crash, and its first message stands on the line of
jaxlib's and is not that an operation is unknown (unless jaxlib says so): it rejects what jaxlib rejects.
A failure of any of these, and a program on which jaxlib itself disagrees with its file, is a `Difference`.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import jaxlib_judge as judge
from corpus import Source

DEBUG = "--mlir-print-debuginfo"
GENERIC = "--mlir-print-op-generic"
DIFF_LINES = 20
JOBS = 2
_UNKNOWN = re.compile(r"unregistered operation|custom op '\S+' is unknown|unknown (?:\w+ )?(?:attribute|type)")


@dataclass(frozen=True)
class Difference:
    """One failed demand: `summary` is one line without positions (failures are grouped by it)."""

    source: Source
    demand: str
    summary: str
    detail: str

    def __str__(self) -> str:
        return f"{self.source.full_name} [{self.demand}]: {self.summary}\n{self.detail}"


@dataclass
class Verdict:
    """What was judged and what was found."""

    roundtripped: int = 0
    rejected: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def summary(self) -> str:
        return (
            f"judge: {self.roundtripped} programs round-tripped, {self.rejected} rejected, "
            f"{len(self.differences)} differences"
        )

    def of(self, origin: str) -> list[Difference]:
        return [d for d in self.differences if d.source.origin == origin]


@dataclass(frozen=True)
class Expected:
    """jaxlib's two texts of an accepted program."""

    source: Source
    pretty: str
    generic: str


def grouped(differences: Iterable[Difference]) -> list[list[Difference]]:
    """The differences that fail alike together, the largest group first."""
    groups: dict[tuple[str, str], list[Difference]] = defaultdict(list)
    for difference in differences:
        groups[(difference.demand, difference.summary)].append(difference)
    return sorted(groups.values(), key=len, reverse=True)


def diff_of(expected: str, actual: str) -> str:
    """The first lines of a unified diff from jaxlib's text to ours."""
    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "jaxlib", "partita", n=0, lineterm="")
    kept = [line[:400] for _, line in zip(range(DIFF_LINES), lines, strict=False)]
    return "\n".join(kept)


def _first_removed(diff: str) -> str:
    """A short key for a difference: the operation of the first line of jaxlib that we print otherwise."""
    for line in diff.splitlines()[2:]:
        if line.startswith("-"):
            found = re.search(r'"?((?:stablehlo|chlo|sdy|func|builtin)\.[\w-]+)', line)
            return found.group(1) if found else line[1:].strip()[:60]
    return "extra text"


def _failure(source: Source, demand: str, run: judge.Run) -> Difference:
    word = "crash" if run.crashed else "error"
    return Difference(source, demand, f"{word}: {run.first_error}", "\n".join(run.err.splitlines()[:DIFF_LINES]))


def compare(source: Source, demand: str, expected: str, run: judge.Run) -> Iterator[Difference]:
    """Nothing when `run` succeeded with exactly the text `expected`."""
    if run.code != 0:
        yield _failure(source, demand, run)
    elif run.out.rstrip("\n") != expected.rstrip("\n"):
        diff = diff_of(expected, run.out)
        yield Difference(source, demand, f"text differs at {_first_removed(diff)}", diff)


def compare_meaning(expected: Expected, run: judge.Run) -> Iterator[Difference]:
    """Nothing when jaxlib reads what we printed as the program that it was."""
    if run.code != 0:
        return
    error = judge.accepts(run.out)
    if error is not None:
        lines = error.splitlines()
        summary = next((line.split(": ", 2)[-1] for line in lines if line.startswith("error:")), lines[0])
        yield Difference(expected.source, "reread", f"jaxlib rejects our text: {summary}", error[:2000])
        return
    actual = judge.generic(run.out)
    if actual == expected.generic:
        return
    # Short forms have no room for some things (a reducer's inner locations, defaults that were written out).
    own = judge.generic(expected.pretty)
    if actual != own:
        diff = diff_of(own, actual)
        yield Difference(expected.source, "reread", f"program differs at {_first_removed(diff)}", diff)


def _error_line(messages: str) -> tuple[str, str] | None:
    """The line number and the text of the first positioned error, in partita-opt's or in jaxlib's layout."""
    ours = re.search(r"^\S+:(\d+):\d+: error: (.*)", messages, flags=re.MULTILINE)
    theirs = re.search(r'^error: "-":(\d+):\d+: (.*)', messages, flags=re.MULTILINE)
    found = ours or theirs
    return (found.group(1), found.group(2)) if found else None


def check_rejected(source: Source, run: judge.Run) -> Iterator[Difference]:
    """Nothing when both reject, ours with a message on jaxlib's line that is not merely an unknown operation."""
    error = judge.accepts(source.text)
    ours, theirs = _error_line(run.err), _error_line(error or "")
    if error is None:
        yield Difference(source, "corpus", "jaxlib accepts a program listed as rejected", "")
    elif run.crashed:
        yield _failure(source, "reject", run)
    elif run.code == 0:
        yield Difference(source, "reject", "accepted, jaxlib rejects it", error)
    elif ours is None:
        yield Difference(source, "reject", "rejected without a positioned message", run.err[:2000])
    elif _UNKNOWN.search(ours[1]) and not _UNKNOWN.search(error):
        yield Difference(source, "reject", f"rejected for another reason: {ours[1]}", error)
    elif theirs is not None and ours[0] != theirs[0]:
        yield Difference(source, "reject", "rejected on another line", f"{error}\n{run.err[:2000]}")


def _accepted_runs(pool: ThreadPoolExecutor, expected: Expected) -> tuple[Future[judge.Run], ...]:
    text = expected.source.text
    return (
        pool.submit(judge.run_partita_opt, text, DEBUG),
        pool.submit(judge.run_partita_opt, expected.generic, DEBUG),
        pool.submit(judge.run_partita_opt, text, DEBUG, GENERIC),
    )


def _check_accepted(expected: Expected, runs: tuple[judge.Run, ...]) -> Iterator[Difference]:
    from_pretty, from_generic, to_generic = runs
    yield from compare(expected.source, "pretty", expected.pretty, from_pretty)
    yield from compare_meaning(expected, from_pretty)
    yield from compare(expected.source, "from-generic", expected.pretty, from_generic)
    yield from compare(expected.source, "to-generic", expected.generic, to_generic)


def expect(source: Source) -> Expected | Difference:
    """jaxlib's texts of a program, or the difference that it does not accept it."""
    error = judge.accepts(source.text)
    if error is None:
        return Expected(source, judge.pretty(source.text), judge.generic(source.text))
    return Difference(source, "corpus", "jaxlib rejects a program listed as accepted", error[:2000])


def judge_all(sources: Iterable[Source]) -> Verdict:
    """Judges every program, partita-opt running beside jaxlib."""
    verdict = Verdict()
    accepted: list[tuple[Expected, tuple[Future[judge.Run], ...]]] = []
    rejected: list[tuple[Source, Future[judge.Run]]] = []
    with ThreadPoolExecutor(JOBS) as pool:
        for source in sources:
            if source.origin == "rejected":
                rejected.append((source, pool.submit(judge.run_partita_opt, source.text)))
                continue
            expected = expect(source)
            if isinstance(expected, Difference):
                verdict.differences.append(expected)
            else:
                accepted.append((expected, _accepted_runs(pool, expected)))
        for expected, runs in accepted:
            found = list(_check_accepted(expected, tuple(r.result() for r in runs)))
            verdict.roundtripped += not found
            verdict.differences += found
        for source, run in rejected:
            found = list(check_rejected(source, run.result()))
            verdict.rejected += not found
            verdict.differences += found
    return verdict
