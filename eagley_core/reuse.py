"""EAGLEY's reuse channels by name, as they are written on the command line and in a trace.

A channel is text: its name, and after a colon its value where it has one.
"""

from collections.abc import Sequence

# What may follow the colon: these words, a whole number from 1 on ("N"), or nothing ("").
CHANNELS: dict[str, tuple[str, ...]] = {
    "recycled": ("", "accepted", "rejected"),  # R1; a part of the verified rows, or all
    "suffix": ("",),  # R2
    "draft-state": ("",),  # R3
    "shared-kv": ("",),  # R4
    "draft-kv": ("none", "new", "exact"),  # R5, by its Delta
    "stale-kv": ("N",),  # R6: stale rows are computed anew after N tokens
    "ngram": ("",),  # control: prompt-lookup n-grams in place of reuse
    "more-draft": ("",),  # control: the draft's next best nodes in place of reused ones
}
REPLACED = ("recycled", "suffix", "draft-state")  # those that `more-draft` can stand in for
APPROXIMATE = ("draft-kv:none", "draft-kv:new", "stale-kv")


def channels_of(text: str) -> tuple[str, ...]:
    """Channels as they are written: with commas between them, or `none`."""
    return () if text == "none" else tuple(text.split(","))


def check_channels(channels: Sequence[str]) -> None:
    """Raise ValueError where these are no channels, or go not together."""
    for text in channels:
        check_channel(text)
    names = {text.partition(":")[0] for text in channels}
    if "more-draft" in names and not names & set(REPLACED):
        raise ValueError(
            f"reuse more-draft drafts in place of other channels: add {', '.join(REPLACED)}"
        )


def check_channel(text: str) -> None:
    """Raise ValueError where `text` is no channel."""
    name, _, value = text.partition(":")
    if name not in CHANNELS:
        raise ValueError(f"reuse must be among {', '.join(CHANNELS)}, got {text!r}")
    is_count = value.isdecimal() and int(value) >= 1 and "N" in CHANNELS[name]
    if not (is_count or value in CHANNELS[name]) or value == "N" or text.endswith(":"):
        known = ", ".join(f"{name}:{v}" if v else name for v in CHANNELS[name])
        raise ValueError(f"reuse of {name} must be {known}, got {text!r}")


def value_of(channels: Sequence[str], name: str) -> str | None:
    """The value of a channel that is on ("" where it has none); None where it is off."""
    for text in channels:
        own, _, value = text.partition(":")
        if own == name:
            return value
    return None


def is_exact(channels: Sequence[str]) -> bool:
    """Whether these channels leave the output as vanilla's."""
    return not any(text.startswith(APPROXIMATE) for text in channels)
