"""Models of the same kinds as the bge ones, with random weights: small, and as FlagEmbedding loads them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

needs_bge = pytest.mark.skipif(
    importlib.util.find_spec("FlagEmbedding") is None or importlib.util.find_spec("torch") is None,
    reason="the extra bge is not installed; make test-bge installs it",
)

ROOT = Path(__file__).parents[1]
WIDTH = 32


def save_embedder(folder: Path, seed: int = 0) -> Path:
    """What bge-m3's folder has: an encoder, its tokenizer, and the linear layers for sparse and multi-vector output."""
    import torch
    from transformers import XLMRobertaModel

    tokenizer = _tokenizer()
    torch.manual_seed(seed)
    XLMRobertaModel(_config(tokenizer)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    torch.save(torch.nn.Linear(WIDTH, WIDTH).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(WIDTH, 1).state_dict(), folder / "sparse_linear.pt")
    return folder


def save_reranker(folder: Path, seed: int = 0) -> Path:
    """What bge-reranker-v2-m3's folder has: an encoder with one logit, and its tokenizer."""
    import torch
    from transformers import XLMRobertaForSequenceClassification

    tokenizer = _tokenizer()
    torch.manual_seed(seed)
    XLMRobertaForSequenceClassification(_config(tokenizer, num_labels=1)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _config(tokenizer: Any, **more: Any) -> Any:
    from transformers import XLMRobertaConfig

    return XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=2 * WIDTH,
        max_position_embeddings=8194,
        type_vocab_size=1,
        initializer_range=0.3,  # with the usual 0.02, all texts look alike to random layers
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        **more,
    )


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.UnigramTrainer(vocab_size=2_000, special_tokens=special, unk_token="<unk>")
    tokenizer.train_from_iterator(_texts(), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    names = {"bos": "<s>", "cls": "<s>", "eos": "</s>", "sep": "</s>", "pad": "<pad>", "unk": "<unk>", "mask": "<mask>"}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=8192,
        model_input_names=["input_ids", "attention_mask"],
        **{f"{name}_token": token for name, token in names.items()},
    )


def _texts() -> Iterator[str]:
    yield from (path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
    yield from (path.read_text("utf-8") for path in sorted((ROOT / "samples" / "documents").glob("*.json")))
