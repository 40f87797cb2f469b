from enum import Enum, IntEnum, auto
class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = "blue"
    @classmethod
    def parse(cls, s):
        for c in cls:
            if c.name.lower() == s.lower():
                return c
        raise ValueError(f"{s!r} is no color")
class Level(IntEnum):
    LOW = auto()
    HIGH = auto()
print(Color.RED, repr(Color.BLUE), Color("blue").name, Color["GREEN"].value, list(Color), Color.parse("green") is Color.GREEN)
print(Level.HIGH > Level.LOW, Level.HIGH + 1, f"{Level.LOW}", sorted([Level.HIGH, Level.LOW]))
try:
    Color(7)
except ValueError as e:
    print(e)
counts = {c: 0 for c in Color}
counts[Color.RED] += 2
result = {c.name: n for c, n in counts.items()}
