"""Products of matrices at the shapes that real programs have: rows of `gpu_ops.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jax import lax

from gpu_op_row import Argument, OpRow, Shape, shape_text


def product_rows() -> Iterator[OpRow]:
    yield from products()
    yield from products_of_few_tokens()
    yield from products_of_types()
    yield from unaligned_products()
    yield from unaligned_products_of_tokens()
    yield from batched_products()


TOKENS = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
#: Contracted and free size of weights: whole and split ones of GPT-2, llama 8B and 70B, and sizes that no tile divides.
WEIGHTS = (
    (768, 768), (768, 3072), (3072, 768), (768, 50304), (768, 50257), (1024, 4096), (1600, 6400),
    (4096, 4096), (4096, 1024), (4096, 512), (512, 4096), (4096, 128), (4096, 14336), (14336, 4096),
    (4096, 1792), (1792, 4096), (4096, 11008), (2560, 6912), (5120, 13824), (8192, 8192), (8192, 28672), (8192, 3584),
    (4096, 16032), (4096, 128256),
)  # fmt: skip
ODD = (
    (100, 4096, 4096),
    (1000, 1000, 1000),
    (3000, 768, 2304),
    (4100, 4100, 4100),
    (2049, 4097, 4095),
    (1536, 5461, 2048),
)
LARGEST = 2**46
"""Operations beyond which a product says nothing new."""


def product(
    precision: Any = None, result: str | None = None, contracted: tuple[int, int] = (1, 0)
) -> Callable[..., Any]:
    def run(a: Any, b: Any) -> Any:
        dims = (((contracted[0],), (contracted[1],)), ((), ()))
        return lax.dot_general(a, b, dims, precision=precision, preferred_element_type=result)

    return run


def name_product(kind: str, a: Shape, b: Shape, form: str = "") -> str:
    return f"product {kind} {shape_text(a)} by {shape_text(b)}{form}"


def products() -> Iterator[OpRow]:
    for number, (k, n) in enumerate(WEIGHTS):
        # Every weight with every second number of tokens, so that each number meets half of the weights.
        for m in TOKENS[number % 2 :: 2]:
            if 2 * m * k * n <= LARGEST:
                yield OpRow(
                    "product",
                    name_product("bf16", (m, k), (k, n)),
                    product(),
                    (((m, k), "bfloat16"), ((k, n), "bfloat16")),
                )
    for m, k, n in ODD:
        for kind in ("bfloat16", "float32"):
            yield OpRow("product", name_product(kind, (m, k), (k, n)), product(), (((m, k), kind), ((k, n), kind)))
    # Gradients: of a weight (tokens are contracted), of an activation (the weight's second dim is).
    for tokens in (512, 2048, 8192):
        for k, n in WEIGHTS[1:20:2]:
            pair = (((tokens, k), "bfloat16"), ((tokens, n), "bfloat16"))
            yield OpRow(
                "product",
                name_product("bf16", (tokens, k), (tokens, n), " over tokens"),
                product(contracted=(0, 0)),
                pair,
            )
    for tokens in (1024, 4096):
        for k, n in WEIGHTS[0:20:2]:
            pair = (((tokens, n), "bfloat16"), ((k, n), "bfloat16"))
            yield OpRow(
                "product", name_product("bf16", (tokens, n), (k, n), " transposed"), product(contracted=(1, 1)), pair
            )
    for tokens in (64, 512, 2048, 8192):
        for k, n in ((768, 3072), (4096, 4096), (4096, 1792)):
            for kind in ("float32", "float16"):
                yield OpRow(
                    "product", name_product(kind, (tokens, k), (k, n)), product(), (((tokens, k), kind), ((k, n), kind))
                )
            exact = (((tokens, k), "float32"), ((k, n), "float32"))
            yield OpRow(
                "product", name_product("f32 highest", (tokens, k), (k, n)), product(lax.Precision.HIGHEST), exact
            )
            wide = (((tokens, k), "bfloat16"), ((k, n), "bfloat16"))
            yield OpRow("product", name_product("bf16 to f32", (tokens, k), (k, n)), product(result="float32"), wide)
    for tokens in (1024, 4096, 8192):
        for k, n in ((4096, 4096), (4096, 14336)):
            f8 = (((tokens, k), "float8_e4m3fn"), ((k, n), "float8_e4m3fn"))
            yield OpRow("product", name_product("f8", (tokens, k), (k, n)), product(result="bfloat16"), f8)
            i8 = (((tokens, k), "int8"), ((k, n), "int8"))
            yield OpRow("product", name_product("i8", (tokens, k), (k, n)), product(result="int32"), i8)
    for tokens in (16, 128, 512, 2048, 16384):
        for k, n in ((768, 3072), (1024, 4096), (4096, 1792), (4096, 8192), (8192, 8192), (14336, 4096)):
            f8 = (((tokens, k), "float8_e4m3fn"), ((k, n), "float8_e4m3fn"))
            yield OpRow("product", name_product("f8", (tokens, k), (k, n)), product(result="bfloat16"), f8)


def products_of_few_tokens() -> Iterator[OpRow]:
    """Steps of decoding: every weight with one token, both ways round, and with another number of few."""
    weights = (
        (2048, 2048), (2048, 8192), (8192, 2048), (1536, 1536), (3072, 3072), (5120, 5120), (11008, 4096), (8192, 1024),
        (1024, 1024), (1024, 8192), (4096, 6144), (6144, 4096), (2560, 2560), (4096, 256), (256, 4096), (4096, 32000),
        (12288, 1536), (1600, 4800), (28672, 1024), (512, 512),
    )  # fmt: skip
    for number, (k, n) in enumerate(weights):
        for m in (1, (2, 4, 8, 24)[number % 4]):
            wide: tuple[Argument, ...] = (((m, k), "bfloat16"), ((k, n), "bfloat16"))
            yield OpRow("product", name_product("bf16", (m, k), (k, n)), product(), wide)
            turned: tuple[Argument, ...] = (((m, k), "bfloat16"), ((n, k), "bfloat16"))
            text = name_product("bf16", (m, k), (n, k), " transposed")
            yield OpRow("product", text, product(contracted=(1, 1)), turned)
        exact: tuple[Argument, ...] = (((1, k), "float32"), ((k, n), "float32"))
        yield OpRow("product", name_product("float32", (1, k), (k, n)), product(), exact)


def unaligned_products() -> Iterator[OpRow]:
    """Rows that are no multiple of 16 bytes, of one operand, of the other and of the result."""
    for m, k, n in (
        (512, 1001, 1024), (512, 1024, 1001), (4096, 4097, 4096), (4096, 4096, 4098), (4096, 4100, 4096),
        (130, 2050, 4096),
        (2048, 770, 3072), (2048, 3072, 770), (8192, 1023, 1023), (256, 1600, 50257), (2048, 50257, 1024),
        (1024, 333, 777), (16, 4096, 50257), (128, 4096, 32001), (4096, 32001, 1024), (8192, 257, 2048),
    ):  # fmt: skip
        for kind in ("bfloat16", "float32") if m * k * n < 1 << 35 else ("bfloat16",):
            yield OpRow("product", name_product(kind, (m, k), (k, n)), product(), (((m, k), kind), ((k, n), kind)))


def batched_products() -> Iterator[OpRow]:
    """Scores and weighted values of attention, experts."""
    for batch, heads, length, depth in (
        (1, 8, 1024, 64), (8, 12, 1024, 64), (2, 4, 4096, 128), (1, 32, 2048, 128), (32, 16, 256, 64), (64, 8, 128, 64),
        (4, 1, 8192, 128),
        (16, 12, 512, 64), (2, 32, 4096, 128), (128, 4, 77, 64),
    ):  # fmt: skip
        q, w = (batch * heads, length, depth), (batch * heads, length, length)
        scores = lambda a, b: lax.dot_general(a, b, (((2,), (2,)), ((0,), (0,))))  # noqa: E731
        values = lambda a, b: lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,))))  # noqa: E731
        turned = lambda a, b: lax.dot_general(a, b, (((1,), (1,)), ((0,), (0,))))  # noqa: E731
        yield OpRow("batched product", f"scores bf16 {shape_text(q)}", scores, ((q, "bfloat16"), (q, "bfloat16")))
        yield OpRow(
            "batched product", f"values bf16 {shape_text(w)} by {depth}", values, ((w, "bfloat16"), (q, "bfloat16"))
        )
        yield OpRow(
            "batched product",
            f"values bf16 {shape_text(w)} by {depth} over rows",
            turned,
            ((w, "bfloat16"), (q, "bfloat16")),
        )
    for experts, rows, k, n in (
        (8, 256, 4096, 14336),
        (8, 1024, 4096, 3584),
        (64, 64, 2048, 1408),
        (64, 512, 2048, 1408),
        (16, 32, 1024, 4096),
    ):
        a, b = (experts, rows, k), (experts, k, n)
        run = lambda x, y: lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,))))  # noqa: E731
        yield OpRow("batched product", f"experts bf16 {shape_text(a)} by {n}", run, ((a, "bfloat16"), (b, "bfloat16")))


def products_of_types() -> Iterator[OpRow]:
    """Few and many tokens in types that are not of 16 bits, with weights both ways round."""
    weights = (
        (1024, 1024), (2048, 8192), (8192, 2048), (4096, 4096), (4096, 14336), (14336, 4096), (8192, 1024),
        (1024, 8192),
    )  # fmt: skip
    for number, (k, n) in enumerate(weights):
        for m in (1, 8, 32, 64, 256, 1536, 6144)[number % 2 :: 2]:
            yield from _rows_of_type("f8", "float8_e4m3fn", (m, k, n), result="bfloat16")
            yield from _rows_of_type("i8", "int8", (m, k, n), result="int32")
        for m in (8, 16, 128, 256, 1024, 4096)[number % 2 :: 2]:
            yield from _rows_of_type("float32", "float32", (m, k, n))
        for m in (16, 32, 128, 256, 1024, 1536)[1 - number % 2 :: 2]:
            exact = (((m, k), "float32"), ((k, n), "float32"))
            yield OpRow("product", name_product("f32 highest", (m, k), (k, n)), product(lax.Precision.HIGHEST), exact)
    for k, n in ((512, 512), (1600, 1600), (5120, 5120), (4096, 512), (28672, 1024)):
        for m in (16, 256, 4096):
            yield from _rows_of_type("f8", "float8_e4m3fn", (m, k, n), result="bfloat16")


def _rows_of_type(kind: str, element: str, sizes: tuple[int, int, int], result: str | None = None) -> Iterator[OpRow]:
    m, k, n = sizes
    wide = (((m, k), element), ((k, n), element))
    yield OpRow("product", name_product(kind, (m, k), (k, n)), product(result=result), wide)
    turned = (((m, k), element), ((n, k), element))
    text = name_product(kind, (m, k), (n, k), " transposed")
    yield OpRow("product", text, product(result=result, contracted=(1, 1)), turned)


def unaligned_products_of_tokens() -> Iterator[OpRow]:
    """Models whose vocabulary or width is no multiple of 16 bytes, with few tokens and with many."""
    for k, n in ((4096, 32001), (768, 50257), (2049, 2049), (4096, 1025), (4098, 1024), (1023, 4096), (514, 514)):
        for number, m in enumerate((16, 64, 256, 1024, 4096)):
            kind = "bfloat16" if (number + k) % 3 else "float32"
            yield OpRow("product", name_product(kind, (m, k), (k, n)), product(), (((m, k), kind), ((k, n), kind)))
