"""Every op's rule, checked by execution on generated instances and on the ops of the zoo's tiny programs."""

from __future__ import annotations

import pytest

import rules_doc
import validate_rules

# Enough that each op with a split has a hundred instances that can be split.
COUNT = 60
SEED = 7

# Ops for which a split that would be right and is not offered is a defect.
COMPLETE = [
    "stablehlo.dot_general",
    "stablehlo.reshape",
    "stablehlo.transpose",
    "stablehlo.broadcast_in_dim",
    "stablehlo.reduce",
    "stablehlo.gather",
    "stablehlo.scatter",
    "stablehlo.dynamic_slice",
    "stablehlo.dynamic_update_slice",
    "stablehlo.select",
    "stablehlo.concatenate",
    "stablehlo.convolution",
    "stablehlo.sort",
    "chlo.top_k",
]


@pytest.fixture(scope="module")
def grammar() -> dict[str, validate_rules.Tally]:
    return validate_rules.tally(validate_rules.validate_grammar(sorted(validate_rules.generate.MAKERS), COUNT, SEED))


@pytest.mark.parametrize("op", sorted(validate_rules.generate.MAKERS))
def test_no_split_is_wrong(grammar: dict[str, validate_rules.Tally], op: str) -> None:
    assert grammar[op].wrong == []
    assert grammar[op].skipped == []


@pytest.mark.parametrize("op", COMPLETE)
def test_no_split_is_missing(grammar: dict[str, validate_rules.Tally], op: str) -> None:
    assert [report["missing"] for report in grammar[op].missing] == []


def test_other_missing_splits_are_explained(grammar: dict[str, validate_rules.Tally]) -> None:
    assert {op for op, t in grammar.items() if t.missing} <= set(rules_doc.MISSING)


def test_zoo_ops_are_right() -> None:
    reports = validate_rules.validate_zoo()
    assert len(reports) > 100
    assert [report for report in reports if report["wrong"]] == []


def test_instances_do_not_depend_on_each_other() -> None:
    generate = validate_rules.generate
    assert generate.instances("stablehlo.gather", 3, 5) == generate.instances("stablehlo.gather", 9, 5)[:3]
    assert generate.instances("stablehlo.gather", 3, 5) != generate.instances("stablehlo.gather", 3, 6)


def test_the_document_is_what_the_table_gives() -> None:
    assert rules_doc.is_current(), "run scripts/rules_doc.py"
