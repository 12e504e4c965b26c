"""The serving model: arithmetic by hand, and the laws of a roofline."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from eagley_core import cli
from eagley_core.calibration import Calibration
from eagley_core.costs import MAX_ROWS, Costs
from eagley_core.devices import DEVICES, Device, device_named
from eagley_core.frozen import save_frozen
from eagley_core.serving import (
    SHAPES,
    VANILLA,
    Drafting,
    Load,
    Shape,
    needed,
    seconds,
    speedup,
    target_pass,
    turning_point,
)
from eagley_core.serving_inputs import between, by_costs, check, drafting_of, measured_speedup

ROOT = Path(__file__).resolve().parents[2]
TOY = Shape("toy", parameters=1000, layers=2, heads=4, kv_heads=1, head_dim=8, bytes_each=2)
# Reads 100 bytes and computes 1000 operations a second.
SLOW = Device("slow", bandwidth=100, compute=1000, memory=1e9, read=1, computed=1)
FREE = Drafting(tokens=3, rows=5)  # a draft that costs nothing


def test_a_pass_by_hand():
    found = target_pass(TOY, Load(batch=3, context=10), rows=2)
    row = 2 * 2 * 1 * 8 * 2  # keys and values, layers, heads, numbers, bytes
    assert found.bytes == 2000 + (30 + 6) * row
    assert found.operations == 6 * (2 * 1000 + 4 * 2 * 4 * 8 * 10)


def test_a_pass_takes_the_longer_of_reading_and_computing():
    one = target_pass(TOY, Load(1, 0), 1)
    assert seconds(SLOW, one) == one.bytes / 100
    many = target_pass(TOY, Load(100, 0), 1)
    assert seconds(SLOW, many) == many.operations / 1000
    assert seconds(replace(SLOW, fixed=5), one) == one.bytes / 100 + 5


def test_the_gain_is_the_accepted_length_while_reading_dominates_and_falls_behind_the_ridge():
    vast = replace(SLOW, compute=1e9)
    assert speedup(vast, TOY, Load(1, 0), FREE) == pytest.approx(3, rel=0.2)
    bound = speedup(SLOW, TOY, Load(1000, 0), FREE)
    assert bound == pytest.approx(3 / 5, rel=0.01)  # five rows are paid for, three tokens come


def test_vanilla_gains_nothing_over_itself():
    for batch in (1, 64):
        assert speedup(DEVICES["H100"], SHAPES["Llama-3.1-8B"], Load(batch, 512), VANILLA) == 1


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_no_gain_exceeds_the_accepted_length(device):
    drafting = Drafting(2.5, 10, 2, 4, 0.07)
    found = [
        speedup(device, shape, Load(batch, context), drafting)
        for shape in SHAPES.values()
        for batch in (1, 8, 64)
        for context in (128, 4096)
    ]
    known = [gain for gain in found if gain is not None]
    assert known
    assert all(0 < gain < 2.5 for gain in known)


def test_what_does_not_fit_has_no_figure():
    small = replace(SLOW, memory=needed(TOY, Load(4, 100), FREE))
    assert speedup(small, TOY, Load(4, 100), FREE) is not None
    assert speedup(small, TOY, Load(5, 100), FREE) is None


def test_the_turning_point_is_the_last_batch_that_gains():
    last = turning_point(SLOW, TOY, 0, FREE)
    assert (
        speedup(SLOW, TOY, Load(last, 0), FREE) > 1 >= speedup(SLOW, TOY, Load(last + 1, 0), FREE)
    )
    assert turning_point(replace(SLOW, compute=1e12), TOY, 1000, FREE) is None
    assert turning_point(SLOW, TOY, 0, Drafting(1, 5)) == 0


def test_a_device_must_have_figures():
    with pytest.raises(ValueError, match="bandwidth must be above 0"):
        replace(SLOW, bandwidth=0)
    with pytest.raises(ValueError, match=r"read must lie in \(0, 1\]"):
        replace(SLOW, read=1.5)
    with pytest.raises(ValueError, match="got 'H900'"):
        device_named("H900")


def test_steps_come_from_a_result():
    runs = [
        {"mean_accepted_length": 2.0, "target_passes": 10, "rows_verified": 50, "draft_passes": 30},
        {
            "mean_accepted_length": 3.0,
            "target_passes": 30,
            "rows_verified": 310,
            "draft_passes": 50,
        },
    ]
    rows = [{"lane": "eagle", "tree": "auto:24,5,8"} | run for run in runs]
    result = {"rows": rows, "methods": {"eagle": {"draft_size_ratio": 0.07}}}
    assert drafting_of(result, "eagle") == Drafting(2.75, 9, 2, 8, 0.07)
    with pytest.raises(ValueError, match="no step of eagley"):
        drafting_of(result, "eagley")


def test_measured_passes_by_hand():
    costs = Costs(tuple(float(max(n, 4)) for n in range(MAX_ROWS + 1)), feed=1.0, extend=2.0)
    drafting = Drafting(tokens=3, rows=5.5, passes=2, width=4, size=0.1)
    assert between(costs.verify, 5.5) == 5.5
    assert by_costs(costs, Load(1, 256), drafting) == 3 * 4 / (2 * 1.5 + 5.5)
    assert by_costs(costs, Load(10, 256), drafting) == 3 * 10 / (2 * 1.5 + 55)
    assert by_costs(costs, Load(12, 256), drafting) is None


def roofline(device: Device) -> list[float]:
    return [0.0, *(seconds(device, target_pass(TOY, Load(1, 8), n)) for n in range(1, 65))]


def test_a_roofline_that_holds_has_no_error():
    found = check(SLOW, TOY, roofline(SLOW), 8)
    assert found["error"] == 0
    assert (found["read"], found["computed"]) == pytest.approx((1, 1))


def test_shares_of_the_peaks_are_found():
    found = check(SLOW, TOY, roofline(replace(SLOW, read=0.5, computed=0.25)), 8)
    assert (found["read"], found["computed"]) == pytest.approx((0.5, 0.25))
    assert found["fitted_error"] == pytest.approx(0, abs=1e-12)
    assert found["error"] == pytest.approx(0.75, rel=0.1)  # most passes compute: four times slower


def test_a_measured_speed_up_is_over_the_vanilla_of_the_same_question():
    rows = [
        {"lane": lane, "question_id": question, "repeat": 0, "decode_tokens_per_second": speed}
        for lane, speeds in (("vanilla", (2, 4, None)), ("eagle", (3, 8, 5)), ("fast", (9, 9, 9)))
        for question, speed in enumerate(speeds)
    ]
    assert measured_speedup({"rows": rows}, "eagle").median == 1.75


def result_file(folder) -> str:
    row = {"mean_accepted_length": 2.0, "target_passes": 10, "rows_verified": 50}
    row |= {"draft_passes": 20, "lane": "eagle", "tree": "auto:24,5,4", "target": "tiny"}
    result = {"rows": [row], "methods": {"eagle": {"draft_size_ratio": 0.1}}, "speedup": {}}
    (folder / "r.json").write_text(json.dumps(result))
    return str(folder / "r.json")


def test_the_command_prints_the_models_grid(tmp_path, capsys):
    asked = ["--devices", "L4,H100", "--batches", "1,8", "--contexts", "512,65536", "--json"]
    assert cli.main(["serving", result_file(tmp_path), *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kind"] == "a model, not a measurement"
    assert found["acceptance_of"] == "tiny"
    drafting, shape = Drafting(2, 5, 2, 4, 0.1), SHAPES["Llama-3.1-8B"]
    for device in found["devices"]:
        assert device["speedup"]["eagle"] == [
            [speedup(DEVICES[device["name"]], shape, Load(batch, n), drafting) for batch in (1, 8)]
            for n in (512, 65536)
        ]


def test_measured_passes_stand_in_for_a_device(tmp_path, capsys):
    costs = Costs(tuple(float(n) for n in range(MAX_ROWS + 1)), feed=0.5, extend=0.5)
    save_frozen(tmp_path / "f.json", costs, Calibration())
    asked = ["--batches", "1,8,64", "--contexts", "256", "--measured", str(tmp_path / "f.json")]
    assert cli.main(["serving", result_file(tmp_path), *asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["measured"]["speedup"]["eagle"]
    assert found == [[2 * 1 / (2 * 0.5 + 5), 2 * 8 / (2 * 0.5 + 40), None]]


@pytest.mark.parametrize(
    "word", ["--devices=H900", "--model=x", "--batches=0", "--read=2", "--fixed-ms=-1"]
)
def test_what_is_not_known_is_told_in_one_line(tmp_path, word, capsys):
    assert cli.main(["serving", result_file(tmp_path), word]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_readme_tells_the_shipped_check():
    """The model's own error, as the file has it."""
    found = json.loads((ROOT / "assets/results/serving-check.json").read_text("utf-8"))["check"]
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    told = ("error", "fitted_error", "read", "computed")
    shares = {name: f"{100 * found['passes'][name]:.0f} %" for name in told}
    assert "off by {error} on average".format(**shares) in readme
    assert (
        "reach {read} of the bandwidth and {computed} of the computing".format(**shares) in readme
    )
    assert "they are off by {fitted_error}.".format(**shares) in readme
    for label, name in (("EAGLE", "eagle"), ("EAGLEY", "eagley")):
        predicted, measured = found["predicted"][name], found["measured_speedup"][name]
        told = "{roofline:.2f} | {passes:.2f}".format(**predicted)
        told += " | {median:.2f} ({low:.2f} to {high:.2f})".format(**measured)
        assert f"| {label} | {told} |" in readme


def test_the_shipped_check_follows_from_its_own_measurements():
    found = json.loads((ROOT / "assets/results/serving-check.json").read_text("utf-8"))["check"]
    device, shape = Device(**found["device"]), Shape(**found["model"])
    verify = [0.0, *found["passes"]["measured"]]
    assert check(device, shape, verify, found["context"]) == found["passes"]
