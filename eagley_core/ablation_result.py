"""How the parts of an ablation's result lie in it. Needs no torch."""

from typing import Any

STORES = ("cold", "warm")


def by_store(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The result with a cold store, with a warm one, or with both."""
    if not isinstance(result.get("tuning"), dict) or result.get("store") not in STORES:
        raise ValueError("this is not a result of ablate")
    others = {store: result[store] for store in STORES if store in result}
    return {result["store"]: result} | others
