"""What a result says of its making."""

import hashlib
import json

from eagley_core import setup
from eagley_core.config import DecodeConfig, TreeShape
from eagley_core.prompt_file import PromptLine
from eagley_core.rule import Rule


def test_weights_are_named_by_their_sha256(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "notes.txt").write_text("not a weight")
    wanted = {"model.safetensors": hashlib.sha256(b"weights").hexdigest()}
    assert setup.hashes(tmp_path) == wanted
    assert setup.target_hashes(str(tmp_path)) == wanted
    assert setup.draft_hashes(f"early-exit:{tmp_path}", None) == wanted


def test_a_hubs_cache_is_taken_at_its_word(tmp_path):
    blob = tmp_path / ("a1" * 32)
    blob.write_bytes(b"anything")
    (tmp_path / "model.safetensors").symlink_to(blob)
    assert setup.hashes(tmp_path) == {"model.safetensors": blob.name}


def test_drafts_without_files_have_no_hash():
    assert setup.draft_hashes("none", None) == {}
    assert setup.draft_hashes("int8", None) == {}
    assert setup.draft_hashes(None, "some/model") == {}
    assert "model.safetensors" in setup.draft_hashes(None, None)


def test_what_was_loaded_elsewhere_has_no_hash():
    assert setup.target_hashes("nobody/has-this-model") == {}


def test_settings_are_json_and_words_that_can_be_read_back():
    config = DecodeConfig("eagle", 5, tree=TreeShape("fixed"), rule=Rule.parse("top-k:2"))
    told = json.loads(json.dumps(setup.settings(config)))
    assert (told["tree"], told["rule"], told["max_new_tokens"]) == ("fixed", "top-k:2", 5)
    assert told["coupled"] is None


def test_other_prompts_have_another_hash():
    one, other = [PromptLine("1", "", "a", ("b",))], [PromptLine("1", "", "a", ("c",))]
    assert setup.prompts_hash(one) != setup.prompts_hash(other)


def test_a_command_names_no_folder_of_this_machine():
    assert setup.command(["bench", "--out", "/home/me/x.json"]).endswith("bench --out x.json")
