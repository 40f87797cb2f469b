class Shape:
    count = 0
    registry = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Shape.registry[cls.__name__] = cls
    def __init__(self, name):
        self.name = name
        Shape.count += 1
    def area(self):
        raise NotImplementedError
    def __str__(self):
        return f"{type(self).__name__} {self.name}: {self.area():.2f}"
class Sq(Shape):
    def __init__(self, name, side):
        super().__init__(name)
        self.side = side
    def area(self):
        return self.side ** 2
class Circle(Shape):
    PI = 3.14159
    def __init__(self, name, r):
        super().__init__(name); self.r = r
    def area(self):
        return self.PI * self.r ** 2
shapes = [Sq("a", 2), Circle("b", 1.5)]
for s in shapes:
    print(s, isinstance(s, Shape), hasattr(s, "side"), getattr(s, "r", None))
print(Shape.count, sum(s.area() for s in shapes), sorted(vars(shapes[0]).items()), issubclass(Sq, Shape), Sq.__name__)
try:
    Shape("x").area()
except NotImplementedError as e:
    print("abstract", repr(e))
print(sorted(Shape.registry))
