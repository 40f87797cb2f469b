from collections import OrderedDict, defaultdict, Counter, UserDict, UserList, deque
class LRU(OrderedDict):
    def __init__(self, cap):
        super().__init__()
        self.cap = cap
    def get(self, k, default=None):
        if k not in self: return default
        self.move_to_end(k)
        return self[k]
    def put(self, k, v):
        self[k] = v
        self.move_to_end(k)
        if len(self) > self.cap:
            self.popitem(last=False)
l = LRU(2); l.put("a", 1); l.put("b", 2); l.get("a"); l.put("c", 3)
print(list(l.items()), len(l))
class Tree(defaultdict):
    def __init__(self): super().__init__(Tree)
t = Tree(); t["a"]["b"]["c"] = 1
import json
print(json.dumps(t))
class WC(Counter):
    def top(self): return self.most_common(1)[0][0]
w = WC("hello"); print(w.top(), w["l"], w["q"])
class UD(UserDict):
    def __setitem__(self, k, v): super().__setitem__(str(k), v)
u = UD({1: 2}); u[3] = 4; print(u, u.data, "1" in u, len(u))
class UL(UserList): pass
x = UL([3,1]); x.append(2); print(sorted(x), x, x.data)
