class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

class BST:
    def __init__(self, items=()):
        self.root = None
        self._size = 0
        for i in items:
            self.insert(i)

    def insert(self, value):
        if self.root is None:
            self.root = Node(value)
            self._size += 1
            return
        node = self.root
        while True:
            if value == node.value:
                return
            side = "left" if value < node.value else "right"
            nxt = getattr(node, side)
            if nxt is None:
                setattr(node, side, Node(value))
                self._size += 1
                return
            node = nxt

    def __iter__(self):
        def walk(n):
            if n:
                yield from walk(n.left)
                yield n.value
                yield from walk(n.right)
        return walk(self.root)

    def __len__(self):
        return self._size

    def __contains__(self, v):
        n = self.root
        while n is not None:
            if n.value == v:
                return True
            n = n.left if v < n.value else n.right
        return False

    def height(self):
        def h(n):
            return 0 if n is None else 1 + max(h(n.left), h(n.right))
        return h(self.root)

t = BST([5, 2, 8, 1, 9, 3, 5])
print(list(t), len(t), 8 in t, 7 in t, t.height())
print(*t, sep=" < ")
a, *rest, z = t
result = {"first": a, "rest": rest, "last": z, "sum": sum(t)}
