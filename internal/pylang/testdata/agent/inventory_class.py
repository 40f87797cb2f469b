class Inventory:
    def __init__(self):
        self._items = {}
    def add(self, name, qty=1, *, price=0.0):
        item = self._items.setdefault(name, {"qty": 0, "price": price})
        item["qty"] += qty
        if price:
            item["price"] = price
        return self
    def remove(self, name, qty):
        if name not in self._items:
            raise KeyError(name)
        if self._items[name]["qty"] < qty:
            raise ValueError(f"only {self._items[name]['qty']} {name} left")
        self._items[name]["qty"] -= qty
    @property
    def total(self):
        return sum(i["qty"] * i["price"] for i in self._items.values())
    def __len__(self):
        return len(self._items)
inv = Inventory().add("bolt", 100, price=0.25).add("nut", 50, price=0.1).add("bolt", 20)
print(len(inv), inv.total)
for name, q in [("bolt", 500), ("gear", 1), ("nut", 5)]:
    try:
        inv.remove(name, q)
        print("removed", q, name)
    except (KeyError, ValueError) as e:
        print(type(e).__name__, e)
