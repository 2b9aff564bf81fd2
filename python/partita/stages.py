"""What `partita.jit` and `Plan.jit` give on the way to a run, as `jax.stages` has it; to be named in annotations.

`partita.jit(f, mesh=...)` is a `PlannedJit`, its `.lower(*args)` a `Lowered`, and of that `.compile()` a `Compiled`.
"""

from partita._src.planned_jit import PlannedJit
from partita._src.stages import Compiled, Lowered

__all__ = ["Compiled", "Lowered", "PlannedJit"]
