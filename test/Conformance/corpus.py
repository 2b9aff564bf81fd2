"""The programs that are judged, and where each comes from.

- `lowered`: what JAX emits for the functions of the package `lowered`;
- `accepted`, `rejected`: hand-written files, programs separated by `// -----` lines, each with a line
  `// accept: NAME` or `// reject: NAME`;
- `zoo`: exported models, one program a file, where they have been built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from jaxlib_judge import REPOSITORY

HERE = Path(__file__).resolve().parent
ZOO = REPOSITORY / "build" / "zoo"
LOWERED_CACHE = REPOSITORY / "build" / "judge"


@dataclass(frozen=True)
class Source:
    """One program of the corpus. `origin` is `lowered`, `accepted`, `rejected` or `zoo`."""

    origin: str
    name: str
    text: str

    @property
    def full_name(self) -> str:
        return f"{self.origin}/{self.name}"


def split_programs(path: Path, marker: str, origin: str) -> list[Source]:
    """The programs of one hand-written file. A part without a `// marker: NAME` line is an error of the file."""
    sources = []
    for number, part in enumerate(re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE)):
        if not part.strip():
            continue
        named = re.search(rf"^// {marker}: *(\S.*?) *$", part, flags=re.MULTILINE)
        if named is None:
            raise ValueError(f"{path.name}: program {number} has no line '// {marker}: NAME'")
        sources.append(Source(origin, f"{path.stem}/{named.group(1)}", part.lstrip("\n")))
    return sources


def hand_written(origin: str) -> list[Source]:
    """All programs under `accepted` or `rejected`."""
    marker = origin.removesuffix("ed")
    return [s for path in sorted((HERE / origin).glob("*.mlir")) for s in split_programs(path, marker, origin)]


def lowered() -> list[Source]:
    """The programs lowered by JAX, from the cache where the generators have not changed."""
    from lowered import cached_texts

    return [Source("lowered", name, text) for name, text in cached_texts(LOWERED_CACHE).items()]


def zoo() -> list[Source]:
    """The exported models in their tiny size, none when they have not been exported."""
    return [Source("zoo", path.stem, path.read_text()) for path in sorted(ZOO.glob("*.tiny.mlir"))]


READERS = {
    "lowered": lowered,
    "accepted": lambda: hand_written("accepted"),
    "rejected": lambda: hand_written("rejected"),
    "zoo": zoo,
}


def read_corpus(only: str = "", origins: tuple[str, ...] = tuple(READERS)) -> list[Source]:
    """The programs of `origins` whose full name matches the regular expression `only`."""
    wanted = re.compile(only)
    return [s for origin in origins for s in READERS[origin]() if wanted.search(s.full_name)]
