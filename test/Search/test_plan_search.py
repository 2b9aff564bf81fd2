"""`partita plan` without a schedule: what is found runs, is the same each time, and can be had at any moment.

Tiny programs are faster whole, so most tests search for little memory: then everything that can be split is.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import generate

ROOT = Path(__file__).resolve().parents[2]
PARTITA = ROOT / "build" / "bin" / "partita"
ZOO = ROOT / "build" / "zoo"
MACHINE = ["--mesh", "data=2,model=2", "--machine", "h100-sxm:1x4"]
MEMORY = ["--goals", "memory,time"]
DONE, CUT_SHORT, DOES_NOT_FIT, BAD_INPUT = 0, 10, 11, 65


def plan(model: str, folder: Path, *options: str, code: int = DONE, on: list[str] = MACHINE) -> str:
    command = [str(PARTITA), "plan", str(ZOO / f"{model}.tiny.mlir"), *on, *options, "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


def report_of(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


@pytest.mark.parametrize("model", ["llama_scan", "llama_scan_accum", "gpt", "moe_einsum", "decode_scan", "gns_scan"])
def test_found_plans_compute_what_the_program_does(model: str, tmp_path: Path) -> None:
    plan(model, tmp_path, *MEMORY, "--budget", "400")
    assert report_of(tmp_path)["collectives"], "nothing was split"
    command = [PARTITA, "verify", ZOO / f"{model}.tiny.mlir", "--local", tmp_path / "local.mlir", "--ring"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == DONE, done.stdout + done.stderr


def test_gradients_that_a_loop_sums_up_are_scattered_in_it(tmp_path: Path) -> None:
    on = ["--mesh", "data=4,model=2", "--machine", "h100-sxm:1x8"]
    options = ["--memory-limit", "920kB", "--budget", "400", "--forbid", "recompute"]
    plan("llama_scan_accum", tmp_path / "found", *options, on=on)
    tactics = json.loads((tmp_path / "found" / "plan.json").read_text())["schedule"]["tactics"]
    others = [tactic for tactic in tactics if not tactic["name"].startswith("gradients that loops keep")]
    assert len(others) < len(tactics)
    schedule = tmp_path / "others.json"
    schedule.write_text(json.dumps({"tactics": others}))
    plan("llama_scan_accum", tmp_path / "others", "--schedule", str(schedule), on=on)
    assert report_of(tmp_path / "found")["peak_bytes"] < 0.95 * report_of(tmp_path / "others")["peak_bytes"]


def test_the_same_bytes_for_any_number_of_threads(tmp_path: Path) -> None:
    texts = set()
    for number, threads in enumerate([1, 2, 2, 5]):
        folder = tmp_path / str(number)
        plan("llama_scan", folder, *MEMORY, "--budget", "500", "--threads", str(threads))
        texts.add((folder / "plan.json").read_text())
    assert len(texts) == 1


def test_the_schedule_of_a_plan_gives_it_again(tmp_path: Path) -> None:
    plan("llama", tmp_path / "a", *MEMORY, "--budget", "400")
    plan("llama", tmp_path / "b", "--schedule", str(tmp_path / "a" / "plan.json"))
    assert (tmp_path / "a" / "local.mlir").read_text() == (tmp_path / "b" / "local.mlir").read_text()


def test_the_report_says_how_it_was_searched(tmp_path: Path) -> None:
    text = plan("llama_scan", tmp_path, "--budget", "200")
    search = report_of(tmp_path)["search"]
    assert search["evaluations"] == 200 and search["budget"] == 200
    assert search["stop_reason"] == "budget" and search["complete"] is True
    assert 0 <= search["gap"] < 1
    assert "\n  compared with " in text and "\n  expert: " in text and "no plan of this program is faster than" in text


@pytest.mark.parametrize(
    "model", ["rnn_gru", "rnn_lstm", "llama_scan", "decode_scan", "gns_scan", "moe_einsum", "resnet"]
)
def test_no_expert_is_faster_in_the_table(model: str, tmp_path: Path) -> None:
    """The timeline may choose between equals, but never a plan that is slower than an expert's by the clock."""
    where = ["--mesh", "data=4,model=2", "--machine", "cpu-host:1x8"]
    command = [str(PARTITA), "plan", str(ZOO / f"{model}.tiny.mlir"), *where, "--budget", "150", "--details", "-o"]
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == DONE, done.stderr
    table = done.stdout[done.stdout.index("\nsearch estimate ") :].split("\nsearched ")[0]
    found, *others = [float(time) for time in re.findall(r"^(?:search estimate)? *([0-9.]+) ms ", table, re.MULTILINE)]
    assert others and found <= min(others), table
    report = report_of(tmp_path)
    assert f"{report['time_ps'] / 1e9:.3f}" == f"{found:.3f}", "the table and the score say the same of the plan"
    fitting = [expert for expert in report["search"]["experts"] if expert["peak_bytes"] <= report["limit_bytes"]]
    assert fitting and all(expert["time_ps"] >= report["time_ps"] for expert in fitting)
    plan_again(model, tmp_path, where)


