"""How the plans of small models are searched for, here and in scripts/compare_xla.py.

The machine is made up: its rates stand to small models as those of real devices to large ones, so that splitting pays.
The memory of a device is a share of what the whole program needs, so that not splitting does not fit.
"""

from __future__ import annotations

from pathlib import Path

MACHINE = Path(__file__).with_name("machine.json")
MEMORY_SHARE = 0.4
BUDGET = 2000
