"""Strategies that people have already, in every form they come in, and the meshes that they run on."""

from __future__ import annotations

import itertools
import json
import subprocess
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import partita
from partita import presets
from partita._src import machines, meshes, placements

assert xla_runner.MAX_DEVICES >= 8
MESH = {"data": 4, "model": 2}


class State(NamedTuple):
    w1: Any
    w2: Any


def step(state: State, batch: Any) -> tuple[State, jax.Array]:
    def loss_of(s: State) -> jax.Array:
        return jnp.mean((jnp.tanh(batch["x"] @ s.w1) @ s.w2 - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(state)
    return jax.tree.map(lambda p, g: p - 0.1 * g, state, grads), loss


def shape(*sizes: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(sizes, "float32")


SHAPES = (State(shape(16, 32), shape(32, 16)), {"x": shape(8, 16), "y": shape(8, 16)})
DEVICES = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
#: Megatron's pair, and the batch over data.
WANTED = (State(P(None, "model"), P("model")), {"x": P("data"), "y": P("data")})


def plan(**options: Any) -> partita.Plan:
    return partita.plan(step, *SHAPES, **{"mesh": MESH, "schedule": [], **options})


def maxtext(tmp_path: Path) -> Path:
    """As MaxText writes named_shardings.json; it has axes of one device that the mesh has not."""
    sizes = {"data": 4, "model": 2, "stage": 1}
    entry = {"mesh": {"axis_names": list(sizes), "shape": sizes}}
    dump = {
        ".w1": {**entry, "partition_spec": ["stage", ["model"]], "shape": [16, 32]},
        ".w2": {**entry, "partition_spec": [["model", "stage"], None], "shape": [32, 16]},
        "['x']": {**entry, "partition_spec": ["data"], "shape": [8, 16]},
        "['y']": {**entry, "partition_spec": ["data"], "shape": [8, 16]},
    }
    path = tmp_path / "named_shardings.json"
    path.write_text(json.dumps(dump))
    return path


def logical_rules(tmp_path: Path) -> Path:
    """Names of dims in the place of specs."""
    dump = {
        "logical_axis_rules": [["batch", "data"], ["mlp", ["model", "stage"]], ["embed", None]],
        "logical_axes": {
            ".w1": ["embed", "mlp"], ".w2": ["mlp", "embed"], "['x']": ["batch", "embed"], "['y']": ["batch", "embed"],
        },
        "mesh": {"shape": {"data": 4, "model": 2, "stage": 1}},
    }  # fmt: skip
    path = tmp_path / "logical.json"
    path.write_text(json.dumps(dump))
    return path


def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.json"
    path.write_text('[["state/w1", [null, "model"]], ["state/w2", ["model"]], ["batch/.*", ["data"]]]')
    return path


FORMS: dict[str, Any] = {
    "patterns": lambda _: {r"state/w1": P(None, "model"), r"state/w2": P("model"), r"batch/.*": P("data")},
    "rules": lambda _: [(r".*w1", P(None, "model")), (r".*w\d", P("model")), (r"batch/\w", P("data"))],
    "trees": lambda _: (State(P(None, "model"), P("model")), P("data")),
    "shardings": lambda _: (
        State(NamedSharding(DEVICES, P(None, "model")), NamedSharding(DEVICES, P("model"))),
        {"x": NamedSharding(DEVICES, P("data")), "y": NamedSharding(DEVICES, P("data"))},
    ),
    "logical axes": lambda _: partita.logical(
        [("batch", "data"), ("mlp", "model"), ("embed", None)], State(P("embed", "mlp"), P("mlp", "embed")), P("batch")
    ),
    "MaxText": maxtext,
    "names of dims": logical_rules,
    "a file of rules": rules,
    "presets": lambda _: [presets.data_parallel("data"), presets.megatron("model")],
    "a plan": lambda _: plan(schedule=[presets.data_parallel("data"), presets.megatron("model")]),
}


@pytest.mark.parametrize("form", FORMS)
def test_pins_take_every_form(form: str, tmp_path: Path) -> None:
    assert plan(pins=FORMS[form](tmp_path)).in_specs == WANTED


@pytest.mark.parametrize("make", [maxtext, logical_rules, rules])
def test_the_command_line_reads_the_same_files(make: Any, tmp_path: Path) -> None:
    path = make(tmp_path)
    (tmp_path / "model.mlir").write_text(jax.jit(step, keep_unused=True).lower(*SHAPES).as_text(debug_info=True))
    command = [partita.find_binary(), "plan", "model.mlir", "--mesh=data=4,model=2", f"--schedule={path}"]
    done = subprocess.run([*command, "--stop-after=plan"], cwd=tmp_path, capture_output=True, text=True, check=True)
    of_tool = {entry["name"]: entry["sharding"] for entry in json.loads(done.stdout)["arguments"]}
    assert of_tool == {entry["name"]: entry["sharding"] for entry in plan(pins=path).to_json()["arguments"]}


@pytest.mark.parametrize("make", [maxtext, logical_rules, rules])
def test_files_of_specs_are_schedules_too(make: Any, tmp_path: Path) -> None:
    assert plan(schedule=make(tmp_path)).in_specs == WANTED == plan(schedule=str(make(tmp_path))).in_specs


def test_baselines_and_comparisons_take_every_form(tmp_path: Path) -> None:
    forms = {name.replace(" ", "_"): make(tmp_path) for name, make in FORMS.items()}
    baseline = forms.pop("trees")
    comparison = plan(baseline=baseline).compare(**forms)
    names = [name for name, _ in comparison.rows]
    assert names == ["baseline", "plan", *forms]
    reports = {name: report for name, report in comparison.rows if isinstance(report, partita.Report)}
    assert reports.keys() == set(names)
    assert len({str(reports[name].collectives) for name in names if name != "plan"}) == 1


def test_one_tree_is_that_of_the_first_argument() -> None:
    assert plan(pins=State(P(None, "model"), P("model"))).in_specs[0] == WANTED[0]

    def f(params: Any, x: Any) -> Any:
        return x @ params["w1"]

    made = partita.plan(f, {"w1": shape(16, 32)}, shape(8, 16), mesh=MESH, pins={"w1": P("model")}, schedule=[])
    assert made.in_specs[0] == {"w1": P("model")}


def test_trees_of_specs_are_schedules_too() -> None:
    trees = (State(P(None, "model"), P("model")), P("data"))
    assert plan(schedule=trees).in_specs == plan(pins=trees).in_specs == WANTED
    tactics = (presets.data_parallel("data"), presets.megatron("model"))
    rows = dict(plan().compare(trees=trees, tactics=tactics, first=[State(P(None, "model"), P("model"))]).rows)
    assert (
        all(isinstance(rows[name], partita.Report) for name in ("trees", "tactics")) and "not built as" in rows["first"]
    )

    def total(arrays: list[Any]) -> Any:
        return sum(jnp.sum(array) for array in arrays)

    made = partita.plan(total, [shape(8, 4), shape(4, 8)], mesh=MESH, pins=[P("data"), P(None, "model")], schedule=[])
    assert made.in_specs == ([P("data"), P(None, "model")],)


def test_work_follows_the_batch_under_fsdp() -> None:
    """Both are split over one axis; the state's trees come first among the arguments."""
    fsdp = plan(pins=(State(P("data"), P("data")), P("data")))
    kinds = {entry["kind"] for entry in fsdp.report.collectives}
    assert kinds == {"all_gather", "reduce_scatter", "all_reduce"}
    assert fsdp.report.collectives == plan(schedule=presets.fsdp("data")).report.collectives


def test_wrong_strategies_say_what_is_wrong(tmp_path: Path) -> None:
    wrong: list[tuple[Any, str]] = [
        ({"state/w9": P()}, "matches no argument"),
        ({"state/w1": P("tensor")}, "'tensor', which is not an axis of the mesh"),
        ({"state/w1": P("modle")}, r"(?s)'modle', which is not an axis of the mesh.*did you mean 'model'\?"),
        ({"w1": P("model")}, r"(?s)'w1' matches no argument.*did you mean 'state/w1'\?"),
        ({"state/w1": 7}, "is not a PartitionSpec"),
        ((P(), P(), P()), "3 trees of specs for 2 arguments"),
        (({"w1": P()}, None), "is not built as the argument"),
        ([{"w1": P(), "w2": P()}, None], r"(?s)is not built as the argument.*remedy: .*give a tuple"),
        ({"state/w1": P(("data", "model", "data"))}, r"of state.w1, float32\[16,32\], names the axis 'data' twice"),
        ({"state/w1": P(None, None, "model")}, r"of state.w1, float32\[16,32\], has 3 entries for 2 dims"),
        ((State(P("data", None, None), None), None), r"P\('data', None, None\) of state.w1, .* has 3 entries"),
        (tmp_path / "none.json", "cannot read"),
    ]
    for pins, match in wrong:
        with pytest.raises(partita.PartitaError, match=match):
            plan(pins=pins)
    dump = json.loads(maxtext(tmp_path).read_text())
    with pytest.warns(UserWarning, match=r"1 of 5 paths match no argument, such as \['z'\]"):
        plan(pins=dump | {"['z']": {"partition_spec": []}})
    with pytest.raises(partita.InputError, match="none of the 1 paths"):
        plan(pins={"['z']": {"partition_spec": []}})
    with pytest.raises(partita.UsageError, match="pins name axes"):
        plan(mesh=8, pins={"state/w1": P("data")}, machine="cpu-host:1x8", schedule=None)


def test_sizes_that_do_not_divide_say_what_would() -> None:
    embedding = jax.ShapeDtypeStruct((50257, 8), "float32")
    unpadded = {"tactics": [{"pad": False}]}
    with pytest.raises(partita.InputError, match=r"(?s)50257 does not.*: 50264 would divide; 50304 also by 128$"):
        partita.plan(lambda embedding: embedding * 2, embedding, mesh="model=8", pins=(P("model"),), schedule=unpadded)


def test_a_number_of_devices_is_a_mesh_to_be_found() -> None:
    found = plan(mesh=8, machine="h100-sxm:1x8", platform="cpu", schedule=None, budget=50)
    assert np.prod(list(found.axes.values())) == 8
    assert [name for name, _ in found.compare(again=found).rows] == ["plan", "again"]
    assert [name for name, _ in found.compare(found, again=found).rows] == ["plan", "strategy 1", "again"]
    assert plan(mesh=8, schedule=[partita.tile("batch/.*", dim=0, axis="data")]).axes == {"data": 8}
    # Which names its axes get is not known before.
    tile = partita.tile("batch/.*", dim=0, axis="model")
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("pins name axes, but the mesh is a number", {"pins": (State(P("data"), None), None), "schedule": None}),
        ("a baseline names axes, but the mesh is a number", {"baseline": presets.fsdp("data"), "schedule": None}),
        ("placement= needs a mesh", {"placement": "data=nvlink", "schedule": None}),
        ("names the axis 'model' needs a mesh", {"schedule": [tile, partita.auto()]}),
        ("has 7 devices, but machine h100-sxm:1x8 has 8", {"mesh": 7, "schedule": None}),
    ]
    for words, options in wrong:
        with pytest.raises(partita.UsageError, match=words):
            plan(**{"mesh": 8, "machine": "h100-sxm:1x8", "platform": "cpu"} | options)


# Meshes.


def test_meshes_realise_the_placement() -> None:
    machine = "h100-sxm:2x4"
    default = plan(machine=machine, platform="cpu")
    assert [d.id for d in default.make_mesh().devices.flat] == list(range(8))
    across = plan(machine=machine, platform="cpu", placement="data=nvlink,model=node", schedule=presets.fsdp("data"))
    made = across.make_mesh(list(reversed(jax.devices())))
    assert [[d.id for d in row] for row in made.devices] == [[0, 4], [1, 5], [2, 6], [3, 7]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        across.jit(mesh=made)
    other = default.make_mesh()
    with pytest.warns(UserWarning, match=r"predicted [\d.]+ us; the plan is for another order, predicted [\d.]+ us"):
        across.jit(mesh=other)
    # A mesh of devices is priced where they stand.
    assert plan(machine=machine, platform="cpu", mesh=made).placement == across.placement
    assert across.placement == "data=nvlink,model=node"


def test_meshes_that_cut_levels_are_known_by_their_order() -> None:
    """4 x 4 devices, of which each axis takes half of both levels: no nesting of whole axes gives that order."""

    class Device(SimpleNamespace):
        __hash__ = object.__hash__

    devices = [Device(id=i, process_index=i // 4) for i in range(16)]
    words = "a=node:2+nvlink:2,b=node:2+nvlink:2"
    order = placements.resolve({"a": 4, "b": 4}, "h100-sxm:4x4", words).order
    grid = np.array([devices[number] for number in order], dtype=object).reshape(4, 4)
    mesh = SimpleNamespace(shape={"a": 4, "b": 4}, devices=grid)
    assert placements.find(mesh, "h100-sxm:4x4") == words  # type: ignore[arg-type]
    shuffled = SimpleNamespace(shape={"a": 4, "b": 4}, devices=np.array(devices[1:] + devices[:1], dtype=object))
    assert placements.find(shuffled, "h100-sxm:4x4") is None  # type: ignore[arg-type]
    assert placements.list_all({"a": 3}, "h100-sxm:4x4") == []


def test_placements_are_kept_in_plans(tmp_path: Path) -> None:
    across = plan(machine="h100-sxm:2x4", platform="cpu", placement="data=nvlink,model=node")
    across.save(tmp_path / "plan.json")
    again = partita.load(tmp_path / "plan.json", step, *SHAPES)
    assert again.placement == across.placement and again.platform == "cpu"
    assert again.report.time_ps == across.report.time_ps
    assert (again.make_mesh().devices == across.make_mesh().devices).all()


class FakeDevice(SimpleNamespace):
    """As JAX describes a device of another machine."""

    __hash__ = object.__hash__


def shuffled(devices: list[FakeDevice]) -> list[FakeDevice]:
    return [devices[i] for i in np.random.default_rng(0).permutation(len(devices))]


def lay(axes: dict[str, int], machine: str, words: str | None, devices: list[FakeDevice]) -> np.ndarray:
    """The devices of `plan.make_mesh` for this placement; the mesh is known by it again."""
    order = placements.resolve(axes, machine, words).order
    mesh = meshes.make_mesh(axes, shuffled(devices), order, placements.find_torus(machine))  # type: ignore[arg-type]
    assert placements.resolve(axes, machine, placements.find(mesh, machine)).order == order
    return mesh.devices


def test_meshes_over_slices() -> None:
    """Two slices of 2 x 4 chips, which jax.make_mesh refuses; also if the second coordinate is the longer one."""
    kind = {"platform": "tpu", "device_kind": "TPU v5 lite"}
    for extents in ((2, 4), (4, 2)):
        devices = [
            FakeDevice(id=i, process_index=i // 4, slice_index=s, coords=(x, y, 0), core_on_chip=0, **kind)
            for i, (s, y, x) in enumerate(np.ndindex(2, extents[1], extents[0]))
        ]
        with pytest.raises((AssertionError, ValueError, NotImplementedError)):
            jax.make_mesh((2, 8), ("data", "model"), devices=shuffled(devices))  # type: ignore[arg-type]
        whole = lay({"data": 2, "model": 8}, "tpu-v5e:2*2x4", None, devices)
        assert [{d.slice_index for d in row} for row in whole] == [{0}, {1}]
        long = extents.index(4)
        across = lay({"data": 2, "model": 8}, "tpu-v5e:2*2x4", "data=x,model=slice+y", devices)
        for row, short in zip(across, range(2), strict=True):
            assert [(d.slice_index, d.coords[long], d.coords[1 - long]) for d in row] == [
                (s, y, short) for s in range(2) for y in range(4)
            ]


def test_meshes_over_nodes_and_domains() -> None:
    """Two NVLink domains of two hosts each, whose hosts alternate; and hosts alone."""
    devices = [FakeDevice(id=i, process_index=i // 4, platform="gpu", slice_index=i // 4 % 2) for i in range(16)]
    rows = lay({"data": 2, "model": 8}, "h100-sxm:2x8", None, devices)
    assert [{d.process_index for d in row} for row in rows] == [{0, 2}, {1, 3}]
    hosts = [FakeDevice(id=i, process_index=i // 8, platform="gpu") for i in range(32)]
    rows = lay({"model": 8, "data": 4}, "h100-sxm:4x8", "model=nvlink,data=node", hosts)
    assert [{d.process_index for d in row} for row in rows.T] == [{0}, {1}, {2}, {3}]


def test_meshes_over_nodes_that_jax_calls_slices() -> None:
    """On GPUs without a common NVLink domain each host is a slice to JAX: jax.make_mesh takes no two of them."""
    devices = [
        FakeDevice(id=i, process_index=i // 8, platform="gpu", device_kind="NVIDIA H100", slice_index=i // 8)
        for i in range(32)
    ]
    for sizes in ((4, 8), (16, 2), (2, 16)):
        with pytest.raises(ValueError, match="multi-slice"):
            jax.make_mesh(sizes, ("data", "model"), devices=shuffled(devices))  # type: ignore[arg-type]
    # An axis over nodes and a part of each; which device is which does not depend on the order in which they are given.
    rows = lay({"data": 16, "model": 2}, "h100-sxm:4x8", None, devices)
    assert [[d.id for d in row] for row in rows] == [[i, i + 1] for i in range(0, 32, 2)]
    rows = lay({"data": 16, "model": 2}, "h100-sxm:4x8", "data=node:2+nvlink,model=node:2", devices)
    assert [[d.id for d in row] for row in rows[:8]] == [[i, i + 8] for i in range(8)]


def test_meshes_on_a_wrapped_cube() -> None:
    """4 x 4 x 4 chips, all of whose dims wrap around, are alike in all directions: a mesh that has the axes on other
    dims than the placement says takes as long."""
    devices = np.empty((4, 4, 4), dtype=object)
    kind = {"platform": "tpu", "device_kind": "TPU v5"}
    for i, (z, y, x) in enumerate(np.ndindex(4, 4, 4)):
        devices[x, y, z] = FakeDevice(
            id=i, process_index=i // 4, slice_index=0, coords=(x, y, z), core_on_chip=0, **kind
        )
    machine, listed = "tpu-v5p:4x4x4", list(devices.flat)
    lay({"data": 4, "model": 16}, machine, None, listed)
    lay({"data": 4, "fsdp": 4, "model": 4}, machine, "data=z,fsdp=x,model=y", listed)
    # jax.make_mesh cuts no dim of this torus.
    with pytest.raises(NotImplementedError):
        jax.make_mesh((8, 8), ("data", "model"), devices=listed)
    grid = lay({"data": 8, "model": 8}, machine, None, listed)
    assert [d.coords for d in grid[0]] == [(0, y, z) for y in range(2) for z in range(4)]
    order = placements.resolve({"data": 4, "model": 16}, machine).order
    for dims in itertools.permutations(range(3)):
        turned = devices.transpose(dims).reshape(4, 16)
        mesh = SimpleNamespace(shape={"data": 4, "model": 16}, devices=turned)
        numberings = meshes.list_numberings(mesh, placements.find_torus(machine))  # type: ignore[arg-type]
        assert len(numberings) == 6 and list(order) in numberings
        words = placements.find(mesh, machine)  # type: ignore[arg-type]
        assert words in ("data=x,model=y+z", "model=x+y,data=z")
        # Where a nesting of the axes gives the very order, it is that one.
        exact = placements.resolve({"data": 4, "model": 16}, machine, words).order
        assert dims not in ((0, 1, 2), (2, 0, 1)) or list(exact) == numberings[0]
    # Dims of different sizes are not turned.
    slab = SimpleNamespace(shape={"data": 2, "model": 4}, devices=devices[:2, :, 0])
    assert len(meshes.list_numberings(slab, (2, 4))) == 1  # type: ignore[arg-type]
    assert placements.find(slab, "tpu-v5e:2x4") == "data=x,model=y"  # type: ignore[arg-type]


def test_an_order_of_no_placement_says_what_to_do() -> None:
    made = plan(machine="h100-sxm:2x4", platform="cpu")
    mixed = Mesh(np.array([jax.devices()[i] for i in (0, 5, 2, 7, 4, 1, 6, 3)]).reshape(4, 2), ("data", "model"))
    words = r"that no placement gives, so their time is not known; .* predicted [\d.]+ us: use plan.make_mesh\(\)"
    with pytest.warns(UserWarning, match=words):
        made.jit(mesh=mixed)


def test_devices_are_numbered_as_the_machine_does() -> None:
    """Slices first, then along the torus; hosts first where there is none."""
    torus = [
        SimpleNamespace(id=i, process_index=0, slice_index=s, coords=(x, y, 0), core_on_chip=0)
        for i, (y, x, s) in enumerate(np.ndindex(2, 2, 2))
    ]
    assert [(d.slice_index, *d.coords[:2]) for d in meshes.sort_devices(torus)] == [  # type: ignore[arg-type]
        (s, x, y) for s in range(2) for x in range(2) for y in range(2)
    ]
    hosts = [SimpleNamespace(id=i, process_index=i % 2) for i in range(4)]
    assert [d.id for d in meshes.sort_devices(hosts)] == [0, 2, 1, 3]  # type: ignore[arg-type]


def test_auto_is_the_machine_of_the_devices() -> None:
    assert plan(machine="auto").machine == "cpu-host:1x8"
    four = Mesh(np.array(jax.devices()[2:6]).reshape(2, 2), ("data", "model"))
    for mesh in (four, "data=2,model=2", {"data": 2, "model": 2}, 4, four.abstract_mesh):
        assert plan(machine="auto", mesh=mesh, schedule=[]).machine == "cpu-host:1x4"
    with pytest.raises(partita.UsageError, match="has 16 devices, but machine cpu-host:1x8 has 8"):
        plan(machine="auto", mesh="data=16", schedule=[])
    hosts = [SimpleNamespace(platform="gpu", device_kind="NVIDIA H100", process_index=host) for host in (0, 0, 1, 1, 2)]
    assert machines.of_devices(hosts[:4]) == "h100-sxm:2x2"  # type: ignore[arg-type]
    with pytest.raises(partita.UsageError, match="some hosts have 1 and 2"):
        machines.of_devices(hosts)  # type: ignore[arg-type]


def test_machines_of_devices_are_presets_of_the_tool() -> None:
    assert {*machines._GPUS.values(), *machines._TPUS.values(), "cpu-host"} <= set(machines.list_presets())
    # No kind of device stands for it.
    assert machines.is_known("gb200-nvl72:1x4")
    assert not machines.is_known("own")


def test_where_arguments_lie_decides_nothing_unless_it_is_pinned() -> None:
    devices = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
    x = jax.device_put(jnp.ones((8, 16)), NamedSharding(devices, P("data")))
    for given in (x, jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding)):
        free = partita.plan(lambda x: x * 2, given, mesh=devices, schedule=[])
        pinned = partita.plan(lambda x: x * 2, given, mesh=devices, schedule=[], pins=(given.sharding,))
        assert free.in_specs == (P(),) and pinned.in_specs == (P("data"),)


def test_other_programs_follow_a_plan() -> None:
    """Arguments and results that the training step calls otherwise are found by type and path."""

    def init(seed: Any) -> State:
        keys = jax.random.split(seed)
        return State(jax.random.normal(keys[0], (16, 32)), jax.random.normal(keys[1], (32, 16)))

    def init_with_moments(seed: Any) -> Any:
        weights = init(seed)
        return weights, {"mu": jax.tree.map(jnp.zeros_like, weights)}

    def train(state: State, moments: Any, batch: Any) -> Any:
        new, loss = step(state, batch)
        return new, {"mu": jax.tree.map(jnp.add, new, moments["mu"])}, loss

    seed = jax.random.key(0)
    state, moments = jax.eval_shape(init_with_moments, seed)
    trained = partita.plan(train, state, moments, SHAPES[1], mesh=MESH, schedule=[
        presets.data_parallel("data"), presets.megatron("model"),
        partita.replicate("state.*", axis="data") + partita.tile("moments.*", dim="first_divisible", axis="data"),
    ])  # fmt: skip
    weights, means, batch = trained.in_specs
    assert weights == State(P(None, "model"), P("model")) and means["mu"] != weights
    for made, wanted in (
        (partita.plan(init, seed, mesh=MESH, pins=trained, schedule=[]), weights),
        (partita.plan(init_with_moments, seed, mesh=MESH, pins=trained, schedule=[]), (weights, means)),
    ):
        assert made.out_specs == wanted
        assert jax.tree.leaves(made.jit()(seed))[0].sharding.spec == weights.w1
    scored = partita.plan(
        lambda w1, others: jnp.mean(others["x"] @ w1), state.w1, SHAPES[1], mesh=MESH, pins=trained, schedule=[]
    )
    assert scored.in_specs == (weights.w1, batch)


def test_a_schedule_may_be_specs_alone() -> None:
    """A dict from patterns, or a list of such, of which the first that matches counts."""

    def apply(params: Any, x: jax.Array) -> jax.Array:
        return jnp.tanh(x @ params["w1"]) @ params["w2"]

    shapes = {"w1": jax.ShapeDtypeStruct((16, 32), "float32"), "w2": jax.ShapeDtypeStruct((32, 16), "float32")}
    x = jax.ShapeDtypeStruct((8, 16), "float32")
    first, second = {"params/w1": P(None, "model")}, {"params/.*": P("model")}
    made = partita.plan(apply, shapes, x, mesh={"data": 4, "model": 2}, schedule=[first, second])
    assert made.in_specs[0] == {"w1": P(None, "model"), "w2": P("model")}
