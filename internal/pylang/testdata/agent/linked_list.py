class Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next
class LinkedList:
    def __init__(self, items=()):
        self.head = None
        for x in reversed(list(items)):
            self.head = Node(x, self.head)
    def __iter__(self):
        node = self.head
        while node is not None:
            yield node.value
            node = node.next
    def reverse(self):
        prev, cur = None, self.head
        while cur:
            cur.next, prev, cur = prev, cur, cur.next
        self.head = prev
        return self
    def __repr__(self):
        return "LinkedList(" + " -> ".join(map(repr, self)) + ")"
ll = LinkedList([1, 2, 3])
print(ll, ll.reverse(), sum(ll), 2 in ll, list(ll))
