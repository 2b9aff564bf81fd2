"""Programs to mutate: the hand-written corpus, and pieces of tiny zoo programs where these have been exported."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

from sources import BUILD, ROOT

SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)
LOCATION = re.compile(r" ?loc\((?:[^()]|\([^()]*\))*\)")
COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
LONGEST = 20_000
PIECES_PER_MODEL = 12


def split_programs(path: Path) -> list[str]:
    parts = (COMMENT.sub("", part).strip() + "\n" for part in SPLIT.split(path.read_text()))
    return [part for part in parts if part.strip()]


def hand_written(*folders: str) -> list[str]:
    """The programs of folders below test/."""
    files = [path for folder in folders for path in sorted((ROOT / "test" / folder).rglob("*.mlir"))]
    return [program for path in files for program in split_programs(path) if len(program) <= LONGEST]


def functions(text: str) -> list[list[str]]:
    """The functions of a module as lists of lines, locations removed."""
    found: list[list[str]] = []
    for line in LOCATION.sub("", text).splitlines():
        if line.startswith("  func.func"):
            found.append([line])
        elif found and found[-1][-1] != "  }":
            found[-1].append(line)
    return found


def cut_function(lines: list[str], ops: int) -> str:
    """The function with its first ops only, regions kept whole, and without results."""
    header = lines[0]
    header = header[: header.rfind(") -> ") + 1] if ") -> " in header else header.rstrip("{ ")
    header = re.sub(r" (public|private) ", " ", header).replace(" attributes", "")
    kept, depth, taken = [], 0, 0
    for line in lines[1:-1]:
        if line.lstrip().startswith(("return", "func.return")) or (taken >= ops and depth == 0):
            break
        # The callees are not part of the piece.
        if " call @" in line:
            break
        kept.append(line)
        depth += line.count("{") - line.count("}")
        taken += depth == 0
    return "\n".join([f"{header} {{", *kept, *["}"] * depth, "    return", "  }"]) + "\n"


def model_pieces(rng: random.Random) -> list[str]:
    """Beginnings of functions of the zoo's programs."""
    pieces = []
    for path in sorted((BUILD / "zoo").glob("*.tiny.mlir")):
        for lines in rng.choices(functions(path.read_text()), k=PIECES_PER_MODEL):
            piece = cut_function(lines, rng.randrange(4, 60))
            if len(piece) <= LONGEST:
                pieces.append(piece)
    return pieces


@dataclass(frozen=True)
class Seeds:
    """Programs that are read, and such that are rejected already, no more of them than of the others."""

    accepted: list[str]
    rejected: list[str]


def read_seeds(seed: int) -> Seeds:
    """The same for the same seed and the same files."""
    rng = random.Random(seed)
    accepted = hand_written("Conformance/accepted", "Dialect", "Program") + model_pieces(rng)
    rejected = hand_written("Conformance/rejected")
    return Seeds(accepted, rng.sample(rejected, min(len(accepted), len(rejected))))
