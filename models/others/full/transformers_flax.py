"""Hugging Face transformers: its Flax classes with their published configurations, in bf16 from f32 weights."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import optax
import transformers

import models.others.transformers_flax  # noqa: F401  (lets the Flax T5 run with this JAX)
from models.others.full.program import Entry, Program, cross_entropy, floats, key, next_token_loss, tokens, train

GPT2_LARGE = {"n_embd": 1280, "n_layer": 36, "n_head": 20}
GPT2_XL = {"n_embd": 1600, "n_layer": 48, "n_head": 25}
# The positions are more than are used: each layer has a table of them, which is a constant in the text if it is small.
TINY_LLAMA = {
    "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22, "num_attention_heads": 32,
    "num_key_value_heads": 4, "max_position_embeddings": 4096,
}  # fmt: skip
LLAMA_7B = {"max_position_embeddings": 4096}
ENCODER_LARGE = {
    "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096
}  # fmt: skip


def make_model(kind: str, config: Any, shape: Any, **options: Any) -> tuple[Any, Any]:
    """The model and the shapes of its parameters."""
    model = getattr(transformers, kind)(config, input_shape=shape, dtype=jnp.bfloat16, _do_init=False, **options)
    return model, model.params_shape_tree


def causal(kind: str, config: Any, batch: int, length: int) -> Program:
    """Next-token prediction."""
    model, params = make_model(kind, config, (1, length))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return next_token_loss(model(batch["tokens"], params=params).logits, batch["tokens"])

    return train(loss, params, {"tokens": tokens(batch, length)})


def masked(kind: str, config: Any, batch: int, length: int, **options: Any) -> Program:
    """Masked-language modelling with dropout: the loss is over the tokens that were masked."""
    model, params = make_model(kind, config, (1, length), **options)

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model(
            batch["tokens"], attention_mask=batch["mask"], params=params, dropout_rng=batch["key"], train=True
        ).logits
        losses = optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), batch["labels"])
        chosen = batch["labels"] > 0
        return jnp.sum(losses * chosen) / jnp.sum(chosen)

    rows = tokens(batch, length)
    return train(loss, params, {"tokens": rows, "mask": rows, "labels": rows, "key": key()})


def sequence_to_sequence(config: Any, batch: int, length: int, target: int) -> Program:
    """T5 with dropout, its layers rematerialised, by Adafactor."""
    model, params = make_model(
        "FlaxT5ForConditionalGeneration", config, (1, length), gradient_checkpointing=True
    )  # fmt: skip

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        inputs = jnp.pad(batch["labels"][:, :-1], ((0, 0), (1, 0)))
        logits = model(
            batch["tokens"], attention_mask=batch["mask"], decoder_input_ids=inputs, params=params,
            dropout_rng=batch["key"], train=True,
        ).logits  # fmt: skip
        return cross_entropy(logits, batch["labels"])

    rows = tokens(batch, length)
    arguments = {"tokens": rows, "mask": rows, "labels": tokens(batch, target), "key": key()}
    return train(loss, params, arguments, optimizer=optax.adafactor(1e-3))


def gpt2(batch: int, **sizes: int) -> Program:
    return causal("FlaxGPT2LMHeadModel", transformers.GPT2Config(**sizes), batch, 1024)


def llama(batch: int, length: int, **sizes: int) -> Program:
    return causal("FlaxLlamaForCausalLM", transformers.LlamaConfig(**sizes), batch, length)


def bert_large() -> Program:
    config = transformers.BertConfig(**ENCODER_LARGE)
    return masked("FlaxBertForMaskedLM", config, 256, 512)


def roberta_large_remat() -> Program:
    config = transformers.RobertaConfig(vocab_size=50265, max_position_embeddings=514, **ENCODER_LARGE)
    return masked("FlaxRobertaForMaskedLM", config, 512, 512, gradient_checkpointing=True)


def t5_large() -> Program:
    config = transformers.T5Config(
        d_model=1024, d_kv=64, d_ff=2816, num_layers=24, num_heads=16, feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
    )  # fmt: skip
    return sequence_to_sequence(config, 128, 512, 128)


def whisper_medium() -> Program:
    """Speech to text: 30 seconds of sound, transcripts of 256 tokens."""
    config = transformers.WhisperConfig(
        vocab_size=51865, d_model=1024, encoder_layers=24, decoder_layers=24, encoder_attention_heads=16,
        decoder_attention_heads=16, encoder_ffn_dim=4096, decoder_ffn_dim=4096,
    )  # fmt: skip
    model, params = make_model(
        "FlaxWhisperForConditionalGeneration", config, (1, 80, 3000), gradient_checkpointing=True
    )  # fmt: skip

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model(batch["features"], batch["targets"], params=params, train=False).logits
        return next_token_loss(logits, batch["targets"])

    return train(loss, params, {"features": floats(64, 80, 3000), "targets": tokens(64, 256)})


def clip_large() -> Program:
    """ViT-L/14 and a text encoder: each image is told from all texts of the batch."""
    config = transformers.CLIPConfig(
        text_config={
            "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
        },
        vision_config={
            "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
            "image_size": 224, "patch_size": 14,
        },
        projection_dim=768,
    )  # fmt: skip
    model, params = make_model("FlaxCLIPModel", config, ((1, 77), (1, 224, 224, 3)))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        output = model(batch["tokens"], batch["images"], attention_mask=batch["mask"], params=params, train=False)
        labels = jnp.arange(batch["tokens"].shape[0])
        by_text = cross_entropy(output.logits_per_text, labels)
        return (by_text + cross_entropy(output.logits_per_image, labels)) / 2

    rows = tokens(512, 77)
    return train(loss, params, {"tokens": rows, "mask": rows, "images": floats(512, 3, 224, 224)})


def decode_step(kind: str, config: Any, batch: int, length: int) -> Program:
    """One token for each sequence, from weights in bf16; the cache of keys and values is overwritten."""
    model, shapes = make_model(kind, config, (1, length))
    params = jax.tree.map(lambda leaf: floats(*leaf.shape, dtype=jnp.bfloat16), shapes)
    cache = jax.eval_shape(lambda: model.init_cache(batch, length))

    def step(params: Any, cache: Any, token: jax.Array, mask: jax.Array, position: jax.Array) -> tuple[Any, jax.Array]:
        output = model(
            token, attention_mask=mask, position_ids=position, params=params, past_key_values=cache, train=False
        )
        return output.past_key_values, jnp.argmax(output.logits[:, -1], axis=-1)

    row = tokens(batch, 1)
    return Program(step, (params, cache, row, tokens(batch, length), row), params, donate=(1,))


def gpt2_xl_decode() -> Program:
    return decode_step("FlaxGPT2LMHeadModel", transformers.GPT2Config(**GPT2_XL), 128, 1024)


def llama_7b_decode() -> Program:
    return decode_step("FlaxLlamaForCausalLM", transformers.LlamaConfig(**LLAMA_7B), 64, 4096)


ENTRIES = [
    Entry("hf_gpt2_large", "transformers", partial(gpt2, 32, **GPT2_LARGE)),
    Entry("hf_bert_large", "transformers", bert_large),
    Entry("hf_t5_large", "transformers", t5_large),
    Entry("hf_gpt2_xl", "transformers", partial(gpt2, 16, **GPT2_XL)),
    Entry("hf_llama_1b", "transformers", partial(llama, 16, 2048, **TINY_LLAMA)),
    Entry("hf_llama_7b", "transformers", partial(llama, 8, 2048, **LLAMA_7B)),
    Entry("hf_roberta_large_remat", "transformers", roberta_large_remat),
    Entry("hf_whisper_medium", "transformers", whisper_medium),
    Entry("hf_clip_large", "transformers", clip_large),
    Entry("hf_gpt2_xl_decode", "transformers", gpt2_xl_decode),
    Entry("hf_llama_7b_decode", "transformers", llama_7b_decode),
]