def plan_again(model: str, folder: Path, where: list[str]) -> None:
    """The schedule of the plan, whoever wrote it first, gives it again."""
    schedule = ["--schedule", str(folder / "plan.json"), "-o", str(folder / "again")]
    command = [str(PARTITA), "plan", str(ZOO / f"{model}.tiny.mlir"), *where, *schedule]
    assert subprocess.run(command, capture_output=True).returncode == DONE
    assert (folder / "again" / "local.mlir").read_text() == (folder / "local.mlir").read_text()


def test_the_timeline_chooses_only_where_time_is_searched_for(tmp_path: Path) -> None:
    for number, goals in enumerate(["memory,time", "fit,communication"]):
        text = plan("llama_scan", tmp_path / str(number), "--goals", goals, "--budget", "150", "--details")
        experts = report_of(tmp_path / str(number))["search"]["experts"]
        assert experts and all(expert["simulated_ps"] is None and expert["time_ps"] > 0 for expert in experts)
        time = report_of(tmp_path / str(number))["time_ps"]
        assert f"\nsearch estimate{time / 1e9:10.3f} ms " in text, "the table and the score say the same of the plan"


def test_a_plan_file_keeps_the_bound_of_its_search(tmp_path: Path) -> None:
    program = str(ZOO / "llama_scan.tiny.mlir")
    text = plan("llama_scan", tmp_path, "--budget", "200", "--details")
    bound = report_of(tmp_path)["lower_bound_ps"]
    again = tmp_path / "again"
    where = [*MACHINE, "--plan", str(tmp_path / "plan.json")]
    subprocess.run([str(PARTITA), "plan", program, *where, "-o", str(again)], check=True, capture_output=True)
    score = subprocess.run([str(PARTITA), "score", program, *where], check=True, capture_output=True, text=True).stdout
    found = subprocess.run([str(PARTITA), "score", program, *where, "--json"], check=True, capture_output=True).stdout
    assert bound == report_of(again)["lower_bound_ps"] == json.loads(found)["lower_bound_ps"]
    printed = re.compile(r"lower bound [0-9.]+ \w+")
    assert printed.findall(text) == printed.findall(score) != []
    # Under another limit it is another question.
    where += ["--memory-limit", "50%", "--no-bound", "--json"]
    other = subprocess.run([str(PARTITA), "score", program, *where], check=True, capture_output=True).stdout
    assert json.loads(other)["lower_bound_ps"] < bound


def test_manual_tactics_stand_before_automatic_ones(tmp_path: Path) -> None:
    tactics = [
        {"name": "BP", "axis": "data", "tile": [["batch/.*", 0]]},
        {"name": "rest", "auto": {"goals": ["memory", "time"]}, "axes": ["model"]},
    ]
    schedule = tmp_path / "schedule.json"
    schedule.write_text(json.dumps({"tactics": tactics}))
    # A pipeline rewrites the program before all tactics.
    options = ["--budget", "300", "--forbid", "pipeline"]
    plan("llama_scan", tmp_path / "out", "--schedule", str(schedule), *options)
    found = json.loads((tmp_path / "out" / "plan.json").read_text())["schedule"]["tactics"]
    assert found[0]["name"] == "BP" and len(found) > 1
    assert {tactic["axis"] for tactic in found[1:]} == {"model"}


