from collections import namedtuple
import math

Point = namedtuple("Point", ["x", "y"])

points = [Point(0, 0), Point(3, 4), Point(x=-1, y=2.5)]


def distance(p, q):
    return math.hypot(p.x - q.x, p.y - q.y)


origin, *others = points
nearest = min(others, key=lambda p: distance(origin, p))
print(nearest)
print(points[1]._replace(y=10))
cx = sum(p.x for p in points) / len(points)
cy = sum(p.y for p in points) / len(points)
__result__ = {"nearest": list(nearest), "far": distance(points[0], points[1]), "centroid": [round(cx, 3), round(cy, 3)]}
