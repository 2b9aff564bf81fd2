"""Plans as other packages write them: logical axis rules, axis mappings, layouts by path; and what these cannot say."""

from __future__ import annotations

import json
import random
import re
import warnings
from pathlib import Path
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import pytest
from jax.sharding import PartitionSpec as P

import partita
from partita import presets
from partita._src.axis_rules import NamedArray, find_mapping, find_rules, map_dims, translate

NAMES = ("batch", "embed", "heads", "mlp", "vocab")
AXES = ("data", "model", "expert")


def make_array(rng: random.Random) -> NamedArray:
    """Up to three dims of different names, over axes of which none is used twice."""
    dims = rng.sample(NAMES, rng.randint(1, 3))
    free = rng.sample(AXES, len(AXES))
    axes = []
    for _ in dims:
        count = rng.choice((0, 0, 1, 1, 2))
        axes.append(tuple(free[:count]))
        free = free[count:]
    return NamedArray("", tuple(dims), tuple(axes), rng.randint(1, 100))


def to_spec(axes: Any) -> P:
    return P(*(None if not each else each[0] if len(each) == 1 else each for each in axes))


@pytest.mark.parametrize("seed", range(20))
def test_rules_mean_what_they_mean_to_flax(seed: int) -> None:
    rng = random.Random(seed)
    arrays = [make_array(rng) for _ in range(6)]
    rules = find_rules(arrays)
    for array in arrays:
        given = [(name, axes if len(axes) > 1 else axes[0] if axes else None) for name, axes in rules]
        wanted = nn.logical_to_mesh_axes(array.dims, given)
        assert to_spec(translate(rules, array.dims)) == P(*wanted)
    assert any(translate(rules, array.dims) == array.axes for array in arrays if any(array.axes))


def test_the_order_of_rules_tells_arrays_apart() -> None:
    """`mlp` is over both axes alone, and over one where `embed` has the other."""
    wide = NamedArray("wide", ("mlp",), (("model", "data"),), 8)
    pair = NamedArray("pair", ("embed", "mlp"), (("data",), ("model",)), 4)
    rules = find_rules([wide, pair])
    assert [translate(rules, array.dims) == array.axes for array in (wide, pair)] == [True, True]


def test_a_mapping_uses_no_axis_twice() -> None:
    first = NamedArray("first", ("embed",), (("data",),), 8)
    second = NamedArray("second", ("mlp",), (("data",),), 4)
    both = NamedArray("both", ("embed", "mlp"), (("data",), ()), 2)
    mapping = find_mapping([first, second, both])
    assert map_dims(mapping, both.dims) == both.axes
    assert mapping["embed"] == ("data",)


