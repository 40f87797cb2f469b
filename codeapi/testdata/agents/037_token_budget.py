# context: {"snippets": [{"id": "s1", "text": "Alpha beta gamma delta epsilon", "score": 0.9}, {"id": "s2", "text": "One two three four five six seven eight nine ten eleven twelve", "score": 0.85}, {"id": "s3", "text": "Short", "score": 0.8}, {"id": "s4", "text": "A medium sized piece of text with some words", "score": 0.4}], "budget": 16}
def estimate_tokens(text):
    return max(1, len(text.split()) * 4 // 3)


used = 0
chosen, dropped = [], []
for s in sorted(snippets, key=lambda s: s["score"], reverse=True):
    cost = estimate_tokens(s["text"])
    if used + cost > budget:
        dropped.append(s["id"])
        continue
    chosen.append(s["id"])
    used += cost

print(f"used {used}/{budget} tokens ({used / budget:.0%})")
result = {"chosen": chosen, "dropped": dropped, "used": used}
