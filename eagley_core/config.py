"""Every knob of a run, validated at the door."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from eagley_core.reuse import check_channels, value_of
from eagley_core.rule import Rule

Method = Literal["vanilla", "eagle", "eagley"]
Numerics = Literal["invariant", "fast"]
TreeKind = Literal["auto", "fixed", "dynamic"]
EARLY_EXIT = "early-exit:"  # before the folder of an exit head, where a draft is named
COLDEST = 1e-5  # below it, divided logits would overflow; 0 is exact


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")


def _at_least(name: str, value: float, low: float) -> None:
    if not low <= value < math.inf:
        raise ValueError(f"{name} must be at least {low}, got {value}")


def _count(name: str, value: int, low: int) -> None:
    if type(value) is not int:
        raise ValueError(f"{name} must be a whole number, got {value!r}")
    _at_least(name, value, low)


MOST = {"total": 256, "depth": 32, "top_k": 32}  # of a tree: beyond them no target pays


@dataclass(frozen=True, slots=True)
class TreeShape:
    """How a draft tree is grown.

    auto: the cost model picks the nodes worth verifying, at most `total` of them.
    fixed: EAGLE-1's static tree of 25 nodes (`total`, `depth` and `top_k` do not apply).
    dynamic: EAGLE-2's: the best `total` nodes by cumulative draft probability.
    `depth` is the longest path; each level beyond the first costs a draft pass of `top_k` rows.
    """

    kind: TreeKind = "auto"
    total: int = 24
    depth: int = 3
    top_k: int = 4

    def __post_init__(self) -> None:
        _one_of("tree", self.kind, get_args(TreeKind))
        for name in ("total", "depth", "top_k"):
            _count(name, getattr(self, name), 1)
        for name, most in MOST.items():
            if getattr(self, name) > most:
                raise ValueError(
                    f"{name} of a tree must be at most {most}, got {getattr(self, name)}"
                )
        pool = self.top_k + (self.depth - 1) * self.top_k**2
        if self.kind == "dynamic" and pool < self.total:
            raise ValueError(
                f"a dynamic tree of depth {self.depth} and top_k {self.top_k} has {pool} "
                f"candidates, fewer than its total of {self.total}"
            )

    @classmethod
    def parse(cls, text: str) -> "TreeShape":
        """Read `auto`, `fixed`, `auto:TOTAL,DEPTH,TOPK` or `dynamic:TOTAL,DEPTH,TOPK`."""
        kind, colon, numbers = text.partition(":")
        if not colon:
            return cls(kind)  # type: ignore[arg-type]
        if kind == "fixed":
            raise ValueError(f"a tree of kind fixed has no sizes, got {text!r}")
        parts = numbers.split(",")
        if len(parts) != 3 or not all(part.strip().isdecimal() for part in parts):
            raise ValueError(f"tree must look like {kind}:TOTAL,DEPTH,TOPK, got {text!r}")
        return cls(kind, *(int(part) for part in parts))  # type: ignore[arg-type]

    def __str__(self) -> str:
        sizes = "" if self.kind == "fixed" else f":{self.total},{self.depth},{self.top_k}"
        return self.kind + sizes


@dataclass(frozen=True, slots=True)
class DecodeConfig:
    """One run's settings. `reuse` names the channels that EAGLEY may use; EAGLE uses none."""

    method: Method = "eagley"
    max_new_tokens: int = 128
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    repetition_penalty: float = 1.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    tree: TreeShape = TreeShape()
    reuse: tuple[str, ...] = ("recycled", "suffix", "draft-state")
    numerics: Numerics | None = None  # None: invariant where the device has it
    rule: Rule = Rule()
    coupled: bool | None = None  # None: where the rule is exact and the temperature above 0
    internals: bool = False  # hold the finished run against a clean pass; see `internals`

    def __post_init__(self) -> None:
        _one_of("method", self.method, get_args(Method))
        if self.numerics is not None:
            _one_of("numerics", self.numerics, get_args(Numerics))
        self._check_reuse()
        if isinstance(self.stop, str):
            raise ValueError(f"stop must be a tuple of strings, got {self.stop!r}")
        if "" in self.stop:
            raise ValueError("a stop string must not be empty")
        self._check_rule()
        self._check_numbers()

    def _check_rule(self) -> None:
        if self.coupled and self.rule.name != "exact":
            raise ValueError(f"coupled drafting needs the rule exact, got rule {self.rule}")
        if self.rule.name == "seed-literal":
            self._check_literal()
        elif self.method == "eagley" and self.tree.kind != "auto":
            raise ValueError(
                f"eagley grows its tree by the cost model: tree must be auto, got {self.tree}"
            )

    def _check_literal(self) -> None:
        """The seed's loop tries a chain of draft tokens, and looks at nothing else."""
        if self.method == "vanilla":
            return
        if self.tree.kind == "fixed" or self.tree.top_k != 1:
            raise ValueError(f"seed-literal needs a tree of top-k 1: a chain; got {self.tree}")
        if self.method == "eagley" and self.reuse:
            raise ValueError(f"seed-literal goes with no reuse channel, got {self.reuse}")
        if self.repetition_penalty != 1:
            raise ValueError("seed-literal goes with no repetition_penalty")

    def _check_reuse(self) -> None:
        check_channels(self.reuse)
        is_stale = value_of(self.reuse, "stale-kv") is not None
        if is_stale and self.rule.name != "exact":
            raise ValueError(f"stale-kv needs the rule exact, got rule {self.rule}")
        if is_stale and value_of(self.reuse, "draft-kv"):
            raise ValueError("stale-kv and draft-kv cannot be combined")

    def _check_numbers(self) -> None:
        _count("max_new_tokens", self.max_new_tokens, 1)
        _at_least("temperature", self.temperature, 0)
        if 0 < self.temperature < COLDEST:
            raise ValueError(f"temperature must be 0 or at least {COLDEST}, got {self.temperature}")
        _count("top_k", self.top_k, 0)
        _count("seed", self.seed, 0)
        if self.seed >= 2**64:
            raise ValueError(f"seed must be below 2**64, got {self.seed}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must lie in (0, 1], got {self.top_p}")
        if not 0 < self.repetition_penalty < math.inf:
            raise ValueError(f"repetition_penalty must be above 0, got {self.repetition_penalty}")

    @property
    def judges_raw(self) -> bool:
        """Whether rules judge by the raw distribution: no processor changes it."""
        cut = self.temperature > 0 and (self.top_k > 0 or self.top_p < 1)
        return self.repetition_penalty == 1 and self.temperature in (0, 1) and not cut

    def channel(self, name: str) -> str | None:
        """The value of one of EAGLEY's channels; None where it is off, as in the other methods."""
        return value_of(self.reuse, name) if self.method == "eagley" else None

    @property
    def is_coupled(self) -> bool:
        """Whether candidates are ranked with the noise that will decide (2408.07978)."""
        if self.temperature == 0 or self.method == "vanilla":
            return False
        return self.rule.name == "exact" if self.coupled is None else self.coupled
