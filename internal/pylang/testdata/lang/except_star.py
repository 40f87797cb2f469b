import asyncio
def f(g):
    try:
        raise g
    except* ValueError as e:
        print("values", e.exceptions, len(e.exceptions))
    except* (KeyError, TypeError) as e:
        print("keys", [type(x).__name__ for x in e.exceptions])
    else:
        print("else")
    finally:
        print("fin")
f(ExceptionGroup("g", [ValueError(1), KeyError("a"), ExceptionGroup("n", [ValueError(2), TypeError("t")])]))
try:
    f(ExceptionGroup("g", [ValueError(1), OSError("o")]))
except ExceptionGroup as e:
    print("rest", e, e.exceptions)
try:
    f(OSError("plain"))
except OSError as e:
    print("plain", repr(e))
f(ValueError("naked"))
async def boom(n): raise ValueError(n)
async def main():
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(boom(1))
            tg.create_task(boom(2))
    except* ValueError as eg:
        print(sorted(str(x) for x in eg.exceptions))
asyncio.run(main())
