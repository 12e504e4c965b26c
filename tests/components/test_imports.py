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
COMMANDS = ROOT / "eagley_core" / "commands"
DRAWING = {COMMANDS / "report.py", COMMANDS / "export.py"}  # import what draws when they are run


def imported(path: Path) -> set[str]:
    return imported_by(set(ast.walk(ast.parse(path.read_text("utf-8")))))


def imported_by(nodes: set[ast.AST]) -> set[str]:
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def at_the_top(path: Path) -> set[str]:
    """What importing the file imports."""
    tree = ast.parse(path.read_text("utf-8"))
    inner = [n for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)]
    return imported_by(set(ast.walk(tree)) - set(inner))


@pytest.mark.parametrize(("folder", "forbidden"), LAYERS.items())
def test_layer_imports_nothing_from_above(folder, forbidden):
    for path in (ROOT / folder).rglob("*.py"):
        names = at_the_top(path) if path in DRAWING else imported(path)
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
