class AppError(Exception):
    def __init__(self, msg, code=500, **ctx):
        super().__init__(msg); self.code = code; self.ctx = ctx
    def __str__(self): return f"[{self.code}] {self.args[0]}"
class NotFound(AppError):
    def __init__(self, what): super().__init__(f"{what} missing", 404, what=what)
try: raise NotFound("x")
except AppError as e: print(e, repr(e), e.code, e.ctx, e.args, type(e).__name__, isinstance(e, Exception))
try:
    try: 1 / 0
    except ZeroDivisionError as e: raise ValueError("bad") from e
except ValueError as e: print(repr(e.__cause__), e.__context__ is e.__cause__, e.__suppress_context__)
try:
    try: {}["k"]
    except KeyError: raise RuntimeError("ctx")
except RuntimeError as e: print(repr(e.__context__), e.__cause__)
try: raise ValueError from None
except ValueError as e: print(e.__cause__, repr(e), e.__suppress_context__)
def f():
    try: return "try"
    finally: print("finally")
def g():
    for i in range(3):
        try:
            if i == 1: continue
            if i == 2: break
        finally: print("f", i)
    return "g"
def h():
    try: raise ValueError
    finally: return "override"
print(f(), g(), h())
def k():
    try: pass
    except Exception: print("no")
    else: print("else")
    finally: print("fin")
k()
try:
    try: raise KeyError("a")
    except (ValueError, KeyError) as e: print("caught", e); raise
except LookupError as e: print("re", e)
for bad in [lambda: [1][5], lambda: {"a": 1}["b"], lambda: int("x"), lambda: "a" + 1, lambda: None.x, lambda: [].pop(), lambda: "a".index("b"), lambda: 1 / 0, lambda: float("z"), lambda: (1, 2)[3], lambda: dict([1]), lambda: [1, 2].remove(3), lambda: int(None), lambda: "x" * "y", lambda: {[]: 1}, lambda: next(iter([])), lambda: max([]), lambda: chr(-1), lambda: "abc".nope(), lambda: [1] < ["a"], lambda: sum(["a"]), lambda: set([[1]]), lambda: len(5), lambda: 5(), lambda: 5[0], lambda: range(1, 2, 0), lambda: "{} {}".format(1), lambda: "%d" % "x"]:
    try: bad(); print("ok")
    except Exception as e: print(type(e).__name__, e)
try: raise ExceptionGroup("grp", [ValueError(1), TypeError(2)])
except ExceptionGroup as eg: print(eg, eg.exceptions, eg.message)
e = ValueError("a", 2); print(e, e.args, str(ValueError()), repr(KeyError("k")), str(KeyError("k")))
e.add_note("n1"); print(e.__notes__)
try: assert 1 == 2, f"math {1}"
except AssertionError as e: print("AE", e)
try: a, b = 1, 2, 3
except ValueError as e: print(e)
try: a, b = [1]
except ValueError as e: print(e)
try: a, *b = []
except ValueError as e: print(e)
def rec():
    try: raise NameError("nn")
    except NameError as e: print(e)
rec()
def loc():
    try: print(zz)
    except UnboundLocalError as e: print(e)
    zz = 1
loc()
class Ctx:
    def __enter__(s): return 1
    def __exit__(s, t, v, tb): print("exit", t.__name__ if t else t); return t is ValueError
with Ctx() as c, Ctx(): raise ValueError("q")
print("go on")
from contextlib import contextmanager, suppress, ExitStack, nullcontext, closing, redirect_stdout
@contextmanager
def tag(n):
    print(f"<{n}>")
    try: yield n.upper()
    except KeyError as e: print("swallow", e)
    finally: print(f"</{n}>")
with tag("a") as t: print(t); raise KeyError("k")
with suppress(ZeroDivisionError, KeyError): 1 / 0
with ExitStack() as st: print(st.enter_context(tag("x"))); st.callback(print, "cb")
with nullcontext(5) as n: print(n)
import io
buf = io.StringIO()
with redirect_stdout(buf): print("hid")
print(repr(buf.getvalue()))
try: raise OSError(2, "No such file")
except OSError as e: print(type(e).__name__, e, e.errno)
import sys
try: 1/0
except ZeroDivisionError: print(sys.exc_info()[0].__name__, sys.exc_info()[1])
