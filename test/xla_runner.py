"""The judge of values: a StableHLO text compiled by XLA for the CPU and run on given inputs.

    run(text, [x, y])                          one device; gives the list of results
    run(text, [[x0, y0], [x1, y1]], devices=2) one list of inputs, and of results, for each device
    run(text, make_inputs(text))               on random inputs

Programs on several devices are written for one device each (partition ids 0 to N-1 of one replica, as in
`partita eval --devices N`); XLA does not partition them. Floats keep their precision: XLA may not compute a bf16
program in f32.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MAX_DEVICES = 8
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={MAX_DEVICES}"
).strip()

import jax  # noqa: E402
import jaxlib  # noqa: E402
import numpy as np  # noqa: E402
from jax._src.interpreters.mlir import make_ir_context, module_to_bytecode  # noqa: E402
from jax._src.sharding_impls import GSPMDSharding  # noqa: E402
from jaxlib import xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

CACHE = Path(__file__).resolve().parents[1] / "build" / "xla-cache"
"""Answers of XLA that were asked for before; `make clean` forgets them."""

OPTIONS = {"xla_allow_excess_precision": False}
"""XLA's debug options that every program is compiled with."""

DTYPES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": jax.numpy.bfloat16,
    "complex<f32>": np.complex64, "complex<f64>": np.complex128,
}  # fmt: skip
"""What `make_inputs` can make."""


class RejectedError(Exception):
    """XLA does not compile or run the program, or it takes inputs that cannot be made; the reason is in the text."""


@functools.cache
def _context() -> ir.Context:
    return make_ir_context()


# ----------------------------------------------------------------------------------------------------------------------
# Inputs
# ----------------------------------------------------------------------------------------------------------------------


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
                raise RejectedError(f"argument of type {argument}")
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


def identical(a: np.ndarray, b: np.ndarray) -> bool:
    """Same type, shape and bits."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# ----------------------------------------------------------------------------------------------------------------------
# Compilation and execution
# ----------------------------------------------------------------------------------------------------------------------


def _make_manual(module: ir.Module) -> None:
    """Marks every value as one device's own, so that the partitioner, which must run, changes nothing."""
    manual = ir.StringAttr.get("{manual}")

    def mark(operation: ir.Operation) -> ir.WalkResult:
        if operation.name.startswith("stablehlo.") and operation.name != "stablehlo.return":
            operation.attributes["mhlo.sharding"] = manual
        elif operation.name == "func.func":
            counts = {"arg_attrs": len(operation.regions[0].blocks[0].arguments)}
            counts["res_attrs"] = len(ir.FunctionType(ir.TypeAttr(operation.attributes["function_type"]).value).results)
            for kind, count in counts.items():
                each = ir.DictAttr.get({"mhlo.sharding": manual})
                operation.attributes[kind] = ir.ArrayAttr.get([each] * count)
        return ir.WalkResult.ADVANCE

    module.operation.walk(mark)


def _module(text: str, devices: int) -> bytes:
    with _context():
        module = ir.Module.parse(text)
        if devices > 1:
            _make_manual(module)
        return module_to_bytecode(module)


def compile_options(devices: int, options: dict[str, Any]) -> Any:
    made = xla_client.CompileOptions()
    made.num_replicas = 1
    made.num_partitions = devices
    made.device_assignment = xla_client.DeviceAssignment.create(np.arange(devices).reshape(1, devices))
    build = made.executable_build_options
    build.num_replicas, build.num_partitions = 1, devices
    build.device_assignment = made.device_assignment
    build.use_spmd_partitioning = devices > 1
    made.env_option_overrides = list({**OPTIONS, **options}.items())
    return made


def _argument(values: Sequence[np.ndarray], devices: Sequence[jax.Device]) -> jax.Array:
    """One argument, with its own value on each device."""
    sharding = jax.NamedSharding(jax.sharding.Mesh(np.array(devices), ("d",)), jax.P())
    with jax.enable_x64(True):
        pieces = [jax.device_put(np.asarray(v), d) for v, d in zip(values, devices, strict=True)]
        return jax.make_array_from_single_device_arrays(pieces[0].shape, sharding, pieces)


