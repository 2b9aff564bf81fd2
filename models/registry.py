"""All models of the zoo, by name."""

from __future__ import annotations

from models import decode, gns, gpt, llama, moe, resnet, rnn, unet
from models.program import Model

FAMILIES = (gpt, llama, decode, moe, unet, resnet, gns, rnn)

ZOO: dict[str, Model] = {model.name: model for family in FAMILIES for model in family.MODELS}


def entries(size: str = "all") -> list[tuple[Model, str]]:
    """Every (model, size name); `tiny`, `full` (every published size) or `all`."""
    pairs = [(model, name) for model in ZOO.values() for name in model.sizes]
    return [(model, name) for model, name in pairs if size == "all" or (name == "tiny") == (size == "tiny")]
