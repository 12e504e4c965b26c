"""The explorer: `python app.py` opens it in the browser with the recorded runs."""

import argparse
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import gradio as gr

from components.api import mcp_option
from components.elements.element import scripts
from components.elements.viewer import PRELOAD
from components.live import Live
from components.look import look, stylesheet
from components.page import build_page
from components.zero_gpu import ON_ZERO_GPU, lent

RUNS = Path(__file__).resolve().parent / "assets" / "runs"
LAUNCH = {
    "ssr_mode": False,
    "run_history": False,
    "footer_links": [],
    "max_file_size": "5mb",
}


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", help="address to serve on (default: GRADIO_SERVER_NAME)")
    parser.add_argument("--port", type=int, default=os.environ.get("PORT"))
    parser.add_argument("--target", help="hub id or folder (default: the embedded model)")
    parser.add_argument("--draft", help="what drafts, as on the command line")
    parser.add_argument("--dtype", default="auto", help="float32, bfloat16, float16 or auto")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--no-live", action="store_true", help="recorded runs only")
    parser.add_argument("--runs", type=Path, default=RUNS, help="folder of recorded runs")
    return parser.parse_args(argv)


def build_app(runs_dir: Path, live: Live | None) -> gr.Blocks:
    """The page over a folder of recorded runs, with or without an engine."""
    return build_page(runs_dir, live).queue()


def engine(chosen: argparse.Namespace) -> Live | None:
    """The engine, which loads its model at the first run; None with --no-live or without torch.

    A missing default model is fetched in the background from now on.
    """
    if chosen.no_live or find_spec("torch") is None:
        return None
    from eagley_core.live import LiveEngine

    live = LiveEngine(chosen.target, chosen.draft, chosen.dtype, chosen.device)
    live.prepare(wait=ON_ZERO_GPU)
    return lent(live)


def styles() -> dict:
    """The look of the page, as `launch` takes it."""
    return {"theme": look(), "css": stylesheet(), "head": PRELOAD + scripts()}


def main() -> None:
    chosen = arguments()
    demo = build_app(chosen.runs, engine(chosen))
    address = {"server_name": chosen.host, "server_port": chosen.port}
    demo.launch(**address, **LAUNCH, **styles(), **mcp_option())


if __name__ == "__main__":
    main()
