"""What ops compute on padded dims, by execution: a part of `scripts/validate_padding.py`."""

from __future__ import annotations

import pytest

import validate_padding
import validate_rules

COUNT = 10
SEED = 11

PADDED = {
    "stablehlo.add",
    "stablehlo.broadcast_in_dim",
    "stablehlo.concatenate",
    "stablehlo.convolution",
    "stablehlo.dot_general",
    "stablehlo.dynamic_slice",
    "stablehlo.dynamic_update_slice",
    "stablehlo.gather",
    "stablehlo.iota",
    "stablehlo.pad",
    "stablehlo.reduce",
    "stablehlo.reduce_window",
    "stablehlo.reshape",
    "stablehlo.scatter",
    "stablehlo.select_and_scatter",
    "stablehlo.slice",
    "stablehlo.sort",
    "stablehlo.transpose",
}
"""Some of those whose dims may be longer."""


@pytest.fixture(scope="module")
def tallies() -> dict[str, validate_padding.Tally]:
    return validate_padding.validate(validate_rules.OPS, COUNT, SEED)


@pytest.mark.parametrize("op", validate_rules.OPS)
def test_no_padded_op_is_wrong(tallies: dict[str, validate_padding.Tally], op: str) -> None:
    assert tallies[op].wrong == []
    assert tallies[op].skipped == []


@pytest.mark.parametrize("op", sorted(PADDED))
def test_dims_are_padded_and_split(tallies: dict[str, validate_padding.Tally], op: str) -> None:
    assert tallies[op].padded > 0 and tallies[op].split > 0 and tallies[op].empty > 0


def test_what_makes_padding_untrusted() -> None:
    case = {"dim": "operand 0, dim 0", "size": 2, "parts": 8, "padded": True, "split": True}
    report: dict[str, object] = {"op": "o", "cases": [case], "wrong": [], "skipped": ""}

    def refused(*reports: dict[str, object]) -> list[str]:
        return validate_padding.complaints(validate_padding.tally(reports))

    assert refused(report) == []
    assert refused({**report, "wrong": [{}]}) == ["o: 1 wrong, 0 not run"]
    assert refused({**report, "skipped": "no"}) == ["o: 0 wrong, 1 not run"]
    # Of 28 pairs one was there: 2 over 8, which leaves six devices without an element.
    few = [report] * validate_padding.ENOUGH
    assert "never padded with [(2, 1), (3, 1)" in refused(*few)[0]
    assert validate_padding.tally(few)["o"].empty == validate_padding.ENOUGH
