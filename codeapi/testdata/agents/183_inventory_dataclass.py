from __future__ import annotations
from dataclasses import dataclass, field, asdict, replace
from enum import Enum
from typing import Iterable, Optional
import json

class Status(str, Enum):
    ACTIVE = "active"
    RETIRED = "retired"

@dataclass(order=True)
class Item:
    sku: str
    qty: int = 0
    price: float = field(default=0.0, compare=False)
    tags: list[str] = field(default_factory=list, compare=False)
    status: Status = field(default=Status.ACTIVE, compare=False)

    def __post_init__(self):
        if self.qty < 0:
            raise ValueError(f"negative quantity for {self.sku}: {self.qty}")

    @property
    def value(self) -> float:
        return round(self.qty * self.price, 2)

@dataclass
class Inventory:
    items: dict[str, Item] = field(default_factory=dict)

    def add(self, item: Item) -> Inventory:
        if (old := self.items.get(item.sku)) is not None:
            item = replace(old, qty=old.qty + item.qty)
        self.items[item.sku] = item
        return self

    def find(self, *, tag: Optional[str] = None) -> Iterable[Item]:
        for it in sorted(self.items.values()):
            if tag is None or tag in it.tags:
                yield it

inv = Inventory().add(Item("b-2", 3, 9.99, ["tool"])).add(Item("a-1", 10, 0.5)).add(Item("b-2", 2, 1.0))
for it in inv.find():
    print(it, it.value)
print([i.sku for i in inv.find(tag="tool")])
print(json.dumps(asdict(inv.items["b-2"]), indent=2, default=str))
try:
    Item("x", -1)
except ValueError as err:
    print("rejected:", err)
print(Item("a") < Item("b"), Item("a", 1) == Item("a", 1, 5.0), Status("retired") is Status.RETIRED, Status.ACTIVE == "active")
