"""How tests run, in test/ and models/: on the CPU, with an XLA that compiles quickly, without those that are long.

XLA compiles thousands of programs here and runs most of them once, so its time is that of compilation: without LLVM's
optimizations and the emitters of fusions it is a sixth. `--long` (`make test-long`) compiles as users do, and runs the
tests that are marked `long`, too.

With `-n`, the tests of a file run in one process, for they share fixtures; where they share none of weight, the file
says otherwise by marks `xdist_group`.
"""

from __future__ import annotations

import os

import pytest

QUICK_XLA = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests marked long, and compile as users do")


def pytest_configure(config: pytest.Config) -> None:
    """Before any test is imported: JAX reads these when it starts. Processes that tests start inherit them."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    # Eight virtual devices on few cores abort after a minute without it.
    os.environ.setdefault("PJRT_NPROC", "32")
    if not config.getoption("--long"):
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {QUICK_XLA}".strip()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        leave_out_long(config, items)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.location[0]))


def leave_out_long(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if item.get_closest_marker("long")]
    items[:] = [item for item in items if not item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=left_out)
