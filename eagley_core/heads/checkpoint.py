"""The files of a head: a folder or a hub repository, safetensors or .bin, one file or shards."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

CONFIG = "config.json"
WEIGHTS, BIN = "model.safetensors", "pytorch_model.bin"
HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
UNREADABLE = (SafetensorError, UnpicklingError, RuntimeError, EOFError, KeyError, OSError)


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A head as it is stored: where it is from, its config.json and its tensors."""

    name: str
    config: dict[str, Any]
    tensors: dict[str, Tensor]


def read_checkpoint(source: str | Path) -> Checkpoint:
    """Read a folder or a hub repository. Raises ValueError, in one line, where that fails."""
    folder = _folder(str(source))
    if not (folder / CONFIG).is_file():
        raise ValueError(f"draft {source} has no {CONFIG}")
    return Checkpoint(str(source), _json(folder / CONFIG, str(source)), _tensors(folder, source))


def _folder(source: str) -> Path:
    path = Path(source).expanduser()
    if path.is_dir():
        return path
    if not HUB_ID.fullmatch(source) or source.startswith("."):
        raise ValueError(
            f"draft {source}: there is no such folder, and it is none of none, int8, "
            "early-exit:FOLDER"
        )
    try:
        found = _downloaded(source, "safetensors")
        return found if any(found.glob("*.safetensors")) else _downloaded(source, "bin")
    except (HfHubHTTPError, OSError, ValueError) as error:
        why = str(error).strip().splitlines() or [type(error).__name__]
        raise ValueError(
            f"draft {source!r} is no folder, and cannot be got from the hub: {why[0][:200]}"
        ) from error


def _downloaded(repository: str, suffix: str) -> Path:
    wanted = [CONFIG, f"*.{suffix}", f"*.{suffix}.index.json"]
    return Path(snapshot_download(repository, allow_patterns=wanted))


def _json(path: Path, source: str) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"draft {source}: {path.name} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"draft {source}: {path.name} is not a JSON object")
    return content


def _tensors(folder: Path, source: str | Path) -> dict[str, Tensor]:
    for name, read in ((WEIGHTS, load_file), (BIN, _load_bin)):
        if (folder / name).is_file():
            return _part(folder / name, read, source)
        if (folder / f"{name}.index.json").is_file():
            return _shards(folder, f"{name}.index.json", read, source)
    raise ValueError(f"draft {source} has no {WEIGHTS} and no {BIN}")


def _shards(folder: Path, index: str, read: Callable, source: str | Path) -> dict[str, Tensor]:
    """All tensors that the index tells of."""
    places = _json(folder / index, str(source)).get("weight_map")
    if not isinstance(places, dict) or not places:
        raise ValueError(f"draft {source}: {index} has no weight_map")
    found: dict[str, Tensor] = {}
    for name in sorted(set(places.values())):
        if Path(name).name != name or not (folder / name).is_file():
            raise ValueError(f"draft {source}: {index} tells of {name}, which is not there")
        found |= _part(folder / name, read, source)
    absent = sorted(places.keys() - found.keys())
    if absent:
        raise ValueError(f"draft {source}: {index} tells of {absent[0]}, which is in no shard")
    return found


def _part(path: Path, read: Callable, source: str | Path) -> dict[str, Tensor]:
    try:
        content = read(path)
    except UNREADABLE as error:
        why = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise ValueError(f"draft {source}: {path.name} cannot be read: {why}") from error
    if not isinstance(content, dict) or not all(isinstance(v, Tensor) for v in content.values()):
        raise ValueError(f"draft {source}: {path.name} holds something else than tensors")
    return content


def _load_bin(path: Path) -> dict[str, Tensor]:
    return torch.load(path, map_location="cpu", weights_only=True)
