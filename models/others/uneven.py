"""Models of several packages whose vocabulary, heads, images, width or batch no axis divides: all of them are padded.

97 tokens, 3 or 5 heads on 4 devices, images of 20, a batch of 7 on 2. Packages are imported where they are used.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import optax

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, random_weights, train

BATCH, LENGTH, VOCABULARY, CLASSES = 7, 15, 97, 7


def _causal(kind: str, config: str, batch: int, length: int, **sizes: Any) -> Case:
    """Next-token prediction by a model of transformers."""
    import transformers

    from models.others.transformers_flax import make_model

    made = getattr(transformers, config)(vocab_size=VOCABULARY, max_position_embeddings=32, **sizes)
    model, weights = make_model(kind, made, (1, length))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model(batch["tokens"], params=params, train=False).logits
        return cross_entropy(logits[:, :-1], batch["tokens"][:, 1:])

    return train(loss, weights, {"tokens": random_tokens((batch, length), VOCABULARY)})


def _masked(kind: str, config: str, batch: int, **sizes: Any) -> Case:
    """Prediction of every token."""
    import transformers

    from models.others.transformers_flax import make_model

    made = getattr(transformers, config)(vocab_size=VOCABULARY, max_position_embeddings=32, **sizes)
    model, weights = make_model(kind, made, (1, LENGTH))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        output = model(batch["tokens"], attention_mask=batch["mask"], params=params, train=False)
        return cross_entropy(output.logits, batch["labels"])

    data = {
        "tokens": random_tokens((batch, LENGTH), VOCABULARY),
        "labels": random_tokens((batch, LENGTH), VOCABULARY, 1),
        "mask": random_tokens((batch, LENGTH), 8, 2).clip(0, 1),
    }
    return train(loss, weights, data, optimizer=optax.sgd(1e-2, momentum=0.9))


def _sequence_to_sequence(kind: str, config: str, optimizer: Any, **sizes: Any) -> Case:
    import transformers

    from models.others.transformers_flax import make_model

    model, weights = make_model(kind, getattr(transformers, config)(vocab_size=VOCABULARY, **sizes), (1, LENGTH))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model(batch["tokens"], decoder_input_ids=batch["targets"][:, :-1], params=params, train=False).logits
        return cross_entropy(logits, batch["targets"][:, 1:])

    batch = {
        "tokens": random_tokens((BATCH, LENGTH), VOCABULARY),
        "targets": random_tokens((BATCH, LENGTH), VOCABULARY, 1),
    }
    return train(loss, weights, batch, optimizer=optimizer)


def vit() -> Case:
    """26 positions, 3 heads, 7 classes."""
    from transformers import ViTConfig

    from models.others.transformers_flax import make_model

    config = ViTConfig(
        hidden_size=48, num_hidden_layers=1, num_attention_heads=3, intermediate_size=130, image_size=20, patch_size=4,
        num_labels=CLASSES,
    )  # fmt: skip
    model, weights = make_model("FlaxViTForImageClassification", config, (1, 20, 20, 3))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model(batch["images"], params=params, train=False).logits, batch["labels"])

    return train(loss, weights, {"images": random_floats((6, 3, 20, 20)), "labels": random_tokens((6,), CLASSES)})


def clip() -> Case:
    """The contrastive loss compares all of a batch of 7 with one another."""
    from transformers import CLIPConfig

    from models.others.transformers_flax import make_model

    shared = {"hidden_size": 48, "intermediate_size": 130, "num_hidden_layers": 1, "num_attention_heads": 3}
    text = {**shared, "vocab_size": VOCABULARY, "max_position_embeddings": LENGTH, "eos_token_id": 2}
    config = CLIPConfig(
        text_config=text, vision_config={**shared, "image_size": 12, "patch_size": 4}, projection_dim=30
    )
    model, weights = make_model("FlaxCLIPModel", config, ((1, LENGTH), (1, 12, 12, 3)))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model(batch["tokens"], batch["images"], params=params, train=False).logits_per_text
        labels = jnp.arange(logits.shape[0])
        return cross_entropy(logits, labels) + cross_entropy(logits.T, labels)

    batch = {"tokens": random_tokens((BATCH, LENGTH), VOCABULARY), "images": random_floats((BATCH, 3, 12, 12))}
    return train(loss, weights, batch)


def keras_transformer() -> Case:
    """Keras' own attention layer with 3 heads."""
    from models.others import keras_models

    keras, layers = keras_models.keras, keras_models.layers
    keras.utils.set_random_seed(0)
    tokens = keras.Input((LENGTH,), dtype="int32")
    x = layers.Embedding(VOCABULARY, 48)(tokens)
    y = layers.LayerNormalization()(x)
    x = x + layers.MultiHeadAttention(3, 16)(y, y, use_causal_mask=True)
    y = layers.Dense(130, activation="gelu")(layers.LayerNormalization()(x))
    model = keras.Model(tokens, layers.Dense(VOCABULARY)(x + layers.Dense(48)(y)))
    batch = {
        "inputs": random_tokens((BATCH, LENGTH), VOCABULARY),
        "labels": random_tokens((BATCH, LENGTH), VOCABULARY, 1),
    }
    return keras_models.train_classifier(model, batch)


