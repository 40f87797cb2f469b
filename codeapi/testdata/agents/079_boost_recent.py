from bmcis_knowledge import search, filtering

hits = search.hybrid_search("postgres index vacuum backup", top_k=8)
before = [h.id for h in hits]
boosted = filtering.boost(hits, {"source": "runbook"}, 1.5)
after = [h.id for h in boosted]

moved_up = [i for i in after if after.index(i) < before.index(i)]
print("before:", before)
assert sorted(before) == sorted(after)
assert all(0 <= h.score <= 1 for h in boosted)
__result__ = {"same_set": set(before) == set(after), "moved_are_runbooks": all(h.source == "runbook" for h in boosted if h.id in moved_up)}
