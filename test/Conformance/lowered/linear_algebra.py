"""Decompositions and solvers on all platforms (their custom calls differ), and Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.lax import linalg as ll

from .registry import Family, c64, f32, i32, shaped

linalg = Family("linalg")
_SQUARE = f32(4, 4)
_DECOMPOSITIONS: dict[str, Callable[..., Any]] = {
    "cholesky": jnp.linalg.cholesky,
    "qr": jnp.linalg.qr,
    "qr_full": lambda x: jnp.linalg.qr(x, mode="complete"),
    "eigh": jnp.linalg.eigh,
    "svd": lambda x: jnp.linalg.svd(x, full_matrices=False),
    "svd_values": lambda x: jnp.linalg.svd(x, compute_uv=False),
    "lu": lambda x: ll.lu(x),
    "tridiagonal": ll.tridiagonal,
    "hessenberg": ll.hessenberg,
}
for _platform in ("cpu", "cuda", "tpu"):
    for _name, _function in _DECOMPOSITIONS.items():
        if (
            _name in ("tridiagonal", "hessenberg")
            and _platform == "tpu"
            or (_name, _platform) == ("hessenberg", "cuda")
        ):
            continue
        linalg.add(f"{_name}_{_platform}", _function, _SQUARE, platforms=(_platform,))
for _name in ("cholesky", "qr", "eigh", "svd", "lu"):
    linalg.add(f"{_name}_batched_c64", _DECOMPOSITIONS[_name], c64(2, 4, 4))
    linalg.add(f"{_name}_f64", _DECOMPOSITIONS[_name], shaped("f8", 4, 4), x64=True)
    linalg.add(
        f"{_name}_grad",
        jax.grad(
            lambda x, f=_DECOMPOSITIONS[_name]: sum(
                jnp.abs(v).sum() for v in jax.tree.leaves(f(x)) if v.dtype == x.dtype
            )
        ),
        _SQUARE,
    )
linalg.add("eig", lambda x: jnp.linalg.eig(x), _SQUARE)
linalg.add("schur", lambda x: ll.schur(x), _SQUARE)
linalg.add("householder_product", ll.householder_product, _SQUARE, f32(4))
linalg.add("cholesky_update_cuda", ll.cholesky_update, _SQUARE, f32(4), platforms=("cuda",))
linalg.add("cholesky_update", ll.cholesky_update, _SQUARE, f32(4))
linalg.add("symmetric_product", lambda x, y: ll.symmetric_product(x, y), _SQUARE, _SQUARE)
linalg.add("symmetric_product_cuda", lambda x, y: ll.symmetric_product(x, y), _SQUARE, _SQUARE, platforms=("cuda",))
linalg.add("tridiagonal_solve", ll.tridiagonal_solve, f32(4), f32(4), f32(4), f32(4, 2))
linalg.add("tridiagonal_solve_cuda", ll.tridiagonal_solve, f32(4), f32(4), f32(4), f32(4, 2), platforms=("cuda",))
linalg.add("pivots_to_permutation_cuda", lambda p: ll.lu_pivots_to_permutation(p, 5), i32(4), platforms=("cuda",))
linalg.add("qdwh", lambda x: ll.qdwh(x), _SQUARE)
for _left in (True, False):
    for _lower in (True, False):
        for _kind in ("no", "conjugate", "transpose", "adjoint"):
            linalg.add(
                f"triangular_solve_{'left' if _left else 'right'}_{'lower' if _lower else 'upper'}_{_kind}",
                lambda a, b, left=_left, lower=_lower, kind=_kind: ll.triangular_solve(
                    a,
                    b,
                    left_side=left,
                    lower=lower,
                    transpose_a=kind in ("transpose", "adjoint"),
                    conjugate_a=kind in ("conjugate", "adjoint"),
                    unit_diagonal=lower,
                ),
                c64(4, 4),
                c64(4, 4),
                platforms=("tpu",),
            )
linalg.add("triangular_solve_cpu", lambda a, b: ll.triangular_solve(a, b, left_side=True), _SQUARE, f32(4, 2))
linalg.add(
    "triangular_solve_batched",
    lambda a, b: ll.triangular_solve(a, b, left_side=True, lower=True),
    f32(3, 4, 4),
    f32(3, 4, 2),
    platforms=("tpu",),
)
linalg.add("cholesky_upper", lambda x: jnp.linalg.cholesky(x, upper=True), _SQUARE)
linalg.add("solve", jnp.linalg.solve, _SQUARE, f32(4))
linalg.add("inv_det_slogdet", lambda x: (jnp.linalg.inv(x), jnp.linalg.det(x), jnp.linalg.slogdet(x)), _SQUARE)
linalg.add("pinv_lstsq", lambda x, b: (jnp.linalg.pinv(x), jnp.linalg.lstsq(x, b)), f32(5, 3), f32(5))
linalg.add("expm", jax.scipy.linalg.expm, _SQUARE)
linalg.add("norms", lambda x: (jnp.linalg.norm(x), jnp.linalg.norm(x, 1), jnp.linalg.norm(x, "nuc")), _SQUARE)
linalg.add("matrix_power_rank", lambda x: (jnp.linalg.matrix_power(x, 5), jnp.linalg.matrix_rank(x)), _SQUARE)
linalg.add("cg", lambda a, b: jax.scipy.sparse.linalg.cg(lambda v: a @ v, b, maxiter=5), _SQUARE, f32(4))
linalg.add(
    "gmres", lambda a, b: jax.scipy.sparse.linalg.gmres(lambda v: a @ v, b, maxiter=2, restart=3), _SQUARE, f32(4)
)
linalg.add("cho_solve", lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b), _SQUARE, f32(4))

fft = Family("fft")
fft.add("fft", jnp.fft.fft, c64(3, 8))
fft.add("ifft", jnp.fft.ifft, c64(3, 8))
fft.add("rfft", jnp.fft.rfft, f32(3, 8))
fft.add("irfft", jnp.fft.irfft, c64(3, 5))
fft.add("fft2", jnp.fft.fft2, c64(4, 8))
fft.add("rfftn", jnp.fft.rfftn, f32(4, 6, 8))
fft.add("irfft2_odd", lambda x: lax.fft(x, "IRFFT", (4, 7)), c64(4, 4))
fft.add("fft_c128", jnp.fft.fft, shaped("c16", 8), x64=True)
fft.add("grad", jax.grad(lambda x: jnp.abs(jnp.fft.rfft(x)).sum()), f32(8))
fft.add("convolve", lambda x, y: jax.scipy.signal.fftconvolve(x, y), f32(8), f32(3))
fft.add("dct", jax.scipy.fft.dct, f32(8))
