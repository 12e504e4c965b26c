"""The sizes and switches of a head, whatever layout it is stored in."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class RopeScaling:
    """Rotary positions made slower: all by `factor`, or (llama3) the slow ones only."""

    kind: Literal["linear", "llama3"]
    factor: float
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    original_positions: int = 8192


@dataclass(frozen=True)
class HeadConfig:
    """The sizes of a head. `state_ids` are hidden_states indices: inputs of these layers.

    The number of the target's layers among them stands for the state after the final norm.
    """

    hidden_size: int
    intermediate_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    draft_vocab_size: int
    target_hidden_size: int
    state_ids: tuple[int, ...]
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10000.0
    has_fc_norm: bool = False  # a norm for each state before they are fused
    has_lm_head: bool = False
    rope_scaling: RopeScaling | None = None
    predicts_embedding: bool = False  # its lm_head is the embedding that it reads
    max_positions: int = 0  # as the checkpoint tells, 0: it does not; not a limit here
    embedding_rows: int = 0  # of the head's own embedding; 0: it reads the target's
    has_input_norm: bool = False  # one norm over all states before they are fused
    has_fc_bias: bool = False
    has_qkv_bias: bool = False
    has_o_bias: bool = False
    has_qk_norm: bool = False  # norms of queries and keys, as in Qwen3
    norm_before_residual: bool = False  # the residual is the normed state, not the state
    carries_normed: bool = False  # the next draft step reads the normed output
    predicts_unnormed: bool = False  # the lm_head reads the output without the norm