def test_wrong_goals_and_axes_are_refused(tmp_path: Path) -> None:
    for tactic in ({"auto": {"goals": ["speed"]}}, {"auto": {}, "axes": ["pipe"]}):
        schedule = tmp_path / "schedule.json"
        schedule.write_text(json.dumps({"tactics": [tactic]}))
        plan("llama_scan", tmp_path / "out", "--schedule", str(schedule), code=BAD_INPUT)


def test_a_plan_that_does_not_fit_is_written_and_said_so(tmp_path: Path) -> None:
    plan("llama_scan", tmp_path, "--memory-limit", "1000B", "--budget", "200", code=DOES_NOT_FIT)
    assert (tmp_path / "plan.json").exists()


def test_a_deadline_cuts_short(tmp_path: Path) -> None:
    options = ["--budget", "100000000", "--deadline", "300ms", *MEMORY, "--goals", "communication"]
    plan("gns_scan", tmp_path, *options)
    stopped = report_of(tmp_path)["search"]["stop_reason"]
    assert stopped in ("deadline", "finished")
    plan("gns_scan", tmp_path, *options, "--strict", code=CUT_SHORT if stopped == "deadline" else DONE)


def test_every_state_is_dumped_in_order(tmp_path: Path) -> None:
    dump = tmp_path / "states.jsonl"
    plan("llama_scan", tmp_path / "out", "--no-seeds", "--budget", "100", "--dump-evaluated", str(dump))
    states = [json.loads(line) for line in dump.read_text().splitlines()]
    assert [state["evaluation"] for state in states] == list(range(1, 101))
    assert states[0]["moves"] == [], "without seeds the first state is the empty plan"


