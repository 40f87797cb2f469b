class LRU:
    def __init__(self, cap):
        self.cap, self.data = cap, {}
    def get(self, k):
        if k not in self.data:
            return -1
        self.data[k] = self.data.pop(k)
        return self.data[k]
    def put(self, k, v):
        self.data.pop(k, None)
        self.data[k] = v
        if len(self.data) > self.cap:
            del self.data[next(iter(self.data))]
c = LRU(2)
c.put("a", 1); c.put("b", 2)
print(c.get("a"))
c.put("c", 3)
print(c.get("b"), c.get("c"), list(c.data))
