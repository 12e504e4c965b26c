"""A new head for a target: its layer starts as the target's last one where the shapes allow."""

from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor, nn

from eagley_core.eagle3 import Eagle3Head
from eagley_core.heads.config import HeadConfig
from eagley_core.target import Target

RANDOM_SHARE = 0.3  # of the fused state: with all of it random, the first 100 updates learn less
PROJECTIONS = ("q_proj", "k_proj", "v_proj")


class Start(NamedTuple):
    """A head to train, and the number that each of its inputs is multiplied with before `fc`."""

    head: Eagle3Head
    gain: Tensor  # [S, 1] float32


def state_ids(n_layers: int) -> tuple[int, int, int]:
    """The official choice: a low, a middle and a high state. Raises ValueError without room."""
    ids = (2, n_layers // 2, n_layers - 3)
    if n_layers < 7:
        raise ValueError(f"a target of {n_layers} layers is too shallow: 7 are needed to train")
    return ids


def head_config(target: Target, draft_vocab: int) -> HeadConfig:
    """The target's own sizes, on its captured states."""
    config = target.config
    rope = config.rope_parameters
    heads = config.num_attention_heads
    return HeadConfig(
        hidden_size=target.hidden_size,
        intermediate_size=config.intermediate_size,
        num_heads=heads,
        num_kv_heads=getattr(config, "num_key_value_heads", None) or heads,
        head_dim=getattr(config, "head_dim", None) or target.hidden_size // heads,
        draft_vocab_size=draft_vocab,
        target_hidden_size=target.hidden_size,
        state_ids=target.capture_ids,
        rms_norm_eps=config.rms_norm_eps,
        rope_theta=rope.get("rope_theta", 10000.0),
    )


def state_gain(states: Tensor) -> Tensor:
    """1 / RMS of each state of states [T, S, H], over channels and typical of tokens: [S, 1].

    The median, because the first token's states are thousands of times larger.
    """
    return 1 / states.float().square().mean(-1).sqrt().median(0).values[:, None]


def new_head(target: Target, draft_ids: Tensor, states: Tensor, seed: int) -> Start:
    """The highest state, some of all states, and the target's last layer behind them."""
    head = Eagle3Head(head_config(target, len(draft_ids)))
    generator = torch.Generator().manual_seed(seed)
    for weight in head.parameters():
        if weight.dim() == 2:
            nn.init.normal_(weight.data, std=weight.shape[1] ** -0.5, generator=generator)
    with torch.no_grad():
        head.fc.weight *= RANDOM_SHARE
        head.fc.weight[:, -target.hidden_size :] += torch.eye(target.hidden_size)
    head.d2t.copy_(draft_ids - torch.arange(len(draft_ids)))
    _copy_last_layer(head, target)
    return Start(head.to(target.device), state_gain(states).to(target.device))


@torch.no_grad()
def _copy_last_layer(head: Eagle3Head, target: Target) -> None:
    layer, mid = target.layers[-1], head.midlayer
    width = head.config.hidden_size

    def copy(weight: Tensor, linear: nn.Module | None) -> None:
        """Ask the linear layer for its weight, as it may be packed for the processor."""
        if linear is None or (linear.out_features, linear.in_features) != weight.shape:
            return
        eye = torch.eye(linear.in_features, dtype=target.dtype, device=target.device)
        weight.copy_((linear(eye) - linear(torch.zeros_like(eye))).mT)

    for name in PROJECTIONS:
        weight = getattr(mid.self_attn, name).weight
        weight[:, :width] *= 0.1  # the embedding's half has no counterpart in the target
        copy(weight[:, width:], getattr(layer.self_attn, name))
    copy(mid.self_attn.o_proj.weight, layer.self_attn.o_proj)
    for name in ("gate_proj", "up_proj", "down_proj"):
        copy(getattr(mid.mlp, name).weight, getattr(layer.mlp, name, None))
    mid.hidden_norm.weight.copy_(layer.input_layernorm.weight)
    mid.post_attention_layernorm.weight.copy_(layer.post_attention_layernorm.weight)
    head.norm.weight.copy_(target.decoder.norm.weight)


def trained_head(head: Eagle3Head, draft_ids: Tensor, states: Tensor) -> Start:
    """A head that was trained before, with its `fc` freed of the gains, for these draft tokens.

    It may get other draft tokens than it had: their rows are the target's. Raises ValueError for
    a head that brings its own, or its own embedding, or norms for the states.
    """
    config = head.config
    own = ("has_lm_head", "embedding_rows", "has_fc_norm", "has_input_norm")
    if any(getattr(config, name) for name in own):
        raise ValueError("a head with an lm_head, embedding or norm of its own is not trained on")
    gain = state_gain(states).to(head.fc.weight.device)
    begun = Eagle3Head(replace(config, draft_vocab_size=len(draft_ids))).to(gain.device)
    begun.load_state_dict({**head.state_dict(), "d2t": draft_ids - torch.arange(len(draft_ids))})
    with torch.no_grad():
        begun.fc.weight.unflatten(1, (len(gain), -1)).div_(gain)
    return Start(begun, gain)


def folded(start: Start) -> Eagle3Head:
    """The head as it is stored: the gains inside `fc`, so that it reads raw states."""
    head = Eagle3Head(start.head.config).to(start.gain.device)
    head.load_state_dict(start.head.state_dict())
    with torch.no_grad():
        head.fc.weight.unflatten(1, (len(start.gain), -1)).mul_(start.gain)
    return head
