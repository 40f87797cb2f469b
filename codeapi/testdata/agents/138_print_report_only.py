# context: {"query": "rotate certificates keys", "max_items": 3}
results = await search.hybrid_search(query, top_k=10)

print(f'Results for "{query}"')
print("-" * 40)
for i, r in enumerate(results[:max_items], start=1):
    year = r.metadata.get("year", "?")
    flag = "*" if year >= 2023 else " "
    print(f"{i:>2}.{flag} {r.title:<30.30} {year}  {r.score:>6.1%}")
if len(results) > max_items:
    print(f"... and {len(results) - max_items} more")
