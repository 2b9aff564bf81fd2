"""Hugging Face transformers: language, vision and speech models of its Flax classes, trained and decoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import optax
import transformers
from transformers import (
    BartConfig,
    BertConfig,
    CLIPConfig,
    DistilBertConfig,
    ElectraConfig,
    GPT2Config,
    GPTJConfig,
    LlamaConfig,
    OPTConfig,
    RobertaConfig,
    T5Config,
    ViTConfig,
    WhisperConfig,
)  # fmt: skip
from transformers.models.t5 import modeling_flax_t5

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, random_weights, train

BATCH, LENGTH, VOCABULARY, HIDDEN = 8, 16, 96, 64


class _ClipByOldNames:
    """jax.numpy as the Flax T5 knows it: `clip` lost its arguments a_min and a_max."""

    def __getattr__(self, name: str) -> Any:
        return getattr(jnp, name)

    @staticmethod
    def clip(x: jax.Array, a_min: Any = None, a_max: Any = None) -> jax.Array:
        return jnp.clip(x, a_min, a_max)


modeling_flax_t5.jnp = _ClipByOldNames()


def _model(kind: str, config: Any, shape: Any) -> tuple[Any, Any]:
    """The model and random parameters."""
    model = getattr(transformers, kind)(config, input_shape=shape, dtype=jnp.float32, _do_init=False)
    return model, random_weights(model.params_shape_tree)


def _causal(kind: str, config: Any, optimizer: optax.GradientTransformation | None = None) -> Case:
    """Next-token prediction."""
    model, weights = _model(kind, config, (1, LENGTH))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        tokens = batch["tokens"]
        logits = model(tokens, params=params).logits
        return cross_entropy(logits[:, :-1], tokens[:, 1:])

    batch = {"tokens": random_tokens((BATCH, LENGTH), VOCABULARY)}
    return train(loss, weights, batch, optimizer=optimizer)


def _masked(kind: str, config: Any, optimizer: optax.GradientTransformation | None = None) -> Case:
    """Prediction of every token, as masked models are trained; dropout is off."""
    model, weights = _model(kind, config, (1, LENGTH))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        output = model(batch["tokens"], attention_mask=batch["mask"], params=params, train=False)
        return cross_entropy(output.logits, batch["labels"])

    batch = {
        "tokens": random_tokens((BATCH, LENGTH), VOCABULARY),
        "labels": random_tokens((BATCH, LENGTH), VOCABULARY, 1),
        "mask": random_tokens((BATCH, LENGTH), 8, 2).clip(0, 1),
    }
    return train(loss, weights, batch, optimizer=optimizer)


def _sequence_to_sequence(kind: str, config: Any, optimizer: optax.GradientTransformation | None = None) -> Case:
    model, weights = _model(kind, config, (1, LENGTH))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model(batch["tokens"], decoder_input_ids=batch["targets"][:, :-1], params=params, train=False).logits
        return cross_entropy(logits, batch["targets"][:, 1:])

    batch = {
        "tokens": random_tokens((BATCH, LENGTH), VOCABULARY),
        "targets": random_tokens((BATCH, LENGTH), VOCABULARY, 1),
    }
    return train(loss, weights, batch, optimizer=optimizer)


def gpt2() -> Case:
    config = GPT2Config(vocab_size=VOCABULARY, n_positions=32, n_embd=HIDDEN, n_layer=2, n_head=4)
    return _causal("FlaxGPT2LMHeadModel", config)


def gpt2_decode() -> Case:
    """Greedy decoding of 8 tokens with a cache: a while loop that ends when all sequences have."""
    config = GPT2Config(vocab_size=VOCABULARY, n_positions=32, n_embd=HIDDEN, n_layer=1, n_head=4)
    model, weights = _model("FlaxGPT2LMHeadModel", config, (1, LENGTH))

    def decode(params: Any, tokens: jax.Array) -> jax.Array:
        result = model.generate(
            tokens, params=params, max_new_tokens=8, do_sample=False, pad_token_id=0, eos_token_id=1
        )
        return result.sequences

    arguments = (weights, random_tokens((BATCH, 8), VOCABULARY))
    return Case(decode, arguments, weights, "tokens", state="params/.*", training=False)


def gptj() -> Case:
    config = GPTJConfig(
        vocab_size=VOCABULARY, n_positions=32, n_embd=HIDDEN, n_layer=1, n_head=4, rotary_dim=8,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    return _causal("FlaxGPTJForCausalLM", config)


def opt() -> Case:
    """Lion takes the sign of gradients. That of a key's bias is zero but for rounding, and the sign of rounding
    is of full size in any precision: those biases are kept as they are."""
    config = OPTConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=4, ffn_dim=128,
        max_position_embeddings=32, word_embed_proj_dim=HIDDEN, dropout=0.0, attention_dropout=0.0,
    )  # fmt: skip
    rule = optax.multi_transform({"lion": optax.lion(1e-4), "kept": optax.set_to_zero()}, _keep_key_biases)
    return _causal("FlaxOPTForCausalLM", config, rule)


def _keep_key_biases(params: Any) -> Any:
    def label(path: Any, _: Any) -> str:
        return "kept" if "k_proj/bias" in jax.tree_util.keystr(path, simple=True, separator="/") else "lion"

    return jax.tree_util.tree_map_with_path(label, params)


def llama() -> Case:
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, intermediate_size=128, num_hidden_layers=1, num_attention_heads=8,
        num_key_value_heads=4, max_position_embeddings=32,
    )  # fmt: skip
    return _causal("FlaxLlamaForCausalLM", config)


def bert() -> Case:
    config = BertConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=4, intermediate_size=128,
        max_position_embeddings=32,
    )  # fmt: skip
    return _masked("FlaxBertForMaskedLM", config)


def roberta() -> Case:
    config = RobertaConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=8, intermediate_size=128,
        max_position_embeddings=32,
    )  # fmt: skip
    return _masked("FlaxRobertaForMaskedLM", config, optax.sgd(1e-2, momentum=0.9))


def electra() -> Case:
    config = ElectraConfig(
        vocab_size=VOCABULARY, embedding_size=32, hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=4,
        intermediate_size=128, max_position_embeddings=32,
    )  # fmt: skip
    return _masked("FlaxElectraForMaskedLM", config)


def distilbert() -> Case:
    config = DistilBertConfig(
        vocab_size=VOCABULARY, dim=HIDDEN, n_layers=1, n_heads=4, hidden_dim=128, max_position_embeddings=32
    )
    return _masked("FlaxDistilBertForMaskedLM", config, optax.sgd(1e-2))


def bart() -> Case:
    config = BartConfig(
        vocab_size=VOCABULARY, d_model=HIDDEN, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, max_position_embeddings=32,
        dropout=0.0, attention_dropout=0.0, activation_dropout=0.0,
    )  # fmt: skip
    return _sequence_to_sequence("FlaxBartForConditionalGeneration", config)


def t5() -> Case:
    config = T5Config(
        vocab_size=VOCABULARY, d_model=HIDDEN, d_kv=16, d_ff=128, num_layers=1, num_heads=4, dropout_rate=0.0
    )
    return _sequence_to_sequence("FlaxT5ForConditionalGeneration", config, optax.adafactor(1e-3))


def mt5() -> Case:
    config = transformers.MT5Config(
        vocab_size=VOCABULARY, d_model=HIDDEN, d_kv=16, d_ff=128, num_layers=1, num_heads=4, dropout_rate=0.0
    )
    return _sequence_to_sequence("FlaxMT5ForConditionalGeneration", config)


def vit() -> Case:
    """With 10 classes, which no axis divides."""
    config = ViTConfig(
        hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=4, intermediate_size=128, image_size=16,
        patch_size=4, num_labels=10,
    )  # fmt: skip
    model, weights = _model("FlaxViTForImageClassification", config, (1, 16, 16, 3))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model(batch["images"], params=params, train=False).logits, batch["labels"])

    batch = {"images": random_floats((BATCH, 3, 16, 16)), "labels": random_tokens((BATCH,), 10)}
    return train(loss, weights, batch)


def clip() -> Case:
    """Text and image towers and the contrastive loss over the batch."""
    shared = {"hidden_size": HIDDEN, "intermediate_size": 128, "num_hidden_layers": 1, "num_attention_heads": 4}
    config = CLIPConfig(
        text_config={**shared, "vocab_size": VOCABULARY, "max_position_embeddings": LENGTH, "eos_token_id": 2},
        vision_config={**shared, "image_size": 16, "patch_size": 4},
        projection_dim=32,
    )
    model, weights = _model("FlaxCLIPModel", config, ((1, LENGTH), (1, 16, 16, 3)))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model(batch["tokens"], batch["images"], params=params, train=False).logits_per_text
        labels = jnp.arange(logits.shape[0])
        return cross_entropy(logits, labels) + cross_entropy(logits.T, labels)

    batch = {"tokens": random_tokens((BATCH, LENGTH), VOCABULARY), "images": random_floats((BATCH, 3, 16, 16))}
    return train(loss, weights, batch)


def whisper() -> Case:
    """Speech features to text, with the convolutions before the encoder."""
    config = WhisperConfig(
        vocab_size=VOCABULARY, num_mel_bins=16, d_model=HIDDEN, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128,
        max_source_positions=16, max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None,
    )  # fmt: skip
    model, weights = _model("FlaxWhisperForConditionalGeneration", config, (1, 16, 32))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        targets = batch["targets"]
        logits = model(batch["features"], decoder_input_ids=targets[:, :-1], params=params, train=False).logits
        return cross_entropy(logits, targets[:, 1:])

    batch = {"features": random_floats((BATCH, 16, 32)), "targets": random_tokens((BATCH, LENGTH), VOCABULARY)}
    return train(loss, weights, batch)


_MODELS: Mapping[str, Callable[[], Case]] = {
    "GPT-2": gpt2, "GPT-2 decode": gpt2_decode, "GPT-J": gptj, "OPT (lion)": opt, "Llama": llama, "BERT": bert,
    "RoBERTa (momentum)": roberta, "ELECTRA": electra, "DistilBERT (SGD)": distilbert, "BART": bart,
    "T5 (adafactor)": t5, "mT5": mt5, "ViT": vit, "CLIP": clip, "Whisper": whisper,
}  # fmt: skip
ROWS = [Row(name, "transformers", make) for name, make in _MODELS.items()]
