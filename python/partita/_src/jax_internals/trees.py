"""Trees without leaves, made from parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax._src import tree_util


def make_tree(node_data: Any, children: Sequence[Any]) -> Any:
    """A tree without leaves, from what `node_data()` and `children()` of one give."""
    kind: Any = jax.tree_util.PyTreeDef
    make = getattr(kind, "from_node_data_and_children", None) or kind.make_from_node_data_and_children
    return make(tree_util.default_registry, node_data, list(children))
