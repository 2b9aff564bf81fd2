"""Changes to programs that a parser must survive: one function each, from a text and a random source to a text.

Most work on tokens, so that much of what they make is still read far enough to reach verifiers and printers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%#!@^]?[A-Za-z_][\w$.]*|-?\d+(?:\.\d+(?:[eE][+-]?\d+)?)?|\s+|->|.', re.DOTALL)
NUMBER = re.compile(r"-?\d+")
TYPE = re.compile(r"tensor<[^<>]*>|!stablehlo\.token|tuple<[^<>]*>")
STRANGE_NUMBERS = (
    "-1", "0", "1", "2", "3", "7", "64", "65", "255", "256", "2147483647", "2147483648", "-2147483649", "4294967296",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616", "0x7FF", "1e309",
)  # fmt: skip
STRANGE_TYPES = (
    "tensor<f32>", "tensor<0xf32>", "tensor<1xf32>", "tensor<?xf32>", "tensor<*xf32>", "tensor<4xi1>", "tensor<4xui8>",
    "tensor<2x2xcomplex<f64>>", "tensor<4x!quant.uniform<i8:f32, 1.0>>", "tensor<9223372036854775807xi8>", "f32",
    "tensor<?xf32, #stablehlo.bounds<4>>", "tensor<3xf8E4M3FN>", "tensor<4xi4>", "!stablehlo.token", "tuple<>",
    "tuple<tensor<f32>, tuple<i32>>", "vector<4xf32>", "memref<4xf32>", "index", "tensor<4xindex>", "() -> ()",
    "tensor<0x0xi32>", "none", "tensor<4xf32, 1>", "tensor<2x3x4x5x6x7xf64>", "tensor<tensor<f32>>",
)  # fmt: skip
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
DEEPEST = 200

Mutation = Callable[[str, random.Random], str]


def tokens_of(text: str) -> list[str]:
    return TOKEN.findall(text)


def solid(tokens: list[str], rng: random.Random) -> int:
    """The index of a token that is not white space."""
    for _ in range(20):
        at = rng.randrange(len(tokens))
        if not tokens[at].isspace():
            break
    return at


def delete_token(text: str, rng: random.Random) -> str:
    tokens = tokens_of(text)
    del tokens[solid(tokens, rng)]
    return "".join(tokens)


def duplicate_token(text: str, rng: random.Random) -> str:
    tokens = tokens_of(text)
    at = solid(tokens, rng)
    tokens.insert(at, tokens[at] + rng.choice(("", " ", ", ")))
    return "".join(tokens)


def swap_tokens(text: str, rng: random.Random) -> str:
    tokens = tokens_of(text)
    first, second = solid(tokens, rng), solid(tokens, rng)
    tokens[first], tokens[second] = tokens[second], tokens[first]
    return "".join(tokens)


def swap_alike(text: str, rng: random.Random) -> str:
    """Two tokens that start alike: two values, two names, two numbers."""
    tokens = tokens_of(text)
    first = solid(tokens, rng)
    alike = [at for at, token in enumerate(tokens) if token[0] == tokens[first][0]]
    second = rng.choice(alike)
    tokens[first], tokens[second] = tokens[second], tokens[first]
    return "".join(tokens)


def replace_match(pattern: re.Pattern[str], choices: tuple[str, ...], text: str, rng: random.Random) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    place = rng.choice(found)
    return text[: place.start()] + rng.choice(choices) + text[place.end() :]


def change_number(text: str, rng: random.Random) -> str:
    return replace_match(NUMBER, STRANGE_NUMBERS, text, rng)


def change_type(text: str, rng: random.Random) -> str:
    return replace_match(TYPE, STRANGE_TYPES, text, rng)


def change_all_of_a_type(text: str, rng: random.Random) -> str:
    """Every use of one type at once: what remains is often a valid program of unusual types."""
    found = TYPE.findall(text)
    return text.replace(rng.choice(found), rng.choice(STRANGE_TYPES)) if found else text


def nest(text: str, rng: random.Random) -> str:
    tokens = tokens_of(text)
    at, levels = solid(tokens, rng), rng.choice((1, 2, 10, DEEPEST))
    opening, closing = rng.choice(BRACKETS)
    tokens[at] = opening * levels + tokens[at] + closing * rng.choice((levels, levels - 1, 0))
    return "".join(tokens)


def cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text))]


def cut_middle(text: str, rng: random.Random) -> str:
    start = rng.randrange(len(text))
    return text[:start] + text[start + rng.randrange(1, 40) :]


def edit_line(text: str, rng: random.Random) -> str:
    """Deletes, repeats or moves one line."""
    lines = text.splitlines(keepends=True)
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.randrange(3)):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return "".join(lines)


def flip_byte(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    byte = rng.choice((0, 9, 10, 34, 37, 35, 33, 64, 127, 233, 0x3B1, rng.randrange(32, 127)))
    return text[:at] + chr(byte) + text[at + 1 :]


TEXT_MUTATIONS: tuple[Mutation, ...] = (
    delete_token,
    duplicate_token,
    swap_tokens,
    swap_alike,
    swap_alike,
    change_number,
    change_number,
    change_type,
    change_type,
    change_all_of_a_type,
    nest,
    cut,
    cut_middle,
    edit_line,
    flip_byte,
)


def splice(text: str, other: str, rng: random.Random) -> str:
    """A few lines of another program in the middle of this one."""
    lines, donor = text.splitlines(keepends=True), other.splitlines(keepends=True)
    start = rng.randrange(len(donor))
    at = rng.randrange(len(lines) + 1)
    return "".join(lines[:at] + donor[start : start + rng.randrange(1, 6)] + lines[at:])


def mutate_text(text: str, seeds: list[str], rng: random.Random) -> str:
    """One to four changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        if not text:
            return "("
        if rng.random() < 0.05:
            text = splice(text, rng.choice(seeds), rng)
        else:
            text = rng.choice(TEXT_MUTATIONS)(text, rng)
    return text


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """One to six changes; the magic number mostly stays, so that the reader goes on."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        if len(changed) < 6:
            break
        at = rng.randrange(4 if rng.random() < 0.98 else 0, len(changed))
        kind = rng.randrange(6)
        if kind == 0:
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            changed[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFE, 0xFF))
        elif kind == 2:
            del changed[at : at + rng.randrange(1, 9)]
        elif kind == 3:
            changed[at:at] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 4:
            changed[at:at] = changed[at : at + rng.randrange(1, 64)]
        elif rng.random() < 0.2:
            del changed[max(5, at) :]
        else:
            del changed[at]
    return bytes(changed)
