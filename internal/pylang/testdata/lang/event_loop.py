import asyncio
log = []
async def worker(name, q, out):
    while True:
        item = await q.get()
        if item is None:
            q.task_done()
            break
        await asyncio.sleep(0.001 * item)
        out.append((name, item))
        q.task_done()
async def producer(q):
    for i in range(5):
        await q.put(i)
        print("put", i)
    for _ in range(2):
        await q.put(None)
async def queue():
    q = asyncio.Queue(maxsize=2)
    out = []
    ws = [asyncio.create_task(worker(f"w{i}", q, out)) for i in range(2)]
    await producer(q)
    await q.join()
    await asyncio.gather(*ws)
    print(sorted(x for _, x in out), q.qsize())
async def fails(n, delay):
    await asyncio.sleep(delay)
    raise ValueError(f"bad {n}")
async def ok(n, delay=0):
    try:
        await asyncio.sleep(delay)
        return n
    except asyncio.CancelledError:
        print("cancelled", n)
        raise
    finally:
        print("end", n)
async def groups():
    try:
        async with asyncio.TaskGroup() as tg:
            a = tg.create_task(ok(1, 0.5))
            b = tg.create_task(fails(2, 0.001))
            print("in body")
    except ExceptionGroup as eg:
        print(type(eg).__name__, eg, [str(e) for e in eg.exceptions], a.cancelled(), b.done(), eg.message)
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(ok(1))
            raise KeyError("x")
    except ExceptionGroup as eg:
        print("g", eg.exceptions)
async def groups2():
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(fails(1, 0.001))
            await asyncio.sleep(1)
            print("never")
    except Exception as e:
        print(repr(e))
async def timeouts():
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(1)
    except TimeoutError as e:
        print("timeout", repr(e), repr(e.__cause__)[:15])
    try:
        await asyncio.wait_for(ok(3, 1), 0.01)
    except asyncio.TimeoutError:
        print("wait_for timeout")
    print(await asyncio.wait_for(ok(4), timeout=None), await asyncio.wait_for(ok(5), 1))
    async with asyncio.timeout(1) as cm:
        print(await ok(6))
    print(cm.expired())
async def waiting():
    ts = [asyncio.create_task(ok(i, i * 0.05)) for i in (3, 1, 2)]
    done, pending = await asyncio.wait(ts, return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pending), [t.result() for t in done])
    done, pending = await asyncio.wait(pending, timeout=1)
    print(len(done), len(pending), sorted(t.result() for t in done))
    for c in asyncio.as_completed([ok(i, i * 0.05) for i in (3, 1, 2)]):
        print("got", await c)
    r = await asyncio.gather(ok(1), fails(2, 0), return_exceptions=True)
    print(r)
    try:
        await asyncio.gather(fails("late", 0.1), fails("early", 0.01), ok(9, 0.05))
    except ValueError as e:
        print("first", e)
    await asyncio.sleep(0.2)
async def order():
    async def t(n):
        for i in range(3):
            log.append(f"{n}{i}")
            await asyncio.sleep(0)
    await asyncio.gather(t("a"), t("b"), t("c"))
    print(" ".join(log))
    sem = asyncio.Semaphore(2)
    active = 0
    peak = 0
    async def s(n):
        nonlocal active, peak
        async with sem:
            active += 1
            peak = max(peak, active)
            await asyncio.sleep(0)
            active -= 1
            return n
    print(await asyncio.gather(*[s(i) for i in range(6)]), peak)
    lock = asyncio.Lock()
    total = 0
    async def add():
        nonlocal total
        async with lock:
            v = total
            await asyncio.sleep(0)
            total = v + 1
    await asyncio.gather(*(add() for _ in range(5)))
    print(total, lock.locked())
    ev = asyncio.Event()
    async def waiter(n):
        await ev.wait()
        print("woke", n)
    ts = [asyncio.create_task(waiter(i)) for i in range(3)]
    await asyncio.sleep(0)
    ev.set()
    await asyncio.gather(*ts)
async def cancels():
    async def stubborn():
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            print("no")
            return "stayed"
    t = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    print(t.cancel())
    print(await t, t.cancelled(), t.done())
    t = asyncio.create_task(ok(7, 1))
    t.cancel()
    try:
        await t
    except asyncio.CancelledError:
        print("cancelled before start", t.cancelled())
    t = asyncio.create_task(ok(8), name="eight")
    t.add_done_callback(lambda f: print("callback", f.get_name(), f.result()))
    await t
    await asyncio.sleep(0)
    try:
        t2 = asyncio.create_task(fails(1, 0))
        await t2
    except ValueError:
        print(repr(t2.exception()))
async def agen(n):
    try:
        for i in range(n):
            await asyncio.sleep(0)
            yield i
    finally:
        print("agen closed")
class Counter:
    def __init__(self, n): self.n = n; self.i = 0
    def __aiter__(self): return self
    async def __anext__(self):
        if self.i >= self.n: raise StopAsyncIteration
        self.i += 1
        await asyncio.sleep(0)
        return self.i
async def iteration():
    async for x in agen(3): print("a", x)
    print([x async for x in agen(2)], [x * 2 async for x in Counter(3) if x != 2])
    print({x: 1 async for x in Counter(2)})
    async def both():
        async for x in agen(2): print("b", x)
    async def other():
        for i in range(2):
            print("o", i)
            await asyncio.sleep(0)
    await asyncio.gather(both(), other())
    it = agen(1)
    print(await anext(it), await anext(it, "end"))
class Res:
    async def __aenter__(self):
        await asyncio.sleep(0)
        print("open")
        return self
    async def __aexit__(self, t, v, tb):
        print("close", t.__name__ if t else None)
        return t is ValueError
async def managers():
    async with Res() as r, Res():
        print(type(r).__name__)
    async with Res():
        raise ValueError("swallowed")
    try:
        with Res(): pass
    except TypeError as e:
        print(e)
async def leftovers():
    async def bg():
        try:
            await asyncio.sleep(10)
        finally:
            print("cleanup")
    asyncio.create_task(bg())
    await asyncio.sleep(0)
    print("main done")
async def main():
    await queue(); await groups(); await groups2(); await timeouts(); await waiting(); await order(); await cancels(); await iteration(); await managers()
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, lambda: 5), await asyncio.to_thread(max, 1, 2))
    print(await asyncio.shield(ok("s")))
asyncio.run(main())
asyncio.run(leftovers())
