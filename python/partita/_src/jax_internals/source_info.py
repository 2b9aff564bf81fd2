"""Where a traced program comes from: source lines, and the names of functions and arguments."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Any

from jax._src import source_info_util


def source_line(equation: Any) -> str:
    """`file.py:12` of the user's code, with the function in parentheses."""
    return str(source_info_util.summarize(equation.source_info))


@contextlib.contextmanager
def equation_context(equation: Any) -> Iterator[None]:
    """In which what is traced has the equation's source line, and names that begin with its own."""
    information = equation.source_info
    stack = source_info_util.current_name_stack() + information.name_stack
    with source_info_util.user_context(information.traceback, name_stack=stack):
        yield


def argument_names(closed: Any) -> list[str]:
    """The names of the flat arguments, `state.params['w']`."""
    count = len(closed.in_avals)
    information = closed.jaxpr.debug_info
    return [str(name) for name in information.safe_arg_names(count)]


def name_body(jaxpr: Any) -> str:
    """What the function was called that a jaxpr was traced from."""
    return str(getattr(jaxpr.debug_info, "func_name", "") or "kernel")


def is_attention_of_jax(jaxpr: Any) -> bool:
    """Whether the body of a Pallas kernel stands in one of JAX's own files of attention kernels."""
    source = str(getattr(jaxpr.debug_info, "func_src_info", "") or "").replace(os.sep, "/")
    return re.search(r"/jax/experimental/pallas/ops/(tpu|gpu)/[\w/]*attention", source) is not None
