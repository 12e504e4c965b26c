"""Lanes of transformers' own decoding beside ours."""

import argparse
from collections.abc import Mapping
from dataclasses import replace

from eagley_core.config import DecodeConfig


def add_peer_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("transformers' own decoding of the same weights")
    group.add_argument(
        "--peers",
        help="more lanes by comma: generate, prompt-lookup[:N], assisted, early-exit:LAYERS",
    )
    group.add_argument(
        "--assistant", help="of peer assisted: hub id or folder of a small model, or int8"
    )


def peer_lanes(args: argparse.Namespace, config: DecodeConfig) -> dict:
    """The peers by name. config: what they share with our lanes."""
    if not args.peers:
        return {}
    from eagley_core.peers import Peer

    if args.turns == "all":
        raise ValueError("--peers go with --turns first: they keep no rows of earlier turns")
    names = dict.fromkeys(args.peers.split(","))
    return {name: Peer.parse(name, config, args.assistant) for name in names}


def peers_of(lanes: Mapping) -> dict:
    """The lanes that are other programs'."""
    return {name: lane for name, lane in lanes.items() if not isinstance(lane, DecodeConfig)}


def with_peers(lab, args: argparse.Namespace, peers: dict):
    """The lab with a plain transformers model beside its engine, where there are peers."""
    if not peers:
        return lab
    from eagley_core.commands.settings import report
    from eagley_core.load import ModelChoice
    from eagley_core.peer_model import open_peers

    choice = ModelChoice(args.target, args.dtype, args.device, args.context)
    report("loading the same weights for transformers' own decoding", 1.0)
    model = open_peers(choice, args.assistant, lab)
    model.check(list(peers.values()))
    return replace(lab, peers=model)
