class A:
    def hi(self): return ["A"]
class B(A):
    def hi(self): return ["B"] + super().hi()
class C(A):
    def hi(self): return ["C"] + super().hi()
class D(B, C):
    def hi(self): return ["D"] + super().hi()
print(D().hi(), [c.__name__ for c in D.__mro__], D.__bases__, D.mro() == list(D.__mro__), A.__subclasses__())
print(D.__base__.__name__, type(D()).__mro__[-1], isinstance(D(), object), issubclass(D, object))
print(super(D, D()).hi())
class Reg:
    subs = {}
    def __init_subclass__(cls, /, kind=None, **kw):
        super().__init_subclass__(**kw)
        Reg.subs[kind or cls.__name__] = cls
class R1(Reg, kind="one"): pass
class R2(Reg): pass
print(sorted(Reg.subs))
class Single:
    _inst = None
    def __new__(cls, *a, **k):
        if cls._inst is None:
            cls._inst = super().__new__(cls)
        return cls._inst
    def __init__(self, v=0): self.v = v
print(Single(1) is Single(2), Single(3).v)
class Node:
    def __init__(self, **kw):
        for k, v in kw.items(): setattr(self, k, v)
    def __repr__(self): return f"{self.__class__.__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"
print(Node(a=1, b="x"))
class P:
    x: int = 3
    y: "str"
print(P.__annotations__, P.__dict__["x"], P.__doc__, P.__module__, P.__qualname__)
def fn(a: int, b="x") -> str: "doc"; return ""
print(fn.__annotations__, fn.__defaults__, fn.__doc__, fn.__name__, fn.__module__)
class CM:
    count = 0
    @classmethod
    def make(cls): cls.count += 1; return cls()
    @staticmethod
    def st(x): return x + 1
    class Inner:
        v = 1
print(CM.make().count, CM.st(1), CM().st(2), CM.Inner.v, callable(CM), CM.make.__name__)
class WithClassGetitem:
    def __class_getitem__(cls, k): return f"{cls.__name__}[{k}]"
print(WithClassGetitem[3])
