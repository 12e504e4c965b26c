"""Channel R6 (`stale-kv:N`): a rejected branch tried again, on what the target said of it before.

After a rejection the target's own token stands where the rejected one stood. The tokens that
followed in the rejected branch are tried again behind it, at their old positions. Their verdicts
are those of the rejected pass and their key/value rows are put in place as they are, although one
ancestor changed: the next pass does not run them. From the second layer on such rows are wrong, so
this is approximate. When the oldest stale row is N tokens old, it and every row after it (they
have looked at it) are run anew within the next pass, and the cache is that of a clean pass again.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from eagley_core.cache import KVCache
from eagley_core.candidates import Place
from eagley_core.proposers import Fed, Proposal
from eagley_core.stale_chain import MAX_BYTES, Chain, Moment, stale_path
from eagley_core.steps import Label, Rows
from eagley_core.target import Pass, Target
from eagley_core.trace import CacheRun, Origin
from eagley_core.tree import Tree, make_tree
from eagley_core.verify import Verdict


class StaleKV:
    """The channel in one run: passes with stale rows in place. Without an age it is off."""

    def __init__(self, target: Target, cache: KVCache, max_age: int | None) -> None:
        self._target, self._cache, self._max_age = target, cache, max_age
        self._placed: list[tuple[int, int, int]] = []  # start, stop, length of the text then
        self.chain: Chain | None = None
        self.front = 0  # committed rows that the last pass ran anew
        self.provenances: tuple[CacheRun, ...] = ()  # the last pass's rows anew and stale rows

    @property
    def taken(self) -> tuple[int, ...]:
        """Rows of the step's tree that are accepted already."""
        return tuple(range(1, 1 + len(self.chain.tokens))) if self.chain else ()

    @property
    def laid(self) -> int:
        """Stale rows that the step puts in place instead of running them."""
        return len(self.chain.tokens) - 1 if self.chain else 0

    @property
    def bytes(self) -> int:
        return self.chain.bytes if self.chain else 0

    def place(self, place: Place) -> Place:
        """Where the proposer's tree hangs: behind the chain."""
        if self.chain is None:
            return place
        *before, root = (*place.before, place.root, *self.chain.tokens)
        count = len(self.chain.tokens)
        return Place(tuple(before), root, place.position + count, place.max_depth - count)

    def graft(self, proposal: Proposal, root: int) -> Proposal:
        """The step's tree: the newest committed token, the chain, and behind it the proposal."""
        if self.chain is None:
            return proposal
        count, device = len(self.chain.tokens), proposal.tree.tokens.device
        tokens = torch.tensor([root, *self.chain.tokens[:-1]], device=device)
        above = torch.arange(count, device=device).sub(1).clamp_min(0)
        parents = torch.cat([above, proposal.tree.parents + count])
        parents[count] = count - 1
        depth = proposal.depth + count
        nothing = proposal.log_q.new_full((count,), torch.nan)
        labels = [Label(("stale",), 1.0, None, origin) for origin in self.chain.origins]
        return proposal._replace(
            tree=make_tree(torch.cat([tokens, proposal.tree.tokens]), parents, depth),
            log_q=torch.cat([nothing, proposal.log_q]),
            scores=torch.cat([nothing, proposal.scores]),
            labels=[*labels, *(proposal.labels or ())],
            depth=depth,
        )

    @torch.inference_mode()
    def run(self, tree: Tree, text: Sequence[int], invariant: bool) -> Pass:
        """One target pass over the rows that need one; the pass of the whole tree [N].

        text: the committed tokens, the root last.
        """
        self._uncommit(text)
        self.provenances = self._runs(len(text))
        if not (self.front or self.laid):
            return self._target.run(tree.tokens, tree.depths, tree.mask, self._cache, invariant)
        again = tree.tokens.new_tensor(text[self._cache.length : -1])
        rows = [0, *range(1 + self.laid, len(tree.tokens))]
        tokens = torch.cat([again, tree.tokens[rows]])
        depths = torch.arange(self.front, device=again.device), self.front + tree.depths[rows]
        if self.chain:
            self._cache.lay(self.chain.kv)
        mask = _mask(tree.mask, self.front, self.laid)
        passed = self._target.run(tokens, torch.cat(depths), mask, self._cache, invariant)
        return self._whole(passed)

    def _uncommit(self, text: Sequence[int]) -> None:
        """Go back to before the oldest stale row when it is too old."""
        self.front = 0
        if self._placed and len(text) - self._placed[0][2] >= self._max_age:
            first = self._placed[0][0]
            self.front, self._cache.length = self._cache.length - first, first
            self._placed = []
        if self.chain:
            self._placed.append((len(text), len(text) + self.laid, len(text)))

    def _whole(self, passed: Pass) -> Pass:
        """The pass of the whole tree, in the order of its rows."""
        hidden, features = passed.hidden[self.front :], passed.features[self.front :]
        if self.chain is None:
            return Pass(hidden, features)
        return Pass(
            torch.cat([hidden[:1], self.chain.hidden, hidden[1:]]),
            torch.cat([features[:1], self.chain.features[1:], features[1:]]),
        )

    def _slot(self, row: int) -> int:
        """Where a row of the tree lies among the uncommitted rows."""
        if row == 0:
            return self.laid + self.front
        return row - 1 if row <= self.laid else row + self.front

    def commit(self, rows: Rows, passed: Pass, verdict: Verdict, now: Moment) -> int:
        """Commit the accepted rows and keep a stale chain for the next step.

        Returns how many of the accepted rows, the last ones, the draft has not seen.
        """
        path = stale_path(rows, verdict) if self._max_age else ()
        most = MAX_BYTES // self._cache.bytes_per_row
        path = path[: min(1 + most, now.room)]
        chain = self._chain(rows, passed, path, now) if len(path) > 1 else None
        accepted = (0, *verdict.path)
        again = range(self.laid, self.laid + self.front)
        self._cache.commit([*again, *map(self._slot, accepted)])
        n_new = len(accepted) - len(self.taken)
        self.chain = chain
        return n_new

    def _chain(self, rows: Rows, passed: Pass, path: tuple[int, ...], now: Moment) -> Chain:
        stale, device = path[1:], passed.hidden.device
        return Chain(
            tokens=(*(rows.tokens[row] for row in stale), rows.choices[stale[-1]]),
            origins=tuple(Origin(now.step, row - 1, True, now.turn) for row in (*stale, stale[-1])),
            kv=self._cache.uncommitted([self._slot(row) for row in stale]),
            hidden=passed.hidden[torch.tensor(stale, device=device)],
            features=passed.features[torch.tensor(path, device=passed.features.device)],
        )

    def rows_run(self, n_rows: int) -> int:
        """Rows of a pass over a tree of n rows."""
        return n_rows - self.laid + self.front

    def fed(self, fed: Fed) -> Fed:
        """What the draft is fed: the chain too, with the features of the rejected branch."""
        if self.chain is None:
            return fed
        features = torch.cat([fed.features, self.chain.features])
        return Fed(features, [*fed.next_ids, *self.chain.tokens])

    def _runs(self, n_text: int) -> tuple[CacheRun, ...]:
        """The provenance of the rows run anew and of the stale rows, at a step's start."""
        again = (CacheRun(n_text - 1 - self.front, n_text - 1, "verified"),) if self.front else ()
        stale = (CacheRun(a, b, "stale", n_text - born) for a, b, born in self._placed)
        return (*again, *stale)


def _mask(tree: Tensor, front: int, laid: int) -> Tensor:
    """What the rows of a pass see: laid rows, rows run anew, rows of the tree. Bool.

    tree: [N, N] with the laid rows as rows 1 to `laid`; returns [front + N - laid, front + N].
    """
    rows = [0, *range(1 + laid, len(tree))]
    mask = tree.new_zeros(front + len(rows), laid + front + len(rows))
    mask[:front, laid : laid + front] = tree.new_ones(front, front).tril()
    mask[front:, :laid] = tree[rows, 1 : 1 + laid]
    mask[front:, laid : laid + front] = True
    mask[front:, laid + front :] = tree[rows][:, rows]
    return mask
