"""Runs StableHLO text on XLA's CPU backend, through jaxlib, with given or made-up inputs."""

from __future__ import annotations

import functools
import re

import jax
import numpy as np
from jax._src.interpreters.mlir import make_ir_context
from jaxlib import _jax, xla_client
from jaxlib.mlir import ir

DTYPES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": jax.numpy.bfloat16,
    "complex<f32>": np.complex64, "complex<f64>": np.complex128,
}  # fmt: skip


class CannotRunError(Exception):
    """XLA on CPU cannot run the program, or it takes inputs that cannot be made."""


@functools.cache
def _context() -> ir.Context:
    return make_ir_context()


def input_types(text: str) -> list[tuple[tuple[int, ...], np.dtype]]:
    """Shapes and element types of @main's arguments."""
    with _context():
        module = ir.Module.parse(text)
        functions = [op for op in module.body if op.operation.name == "func.func"]
        main = next(op for op in functions if ir.StringAttr(op.attributes["sym_name"]).value == "main")
        found = []
        for argument in main.type.inputs:
            match = re.fullmatch(r"tensor<((?:\d+x)*)([a-z0-9<>]+)>", str(argument))
            if match is None or match.group(2) not in DTYPES:
                raise CannotRunError(f"argument of type {argument}")
            shape = tuple(int(size) for size in match.group(1).split("x")[:-1])
            found.append((shape, np.dtype(DTYPES[match.group(2)])))
        return found


def make_inputs(text: str, seed: int = 0) -> list[np.ndarray]:
    """Random inputs for @main: small numbers, so that they are good indices too."""
    random = np.random.default_rng(seed)
    made = []
    for shape, dtype in input_types(text):
        if dtype == np.bool_:
            made.append(random.integers(0, 2, shape).astype(dtype))
        elif np.issubdtype(dtype, np.integer):
            made.append(random.integers(0, 4, shape).astype(dtype))
        elif np.issubdtype(dtype, np.complexfloating):
            made.append((random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype))
        else:
            made.append((random.standard_normal(shape) * 0.5 + 0.1).astype(dtype))
    return made


def run(text: str, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """The results of @main on one device."""
    device = jax.devices("cpu")[0]
    options = xla_client.CompileOptions()
    try:
        with _context():
            module = ir.Module.parse(text)
            executable = device.client.compile_and_load(module, xla_client.DeviceList((device,)), options)
        buffers = [jax.device_put(value, device) for value in inputs]
        return [np.asarray(result) for result in executable.execute(buffers)]
    except (_jax.XlaRuntimeError, ir.MLIRError, TypeError) as error:
        raise CannotRunError(str(error)) from error


def identical(a: np.ndarray, b: np.ndarray) -> bool:
    """Same type, shape and bits."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
