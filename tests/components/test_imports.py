"""Imports flow one way: page → figures → theme and trace; the core knows no page."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAYERS = {
    "components": {"torch", "transformers"},
    "components/figures": {"torch", "transformers", "gradio", "components.panels"},
    "eagley_core": {"gradio", "plotly", "components"},
}


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize(("folder", "forbidden"), LAYERS.items())
def test_layer_imports_nothing_from_above(folder, forbidden):
    for path in (ROOT / folder).rglob("*.py"):
        names = imported(path)
        found = {f for f in forbidden for n in names if n == f or n.startswith(f"{f}.")}
        assert not found, f"{path.relative_to(ROOT)} imports {found}"


NO_TORCH = """
import pathlib, sys
from app import build_app
build_app(pathlib.Path("assets/runs"), None)
assert "torch" not in sys.modules and "transformers" not in sys.modules
"""


def test_the_page_is_built_without_torch():
    subprocess.run([sys.executable, "-c", NO_TORCH], cwd=ROOT, check=True)
