"""The endpoints, asked over the network by gradio's own client."""

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from sample_traces import sample_traces

from components.panels import machines
from eagley_core.metrics import mean_accepted_length
from eagley_core.trace_file import load_traces

ENDPOINTS = {"/list_runs", "/get_run", "/get_step", "/compare", "/get_trace", "/run"}
UNICODE = "\U0001f985 <img src=x onerror=alert(1)> ${1+1} `x`"


@pytest.fixture(scope="module")
def client(address):
    return Client(address, verbose=False)


@pytest.fixture(scope="module")
def first(client):
    return client.predict(api_name="/list_runs")[0]["run"]


def test_only_the_endpoints_are_public_and_each_says_what_it_does(client):
    told = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    assert set(told) == ENDPOINTS
    assert all(len(endpoint["description"]) > 30 for endpoint in told.values())
    names = [p["parameter_name"] for p in told["/get_step"]["parameters"]]
    assert names == ["run", "lane", "step"]


def test_runs_are_listed_with_their_lanes(client):
    runs = client.predict(api_name="/list_runs")
    assert len(runs) == 2
    assert runs[0]["lanes"] == ["vanilla", "eagle", "eagley"]
    assert runs[0]["prompt"] == sample_traces()[0].prompt


def test_a_run_is_told_in_the_numbers_of_its_trace(client, first):
    told = client.predict(first, api_name="/get_run")
    for trace in sample_traces():
        lane = told["lanes"][trace.config.method]
        assert lane["text"] == trace.text
        assert lane["environment"]["device"] == trace.environment.device
        length = lane["summary"]["mean_accepted_length"]
        assert length == pytest.approx(mean_accepted_length(trace), abs=1e-6)


def test_a_step_is_told_node_by_node_with_reasons(client, first):
    trace = sample_traces()[2]
    step = next(s for s in trace.steps if s.accepted)
    told = client.predict(first, "eagley", step.index, api_name="/get_step")
    assert [n["verdict"] for n in told["nodes"]] == [n.verdict for n in step.nodes]
    assert [n["text"] for n in told["nodes"]] == [trace.token_texts[n.token_id] for n in step.nodes]
    assert all(node["reason"].endswith(".") for node in told["nodes"])
    assert told["accepted"] == list(step.accepted)
    assert told["texts"][str(step.bonus_id)] == trace.token_texts[step.bonus_id]


def test_lanes_are_compared_with_vanilla(client, first):
    lanes = client.predict(first, api_name="/compare")["lanes"]
    assert [lane["identical_to_vanilla"] for lane in lanes.values()] == [True, True, True]
    assert lanes["vanilla"]["speedup_over_vanilla"] == 1
    speeds = {name: lane["summary"]["decode_tokens_per_second"] for name, lane in lanes.items()}
    gain = speeds["eagley"] / speeds["vanilla"]
    assert lanes["eagley"]["speedup_over_vanilla"] == pytest.approx(gain)


def test_a_trace_can_be_fetched_and_opened(client, first):
    path = client.predict(first, api_name="/get_trace")
    assert [t.output_ids for t in load_traces(path)] == [t.output_ids for t in sample_traces()]


def test_the_trace_of_some_lanes_holds_no_other(client, first):
    path = client.predict(f"{first}~eagle", api_name="/get_trace")
    assert [trace.config.method for trace in load_traces(path)] == ["eagle"]


def test_a_live_run_streams_and_is_kept_under_its_key(client):
    job = client.submit(UNICODE, ["vanilla", "eagley"], 8, api_name="/run")
    last = job.result()
    said = job.outputs()
    heard = {name: "" for name in ("vanilla", "eagley")}
    for progress in said[:-1]:
        heard[progress["lane"]] += progress["added"]
    assert said[-1] == last
    assert last["state"] == "finished"
    told = client.predict(last["run"], api_name="/get_run")
    assert told["prompt"] == UNICODE
    assert {name: lane["text"] for name, lane in told["lanes"].items()} == heard
    path = client.predict(last["run"], api_name="/get_trace")
    assert [trace.config.method for trace in load_traces(path)] == ["vanilla", "eagley"]


BAD = [
    ("/get_run", ("nothing",), "There is no run of this name"),
    ("/get_run", ("../../etc/passwd",), "There is no run"),
    ("/compare", (None,), "There is no run"),
    ("/get_step", ("FIRST", "eagles", 0), "the run has the lanes vanilla, eagle, eagley"),
    ("/get_step", ("FIRST", "eagle", 10_000), "got 10000"),
    ("/get_step", ("FIRST", "eagle", "one"), "step must be a whole number, got 'one'"),
    ("/get_step", ("FIRST", ["eagle"], 0), "the run has the lanes vanilla, eagle, eagley"),
    ("/run", ("",), "the prompt is empty"),
    ("/run", ("x" * 20_001,), "at most 20,000 characters"),
    ("/run", ("x", []), "choose at least one lane"),
    ("/run", ("x", ["hydra"]), "method must be one of vanilla, eagle, eagley, got 'hydra'"),
    ("/run", ("x", None, 257), "max_new_tokens must be from 1 to 256, got 257"),
    ("/run", ("x", None, 8, -1), "temperature must be at least 0, got -1"),
    ("/run", ("x", None, 8, 0, 0, "sometimes"), "sometimes"),
    ("/run", ("x", None, 8, 0, 0, "exact", ["magic"]), "magic"),
    ("/run", ("x", "eagle"), "methods must be a list of texts, got 'eagle'"),
    ("/run", ("x", [["eagle"]]), "methods must be a list of texts"),
    ("/run", ("x", None, True), "max_new_tokens must be from 1 to 256, got True"),
    ("/run", ("x", None, 8, 0, 0, 5), "rule must be a text, got 5"),
    ("/run", ("x", None, 8, 0, 0, "exact", [5]), "reuse must be a list of texts, got [5]"),
]


@pytest.mark.parametrize(("endpoint", "given", "told"), BAD)
def test_bad_input_is_answered_with_one_line(client, first, endpoint, given, told):
    given = [first if value == "FIRST" else value for value in given]
    with pytest.raises(AppError, match=".") as caught:
        client.predict(*given, api_name=endpoint)
    line = str(caught.value)
    assert told in line
    assert "\n" not in line and "Traceback" not in line and len(line) < 300


def test_the_page_names_every_endpoint_and_its_example_works(client, address):
    assert {f"/{name}" for name in machines.ENDPOINTS} == ENDPOINTS
    told = machines.text(None, has_mcp=False)
    code = told.split("```python\n")[1].split("```")[0]
    printed = []
    exec(code.replace(machines.LOCAL, address), {"print": lambda *told: printed.extend(told)})
    speed_up, is_identical = printed
    assert speed_up > 1 and is_identical
    assert "/gradio_api/mcp/" in machines.text("somebody/space", has_mcp=True)
