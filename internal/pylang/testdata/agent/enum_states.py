from enum import Enum
class State(Enum):
    OPEN = "open"
    CLOSED = "closed"
    @property
    def final(self):
        return self is State.CLOSED
items = [("a", "open"), ("b", "closed"), ("c", "weird")]
for n, raw in items:
    try:
        st = State(raw)
        print(n, st, st.final, st.name)
    except ValueError as e:
        print(n, e)
print([s.value for s in State], State["OPEN"] is State.OPEN)
