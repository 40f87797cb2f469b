class Shape:
    name = "shape"
    def area(self):
        raise NotImplementedError
    def __str__(self):
        return f"{self.name} with area {self.area():.2f}"
class Rect(Shape):
    name = "rect"
    def __init__(self, w, h):
        self.w, self.h = w, h
    def area(self):
        return self.w * self.h
class Square(Rect):
    name = "square"
    def __init__(self, s):
        super().__init__(s, s)
class Circle(Shape):
    name = "circle"
    PI = 3.14159
    def __init__(self, r):
        self.r = r
    def area(self):
        return self.PI * self.r ** 2
shapes = [Rect(2, 3), Square(4), Circle(1.5)]
for s in sorted(shapes, key=lambda s: s.area()):
    print(s, isinstance(s, Rect))
try:
    print(Shape())
except NotImplementedError as e:
    print("abstract", repr(e))
