"""Every op's rule, checked by execution on generated instances and on the ops of the zoo's tiny programs."""

from __future__ import annotations

import importlib

import pytest

import grammar
import rules_doc
import validate_rules

COUNT = 60
SEED = 7


@pytest.fixture(scope="module")
def tallies() -> dict[str, validate_rules.Tally]:
    return validate_rules.tally(validate_rules.validate_grammar(validate_rules.OPS, COUNT, SEED))


@pytest.mark.parametrize("op", validate_rules.OPS)
def test_no_split_is_wrong(tallies: dict[str, validate_rules.Tally], op: str) -> None:
    assert tallies[op].wrong == []
    assert tallies[op].skipped == []


@pytest.mark.parametrize("op", validate_rules.COMPLETE)
def test_no_split_is_missing(tallies: dict[str, validate_rules.Tally], op: str) -> None:
    assert validate_rules.defects(op, tallies[op]) == []


def test_other_missing_splits_are_explained(tallies: dict[str, validate_rules.Tally]) -> None:
    assert {op for op, t in tallies.items() if t.missing} <= set(rules_doc.MISSING)


def test_zoo_ops_are_right() -> None:
    reports = validate_rules.validate_zoo()
    assert len(reports) > 3000
    assert [report for report in reports if report["wrong"]] == []


def test_ops_that_programs_share_are_validated_once() -> None:
    def program(op: str) -> str:
        body = f"%0 = stablehlo.tanh %x : tensor<4xf32>\n  %1 = stablehlo.{op} %0 : tensor<4xf32>"
        return f"module @jit_f {{ func.func @main(%x: tensor<4xf32>) {{\n  {body}\n  return }} }}\n"

    texts = [program("sine"), program("cosine").replace(" @jit_f", ""), program("sine")]
    reports = validate_rules.validate_texts([validate_rules.join_modules(texts)])
    assert sorted(report["op"] for report in reports) == ["stablehlo.cosine", "stablehlo.sine", "stablehlo.tanh"]


def test_what_makes_a_rule_untrusted() -> None:
    """Each of the things that `make rules` refuses."""

    def report(**fields: object) -> dict[str, object]:
        rule = "([a,b],[c])->([a,d]) window={b,c,d}"
        base = {"op": "stablehlo.concatenate", "splits": 1, "wrong": [], "missing": [], "skipped": "", "whole": ""}
        return {**base, "rule": rule, **fields}

    def refused(*reports: dict[str, object], count: int = 1) -> list[str]:
        return validate_rules.complaints(validate_rules.tally(reports), count)

    assert refused(report()) == []
    assert refused(report(wrong=[{}])) == ["stablehlo.concatenate: 1 wrong, 0 not run"]
    assert refused(report(skipped="no")) == ["stablehlo.concatenate: 0 wrong, 1 not run"]
    assert refused(report(), count=100) == ["stablehlo.concatenate: only 1 instances"]
    # Along the joined dim nothing is asked for; along the other it is.
    assert refused(report(missing=["([_,a],[_])->([_,a])"])) == []
    assert len(refused(report(missing=["([a,_],[_])->([a,_])"]))) == 1


def test_every_op_is_documented() -> None:
    document = rules_doc.DOCUMENT.read_text()
    judge = importlib.import_module("Conformance.jaxlib_judge")
    operations = [op for dialect in judge.DIALECTS for op in judge.dialect_operations(dialect)]
    assert len(operations) > 180
    assert [op for op in operations if f"`{op}`" not in document] == []


def test_instances_do_not_depend_on_each_other() -> None:
    instances = grammar.instances
    assert instances("stablehlo.gather", 3, 5) == instances("stablehlo.gather", 9, 5)[:3]
    assert instances("stablehlo.gather", 3, 5) != instances("stablehlo.gather", 3, 6)


def test_the_document_is_what_the_table_gives() -> None:
    assert rules_doc.is_current(), "run scripts/rules_doc.py"
