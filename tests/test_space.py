"""The files of this repository are a Space: what is in them, and that they start there."""

import ast
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DEPLOY = README.split("\n## Deploy\n")[1].split("\n## ")[0]
LARGE = 10_000_000  # bytes: beyond, a git push needs LFS
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
FIELDS = {  # Spaces configuration reference
    *("title", "emoji", "colorFrom", "colorTo", "sdk", "python_version", "sdk_version"),
    *("suggested_hardware", "suggested_storage", "app_file", "app_build_command", "app_port"),
    *("base_path", "fullWidth", "header", "short_description", "models", "datasets", "tags"),
    *("thumbnail", "pinned", "hf_oauth", "hf_oauth_scopes", "hf_oauth_expiration_minutes"),
    *("hf_oauth_authorized_org", "disable_embedding", "startup_duration_timeout"),
    *("custom_headers", "preload_from_hub", "license"),
}
ZERO_GPU_PYTHONS = ("3.10.13", "3.12.12")


@pytest.fixture(scope="module")
def front() -> dict:
    return yaml.safe_load(README.split("---\n")[1])


@pytest.fixture(scope="module")
def files() -> list[Path]:
    """What is uploaded: the files that git tracks."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def requirements() -> dict[str, Requirement]:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {requirement.name: requirement for requirement in found}


def test_the_front_matter_has_known_fields_with_allowed_values(front):
    assert set(front) <= FIELDS
    assert {front["colorFrom"], front["colorTo"]} <= COLOURS
    assert front["sdk"] == "gradio"
    assert len(front["short_description"]) <= 60
    assert re.fullmatch(r"\d+[smh]", front["startup_duration_timeout"])
    assert (ROOT / front["app_file"]).is_file()
    assert 'if __name__ == "__main__":' in (ROOT / front["app_file"]).read_text()


def test_the_gradio_of_the_space_satisfies_the_requirement(front):
    assert requirements()["gradio"].specifier.contains(front["sdk_version"])


def test_the_python_of_the_space_is_one_that_zero_gpu_has_and_the_code_takes(front):
    project = (ROOT / "pyproject.toml").read_text()
    lowest = Version(re.search(r'^requires-python = ">=(\S+)"$', project, re.M)[1])
    assert isinstance(front["python_version"], str)  # unquoted, 3.10 would read as 3.1
    assert front["python_version"] in ZERO_GPU_PYTHONS
    assert Version(front["python_version"]) >= lowest


def test_large_files_are_those_that_the_readme_names(files):
    large = {str(p.relative_to(ROOT)): p.stat().st_size for p in files if p.stat().st_size > LARGE}
    assert large, "nothing is large any more: the README need not speak of it"
    assert set(re.findall(r"`([\w/.-]+)` \([\d.]+ MB\)", DEPLOY)) == set(large)
    for name, size in large.items():
        assert f"`{name}` ({size / 1e6:.1f} MB)" in DEPLOY


def test_nothing_is_uploaded_that_the_space_makes_itself(files):
    odd = [p for p in files if p.suffix in (".pyc", ".pyi", ".whl") or "__pycache__" in p.parts]
    assert not odd
    assert len(files) < 2_000
    assert sum(path.stat().st_size for path in files) < 100e6


def needed(name: str, seen: set[str]) -> set[str]:
    """A requirement and all that it needs, as far as it is installed."""
    key = name.lower().replace("_", "-")
    if key not in seen:
        try:
            lines = requires(name) or ()
        except PackageNotFoundError:  # for other platforms or extras
            return seen
        seen.add(key)
        for line in lines:
            below = Requirement(line)
            if below.marker is None or below.marker.evaluate({"extra": ""}):
                needed(below.name, seen)
    return seen


def is_optional(node: ast.AST) -> bool:
    """Whether the file has an answer to a missing module."""
    handlers = node.handlers if isinstance(node, ast.Try) else ()
    return any(getattr(h.type, "id", "") == "ImportError" for h in handlers)


def imported(path: Path) -> set[str]:
    """The top-level modules that a file cannot do without, wherever in it."""
    tree, names = ast.parse(path.read_text("utf-8")), set()
    tries = [node for node in ast.walk(tree) if is_optional(node)]
    optional = {id(inner) for node in tries for part in node.body for inner in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) in optional:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


ON_ZERO_GPU_ONLY = {"spaces"}


def test_requirements_bring_every_module_that_is_imported():
    brought: set[str] = set()
    for name in requirements():
        needed(name, brought)
    own = {"app", "components", "eagley_core"}
    python = [ROOT / "app.py", *(p for n in own - {"app"} for p in (ROOT / n).rglob("*.py"))]
    of = packages_distributions()
    known = own | ON_ZERO_GPU_ONLY | set(sys.stdlib_module_names)
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in python
        for name in imported(path) - known
        if not brought & {d.lower().replace("_", "-") for d in of.get(name, ())}
    }
    assert not missing


START = """
import sys
from app import LAUNCH, arguments, build_app, engine, styles
from gradio_client import Client
chosen = arguments(["--target", "loaded at the first run only"])
app = build_app(chosen.runs, engine(chosen))
_, url, _ = app.launch(prevent_thread_lock=True, quiet=True, **LAUNCH, **styles())
client = Client(url, verbose=False)
run = client.predict(api_name="/list_runs")[0]["run"]
assert client.predict(run, api_name="/compare")["lanes"]
assert not {"torch", "transformers", "spaces"} & set(sys.modules)
app.close()
"""


def test_recorded_runs_are_served_before_torch_is_imported():
    subprocess.run([sys.executable, "-c", START], cwd=ROOT, check=True, timeout=120)


COMPILE = """
import ast, pathlib, sys
for name in sys.argv[1:]:
    ast.parse(pathlib.Path(name).read_text("utf-8"), name, feature_version=(3, 11))
"""


@pytest.mark.parametrize("python", ["python3.11", "python3.12"])
def test_every_file_compiles_on_the_pythons_that_are_supported(files, python):
    try:
        subprocess.run([python, "--version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"there is no {python} here")
    names = [str(path) for path in files if path.suffix == ".py" and path.exists()]
    done = subprocess.run([python, "-c", COMPILE, *names], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ["CPU Basic", "ZeroGPU", "static"])
def test_the_readme_tells_how_to_deploy(kind):
    assert kind in DEPLOY
    assert DEPLOY.count("hf upload ") == 3


def test_the_static_page_that_the_readme_makes_is_one_file(tmp_path):
    command = next(line for line in DEPLOY.splitlines() if "--format html" in line).split()
    out = tmp_path / command[-1]
    made = subprocess.run(
        [sys.executable, *command[1:-1], str(out)], cwd=ROOT, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    page = out.read_text("utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=.?https?:", page)


def test_without_torch_live_runs_are_off(monkeypatch):
    import app

    monkeypatch.setattr(app, "find_spec", lambda name: None)
    assert app.engine(app.arguments([])) is None
