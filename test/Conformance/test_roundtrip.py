"""partita-opt against jaxlib on the whole corpus: each program is run once, each origin is one test."""

from __future__ import annotations

import pytest

from corpus import READERS, Source, read_corpus
from jaxlib_judge import partita_opt
from op_coverage import measure
from roundtrip import Verdict, grouped, judge_all

SHOWN = 10


@pytest.fixture(scope="session")
def corpus() -> list[Source]:
    return read_corpus()


@pytest.fixture(scope="session")
def verdict(corpus: list[Source], judge_summary: list[str]) -> Verdict:
    if not partita_opt().exists():
        pytest.fail(f"{partita_opt()} has not been built", pytrace=False)
    found = judge_all(corpus)
    judge_summary.append(found.summary)
    return found


@pytest.mark.parametrize("origin", READERS)
def test_no_difference(origin: str, corpus: list[Source], verdict: Verdict) -> None:
    differences = verdict.of(origin)
    if origin != "zoo":
        assert any(source.origin == origin for source in corpus), f"no {origin} programs"
    if differences:
        groups = grouped(differences)
        shown = "\n\n".join(f"{len(group)} like {group[0]}" for group in groups[:SHOWN])
        pytest.fail(f"{len(differences)} differences in {len(groups)} groups, the largest:\n\n{shown}", pytrace=False)


def test_names_are_unique(corpus: list[Source]) -> None:
    names = [source.full_name for source in corpus]
    assert sorted(names) == sorted(set(names))


def test_every_operation_and_attribute_is_seen(corpus: list[Source], judge_summary: list[str]) -> None:
    coverage = measure(corpus)
    judge_summary.append(coverage.table())
    assert coverage.missing() == []
