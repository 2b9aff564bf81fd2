"""The UNet of a diffusion model, planned for sixteen TPUs: which strategy is best when convolutions do the work?"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the models of this repository

import partita
from models.registry import ZOO
from partita import presets

program = ZOO["unet"].program("tiny" if "--tiny" in sys.argv else "full")
warnings.simplefilter("ignore", partita.DoesNotFitWarning)
plan = partita.plan(
    program.fn, *program.shapes(), mesh={"data": 8, "model": 2}, machine="tpu-v5e:4x4", budget=500,
    baseline=[presets.data_parallel("data"), presets.megatron("model")], donate_argnums=program.donate_argnums,
)  # fmt: skip
print(
    plan.compare(
        data_parallel=presets.data_parallel("data"),
        fsdp=presets.fsdp("data"),
        both_axes=[presets.data_parallel("data"), presets.data_parallel("model")],
    )
)
