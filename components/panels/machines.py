"""For programs: the page's endpoints, and how to ask one."""

from typing import Final

import gradio as gr

from components.words import ENGLISH, Phrase, Words

ENDPOINTS: Final = {
    "list_runs": Phrase("The recorded runs: key, name, prompt, lanes."),
    "get_run": Phrase("A run's texts, numbers and settings, and the machine that it ran on."),
    "get_step": Phrase("One step of a lane: every node with its verdict and why."),
    "compare": Phrase("The lanes' numbers, speed-ups, and the first difference from vanilla."),
    "get_trace": Phrase("The run's trace file, to be opened here or on the command line."),
    "run": Phrase("A prompt of your own, streamed; one such run at a time."),
}
EXAMPLE: Final = """from gradio_client import Client

client = Client("{address}")
run = client.predict(api_name="/list_runs")[0]["run"]
lanes = client.predict(run, api_name="/compare")["lanes"]
print(lanes["eagley"]["speedup_over_vanilla"], lanes["eagley"]["identical_to_vanilla"])
"""
LOCAL: Final = "http://127.0.0.1:7860"
MCP_PATH: Final = "`/gradio_api/mcp/`"


def build(space: str | None, has_mcp: bool, say: Words = ENGLISH) -> None:
    """A folded section. space: the name of the Space that this is, if it is one."""
    with gr.Accordion(say("For programs"), open=False, elem_id="machines"):
        gr.Markdown(text(space, has_mcp, say))


def text(space: str | None, has_mcp: bool, say: Words = ENGLISH) -> str:
    """Every endpoint in a line, an example, and where the same tools are for MCP."""
    names = "\n".join(f"* `/{name}` – {say(phrase)}" for name, phrase in ENDPOINTS.items())
    code = f"```python\n{EXAMPLE.format(address=space or LOCAL)}```"
    tools = (
        say("The same are MCP tools, at {path} below this page's address.", path=MCP_PATH)
        if has_mcp
        else say("With {package} installed, the same are MCP tools.", package="`gradio[mcp]`")
    )
    return "\n\n".join((names, code, tools))
