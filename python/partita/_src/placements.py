"""Which axis of a mesh runs over which links of a machine, and the order of devices that makes it so.

The tool numbers the devices of a machine row-major over its levels (hosts, then the GPUs of each; slices, then the
torus). A placement such as `data=nvlink,model=node` says which levels each axis takes, and so which device stands where
in the mesh.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jax.sharding import Mesh

from partita._src import engine, machines
from partita._src.errors import PartitaError
from partita._src.meshes import list_numberings, print_axes


@dataclass(frozen=True)
class Placement:
    """A placement in words, and for each place of the mesh the number of its device in the machine."""

    words: str
    order: tuple[int, ...]


def resolve(axes: Mapping[str, int], machine: str, words: str | None = None) -> Placement:
    """The placement that these words say; the tool's own without any."""
    command = ["machines", machines.to_flag(machine), f"--mesh={print_axes(axes)}", "--json"]
    command += [f"--placement={words}"] if words else []
    found = json.loads(engine.run(command, {}).stdout)
    return Placement(str(found["placement"]), tuple(found["device_order"]))


def find(mesh: Mesh, machine: str) -> str | None:
    """The placement in words of a mesh of real devices; None if no placement gives its order.

    Axes nest in some order: the devices of a mesh whose axes are permuted stand as the tool places them by itself.
    Other orders are those of placements that the tool lists. It lists one of those that differ only in which dims of a
    torus, of one size, the axes take, so these dims may also be turned.
    """
    axes: dict[str, int] = dict(mesh.shape)
    numberings = list_numberings(mesh, find_torus(machine))
    placed = _list_nested(axes, machine)
    if all(list(each.order) != numberings[0] for each in placed):
        placed += list_all(axes, machine)
    return next((each.words for wanted in numberings for each in placed if list(each.order) == wanted), None)


def _list_nested(axes: Mapping[str, int], machine: str) -> list[Placement]:
    """Of each order in which the axes may nest."""
    found: list[Placement] = []
    for permuted in itertools.permutations(axes):
        try:
            placement = resolve({name: axes[name] for name in permuted}, machine)
        except PartitaError:
            break  # does not fit row-major, is of another size, or not a machine; planning says so
        grid = np.array(placement.order).reshape([axes[name] for name in permuted])
        order = grid.transpose([permuted.index(name) for name in axes])
        found.append(Placement(placement.words, tuple(map(int, order.flat))))
    return found


def find_torus(machine: str) -> tuple[int, ...]:
    """The sizes of the machine's torus dims; none if it has no torus, or is not known."""
    try:
        levels = json.loads(engine.run(["machines", machines.to_flag(machine), "--json"], {}).stdout)["levels"]
    except PartitaError:
        return ()
    return tuple(int(level["size"]) for level in levels if level["kind"] in ("ring", "line"))


def list_all(axes: Mapping[str, int], machine: str) -> list[Placement]:
    """The placements that differ in their prices, row-major first; none if there are none."""
    command = ["machines", machines.to_flag(machine), f"--mesh={print_axes(axes)}", "--placements", "--json"]
    try:
        found = json.loads(engine.run(command, {}).stdout)["placements"]
    except PartitaError:
        return []
    return [Placement(str(each["placement"]), tuple(each["device_order"])) for each in found]
