"""Pallas kernels as kernels with a rule.

A Pallas kernel runs a body for each step of a grid, on blocks of its operands that index maps choose. A dim of the grid
is *free* if its steps do not know of each other: each takes its own block along one dim of every operand that it moves
along, and gives its own block of every result. The kernel on a piece is then the same one with a shorter grid. A dim is
free if

- its index appears in index maps alone as it is, along one dim, whose blocks fill it; never in the body;
- every result that is used has such a dim, and some operand, too;
- the body cannot hold the grid's size as a number: it comes from `vmap`, which bodies do not see, or the kernel is one
  of JAX's own attention kernels, which are known;
- nothing is carried from step to step: it comes from `vmap`, is declared "parallel", or there is no scratch memory and
  every result has such a dim.

All other dims stay whole. The work is what the author says (`cost_estimate`), or the products of the body times the
grid.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from partita._src.flops import count_equation_flops
from partita._src.jax_internals import jaxprs, source_info
from partita._src.kernels import Kernel

PRIMITIVE = "pallas_call"
#: In the place of a dim along which a step moves: there is none; it moves along several, or not block by block.
_NONE, _OTHERWISE = -1, -2
#: Kernels by their text, so that repeated layers have the same one.
_KNOWN: dict[Any, Kernel] = {}
_MAX_KNOWN = 512


def is_kernel(equation: Any) -> bool:
    """Whether an equation is a `pallas_call` whose grid is of a form that is known here, so that it has a rule. Others
    are lowered as they are."""
    mapping = equation.params.get("grid_mapping") if equation.primitive.name == PRIMITIVE else None
    blocks = getattr(mapping, "block_mappings", None)
    known = all(hasattr(mapping, name) for name in ("grid", "num_inputs", "vmapped_dims", "scratch_avals"))
    return blocks is not None and known and all(hasattr(block, "array_aval") for block in blocks)


def make_kernel(equation: Any) -> Kernel:
    """The kernel of a `pallas_call`."""
    used = tuple(not jaxprs.is_dropped(variable) for variable in equation.outvars)
    key = (used, _print(equation))
    if key not in _KNOWN:
        if len(_KNOWN) >= _MAX_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = _Call(equation, used).make_kernel()
    return _KNOWN[key]


def _print(equation: Any) -> tuple[str, ...]:
    """All that a call is made of. The text of a grid leaves out the index maps."""
    mapping = equation.params["grid_mapping"]
    blocks = [
        str(getattr(block, field.name)) for block in mapping.block_mappings for field in dataclasses.fields(block)
    ]
    others = [f"{name}={value}" for name, value in sorted(equation.params.items())]
    return (*(str(atom.aval) for atom in equation.invars), *blocks, *others)


@dataclasses.dataclass(frozen=True, eq=False)
class PallasKernel(Kernel):
    """A kernel that knows its work, and whether any of its dims can be split."""

    flops: int = 0
    is_whole: bool = False

    def count_flops(self, _: Sequence[Any]) -> int:
        return self.flops


class _Call:
    """One `pallas_call`, and which dims of its grid are free."""

    def __init__(self, equation: Any, used: Sequence[bool]) -> None:
        self.equation = equation
        self.used = used
        self.parameters = dict(equation.params)
        self.mapping = self.parameters["grid_mapping"]
        self.grid = tuple(self.mapping.grid)
        #: Operands that hold indices and have no blocks come first.
        self.leading = len(equation.invars) - self.mapping.num_inputs
        #: For each operand with blocks and each result, the dim that each dim of the grid moves along block by block.
        self.moves = [self._find_moves(block) for block in self.mapping.block_mappings]
        self.free = [number for number in range(len(self.grid)) if self._is_plain() and self._is_free(number)]

    def make_kernel(self) -> Kernel:
        shapes = [atom.aval.shape for atom in self.equation.invars], [v.aval.shape for v in self.equation.outvars]
        names = (f"w{number}" for number in range(10_000))
        blocked = iter(self.moves)
        operands: list[tuple[str, ...]] = []
        results: list[tuple[str, ...]] = []
        whole: set[str] = set()
        for side, tensors in zip(shapes, (operands, results), strict=True):
            for place, shape in enumerate(side):
                moves = next(blocked) if side is shapes[1] or place >= self.leading else {}
                factors = {dim: f"g{number}" for number in self.free if (dim := moves.get(number, _NONE)) >= 0}
                tensors.append(tuple(factors.get(dim) or next(names) for dim in range(len(shape))))
                whole |= {factor for factor in tensors[-1] if factor.startswith("w")}
        name = str(self.parameters.get("name") or source_info.name_body(self.parameters["jaxpr"]))
        return PallasKernel(
            "".join(letter if letter.isalnum() else "_" for letter in f"pallas_{name}"),
            self._run(self.parameters.get("interpret", False)),
            self._run(True),
            tuple(operands),
            tuple(results),
            frozenset(whole),
            flops=count_equation_flops(self.equation),
            is_whole=not self.free,
        )

    def _run(self, interpret: Any) -> Callable[..., Any]:
        """The kernel at the shapes that it sees: the whole's, or those of pieces along free dims."""

        def run(*arrays: Any) -> tuple[Any, ...]:
            grid, blocks = self._shrink([array.shape for array in arrays])
            mapping = dataclasses.replace(self.mapping, grid=grid, block_mappings=blocks)
            results = [block.array_aval for block in blocks[self.mapping.num_inputs :]]
            changes = {"grid_mapping": mapping, "out_avals": tuple(results), "interpret": interpret}
            return tuple(jaxprs.bind_again(self.equation, changes, arrays))

        return run

    def _shrink(self, shapes: Sequence[Sequence[int]]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The grid, and the blocks with the arrays' shapes, where operands have these shapes."""
        grid = list(self.grid)
        for number in self.free:
            for place, moves in enumerate(self.moves[: self.mapping.num_inputs]):
                if (dim := moves[number]) >= 0:
                    whole = self.mapping.block_mappings[place].array_aval.shape[dim]
                    grid[number] = self.grid[number] * shapes[place + self.leading][dim] // whole
        blocks = []
        for block, moves in zip(self.mapping.block_mappings, self.moves, strict=True):
            shape = list(block.array_aval.shape)
            for number in self.free:
                if (dim := moves[number]) >= 0:
                    shape[dim] = shape[dim] * grid[number] // self.grid[number]
            blocks.append(dataclasses.replace(block, array_aval=block.array_aval.update(shape=tuple(shape))))
        return tuple(grid), tuple(blocks)

    def _is_plain(self) -> bool:
        """Whether the grid is known, and the kernel does nothing beside computing its results."""
        settings = self.parameters.get("compiler_params")
        effects = getattr(settings, "has_side_effects", False) or getattr(settings, "collective_id", None) is not None
        known = all(isinstance(size, int) for size in self.grid) and self.parameters.get("mesh") is None
        return known and not effects and len(self.moves) == self.mapping.num_inputs + len(self.equation.outvars)

    def _is_free(self, number: int) -> bool:
        inputs, outputs = self.moves[: self.mapping.num_inputs], self.moves[self.mapping.num_inputs :]
        along = [moves[number] for moves in (*inputs, *outputs)]
        given = [moves[number] for moves in outputs]
        if self.grid[number] < 2 or _OTHERWISE in along or all(moves[number] == _NONE for moves in inputs):
            return False
        if any(used and dim == _NONE for used, dim in zip(self.used, given, strict=True)) or self._knows(number):
            return False
        if number in self.mapping.vmapped_dims:
            return True
        if not source_info.is_attention_of_jax(self.parameters["jaxpr"]):
            return False
        if self._is_declared(number):
            return True
        return not self.mapping.scratch_avals and _NONE not in given

    def _own_number(self, number: int) -> int:
        """The number of a grid's dim in the body, which does not see those of `vmap`."""
        return number - sum(1 for mapped in self.mapping.vmapped_dims if mapped < number)

    def _is_declared(self, number: int) -> bool:
        declared = getattr(self.parameters.get("compiler_params"), "dimension_semantics", None) or ()
        own = self._own_number(number)
        return own < len(declared) and "parallel" in str(declared[own]).lower()

    def _knows(self, number: int) -> bool:
        """Whether the body uses the index, or how many steps there are."""
        if number in self.mapping.vmapped_dims:
            return False
        return _uses_grid_dim(self.parameters["jaxpr"], self._own_number(number))

    def _find_moves(self, block: Any) -> dict[int, int]:
        """For each dim of the grid, the dim of the array along which it moves."""
        jaxpr = block.index_map_jaxpr.jaxpr
        indices = jaxpr.invars[: len(self.grid)]
        depends = _find_dependence(jaxpr)
        moves: dict[int, int] = {}
        for number, index in enumerate(indices):
            dims = [dim for dim, arguments in enumerate(depends) if index in arguments]
            plain = [dim for dim in dims if jaxpr.outvars[dim] is index and self._fills(block, dim, number)]
            moves[number] = _NONE if not dims else plain[0] if len(dims) == len(plain) == 1 else _OTHERWISE
        return moves

    def _fills(self, block: Any, dim: int, number: int) -> bool:
        """Whether the array's dim is as many blocks as the grid has steps."""
        size = _block_size(block.block_shape[dim])
        return size is not None and block.array_aval.shape[dim] == size * self.grid[number]


def _block_size(entry: Any) -> int | None:
    """How many elements a step of the index moves; None if it counts elements, or is of a kind that is not known."""
    if entry is None or type(entry).__name__ in ("Squeezed", "Mapped"):
        return 1
    if isinstance(entry, int):
        return entry
    return int(entry.block_size) if type(entry).__name__ == "Blocked" else None


def _find_dependence(jaxpr: Any) -> list[set[Any]]:
    """For each result, the jaxpr's arguments that it depends on."""
    known: dict[Any, set[Any]] = {variable: {variable} for variable in jaxpr.invars}
    for equation in jaxpr.eqns:
        sources = [known.get(atom, set()) for atom in equation.invars if not hasattr(atom, "val")]
        known |= {variable: set().union(*sources) for variable in equation.outvars}
    return [set() if hasattr(atom, "val") else known.get(atom, set()) for atom in jaxpr.outvars]


def _uses_grid_dim(jaxpr: Any, number: int) -> bool:
    """Whether the body of a Pallas kernel uses the index of a step along a dim of the grid, or how many there are."""
    read: set[Any] = {atom for equation in jaxpr.eqns for atom in equation.invars if not hasattr(atom, "val")}
    read |= {atom for atom in jaxpr.outvars if not hasattr(atom, "val")}
    for equation in jaxpr.eqns:
        is_asked = equation.primitive.name in ("program_id", "num_programs") and equation.params.get("axis") == number
        if is_asked and any(variable in read for variable in equation.outvars):
            return True
        if any(_uses_grid_dim(inner, number) for inner, _ in jaxprs.inner_jaxprs(equation)):
            return True
    return False
