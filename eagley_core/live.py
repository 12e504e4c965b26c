"""The engine behind a page: loaded at the first run, streaming, one run at a time."""

import threading
from collections.abc import Callable, Iterator

from eagley_core.config import DecodeConfig
from eagley_core.progress import Loading, Progress
from eagley_core.trace import Trace


class LiveEngine:
    """Loads the model when it is first needed, then runs prompts for whoever asks."""

    def __init__(
        self, target: str | None, draft: str | None, dtype: str = "auto", device: str = "auto"
    ) -> None:
        self._asked = (target, draft, dtype, device)
        self._lock = threading.Lock()
        self._lab = None
        self._failure: str | None = None
        self._loading: Loading | None = None

    def state(self) -> str | None:
        """None when runs are possible (loaded, or loaded by the first run); else why not."""
        return self._failure

    def progress(self) -> Loading | None:
        """What is being loaded now; None when nothing is."""
        return self._loading

    def prepare(self, wait: bool = False) -> None:
        """Fetch a missing default model in the background, so that `state` soon knows.

        wait: return when it is there. A process that forks must not be fetching meanwhile.
        """
        from eagley_core.default_model import is_fetched

        if self._asked[0] is None and not is_fetched():
            fetching = threading.Thread(target=self._fetch, daemon=True)
            fetching.start()
            if wait:
                fetching.join()

    def _fetch(self) -> None:
        from eagley_core.default_model import ModelUnavailableError, fetch

        try:
            with self._lock:
                fetch(self._report)
        except (ModelUnavailableError, OSError) as error:
            self._failure = str(error)
        finally:
            self._loading = None

    def load(self) -> None:
        """Load now. Raises ValueError that says why live runs are off."""
        with self._lock:
            if self._lab is None:
                self._load()

    def _load(self) -> None:
        from eagley_core.default_model import ModelUnavailableError
        from eagley_core.lab import open_lab
        from eagley_core.load import ModelChoice

        target, draft, dtype, device = self._asked
        try:
            lab = open_lab(ModelChoice(target, dtype, device), draft, self._report)
            self._report("measuring what a pass costs on this machine", 0.99)
            lab.engine.costs(lab.engine.is_invariant(DecodeConfig()))
            self._lab, self._failure = lab, None
        except (ModelUnavailableError, ValueError) as error:
            self._failure = str(error)
            raise ValueError(self._failure) from error
        finally:
            self._loading = None

    def _report(self, what: str, fraction: float) -> None:
        self._loading = Loading(what, fraction)

    def stream(
        self, prompt: str, config: DecodeConfig, cancelled: Callable[[], bool]
    ) -> Iterator[Progress | Trace]:
        """Progress after each step, then the finished or cancelled Trace; nothing when it was
        cancelled while others ran.

        Raises ValueError with one clear line on bad input.
        """
        self.load()
        from eagley_core.lab import Prompt
        from eagley_core.text import Pieces

        asked, facts, adding = Prompt(prompt, name="live"), [], Pieces(self._lab.decode)
        n_tokens = 0
        for step in self._lab.steps(asked, config, cancelled):
            facts.append(step)
            n_tokens += len(step.emitted)
            new = zip(step.emitted, step.emitted_sources, strict=True)
            tokens = tuple((adding.add(token), source) for token, source in new)
            yield Progress(tokens, n_tokens, step.laps.started + sum(step.laps[1:]))
        if facts:  # else it was cancelled before it began
            yield self._lab.recorded(asked, config, facts)
