"""When a run ends, and how many of a step's tokens still belong to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from eagley_core.trace import FinishReason

Decode = Callable[[Sequence[int]], str]
TAIL = 64  # tokens looked back over for a stop string, beyond the string's own length


class Ending(NamedTuple):
    """How many of the new tokens are emitted, and why the run ends there (None: it does not)."""

    emitted: int
    reason: FinishReason | None


@dataclass(frozen=True)
class Stopping:
    """The limits of one run. Nothing after EOS, a stop string or a limit is ever emitted."""

    eos_ids: frozenset[int]
    stop: tuple[str, ...]
    max_new_tokens: int
    room: int  # tokens that fit into the context behind the prompt
    decode: Decode

    def cut(self, output: Sequence[int], new: Sequence[int]) -> Ending:
        """Look at each new token in turn, as vanilla decoding would."""
        for count in range(1, len(new) + 1):
            reason = self._reason([*output, *new[:count]])
            if reason is not None:
                return Ending(count, reason)
        return Ending(len(new), None)

    def _reason(self, output: list[int]) -> FinishReason | None:
        if output[-1] in self.eos_ids:
            return "eos"
        if self.stop and self._stopped(output):
            return "stop"
        if len(output) == self.max_new_tokens:
            return "length"
        return "context" if len(output) == self.room else None

    def _stopped(self, output: list[int]) -> bool:
        tail = self.decode(output[-TAIL - max(map(len, self.stop)) :])
        return any(stop in tail for stop in self.stop)
