"""Transformers' own decoding of the same weights, for a comparison side by side.

Its modes as transformers 5.24 names their arguments (`GenerationConfig`): plain `generate`;
`prompt_lookup_num_tokens` (n-grams of the text as guesses); `assistant_model` (a small model's
guesses); `assistant_early_exit` (the guesses of the target's own first layers).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import GenerationConfig, PreTrainedModel
from transformers.generation.streamers import BaseStreamer

from eagley_core.config import DecodeConfig
from eagley_core.peer_run import PeerRun

KINDS = ("generate", "prompt-lookup", "assisted", "early-exit")
LOOKUP_TOKENS = 10  # guesses a pass, in transformers' documentation


@dataclass(frozen=True)
class Peer:
    """One mode of transformers as a lane. config: what it shares with our lanes; method unused.

    number: guesses a pass; of early-exit the layers that guess. None: transformers' own.
    assistant: of assisted, the small model's name.
    """

    kind: str
    number: int | None = None
    config: DecodeConfig = DecodeConfig("vanilla")
    assistant: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"peers must be among {', '.join(KINDS)}, got {self.kind!r}")
        if self.kind == "generate" and self.number is not None:
            raise ValueError("peer generate takes no number")
        if self.kind == "early-exit" and self.number is None:
            raise ValueError("peer early-exit needs its layers: early-exit:N")
        if self.kind == "assisted" and (self.assistant is None or self.number is not None):
            raise ValueError("peer assisted needs --assistant (a small model, or int8), no number")
        if self.number is not None and self.number < 1:
            raise ValueError(f"peer {self.kind} needs a number above 0, got {self.number}")
        if self.config.stop:
            raise ValueError("peers do not go with stop strings")

    @classmethod
    def parse(cls, text: str, config: DecodeConfig, assistant: str | None = None) -> "Peer":
        """Read `KIND` or `KIND:N`. assistant: what `--assistant` says."""
        kind, colon, number = text.partition(":")
        if colon and not number.isdecimal():
            raise ValueError(f"peer must look like {kind}:N, got {text!r}")
        own = assistant if kind == "assisted" else None
        return cls(kind, int(number) if colon else None, config, own)


class _Clock(BaseStreamer):
    """Told of every pass's tokens as soon as they are known; the prompt comes first."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.times: list[float] = []

    def put(self, value: torch.Tensor) -> None:
        self.counts.append(value.numel())
        self.times.append(time.perf_counter())

    def end(self) -> None:
        pass


class PeerModel:
    """The target as transformers has it, and a small model where assisted decoding is asked for."""

    def __init__(
        self, model: PreTrainedModel, eos_ids: Sequence[int], assistant: PreTrainedModel | None
    ) -> None:
        self._model, self._assistant = model.eval(), assistant and assistant.eval()
        self._eos_ids = sorted(eos_ids)

    def check(self, peers: Sequence[Peer]) -> None:
        """Raise ValueError where a mode has not what it needs."""
        n_layers = self._model.config.get_text_config().num_hidden_layers
        for peer in peers:
            if peer.kind == "early-exit" and peer.number >= n_layers:
                raise ValueError(
                    f"peer early-exit:{peer.number}: the target has {n_layers} layers only"
                )

    @torch.inference_mode()
    def run(self, peer: Peer, prompt_ids: Sequence[int]) -> PeerRun:
        """One call of `generate`. At a temperature above 0 it draws by torch's generator."""
        ids = torch.tensor([list(prompt_ids)], device=self._model.device)
        torch.manual_seed(peer.config.seed % 2**63)
        clock, started = _Clock(), time.perf_counter()
        assistant = {"assistant_model": self._assistant} if peer.kind == "assisted" else {}
        output = self._model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            generation_config=self._settings(peer),
            streamer=clock,
            **assistant,
        )
        ended = time.perf_counter()
        new = output[0, len(prompt_ids) :].tolist()
        return PeerRun(
            tuple(new), tuple(clock.counts[1:]), clock.times[1] - started, ended - started
        )

    def _settings(self, peer: Peer) -> GenerationConfig:
        config = peer.config
        sampling: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None}
        if config.temperature > 0:
            sampling = {
                "do_sample": True,
                "temperature": config.temperature,
                "top_p": config.top_p,
                "top_k": config.top_k,
            }
        return GenerationConfig(
            max_new_tokens=config.max_new_tokens,
            repetition_penalty=config.repetition_penalty,
            eos_token_id=self._eos_ids or None,
            pad_token_id=self._eos_ids[0] if self._eos_ids else 0,
            **sampling,
            **_guessing(peer),
        )


def _guessing(peer: Peer) -> dict[str, Any]:
    if peer.kind == "prompt-lookup":
        return {"prompt_lookup_num_tokens": peer.number or LOOKUP_TOKENS}
    if peer.kind == "early-exit":
        return {"assistant_early_exit": peer.number}
    return {}
