"""`serving`: what a server of many sequences would gain; a model, not a measurement."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from eagley_core.commands.settings import add_model_arguments, lab_of
from eagley_core.devices import COMPUTED, DEVICES, READ, device_named, reaching
from eagley_core.serving import SHAPES, Drafting, Load, Shape, grid, turning_point
from eagley_core.serving_inputs import by_costs, drafting_of, measured_speedup

METHODS = ("eagle", "eagley")
BATCHES, CONTEXTS = "1,2,4,8,16,32,64,128", "512,4096,32768"
KIND = "a model, not a measurement"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("result", type=Path, metavar="RESULT", help="a file that bench wrote: acceptance is its")
    add("--model", default="Llama-3.1-8B", help=f"served: {', '.join(SHAPES)}")
    add("--devices", default=",".join(DEVICES), help="by comma (default: all)")
    add("--batches", default=BATCHES, help=f"sequences at once (default: {BATCHES})")
    add("--contexts", default=CONTEXTS, help=f"cached positions of each (default: {CONTEXTS})")
    add("--read", type=float, default=READ, help="share of the peak bandwidth that is reached")
    add("--computed", type=float, default=COMPUTED, help="share of the peak of computing")
    add("--fixed-ms", type=float, default=0.0, help="milliseconds of every pass beside that")
    add(
        "--measured",
        type=Path,
        metavar="FILE",
        help="also by the measured passes in a file of --save-frozen, up to their most rows",
    )
    add(
        "--check",
        action="store_true",
        help="measure this machine, and hold the model against its passes and the RESULT",
    )
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> dict:
    shape, result = _shape(args.model), _read(args.result)
    methods = {name: drafting_of(result, name) for name in METHODS if name in result["methods"]}
    batches, contexts = _counts("batches", args.batches), _counts("contexts", args.contexts)
    devices = [
        reaching(device_named(name), args.read, args.computed, args.fixed_ms / 1000)
        for name in args.devices.split(",")
    ]
    loads = [[Load(batch, context) for batch in batches] for context in contexts]
    found = {
        "kind": KIND,
        "model": asdict(shape),
        "acceptance_of": result["rows"][0]["target"],
        "methods": {name: drafting._asdict() for name, drafting in methods.items()},
        "batches": batches,
        "contexts": contexts,
        "devices": [
            asdict(device)
            | {"speedup": {m: grid(device, shape, loads, d) for m, d in methods.items()}}
            | {"turning_point": {m: _turns(device, shape, contexts, methods[m]) for m in methods}}
            for device in devices
        ],
    }
    if args.measured:
        found["measured"] = _measured(args.measured, loads, methods)
    return found | {"check": _check(args, result, methods)} if args.check else found


def _measured(path: Path, loads: list[list[Load]], methods: dict[str, Drafting]) -> dict:
    """The grid by a device's own t(n), which is of the model that it was measured with."""
    from eagley_core.frozen import load_frozen

    costs = load_frozen(path).costs
    gains = {
        name: [[by_costs(costs, load, drafting) for load in row] for row in loads]
        for name, drafting in methods.items()
    }
    return {"name": f"t(n) of {path.name}", "speedup": gains}


def _turns(device, shape: Shape, contexts: list[int], drafting: Drafting) -> list[int | None]:
    return [turning_point(device, shape, context, drafting) for context in contexts]


def _shape(name: str) -> Shape:
    if name not in SHAPES:
        raise ValueError(f"models are {', '.join(SHAPES)}, got {name!r}")
    return SHAPES[name]


def _read(path: Path) -> dict:
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        result["rows"][0]["target"], result["methods"], result["speedup"]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a result of bench: {error!r}") from error
    return result


def _counts(name: str, text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise ValueError(f"{name} must be whole numbers above 0, by comma, got {text!r}")
    return [int(part) for part in parts]


def _check(args: argparse.Namespace, result: dict, methods: dict[str, Drafting]) -> dict:
    """This machine's roofline against its measured passes, and both against the measured runs."""
    from eagley_core.serving_check import check_here, peaks_of

    engine = lab_of(args).engine
    measured = {name: measured_speedup(result, name)._asdict() for name in methods}
    return check_here(engine, peaks_of(engine), methods) | {"measured_speedup": measured}


def words(found: dict) -> str:
    told = [f"{found['kind']}: {found['model']['name']} with the acceptance of "]
    told[0] += f"{found['acceptance_of']}; over vanilla by batch {_joined(found['batches'])}"
    for device in [*found["devices"], *([found["measured"]] if "measured" in found else [])]:
        for method, rows in device["speedup"].items():
            for context, row in zip(found["contexts"], rows, strict=True):
                gains = " ".join("  –  " if gain is None else f"{gain:5.2f}" for gain in row)
                told.append(f"{device['name']:<22} {method:<7} context {context:>6}  {gains}")
    return "\n".join(told + ([_checked(found["check"])] if "check" in found else []))


def _joined(values: list[int]) -> str:
    return ", ".join(map(str, values))


def _checked(check: dict) -> str:
    passes = check["passes"]
    told = [
        "this machine: {bandwidth:.1f} GB/s, {compute:.0f} GFLOP/s; ".format(
            **{name: check["device"][name] / 1e9 for name in ("bandwidth", "compute")}
        )
        + "pass times are off by {error:.0%} on average; by {fitted_error:.0%} where {read:.0%} "
        "and {computed:.0%} of these are reached, as fits one row and the most".format(**passes)
    ]
    for name, predicted in check["predicted"].items():
        known = check["measured_speedup"][name]
        told.append(
            f"{name} over vanilla: roofline {predicted['roofline']:.2f}, fitted "
            f"{predicted['fitted']:.2f}, measured t(n) {predicted['passes']:.2f}; in the result "
            f"{known['median']:.2f} ({known['low']:.2f} to {known['high']:.2f})"
        )
    return "\n".join(told)
