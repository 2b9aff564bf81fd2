"""Attention that is a kernel wherever there is one: cuDNN's on GPUs, splash on TPUs, plain XLA elsewhere.

    out = partita.attention(query, key, value, is_causal=True)

Arrays lie as those of `jax.nn.dot_product_attention`: queries [batch, queries, heads, width], keys and values
[batch, keys, key heads, width]. Which kernel runs is chosen when the program is lowered, by its platform. Under a plan
the kernels are split over batch and heads. What a kernel does not take (other types than bfloat16 and float16 on GPUs;
bias, masks and sizes that are no multiple of 128 on TPUs) runs as plain XLA. For the backward pass nothing is kept but
operands, result and a number for each query and head.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from partita._src.errors import UsageError
from partita._src.jax_internals import choice_primitive, cudnn

#: Sizes that splash attention takes are multiples of this.
_SPLASH_TILE = 128


@dataclasses.dataclass(frozen=True)
class Setting:
    """What is the same for all elements."""

    scale: float
    is_causal: bool
    #: How many keys a query sees to each side, its own position included; None for all.
    window: int | None


@dataclasses.dataclass(frozen=True)
class Operands:
    """The arrays of a call; those that were not given are None."""

    query: Any
    key: Any
    value: Any
    bias: Any = None
    mask: Any = None
    query_segments: Any = None
    key_segments: Any = None

    @property
    def differentiable(self) -> tuple[Any, ...]:
        return tuple(array for array in (self.query, self.key, self.value, self.bias) if array is not None)


jax.tree_util.register_dataclass(
    Operands, [field.name for field in dataclasses.fields(Operands)], []
)  # fmt: skip


def attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    segment_ids: Any = None,
    sliding_window: int | None = None,
) -> Any:
    """Dot-product attention by the kernel of the platform.

    Args:
      query: [batch, queries, heads, width], or without the batch.
      key: [batch, keys, key heads, width]; the number of key heads divides that of heads.
      value: as `key`.
      bias: is added to the scores: broadcast to [batch, heads, queries, keys].
      mask: booleans of that form; what is false is not seen.
      scale: of the scores; 1 / sqrt(width) if it is not given.
      is_causal: whether a query sees keys up to its own position alone.
      segment_ids: a pair of integers [batch, queries] and [batch, keys], or one array for both; a query sees keys of
        its own segment.
      sliding_window: how many keys up to its own position a query sees; to both sides if it is not causal.

    >>> import jax.numpy as jnp
    >>> attention(jnp.ones((2, 8, 4, 16)), jnp.ones((2, 8, 2, 16)), jnp.ones((2, 8, 2, 16)), is_causal=True).shape
    (2, 8, 4, 16)
    """
    shape = jnp.shape(query)
    query, key, value = (_to_rank(array, 4) for array in (query, key, value))
    _check(query, key, value, sliding_window)
    segments = segment_ids if isinstance(segment_ids, Sequence) else (segment_ids, segment_ids)
    operands = Operands(
        query, key, value,
        None if bias is None else _to_rank(bias, 4),
        None if mask is None else _to_rank(mask, 4),
        *(None if ids is None else _to_rank(ids, 2) for ids in segments),
    )  # fmt: skip
    setting = Setting(float(query.shape[-1] ** -0.5 if scale is None else scale), is_causal, sliding_window)
    return jnp.reshape(_attend(setting, operands), shape)


def _to_rank(array: Any, rank: int) -> jax.Array:
    """With leading dims of one."""
    array = jnp.asarray(array)
    return array.reshape((1,) * (rank - array.ndim) + array.shape)


def _check(query: jax.Array, key: jax.Array, value: jax.Array, window: int | None) -> None:
    batch, _, heads, width = query.shape
    if key.shape != value.shape or key.shape[0] != batch or key.shape[3] != width:
        raise UsageError(f"queries {query.shape}, keys {key.shape} and values {value.shape} do not fit each other")
    if not query.dtype == key.dtype == value.dtype:
        raise UsageError(f"queries are {query.dtype}, keys {key.dtype} and values {value.dtype}")
    if heads % key.shape[2]:
        raise UsageError(f"{key.shape[2]} key heads do not divide {heads} heads")
    if window is not None and window < 1:
        raise UsageError(f"sliding_window={window} is no number of keys")


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _attend(setting: Setting, operands: Operands) -> jax.Array:
    return _bind(setting, False, operands)[0]


@dataclasses.dataclass(frozen=True)
class Choice:
    """A pass, forward or backward, as functions of flat arrays, of which lowering chooses one by its platform."""

    setting: Setting
    tree: Any
    is_backward: bool

    def choose(self, platform: str) -> Callable[..., tuple[Any, ...]]:
        """The pass as it runs on a platform."""

        def run(*arrays: Any) -> tuple[Any, ...]:
            given = jax.tree.unflatten(self.tree, arrays)
            operands = given[0]
            is_cudnn = platform == "cuda" and _fits_cudnn(self.setting, operands)
            if is_cudnn:
                return (_derive_cudnn if self.is_backward else _run_cudnn)(self.setting, *given)
            function = run_splash if platform == "tpu" and _fits_splash(operands) else run_plain
            return (_derive if self.is_backward else _run)(function, self.setting, *given)

        return run

    def map(self, arrays: Sequence[Any], size: int) -> tuple[Any, ...]:
        """Under `vmap`: the arrays have a first dim of this size, or of one where they are the same for all. It becomes
        part of the batch."""
        operands = jax.tree.unflatten(self.tree, arrays)[0]
        batch = operands.query.shape[1]
        flat = [
            jnp.broadcast_to(array, (size, batch, *array.shape[2:])).reshape(size * batch, *array.shape[2:])
            for array in arrays
        ]
        results = choice_primitive.bind_choice(self, flat)
        if self.is_backward and operands.bias is not None and operands.bias.shape[1] != batch:
            *others, of_bias = results
            split = of_bias.reshape(size, batch, *of_bias.shape[1:])
            kept = [result.reshape(size, batch, *result.shape[1:]) for result in others]
            return (*kept, jnp.sum(split, axis=1, keepdims=True, dtype=jnp.float32).astype(of_bias.dtype))
        return tuple(result.reshape(size, batch, *result.shape[1:]) for result in results)


def _bind(setting: Setting, is_backward: bool, *given: Any) -> tuple[Any, ...]:
    arrays, tree = jax.tree.flatten(given)
    return choice_primitive.bind_choice(Choice(setting, tree, is_backward), arrays)


def _keep(setting: Setting, operands: Operands) -> tuple[jax.Array, Any]:
    result, statistics = _bind(setting, False, operands)
    return result, (operands, result, statistics)


def _give(setting: Setting, kept: Any, cotangent: jax.Array) -> tuple[Operands]:
    found = _bind(setting, True, *kept, cotangent)
    return (Operands(*found, *(None,) * (7 - len(found))),)


_attend.defvjp(_keep, _give)


def _run(function: Callable[..., Any], setting: Setting, operands: Operands) -> tuple[Any, ...]:
    """The result, and zeros for what only cuDNN keeps for the backward pass, a number for each query and head."""
    batch, queries, heads, _ = operands.query.shape
    return function(setting, operands), jnp.zeros((batch, heads, queries), jnp.float32)


def _derive(
    function: Callable[..., Any], setting: Setting, operands: Operands, _: Any, __: Any, cotangent: Any
) -> tuple[Any, ...]:
    """The derivative of a function, which runs once more for it."""
    names = ("query", "key", "value", "bias")[: len(operands.differentiable)]

    def of_floats(*arrays: Any) -> Any:
        return function(setting, dataclasses.replace(operands, **dict(zip(names, arrays, strict=True))))

    return tuple(jax.vjp(of_floats, *operands.differentiable)[1](cotangent))


#
# Plain XLA
#


def run_plain(setting: Setting, operands: Operands) -> jax.Array:
    """As `jax.nn.dot_product_attention` computes it."""
    return jax.nn.dot_product_attention(
        operands.query,
        operands.key,
        operands.value,
        operands.bias,
        _make_mask(operands),
        scale=setting.scale,
        is_causal=setting.is_causal,
        local_window_size=None if setting.window is None else (setting.window - 1, setting.window - 1),
        implementation="xla",
    )


def _make_mask(operands: Operands) -> jax.Array | None:
    """Which keys a query sees, but for its position: [batch or 1, heads or 1, queries, keys]."""
    mask = operands.mask
    if operands.query_segments is not None:
        same = operands.query_segments[:, None, :, None] == operands.key_segments[:, None, None, :]
        mask = same if mask is None else mask & same
    return mask


#
# cuDNN
#


def _fits_cudnn(setting: Setting, operands: Operands) -> bool:
    _, queries, _, width = operands.query.shape
    keys = operands.key.shape[1]
    if operands.query.dtype not in (jnp.bfloat16, jnp.float16) or width % 8 or width > 128:
        return False
    if (_make_mask(operands) is not None or operands.bias is not None) and (queries % 2 or keys % 2):
        return False
    return (setting.window is None or setting.is_causal) and cudnn.has_cudnn_attention()


def _make_cudnn_bias(operands: Operands) -> jax.Array | None:
    """Bias and masks as one, [batch or 1, heads or 1, queries, keys]."""
    dtype = operands.query.dtype
    bias, mask = operands.bias, _make_mask(operands)
    if mask is not None:
        hidden = jnp.where(mask, 0, jnp.asarray(-2 << (40 if dtype == jnp.bfloat16 else 14), dtype)).astype(dtype)
        bias = hidden if bias is None else bias.astype(dtype) + hidden
    if bias is None:
        return None
    shape = (*bias.shape[:2], operands.query.shape[1], operands.key.shape[1])
    return jnp.broadcast_to(bias.astype(dtype), shape)


def _cudnn_options(setting: Setting) -> dict[str, Any]:
    return {"scale": setting.scale, "is_causal": setting.is_causal, "window": setting.window}


def _run_cudnn(setting: Setting, operands: Operands) -> tuple[jax.Array, jax.Array]:
    bias = _make_cudnn_bias(operands)
    arrays = (operands.query, operands.key, operands.value, bias)
    return cudnn.run_cudnn_attention(*arrays, **_cudnn_options(setting))


def _derive_cudnn(
    setting: Setting, operands: Operands, result: Any, statistics: Any, cotangent: Any
) -> tuple[jax.Array, ...]:
    own, bias = operands.bias, _make_cudnn_bias(operands)
    arrays = (operands.query, operands.key, operands.value, bias)
    given = cudnn.derive_cudnn_attention(
        *arrays, statistics, result, cotangent, wants_bias=own is not None, **_cudnn_options(setting)
    )
    if own is None:
        return given
    *others, of_bias = given
    dims = [dim for dim, size in enumerate(own.shape) if size == 1 and of_bias.shape[dim] != 1]
    return (*others, jnp.sum(of_bias, axis=dims, keepdims=True, dtype=jnp.float32).astype(own.dtype))


#
# Splash
#


def _fits_splash(operands: Operands) -> bool:
    sizes = operands.query.shape[1], operands.key.shape[1], operands.query.shape[3]
    return operands.bias is None and operands.mask is None and not any(size % _SPLASH_TILE for size in sizes)


@functools.lru_cache(maxsize=64)
def _make_splash_mask(setting: Setting, queries: int, keys: int, heads: int) -> Any:
    from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks

    if setting.window is not None:
        right = 0 if setting.is_causal else setting.window - 1
        one: Any = masks.LocalMask((queries, keys), (setting.window - 1, right), 0)
    else:
        one = (masks.CausalMask if setting.is_causal else masks.FullMask)((queries, keys))
    return masks.MultiHeadMask([one] * heads)


def run_splash(setting: Setting, operands: Operands, *, interpret: bool = False) -> jax.Array:
    """Each batch element and each head of the keys, with the heads that share it, is a kernel of its own."""
    from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as splash

    batch, queries, heads, width = operands.query.shape
    _, keys, shared, _ = operands.key.shape
    query = operands.query * jnp.asarray(setting.scale, operands.query.dtype)
    query = query.reshape(batch, queries, shared, heads // shared, width).transpose(0, 2, 3, 1, 4)
    key, value = (array.transpose(0, 2, 1, 3) for array in (operands.key, operands.value))
    mask = _make_splash_mask(setting, queries, keys, heads // shared)
    with jax.ensure_compile_time_eval():
        run = splash.make_splash_mqa_single_device(mask=mask, interpret=interpret)
    if operands.query_segments is None:
        result = jax.vmap(jax.vmap(run))(query, key, value)
    else:
        shape = {"q": (batch, queries), "kv": (batch, keys)}
        given = zip(shape.items(), (operands.query_segments, operands.key_segments), strict=True)
        segments = splash.SegmentIds(**{n: jnp.broadcast_to(ids, s).astype(np.int32) for (n, s), ids in given})
        result = jax.vmap(jax.vmap(run, in_axes=(0, 0, 0, None)))(query, key, value, segments)
    return jnp.asarray(result).transpose(0, 3, 1, 2, 4).reshape(batch, queries, heads, width)
