"""A `jax.export.Exported` whose program is a text of ours. Nothing public makes one from a text."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Sequence
from typing import Any

import jax
from jax import export
from jax._src.interpreters import mlir
from jaxlib.mlir import ir

from partita._src.jax_internals.abstract_values import Aval, to_plain


def make_exported(
    text: str, name: str, in_avals: Sequence[Aval], out_avals: Sequence[Aval], num_devices: int, platform: str
) -> export.Exported:
    """A function of flat arguments, to be called under `jax.jit`, that runs the program as it is."""
    count_in, count_out = len(in_avals), len(out_avals)
    known = {field.name for field in dataclasses.fields(export.Exported)}
    changes: dict[str, Any] = {
        "fun_name": name,
        "in_tree": jax.tree.structure(((0,) * count_in, {})),
        "in_avals": tuple(to_plain(aval) for aval in in_avals),
        "out_tree": jax.tree.structure((0,) * count_out),
        "out_avals": tuple(to_plain(aval) for aval in out_avals),
        "_in_named_shardings": (None,) * count_in,
        "_out_named_shardings": (None,) * count_out,
        "in_shardings_hlo": (None,) * count_in,
        "out_shardings_hlo": (None,) * count_out,
        "nr_devices": num_devices,
        "mlir_module_serialized": serialize_program(_name_mesh(text)),
        "module_kept_var_idx": tuple(range(count_in)),
        "_get_vjp": None,
    }
    return dataclasses.replace(
        _smallest_export(platform), **{field: value for field, value in changes.items() if field in known}
    )


def _name_mesh(text: str) -> str:
    """The program with its mesh named by its axes: `@mesh_data_4_model_2`. Beside others, JAX takes meshes of one
    name for one mesh."""
    found = re.search(r"sdy\.mesh @mesh = <\[(.*?)\]", text)
    if found is None:
        return text
    name = "_".join(["mesh", *re.findall(r"\w+", found[1])])
    return re.sub(r"@mesh\b", f"@{name}", text)


def serialize_program(text: str) -> bytes:
    """A portable artifact of a program's text."""
    from jax._src.export import _export

    with mlir.make_ir_context():
        return bytes(_export._module_to_bytecode(ir.Module.parse(text)))


@functools.lru_cache(maxsize=8)
def _smallest_export(platform: str) -> export.Exported:
    return export.export(jax.jit(lambda x: x), platforms=[platform])(jax.ShapeDtypeStruct((), "float32"))
