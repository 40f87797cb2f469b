# context: {"orders": [{"id": 1, "customer": 7, "total": "19.90"}, {"id": 2, "customer": 9, "total": "5.00"}, {"id": 3, "customer": 7, "total": "100.10"}, {"id": 4, "customer": 1, "total": "bad"}], "customers": {"7": {"name": "Ida", "vip": true}, "9": {"name": "Bo"}}}
def to_cents(value: str) -> int:
    euros, _, cents = value.partition(".")
    return int(euros) * 100 + int(cents or 0)


totals, problems = {}, []
for order in orders:
    customer = customers.get(str(order["customer"]))
    if customer is None:
        problems.append(f"order {order['id']}: unknown customer")
        continue
    name = customer["name"]
    totals[name] = totals.get(name, 0) + to_cents(order["total"])

vips = [c["name"] for c in customers.values() if c.get("vip")]
for name, cents in sorted(totals.items(), key=lambda t: -t[1]):
    print(f"{name:.<12}{cents / 100:>8.2f}{' VIP' if name in vips else ''}")

totals, problems
