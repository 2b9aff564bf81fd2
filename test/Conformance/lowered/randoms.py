"""Random numbers: all implementations, all distributions, and the raw bit generators."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from .registry import Family, f32, i32, shaped, u32

rng = Family("rng")
_KEY = jax.eval_shape(lambda: jax.random.key(0))
for _implementation in ("threefry2x32", "rbg", "unsafe_rbg"):
    _key = jax.eval_shape(lambda i=_implementation: jax.random.key(0, impl=i))
    rng.add(f"{_implementation}_seed", lambda s, i=_implementation: jax.random.key(s, impl=i), i32())
    rng.add(f"{_implementation}_uniform", lambda k: jax.random.uniform(k, (3, 4)), _key)
    rng.add(f"{_implementation}_split", lambda k: jax.random.split(k, 5), _key)
    rng.add(f"{_implementation}_fold_in", lambda k, i: jax.random.fold_in(k, i), _key, i32())
    rng.add(f"{_implementation}_bits_u8", lambda k: jax.random.bits(k, (7,), jnp.uint8), _key)
    rng.add(f"{_implementation}_bits_u64", lambda k: jax.random.bits(k, (7,), jnp.uint64), _key, x64=True)
    rng.add(
        f"{_implementation}_vmapped",
        jax.vmap(lambda k: jax.random.normal(k, (3,))),
        jax.ShapeDtypeStruct((4,), _key.dtype),
    )
    rng.add(
        f"{_implementation}_key_data",
        lambda k: jax.random.wrap_key_data(jax.random.key_data(k) + 1, impl=jax.random.key_impl(k)),
        _key,
    )
rng.add("raw_key", lambda k: jax.random.normal(k, (3,)), u32(2))
rng.add("threefry_cuda", lambda k: jax.random.normal(k, (3,)), _KEY, platforms=("cuda",))
rng.add("keys_in_loop", lambda k: lax.fori_loop(0, 3, lambda i, v: jax.random.split(v)[0], k), _KEY)
_NO_PARAMETERS = "bernoulli cauchy exponential gumbel laplace logistic normal rademacher uniform maxwell lognormal"
for _name in _NO_PARAMETERS.split():
    rng.add(_name, lambda k, n=_name: getattr(jax.random, n)(k, shape=(4,)), _KEY)
for _name in ["gamma", "loggamma", "poisson", "t", "chisquare", "pareto", "weibull_min", "geometric", "wald"]:
    if _name == "weibull_min":
        rng.add(_name, lambda k: jax.random.weibull_min(k, 1.0, 2.0, (4,)), _KEY)
    elif _name == "geometric":
        rng.add(_name, lambda k: jax.random.geometric(k, 0.3, (4,)), _KEY)
    else:
        rng.add(_name, lambda k, a, n=_name: getattr(jax.random, n)(k, a, (4,)), _KEY, f32(4))
rng.add("beta", lambda k, a, b: jax.random.beta(k, a, b), _KEY, f32(4), f32(4))
rng.add("binomial", lambda k, n, p: jax.random.binomial(k, n, p), _KEY, f32(4), f32(4))
rng.add("categorical", lambda k, x: jax.random.categorical(k, x), _KEY, f32(4, 7))
rng.add("choice", lambda k, x: jax.random.choice(k, x, (3,), replace=False), _KEY, f32(9))
rng.add("dirichlet", lambda k, a: jax.random.dirichlet(k, a), _KEY, f32(4))
rng.add("gamma_grad", jax.grad(lambda a, k: jax.random.gamma(k, a).sum()), f32(4), _KEY)
rng.add("multivariate_normal", lambda k, m, c: jax.random.multivariate_normal(k, m, c), _KEY, f32(3), f32(3, 3))
rng.add("orthogonal", lambda k: jax.random.orthogonal(k, 3), _KEY)
rng.add("permutation", lambda k: jax.random.permutation(k, 9), _KEY)
rng.add("randint", lambda k: jax.random.randint(k, (5,), -3, 9, jnp.int16), _KEY)
rng.add("truncated_normal", lambda k: jax.random.truncated_normal(k, -1, 1, (4,)), _KEY)
rng.add("ball", lambda k: jax.random.ball(k, 3), _KEY)
rng.add("normal_bf16", lambda k: jax.random.normal(k, (4,), jnp.bfloat16), _KEY)
rng.add("normal_c64", lambda k: jax.random.normal(k, (4,), jnp.complex64), _KEY)
rng.add("dropout", lambda k, x: jnp.where(jax.random.bernoulli(k, 0.9, x.shape), x / 0.9, 0), _KEY, f32(4, 8))
for _algorithm in lax.RandomAlgorithm:
    for _type in ("uint8", "uint16", "uint32", "uint64"):
        rng.add(
            f"bit_generator_{_algorithm.name.lower()}_{_type}",
            lambda k, a=_algorithm, t=_type: lax.rng_bit_generator(k, (3, 5), jnp.dtype(t), a),
            u32(4),
            x64=True,
        )
rng.add("bit_generator_u64_state", lambda k: lax.rng_bit_generator(k, (3,)), shaped("u8", 2), x64=True)
rng.add("rng_uniform", lambda a, b: lax.rng_uniform(a, b, (3, 4)), f32(), f32())
rng.add("rng_uniform_i32", lambda a, b: lax.rng_uniform(a, b, (3,)), i32(), i32())
