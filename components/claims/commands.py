"""The commands that make the results anew. The questions of Spec-Bench are not shipped."""

from components.claims.results import Result

PROMPTS = "--prompts spec_bench.jsonl"
CORE = "python -m eagley_core"
KV = f"{CORE} kv {PROMPTS} --limit 13 --frozen assets/results/costs.json --out kv.json"
RULES = f"{CORE} rules {PROMPTS} --limit 20 --frozen assets/results/costs.json --out rules.json"
TREES = (
    f"for n in 8 24 40; do {CORE} bench {PROMPTS} --limit 13 --max-new-tokens 64 "
    f"--tree auto:$n,7,6 --out $n.json; done; {CORE} theory 8.json 24.json 40.json --json "
    "> tree-sizes.json"
)
TEMPERATURE = (
    f"{CORE} bench {PROMPTS} --limit 13 --max-new-tokens 64 --sweep assets/sweep-temperature.toml "
    "--out sweep-temperature.json"
)
RULE_SPEEDS = (
    f"{CORE} bench {PROMPTS} --limit 5 --max-new-tokens 64 --methods vanilla,eagle --no-coupled "
    "--sweep assets/sweep-rules.toml --out sweep-rules.json"
)
REUSE_SPEEDS = (
    f"{CORE} bench {PROMPTS} --limit 5 --max-new-tokens 64 --methods vanilla,eagley "
    "--sweep assets/sweep-reuse.toml --out sweep-reuse.json"
)
RULED = "--rules seed-threshold:0.8,seed-literal:0.8 --rules-for eagley"
SUITES = (
    f"{CORE} bench --suite gsm8k --path gsm8k.jsonl --limit 100 {RULED} --max-new-tokens 128 "
    f"--out gsm8k-100.json; {CORE} bench --suite humaneval --path humaneval.jsonl --limit 50 "
    f"{RULED} --max-new-tokens 128 --run-code --out humaneval-50.json"
)
SCENARIOS = f"{CORE} bench --suite scenarios {RULED} --out scenarios-36.json"
PEERS = (
    f"for n in a b; do {CORE} bench {PROMPTS} --limit 40 --max-new-tokens 64 --peers "
    "generate,prompt-lookup:3,prompt-lookup,assisted --assistant int8 --out peers-40-$n.json; done"
)


def bench_command(result: Result | None, more: str = "") -> str:
    """With as many questions and tokens as the result has."""
    rows = result.data["rows"] if result else []
    questions = len({row["question_id"] for row in rows}) or 90
    longest = max((row["new_tokens"] for row in rows), default=128)
    name = result.name if result else "spec-bench-90.json"
    more += " --controls" if any(row["lane"] == "ngram" for row in rows) else ""
    sizes = f"--limit {questions} --max-new-tokens {longest}"
    return f"{CORE} bench {PROMPTS}{more} {sizes} --out {name}"


def ablation_command(result: Result | None) -> str:
    """Half of the questions are for tuning."""
    rows = result.data["rows"] if result else []
    questions = len({row["question_id"] for row in rows}) or 13
    longest = max((row["new_tokens"] for row in rows), default=64)
    name = result.name if result else "ablation-13.json"
    return (
        f"{CORE} ablate {PROMPTS} --limit {2 * questions} --max-new-tokens {longest} --replay "
        f"--out {name}"
    )
