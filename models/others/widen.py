"""The same program in f64: the arbiter where f32 results are worse than 1e-5 whoever computes them.

    widen(text)                            StableHLO text with f64 wherever f32 or bf16 stood
    run_steps(text, arguments, state, 3)   results of steps that are fed their first `state` results

Bits that become floats (random numbers) are made in f32, as before, and converted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax._src.interpreters.mlir import make_ir_context, module_to_bytecode
from jaxlib import xla_client
from jaxlib.mlir import ir

_TYPE = re.compile(r"(tensor<(?:\d+x)*)(?:f32|bf16)>|(tensor<(?:\d+x)*)complex<f32>>")
_CONSTANT = re.compile(r"(dense<)(.*)(> : tensor<(?:\d+x)*(f32|bf16)>)")
_FROM_BITS = re.compile(
    r"^( *)(%\w+) = (stablehlo\.bitcast_convert %\w+ : \(tensor<[^>]*>\) -> (tensor<(?:\d+x)*f32>).*)$"
)
_TO_BITS = re.compile(r"stablehlo\.bitcast_convert %\w+ : \(tensor<(?:\d+x)*f32>\)")


BFLOAT16 = np.dtype(jax.numpy.bfloat16)


class NotWidened(Exception):  # noqa: N818
    """The program uses the bits of its floats, so it has no meaning in f64."""


def _constant(match: re.Match[str]) -> str:
    """Numbers that are written as bits, alone or in a list, or all of them in one string."""
    head, body, tail, kind = match.groups()
    narrow, bits = (np.dtype(np.float32), np.uint32) if kind == "f32" else (BFLOAT16, np.uint16)
    if body.startswith('"0x'):
        values = np.frombuffer(bytes.fromhex(body[3:-1]), narrow).astype(np.float64)
        return f'{head}"0x{values.tobytes().hex().upper()}"{tail}'

    def number(found: re.Match[str]) -> str:
        value = np.array([int(found.group(1), 16)], bits).view(narrow).astype(np.float64)
        return f"0x{int(value.view(np.uint64)[0]):016X}"

    return head + re.sub(rf"0x([0-9A-Fa-f]{{{2 * narrow.itemsize}}})\b", number, body) + tail


def _wide_types(text: str) -> str:
    return _TYPE.sub(lambda m: f"{m.group(1)}f64>" if m.group(1) else f"{m.group(2)}complex<f64>>", text)


def widen(text: str) -> str:
    lines = []
    for line in text.splitlines():
        if _TO_BITS.search(line):
            raise NotWidened(line.strip())
        made = _FROM_BITS.match(line)
        if made:
            indent, name, operation, kind = made.groups()
            wide, bits = _wide_types(kind), f"%bits_{name[1:]}"
            lines += [f"{indent}{bits} = {operation}",
                      f"{indent}{name} = stablehlo.convert {bits} : ({kind}) -> {wide}"]  # fmt: skip
        else:
            lines.append(_wide_types(_CONSTANT.sub(_constant, line)))
    return "\n".join(lines)


def run_steps(text: str, arguments: Sequence[Any], state: int, steps: int) -> list[np.ndarray]:
    """The flat results of the last step; f32 arguments are given as f64."""
    device = jax.local_devices()[0]
    with make_ir_context():
        code = module_to_bytecode(ir.Module.parse(text))
    executable = device.client.compile_and_load(code, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    with jax.enable_x64(True):
        flat = [_wide(np.asarray(argument)) for argument in arguments]
        results: list[np.ndarray] = []
        for _ in range(steps):
            placed = [jax.device_put(array, device) for array in flat]
            shards = executable.execute_sharded(placed).disassemble_into_single_device_arrays()
            results = [np.asarray(pieces[0]) for pieces in shards]
            flat[:state] = results[:state]
    return results


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if array.dtype in (np.float32, BFLOAT16) else array
