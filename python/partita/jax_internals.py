"""The one file that touches parts of JAX that are not public.

What is needed: the jaxpr's equations with their source lines (to name callbacks), tracing a jaxpr again with the
captured
constants as arguments, and an `Exported` whose program is a text of ours. `jax.export.Exported` is public, but has no
public constructor from a text.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import itertools
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax
from jax import export
from jax._src import core, debugging, dispatch, effects, sharding_impls, source_info_util, tree_util
from jax._src.interpreters import ad, batching, mlir
from jax.extend import core as jax_extend
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func
from jaxlib.mlir.dialects import stablehlo as hlo

from partita import machines
from partita.errors import UnsupportedError

Aval = Any
Jaxpr = Any

# Where an op comes from is a line of the user's, also if this package bound it (kernels) or traced it again.
source_info_util.register_exclusion(os.path.dirname(os.path.abspath(__file__)) + os.sep)

PLAN_THE_WHOLE = "plan the function that holds the gradient or the vmap: partita.plan(jax.grad(f), ...)"

#: Whether code for explicit axes is lowered without devices.
LOWERS_EXPLICIT_AXES = jax.__version_info__ >= (0, 9)
#: Up to JAX 0.9, arguments without a sharding are taken to lie on one device when code for explicit axes is lowered.
EXPLICIT_NEEDS_SHARDINGS = jax.__version_info__ < (0, 10)


@contextlib.contextmanager
def under_mesh(mesh: jax.sharding.AbstractMesh) -> Iterator[None]:
    """Under which constraints and `shard_map` are traced, without devices."""
    # JAX 0.7 looks for the mesh of a bare spec only where `with mesh:` of devices leaves it; it reads its axes there.
    older = contextlib.nullcontext() if jax.__version_info__ >= (0, 8) else _as_if_of_devices(mesh)
    with jax.sharding.use_abstract_mesh(mesh), older:
        yield


@contextlib.contextmanager
def _as_if_of_devices(mesh: Any) -> Iterator[None]:
    jax.sharding.Mesh.__enter__(mesh)
    try:
        yield
    finally:
        jax.sharding.Mesh.__exit__(mesh, None, None, None)


def iterate_equations(jaxpr: Jaxpr) -> Iterator[Any]:
    """All equations, those inside others too."""
    for equation in jaxpr.eqns:
        yield equation
        for inner in core.jaxprs_in_params(equation.params):
            yield from iterate_equations(inner)


def source_line(equation: Any) -> str:
    """`file.py:12` of the user's code, with the function in parentheses."""
    return str(source_info_util.summarize(equation.source_info))


def find_callbacks(equations: Sequence[Any], *, ordered: bool = False) -> list[str]:
    """`file.py:12 (f): debug_callback` for each call back into Python; those alone that keep an order, if asked for."""
    return [
        f"{source_line(equation)}: {equation.primitive.name}"
        for equation in equations
        if ("callback" in equation.primitive.name or equation.primitive.name == "debug_print")
        and (not ordered or effects.ordered_effects.filter_in(equation.effects))
    ]


def is_debug_callback(equation: Any) -> bool:
    """Whether it prints, or calls back for debugging."""
    return any(equation.primitive is getattr(debugging, name, None) for name in ("debug_callback_p", "debug_print_p"))


def is_ordered(equation: Any) -> bool:
    """Whether its effects keep an order."""
    return bool(effects.ordered_effects.filter_in(equation.effects))


def drop_debug_callbacks(closed: Any) -> tuple[Any, list[str]]:
    """The jaxpr without what is there for debugging, at any depth, and `file.py:12 (f): debug_print` for each."""
    lines: list[str] = []

    def drop(equation: Any, is_local: bool) -> None:
        lines.append(f"{source_line(equation)}: {equation.primitive.name}")

    return _map_debug_callbacks(closed, drop), lines


def replace_debug_callbacks(closed: Any, make: Callable[[Any, bool], Any]) -> tuple[Any, bool]:
    """The jaxpr with what `make` gives of each equation, and whether it is on a piece of a value, printed in its place,
    and whether there is one. Those that keep an order stay, and those in a `shard_map` over a part of the mesh."""
    found: list[Any] = []

    def replace(equation: Any, is_local: bool | None) -> Any:
        if is_local is None or is_ordered(equation):
            return equation
        found.append(equation)
        return equation.replace(primitive=_print_primitive, params={"printed": make(equation, is_local)})

    changed = _map_debug_callbacks(closed, replace)
    return (changed, True) if found else (closed, False)


