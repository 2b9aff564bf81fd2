"""Hugging Face transformers: language, vision and speech models of its Flax classes, trained and decoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
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
from transformers.models.longt5 import modeling_flax_longt5
from transformers.models.t5 import modeling_flax_t5

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, random_weights, train

BATCH, LENGTH, VOCABULARY, HIDDEN = 8, 16, 96, 64


class _ClipByOldNames:
    """jax.numpy as the Flax T5s know it: `clip` lost its arguments a_min and a_max."""

    def __getattr__(self, name: str) -> Any:
        return getattr(jnp, name)

    @staticmethod
    def clip(x: jax.Array, a_min: Any = None, a_max: Any = None) -> jax.Array:
        return jnp.clip(x, a_min, a_max)


modeling_flax_t5.jnp = modeling_flax_longt5.jnp = _ClipByOldNames()


def make_model(kind: str, config: Any, shape: Any) -> tuple[Any, Any]:
    """The model and random parameters."""
    model = getattr(transformers, kind)(config, input_shape=shape, dtype=jnp.float32, _do_init=False)
    return model, random_weights(model.params_shape_tree)


def _causal(kind: str, config: Any, optimizer: optax.GradientTransformation | None = None) -> Case:
    """Next-token prediction."""
    model, weights = make_model(kind, config, (1, LENGTH))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        tokens = batch["tokens"]
        logits = model(tokens, params=params).logits
        return cross_entropy(logits[:, :-1], tokens[:, 1:])

    batch = {"tokens": random_tokens((BATCH, LENGTH), VOCABULARY)}
    return train(loss, weights, batch, optimizer=optimizer)


def _masked(kind: str, config: Any, optimizer: optax.GradientTransformation | None = None) -> Case:
    """Prediction of every token, as masked models are trained; dropout is off."""
    model, weights = make_model(kind, config, (1, LENGTH))

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
    model, weights = make_model(kind, config, (1, LENGTH))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model(batch["tokens"], decoder_input_ids=batch["targets"][:, :-1], params=params, train=False).logits
        return cross_entropy(logits, batch["targets"][:, 1:])

    batch = {
        "tokens": random_tokens((BATCH, LENGTH), VOCABULARY),
        "targets": random_tokens((BATCH, LENGTH), VOCABULARY, 1),
    }
    return train(loss, weights, batch, optimizer=optimizer)


def _images(kind: str, config: Any, classes: int) -> Case:
    model, weights = make_model(kind, config, (1, 16, 16, 3))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model(batch["images"], params=params, train=False).logits, batch["labels"])

    batch = {"images": random_floats((BATCH, 3, 16, 16)), "labels": random_tokens((BATCH,), classes)}
    return train(loss, weights, batch)


def gpt2() -> Case:
    config = GPT2Config(vocab_size=VOCABULARY, n_positions=32, n_embd=HIDDEN, n_layer=2, n_head=4)
    return _causal("FlaxGPT2LMHeadModel", config)


def gpt2_decode() -> Case:
    """Greedy decoding of 8 tokens with a cache: a while loop that ends when all sequences have."""
    config = GPT2Config(vocab_size=VOCABULARY, n_positions=32, n_embd=HIDDEN, n_layer=1, n_head=4)
    model, weights = make_model("FlaxGPT2LMHeadModel", config, (1, LENGTH))

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
    return _images("FlaxViTForImageClassification", config, 10)


def clip() -> Case:
    """Text and image towers and the contrastive loss over the batch."""
    shared = {"hidden_size": HIDDEN, "intermediate_size": 128, "num_hidden_layers": 1, "num_attention_heads": 4}
    config = CLIPConfig(
        text_config={**shared, "vocab_size": VOCABULARY, "max_position_embeddings": LENGTH, "eos_token_id": 2},
        vision_config={**shared, "image_size": 16, "patch_size": 4},
        projection_dim=32,
    )
    model, weights = make_model("FlaxCLIPModel", config, ((1, LENGTH), (1, 16, 16, 3)))

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
    model, weights = make_model("FlaxWhisperForConditionalGeneration", config, (1, 16, 32))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        targets = batch["targets"]
        logits = model(batch["features"], decoder_input_ids=targets[:, :-1], params=params, train=False).logits
        return cross_entropy(logits, targets[:, 1:])

    batch = {"features": random_floats((BATCH, 16, 32)), "targets": random_tokens((BATCH, LENGTH), VOCABULARY)}
    return train(loss, weights, batch)


def gpt2_beams() -> Case:
    """Beam search: three sequences for each prompt, whose caches change places at every token."""
    config = GPT2Config(vocab_size=VOCABULARY, n_positions=32, n_embd=HIDDEN, n_layer=1, n_head=4)
    model, weights = make_model("FlaxGPT2LMHeadModel", config, (1, LENGTH))

    def decode(params: Any, tokens: jax.Array) -> jax.Array:
        result = model.generate(
            tokens, params=params, max_new_tokens=6, num_beams=3, do_sample=False, pad_token_id=0, eos_token_id=1
        )
        return result.sequences

    arguments = (weights, random_tokens((BATCH, LENGTH), VOCABULARY))
    return Case(decode, arguments, weights, "tokens", state="params/.*", training=False)


def gpt_neo() -> Case:
    """Attention over everything and over a window in turn."""
    config = transformers.GPTNeoConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, num_layers=2, attention_types=[[["global", "local"], 1]],
        num_heads=4, window_size=4, max_position_embeddings=32, intermediate_size=128,
    )  # fmt: skip
    return _causal("FlaxGPTNeoForCausalLM", config)


def bloom() -> Case:
    """Queries, keys and values in one matrix, distances instead of positions."""
    config = transformers.BloomConfig(vocab_size=VOCABULARY, hidden_size=HIDDEN, n_layer=1, n_head=4)
    return _causal("FlaxBloomForCausalLM", config)


def gemma() -> Case:
    """One head of keys for four of queries: it cannot be split."""
    config = transformers.GemmaConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, intermediate_size=128, num_hidden_layers=1, num_attention_heads=4,
        num_key_value_heads=1, head_dim=16, max_position_embeddings=32, hidden_act="gelu_pytorch_tanh",
    )  # fmt: skip
    return _causal("FlaxGemmaForCausalLM", config)


def mistral() -> Case:
    config = transformers.MistralConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, intermediate_size=128, num_hidden_layers=1, num_attention_heads=8,
        num_key_value_heads=2, max_position_embeddings=32, sliding_window=4,
    )  # fmt: skip
    return _causal("FlaxMistralForCausalLM", config)


def albert() -> Case:
    """Two layers with one set of weights."""
    config = transformers.AlbertConfig(
        vocab_size=VOCABULARY, embedding_size=32, hidden_size=HIDDEN, num_hidden_layers=2, num_hidden_groups=1,
        num_attention_heads=4, intermediate_size=128, max_position_embeddings=32,
    )  # fmt: skip
    return _masked("FlaxAlbertForMaskedLM", config)


def big_bird() -> Case:
    """Sparse attention: blocks that are gathered, some of them at random."""
    config = transformers.BigBirdConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=4, intermediate_size=128,
        max_position_embeddings=64, block_size=4, num_random_blocks=1, attention_type="block_sparse",
    )  # fmt: skip
    model, weights = make_model("FlaxBigBirdForMaskedLM", config, (1, 64))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        key = jax.random.PRNGKey(0)
        output = model(batch["tokens"], attention_mask=batch["mask"], params=params, indices_rng=key, train=False)
        return cross_entropy(output.logits, batch["labels"])

    batch = {
        "tokens": random_tokens((BATCH, 64), VOCABULARY),
        "labels": random_tokens((BATCH, 64), VOCABULARY, 1),
        "mask": np.ones((BATCH, 64), np.int32),
    }
    return train(loss, weights, batch)


def long_t5() -> Case:
    """Attention within blocks and to summaries of them."""
    config = transformers.LongT5Config(
        vocab_size=VOCABULARY, d_model=HIDDEN, d_kv=16, d_ff=128, num_layers=1, num_heads=4, local_radius=3,
        global_block_size=4, dropout_rate=0.0, encoder_attention_type="transient-global",
    )  # fmt: skip
    return _sequence_to_sequence("FlaxLongT5ForConditionalGeneration", config)


def pegasus() -> Case:
    config = transformers.PegasusConfig(
        vocab_size=VOCABULARY, d_model=HIDDEN, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, max_position_embeddings=32, dropout=0.0,
    )  # fmt: skip
    return _sequence_to_sequence("FlaxPegasusForConditionalGeneration", config, optax.nadamw(1e-3))


def dino() -> Case:
    config = transformers.Dinov2Config(
        hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=4, mlp_ratio=2, image_size=16, patch_size=4,
        num_labels=8, use_swiglu_ffn=False,
    )  # fmt: skip
    return _images("FlaxDinov2ForImageClassification", config, 8)


def reg_net() -> Case:
    """Convolutions in groups of 4 channels, squeeze and excitation, batch statistics."""
    config = transformers.RegNetConfig(
        embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], groups_width=4, layer_type="y", num_labels=8
    )
    model, weights = make_model("FlaxRegNetForImageClassification", config, (1, 32, 32, 3))
    params, averages = weights["params"], jax.tree.map(lambda leaf: np.abs(leaf) + 0.5, weights["batch_stats"])
    rule = optax.sgd(1e-2, momentum=0.9)

    def step(state: Any, batch: Any) -> tuple[Any, jax.Array]:
        def loss(params: Any) -> tuple[jax.Array, Any]:
            variables = {"params": params, "batch_stats": state["averages"]}
            output, changed = model(batch["images"], params=variables, train=True)
            return cross_entropy(output.logits, batch["labels"]), changed["batch_stats"]

        (value, averages), gradients = jax.value_and_grad(loss, has_aux=True)(state["params"])
        updates, moments = rule.update(gradients, state["optimizer"])
        params = optax.apply_updates(state["params"], updates)
        return {"params": params, "averages": averages, "optimizer": moments}, value

    state = {"params": params, "averages": averages, "optimizer": rule.init(params)}
    batch = {"images": random_floats((BATCH, 3, 32, 32)), "labels": random_tokens((BATCH,), 8)}
    return Case(step, (state, batch), params)


def wav2vec() -> Case:
    """Sound to letters by connectionist temporal classification; positions are a grouped convolution."""
    # The positional convolution writes to the residual stream, which Megatron keeps whole: with one layer it would be a
    # third of the work, in real models it is 3%.
    config = transformers.Wav2Vec2Config(
        vocab_size=32, hidden_size=HIDDEN, num_hidden_layers=3, num_attention_heads=4, intermediate_size=128,
        conv_dim=(32, 32), conv_stride=(5, 2), conv_kernel=(10, 3), num_feat_extract_layers=2,
        num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, feat_extract_norm="layer",
        do_stable_layer_norm=True, mask_time_prob=0.0, pad_token_id=0,
    )  # fmt: skip
    model, weights = make_model("FlaxWav2Vec2ForCTC", config, (1, 400))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model(batch["sound"], params=params, train=False).logits
        nothing = jnp.zeros(logits.shape[:2]), jnp.zeros(batch["letters"].shape)
        return optax.ctc_loss(logits, nothing[0], batch["letters"], nothing[1]).mean()

    return train(loss, weights, {"sound": random_floats((BATCH, 400)), "letters": random_tokens((BATCH, 8), 31) + 1})


_MODELS: Mapping[str, Callable[[], Case]] = {
    "GPT-2": gpt2, "GPT-2 decode": gpt2_decode, "GPT-J": gptj, "OPT (lion)": opt, "Llama": llama, "BERT": bert,
    "RoBERTa (momentum)": roberta, "ELECTRA": electra, "DistilBERT (SGD)": distilbert, "BART": bart,
    "T5 (adafactor)": t5, "mT5": mt5, "ViT": vit, "CLIP": clip, "Whisper": whisper,
    "GPT-2 beam search": gpt2_beams, "GPT-Neo": gpt_neo, "BLOOM": bloom, "Gemma": gemma, "Mistral": mistral,
    "ALBERT": albert, "BigBird": big_bird, "LongT5": long_t5, "Pegasus (NAdamW)": pegasus, "DINOv2": dino,
    "RegNet (momentum)": reg_net, "Wav2Vec2 (CTC)": wav2vec,
}  # fmt: skip
ROWS = [Row(name, "transformers", make) for name, make in _MODELS.items()]
