"""The machine: a preset by name, a file, or the devices that JAX has."""

from __future__ import annotations

import collections
import functools
import json
import os
from collections.abc import Sequence
from typing import Any

import jax

from partita._src import engine, meshes
from partita._src.errors import UsageError, warn
from partita._src.spelling import advise_name

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")
_GPUS = {
    "H100": "h100-sxm",
    "H200": "h200-sxm",
    "B200": "b200",
    "A100-SXM4-40GB": "a100-sxm-40",
    "A100-SXM4-80GB": "a100-sxm-80",
    "A100": "a100-sxm-80",
    "V100": "v100-sxm2",
    "MI300X": "mi300x",
}
_TPUS = {
    "TPU v3": "tpu-v3",
    "TPU v4": "tpu-v4",
    "TPU v5 lite": "tpu-v5e",
    "TPU v5": "tpu-v5p",
    "TPU v5p": "tpu-v5p",
    "TPU v6 lite": "tpu-v6e",
    "TPU7x": "tpu-7x",
}


#: The variables that set JAX's pool of GPU memory, and what it is without them.
_POOL_VARIABLES = ("XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_CLIENT_MEM_FRACTION")
_DEFAULT_POOL = 0.75


def find_pool() -> float:
    """The share of a GPU's memory that JAX takes in this process, as the environment says now. The tool reads the same
    variables, and refuses what is no number."""
    given = next((text for name in _POOL_VARIABLES if (text := os.environ.get(name))), None)
    try:
        return _DEFAULT_POOL if given is None else float(given)
    except ValueError:
        return _DEFAULT_POOL


def resolve(machine: str | os.PathLike[str] | None, mesh: meshes.MeshLike) -> str | None:
    """The machine's name or path; `auto` becomes that of the devices that a mesh has, or would be made of."""
    if machine is None or machine == "auto":
        return None if machine is None else of_devices(meshes.find_devices(mesh))
    try:
        return os.fspath(machine)
    except TypeError:
        raise UsageError(f"{machine!r} is no machine", remedy="name one, 'h100-sxm:1x8', or give a file") from None


def is_known(machine: str) -> bool:
    """Whether it is a preset or a file, which say what they are; files give machines names of their own, too."""
    return os.path.isfile(machine) or machine.split(":")[0] in list_presets()


@functools.cache
def list_presets() -> tuple[str, ...]:
    """The names of the machines that are known; a shape behind them makes a machine, as in `h100-sxm:4x8`."""
    return tuple(sorted(preset["name"] for preset in json.loads(engine.run(["machines", "--json"], {}).stdout)))


def of_devices(devices: Sequence[jax.Device]) -> str:
    """The preset and shape for these devices, such as `h100-sxm:1x8`."""
    kind, platform = devices[0].device_kind, devices[0].platform
    if platform == "cpu":
        return f"cpu-host:{_hosts(devices)}"
    if platform == "tpu" and kind in _TPUS:
        return f"{_TPUS[kind]}:{_torus(devices)}"
    for part, name in _GPUS.items():
        if part in kind:
            return f"{name}:{_hosts(devices)}"
    raise UsageError(
        f"no machine is known for devices of the kind {kind!r}",
        remedy="name one (`partita machines` lists them), or write a file",
    )


def _hosts(devices: Sequence[jax.Device]) -> str:
    """Hosts, and devices of each: `2x8`."""
    counts = collections.Counter(device.process_index for device in devices)
    if len(set(counts.values())) > 1:
        numbers = " and ".join(str(count) for count in sorted(set(counts.values())))
        raise UsageError(
            f"of the mesh's devices some hosts have {numbers}: no machine of that shape is known",
            remedy="give a mesh of as many devices of each host, or name a machine",
        )
    return f"{len(counts)}x{len(devices) // len(counts)}"


def _torus(devices: Sequence[jax.Device]) -> str:
    """From the chips' coordinates; dims of one chip are left out, but two stay."""
    coordinates = [tuple(getattr(device, "coords", (0, 0, 0))) for device in devices]
    sizes = [len({place[dim] for place in coordinates}) for dim in range(len(coordinates[0]))]
    while len(sizes) > 2 and sizes[-1] == 1:
        sizes.pop()
    return "x".join(str(size) for size in sizes)


def to_flag(machine: str) -> str:
    """`--machine=...` for the tool, which runs in a folder of its own."""
    return f"--machine={os.path.abspath(machine) if os.path.isfile(machine) else machine}"


def describe(machine: str) -> dict[str, Any]:
    """The machine as `partita machines --json` writes it."""
    described: dict[str, Any] = json.loads(engine.run(["machines", to_flag(machine), "--json"], {}).stdout)
    return described


def platform_of(machine: str | None) -> str:
    """What programs are lowered for: the machine's platform, or that of JAX's default device."""
    platform: str | None = None if machine is None else describe(machine).get("platform")
    if platform is not None:
        return platform
    default = _default_platform()
    if machine is not None:
        warn(
            f"the machine {machine} says no platform: the program is lowered for {default}\n"
            f'  remedy: add a line to the file, as "platform": "{default}", or give platform={default!r}'
        )
    return default


def check_platform(platform: str) -> str:
    """One that programs can be lowered for."""
    if platform not in PLATFORMS:
        raise UsageError(
            f"there is no platform {platform!r}",
            remedy=advise_name(str(platform), PLATFORMS) or f"name one of {', '.join(PLATFORMS)}",
        )
    return platform


def _default_platform() -> str:
    return name_platform(jax.devices()[0].client)


def name_platform(client: Any) -> str:
    """As programs are lowered for it: cuda and rocm, which JAX both calls gpu."""
    platform: str = client.platform
    if platform != "gpu":
        return platform
    return "rocm" if "rocm" in getattr(client, "platform_version", "") else "cuda"
