"""cuDNN's attention, also where there is no GPU: what JAX asks of the devices at hand is assumed of those that are
planned for.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

import jax

_assumes_gpu: contextvars.ContextVar[bool] = contextvars.ContextVar("assumes_gpu", default=False)
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
