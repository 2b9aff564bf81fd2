"""What a name that is not known was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def advise_name(name: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?` of a name that is near one of those that are known, or is the end of one, of several the
    shortest: a parameter rather than its moments; of a tree of them, the pattern of all that are in it; otherwise
    nothing.

    >>> advise_name("modle", ["data", "model"]), advise_name("w1", ["mu/deep/w1", "params/w1"])
    ("did you mean 'model'?", "did you mean 'params/w1'?")
    >>> advise_name("mu", ["mu/w1", "params/w1"]), advise_name("layer_1", ["params/layer_1/w"])
    ("did you mean 'mu/.*'?", "did you mean '.*/layer_1/.*'?")
    >>> advise_name("x", ["data"])
    ''
    """
    names = list(known)
    if inside := next((each for each in names if f"/{name}/" in f"/{each}"), None):
        return f"did you mean {('' if inside.startswith(f'{name}/') else '.*/') + name + '/.*'!r}?"
    ends = sorted((each for each in names if each.endswith(f"/{name}")), key=lambda each: (len(each), each))
    near = ends or difflib.get_close_matches(name, names, 1, cutoff=0.7)
    return f"did you mean {near[0]!r}?" if near else ""
