"""Meshes: what a user may give for one, devices for it, and shardings on it.

A sharding of a plan names axes of the mesh or parts of them (`model:(1)4` is the major 4 of `model`). JAX's
`NamedSharding` knows whole axes only, so a mesh is refined where a plan needs parts: the same devices in the same
order, with an axis `model` of 8 written as `model:(1)4` and `model:(4)2`.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import jax
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec

from partita._src.errors import UsageError

MeshLike: TypeAlias = Mesh | AbstractMesh | Mapping[str, int] | str | int
#: For one array: the axes of each dim, major to minor, as a plan writes them.
DimAxes = Sequence[Sequence[str]]

#: As the tool reads meshes. JAX takes an axis of many more for one whose size is not known, and fails.
MOST_DEVICES = 1048576

_PART = re.compile(r"^(?P<axis>.+):\((?P<before>\d+)\)(?P<size>\d+)$")


def parse_axes(mesh: MeshLike) -> dict[str, int]:
    """The axes of a mesh and their sizes, in order.

    >>> parse_axes("data=4,model=2")
    {'data': 4, 'model': 2}
    >>> parse_axes({"data": 8})
    {'data': 8}
    """
    if isinstance(mesh, (Mesh, AbstractMesh)):
        axes = dict(mesh.shape)
    elif isinstance(mesh, str):
        try:
            pairs = [(name, int(size)) for name, size in (part.split("=") for part in mesh.split(","))]
        except ValueError:
            raise UsageError(
                f"{mesh!r} is not a mesh", remedy="write it as data=4,model=2; a number of devices is no text: mesh=8"
            ) from None
        axes = dict(pairs)
        if len(axes) < len(pairs):
            raise UsageError(f"{mesh!r} names an axis twice", remedy="give each axis a name of its own")
    elif isinstance(mesh, Mapping):
        try:
            axes = {str(name): operator.index(size) for name, size in mesh.items()}
        except TypeError:
            raise UsageError(f"{dict(mesh)!r} is not a mesh", remedy="sizes of axes are whole numbers") from None
    elif isinstance(mesh, int) and not isinstance(mesh, bool):
        axes = {"data": mesh}
    else:
        raise UsageError(f"{mesh!r} is not a mesh", remedy=_FORMS)
    if not axes or any(size < 1 for size in axes.values()):
        raise UsageError(f"{mesh!r} is not a mesh", remedy="it needs axes of at least one device")
    if math.prod(axes.values()) > MOST_DEVICES:
        raise UsageError(f"{mesh!r} is not a mesh", remedy=f"a mesh has at most {MOST_DEVICES} devices")
    return axes


_FORMS = "axes have names: {'data': 4, 'model': 2} or 'data=4,model=2'; a Mesh, an AbstractMesh or a number of devices"


def print_axes(axes: Mapping[str, int]) -> str:
    """As the command line takes it: `data=4,model=2`."""
    return ",".join(f"{name}={size}" for name, size in axes.items())


def make_abstract_mesh(axes: Mapping[str, int]) -> AbstractMesh:
    """Without devices, all axes left to the compiler."""
    return AbstractMesh(tuple(axes.values()), tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


def get_explicit(mesh: MeshLike) -> AbstractMesh | None:
    """The mesh without its devices, if it has explicit axes."""
    if not isinstance(mesh, (Mesh, AbstractMesh)):
        return None
    abstract = mesh.abstract_mesh
    return abstract if AxisType.Explicit in abstract.axis_types else None


def manual_axes() -> tuple[str, ...]:
    """The axes of the `shard_map` that is being traced; none outside of one."""
    mesh = jax.sharding.get_abstract_mesh()
    kinds = zip(mesh.axis_names, mesh.axis_types or (), strict=True)
    return tuple(str(axis) for axis, kind in kinds if kind is AxisType.Manual)


def make_mesh(
    axes: Mapping[str, int],
    devices: Sequence[jax.Device] | None = None,
    order: Sequence[int] | None = None,
    torus: Sequence[int] = (),
) -> Mesh:
    """A mesh of these devices, or of the first ones there are. `order` has for each place of the mesh the number of a
    device in the machine, whose torus has the dims `torus` (`sort_devices`); without it they stand in the machine's
    order."""
    needed = math.prod(axes.values())
    found = sort_devices(jax.devices() if devices is None else devices, torus)
    if len(found) < needed or (devices is not None and len(found) != needed):
        raise UsageError(
            f"the mesh {print_axes(axes)} has {needed} devices, but there are {len(found)}",
            remedy="give as many devices; on a CPU set XLA_FLAGS=--xla_force_host_platform_device_count="
            f"{needed} (and PJRT_NPROC=32) before JAX starts",
        )
    placed = [found[number] for number in (order or range(needed))]
    grid = np.array(placed, dtype=object).reshape(tuple(axes.values()))
    return Mesh(grid, tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


def find_devices(mesh: MeshLike) -> list[jax.Device]:
    """The devices of a mesh, or those that one would be made of here: all, if there are too few."""
    if isinstance(mesh, Mesh):
        return list(mesh.devices.flat)
    return sort_devices(jax.devices())[: math.prod(parse_axes(mesh).values())]


def sort_devices(devices: Sequence[jax.Device], torus: Sequence[int] = ()) -> list[jax.Device]:
    """In the order in which a machine numbers them: slice by slice, in a slice along the torus, or host by host (of one
    NVLink domain after the other, which JAX calls slices, too).

    If the devices have the dims of the machine's torus in another order, their coordinates are taken in the machine's.
    """
    return _sort_along(devices, _list_orders(devices, torus)[0])


def _sort_along(devices: Sequence[jax.Device], dims: Sequence[int]) -> list[jax.Device]:
    return sorted(devices, key=lambda device: _place_in_machine(device, dims))


def _place_in_machine(device: Any, dims: Sequence[int]) -> tuple[Any, ...]:
    torus = getattr(device, "coords", None)
    within = tuple(torus[dim] for dim in dims) if torus is not None else (device.process_index,)
    return getattr(device, "slice_index", 0) or 0, *within, getattr(device, "core_on_chip", 0) or 0, device.id


def _list_orders(devices: Sequence[Any], torus: Sequence[int]) -> list[tuple[int, ...]]:
    """The orders of coordinates in which their extents are those of the machine's torus, several if dims are of one
    size; as they are, if there is none."""
    coordinates = [device.coords for device in devices if getattr(device, "coords", None) is not None]
    if not coordinates:
        return [()]
    extents = [max(each) - min(each) + 1 for each in zip(*coordinates, strict=True)]
    wanted = [size for size in torus if size > 1]
    orders = list(itertools.permutations(range(len(extents))))
    return [o for o in orders if [extents[i] for i in o if extents[i] > 1] == wanted] or orders[:1]


def list_numberings(mesh: Mesh, torus: Sequence[int] = ()) -> list[list[int]]:
    """For each place of the mesh the number of its device in the machine; once for each way in which dims of the torus
    that are of one size may be turned, as they are first."""
    devices = list(mesh.devices.flat)
    numberings: list[list[int]] = []
    for dims in _list_orders(devices, torus):
        numbers = {device: number for number, device in enumerate(_sort_along(devices, dims))}
        numbering = [numbers[device] for device in devices]
        if numbering not in numberings:
            numberings.append(numbering)
    return numberings


@dataclass(frozen=True)
class AxisPart:
    """A run of an axis' digits: `before` devices of the axis lie outside it, `size` in it."""

    axis: str
    before: int
    size: int


