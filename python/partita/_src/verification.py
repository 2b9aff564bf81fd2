"""Whether a local program computes what the original does: by running both or, where that cannot be, by its form."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from partita._src import engine
from partita._src.errors import DifferenceError, LimitError, PartitaError, UnsupportedError
from partita._src.programs import Program


@dataclass(frozen=True)
class Verification:
    """What `Plan.verify` found: `equal`, in which `mode`, how many ops were split, how many collectives there are.

    `executed` says whether the programs were run. Where they were not, `mode` is `relation`: each op of the local
    program was held against its rule, and `note` says why nothing was run.
    """

    equal: bool
    mode: str
    #: The largest error in parts of its bound; None where nothing was run, or an error has no bound.
    worst: float | None
    split_ops: int
    collectives: int
    #: Nothing is split: every device computes the whole program.
    vacuous: bool
    executed: bool = True
    note: str = ""

    def __str__(self) -> str:
        """In a sentence."""
        how = "both programs were run" if self.executed else "checked op by op, without running"
        error = "" if self.worst is None else f"; the largest error is {100 * self.worst:.0f}% of its bound"
        what = "nothing is split" if self.vacuous else f"{self.split_ops} split ops, {self.collectives} collectives"
        found = "equal" if self.equal else "not equal"
        return f"{found}: {how} ({what}){error}" + (f"; {self.note}" if self.note else "")


def verify(
    program: Program,
    local: str,
    *,
    seed: int,
    relation: Callable[[], dict[str, Any]],
    changes: Sequence[str],
    max_work: int | None = None,
) -> Verification:
    """Runs both programs and compares; where the evaluator cannot run them, checks the local one without running.

    `relation` has the tool hold the local program against what the plan makes of the original; `changes` say what that
    is, if it is another program.
    """
    try:
        return _run(program, local, seed, max_work)
    except (UnsupportedError, LimitError) as error:
        return _check(relation, changes, error)


def _run(program: Program, local: str, seed: int, max_work: int | None) -> Verification:
    texts = {
        "program.mlir": program.install(program.text, references=True),
        "local.mlir": program.install(local, references=True),
    }
    limits = [] if max_work is None else [f"--max-work={int(max_work)}"]
    return _read(_ask(texts, f"--inputs=seed:{seed}", *limits), "")


def _check(relation: Callable[[], dict[str, Any]], changes: Sequence[str], reason: PartitaError) -> Verification:
    """Without running anything, for which there is a reason."""
    why = f"{reason.place}: {reason.reason}" if reason.place else reason.reason
    original = "the program as the plan rewrote it" if changes else "the original"
    try:
        found = relation()
    except DifferenceError as error:
        raise DifferenceError(f"the local program differs from {original}: {error.reason}", place=error.place) from None
    except UnsupportedError as error:
        raise UnsupportedError(
            f"the program can be neither run nor checked: {why}; {error.reason}",
            place=error.place,
            remedy="compare plan.jit() with jax.jit on small sizes",
        ) from None
    note = (
        f"nothing was run: {why}. Checked without running: {found.get('values')} values of the local program are pieces"
        f" of those of {original}, each op by its rule"
    )
    if changes:
        note += f". That this program computes the same is not checked ({'; '.join(changes)})"
    return _read(found, f"{note}. To run it, compare plan.jit() with jax.jit")


def _ask(texts: dict[str, str], *options: str) -> dict[str, Any]:
    """What the tool found; a difference raises, with the line of the op that gives the result, or is wrong."""
    command = ["verify", "program.mlir", "--local=local.mlir", "--json", *options]
    try:
        found: dict[str, Any] = json.loads(engine.run(command, texts).stdout)
    except DifferenceError as error:
        raise DifferenceError(
            f"the local program differs from the original: {error.reason}", place=error.place
        ) from None
    return found


def _read(found: dict[str, Any], note: str) -> Verification:
    return Verification(
        equal=found["equal"],
        mode=found["mode"],
        worst=found["worst"],
        split_ops=found["split_ops"],
        collectives=found["collectives"],
        vacuous=found["vacuous"],
        executed=found["executed"],
        note=note,
    )