def lstm() -> Case:
    """Gates of 4 x 50 in one matrix, cut into parts."""
    import haiku as hk

    def forward(tokens: jax.Array) -> jax.Array:
        x = hk.Embed(VOCABULARY, 50)(tokens)
        core = hk.LSTM(50)
        y, _ = hk.dynamic_unroll(core, x, core.initial_state(tokens.shape[0]), time_major=False)
        return hk.Linear(VOCABULARY, name="head")(y)

    model = hk.without_apply_rng(hk.transform(forward))
    tokens = random_tokens((BATCH, LENGTH), VOCABULARY)
    params = random_weights(jax.eval_shape(model.init, jax.random.PRNGKey(0), tokens))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model.apply(params, batch["tokens"])[:, :-1], batch["tokens"][:, 1:])

    return train(loss, params, {"tokens": tokens})


def wave_net() -> Case:
    """Causal convolutions over 29 levels."""
    from models.others.flax_linen import WaveNet

    model = WaveNet()
    params = random_weights(jax.eval_shape(model.init, jax.random.PRNGKey(0), jnp.zeros((BATCH, 29, 16)))["params"])

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model.apply({"params": params}, jax.nn.one_hot(batch["levels"], 16))
        return cross_entropy(logits[:, :-1], batch["levels"][:, 1:])

    return train(loss, params, {"levels": random_tokens((BATCH, 29), 16)})


def vae() -> Case:
    """With a random key; the noise is the same however the batch of 7 is split."""
    from models.others.flax_linen import VAE

    model, key = VAE(), jax.random.PRNGKey(1)
    pixels = jax.nn.sigmoid(random_floats((BATCH, 50)))
    params = random_weights(jax.eval_shape(model.init, jax.random.PRNGKey(0), pixels, key)["params"])

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits, mean, spread = model.apply({"params": params}, batch["pixels"], batch["key"])
        distance = -0.5 * jnp.sum(1 + spread - mean**2 - jnp.exp(spread), axis=-1).mean()
        return optax.sigmoid_binary_cross_entropy(logits, batch["pixels"]).sum(-1).mean() + distance

    return train(loss, params, {"pixels": pixels, "key": key}, batch="batch/pixels")


def fused_heads() -> Case:
    """5 heads of 12 from one matrix for queries, keys and values."""
    width, heads = 60, 5
    params = {
        "qkv": random_floats((width, 3 * width)) / 8, "out": random_floats((width, width), 1) / 8,
        "w_in": random_floats((width, 130), 2) / 8, "w_out": random_floats((130, width), 3) / 12,
        "head": random_floats((width, CLASSES), 4) / 8,
    }  # fmt: skip

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        x = batch["x"]
        q, k, v = (part.reshape(*x.shape[:2], heads, 12) for part in jnp.split(x @ params["qkv"], 3, axis=-1))
        weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 3)
        x = x + jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(x.shape) @ params["out"]
        x = x + jax.nn.gelu(x @ params["w_in"]) @ params["w_out"]
        return cross_entropy(x.mean(axis=1) @ params["head"], batch["labels"])

    return train(loss, params, {"x": random_floats((BATCH, 13, width)), "labels": random_tokens((BATCH,), CLASSES)})


def _add_exponentials(a: Any, b: Any) -> Any:
    """Pairs of a maximum and a sum of exponentials below it."""
    (m, s), (n, t) = a, b
    top = jnp.maximum(m, n)
    return top, s * jnp.exp(m - top) + t * jnp.exp(n - top)


@jax.custom_vjp
def _log_sum_exp(logits: jax.Array) -> jax.Array:
    start = (jnp.float32(jnp.finfo(jnp.float32).min), jnp.float32(0))
    top, total = jax.lax.reduce((logits, jnp.ones_like(logits)), start, _add_exponentials, (logits.ndim - 1,))
    return top + jnp.log(total)


