class A:
    def __init__(self, **kw):
        self.__dict__.update(kw)
        self.__dict__["z"] = 5
a = A(x=1, y=2)
print(a.x, a.y, a.z, a.__dict__)
vars(a)["w"] = 9
print(a.w, vars(a), sorted(vars(a)))
del a.__dict__["w"]
print(hasattr(a, "w"))
d = a.__dict__
a.q = 3
print(d, "q" in d, len(d), d.get("q"), list(d.items()))
a.__dict__.pop("q")
print(a.__dict__, d is a.__dict__)
a.__dict__ |= {"m": 1}
print(a.m)
a.__dict__.setdefault("n", 7)
print(a.n, {**a.__dict__})
a.__dict__.clear()
print(a.__dict__)
a.__dict__ = {"k": 1}
print(a.k, a.__dict__)
class Borg:
    _s = {}
    def __init__(self):
        self.__dict__ = self._s
b1 = Borg(); b2 = Borg()
b1.x = 4
print(b2.x)
for k, v in a.__dict__.items(): print(k, v)
print(dict(a.__dict__), a.__dict__ == {"k": 1}, {k: v for k, v in vars(a).items() if not k.startswith("_")})
import json
print(json.dumps(a.__dict__), json.dumps(a, default=lambda o: o.__dict__))
