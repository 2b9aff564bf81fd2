"""What `jax.jit`, a `Traced` and a `Lowered` know and do not show."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import jax

from partita._src import machines
from partita._src.jax_internals.abstract_values import Aval


@dataclasses.dataclass(frozen=True)
class JitSettings:
    """Which arguments of a jitted function are static and which are donated, by number and by name."""

    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()
    donate_argnums: tuple[int, ...] = ()
    donate_argnames: tuple[str, ...] = ()


def jit_settings(function: Any) -> JitSettings:
    """What `jax.jit` was told; nothing for what is no `jax.jit`."""
    known = getattr(function, "_jit_info", None)
    names = [field.name for field in dataclasses.fields(JitSettings)]
    return JitSettings(**{name: tuple(getattr(known, name, ())) for name in names})


def own_shardings(traced: Any) -> tuple[list[Any], list[Any]]:
    """The `in_shardings` and `out_shardings` of a jitted function, flat; None where it has none."""
    sides = (("in_shardings", len(traced.jaxpr.in_avals)), ("out_shardings", len(traced.jaxpr.out_avals)))
    parameters: Mapping[str, Any] = getattr(traced, "_params", {})
    found = []
    for side, count in sides:
        given = list(parameters.get(side) or ())
        known = given if len(given) == count else [None] * count
        found.append([s if isinstance(s, jax.sharding.NamedSharding) and not s.mesh.empty else None for s in known])
    return found[0], found[1]


@dataclasses.dataclass(frozen=True)
class LoweredDetails:
    """What a `jax.stages.Lowered` knows and does not show."""

    name: str
    platform: str
    in_avals: tuple[Aval, ...]
    out_avals: tuple[Aval, ...]
    argument_names: tuple[str, ...]
    callbacks: tuple[str, ...]
    dropped: int


def read_lowered(lowered: Any) -> LoweredDetails:
    known = lowered._lowering.compile_args
    in_avals, out_avals = tuple(known["global_in_avals"]), tuple(known["global_out_avals"])
    count = len(jax.tree.leaves(lowered.args_info))
    backend = known.get("backend")
    text = lowered.as_text(debug_info=True)
    module = re.search(r"module @(\w+)", text)
    signature = text[text.index("@main(") : text.index("\n", text.index("@main("))]
    names = re.findall(r'%arg\d+: [^%]*?loc\("((?:[^"\\]|\\.)*)"\)', signature)
    return LoweredDetails(
        name=module[1].removeprefix("jit_") if module else "main",
        platform=machines.name_platform(backend) if backend is not None else jax.default_backend(),
        in_avals=in_avals,
        out_avals=out_avals,
        argument_names=tuple(name.replace('\\"', '"') for name in names)
        if len(names) == count
        else tuple(f"arg{number}" for number in range(count)),
        callbacks=("the lowered program: a callback",) if known.get("host_callbacks") or known.get("keepalive") else (),
        dropped=count - len(known["kept_var_idx"]),
    )
