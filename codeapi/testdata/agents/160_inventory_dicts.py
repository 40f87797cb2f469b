inventory = {"apple": {"qty": 5, "price": 1.2}, "pear": {"qty": 0, "price": 2.0}, "fig": {"qty": 12, "price": 0.5}}
in_stock = {k: v for k, v in inventory.items() if v["qty"]}
for name, info in sorted(inventory.items(), key=lambda kv: (-kv[1]["qty"], kv[0])):
    status = "OUT" if not info["qty"] else ("LOW" if info["qty"] < 10 else "OK")
    print(f"{name:<8}{info['qty']:>4} x ${info['price']:.2f} = ${info['qty'] * info['price']:>7.2f} [{status}]")
inventory["apple"]["qty"] -= 3
inventory.setdefault("kiwi", {"qty": 1, "price": 3})
removed = inventory.pop("pear", None)
print(removed, inventory.pop("nope", "default"), list(inventory), "kiwi" in inventory)
merged = {**inventory, "fig": {"qty": 1, "price": 9}} | {"lime": {"qty": 2, "price": 4}}
inv = {v["price"]: k for k, v in merged.items()}
print(inv, dict(zip("abc", range(3))), dict.fromkeys(["a", "b"], 0), dict(a=1, b=2), {**{"x": 1}})
del merged["lime"]
for k in list(merged):
    if merged[k]["qty"] < 2:
        del merged[k]
print(merged, min(merged, key=lambda k: merged[k]["price"], default=None), list(reversed(merged)), merged.keys() & {"apple", "zzz"})
k, v = next(iter(merged.items()))
print(k, v, merged.get("nah", {}).get("qty", -1), len(merged), bool({}), merged == dict(merged), {"a": 1}.items() <= {"a": 1, "b": 2}.items())
result = sum(v["qty"] * v["price"] for v in merged.values())
