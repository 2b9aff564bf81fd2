"""The text of a program, changed and compared as an MLIR module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func
from jaxlib.mlir.dialects import stablehlo as hlo


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
        for op in find_operations(module.operation, "stablehlo.convert"):
            if op.operands[0].type == op.results[0].type:
                op.results[0].replace_all_uses_with(op.operands[0])
                op.erase()
        return str(module.operation.get_asm(enable_debug_info=False))


def replace_empty_arguments(text: str) -> str:
    """The program with constants for the empty arguments of computations on each device, which XLA may crash on."""
    with mlir.make_ir_context() as context, ir.Location.unknown(context):
        module = ir.Module.parse(text)
        for op in find_operations(module.operation, "sdy.manual_computation"):
            block = op.regions[0].blocks[0]
            for argument in block.arguments:
                if 0 in ir.RankedTensorType(argument.type).shape:
                    value = ir.Attribute.parse(f"dense<> : {argument.type}")
                    constant = hlo.ConstantOp(value, ip=ir.InsertionPoint.at_block_begin(block))
                    argument.replace_all_uses_with(constant.result)
        return str(module.operation.get_asm(enable_debug_info=True))


def drop_calls(text: str, targets: Sequence[str]) -> str:
    """The program without these custom calls, which have no results."""
    if not targets:
        return text
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        for call in find_operations(module.operation, "stablehlo.custom_call"):
            if ir.StringAttr(call.attributes["call_target_name"]).value in targets:
                call.erase()
        return str(module.operation.get_asm(enable_debug_info=True))


def install_kernels(text: str, bodies: Mapping[str, Any], platform: str) -> str:
    """The program with each call of a kernel replaced by its body, lowered for the operands that it has there."""
    if not any(name in text for name in bodies):
        return text
    with mlir.make_ir_context() as context, ir.Location.unknown(context):
        module = ir.Module.parse(text)
        made: dict[tuple[str, ...], str] = {}
        for call in find_operations(module.operation, "stablehlo.custom_call"):
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


def find_operations(operation: Any, name: str) -> list[Any]:
    """Those of this name, at any depth."""
    found = [operation] if operation.name == name else []
    for region in operation.regions:
        for block in region:
            for op in block.operations:
                found += find_operations(op.operation, name)
    return found