@pytest.mark.parametrize("delay", [0.3, 0.6, 1.0])
def test_an_interrupt_ends_with_the_best_so_far(delay: float, tmp_path: Path) -> None:
    command = [str(PARTITA), "plan", str(ZOO / "unet.tiny.mlir"), *MACHINE, *MEMORY, "--budget", "100000000"]
    command += ["--progress", "jsonl", "-o", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        while first and not first.startswith("{"):
            first = process.stderr.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == DONE, errors
    reported = [json.loads(line) for line in [first, *errors.splitlines()] if line.startswith("{")]
    report = report_of(tmp_path)
    assert report["search"]["stop_reason"] in ("interrupted", "finished")
    assert report["search"]["complete"] is (report["search"]["stop_reason"] == "finished")
    assert report["search"]["evaluations"] >= reported[-1]["evaluation"]


def run_check(*words: str) -> str:
    where = ["--mesh", "data=2,model=2", "--machine", "h100-sxm:1x4", "--program", str(ZOO / "unet.tiny.mlir")]
    command = [sys.executable, str(ROOT / "scripts" / "check_search.py"), *words, *where]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == DONE, done.stdout + done.stderr
    return done.stdout


def test_a_few_runs_of_the_check_of_determinism() -> None:
    assert "3 runs on 1, 2 and 4 threads in turn, 1 different plan.json" in run_check("determinism", "--runs", "3")


def test_a_few_moments_of_the_check_of_interrupts() -> None:
    # How long it takes is not measured here.
    text = run_check("interrupts", "--count", "3", "--span", "0.4", "--patience", "600")
    assert "0 without a valid plan or with a worse one" in text


def test_layers_that_are_split_by_turns_are_not_priced_as_alike(tmp_path: Path) -> None:
    """With nothing between matrices, the columns of one give the rows of the next, over a network that is too slow."""
    import jax
    import jax.numpy as jnp

    def step(matrices: list[Any], x: Any) -> Any:
        def loss_of(given: list[Any]) -> Any:
            h = x
            for w in given:
                h = jnp.tanh(h @ w)
            return jnp.mean(h.astype(jnp.float32) ** 2)

        loss, gradients = jax.value_and_grad(loss_of)(matrices)
        return jax.tree.map(lambda w, g: w - g, matrices, gradients), loss

    w = jax.ShapeDtypeStruct((8192, 8192), jnp.bfloat16)
    program = tmp_path / "step.mlir"
    program.write_text(jax.jit(step, donate_argnums=0).lower([w] * 24, w).as_text(debug_info=True))
    shown = subprocess.run([PARTITA, "machines", "h100-sxm:4x1", "--json"], capture_output=True, text=True, check=True)
    machine = json.loads(shown.stdout)
    machine["levels"][0]["bytes_per_second"]["value"] //= 10
    (tmp_path / "slow.json").write_text(json.dumps(machine))
    on = ["--mesh", "a=4", "--machine", str(tmp_path / "slow.json")]
    command = [PARTITA, "plan", program, *on, "--forbid", "accumulate,recompute,pad,pipeline", "-o", tmp_path / "out"]
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
    report = report_of(tmp_path / "out")
    compared = report["overview"]["compared"]
    assert compared and report["time_ps"] <= min(row["time_ps"] for row in compared)
    # What goes on has the bytes of one search, though each searches twice.
    runs = {"first": ("300",), "on": ("300", "--resume", str(tmp_path / "first")), "one": ("600",)}
    for name, (budget, *more) in runs.items():
        words = [*command[:-1], tmp_path / name, "--budget", budget, *more]
        subprocess.run([str(word) for word in words], check=True, capture_output=True)
    assert (tmp_path / "on" / "plan.json").read_bytes() == (tmp_path / "one" / "plan.json").read_bytes()


def test_a_plan_is_summed_up_in_a_line(tmp_path: Path) -> None:
    text = plan("llama_scan", tmp_path, "--memory-limit", "2MB", "--budget", "400", "--forbid", "recompute")
    summary = report_of(tmp_path)["search"]["strategy"]
    assert summary in text
    assert "heads" in summary and "over data and model" in summary


def test_what_does_not_fit_is_named(tmp_path: Path) -> None:
    command = [str(PARTITA), "plan", str(ZOO / "llama_scan.tiny.mlir"), *MACHINE, "--memory-limit", "1000B"]
    done = subprocess.run([*command, "--budget", "200", "-o", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == DOES_NOT_FIT
    assert "short by" in done.stderr and "the largest values at the peak are" in done.stderr


def sizes_of(mesh: str) -> tuple[int, ...]:
    return tuple(sorted(int(axis.split("=")[1]) for axis in mesh.split(",")))


def test_shapes_of_the_mesh_are_searched_too(tmp_path: Path) -> None:
    program = str(ZOO / "llama_scan.tiny.mlir")
    command = [str(PARTITA), "plan", program, "--devices", "8", "--machine", "h100-sxm:1x8", "--memory-limit", "2MB"]
    done = subprocess.run([*command, "--budget", "400", "-o", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == DONE, done.stderr
    meshes = report_of(tmp_path)["search"]["meshes"]
    # All of one and two axes, of which 4 x 2 and 2 x 4 are alike here; more axes only if they help.
    tried = [sizes_of(entry["mesh"]) for entry in meshes]
    assert {(8,), (2, 4)} <= set(tried) <= {(8,), (2, 4), (2, 2, 2)} and len(set(tried)) == len(tried)
    assert json.loads((tmp_path / "plan.json").read_text())["mesh"] == meshes[0]["mesh"]
    assert all(f"mesh: {entry['mesh']} " in done.stdout for entry in meshes[1:])
    # Behind what was found stands what it costs.
    assert "peak memory" in done.stdout and "tactic " not in done.stdout.split("\n\n")[0]


def test_axes_are_called_by_what_they_carry(tmp_path: Path) -> None:
    """All that is said of the plan has the names of its mesh, and it replays to the same bytes."""
    program = str(ZOO / "llama_scan.tiny.mlir")
    command = [str(PARTITA), "plan", program, "--devices", "8", "--machine", "h100-sxm:2x4", "--budget", "300"]
    command += ["--memory-limit", "2MB"]
    done = subprocess.run([*command, "-o", str(tmp_path / "plan")], capture_output=True, text=True)
    assert done.returncode == DONE, done.stderr
    plan = json.loads((tmp_path / "plan" / "plan.json").read_text())
    names = [axis.split("=")[0] for axis in plan["mesh"].split(",")]
    kinds = {name.rstrip("0123456789") for name in names}
    assert kinds <= {"data", "fsdp", "sequence", "expert", "model"} and len(set(names)) == len(names)
    assert all(tactic["axis"].split(":")[0] in names for tactic in plan["schedule"]["tactics"] if "axis" in tactic)
    assert {entry.split("=")[0] for entry in plan["placement"].split(",")} == set(names)
    strategy = report_of(tmp_path / "plan")["search"]["strategy"]
    assert strategy
    for phrase in strategy.split("; "):
        over = phrase.partition(" over ")[2].split(" (")[0]
        axes = over.replace("part of ", "").replace(", ", " and ").split(" and ")
        assert set(axes) <= {*names, "both", "all axes"} or "% of" in over, strategy
    replay = [str(PARTITA), "plan", program, "--plan", str(tmp_path / "plan" / "plan.json")]
    again = subprocess.run([*replay, "-o", str(tmp_path / "again")], capture_output=True, text=True)
    assert again.returncode == DONE, again.stderr
    local = [(tmp_path / folder / "local.mlir").read_text() for folder in ("plan", "again")]
    assert local[0] == local[1]
    # The same bytes, if it is searched again.
    subprocess.run([*command, "--threads", "3", "-o", str(tmp_path / "more")], capture_output=True, check=True)
    assert (tmp_path / "more" / "plan.json").read_text() == (tmp_path / "plan" / "plan.json").read_text()


def test_placements_that_cut_levels_are_searched(tmp_path: Path) -> None:
    """Two sums as large, one over each axis: an axis across all nodes has one network card of each, and one that takes
    half of both levels has two, and less to send over them. No order of the axes gives that."""
    of_sums = "\n".join(
        f"%{name} = stablehlo.dot_general %{left}, %{right}, contracting_dims = [1] x [0]"
        " : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>"
        for name, left, right in (("p", "x", "w"), ("q", "v", "u"))
    )
    arguments = ", ".join(f'%{name}: tensor<1024x1024xf32> loc("{name}")' for name in "xwvu")
    result = "tensor<1024x1024xf32>, tensor<1024x1024xf32>"
    program, schedule = tmp_path / "program.mlir", tmp_path / "schedule.json"
    program.write_text(f"func.func @main({arguments}) -> ({result}) {{\n{of_sums}\nreturn %p, %q : {result}\n}}\n")
    tiles = [{"axis": "a", "tile": [["x", 1]]}, {"axis": "b", "tile": [["v", 1]]}]
    schedule.write_text(json.dumps({"tactics": [*tiles, {"name": "rest", "auto": {}}]}))
    command = [str(PARTITA), "plan", str(program), "--mesh", "a=4,b=4", "--machine", "h100-sxm:4x4"]
    command += ["--schedule", str(schedule), "--budget", "1", "--forbid", "reductions", "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == DONE, done.stderr
    report = report_of(tmp_path / "out")
    trials = report["search"]["meshes"]
    assert [trial["placement"] for trial in trials] == [
        "a=node:2+nvlink:2,b=node:2+nvlink:2",
        "a=node,b=nvlink",
        "b=node,a=nvlink",
    ]
    assert trials[0]["time_ps"] < 0.9 * trials[1]["time_ps"]
    # It was searched there, and not moved there in the end, where no bound is known.
    assert report["lower_bound_ps"] > 0


def test_a_given_mesh_is_placed_where_it_is_fastest(tmp_path: Path) -> None:
    """Row-major, `model` would lie across nodes. Each placement is searched; the plan has the best one's."""
    program = str(ZOO / "llama_scan.tiny.mlir")
    command = [str(PARTITA), "plan", program, "--mesh", "model=4,data=2", "--machine", "h100-sxm:2x4"]
    done = subprocess.run([*command, "--budget", "400", "-o", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == DONE, done.stderr
    trials = report_of(tmp_path)["search"]["meshes"]
    assert {trial["mesh"] for trial in trials} == {"model=4,data=2"}
    assert {trial["placement"] for trial in trials} == {"model=node+nvlink:2,data=nvlink:2", "data=node,model=nvlink"}
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["placement"] == trials[0]["placement"]
    assert f"placement: {trials[1]['placement']}" in done.stdout
    # The plan is priced there again, whoever reads it.
    score = [
        str(PARTITA),
        "score",
        program,
        "--plan",
        str(tmp_path / "plan.json"),
        "--machine",
        "h100-sxm:2x4",
        "--json",
    ]
    scored = json.loads(subprocess.run(score, check=True, capture_output=True, text=True).stdout)
    assert scored["time_ps"] == plan["cost"]["time_ps"]
    # A placement that is given is kept, and so is the mesh of one level.
    for more in (["--placement", "model=node+nvlink:2,data=nvlink:2"], ["--machine", "h100-sxm:1x8"]):
        again = subprocess.run([*command, *more, "--budget", "50", "-o", str(tmp_path)], capture_output=True, text=True)
        assert again.returncode == DONE, again.stderr
        assert report_of(tmp_path)["search"]["meshes"] == []


def test_folded_programs_cost_what_whole_ones_do(tmp_path: Path) -> None:
    """Lists of moves at random, single ops among them: what layers have in common they do together."""
    program, graph = tmp_path / "layers.mlir", tmp_path / "layers.json"
    program.write_text(generate.write_program(900))
    subprocess.run([PARTITA, "plan", program, "--stop-after=flatten", "-o", graph], check=True)
    command = [PARTITA.with_name("bench-search"), graph, "data=4,model=2", "h100-sxm:1x8", "--check-folding", "150"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert found["searched_ops"] < found["ops"] / 2
    assert (found["lists"], found["different"]) == (150, 0), found["first"]


def without_names(text: str) -> str:
    """The program without locations, names of results and what is donated: nothing says which argument is what."""
    text = re.sub(r"^#loc.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r' loc\((?:#loc\d*|unknown|"(?:[^"\\]|\\.)*"(?:\(#loc\d*\))?)\)', "", text)
    text = re.sub(
        r'(?:jax\.result_info = "[^"]*"|tf\.aliasing_output = \d+ : i32|jax\.buffer_donor = true),? ?', "", text
    )
    return text.replace(" {}", "")


@pytest.mark.parametrize("model", ["llama_scan", "llama"])
def test_nothing_that_fits_in_a_line_is_better_though_nothing_is_named(model: str, tmp_path: Path) -> None:
    text = without_names((ZOO / f"{model}.tiny.mlir").read_text())
    assert "loc(" not in text and "aliasing" not in text and "result_info" not in text
    program, schedule = tmp_path / "program.mlir", tmp_path / "schedule.json"
    program.write_text(text)
    signature = next(line for line in text.splitlines() if "@main(" in line)
    arguments, results = signature.split(" -> ")
    types = re.findall(r"tensor<[^>]*>", arguments)
    inputs = [f"arg{number}" for number, each in enumerate(types) if each not in results]
    others = [f"arg{number}" for number, each in enumerate(types) if each in results and "x" in each]
    assert inputs and others

    def tile(axis: str, names: list[str], dim: int | str) -> dict[str, Any]:
        return {"name": f"{dim} {axis}", "axis": axis, "tile": [["|".join(names), dim]], "optional": True}

    def find_peak(*options: str) -> int:
        command = [str(PARTITA), "plan", str(program), *MACHINE, *options, "-o", str(tmp_path / "out")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == DONE, done.stderr
        return int(report_of(tmp_path / "out")["peak_bytes"])

    found = find_peak(*MEMORY, "--budget", "400")
    data = [tile(axis, inputs, 0) for axis in ("data", "model")]
    whole = [tile(axis, others, "first_divisible") for axis in ("data", "model")]
    for tactics in (data, data + whole, [data[0], tile("model", inputs, 1), *whole]):
        schedule.write_text(json.dumps({"tactics": tactics}))
        assert found <= find_peak("--schedule", str(schedule))


def test_a_search_goes_on_where_another_ended(tmp_path: Path) -> None:
    plan("llama_scan", tmp_path / "first", *MEMORY, "--budget", "150", "--threads", "2")
    plan("llama_scan", tmp_path / "second", *MEMORY, "--budget", "250", "--resume", str(tmp_path / "first"))
    plan("llama_scan", tmp_path / "whole", *MEMORY, "--budget", "400", "--threads", "1")
    for name in ("plan.json", "report.json", "local.mlir", "answers.txt"):
        assert (tmp_path / "second" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_answers_of_another_search_are_refused(tmp_path: Path) -> None:
    plan("llama_scan", tmp_path / "first", *MEMORY, "--budget", "20")
    resumed = ["--resume", str(tmp_path / "first")]
    usage = 2
    plan("llama_scan", tmp_path / "out", *resumed, code=usage)
    plan("gpt", tmp_path / "out", *MEMORY, *resumed, code=usage)
    answers = tmp_path / "first" / "answers.txt"
    whole = answers.read_text()
    answers.write_text(whole[: len(whole) // 2])
    plan("llama_scan", tmp_path / "out", *MEMORY, *resumed, code=BAD_INPUT)
    # Other prices, as of another build.
    lines = whole.splitlines()
    answers.write_text(
        "\n".join([lines[0], *(re.sub(r"\S+ \S+ \S+ \S+ ?$", "1 1 1 1 ", line) for line in lines[1:])]) + "\n"
    )
    plan("llama_scan", tmp_path / "out", *MEMORY, *resumed, code=usage)
    answers.unlink()
    plan("llama_scan", tmp_path / "out", *MEMORY, *resumed, code=74)


def test_a_search_goes_on_after_an_interrupt(tmp_path: Path) -> None:
    command = [str(PARTITA), "plan", str(ZOO / "llama_scan.tiny.mlir"), *MACHINE, *MEMORY, "--budget", "100000"]
    command += ["--progress", "jsonl", "-o", str(tmp_path / "first")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    evaluated = report_of(tmp_path / "first")["search"]["evaluations"]
    plan("llama_scan", tmp_path / "second", *MEMORY, "--budget", "50", "--resume", str(tmp_path / "first"))
    plan("llama_scan", tmp_path / "whole", *MEMORY, "--budget", str(evaluated + 50))
    assert (tmp_path / "second" / "plan.json").read_bytes() == (tmp_path / "whole" / "plan.json").read_bytes()


def test_a_program_of_few_plans_is_searched_to_its_end(tmp_path: Path) -> None:
    """It has some thousands of plans on three sub-axes. Looking for the last of them would take the whole budget."""
    program = tmp_path / "program.mlir"
    program.write_text("""
func.func @main(%x: tensor<8x16xf32>, %a: tensor<16x32xf32>, %b: tensor<32x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0]
    : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0]
    : (tensor<8x32xf32>, tensor<32x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
""")
    command = [str(PARTITA), "plan", str(program), "--mesh", "b=8", "--machine", "h100-sxm:1x8", "--budget", "1000000"]
    done = subprocess.run([*command, "-o", str(tmp_path / "plan")], capture_output=True, text=True)
    assert done.returncode == DONE, done.stderr
    search = report_of(tmp_path / "plan")["search"]
    assert search["stop_reason"] == "finished" and search["evaluations"] < 20_000, search


@pytest.mark.parametrize("model", ["llama_scan", "llama"])
def test_a_plan_on_four_axes_is_told_whole_in_eight_lines(model: str, tmp_path: Path) -> None:
    """Every tactic of the plan has its axis in a line, and none is left to the schedule."""
    on = ["--mesh", "data=2,fsdp=2,model=2,sequence=2", "--machine", "h100-sxm:2x8"]
    options = ["--forbid", "pipeline,accumulate,recompute,pad,reorder", "--budget", "300", "--details", "--no-check"]
    text = plan(model, tmp_path, *MEMORY, *options, on=on)
    found = text[text.index("\nsearch estimate") :].split("\nexperts' strategies")[0]
    told = [line.strip() for line in found.splitlines() if line.startswith("  ")]
    tactics = json.loads((tmp_path / "plan.json").read_text())["schedule"]["tactics"]
    assert len(tactics) > 8 >= len(told) > 0
    assert not any(line.startswith("and ") or "more over" in line for line in told), told
    for axis in {tactic["axis"] for tactic in tactics}:
        assert any(re.search(rf"over .*\b{axis}\b", line) for line in told), (axis, told)
