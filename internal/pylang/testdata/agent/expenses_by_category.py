expenses = [{"category": "fuel", "amount": 52.4}, {"category": "food", "amount": 18.25}, {"category": "fuel", "amount": 47.1}]
totals = {}
for e in expenses:
    totals[e["category"]] = totals.get(e["category"], 0) + e["amount"]
for cat, total in sorted(totals.items(), key=lambda kv: kv[1], reverse=True):
    print(f"{cat:<10} ${total:>8.2f}")
print("Total:", round(sum(totals.values()), 2))
