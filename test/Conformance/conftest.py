"""Settings of the judge's tests, and their summary: the verdict's line and the table of operations."""

from __future__ import annotations

import os
from typing import Any

import pytest

os.environ["JAX_PLATFORMS"] = "cpu"

SUMMARY = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SUMMARY] = []


@pytest.fixture(scope="session")
def judge_summary(pytestconfig: pytest.Config) -> list[str]:
    """Texts added here are printed after the tests."""
    return pytestconfig.stash[SUMMARY]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process of `-n` hands its texts over to the one that prints."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["judge_summary"] = session.config.stash[SUMMARY]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[SUMMARY] += getattr(node, "workeroutput", {}).get("judge_summary", [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for text in config.stash.get(SUMMARY, []):
        terminalreporter.write_line(text)