def _log_sum_exp_forward(logits: jax.Array) -> tuple[jax.Array, Any]:
    value = _log_sum_exp(logits)
    return value, (logits, value)


def _log_sum_exp_backward(kept: Any, gradient: jax.Array) -> tuple[jax.Array]:
    logits, value = kept
    return (gradient[..., None] * jnp.exp(logits - value[..., None]),)


_log_sum_exp.defvjp(_log_sum_exp_forward, _log_sum_exp_backward)


def online_softmax() -> Case:
    """A loss in one pass over 97 logits: a reduction of pairs with a body of its own."""
    params = {
        "table": random_floats((VOCABULARY, 50)) / 2, "w_in": random_floats((50, 130), 1) / 7,
        "w_out": random_floats((130, 50), 2) / 11, "head": random_floats((50, VOCABULARY), 3) / 7,
    }  # fmt: skip

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        x = params["table"][batch["tokens"]]
        x = x + jax.nn.gelu(x @ params["w_in"]) @ params["w_out"]
        logits = x @ params["head"]
        picked = jnp.take_along_axis(logits, batch["labels"][..., None], axis=-1)[..., 0]
        return jnp.mean(_log_sum_exp(logits) - picked)

    batch = {
        "tokens": random_tokens((BATCH, LENGTH), VOCABULARY),
        "labels": random_tokens((BATCH, LENGTH), VOCABULARY, 1),
    }
    return train(loss, params, batch)


_SMALL = {"hidden_size": 48, "num_hidden_layers": 1, "num_attention_heads": 3, "intermediate_size": 130}
_MODELS: Mapping[tuple[str, str], Callable[[], Case]] = {
    ("GPT-2, 5 heads", "transformers"): functools.partial(
        _causal, "FlaxGPT2LMHeadModel", "GPT2Config", BATCH, LENGTH, n_embd=60, n_layer=1, n_head=5
    ),
    ("Llama, 6 heads of 3", "transformers"): functools.partial(
        _causal, "FlaxLlamaForCausalLM", "LlamaConfig", 6, 13, hidden_size=60, intermediate_size=130,
        num_hidden_layers=1, num_attention_heads=6, num_key_value_heads=3,
    ),
    ("Mistral, 6 heads of 2", "transformers"): functools.partial(
        _causal, "FlaxMistralForCausalLM", "MistralConfig", BATCH, 13, hidden_size=60, intermediate_size=130,
        num_hidden_layers=1, num_attention_heads=6, num_key_value_heads=2, sliding_window=4,
    ),
    ("GPT-Neo, 3 heads", "transformers"): functools.partial(
        _causal, "FlaxGPTNeoForCausalLM", "GPTNeoConfig", BATCH, LENGTH, hidden_size=48, num_layers=2, num_heads=3,
        attention_types=[[["global", "local"], 1]], window_size=4, intermediate_size=130,
    ),
    ("BERT, 3 heads", "transformers"): functools.partial(_masked, "FlaxBertForMaskedLM", "BertConfig", BATCH, **_SMALL),
    ("RoBERTa, 3 heads", "transformers"): functools.partial(
        _masked, "FlaxRobertaForMaskedLM", "RobertaConfig", 6, **_SMALL
    ),
    ("DistilBERT, 6 heads", "transformers"): functools.partial(
        _masked, "FlaxDistilBertForMaskedLM", "DistilBertConfig", 5, dim=60, n_layers=1, n_heads=6, hidden_dim=130
    ),
    ("T5, 5 heads", "transformers"): functools.partial(
        _sequence_to_sequence, "FlaxT5ForConditionalGeneration", "T5Config", optax.adafactor(1e-3), d_model=50, d_kv=9,
        d_ff=130, num_layers=1, num_heads=5, dropout_rate=0.0,
    ),
    ("ViT, 26 positions", "transformers"): vit,
    ("CLIP, batch of 7", "transformers"): clip,
    ("Transformer, 3 heads", "keras"): keras_transformer,
    ("LSTM, gates of 50", "haiku"): lstm,
    ("WaveNet, 29 levels", "flax linen"): wave_net,
    ("VAE, batch of 7", "flax linen"): vae,
    ("5 heads in one matrix", "plain JAX"): fused_heads,
    ("Loss in one pass", "plain JAX"): online_softmax,
}  # fmt: skip
ROWS = [Row(name, package, make) for (name, package), make in _MODELS.items()]
