"""Hugging Face transformers: more of its Flax classes with published configurations, in bf16 from f32 weights."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import transformers

from models.others.full.program import Entry, Program, cross_entropy, floats, tokens, train
from models.others.full.transformers_flax import causal, decode_step, make_model, sequence_to_sequence

GEMMA_2B = {"head_dim": 256, "max_position_embeddings": 4096} | {
    "hidden_size": 2048, "intermediate_size": 16384, "num_hidden_layers": 18, "num_attention_heads": 8,
    "num_key_value_heads": 1,
}  # fmt: skip
MISTRAL_7B = {"max_position_embeddings": 4096, "sliding_window": None}
OPT_1B3 = {
    "hidden_size": 2048, "ffn_dim": 8192, "num_hidden_layers": 24, "num_attention_heads": 32,
    "word_embed_proj_dim": 2048,
}  # fmt: skip
T5_XL = {"d_model": 2048, "d_kv": 64, "d_ff": 5120, "num_layers": 24, "num_heads": 32}
VIT_HUGE = {
    "hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32, "num_attention_heads": 16, "patch_size": 14
}  # fmt: skip
DINO_LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "patch_size": 14}


def image_classes(kind: str, config: Any, batch: int) -> Program:
    """Classes of images of 224 by 224, without dropout."""
    model, params = make_model(kind, config, (1, 224, 224, 3))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model(batch["images"], params=params, train=False).logits, batch["labels"])

    return train(loss, params, {"images": floats(batch, 3, 224, 224), "labels": tokens(batch)})


def t5_xl() -> Program:
    config = transformers.T5Config(feed_forward_proj="gated-gelu", tie_word_embeddings=False, **T5_XL)
    return sequence_to_sequence(config, 64, 512, 128)


def bart_large() -> Program:
    """Sequence to sequence without dropout; sources of 1,024 tokens, targets of 128."""
    model, params = make_model("FlaxBartForConditionalGeneration", transformers.BartConfig(), (1, 1024))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        inputs = jnp.pad(batch["labels"][:, :-1], ((0, 0), (1, 0)), constant_values=2)
        logits = model(
            batch["tokens"], attention_mask=batch["mask"], decoder_input_ids=inputs, params=params, train=False
        ).logits
        return cross_entropy(logits, batch["labels"])

    rows = tokens(64, 1024)
    return train(loss, params, {"tokens": rows, "mask": rows, "labels": tokens(64, 128)})


def gemma(batch: int, length: int) -> Program:
    return causal("FlaxGemmaForCausalLM", transformers.GemmaConfig(**GEMMA_2B), batch, length)


def mistral(batch: int, length: int) -> Program:
    return causal("FlaxMistralForCausalLM", transformers.MistralConfig(**MISTRAL_7B), batch, length)


def mistral_decode() -> Program:
    return decode_step("FlaxMistralForCausalLM", transformers.MistralConfig(**MISTRAL_7B), 64, 4096)


def opt(batch: int, length: int) -> Program:
    return causal("FlaxOPTForCausalLM", transformers.OPTConfig(dropout=0.0, **OPT_1B3), batch, length)


def gptj(batch: int, length: int) -> Program:
    return causal("FlaxGPTJForCausalLM", transformers.GPTJConfig(), batch, length)


def bloom(batch: int, length: int) -> Program:
    config = transformers.BloomConfig(hidden_size=1536, n_layer=24, n_head=16)
    return causal("FlaxBloomForCausalLM", config, batch, length)


def xglm(batch: int, length: int) -> Program:
    return causal("FlaxXGLMForCausalLM", transformers.XGLMConfig(dropout=0.0), batch, length)


def vit_huge() -> Program:
    return image_classes("FlaxViTForImageClassification", transformers.ViTConfig(num_labels=1000, **VIT_HUGE), 512)


def dino_large() -> Program:
    config = transformers.Dinov2Config(image_size=224, num_labels=1000, **DINO_LARGE)
    return image_classes("FlaxDinov2ForImageClassification", config, 512)


ENTRIES = [
    Entry("hf_gemma_2b", "transformers", partial(gemma, 16, 2048)),
    Entry("hf_mistral_7b", "transformers", partial(mistral, 8, 4096)),
    Entry("hf_mistral_7b_decode", "transformers", mistral_decode),
    Entry("hf_opt_1b3", "transformers", partial(opt, 32, 2048)),
    Entry("hf_gptj_6b", "transformers", partial(gptj, 16, 2048)),
    Entry("hf_bloom_1b1", "transformers", partial(bloom, 32, 2048)),
    Entry("hf_xglm_564m", "transformers", partial(xglm, 32, 2048)),
    Entry("hf_t5_xl", "transformers", t5_xl),
    Entry("hf_bart_large", "transformers", bart_large),
    Entry("hf_vit_huge", "transformers", vit_huge),
    Entry("hf_dinov2_large", "transformers", dino_large),
]
