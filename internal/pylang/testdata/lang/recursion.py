def f(n): return f(n + 1)
try:
    f(0)
except RecursionError as e:
    print("caught", type(e).__name__, str(e)[:32])
def fact(n): return 1 if n == 0 else n * fact(n - 1)
print(len(str(fact(800))))
class N:
    def __repr__(self): return repr(self)
try: repr(N())
except RecursionError as e: print("again")
import sys
sys.setrecursionlimit(3000)
print(sys.getrecursionlimit())
def g(n): return 0 if n == 0 else 1 + g(n - 1)
print(g(1500))
