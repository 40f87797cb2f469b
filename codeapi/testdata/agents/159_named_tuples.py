from collections import Counter, namedtuple
from typing import NamedTuple
Point = namedtuple("Point", ["x", "y"])
p = Point(3, y=4)
print(p, p.x, p[1], p._asdict(), p._replace(x=9), Point._fields, p == (3, 4))
class Emp(NamedTuple):
    name: str
    age: int = 30
    def greet(self):
        return f"hi {self.name}"
e = Emp("Al")
print(e, e.greet(), e.age)
c = Counter("mississippi")
print(c.most_common(2), c["z"], sum(c.values()), c - Counter("miss"), c + Counter("m"), c & Counter("sip"), dict(c))
c.update(["m", "m"]); c.subtract({"i": 1})
print(c, sorted(c.elements())[:4], c.total())
x, y = p
result = {"dist": (x ** 2 + y ** 2) ** 0.5, "top": c.most_common(1)[0]}
