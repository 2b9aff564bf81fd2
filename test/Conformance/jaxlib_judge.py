"""The judge: what jaxlib says about a program, and what partita-opt says about the same program.

jaxlib holds the reference definitions of the stablehlo, chlo and sdy dialects.  The first half of this file asks it
(`accepts`, `generic`, `pretty`, `operations`); the second half runs `partita-opt` on a text and gives back its
output, with the file name it saw replaced by the one that jaxlib uses, so that locations can be compared byte by byte.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _stablehlo
from jaxlib.mlir.dialects import _chlo_ops_gen, _sdy_ops_gen, _stablehlo_ops_gen

REPOSITORY = Path(__file__).resolve().parents[2]
DIALECTS = {"stablehlo": _stablehlo_ops_gen, "chlo": _chlo_ops_gen, "sdy": _sdy_ops_gen}
SOURCE_NAME = "-"
"""The buffer name in the locations of what jaxlib reads."""
_BINDING = re.compile(r'OPERATION_NAME = "([^"]+)"|operation\.attributes\["(\w+)"\]')
"""Where the source of the bindings names an operation, or an attribute of the operation named last."""


def _new_context() -> ir.Context:
    """A context with all dialects of JAX, and with quant, which only the reader of portable artifacts loads."""
    context = make_ir_context()
    version = _stablehlo.get_current_version()
    artifact = _stablehlo.serialize_portable_artifact_str("func.func @f() { return }", version)
    _stablehlo.deserialize_portable_artifact(context, artifact)
    return context


@functools.cache
def _context() -> ir.Context:
    return _new_context()


def _parse(text: str) -> ir.Module:
    # Names of resources live as long as their context, and a name that is taken gets a suffix.
    context = _new_context() if "dense_resource" in text else _context()
    with context:
        return ir.Module.parse(text)


def accepts(text: str) -> str | None:
    """None when jaxlib reads and verifies `text`, its diagnostics otherwise."""
    try:
        _parse(text)
    except (ir.MLIRError, ValueError) as error:
        return str(error)
    return None


def generic(text: str) -> str:
    """`text` read by jaxlib and printed in generic form with locations."""
    return str(_parse(text).operation.get_asm(print_generic_op_form=True, enable_debug_info=True))


def pretty(text: str) -> str:
    """`text` read by jaxlib and printed in pretty form with locations."""
    return str(_parse(text).operation.get_asm(enable_debug_info=True))


def operations(text: str) -> dict[str, set[str]]:
    """The operations in `text`, at any depth, each with the attributes it is given there."""
    found: dict[str, set[str]] = defaultdict(set)

    def note(operation: ir.Operation) -> ir.WalkResult:
        found[operation.name].update(operation.attributes)
        return ir.WalkResult.ADVANCE

    _parse(text).operation.walk(note)
    return found


@functools.cache
def dialect_operations(dialect: str) -> dict[str, list[str]]:
    """All operations that jaxlib's bindings know in `dialect`, sorted, each with its attributes."""
    members = vars(DIALECTS[dialect]).values()
    found: dict[str, set[str]] = {
        m.OPERATION_NAME: set() for m in members if isinstance(m, type) and hasattr(m, "OPERATION_NAME")
    }
    operation = ""
    for name, attribute in _BINDING.findall(inspect.getsource(DIALECTS[dialect])):
        operation = name or operation
        found[operation].update([attribute] if attribute else [])
    return {name: sorted(found[name]) for name in sorted(found)}


def partita_opt() -> Path:
    """Where the tool is: in `PARTITA_BIN_DIR`, or in the build folder of this repository."""
    return Path(os.environ.get("PARTITA_BIN_DIR", REPOSITORY / "build" / "bin")) / "partita-opt"


@dataclass(frozen=True)
class Run:
    """One run of partita-opt. `code` is negative when a signal ended it."""

    code: int
    out: str
    err: str

    @property
    def crashed(self) -> bool:
        return self.code < 0 or self.code > 128

    @property
    def first_error(self) -> str:
        """The first diagnostic without its position, or the first line of the error output."""
        found = re.search(r"error: (.*)", self.err)
        lines = self.err.strip().splitlines() or ["no message"]
        return found.group(1) if found else lines[0]


def run_partita_opt(text: str, *options: str, timeout: float = 60.0) -> Run:
    """Runs partita-opt with `options` on `text`, in a file of its own."""
    with tempfile.TemporaryDirectory(prefix="judge-") as folder:
        source = Path(folder) / "program.mlir"
        source.write_text(text)
        try:
            done = subprocess.run(
                [partita_opt(), *options, source],
                capture_output=True,
                check=False,
                text=True,
                errors="replace",
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            return Run(-1, "", f"error: no answer after {timeout:g} s")
    output = done.stdout.replace(f'"{source}"', f'"{SOURCE_NAME}"')
    return Run(done.returncode, output, done.stderr.replace(str(source), source.name))
