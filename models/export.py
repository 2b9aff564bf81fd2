"""Writes the zoo as StableHLO text: `python -m models.export [--out DIR] [--only REGEX] [--size tiny|full|all]`.

Each program becomes `DIR/<name>.<size>.mlir`. `DIR/manifest.json` remembers, per program, the hash of the sources it
was made from (these files and JAX's version) and of the text; a program is lowered again only when either differs.

The text depends on nothing else: source paths in locations are relative to the repository; JAX's caches are dropped
before each program, since a cached inner trace would carry the lines of the program traced before it; and lowering
runs on a thread of its own, since locations hold the whole call stack, the caller's frames included.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax

from models.program import Model
from models.registry import entries

ROOT = Path(__file__).resolve().parent.parent
OPERATION = re.compile(r'^\s+(?:%\S+ = )?"?(?:stablehlo|chlo|sdy|func|call)\b', re.MULTILINE)


def source_hash() -> str:
    """Of everything that decides the text: the models' sources and JAX."""
    digest = hashlib.sha256(jax.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if not path.name.startswith("test_"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def write_atomically(path: Path, text: str) -> None:
    """The file appears whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def lower_text(model: Model, size: str) -> str:
    """The program's StableHLO text with locations; the same for every caller and every checkout."""
    jax.clear_caches()
    jax.config.update("jax_hlo_source_file_canonicalization_regex", re.escape(f"{ROOT}/"))
    with ThreadPoolExecutor(max_workers=1) as thread:
        return str(thread.submit(lambda: model.program(size).lower().as_text(debug_info=True)).result())


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest, or an empty one where there is none that can be read."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def is_current(entry: Any, path: Path, sources: str) -> bool:
    """Whether the file is what these sources gave when they were last lowered."""
    if not isinstance(entry, dict) or entry.get("sources") != sources or not path.is_file():
        return False
    return entry.get("sha256") == hashlib.sha256(path.read_bytes()).hexdigest()


def export(model: Model, size: str, path: Path, sources: str) -> dict[str, Any]:
    """Lowers one program into `path` and returns its manifest entry."""
    start = time.perf_counter()
    text = lower_text(model, size)
    write_atomically(path, text)
    return {
        "sources": sources,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "bytes": len(text.encode()),
        "operations": len(OPERATION.findall(text)),
        "seconds": round(time.perf_counter() - start, 2),
    }


def export_all(chosen: list[tuple[Model, str]], out: Path) -> tuple[int, int]:
    """Brings `out` up to date; returns how many programs there are and how many had to be lowered."""
    out.mkdir(parents=True, exist_ok=True)
    manifest_path, sources, lowered = out / "manifest.json", source_hash(), 0
    manifest = read_manifest(manifest_path)
    for model, size in chosen:
        name = f"{model.name}.{size}"
        path = out / f"{name}.mlir"
        if is_current(manifest.get(name), path, sources):
            continue
        manifest[name] = entry = export(model, size, path, sources)
        write_atomically(manifest_path, json.dumps(manifest, indent=1, sort_keys=True) + "\n")
        print(f"{name:32} {entry['operations']:7} ops {entry['bytes']:9} bytes {entry['seconds']:6.2f} s", flush=True)
        lowered += 1
    return len(chosen), lowered


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m models.export", description="Write the zoo as StableHLO text.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "zoo", help="output folder (default build/zoo)")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="regex searched in <name>.<size>")
    parser.add_argument("--size", choices=("tiny", "full", "all"), default="all", help="full: every published size")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = parse_arguments(argv)
    chosen = [(m, s) for m, s in entries(options.size) if options.only.search(f"{m.name}.{s}")]
    if not chosen:
        print("no program matches", file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(f"{model.name}.{size}" for model, size in chosen))
        return 0
    start = time.perf_counter()
    total, lowered = export_all(chosen, options.out)
    print(f"{total} programs in {options.out}, {lowered} lowered in {time.perf_counter() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
