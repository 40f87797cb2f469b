# context: {"expenses": [{"date": "2024-10-02", "category": "fuel", "amount": 184.5}, {"date": "2024-10-05", "category": "food", "amount": 62.1}, {"date": "2024-10-09", "category": "fuel", "amount": 210.0}, {"date": "2024-10-15", "category": "camping", "amount": 45.0}, {"date": "2024-10-21", "category": "food", "amount": 118.75}, {"date": "2024-11-01", "category": "fuel", "amount": 99.99}]}
# Only October, only over $100
october = [e for e in expenses if e["date"].startswith("2024-10")]
large = [e for e in october if e["amount"] > 100]

print(f"Found {len(large)} expenses over $100")
print(f"Total: ${sum(e['amount'] for e in large):,.2f}")
print("Top 3:", [e["category"] for e in sorted(large, key=lambda e: e["amount"], reverse=True)[:3]])

totals = {}
for e in october:
    totals[e["category"]] = totals.get(e["category"], 0) + e["amount"]

result = {"large": len(large), "by_category": totals}
