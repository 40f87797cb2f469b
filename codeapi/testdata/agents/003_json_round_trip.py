import json

raw = '{"users": [{"name": "Åsa", "age": 31, "langs": ["sv", "en"]}, {"name": "Bo", "age": null, "langs": []}], "ok": true, "ratio": 0.25}'
data = json.loads(raw)

for user in data["users"]:
    user["adult"] = user["age"] is not None and user["age"] >= 18
    user["lang_count"] = len(user["langs"])

compact = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
pretty = json.dumps(data["users"][0], indent=2, sort_keys=True)
print(pretty)
assert json.loads(compact) == data

result = {"compact_length": len(compact), "text": compact}
