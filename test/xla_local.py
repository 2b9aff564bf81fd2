"""A device-local program, as Partita writes it, compiled by XLA as it is and run on virtual CPU devices.

    run_local(text, [x, y])        whole arrays in, whole arrays out

The program says itself for how many devices it is written, and how its arguments and results lie on them. Devices that
hold the same piece of a result must agree on it.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("PJRT_NPROC", "32")

import jax
import numpy as np
from jax._src.interpreters.mlir import make_ir_context, module_to_bytecode
from jax._src.sharding_impls import GSPMDSharding
from jaxlib import xla_client
from jaxlib.mlir import ir

import xla_runner


def count_devices(text: str) -> int:
    """How many devices the program is written for."""
    found = re.search(r"mhlo\.num_partitions = (\d+)", text)
    return int(found.group(1)) if found else 1


def _options(devices: int) -> Any:
    options = xla_runner.compile_options(devices, {})
    options.executable_build_options.use_shardy_partitioner = True
    return options


@functools.lru_cache(maxsize=16)
def compile_local(text: str) -> Any:
    """XLA's executable of a local (or an annotated) program."""
    devices = jax.local_devices()[: count_devices(text)]
    try:
        with make_ir_context():
            code = module_to_bytecode(ir.Module.parse(text))
        return devices[0].client.compile_and_load(code, xla_client.DeviceList(tuple(devices)), _options(len(devices)))
    except (jax.errors.JaxRuntimeError, ir.MLIRError, ValueError) as error:
        raise xla_runner.RejectedError(str(error)) from error


def _shardings(protos: Sequence[Any], devices: Sequence[jax.Device]) -> list[jax.sharding.Sharding]:
    return [GSPMDSharding(devices, proto) for proto in protos]


def _assemble(pieces: Sequence[jax.Array], sharding: jax.sharding.Sharding, shape: tuple[int, ...]) -> np.ndarray:
    """The whole array; pieces that stand for the same part of it must be the same."""
    whole = np.zeros(shape, pieces[0].dtype)
    filled: dict[str, np.ndarray] = {}
    for piece in pieces:
        (device,) = piece.devices()
        index = sharding.devices_indices_map(shape)[device]
        array = np.asarray(piece)
        known = filled.setdefault(str(index), array)
        assert xla_runner.identical(known, array), f"devices disagree on the piece {index}"
        whole[index] = array
    return whole


def run_local(text: str, inputs: Sequence[Any], shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    """The results of @main, of the given shapes, on whole inputs."""
    executable = compile_local(text)
    devices = jax.local_devices()[: count_devices(text)]
    with jax.enable_x64(True):
        arguments = [
            jax.device_put(np.asarray(array), sharding)
            for array, sharding in zip(inputs, _shardings(executable.get_parameter_shardings(), devices), strict=True)
        ]
        results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
        shardings = _shardings(executable.get_output_shardings(), devices)
        return [
            _assemble(pieces, sharding, shape)
            for pieces, sharding, shape in zip(results, shardings, shapes, strict=True)
        ]