def step(params: Any, batch: Any) -> Any:
    def loss_of(p: Any) -> Any:
        return jnp.mean((jnp.tanh(batch @ p["w1"] + p["b1"]) @ p["w2"]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


SHAPES = {"w1": (16, 32), "b1": (32,), "w2": (32, 16)}
PARAMS = {name: jax.ShapeDtypeStruct(shape, "float32") for name, shape in SHAPES.items()}
BATCH = jax.ShapeDtypeStruct((8, 16), "float32")
DIMS = {"w1": P("embed", "mlp"), "b1": P("mlp"), "w2": P("mlp", "embed")}
MESH = {"data": 4, "model": 2}


def plan(*schedule: Any) -> partita.Plan:
    """By tactics, or by specs."""
    given = schedule[0] if isinstance(schedule[0], dict) else list(schedule)
    return partita.plan(step, PARAMS, BATCH, mesh=MESH, machine="cpu-host:1x8", schedule=given)


@pytest.fixture(scope="module")
def tensor() -> partita.Plan:
    return plan(presets.data_parallel("data"), presets.megatron("model"))


def test_logical_rules_give_the_plan_again(tensor: partita.Plan) -> None:
    rules = tensor.rules("maxtext", names=(DIMS, P("activation_batch", None)))
    assert rules.missed == {}
    assert dict(rules.value) == {"mlp": "model", "activation_batch": "data", "embed": None}
    again = tensor.replan(partita.logical(rules.value, DIMS, P("activation_batch", None)))
    assert again.in_specs == tensor.in_specs
    assert "  ['mlp', ['model']],\n" in str(rules) and "  ['embed', []],\n" in str(rules)
    assert tensor.rules("flax", names=DIMS).value == [("mlp", "model"), ("embed", None)]


def test_names_by_pattern_and_from_a_file(tensor: partita.Plan, tmp_path: Path) -> None:
    expected = tensor.rules("maxtext", names=DIMS).value
    pairs = [(r"params/w1", ("embed", "mlp")), (r"params/w2", ("mlp", "embed")), (r"params/.*", ("mlp",))]
    assert tensor.rules("maxtext", names=pairs).value == expected
    dump = {f".x/['{name}']": {"partition_spec": list(dims), "shape": []} for name, dims in DIMS.items()}
    file = tmp_path / "logical_shardings.json"
    file.write_text(json.dumps({key.removeprefix(".x/"): entry for key, entry in dump.items()}))
    assert tensor.rules("maxtext", names=file).value == expected


def test_what_rules_cannot_say_is_named() -> None:
    mixed = plan({"params/w1": P("data"), "params/b1": P(), "params/w2": P(None, "model")})
    with pytest.warns(UserWarning, match=r"maxtext rules do not say all(?s:.*)params\['w2'\]"):
        rules = mixed.rules("maxtext", names={"w1": P("a", "b"), "b1": P("b"), "w2": P("b", "a")})
    assert list(rules.missed) == ["params['w2']"]
    assert "the rules give P(None, 'data')" in rules.missed["params['w2']"]
    assert "# planned otherwise: params['w2'] as P(None, 'model')" in str(rules)


def test_levanter_stores_in_parts_what_it_computes_with_whole() -> None:
    fsdp = plan(presets.fsdp("data"), presets.megatron("model"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = fsdp.rules("levanter", names=(DIMS, P("batch", None))).value
    assert value["axis_resources"]["batch"] == "data"
    assert value["parameter_axis_resources"] and "data" not in {
        axes for name, axes in value["axis_resources"].items() if name != "batch"
    }


def test_keras_layouts_match_one_path_each() -> None:
    paths = {"w1": "block_0/into/kernel", "b1": "block_0/into/bias", "w2": "block_1/into/kernel"}
    rules = plan(presets.data_parallel("data"), presets.megatron("model")).rules("keras", names=paths)
    assert rules.value == {
        r"^block_0/into/kernel$": (None, "model"),
        r"^block_0/into/bias$": ("model",),
        r"^block_1/into/kernel$": ("model", None),
    }
    for path in paths.values():
        assert sum(bool(re.search(pattern, path)) for pattern in rules.value) == 1
    columns = plan({"params/w1": P(None, "model"), "params/w2": P(None, "model"), "params/b1": P()})
    assert columns.rules("keras", names=paths).value == {r"^block_[0-9]+/into/kernel$": (None, "model")}
    with pytest.warns(UserWarning, match="one whole axis for a dim"):
        both = plan({"params/w1": P(("data", "model"))}).rules("keras", names=paths)
    assert list(both.missed) == ["block_0/into/kernel"]


@pytest.mark.parametrize(
    ("format", "names", "reason"),
    [
        ("megatron", None, "there is no format 'megatron'"),
        ("maxtext", None, "no argument has logical axes"),
        ("maxtext", [("params/w1", ("a", "b", "c"))], "has 2 dims, but 3 names: a, b, c"),
        ("maxtext", [("nothing", ("a",))], "matches no argument"),
        ("maxtext", "not_there.json", "cannot read the names of dims"),
        ("keras", None, "which the arguments do not carry"),
        ("keras", (["w1"],), "has 1 paths for argument 0, which has 3 arrays"),
    ],
)
def test_refusals(tensor: partita.Plan, format: str, names: Any, reason: str) -> None:
    with pytest.raises(partita.PartitaError, match=re.escape(reason)):
        tensor.rules(format, names=names)