def _map_debug_callbacks(closed: Any, change: Callable[[Any, Any], Any]) -> Any:
    """The jaxpr with each equation that is there for debugging, at any depth, changed, or left out where None comes of
    it. `change` is told whether it stands in a `shard_map`; None: in one over a part of the mesh."""

    def visit(jaxpr: Any, is_local: bool | None) -> Any:
        if isinstance(jaxpr, jax_extend.ClosedJaxpr) and jaxpr.jaxpr is not jaxpr:
            return jaxpr.replace(jaxpr=visit(jaxpr.jaxpr, is_local))
        made = [visit_equation(equation, is_local) for equation in jaxpr.eqns]
        kept = [equation for equation in made if equation is not None]
        return jaxpr.replace(eqns=kept, effects=remaining(jaxpr.effects, kept))

    def remaining(before: Iterable[Any], inside: Sequence[Any]) -> set[Any]:
        """Of the effects of what holds equations or jaxprs, those that are left."""
        still = set().union(*(each.effects for each in inside))
        return {effect for effect in before if effect in still or not _is_of_debugging(effect)}

    def visit_equation(equation: Any, is_local: bool | None) -> Any:
        if is_debug_callback(equation):
            return change(equation, is_local)
        if equation.primitive.name == "pallas_call" or not any(map(_is_of_debugging, equation.effects)):
            return equation
        inside = _is_local_inside(equation) if equation.primitive.name == "shard_map" else is_local
        inner: list[Any] = []

        def visit_parameter(parameter: Any) -> Any:
            if type(parameter) is tuple:
                return tuple(map(visit_parameter, parameter))
            if not isinstance(parameter, (jax_extend.ClosedJaxpr, core.Jaxpr)):
                return parameter
            inner.append(visit(parameter, inside))
            return inner[-1]

        changed = {name: visit_parameter(parameter) for name, parameter in equation.params.items()}
        return equation.replace(params=changed, effects=remaining(equation.effects, inner))

    return visit(closed, False)


def _is_of_debugging(effect: Any) -> bool:
    return isinstance(effect, (type(debugging.debug_effect), type(debugging.ordered_debug_effect)))


def _is_local_inside(equation: Any) -> bool | None:
    """Of a `shard_map`: True if it is over all axes of its mesh."""
    parameters: Mapping[str, Any] = equation.params
    manual = parameters.get("newly_manual_axes", parameters.get("manual_axes", ()))
    return True if set(manual) == set(parameters["mesh"].axis_names) else None


