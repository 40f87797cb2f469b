# A name in the body of a class means what is outside until the class binds it.
from copy import copy
from dataclasses import dataclass

email = "rule"
size = 3


class A:
    email: str = [email]
    size = size
    size += 1
    kinds = [1, 2]
    n = len(kinds)

    def len(self):
        return self.n

    def twice(x):
        return x * 2

    twice = staticmethod(twice)


print(A.email, A.size, A().len(), A.twice(4), size)


@dataclass
class Event:
    copy: list = copy((1, 2))
    max: int = max(1, 2)


print(Event(), Event((3,), 5).max)


class D:
    W = 2
    RW = W


W = 5
print(D.RW, W)


class Outer:
    size = 10

    class Inner:
        size = size


print(Outer.Inner.size)


def f(limit):
    class G:
        limit = 7
        deep = limit

    return G.deep, limit


print(f(5))


class H:
    try:
        nowhere = nowhere
    except NameError as e:
        print("no", "nowhere")
