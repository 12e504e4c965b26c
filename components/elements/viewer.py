"""Draws any Plotly figure, keeps its zoom, follows the page's theme and size, reports clicks."""

import json
from pathlib import Path
from typing import ClassVar

import gradio as gr
import plotly
import plotly.graph_objects as go

from components import theme
from components.elements.element import Element

PLOTLY_JS = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
PLOTLY_URL = f"/gradio_api/file={PLOTLY_JS}"
PRELOAD = f'<link rel="preload" as="script" href=".{PLOTLY_URL}">'  # for the page's head


class Viewer(Element):
    """Value: a go.Figure. `marks`: layout shapes over it.

    Event `pick`: `x`, `y`, `custom` (the point's customdata) and `meta` (its trace's meta).
    """

    template = "<div class='viewer-frame'><div class='viewer-plot' role='group'></div></div>"
    script = "viewer"

    defaults: ClassVar = {
        "marks": [],
        "twins": theme.DARK_TWINS,
        "source": PLOTLY_URL,
    }

    def postprocess(self, value: go.Figure | None) -> dict | None:
        return None if value is None else json.loads(value.to_json())


def serve_files(runs_dir: Path) -> None:
    """Let the server hand out the plotly.js of the plotly package, and the recorded runs."""
    gr.set_static_paths([PLOTLY_JS, runs_dir])