@functools.lru_cache(maxsize=64)
def compile_text(text: str, devices: int, options: tuple[tuple[str, Any], ...]) -> Any:
    chosen = jax.local_devices()[:devices]
    try:
        return chosen[0].client.compile_and_load(
            _module(text, devices), xla_client.DeviceList(tuple(chosen)), compile_options(devices, dict(options))
        )
    except (jax.errors.JaxRuntimeError, ir.MLIRError, TypeError, ValueError) as error:
        raise RejectedError(str(error)) from error


def run(text: str, inputs: Sequence[Any], devices: int = 1, **options: Any) -> list[Any]:
    """The results of @main: a list of arrays, or with several devices one list for each. `options` are XLA's own."""
    executable = compile_text(text, devices, tuple(sorted(options.items())))
    per_device = [inputs] if devices == 1 else inputs
    chosen = jax.local_devices()[:devices]
    arguments = [_argument(values, chosen) for values in zip(*per_device, strict=True)]
    try:
        with jax.enable_x64(True):
            results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
            arrays = [[np.asarray(piece) for piece in pieces] for pieces in results]
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        raise RejectedError(str(error)) from error
    if devices == 1:
        return [pieces[0] for pieces in arrays]
    return [[pieces[d] for pieces in arrays] for d in range(devices)]


def run_cached(text: str, inputs: Sequence[np.ndarray], **options: Any) -> list[np.ndarray]:
    """As `run` on one device, or what it gave for the very same program and inputs at an earlier time."""
    digest = hashlib.sha256(
        f"{jaxlib.__version__} {os.environ['XLA_FLAGS']} {sorted({**OPTIONS, **options}.items())} {text}".encode()
    )
    for array in inputs:
        digest.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
    kept = CACHE / f"{digest.hexdigest()}.pickle"
    if kept.is_file():
        return pickle.loads(kept.read_bytes())
    results = run(text, inputs, **options)
    CACHE.mkdir(parents=True, exist_ok=True)
    partial = kept.with_suffix(f".{os.getpid()}")
    partial.write_bytes(pickle.dumps(results))
    partial.replace(kept)
    return results


# ----------------------------------------------------------------------------------------------------------------------
# Partitioned programs: global types outside, `sdy` shardings say who holds what
# ----------------------------------------------------------------------------------------------------------------------


def _placed(value: np.ndarray, sharding: Any, devices: Sequence[jax.Device]) -> jax.Array:
    with jax.enable_x64(True):
        return jax.device_put(np.asarray(value), GSPMDSharding(tuple(devices), sharding))


def run_partitioned(text: str, inputs: Sequence[np.ndarray], devices: int) -> list[np.ndarray]:
    """The whole results of a program that Shardy partitions by the shardings it has: a local program of ours, or an
    annotated one."""
    chosen = jax.local_devices()[:devices]
    options = compile_options(devices, {})
    options.executable_build_options.use_spmd_partitioning = True
    options.executable_build_options.use_shardy_partitioner = True
    try:
        with _context():
            bytecode = module_to_bytecode(ir.Module.parse(text))
        executable = chosen[0].client.compile_and_load(bytecode, xla_client.DeviceList(tuple(chosen)), options)
        whole = xla_client.OpSharding()
        whole.type = xla_client.OpSharding.Type.REPLICATED
        shardings = executable.get_parameter_shardings() or [whole] * len(inputs)
        arguments = [_placed(value, s, chosen) for value, s in zip(inputs, shardings, strict=True)]
        with jax.enable_x64(True):
            pieces = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
    except (jax.errors.JaxRuntimeError, ir.MLIRError, TypeError, ValueError) as error:
        raise RejectedError(str(error)) from error
    outputs = executable.get_output_shardings() or [whole] * len(pieces)
    return [_assembled(group, s, chosen) for group, s in zip(pieces, outputs, strict=True)]


def _assembled(pieces: Sequence[jax.Array], sharding: Any, devices: Sequence[jax.Device]) -> np.ndarray:
    """The whole array that devices hold pieces of."""
    placement = GSPMDSharding(tuple(devices), sharding)
    rank = pieces[0].ndim
    tiles = placement._to_xla_hlo_sharding(rank).tile_assignment_dimensions()
    parts = [1] * rank if placement.is_fully_replicated else tiles[:rank]
    shape = tuple(size * count for size, count in zip(pieces[0].shape, parts, strict=True))
    whole = np.zeros(shape, pieces[0].dtype)
    for device, index in placement.devices_indices_map(shape).items():
        piece = next(p for p in pieces if device in p.devices())
        whole[index] = np.asarray(piece)
    return whole
