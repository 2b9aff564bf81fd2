"""Times, bytes and names as people read them, in the words of the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any


def print_bytes(count: float) -> str:
    """In powers of ten, as the command line does.

    >>> print_bytes(3 * 1024 * 1024), print_bytes(85_899_345_920), print_bytes(999)
    ('3.15 MB', '85.9 GB', '999 B')
    """
    return _print_scaled(count, ("B", "kB", "MB", "GB", "TB", "PB"))


def _print_scaled(amount: float, units: Sequence[str]) -> str:
    """In the largest unit of which there is at least one; each is 1000 of the one before."""
    scaled, place = float(amount), 0
    while abs(scaled) >= 999.95 and place + 1 < len(units):
        scaled, place = scaled / 1000, place + 1
    digits = 0 if place == 0 else 2 if abs(scaled) < 10 else 1
    return f"{scaled:.{digits}f} {units[place]}"


def print_time(picoseconds: float) -> str:
    """In a unit that reads well, as the command line does.

    >>> print_time(2_500_000_000), print_time(793_812_000_000), print_time(0)
    ('2.50 ms', '793.8 ms', '0 s')
    """
    return "0 s" if picoseconds == 0 else _print_scaled(picoseconds, ("ps", "ns", "us", "ms", "s"))


def print_fraction(fraction: float) -> str:
    """A pool of GPU memory, as JAX takes it from the environment.

    >>> print_fraction(0.92)
    'XLA_PYTHON_CLIENT_MEM_FRACTION=.92'
    """
    return f"XLA_PYTHON_CLIENT_MEM_FRACTION={fraction:.2f}".replace("=0.", "=.")


def name_axes(axes: Any) -> str:
    """The axes of a collective, which are a list or one name."""
    return axes if isinstance(axes, str) else ", ".join(axes)


def describe_bytes(local: float, whole: float) -> str:
    """What a device has, and of how much.

    >>> describe_bytes(1000, 8000), describe_bytes(8000, 8000)
    ('1.00 kB of 8.00 kB', '8.00 kB')
    """
    return print_bytes(local) + ("" if local == whole else f" of {print_bytes(whole)}")


def shorten(name: str, width: int = 60) -> str:
    """A name that fits on a line: of a long one whole parts of its start, which says whose it is, and of its end, which
    says what it is.

    >>> shorten("state.params['layers']['attention']['query']['kernel']", 42)
    "state.params...['query']['kernel']"
    """
    if len(name) <= width:
        return name
    parts = _split_parts(name)
    head = tail = 0
    most = min((width + 2) // 3, width - 3 - len(parts[-1]))  # the last part matters most
    for part in parts:
        if head + len(part) > most:
            break
        head += len(part)
    for part in reversed(parts):
        if head + 3 + tail + len(part) > width:
            tail += _find_path_end(part, width - head - 3 - tail) if tail else 0
            break
        tail += len(part)
    return f"{name[:head]}...{name[-tail:]}" if tail else f"...{name[3 - width :]}"


def _find_path_end(part: str, most: int) -> int:
    """The length of the end, from a slash on, of a key that is a path itself, as haiku's are.

    >>> _find_path_end("['net/block_0/conv_1']", 12), _find_path_end("['net/block_0/conv_1']", 8)
    (9, 0)
    """
    slash = part.find("/", max(0, len(part) - most))
    return 0 if slash < 0 else len(part) - slash


def _split_parts(name: str) -> list[str]:
    """What is in brackets stays together.

    >>> _split_parts("state.params['dense/kernel'][0]"), _split_parts("jit(step)/dot_general#0")
    (['state', '.params', "['dense/kernel']", '[0]'], ['jit(step)', '/dot_general#0'])
    """
    parts, depth = [""], 0
    for sign in name:
        if depth == 0 and sign in "[./" and parts[-1]:
            parts.append("")
        depth = max(0, depth + (sign == "[") - (sign == "]"))
        parts[-1] += sign
    return parts


def drop_folder(text: str) -> str:
    """Source lines below the working folder, by their path from there.

    >>> drop_folder(f"needed by dot_general ({os.getcwd()}/model.py:42)")
    'needed by dot_general (model.py:42)'
    """
    folder = os.path.join(os.getcwd(), "")
    return text if folder == os.sep else text.replace(folder, "")


def print_spec(sharding: str) -> str:
    """A sharding as the tool writes it, as JAX does.

    >>> print_spec("[{}, {data, model}, {}]"), print_spec("[{}]")
    ("P(None, ('data', 'model'))", 'P()')
    """
    dims: list[str] = []
    for axes in re.findall(r"\{([^}]*)\}", sharding):
        names = [f"'{axis}'" for axis in axes.split(", ") if axis]
        dims.append("None" if not names else names[0] if len(names) == 1 else f"({', '.join(names)})")
    while dims and dims[-1] == "None":
        dims.pop()
    return f"P({', '.join(dims)})"


def print_width(ppm: int) -> str:
    """A standard deviation in millionths, as it stands behind a figure; rounded up.

    >>> print_width(125_000), print_width(0)
    (' ± 13%', '')
    """
    return f" ± {-(-ppm // 10_000)}%" if ppm else ""
