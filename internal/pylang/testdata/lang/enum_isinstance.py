from enum import Enum, IntEnum, StrEnum


class Kind(Enum):
    A = "a"


class N(IntEnum):
    X = 1


class S(StrEnum):
    Y = "y"


class Old(str, Enum):
    Z = "z"


for member in (Kind.A, N.X, S.Y, Old.Z, "a", 1, None):
    print([isinstance(member, t) for t in (Enum, IntEnum, StrEnum)])
for c in (Kind, N, S, Old):
    print(c.__name__, [issubclass(c, t) for t in (Enum, IntEnum, StrEnum)])
