import math


class Shape:
    name = "shape"

    def area(self):
        raise NotImplementedError

    def describe(self):
        return f"{self.name} with area {self.area():.2f}"


class Circle(Shape):
    name = "circle"

    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r ** 2


class Rect(Shape):
    name = "rect"

    def __init__(self, w, h):
        self.w, self.h = w, h

    def area(self):
        return self.w * self.h


class Square(Rect):
    name = "square"

    def __init__(self, side):
        super().__init__(side, side)


shapes = [Circle(1), Rect(2, 3.5), Square(4)]
for s in shapes:
    print(s.describe())
__result__ = {"rects": sum(isinstance(s, Rect) for s in shapes), "largest": max(shapes, key=lambda s: s.area()).name}