def evaluate_jaxpr(jaxpr: Jaxpr, constants: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
    """The results of a jaxpr, traceable."""
    return list(core.eval_jaxpr(jaxpr, constants, *arguments))


def inner_jaxprs(equation: Any) -> list[tuple[Jaxpr, Sequence[Any]]]:
    """The jaxprs among an equation's parameters, each with its constants."""
    found: list[tuple[Jaxpr, Sequence[Any]]] = []
    for parameter in equation.params.values():
        for one in parameter if isinstance(parameter, tuple) else (parameter,):
            if isinstance(one, jax_extend.ClosedJaxpr):  # from JAX 0.12 on, every jaxpr has its constants
                found.append((one.jaxpr, one.consts))
            elif isinstance(one, core.Jaxpr):
                found.append((one, ()))
    return found


def has_own_shardings(equation: Any) -> bool:
    """Whether it is a jitted function that says how its arguments or results lie."""
    sides = (equation.params.get(side) or () for side in ("in_shardings", "out_shardings"))
    return any(isinstance(sharding, jax.sharding.Sharding) for side in sides for sharding in side)


def evaluate_equation(equation: Any, operands: Sequence[Any]) -> list[Any]:
    """The results of one equation, with its own source line and names."""
    made = equation.primitive.get_bind_params(equation.params)
    functions, parameters = made if isinstance(made, tuple) else ((), made)  # JAX 0.7 to 0.9 has functions apart
    with equation_context(equation), equation.ctx.manager:
        results = equation.primitive.bind(*functions, *operands, **parameters)
    return list(results) if equation.primitive.multiple_results else [results]


@contextlib.contextmanager
def equation_context(equation: Any) -> Iterator[None]:
    """In which what is traced has the equation's source line, and names that begin with its own."""
    information = equation.source_info
    stack = source_info_util.current_name_stack() + information.name_stack
    with source_info_util.user_context(information.traceback, name_stack=stack):
        yield


def bind_again(equation: Any, changes: Mapping[str, Any], operands: Sequence[Any]) -> list[Any]:
    """The results of the equation with other parameters and operands."""
    return list(equation.primitive.bind(*operands, **{**equation.params, **changes}))


def count_scan_operands(equation: Any) -> tuple[int, int]:
    """Of a scan's operands, how many are constants and how many are carried; the others are stepped through."""
    parameters: Mapping[str, Any] = equation.params
    if "num_consts" in parameters:
        return int(parameters["num_consts"]), int(parameters["num_carry"])
    constants, carried, _ = parameters["ft_in"].unpack()  # JAX 0.11
    return len(list(constants)), len(list(carried))


def find_platform_branch(equation: Any) -> int | None:
    """Of an equation that chooses by platform (`lax.platform_dependent`), the branch for the one that is traced for."""
    platforms = equation.params.get("branches_platforms") if equation.primitive.name == "cond" else None
    platform = traced_platform()
    if platforms is None or platform is None:
        return None
    names = {platform, "gpu"} if platform in ("cuda", "rocm") else {platform}
    for number, branch in enumerate(platforms):
        if branch is None or names & set(branch):
            return number
    return None


def abstract_value(leaf: Any) -> Aval:
    """Shape, dtype and weak type of an argument, or of what stands for one; TypeError if JAX takes none such."""
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    return core.typeof(leaf) if hasattr(core, "typeof") else core.get_aval(leaf)


def make_tree(node_data: Any, children: Sequence[Any]) -> Any:
    """A tree without leaves, from what `node_data()` and `children()` of one give."""
    kind: Any = jax.tree_util.PyTreeDef
    make = getattr(kind, "from_node_data_and_children", None) or kind.make_from_node_data_and_children
    return make(tree_util.default_registry, node_data, list(children))


def is_mutable(aval: Aval) -> bool:
    """Whether it is of a reference to an array."""
    return hasattr(aval, "inner_aval")


@functools.lru_cache(maxsize=8)
def _smallest_export(platform: str) -> export.Exported:
    return export.export(jax.jit(lambda x: x), platforms=[platform])(jax.ShapeDtypeStruct((), "float32"))


def serialize_program(text: str) -> bytes:
    """A portable artifact of a program's text."""
    from jax._src.export import _export

    with mlir.make_ir_context():
        return bytes(_export._module_to_bytecode(ir.Module.parse(text)))


def make_exported(
    text: str, name: str, in_avals: Sequence[Aval], out_avals: Sequence[Aval], num_devices: int, platform: str
) -> export.Exported:
    """A function of flat arguments, to be called under `jax.jit`, that runs the program as it is."""
    count_in, count_out = len(in_avals), len(out_avals)
    known = {field.name for field in dataclasses.fields(export.Exported)}
    changes: dict[str, Any] = {
        "fun_name": name,
        "in_tree": jax.tree.structure(((0,) * count_in, {})),
        "in_avals": tuple(_plain(aval) for aval in in_avals),
        "out_tree": jax.tree.structure((0,) * count_out),
        "out_avals": tuple(_plain(aval) for aval in out_avals),
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


def physical_shape(aval: Aval) -> tuple[int, ...]:
    """In the program: of typed PRNG keys with their words."""
    return tuple(core.physical_aval(aval).shape)


def _plain(aval: Aval) -> Aval:
    """Without sharding and memory space."""
    return core.ShapedArray(aval.shape, aval.dtype, weak_type=aval.weak_type)


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


# Kernels of GPUs where there is no GPU: what JAX asks of the devices at hand is assumed of those that are planned for.

_assumes_gpu: contextvars.ContextVar[bool] = contextvars.ContextVar("assumes_gpu", default=False)
#: The platform that a program is traced for, while it is.
_platform: contextvars.ContextVar[str | None] = contextvars.ContextVar("platform", default=None)
#: By the names of JAX's checks (0.7 to 0.12), what they say where there are such GPUs: cuDNN 9.11, Hopper or later.
_GPU_CHECKS: dict[str, Any] = {
    "check_cudnn_version": 91100,
    "check_compute_capability": True,
    "is_cuda_compute_capability_equal": False,
}


@contextlib.contextmanager
def assuming_gpu() -> Iterator[None]:
    """In which cuDNN's kernels can be traced and lowered without a GPU."""
    _install_gpu_checks()
    token = _assumes_gpu.set(True)
    try:
        yield
    finally:
        _assumes_gpu.reset(token)


@contextlib.contextmanager
def tracing_for(platform: str) -> Iterator[None]:
    """In which a program is traced and lowered for a platform."""
    token = _platform.set(platform)
    try:
        with assuming_gpu() if platform == "cuda" else contextlib.nullcontext():
            yield
    finally:
        _platform.reset(token)


def traced_platform() -> str | None:
    """The platform that a program is being traced for."""
    return _platform.get()


@functools.cache
def _install_gpu_checks() -> None:
    """Lets the checks ask for `assuming_gpu` first. Where this JAX has others, they stay as they are."""
    try:
        from jax._src.cudnn import fused_attention_stablehlo as module
    except ImportError:
        return
    for name, assumed in _GPU_CHECKS.items():
        if callable(original := getattr(module, name, None)):
            setattr(module, name, _assume(original, assumed))


def _assume(check: Callable[..., Any], assumed: Any) -> Callable[..., Any]:
    @functools.wraps(check)
    def asked(*arguments: Any) -> Any:
        if _assumes_gpu.get() and jax.default_backend() not in ("gpu", "cuda"):
            return assumed
        return check(*arguments)

    return asked


@functools.cache
def has_cudnn_attention() -> bool:
    """Whether this JAX has the primitives of cuDNN's attention as they are bound below, and the GPUs at hand, if there
    are any, take it: Ampere or later."""
    try:
        from jax._src.cudnn import fused_attention_stablehlo as module
    except ImportError:
        return False
    names = ("_dot_product_attention_fwd_p_wrapper", "_dot_product_attention_bwd_p_wrapper", "MaskType")
    devices = jax.devices() if jax.default_backend() == "gpu" else []
    old = any(float(getattr(device, "compute_capability", None) or 0) < 8 for device in devices)
    return not old and all(hasattr(module, name) for name in names)


def _cudnn_parameters(bias: Any, scale: float, is_causal: bool, window: int | None) -> tuple[Any, list[Any], Any]:
    """JAX's module, the operands behind queries, keys and values, and the parameters."""
    from jax._src.cudnn import fused_attention_stablehlo as module

    absent = jax.numpy.zeros(0, jax.numpy.bfloat16)
    parameters = {
        "scale": scale,
        "seed": 42,
        "dropout_rate": 0.0,
        "variadic_args": (bias is not None, False),
        "mask_type": module.MaskType.CAUSAL if is_causal else module.MaskType.NO_MASK,
        "layout": module.AttentionLayout.BTNH.value,
        "sliding_window_length": window,
    }
    return module, [absent if bias is None else bias, *[absent] * 6], parameters


def run_cudnn_attention(
    query: Any, key: Any, value: Any, bias: Any, *, scale: float, is_causal: bool, window: int | None
) -> tuple[Any, Any]:
    """The result, and what the backward pass wants to know of the softmax."""
    module, others, parameters = _cudnn_parameters(bias, scale, is_causal, window)
    bind = module._dot_product_attention_fwd_p_wrapper.bind
    result, statistics = bind(query, key, value, *others, is_training=True, **parameters)
    return result, statistics


def derive_cudnn_attention(
    query: Any, key: Any, value: Any, bias: Any, statistics: Any, result: Any, cotangent: Any,
    *, wants_bias: bool, scale: float, is_causal: bool, window: int | None,
) -> tuple[Any, ...]:  # fmt: skip
    """The cotangents of queries, keys and values, and of the bias if it is wanted."""
    module, others, parameters = _cudnn_parameters(bias, scale, is_causal, window)
    parameters["variadic_args"] = (bias is not None, wants_bias)
    bind = module._dot_product_attention_bwd_p_wrapper.bind
    return tuple(bind(query, key, value, *others, statistics, result, cotangent, **parameters))


def lacks_cudnn(error: RuntimeError) -> bool:
    """Whether tracing failed because the code calls cuDNN, and it is not for GPUs."""
    return (
        re.search(r"cuDNN is not detected|'dot_product_attention_\w+' not found for platform", str(error)) is not None
    )


def is_of_other_mesh(error: ValueError) -> bool:
    """Whether tracing failed only because a `shard_map` has a mesh of devices, and the mesh around it has none."""
    return "should match the mesh passed to shard_map" in str(error)


def names_shardings(error: ValueError) -> bool:
    """Whether tracing failed because the code says how its values lie, which wants explicit axes."""
    return "axis names that are of type Auto" in str(error)


def needs_mesh(error: RuntimeError) -> bool:
    """Whether tracing failed because the code names axes, and there is no mesh."""
    return "non-empty mesh" in str(error)


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


def without_locations(text: str) -> str:
    """A program's text without source lines: a comment in the user's file does not change it."""
    with mlir.make_ir_context():
        return str(ir.Module.parse(text).operation.get_asm(enable_debug_info=False))


def computes_same(text: str, other: str) -> bool:
    """Whether two programs are the same but for source lines and conversions to the type that a value has already."""
    return _normalize(text) == _normalize(other)


def _normalize(text: str) -> str:
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        for op in _find_operations(module.operation, "stablehlo.convert"):
            if op.operands[0].type == op.results[0].type:
                op.results[0].replace_all_uses_with(op.operands[0])
                op.erase()
        return str(module.operation.get_asm(enable_debug_info=False))


def replace_empty_arguments(text: str) -> str:
    """The program with constants for the empty arguments of computations on each device, which XLA may crash on."""
    with mlir.make_ir_context() as context, ir.Location.unknown(context):
        module = ir.Module.parse(text)
        for op in _find_operations(module.operation, "sdy.manual_computation"):
            block = op.regions[0].blocks[0]
            for argument in block.arguments:
                if 0 in ir.RankedTensorType(argument.type).shape:
                    value = ir.Attribute.parse(f"dense<> : {argument.type}")
                    constant = hlo.ConstantOp(value, ip=ir.InsertionPoint.at_block_begin(block))
                    argument.replace_all_uses_with(constant.result)
        return str(module.operation.get_asm(enable_debug_info=True))


def _find_operations(operation: Any, name: str) -> list[Any]:
    """Those of this name, at any depth."""
    found = [operation] if operation.name == name else []
    for region in operation.regions:
        for block in region:
            for op in block.operations:
                found += _find_operations(op.operation, name)
    return found


def argument_names(closed: Any) -> list[str]:
    """The names of the flat arguments, `state.params['w']`."""
    count = len(closed.in_avals)
    information = closed.jaxpr.debug_info
    return [str(name) for name in information.safe_arg_names(count)]


# Planned functions: one primitive, which is lowered as it is and which nothing transforms, however many jits and loops
# stand between it and a vmap or a grad.

_planned_primitive = jax_extend.Primitive("partita_planned")
_planned_primitive.multiple_results = True


@dataclasses.dataclass(frozen=True, eq=False)
class Planned:
    """A function of flat arguments: what it is called, and what results and effects it has."""

    function: Callable[..., Sequence[Any]]
    name: str
    out_avals: Sequence[Aval]
    effects: Iterable[Any] = ()
    #: By the names of their calls in what it is lowered to.
    prints: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def bind_planned(planned: Planned, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The results of a planned function, as one equation."""
    return tuple(_planned_primitive.bind(*arguments, planned=planned))


def _evaluate_planned_types(*_: Any, planned: Planned) -> tuple[tuple[Aval, ...], set[Any]]:
    return tuple(_plain(aval) for aval in planned.out_avals), set(planned.effects)


def _lower_planned(context: Any, *operands: Any, planned: Planned) -> Any:
    results = mlir.lower_fun(planned.function, multiple_results=True)(context, *operands)
    if planned.prints:
        _install_prints(context, planned.prints)
    return results


def _refuse_transformation(what: str, *_: Any, planned: Planned) -> Any:
    raise UnsupportedError(f"{planned.name} was planned as it is and cannot be {what}", remedy=PLAN_THE_WHOLE)


_planned_primitive.def_effectful_abstract_eval(_evaluate_planned_types)
_planned_primitive.def_impl(functools.partial(dispatch.apply_primitive, _planned_primitive))
mlir.register_lowering(_planned_primitive, _lower_planned)
ad.primitive_jvps[_planned_primitive] = functools.partial(_refuse_transformation, "differentiated")
ad.primitive_transposes[_planned_primitive] = functools.partial(_refuse_transformation, "transposed")
batching.primitive_batchers[_planned_primitive] = functools.partial(_refuse_transformation, "vectorised")


def manual_axes() -> tuple[str, ...]:
    """The axes of the `shard_map` that is being traced; none outside of one."""
    mesh = jax.sharding.get_abstract_mesh()
    kinds = zip(mesh.axis_names, mesh.axis_types or (), strict=True)
    return tuple(str(axis) for axis, kind in kinds if kind is jax.sharding.AxisType.Manual)


# Kernels: one primitive, whose lowering is its implementation, or a mark for the planner.

_kernel_primitive = jax_extend.Primitive("partita_kernel")
_kernel_primitive.multiple_results = True
#: While a program is lowered to be planned, what the calls of its kernels are named, by `Kernel.identity`.
_marks: contextvars.ContextVar[Mapping[Any, str] | None] = contextvars.ContextVar("marks", default=None)


def bind_kernel(kernel: Any, arguments: Sequence[Any], shapes: Sequence[Any]) -> tuple[Any, ...]:
    """The results of a kernel, as one equation."""
    avals = tuple(core.ShapedArray(shape.shape, shape.dtype) for shape in shapes)
    return tuple(_kernel_primitive.bind(*arguments, kernel=kernel, avals=avals))


def _run_kernel(*arguments: Any, kernel: Any, avals: Any) -> Any:
    results = kernel.impl(*arguments)
    return list(results) if isinstance(results, (tuple, list)) else [results]


_kernel_primitive.def_abstract_eval(lambda *_, kernel, avals: avals)
_kernel_primitive.def_impl(_run_kernel)


def _lower_kernel(context: Any, *operands: Any, kernel: Any, avals: Any) -> Any:
    marks = _marks.get()
    if marks is None:
        lower = mlir.lower_fun(_run_kernel, multiple_results=True)
        return lower(_with_devices(context), *operands, kernel=kernel, avals=avals)
    types = [ir.RankedTensorType.get(aval.shape, mlir.dtype_to_ir_type(aval.dtype)) for aval in avals]
    flops = ir.StringAttr.get(str(kernel.count_flops(context.avals_in)))
    return mlir.custom_call(
        marks[kernel.identity],
        result_types=types,
        operands=operands,
        backend_config="",
        extra_attributes={"mhlo.frontend_attributes": ir.DictAttr.get({"partita_flops": flops})},
    ).results


def _with_devices(context: Any) -> Any:
    """For what has to know devices when it is lowered (cuDNN's calls, `custom_partitioning`): JAX tells them only to
    programs in which it sees such a thing, and it sees into no kernel. Their number and order is all that counts."""
    module = context.module_context
    if getattr(module.axis_context, "device_assignment", ()) is not None:
        return context
    count = module.axis_context.num_devices
    devices = jax.devices()[:count]
    if len(devices) < count:
        return context
    known = dataclasses.replace(module.axis_context, device_assignment=tuple(devices))
    return context.replace(module_context=module.replace(axis_context=known))


mlir.register_lowering(_kernel_primitive, _lower_kernel)


def _map_kernel(arguments: Sequence[Any], dims: Sequence[Any], *, kernel: Any, avals: Any) -> Any:
    """Under `vmap`: the kernel with one more factor, which stands first."""
    mapped = tuple(dim is not None for dim in dims)
    moved = [jax.numpy.moveaxis(a, dim, 0) if m else a for a, dim, m in zip(arguments, dims, mapped, strict=True)]
    size = next(array.shape[0] for array, is_mapped in zip(moved, mapped, strict=True) if is_mapped)
    wider = tuple(core.ShapedArray((size, *aval.shape), aval.dtype) for aval in avals)
    results = _kernel_primitive.bind(*moved, kernel=kernel.map_over(mapped), avals=wider)
    return results, [0] * len(results)


batching.primitive_batchers[_kernel_primitive] = _map_kernel


@contextlib.contextmanager
def marking_kernels(kernels: Mapping[Any, Any]) -> Iterator[None]:
    """While a program is lowered to be planned, its kernels (`name_kernels`) are calls of their names."""
    token = _marks.set({identity: kernel.target for identity, kernel in kernels.items()})
    try:
        yield
    finally:
        _marks.reset(token)


def count_flops(function: Callable[..., Any], arguments: Sequence[Any]) -> int:
    """Multiplications and additions of the products in a function of such arguments."""
    return _count_flops(function, tuple(jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in arguments))


@functools.lru_cache(maxsize=256)  # layers are alike
def _count_flops(function: Callable[..., Any], shapes: tuple[Any, ...]) -> int:
    return count_jaxpr_flops(jax.make_jaxpr(function)(*shapes).jaxpr)


def count_jaxpr_flops(jaxpr: Jaxpr) -> int:
    """Loops count as often as they run, once if that is not known; of branches the one with most counts."""
    return sum(count_equation_flops(equation) for equation in jaxpr.eqns)


def count_equation_flops(equation: Any) -> int:
    """Those of one equation."""
    name, parameters = equation.primitive.name, equation.params
    if name == "dot_general":
        (contracted, _), _ = parameters["dimension_numbers"]
        shape = equation.invars[0].aval.shape
        return int(2 * math.prod(equation.outvars[0].aval.shape) * math.prod(shape[dim] for dim in contracted))
    if name == "conv_general_dilated":
        kernel = equation.invars[1].aval.shape
        features = kernel[parameters["dimension_numbers"].rhs_spec[0]]
        return int(2 * math.prod(equation.outvars[0].aval.shape) * math.prod(kernel) // max(features, 1))
    if name == "pallas_call":
        estimate = parameters.get("cost_estimate")
        if estimate is not None:
            return int(estimate.flops)
        steps = [size for size in parameters["grid_mapping"].grid if isinstance(size, int)]
        return math.prod(steps) * count_jaxpr_flops(parameters["jaxpr"])
    inner = [count_jaxpr_flops(jaxpr) for jaxpr, _ in inner_jaxprs(equation)]
    if name == "cond":
        return max(inner)
    return int(parameters["length"] if name == "scan" else 1) * sum(inner)


def name_body(jaxpr: Jaxpr) -> str:
    """What the function was called that a jaxpr was traced from."""
    return str(getattr(jaxpr.debug_info, "func_name", "") or "kernel")


def is_attention_of_jax(jaxpr: Jaxpr) -> bool:
    """Whether the body of a Pallas kernel stands in one of JAX's own files of attention kernels."""
    source = str(getattr(jaxpr.debug_info, "func_src_info", "") or "").replace(os.sep, "/")
    return re.search(r"/jax/experimental/pallas/ops/(tpu|gpu)/[\w/]*attention", source) is not None


def is_dropped(variable: Any) -> bool:
    """Whether a result of an equation is used nowhere."""
    return isinstance(variable, core.DropVar)


def find_dependence(jaxpr: Jaxpr) -> list[set[Any]]:
    """For each result, the jaxpr's arguments that it depends on."""
    known: dict[Any, set[Any]] = {variable: {variable} for variable in jaxpr.invars}
    for equation in jaxpr.eqns:
        sources = [known.get(atom, set()) for atom in equation.invars if not hasattr(atom, "val")]
        known |= {variable: set().union(*sources) for variable in equation.outvars}
    return [set() if hasattr(atom, "val") else known.get(atom, set()) for atom in jaxpr.outvars]


def uses_grid_dim(jaxpr: Jaxpr, number: int) -> bool:
    """Whether the body of a Pallas kernel uses the index of a step along a dim of the grid, or how many there are."""
    read: set[Any] = {atom for equation in jaxpr.eqns for atom in equation.invars if not hasattr(atom, "val")}
    read |= {atom for atom in jaxpr.outvars if not hasattr(atom, "val")}
    for equation in jaxpr.eqns:
        is_asked = equation.primitive.name in ("program_id", "num_programs") and equation.params.get("axis") == number
        if is_asked and any(variable in read for variable in equation.outvars):
            return True
        if any(uses_grid_dim(inner, number) for inner, _ in inner_jaxprs(equation)):
            return True
    return False


def name_kernels(equations: Sequence[Any]) -> dict[Any, Any]:
    """The kernels of a program by their identity. Different ones of one name are numbered: `scale`, `scale_2`."""
    named: dict[Any, Any] = {}
    taken: set[str] = set()
    for equation in equations:
        if equation.primitive is not _kernel_primitive or equation.params["kernel"].identity in named:
            continue
        kernel = equation.params["kernel"]
        numbered = (f"{kernel.name}_{number}" for number in itertools.count(2))
        name = next(name for name in itertools.chain([kernel.name], numbered) if name not in taken)
        taken.add(name)
        named[kernel.identity] = dataclasses.replace(kernel, name=name)
    return named


# Prints: one primitive, whose lowering is JAX's own, or a mark for the planner.

_print_primitive = jax_extend.Primitive("partita_print")
_print_primitive.multiple_results = True
#: While a program is lowered to be planned, what the calls of its prints (`prints.Print`) are named.
_print_marks: contextvars.ContextVar[Mapping[Any, str] | None] = contextvars.ContextVar("print_marks", default=None)


def get_print(equation: Any) -> Any:
    """What such an equation prints; None of others."""
    return equation.params["printed"] if equation.primitive is _print_primitive else None


def _lower_print(context: Any, *operands: Any, printed: Any) -> Any:
    marks = _print_marks.get()
    if marks is None:
        return mlir.lower_fun(printed.run, multiple_results=True)(context, *operands)
    return mlir.custom_call(
        marks[printed], result_types=[], operands=operands, backend_config="", has_side_effect=True
    ).results


_print_primitive.def_effectful_abstract_eval(lambda *_, printed: ((), set(printed.effects)))
_print_primitive.def_impl(lambda *operands, printed: printed.run(*operands))
mlir.register_lowering(_print_primitive, _lower_print)


@contextlib.contextmanager
def marking_prints(prints: Mapping[str, Any]) -> Iterator[None]:
    """While a program is lowered to be planned, its prints are calls of their names."""
    token = _print_marks.set({printed: name for name, printed in prints.items()})
    try:
        yield
    finally:
        _print_marks.reset(token)


def drop_calls(text: str, targets: Sequence[str]) -> str:
    """The program without these custom calls, which have no results."""
    if not targets:
        return text
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        for call in _find_operations(module.operation, "stablehlo.custom_call"):
            if ir.StringAttr(call.attributes["call_target_name"]).value in targets:
                call.erase()
        return str(module.operation.get_asm(enable_debug_info=True))


def _install_prints(context: Any, prints: Mapping[str, Any]) -> None:
    """Replaces the calls of prints in the module by calls of Python: by the first device, of pieces by each."""
    module = context.module_context
    # As inside a shard_map, which JAX tells by the names of its axes alone.
    mesh = jax.sharding.AbstractMesh((1,), ("devices",))
    manual = sharding_impls.SPMDAxisContext(mesh, frozenset(mesh.axis_names))
    for call in _find_operations(module.module.operation, "stablehlo.custom_call"):
        printed = prints.get(ir.StringAttr(call.attributes["call_target_name"]).value)
        if printed is None:
            continue
        inner = context.replace(
            module_context=module.replace(axis_context=manual),
            avals_in=[core.ShapedArray((), jax.numpy.uint32), *printed.avals],
            avals_out=[],
            tokens_out=None,
        )
        with ir.InsertionPoint(call), call.location:
            device = hlo.PartitionIdOp().result
            mlir.lower_fun(printed.run_on, multiple_results=True)(inner, device, *call.operands)
        call.erase()


# What is chosen by platform: one primitive, lowered as one of its functions. Other than `lax.platform_dependent` it
# traces none of the others, and nothing of them is moved out of loops.

_choice_primitive = jax_extend.Primitive("partita_choice")
_choice_primitive.multiple_results = True


def bind_choice(choice: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The results of a choice among functions of flat arrays, as one equation: `choice.choose(platform)` is the
    function for a platform, `choice.map` what it is under `vmap`."""
    return tuple(_choice_primitive.bind(*arguments, choice=choice))


def trace_choice(equation: Any) -> Any:
    """Of an equation that is a choice, the jaxpr for the platform that is traced for; None of others."""
    platform = traced_platform()
    if equation.primitive is not _choice_primitive or platform is None:
        return None
    shapes = tuple(jax.ShapeDtypeStruct(atom.aval.shape, atom.aval.dtype) for atom in equation.invars)
    return _trace_choice(equation.params["choice"], platform, shapes)


@functools.lru_cache(maxsize=64)  # layers are alike
def _trace_choice(choice: Any, platform: str, shapes: tuple[Any, ...]) -> Any:
    return jax.make_jaxpr(choice.choose(platform))(*shapes)


def _evaluate_choice_types(*avals: Any, choice: Any) -> tuple[Aval, ...]:
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals]
    return tuple(core.ShapedArray(s.shape, s.dtype) for s in jax.eval_shape(choice.choose("cpu"), *shapes))


def _lower_choice(platform: str, context: Any, *operands: Any, choice: Any) -> Any:
    with assuming_gpu():
        return mlir.lower_fun(choice.choose(platform), multiple_results=True)(context, *operands)


def _map_choice(arguments: Sequence[Any], dims: Sequence[Any], *, choice: Any) -> Any:
    size = next(a.shape[dim] for a, dim in zip(arguments, dims, strict=True) if dim is not None)
    moved = [a[None] if dim is None else jax.numpy.moveaxis(a, dim, 0) for a, dim in zip(arguments, dims, strict=True)]
    results = choice.map(moved, size)
    return results, [0] * len(results)


_choice_primitive.def_abstract_eval(_evaluate_choice_types)
_choice_primitive.def_impl(functools.partial(dispatch.apply_primitive, _choice_primitive))
mlir.register_lowering(_choice_primitive, functools.partial(_lower_choice, "cpu"))
for _name in ("cuda", "tpu"):
    mlir.register_lowering(_choice_primitive, functools.partial(_lower_choice, _name), platform=_name)
batching.primitive_batchers[_choice_primitive] = _map_choice
# cuDNN's calls have to know devices when they are lowered.
dispatch.prim_requires_devices_during_lowering.add(_choice_primitive)


def install_kernels(text: str, bodies: Mapping[str, Any], platform: str) -> str:
    """The program with each call of a kernel replaced by its body, lowered for the operands that it has there."""
    if not any(name in text for name in bodies):
        return text
    with mlir.make_ir_context() as context, ir.Location.unknown(context):
        module = ir.Module.parse(text)
        made: dict[tuple[str, ...], str] = {}
        for call in _find_operations(module.operation, "stablehlo.custom_call"):
            target = ir.StringAttr(call.attributes["call_target_name"]).value
            if target not in bodies:
                continue
            key = (target, *(str(operand.type) for operand in call.operands))
            if key not in made:
                shapes = [_to_shape(operand.type) for operand in call.operands]
                body = (
                    jax.jit(bodies[target], keep_unused=True)
                    .trace(*shapes)
                    .lower(lowering_platforms=(platform,))
                    .as_text()
                )
                name = target.replace(".", "_")
                made[key] = mlir.merge_mlir_modules(module, name, ir.Module.parse(body))
            with ir.InsertionPoint(call):
                types = [result.type for result in call.results]
                symbol = ir.FlatSymbolRefAttr.get(made[key])
                inner = func.CallOp(types, symbol, list(call.operands), loc=call.location)
            for old, new in zip(call.results, inner.results, strict=True):
                old.replace_all_uses_with(new)
            call.erase()
        return str(module.operation.get_asm(enable_debug_info=True))


_ELEMENTS = ("float32", "bfloat16", "float16", "float64", "int32", "int64", "int16", "int8", "uint32", "uint64",
             "uint8", "uint16", "bool", "complex64", "complex128", "int4", "uint4", "float8_e4m3fn", "float8_e5m2",
             "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz")  # fmt: skip


def _to_shape(tensor: Any) -> jax.ShapeDtypeStruct:
    ranked = ir.RankedTensorType(tensor)
    known = {str(mlir.dtype_to_ir_type(jax.numpy.dtype(name))): name for name in _ELEMENTS}
    return jax.ShapeDtypeStruct(tuple(ranked.shape), known[str(ranked.element_type)])
