"""The machines that plans are priced on: those known by name, and that of the devices that JAX has.

>>> from partita import machines
>>> "h100-sxm" in machines.list_presets(), machines.describe("h100-sxm:4x8")["platform"]
(True, 'cuda')
"""

from partita._src.machines import describe, list_presets, of_devices

__all__ = ["describe", "list_presets", "of_devices"]
