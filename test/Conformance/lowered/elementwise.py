"""Elementwise operations over their types, constants, broadcasting, and accuracy of transcendental functions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax.lax import AccuracyMode, Tolerance
from jax.scipy import special

from .registry import Family, bf16, boolean, c64, f32, i32, shaped, u32

unary = Family("unary")
for _name in [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i0e",
    "bessel_i1e",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "is_finite",
    "lgamma",
    "log",
    "log1p",
    "logistic",
    "neg",
    "reciprocal",
    "round",
    "rsqrt",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
]:
    unary.add(f"{_name}_f32", getattr(lax, _name), f32(3, 4))
for _name in ["cos", "erf", "exp", "log", "logistic", "neg", "rsqrt", "sqrt", "tan", "tanh", "lgamma", "asin", "acosh"]:
    unary.add(f"{_name}_bf16", getattr(lax, _name), bf16(5))
for _name in [
    "abs",
    "acos",
    "asin",
    "atan",
    "asinh",
    "acosh",
    "atanh",
    "conj",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "imag",
    "log",
    "log1p",
    "neg",
    "real",
    "rsqrt",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]:
    unary.add(f"{_name}_c64", getattr(lax, _name), c64(2, 2))
for _name in ["abs", "bitwise_not", "clz", "neg", "population_count", "sign", "square"]:
    unary.add(f"{_name}_i32", getattr(lax, _name), i32(7))
unary.add("bitwise_not_pred", lax.bitwise_not, boolean(7))
unary.add("clz_u8", lax.clz, shaped(jnp.uint8, 4))
unary.add("population_count_u64", lax.population_count, shaped("u8", 4), x64=True)
unary.add("round_even", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), f32(4))
unary.add("abs_f64", lax.abs, shaped("f8", 4), x64=True)
unary.add("exp_f16", lax.exp, shaped("f2", 4))
unary.add("scalar_tanh", lax.tanh, f32())
unary.add("empty_exp", lax.exp, f32(0, 4))
unary.add("integer_pow_7", lambda x: lax.integer_pow(x, 7), f32(4))
unary.add("integer_pow_minus_2", lambda x: lax.integer_pow(x, -2), f32(4))
unary.add("reduce_precision", lambda x: lax.reduce_precision(x, 5, 10), f32(4, 4))
unary.add("reduce_precision_bf16", lambda x: lax.reduce_precision(x, exponent_bits=4, mantissa_bits=3), bf16(4))
unary.add("is_nan_inf", lambda x: (jnp.isnan(x), jnp.isinf(x), jnp.isposinf(x), jnp.isneginf(x)), f32(4))
unary.add("nan_to_num", jnp.nan_to_num, f32(4))
unary.add("frexp", jnp.frexp, f32(4))
unary.add("sinc", jnp.sinc, f32(4))
for _name in ["gammaln", "i0", "i1", "expit", "ndtri", "log_ndtr", "entr", "erfcx", "expi", "spence"]:
    unary.add(f"special_{_name}", getattr(special, _name), f32(4))
for _name in [
    "relu",
    "gelu",
    "silu",
    "softplus",
    "elu",
    "selu",
    "softmax",
    "log_softmax",
    "celu",
    "mish",
    "hard_swish",
    "squareplus",
    "standardize",
]:
    unary.add(f"nn_{_name}", getattr(jax.nn, _name), f32(2, 8))
    if _name not in ("softmax", "standardize"):
        unary.add(f"nn_{_name}_grad", jax.grad(lambda x, n=_name: getattr(jax.nn, n)(x).sum()), bf16(2, 8))

accuracy = Family("accuracy")
for _name in ["exp", "exp2", "expm1", "log", "log1p", "logistic", "cos", "sin", "tan", "tanh", "rsqrt", "sqrt", "cbrt"]:
    accuracy.add(f"{_name}_highest", lambda x, n=_name: getattr(lax, n)(x, accuracy=AccuracyMode.HIGHEST), f32(4))
    accuracy.add(f"{_name}_tolerance", lambda x, n=_name: getattr(lax, n)(x, accuracy=Tolerance(1e-5, 0.0, 2)), f32(4))
accuracy.add("exp_default", lambda x: lax.exp(x, accuracy=AccuracyMode.DEFAULT), f32(4))

binary = Family("binary")
for _name in [
    "add",
    "atan2",
    "div",
    "max",
    "min",
    "mul",
    "nextafter",
    "pow",
    "rem",
    "sub",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "zeta",
    "polygamma",
    "igamma",
    "igammac",
]:
    binary.add(f"{_name}_f32", getattr(lax, _name), f32(3, 4), f32(3, 4))
for _name in [
    "add",
    "sub",
    "mul",
    "div",
    "rem",
    "max",
    "min",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "mulhi",
]:
    binary.add(f"{_name}_i32", getattr(lax, _name), i32(4), i32(4))
for _name in ["lt", "gt", "shift_right_logical", "div", "mulhi"]:
    binary.add(f"{_name}_u32", getattr(lax, _name), u32(4), u32(4))
for _name in ["add", "mul", "div", "pow", "eq", "sub", "ne"]:
    binary.add(f"{_name}_c64", getattr(lax, _name), c64(4), c64(4))
for _name in ["bitwise_and", "bitwise_or", "bitwise_xor", "eq", "max", "min"]:
    binary.add(f"{_name}_pred", getattr(lax, _name), boolean(4), boolean(4))
for _name in ["add", "max", "lt", "atan2", "nextafter", "pow"]:
    binary.add(f"{_name}_bf16", getattr(lax, _name), bf16(4), bf16(4))
binary.add("add_i64", lax.add, shaped("i8", 4), shaped("i8", 4), x64=True)
binary.add("compare_f64_total", lambda x, y: lax.sort((x, y), num_keys=2), shaped("f8", 4), shaped("f8", 4), x64=True)
binary.add("complex", lax.complex, f32(4), f32(4))
binary.add("complex128", lax.complex, shaped("f8", 4), shaped("f8", 4), x64=True)
binary.add("betainc", lax.betainc, f32(4), f32(4), f32(4))
binary.add("igamma_grad_a", lax.igamma_grad_a, f32(4), f32(4))
binary.add("random_gamma_grad", lax.random_gamma_grad, f32(4), f32(4))
binary.add("broadcasting", jnp.add, f32(3, 1), f32(4))
binary.add("add_scalar_weak", lambda x: x + 1.5, bf16(4))
binary.add("floor_divide", jnp.floor_divide, i32(4), i32(4))
binary.add("mod", jnp.mod, f32(4), f32(4))
binary.add("divmod_unsigned", jnp.divmod, u32(4), u32(4))
binary.add("logaddexp", jnp.logaddexp, f32(4), f32(4))
binary.add("hypot_gcd", lambda x, y, a, b: (jnp.hypot(x, y), jnp.gcd(a, b)), f32(4), f32(4), i32(4), i32(4))
binary.add("pow_int_exponent", lax.pow, f32(4), i32(4))
binary.add("copysign", jnp.copysign, f32(4), f32(4))

ternary = Family("ternary")
ternary.add("select", lax.select, boolean(3, 4), f32(3, 4), f32(3, 4))
ternary.add("select_scalar_predicate", lambda p, x, y: lax.select_n(p, x, y), boolean(), f32(4), f32(4))
ternary.add("select_n_three", lambda w, x, y, z: lax.select_n(w, x, y, z), i32(4), f32(4), f32(4), f32(4))
ternary.add("select_n_five", lambda w, *xs: lax.select_n(w, *xs), i32(4), *[f32(4)] * 5)
ternary.add("where_broadcast", lambda c, x: jnp.where(c, x, 0), boolean(3, 1), f32(4))
ternary.add("clamp", lambda x: lax.clamp(0.0, x, 1.0), f32(4))
ternary.add("clamp_arrays", lax.clamp, f32(4), f32(4), f32(4))
ternary.add("clip_ints", lambda x: jnp.clip(x, -3, 5), i32(4))

constants = Family("constants")
constants.add("splats", lambda: (jnp.zeros(4), jnp.ones((2, 2), jnp.int8), jnp.full((3,), True)))
constants.add("dense_f32", lambda x: x + np.array([[1.5, -2.25], [1e-30, 3e38]], np.float32), f32(2, 2))
constants.add("dense_i32", lambda x: x + np.arange(12, dtype=np.int32).reshape(3, 4), i32(3, 4))
constants.add("dense_pred", lambda x: x & np.array([True, False, True]), boolean(3))
constants.add("dense_c64", lambda x: x * np.array([1 + 2j, -3j, 0.5], np.complex64), c64(3))
constants.add("dense_bf16", lambda x: x * np.array([1.5, 2, 3], jnp.bfloat16), bf16(3))
constants.add("nan_inf", lambda x: x + np.array([np.nan, np.inf, -np.inf, -0.0], np.float32), f32(4))
constants.add("nan_payload", lambda x: x + np.array([0x7FC00001, 0xFFC12345], np.uint32).view(np.float32), f32(2))
constants.add("long_hex", lambda x: x + np.random.RandomState(0).randn(64).astype(np.float32), f32(64))
constants.add("long_hex_i64", lambda x: x + np.arange(100), shaped("i8", 100), x64=True)
constants.add("long_pred", lambda x: x & (np.arange(100) % 3 == 0), boolean(100))
constants.add("empty", lambda x: jnp.concatenate([x, np.zeros((0,), np.float32)]), f32(4))
constants.add("scalars_f16_f64", lambda: (np.float16(1.1), np.float64(1.1), np.uint8(200), np.int16(-5)), x64=True)
constants.add("int4", lambda x: x + np.array([1, -8, 7], jnp.int4), shaped(jnp.int4, 3))
constants.add("f8", lambda: jnp.array([1.0, -0.5, 448.0], jnp.float8_e4m3fn))
constants.add("iota", lambda: lax.iota(jnp.float32, 8))
constants.add(
    "iota_dims", lambda: (lax.broadcasted_iota(jnp.int32, (3, 4), 0), lax.broadcasted_iota(jnp.uint8, (3, 4), 1))
)
constants.add("iota_complex", lambda: lax.iota(jnp.complex64, 5))
constants.add("eye_tri", lambda: (jnp.eye(4), jnp.tri(3, 5, k=-1), jnp.linspace(0, 1, 7)))
