items = [("Widget", 4, 3.5), ("Gizmo", 10, 12.25), ("Thing", 1, 100)]
print(f"{'Item':<10}{'Qty':>5}{'Price':>10}{'Total':>12}")
print("-" * 37)
for name, qty, price in items:
    print(f"{name:<10}{qty:>5}{price:>10.2f}{qty * price:>12,.2f}")
print(f"{'Sum':<25}{sum(q * p for _, q, p in items):>12,.2f}")
