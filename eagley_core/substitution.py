"""Channel R5 (`draft-kv`): the draft's key/value rows in place of the target's.

The seed (section 2.2) writes: Attention_cont = softmax(Q_target K_draft^T / sqrt(d)) V_draft
+ Delta, where Delta is the correction that the target's own attention over newly added tokens
gives. A head of one layer stands in for the target's last layer, a draft with the target's layers
for all of them. Read so:

none   wherever the draft has a row of a node, that row is used: in the node's pass and after it.
new    a step's pass attends to the draft's rows of earlier steps and to the target's own rows of
       its new tokens. The two parts are merged by their log-sum-exp, which is one softmax over
       their union. After the pass the draft's rows stay for the accepted nodes.
exact  all rows are the target's own; how large Delta would have been is measured on request.

A draft's row of a token is turned to the token's own rotary position. The target's own rows are
computed in any case: only what is attended to changes, and no time is saved.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from eagley_core import host
from eagley_core.cache import KVCache
from eagley_core.target import Target
from eagley_core.trace import CacheRun
from eagley_core.tree import Tree
from eagley_core.verify import Verdict
from eagley_core.watched import RowKeeper, WatchedDraft


class Substitution:
    """The channel in one run. delta: none, new or exact; None: the channel is off.

    Raises ValueError, naming the draft, where its rows do not fit the target's.
    """

    def __init__(
        self, target: Target, cache: KVCache, draft: WatchedDraft | None, delta: str | None
    ) -> None:
        self._target, self._cache, self._draft, self._delta = target, cache, draft, delta
        if delta and (problem := misfit(target, draft)):
            raise ValueError(problem)
        n_layers = len(target.layers)
        self.layers = range(n_layers - len(draft.cache.layers), n_layers) if delta else range(0)
        self.drafted: dict[int, Tensor] = {}  # by position: the draft's row of an accepted token
        self._rows: list[int] = []  # of the tree, that the draft has run too
        self._kv: Tensor | None = None  # [layers, 2, kv_heads, n, head_dim] of these rows
        self._numbers: list[int] = []  # of the draft's rows, in order
        self._depths: list[int] = []
        self._cosines: dict[int, list[float]] = {}  # by depth

    def before(self, tree: Tree, position: int, behind: int = 0) -> None:
        """Find the draft's rows of the tree; with Delta `none` they stand in during its pass.

        position: the root's; behind: the depth of the node that the draft's own tree hangs on.
        """
        if self._delta is None:
            return
        numbers, paths = self._draft.paths(), [path[behind:] for path in _paths(tree)]
        self._rows = [row for row, path in enumerate(paths) if path in numbers]
        self._numbers = [numbers[paths[row]] for row in self._rows]
        self._depths = [behind + len(paths[row]) for row in self._rows]
        kv = self._draft.cache.behind(self._numbers)
        positions = torch.tensor(self._depths, dtype=torch.long, device=kv.device) + position
        self._kv = self._turned(kv, positions)
        if self._delta == "none":
            self._cache.stand_in(self.layers, self._rows, self._kv)

    def _turned(self, kv: Tensor, positions: Tensor) -> Tensor:
        """Rows of the draft with their keys turned as the target's at `positions`."""
        plain = turned(kv[:, 0], self._draft.rotation(positions), back=True)
        return torch.stack([turned(plain, self._target.rotation(positions)), kv[:, 1]], dim=1)

    def after(self, verdict: Verdict, position: int) -> None:
        """Before the accepted rows are committed: put the draft's in their place.

        position: the root's.
        """
        self._cache.stand_in((), (), None)
        for depth, row in enumerate(verdict.path, start=1):
            if self._delta and row in self._rows:
                kv = self._kv[..., self._rows.index(row), :]
                self.drafted[position + depth] = kv
                if self._delta == "new":
                    self._cache.put(self.layers, row, kv)

    def compare(self, hidden: Tensor) -> None:
        """Note how alike the draft's last states are to the target's, hidden [N, H] of the tree."""
        states = self._draft.states(self._numbers) if self._rows else None
        if states is None or states.shape[-1] != hidden.shape[-1]:
            return
        own = hidden[torch.tensor(self._rows, device=hidden.device)].float()
        alike = F.cosine_similarity(states.to(own.device).float(), own, dim=-1)
        for depth, cosine in zip(self._depths, alike.tolist(), strict=True):
            self._cosines.setdefault(depth, []).append(cosine)

    @property
    def similarity(self) -> tuple[float, ...]:
        """By depth from 1: the mean cosine of what `compare` noted."""
        found = (self._cosines[depth] for depth in sorted(self._cosines))
        return tuple(sum(cosines) / len(cosines) for cosines in found)

    @property
    def provenances(self) -> tuple[CacheRun, ...]:
        """Where the draft's rows are in place."""
        held = () if self._delta == "exact" else sorted(self.drafted)
        firsts = [p for p in held if p - 1 not in self.drafted]
        lasts = [p for p in held if p + 1 not in self.drafted]
        pairs = zip(firsts, lasts, strict=True)
        return tuple(CacheRun(first, last + 1, "substituted") for first, last in pairs)


def misfit(target: Target, draft: RowKeeper | None) -> str | None:
    """Why the draft's rows cannot stand in for the target's; None where they can."""
    if draft is None:
        return "draft-kv needs a draft, and none is loaded"
    cache = getattr(draft, "cache", None)
    if cache is None:
        return f"draft-kv needs a draft with key/value rows: {draft.name} has none"
    own, wanted = _sizes(cache), _sizes(target.new_cache(1))
    if own[0] in (1, wanted[0]) and own[1:] == wanted[1:]:
        return None
    return f"draft-kv: rows of {draft.name} have {_shape(own)}, those of {target.name} " + _shape(
        wanted
    )


def _sizes(cache: KVCache) -> tuple[int, int, int]:
    """Layers, heads and head_dim."""
    keys = cache.layers[0].keys
    return len(cache.layers), keys.shape[0], keys.shape[2]


def _shape(sizes: tuple[int, int, int]) -> str:
    return f"{sizes[0]} layers of {sizes[1]} heads of {sizes[2]}"


def _paths(tree: Tree) -> list[tuple[int, ...]]:
    """Of each row, the tokens from the root's child down to it; of the root, none."""
    table = host.read(torch.stack([tree.tokens, tree.parents], 1))
    found: list[tuple[int, ...]] = [()]
    for token, parent in table[1:]:
        found.append((*found[int(parent)], int(token)))
    return found


def turned(keys: Tensor, rotation: tuple[Tensor, Tensor], back: bool = False) -> Tensor:
    """Keys [..., N, D] turned by rotary angles [N, D], halves paired as Llama's; or turned back."""
    cos, sin = (part.to(keys.device) for part in rotation)
    left, right = keys.float().chunk(2, dim=-1)
    quarter = torch.cat([-right, left], dim=-1)
    if back:
        return ((keys.float() * cos - quarter * sin) / (cos**2 + sin**2)).to(keys.dtype)
    return (keys.float() * cos + quarter * sin).to(keys.dtype)
