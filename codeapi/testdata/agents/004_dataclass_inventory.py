from dataclasses import dataclass, field
from typing import List


@dataclass
class Item:
    name: str
    price: float
    quantity: int = 0
    tags: List[str] = field(default_factory=list)

    def total(self) -> float:
        return self.price * self.quantity


items = [
    Item("bolt", 0.25, 400, ["metal"]),
    Item("plank", 7.5, 12, ["wood", "long"]),
    Item("glue", 3.2),
]
items[2].quantity += 5
items[2].tags.append("chemical")

in_stock = [i for i in items if i.quantity > 0]
print(items[1])
__result__ = {
    "total": round(sum(i.total() for i in in_stock), 2),
    "most_valuable": max(in_stock, key=lambda i: i.total()).name,
    "tags": sorted({t for i in items for t in i.tags}),
}
