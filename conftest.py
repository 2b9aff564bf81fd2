"""How tests run, in test/ and models/: on the CPU, with an XLA that compiles quickly, without those that are long.

XLA compiles thousands of programs here and runs most of them once, so its time is that of compilation: without LLVM's
optimizations and the emitters of fusions it is a sixth. `--long` (`make test-long`) compiles as users do, and runs the
tests that are marked `long`, too.

With `-n`, the tests of a file run in one process, for they share fixtures and caches; those of SPREAD share none.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

QUICK_XLA = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"
SPREAD = (
    "models/test_zoo.py",
    "test/Evaluate/test_ops_against_xla.py",
    "test/Program/test_import_semantics.py",
)
"""Long files whose tests have nothing in common, but for the first parameter if there are two."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests marked long, and compile as users do")


def pytest_configure(config: pytest.Config) -> None:
    """Before any test is imported: JAX reads these when it starts. Processes that tests start inherit them."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    # Eight virtual devices on few cores abort after a minute without it.
    os.environ.setdefault("PJRT_NPROC", "32")
    if not config.getoption("--long"):
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {QUICK_XLA}".strip()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    items[:] = [item for item in items if not item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=left_out)


def group_of(nodeid: str) -> str:
    """Tests of one group run in one process, one after the other."""
    file = nodeid.split("::")[0]
    return nodeid.rsplit("-", 1)[0] if file in SPREAD else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return Scheduling(config, log)
