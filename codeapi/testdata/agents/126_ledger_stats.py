from bmcis_knowledge import search, stats

for q in ("raft", "http", "tests"):
    search.hybrid_search(q, top_k=3)

ledger = stats.get_execution_stats()
__result__ = {
    "is_number": isinstance(ledger["tokens_touched"], (int, float)),
    "touched": "tokens_touched" in ledger,
    "returned": "tokens_returned" in ledger,
}
