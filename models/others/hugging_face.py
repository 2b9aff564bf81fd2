"""Hugging Face's Flax models: transformers 4.57 (the last that has them) and diffusers."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from models.others.row import Model, cross_entropy, normal, row, tokens

BATCH, LENGTH, VOCABULARY = 8, 16, 64


def _import(kind: str, config: str, **settings: Any) -> Any:
    import transformers

    made = getattr(transformers, config)(**settings)
    return getattr(transformers, kind)(made, seed=0, dtype=jnp.float32)


def _call(model: Any, *inputs: Any, params: Any) -> Any:
    """Without dropout; models call the switch differently, and some have none."""
    names = inspect.signature(model.__call__).parameters
    return model(*inputs, params=params, **({"train": False} if "train" in names else {}))


def _language(kind: str, config: str, **settings: Any) -> Model:
    """Next-token or masked-token losses alike: every position has a label."""
    model = _import(kind, config, vocab_size=VOCABULARY, **settings)
    batch = {"input_ids": tokens(BATCH, LENGTH), "labels": tokens(BATCH, LENGTH, seed=1)}
    mask = jnp.ones((BATCH, LENGTH), jnp.int32)

    def loss(params: Any, batch: Any) -> jax.Array:
        return cross_entropy(_call(model, batch["input_ids"], mask, params=params).logits, batch["labels"])

    return model.params, batch, loss


def _sequence_to_sequence(kind: str, config: str, **settings: Any) -> Model:
    model = _import(kind, config, vocab_size=VOCABULARY, pad_token_id=0, decoder_start_token_id=1, **settings)
    batch = {
        "input_ids": tokens(BATCH, LENGTH),
        "decoder_input_ids": tokens(BATCH, LENGTH, seed=1),
        "labels": tokens(BATCH, LENGTH, seed=2),
    }
    mask = jnp.ones((BATCH, LENGTH), jnp.int32)

    def loss(params: Any, batch: Any) -> jax.Array:
        answer = _call(model, batch["input_ids"], mask, batch["decoder_input_ids"], mask, params=params)
        return cross_entropy(answer.logits, batch["labels"])

    return model.params, batch, loss


def _classification(kind: str, config: str, size: int = 32, **settings: Any) -> Model:
    model = _import(kind, config, num_labels=10, **settings)
    batch = {"pixels": normal(BATCH, 3, size, size), "labels": tokens(BATCH, vocabulary=10)}

    def loss(params: Any, batch: Any) -> jax.Array:
        return cross_entropy(_call(model, batch["pixels"], params=params).logits, batch["labels"])

    return model.params, batch, loss


def _add(
    make: Callable[..., Model], name: str, kind: str, config: str, optimizer: str = "adamw", **settings: Any
) -> None:
    row("transformers", optimizer, name)(functools.partial(make, kind, config, **settings))


ENCODER = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
           "max_position_embeddings": 32}  # fmt: skip
PAIR = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
        "max_position_embeddings": 32}  # fmt: skip
VISION = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
          "image_size": 32, "patch_size": 8}  # fmt: skip

_add(_language, "gpt2", "FlaxGPT2LMHeadModel", "GPT2Config", n_positions=16, n_embd=32, n_layer=2, n_head=4)
_add(_language, "gpt_neo", "FlaxGPTNeoForCausalLM", "GPTNeoConfig", hidden_size=32, num_layers=2, num_heads=4,
     attention_types=[[["global", "local"], 1]], max_position_embeddings=16, intermediate_size=64)  # fmt: skip
_add(_language, "gptj", "FlaxGPTJForCausalLM", "GPTJConfig", n_positions=16, n_embd=32, n_layer=2, n_head=4,
     rotary_dim=4)  # fmt: skip
_add(_language, "opt", "FlaxOPTForCausalLM", "OPTConfig", "lion", hidden_size=32, num_hidden_layers=2, ffn_dim=64,
     num_attention_heads=4, max_position_embeddings=32, word_embed_proj_dim=32)  # fmt: skip
_add(_language, "bloom", "FlaxBloomForCausalLM", "BloomConfig", hidden_size=32, n_layer=2, n_head=4)
_add(_language, "llama", "FlaxLlamaForCausalLM", "LlamaConfig", num_key_value_heads=4, **ENCODER)
_add(_language, "mistral", "FlaxMistralForCausalLM", "MistralConfig", num_key_value_heads=2, **ENCODER)
_add(_language, "gemma", "FlaxGemmaForCausalLM", "GemmaConfig", "momentum", num_key_value_heads=1, head_dim=8,
     **ENCODER)  # fmt: skip
_add(_language, "xglm", "FlaxXGLMForCausalLM", "XGLMConfig", d_model=32, num_layers=2, attention_heads=4, ffn_dim=64,
     max_position_embeddings=32)  # fmt: skip
_add(_language, "bert", "FlaxBertForMaskedLM", "BertConfig", **ENCODER)
_add(_language, "roberta", "FlaxRobertaForMaskedLM", "RobertaConfig", "adafactor", **ENCODER)
_add(_language, "roberta_prelayernorm", "FlaxRobertaPreLayerNormForMaskedLM", "RobertaPreLayerNormConfig", **ENCODER)
_add(_language, "electra", "FlaxElectraForMaskedLM", "ElectraConfig", embedding_size=32, **ENCODER)
_add(_language, "albert", "FlaxAlbertForMaskedLM", "AlbertConfig", embedding_size=16, **ENCODER)
_add(_language, "distilbert", "FlaxDistilBertForMaskedLM", "DistilBertConfig", dim=32, n_layers=2, n_heads=4,
     hidden_dim=64, max_position_embeddings=32)  # fmt: skip
_add(_language, "roformer", "FlaxRoFormerForMaskedLM", "RoFormerConfig", embedding_size=32, **ENCODER)
_add(_sequence_to_sequence, "bart", "FlaxBartForConditionalGeneration", "BartConfig", **PAIR)
_add(_sequence_to_sequence, "marian", "FlaxMarianMTModel", "MarianConfig", **PAIR)
_add(_sequence_to_sequence, "pegasus", "FlaxPegasusForConditionalGeneration", "PegasusConfig", **PAIR)
_add(_sequence_to_sequence, "t5", "FlaxT5ForConditionalGeneration", "T5Config", "adafactor", d_model=32, d_kv=8,
     d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0)  # fmt: skip
_add(_classification, "vit", "FlaxViTForImageClassification", "ViTConfig", **VISION)
_add(_classification, "beit", "FlaxBeitForImageClassification", "BeitConfig", "sgd", **VISION)
_add(_classification, "dinov2", "FlaxDinov2ForImageClassification", "Dinov2Config", **VISION)
_add(_classification, "hf_resnet", "FlaxResNetForImageClassification", "ResNetConfig", "momentum", embedding_size=8,
     hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic")  # fmt: skip


@row("transformers", name="clip")
def clip() -> Model:
    """The contrastive loss over the batch: products of images with texts of other devices."""
    import transformers

    config = transformers.CLIPConfig(
        text_config={**ENCODER, "vocab_size": VOCABULARY, "max_position_embeddings": LENGTH, "eos_token_id": 63},
        vision_config=VISION,
        projection_dim=16,
    )
    model = transformers.FlaxCLIPModel(config, seed=0, dtype=jnp.float32, input_shape=((1, LENGTH), (1, 32, 32, 3)))
    batch = {"input_ids": tokens(BATCH, LENGTH), "pixels": normal(BATCH, 3, 32, 32)}
    mask = jnp.ones((BATCH, LENGTH), jnp.int32)
    places = jnp.broadcast_to(jnp.arange(LENGTH), (BATCH, LENGTH))

    def loss(params: Any, batch: Any) -> jax.Array:
        answer = model(batch["input_ids"], batch["pixels"], mask, places, params=params, train=False)
        labels = jnp.arange(BATCH)
        return cross_entropy(answer.logits_per_text, labels) + cross_entropy(answer.logits_per_image, labels)

    return model.params, batch, loss


@row("diffusers", name="unet_2d_condition")
def unet_2d_condition() -> Model:
    from diffusers import FlaxUNet2DConditionModel

    model = FlaxUNet2DConditionModel(
        sample_size=8,
        in_channels=4,
        out_channels=4,
        block_out_channels=(32, 64),
        layers_per_block=1,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        attention_head_dim=4,
        cross_attention_dim=16,
    )
    params = model.init_weights(jax.random.key(0, impl="threefry2x32"))
    batch = {
        "latents": normal(BATCH, 4, 8, 8),
        "noise": normal(BATCH, 4, 8, 8, seed=1),
        "time": tokens(BATCH, vocabulary=1000),
        "text": normal(BATCH, 6, 16, seed=2),
    }

    def loss(params: Any, batch: Any) -> jax.Array:
        answer = model.apply({"params": params}, batch["latents"], batch["time"], batch["text"])
        return jnp.mean((answer.sample - batch["noise"]) ** 2)

    return params, batch, loss


@row("diffusers", "momentum", name="autoencoder_kl")
def autoencoder_kl() -> Model:
    from diffusers import FlaxAutoencoderKL

    model = FlaxAutoencoderKL(
        block_out_channels=(32,), layers_per_block=1, latent_channels=4, sample_size=16, norm_num_groups=8
    )
    params = model.init_weights(jax.random.key(0, impl="threefry2x32"))
    batch = {"pixels": normal(BATCH, 3, 16, 16)}

    def loss(params: Any, batch: Any) -> jax.Array:
        answer = model.apply({"params": params}, batch["pixels"], sample_posterior=False)
        return jnp.mean((answer.sample - batch["pixels"]) ** 2)

    return params, batch, loss
