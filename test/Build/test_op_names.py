"""No op is told by its name where it has a kind, and the check can fail."""

import pytest

import check_op_names

OPS = {"reshape", "stablehlo.reshape", "gather", "stablehlo.gather", "slice", "stablehlo.slice", "sdy.mesh"}


def test_no_op_is_told_by_its_name() -> None:
    assert check_op_names.check(check_op_names.ROOT) == []


def test_the_dialects_ops_are_known() -> None:
    ops = check_op_names.defined_ops(check_op_names.ROOT)
    assert {"reshape", "stablehlo.add", "while", "all_gather", "chlo.top_k", "sdy.manual_computation"} <= ops
    assert not {"sdy.sharding", "mesh"} & ops


@pytest.mark.parametrize(
    "line",
    [
        'if (graph.getName(info.kind) != "stablehlo.reshape")',
        'return kind == "slice" ? 1 : 2;',
        'return "stablehlo.gather" == name;',
        'if (name == llvm::StringRef("gather"))',
        'if (graph.getName(info.opName).ends_with(".gather"))',
        'switch (llvm::StringSwitch<int>(word).Cases({"a", "stablehlo.slice"}, 1).Default(0))',
        'llvm::is_contained({"sdy.mesh",\n "other"}, name)',
        'if (op->getName().getStringRef() == ("stablehlo." + word).str())',
        "if (graph.getName(graph.ops[op].opName) == wanted)",
        "return word == op->getName().stripDialect();",
    ],
)
def test_a_comparison_is_found(line: str) -> None:
    assert check_op_names.complaints("a.cpp", f"\n// no\n{line}\n", OPS) == [
        "a.cpp:3: compares the name of an op; ask for its OpKind, or isa<>"
    ]


@pytest.mark.parametrize(
    "line",
    [
        '// if (kind == "stablehlo.reshape")',
        'return name == "sdy.sharding" || name == "mesh";',
        "if (op.kind != findOpKind(graph.getName(op.opName)))",
        'writer.emit("stablehlo.reshape", operand, type);',
        "text = graph.getName(op.opName).str() + text;",
        "return mine.opName == its.opName;",
        "return op.kind == OpKind::Reshape;",
        'if (options.stopAfter == "lower")',
    ],
)
def test_what_compares_no_name_is_left_alone(line: str) -> None:
    assert check_op_names.complaints("a.cpp", line, OPS) == []
