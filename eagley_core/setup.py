"""What a result was made of: weights by hash, settings, versions, the machine and its load."""

import hashlib
import os
import platform
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from eagley_core.config import EARLY_EXIT, DecodeConfig
from eagley_core.default_model import HEAD, model_folder
from eagley_core.prompt_file import PromptLine

WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "config.json", "prior.json")
PACKAGES = ("torch", "transformers", "numpy", "safetensors", "tokenizers")
HEX = set("0123456789abcdef")


def settings(lane: Any) -> dict[str, Any]:
    """A lane's settings, JSON-ready. lane: a DecodeConfig, or a Peer with one."""
    return {f.name: _plain(getattr(lane, f.name)) for f in fields(lane)}


def _plain(value: Any) -> Any:
    if isinstance(value, DecodeConfig):
        return settings(value)
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def hashes(folder: Path | None) -> dict[str, str]:
    """sha256 of every file of weights and settings in a folder, by name; none of no folder."""
    if folder is None:
        return {}
    files = {file for pattern in WEIGHTS for file in folder.glob(pattern)}
    return {file.name: _sha256(file) for file in sorted(files)}


def _sha256(file: Path) -> str:
    """A hub's cache calls large files by their sha256, and links to them."""
    name = file.resolve().name
    if len(name) == 64 and set(name) <= HEX:
        return name
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def target_hashes(target: str | None) -> dict[str, str]:
    """target: what `--target` says."""
    return hashes(model_folder() if target is None else _folder(target))


def draft_hashes(draft: str | None, target: str | None) -> dict[str, str]:
    """draft: what `--draft` says. Nothing where no file belongs to it."""
    if draft in ("none", "int8") or (draft is None and target is not None):
        return {}
    return hashes(HEAD if draft is None else _folder(draft.removeprefix(EARLY_EXIT)))


def _folder(name: str) -> Path | None:
    """A folder, or where this machine's hub cache has a model; None where it has not."""
    if Path(name).is_dir():
        return Path(name)
    from transformers.utils import cached_file

    try:
        found = cached_file(name, "config.json", local_files_only=True)
    except OSError:  # it was loaded on other machines only
        return None
    return found and Path(found).parent


def prompts_hash(lines: Sequence[PromptLine]) -> str:
    """One hash of all turns, in order."""
    said = "\0".join(turn for line in lines for turn in line.turns)
    return hashlib.sha256(said.encode()).hexdigest()


def machine() -> dict[str, Any]:
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "versions": {"python": platform.python_version()} | {p: _version(p) for p in PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def command(words: Sequence[str]) -> str:
    """A command line without the folders of this machine."""
    told = [Path(word).name if Path(word).is_absolute() else word for word in words]
    return " ".join(["python -m eagley_core", *told])


def plan_of(plan: Any, lines: Sequence[PromptLine]) -> dict[str, Any]:
    """What was run, JSON-ready. plan: a `bench.Plan`."""
    return {
        "lanes": {name: settings(lane) for name, lane in plan.lanes.items()},
        "questions": [line.question_id for line in lines],
        "prompts_sha256": prompts_hash(lines),
        "repeats": plan.repeats,
    }
