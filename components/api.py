"""What programs may ask of the page: named endpoints, which are MCP tools too."""

import threading
from collections.abc import Callable, Iterator
from functools import wraps
from importlib.util import find_spec
from inspect import isgeneratorfunction
from pathlib import Path

import gradio as gr
from gradio.data_classes import FileData

from components.answers import compared, described, listed, stepped
from components.library import Library
from components.live import Live, listen
from components.live_run import USUAL, Settings
from components.panels.lanes import METHODS
from components.panels.live import why_off
from components.panels.opening import saved
from components.selection import Comparison
from eagley_core.config import Method
from eagley_core.trace import Trace

MOST_TOKENS = 256  # per lane
TROUBLE = (LookupError, ValueError, RuntimeError, OSError, MemoryError)


def mcp_option() -> dict[str, bool]:
    """What `launch` is told: the endpoints are MCP tools too where `gradio[mcp]` is installed."""
    return {"mcp_server": True} if find_spec("mcp") else {}


def add_api(library: Library, live: Live | None) -> None:
    """Add the endpoints to the page that is being built."""
    api = Api(library, live)
    for reading in (api.list_runs, api.get_run, api.get_step, api.compare, api.get_trace):
        gr.api(_answering(reading), concurrency_limit=4, concurrency_id="api")
    gr.api(_answering(api.run), concurrency_limit=1, concurrency_id="api-run")


def _answering(endpoint: Callable) -> Callable:
    """The endpoint, with trouble told in one line instead of a traceback."""

    @wraps(endpoint)
    def answer(*given):
        try:
            return endpoint(*given)
        except TROUBLE as error:
            raise _told(error) from error

    @wraps(endpoint)
    def stream(*given):
        try:
            yield from endpoint(*given)
        except TROUBLE as error:
            raise _told(error) from error

    return stream if isgeneratorfunction(endpoint) else answer


def _told(error: Exception) -> gr.Error:
    text = str(error.args[0] if isinstance(error, LookupError) and error.args else error)
    line = (text.strip() or type(error).__name__).splitlines()[0]
    return gr.Error(line, print_exception=False)


class Api:
    """The endpoints. Trouble is raised as an exception with one clear line."""

    def __init__(self, library: Library, live: Live | None) -> None:
        self._library, self._live = library, live

    def list_runs(self) -> list[dict]:
        """List the recorded runs: key, name, prompt and lanes of each.

        Returns:
            runs: one object per run; its `run` is the key that the other endpoints take
        """
        return [listed(self._library.find(run.slug)) for run in self._library.runs]

    def get_run(self, run: str) -> dict:
        """Get a run: each lane's text, numbers and settings, and the machine that it ran on.

        Args:
            run: key of a run, from list_runs or from run
        """
        return described(self._library.find(run))

    def get_step(self, run: str, lane: str, step: int) -> dict:
        """Get one step of a lane: the draft tree with verdict and reason for every node, the
        seconds of its phases, and where its cached rows came from.

        Args:
            run: key of a run, from list_runs or from run
            lane: vanilla, eagle or eagley, as get_run names them
            step: number of the step; 0 is the prefill
        """
        return stepped(self._library.find(run), lane, step)

    def compare(self, run: str) -> dict:
        """Compare the lanes of a run: numbers, speed-up over vanilla, whether the output is
        vanilla's token by token, and where it first is not.

        Args:
            run: key of a run, from list_runs or from run
        """
        return compared(self._library.find(run))

    def get_trace(self, run: str) -> FileData:
        """Get a run's trace file (.json.gz): the page opens it, and so does the command line.

        Args:
            run: key of a run, from list_runs or from run
        """
        path = saved(self._library.find(run))
        return FileData(path=path, orig_name=Path(path).name).model_dump()

    def run(  # noqa: PLR0913  (what a visitor can choose)
        self,
        prompt: str,
        methods: list[Method] | None = None,
        max_new_tokens: int = 64,
        temperature: float = 0.0,
        seed: int = 0,
        rule: str = "exact",
        reuse: list[str] | None = None,
    ) -> Iterator[dict]:
        """Run a prompt live, one lane after the other, and compare the lanes.

        Args:
            prompt: what the model is asked, at most 20,000 characters
            methods: lanes, out of vanilla, eagle and eagley; all three when left out
            max_new_tokens: per lane, at most 256
            temperature: 0 is greedy
            seed: decides at temperatures above 0
            rule: acceptance rule, such as exact, speculative or typical:0.3,0.09
            reuse: channels of EAGLEY; the usual ones when left out

        Returns:
            result: progress while the run goes on; at last the comparison, with its key in `run`
        """
        _check(self._live, prompt, max_new_tokens)
        _check_words(rule, methods=methods, reuse=reuse)
        lanes = list(METHODS if methods is None else dict.fromkeys(methods))
        channels = USUAL if reuse is None else tuple(reuse)
        settings = Settings(prompt, lanes, temperature, seed, max_new_tokens, rule, channels)
        traces: list[Trace] = []
        for method, config in settings.configs().items():
            yield from _lane(self._live, prompt, (method, config), traces)
        kept = self._library.shelf.put(Comparison(" ".join(prompt.split())[:48], tuple(traces)))
        yield {"state": "finished"} | compared(kept)


def _check(live: Live | None, prompt: str, max_new_tokens: int) -> None:
    off = why_off(live)
    if off:
        raise ValueError(off)
    if not isinstance(prompt, str) or not prompt.strip():
        raise ValueError("the prompt is empty")
    if type(max_new_tokens) is not int or not 1 <= max_new_tokens <= MOST_TOKENS:
        raise ValueError(f"max_new_tokens must be from 1 to {MOST_TOKENS}, got {max_new_tokens!r}")


def _check_words(rule: str, **lists: list[str] | None) -> None:
    if rule is not None and not isinstance(rule, str):
        raise ValueError(f"rule must be a text, got {rule!r:.80}")
    for name, words in lists.items():
        is_list = words is None or isinstance(words, list)
        if not is_list or not all(isinstance(word, str) for word in words or ()):
            raise ValueError(f"{name} must be a list of texts, got {words!r:.80}")


def _lane(live: Live, prompt: str, asked: tuple, traces: list[Trace]) -> Iterator[dict]:
    """One lane's progress; its trace is added to `traces`. Nobody listening ends the run."""
    (method, config), left = asked, threading.Event()
    try:
        for batch in listen(live.stream(prompt, config, left.is_set)):
            traces += [item for item in batch if isinstance(item, Trace)]
            steps = [item for item in batch if not isinstance(item, Trace)]
            added = "".join(text for step in steps for text, _ in step.tokens)
            if steps:
                tokens = steps[-1].new_tokens
                yield {"state": "running", "lane": method, "new_tokens": tokens, "added": added}
    finally:
        left.set()