def parse_part(text: str, axes: Mapping[str, int]) -> AxisPart:
    """`model` or `model:(1)4`."""
    found = _PART.match(text)
    if found is None:
        return AxisPart(text, 1, axes[text])
    return AxisPart(found["axis"], int(found["before"]), int(found["size"]))


class Refinement:
    """A mesh with those axes cut that some sharding names parts of; shardings on it."""

    def __init__(self, axes: Mapping[str, int], shardings: Iterable[DimAxes]) -> None:
        self._axes = dict(axes)
        cuts: dict[str, set[int]] = {name: {1, size} for name, size in axes.items()}
        for sharding in shardings:
            for dim in sharding:
                for text in dim:
                    part = parse_part(text, axes)
                    cuts[part.axis] |= {part.before, part.before * part.size}
        self._cuts = {name: sorted(points) for name, points in cuts.items()}

    def _pieces(self, part: AxisPart) -> list[str]:
        points = self._cuts[part.axis]
        if len(points) <= 2:
            return [part.axis]
        inside = [point for point in points if part.before <= point <= part.before * part.size]
        return [f"{part.axis}:({low}){high // low}" for low, high in itertools.pairwise(inside)]

    @property
    def axes(self) -> dict[str, int]:
        """The refined axes and their sizes."""
        refined: dict[str, int] = {}
        for name, size in self._axes.items():
            points = self._cuts[name]
            if len(points) <= 2:
                refined[name] = size
            else:
                refined |= {f"{name}:({a}){b // a}": b // a for a, b in itertools.pairwise(points)}
        return refined

    def refine(self, mesh: Mesh) -> Mesh:
        """The same devices in the same order; `mesh` itself where nothing is cut."""
        axes = self.axes
        if tuple(axes) == tuple(mesh.axis_names):
            return mesh
        return Mesh(mesh.devices.reshape(tuple(axes.values())), tuple(axes), axis_types=(AxisType.Auto,) * len(axes))

    def spec(self, sharding: DimAxes) -> PartitionSpec:
        """The spec of one array, on the refined mesh."""
        dims: list[Any] = []
        for dim in sharding:
            names = [piece for text in dim for piece in self._pieces(parse_part(text, self._axes))]
            dims.append(None if not names else names[0] if len(names) == 1 else tuple(names))
        while dims and dims[-1] is None:
            dims.pop()
        return PartitionSpec(*dims)

    def sharding(self, mesh: Mesh, sharding: DimAxes) -> NamedSharding:
        """On the devices of `mesh`."""
        return NamedSharding(self.refine(mesh), self.spec(sharding))
